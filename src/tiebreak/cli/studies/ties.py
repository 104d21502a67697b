"""``tiebreak study ties``: how often measures see no difference between two runs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli.options import READING_NAMES, experiment, reading_options
from tiebreak.cli.studies.output import MEASURES, SEED, refuse_unused, study_options

if TYPE_CHECKING:
    from tiebreak.studies.base import Findings

OF_FILES = ("measure", "first", "level", "decided", "labels", "depth")
VIEWS = (*OF_FILES, "random")
ONLY_FOR = dict.fromkeys(("samples", "seed"), ("labels", "random")) | dict.fromkeys(READING_NAMES, OF_FILES)


@click.command("ties")
@partial(reading_options, is_needed=False)
@click.option("--by", type=click.Choice(VIEWS), default="measure", show_default=True, help="See above.")
@MEASURES
@click.option("--samples", type=click.IntRange(1, 1_000_000), default=10, show_default=True, help="How often to draw.")
@SEED
@study_options
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    by: str,
    measures: tuple[str, ...],
    samples: int,
    seed: int,
    **options: Any,
) -> Findings:
    """How often measures tie two runs in one request.

    By measure; by the position of the first relevant item, by recall level, or by the number of levels that decide; as
    labels are removed or rankings are cut; or of rankings drawn at random, which needs no files.
    """
    from tiebreak.cli.progress import progress
    from tiebreak.studies.tied import measures_for, ties

    asked = tuple(dict.fromkeys(spec.strip() for spec in measures)) or None
    refuse_unused(by, ONLY_FOR)
    measures_for(by, asked)  # what cannot be shown is refused before anything is read
    if by == "random" and qrels is not None:
        raise click.UsageError("--by random draws its own rankings: leave out QRELS and RUN.")
    if by != "random" and not runs:
        raise click.UsageError("Give QRELS RUN...; only --by random does without.")
    made = None if qrels is None else experiment(qrels, runs, asked or (), **options)
    with progress("counting ties", "parts") as tick:
        return ties(made, asked, by=by, samples=samples, seed=seed, jobs=options["jobs"], tick=tick)
