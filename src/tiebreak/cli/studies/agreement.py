"""``tiebreak study agreement``: how far measures say the same of the same runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli.options import experiment, reading_options
from tiebreak.cli.studies.output import MEASURES, SEED, refuse_unused, study_options

if TYPE_CHECKING:
    from tiebreak.studies.base import Findings

VIEWS = ("preference", "sign", "order", "suffix", "locality", "difference", "surface", "level")
OF_ORDERS, OF_LEVELS = ("ordering", "correlation"), ("run", "other", "request")
ONLY_FOR = dict.fromkeys(OF_ORDERS, ("order",)) | dict.fromkeys(OF_LEVELS, ("level",)) | {"seed": ("sign",)}


@click.command("agreement")
@reading_options
@MEASURES
@click.option("--by", type=click.Choice(VIEWS), default=VIEWS[0], show_default=True, help="What is looked at.")
@click.option("--ordering", metavar="HOW", help="For --by order: mc4, borda, ...; by default mc4, for metrics mean.")
@click.option("--correlation", type=click.Choice(["tau_b", "tau_ap", "rbo"]), help="For --by order.")
@click.option("--run", metavar="NAME", help="For --by level: by default the first run,")
@click.option("--other", metavar="NAME", help="and the second.")
@click.option("--request", metavar="ID", help="For --by level: one request in place of the mean over all.")
@SEED
@study_options
def command(
    qrels: str, runs: tuple[str, ...], measures: tuple[str, ...], by: str, seed: int, **options: Any
) -> Findings:
    """How far measures agree, over all pairs of runs in all requests.

    preference: where one measure sees a difference (LR Fig 10). sign: sizes and signs (RPP Fig 5). order: orders of
    runs (RPP Table 2). suffix, locality: recall levels (LP Table 1, Fig 7). difference, surface, level: what recall
    levels contribute (RPP Figs 2, 4).
    """
    from tiebreak.cli.progress import progress
    from tiebreak.studies.agreeing import agreement, check

    refuse_unused(by, ONLY_FOR)
    given = {name: value for name in (*OF_ORDERS, *OF_LEVELS) if (value := options.pop(name)) is not None}
    asked = tuple(dict.fromkeys(spec.strip() for spec in measures)) or None
    check(by, asked)
    if by == "sign":
        given["seed"] = seed
    made = experiment(qrels, runs, measures, **options)
    with progress("comparing", "parts") as tick:
        return agreement(made, by, asked, jobs=options["jobs"], tick=tick, **given)
