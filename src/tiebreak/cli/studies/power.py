"""``tiebreak study power``: how many pairs of runs each measure tells apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli.options import experiment, reading_options
from tiebreak.cli.studies.output import MEASURES, study_options
from tiebreak.cli.test import CORRECTIONS, draws

if TYPE_CHECKING:
    from tiebreak.studies.discriminative import PowerStudy


@click.command("power")
@reading_options
@MEASURES
@click.option("--test", "test_", metavar="SPEC", default="auto", show_default=True, help="As in tiebreak test.")
@click.option("--correction", type=click.Choice(CORRECTIONS), help="For the number of pairs.")
@click.option("--alpha", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05, show_default=True)
@click.option("--permutations", metavar="NUMBER|all", callback=draws, help="Draws of tests by chance.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Of tests by chance; by default 0.")
@study_options
def command(qrels: str, runs: tuple[str, ...], measures: tuple[str, ...], test_: str, **options: Any) -> PowerStudy:
    """How many pairs of runs each measure tells apart (Sakai 2006): the share of pairs with a small p-value."""
    from tiebreak.cli.progress import progress
    from tiebreak.preferences import preference
    from tiebreak.studies.discriminative import MEASURES as DEFAULTS
    from tiebreak.studies.discriminative import power

    asked = tuple(dict.fromkeys(spec.strip() for spec in measures or DEFAULTS))
    for spec in asked:
        preference(spec)  # a bad name is refused before anything is read
    how = {name: options.pop(name) for name in ("correction", "alpha", "permutations", "seed")}
    made = experiment(qrels, runs, asked, **options)
    with progress("testing", "draws") as tick:
        return power(made, asked, test_, **how, jobs=options["jobs"], tick=tick)
