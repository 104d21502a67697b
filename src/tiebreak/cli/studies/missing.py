"""``tiebreak study missing``: how stable orders and preferences are where labels or requests are missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli.options import POSITIVE, experiment, reading_options
from tiebreak.cli.studies.output import MEASURES, SEED, study_options

if TYPE_CHECKING:
    from tiebreak.studies.base import Findings


@click.command("missing")
@reading_options
@MEASURES
@click.option(
    "--remove",
    type=click.Choice(["labels", "pool", "requests"]),
    default="labels",
    show_default=True,
    help="Relevant items, each alike; those that few runs retrieve first, as by pooling; or whole requests.",
)
@click.option(
    "--of",
    type=click.Choice(["order", "preferences", "systems"]),
    default="order",
    show_default=True,
    help="tau_b of the order of runs; share of preferences that stay, by request, or by their mean over requests.",
)
@click.option("--truth", metavar="SPEC", help="What complete data is measured by; by default each measure itself.")
@click.option("--by", metavar="METHOD", help="How runs are ordered, such as mc4 or mean; as in tiebreak order.")
@click.option("--fraction", "fractions", type=float, multiple=True, help="How much is removed; by default 0 to 0.9.")
@click.option("--samples", type=POSITIVE, default=10, show_default=True, help="For every fraction.")
@SEED
@study_options
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    fractions: tuple[float, ...],
    remove: str,
    of: str,
    truth: str | None,
    by: str | None,
    samples: int,
    seed: int,
    **options: Any,
) -> Findings:
    """How far orders and preferences stay what they are as labels or requests are removed."""
    from tiebreak.cli.progress import progress
    from tiebreak.studies import incomplete
    from tiebreak.studies.measured import named_preferences

    asked = named_preferences(measures or incomplete.MEASURES)  # a bad name is refused before anything is read
    steps = incomplete.checked(remove, of, truth, by, fractions or incomplete.FRACTIONS)
    made = experiment(qrels, runs, asked.values(), **options)
    how = {"truth": truth, "by": by, "fractions": steps, "samples": samples, "seed": seed, "jobs": options["jobs"]}
    with progress("sampling", "samples") as tick:
        return incomplete.missing(made, list(asked), remove, of, **how, tick=tick)
