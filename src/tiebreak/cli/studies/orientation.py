"""``tiebreak study orientation``: what measures are by themselves, without any data."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from tiebreak.cli.options import POSITIVE
from tiebreak.cli.studies.output import MEASURES, SEED, refuse_unused, study_options

if TYPE_CHECKING:
    from tiebreak.studies.base import Findings

VIEWS = ("orientation", "region", "agreement", "ties", "first", "stochastic", "diagram", "properties")
SIZES = re.compile(r"([0-9]{1,10})(?:-([0-9]{1,10}))?")
MOST_SIZES = 10_000


def sizes(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> list[int] | None:
    """Numbers and ranges of them, such as 10 or 5-50."""
    found: list[int] = []
    for text in given:
        match = SIZES.fullmatch(text.strip())
        low, high = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if not 0 <= high - low < MOST_SIZES:
            raise click.BadParameter(f"{text!r}. Give a number, such as 10, or a range, such as 5-50.")
        found += range(low, high + 1)
    return found or None


@click.command("orientation")
@click.option("--by", type=click.Choice(VIEWS), default="orientation", show_default=True, help="What is looked at.")
@MEASURES
@click.option("--items", multiple=True, metavar="N", callback=sizes, help="Items in the corpus; may be repeated.")
@click.option("--relevant", multiple=True, metavar="M", callback=sizes, help="Relevant items, such as 10 or 1-15.")
@click.option("--pairs", type=POSITIVE, default=10_000, show_default=True, help="Pairs of rankings that are drawn.")
@SEED
@click.option("--jobs", type=POSITIVE, default=1, show_default=True, help="Threads.")
@study_options
def command(
    by: str,
    measures: tuple[str, ...],
    items: list[int] | None,
    relevant: list[int] | None,
    pairs: int,
    seed: int,
    jobs: int,
) -> Findings:
    """What measures are by themselves; no files are needed.

    Where a metric looks (orientation), where relevant items can stand (region), whether it agrees with the worst case
    (agreement), how often it ties (ties, first), what a drawn order gives the worst-off user (stochastic), which
    rankings it tells apart (diagram) and which properties it has (properties).
    """
    from tiebreak.cli.progress import progress
    from tiebreak.studies.on_paper import orientation

    refuse_unused(by, dict.fromkeys(("pairs", "seed"), ("agreement", "ties")))
    with progress("studying", "parts") as tick:
        return orientation(
            measures or None, by=by, items=items, relevant=relevant, pairs=pairs, seed=seed, jobs=jobs, tick=tick
        )
