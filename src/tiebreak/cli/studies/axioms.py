"""``tiebreak study axioms``: which axioms of accuracy and diversity a metric respects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tiebreak.cli.options import OWN_FUNCTION
from tiebreak.cli.studies.output import SEED, study_options

if TYPE_CHECKING:
    from tiebreak.studies.axiomatic import AxiomTable


@click.command("axioms")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="SPEC",
    help="Such as EU or 'alpha_beta_nDCG(alpha=0.5)'; by default the paper's seven."
    + OWN_FUNCTION
    + " It is called as f(items, interest, r_max).",
)
@click.option("--lists", type=click.IntRange(0), default=2000, show_default=True, help="Random rankings to try.")
@SEED
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Threads.")
@study_options
def command(measures: tuple[str, ...], lists: int, seed: int, jobs: int) -> AxiomTable:
    """Which axioms of accuracy and diversity a metric breaks (Parapar and Radlinski 2021, Table 1), by examples."""
    from tiebreak.cli.progress import progress
    from tiebreak.studies.axiomatic import axioms

    with progress("searching", "axioms") as tick:
        return axioms(measures or None, lists=lists, seed=seed, jobs=jobs, tick=tick)
