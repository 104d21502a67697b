"""``tiebreak providers``: exposure of the providers of items, and the worst-off of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from tiebreak.cli.catalogue_help import PAPERS
from tiebreak.cli.opening import experiment
from tiebreak.cli.options import output_options, reading_options, utility_option
from tiebreak.cli.output import Output

VIEWS = ("rankings", "totals", "order", "pairs")
VIEWS_HELP = (
    "Exposure of every provider in every ranking; summed over requests; runs by leximin of these sums, the best for "
    "the worst-off provider first; or pairs of runs by leximin over the providers of each request (LR theorem C.6)."
)


@click.command("providers", epilog=PAPERS)
@reading_options
@click.option("--providers", metavar="FILE", required=True, help="A table of item and provider, such as its seller.")
@utility_option("Metric whose exposure is used")
@click.option("--view", type=click.Choice(VIEWS), default="rankings", show_default=True, help=VIEWS_HELP)
@click.option("--per-item", is_flag=True, help="Divide by the number of the provider's relevant items (LR footnote 7).")
@click.option(
    "--missing",
    type=click.Choice(("error", "skip")),
    default="error",
    show_default=True,
    help="What to do with relevant items without a provider.",
)
@output_options
def command(
    qrels: str,
    runs: tuple[str, ...],
    providers: str,
    measure: str,
    view: str,
    per_item: bool,
    missing: str,
    output: Output,
    **options: Any,
) -> None:
    """Show how much exposure the providers of relevant items get, and who is worst off (LR 2.3.2)."""
    from tiebreak.analysis.providers import ProviderLeximin, provider_exposure
    from tiebreak.analysis.theory import recall_level_metric
    from tiebreak.inputs.attributes import read_providers
    from tiebreak.notes import position_notes

    form = recall_level_metric(measure)  # a bad name is an error before anything is read
    owners = read_providers(providers, columns=options["columns"])
    exp = experiment(qrels, runs, [measure], holds_all=True, **options)
    if view == "pairs":
        leximin = ProviderLeximin(owners, measure, per_item=per_item, missing=missing)
        output.write([exp.compare(leximin).summary()])
        return
    exposure = provider_exposure(exp.positions, owners, measure, per_item=per_item, missing=missing)
    notes = (*exposure.notes, *position_notes(exp.positions, form.rel))
    exposure = replace(exposure, notes=notes, more_settings=exp.more_settings)
    if view == "rankings":
        output.write([exposure])
    elif view == "totals":
        output.write([exposure.total()])
    else:
        output.write([exposure.total().order()])
