"""``tiebreak study properties``: which properties a population has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tiebreak.cli.options import OWN_FUNCTION
from tiebreak.cli.studies.output import SEED, study_options

if TYPE_CHECKING:
    from tiebreak.studies.properties import PropertyReport, PropertyTable


@click.command("properties")
@click.option(
    "-m",
    "--measure",
    "method",
    metavar="SPEC",
    help="A population such as gmean; by default PE Table 1." + OWN_FUNCTION + " Of one allocation or of two.",
)
@click.option("--pairs", type=click.IntRange(0), default=250, show_default=True, help="Random pairs of each size.")
@SEED
@study_options
def command(method: str | None, pairs: int, seed: int) -> PropertyReport | PropertyTable:
    """Search for violations of the Pareto property, average utilitarianism and the difference principle."""
    from tiebreak.metrics.function import imported
    from tiebreak.studies.properties import check_properties, paper_table

    if method is None:
        return paper_table(pairs=pairs, seed=seed)
    if ":" in method:
        return check_properties(imported(method.strip()), pairs=pairs, seed=seed, name=method.strip())
    return check_properties(method.strip(), pairs=pairs, seed=seed)
