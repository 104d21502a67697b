"""``tiebreak study ideal``: how measures take ever worse versions of an ideal ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli.options import JOBS, POSITIVE
from tiebreak.cli.studies.output import SEED, refuse_unused, study_options

if TYPE_CHECKING:
    from tiebreak.studies.base import Findings

PERTURBED = ("values", "correlation", "significance")
EXPERIMENTS = (*PERTURBED, "robustness")
ONLY_FOR = dict.fromkeys(("steps", "users"), PERTURBED) | dict.fromkeys(("systems", "removals"), ("robustness",))


@click.command("ideal")
@click.argument("qrels", metavar="RATINGS")
@click.option("--aspects", metavar="FILE", required=True, help="A table of item and aspect, such as genres.")
@click.option("--train", "profile", metavar="FILE", help="Ratings that tell which aspects a user likes.")
@click.option("--experiment", type=click.Choice(EXPERIMENTS), default="correlation", show_default=True)
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="SPEC", help="Such as EU@10, NRBP or alpha_beta_nDCG@100."
)
@click.option("--cutoff", type=POSITIVE, default=100, show_default=True, help="Of the measures used by default.")
@click.option("--length", type=POSITIVE, help="Items of an ideal ranking; by default the cutoff.")
@click.option("--steps", type=POSITIVE, default=50, show_default=True, help="Most perturbations.")
@click.option(
    "--users",
    type=click.Choice(["common", "reached"]),
    default="common",
    show_default=True,
    help="Those that reach the last point, at all points; or at every point those whose ratings suffice for it.",
)
@click.option("--systems", type=click.IntRange(min=2), default=50, show_default=True, help="Shuffles, for robustness.")
@click.option("--removals", type=POSITIVE, default=50, show_default=True, help="Of ratings, for robustness.")
@SEED
@JOBS
@study_options
def command(qrels: str, aspects: str, measures: tuple[str, ...], **options: Any) -> Findings:
    """How measures of diversity take ever worse versions of an ideal ranking, or ever fewer ratings.

    The ideal ranking of every user is made of the user's RATINGS, and systems are simulated from it: no runs are
    needed. By default the measures are those of the paper on alpha-beta-nDCG.
    """
    from tiebreak.cli.progress import progress
    from tiebreak.studies.perturbed import aspect_measures, ideal

    refuse_unused(options["experiment"], ONLY_FOR, "--experiment")
    asked = tuple(dict.fromkeys(spec.strip() for spec in measures)) or None
    if asked:
        aspect_measures(asked)  # a bad name is refused before anything is read
    with progress("simulating", "parts") as tick:
        return ideal(qrels, aspects, measures=asked, tick=tick, **options)
