"""``tiebreak compare``: who is preferred to whom, and by how much."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import click

from tiebreak.cli import options
from tiebreak.cli.catalogue_help import CatalogueHelp
from tiebreak.cli.output import FORMATS, Output


@click.command("compare", cls=CatalogueHelp, catalogues={"Preferences": "preferences"})
@options.reading_options
@options.aspect_options
@options.measures_option("RPP, LexiRecall or diff(AP)")
@click.option("-q", "--per-request", is_flag=True, help="A value for every request, instead of means.")
@click.option(
    "--baseline", "baselines", multiple=True, metavar="NAME", help="Compare all others with this run; repeatable."
)
@click.option(
    "--fail-if-worse",
    "gates",
    multiple=True,
    metavar="SPEC",
    help="Exit with 1 if a run is significantly worse than the baseline, by default the first run. Repeatable.",
)
@options.alpha_option("Significance level of --fail-if-worse.")
@options.groups_option("compare in every group")
@partial(options.output_options, formats=(*FORMATS, "pref_eval"))
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    per_request: bool,
    baselines: tuple[str, ...],
    gates: tuple[str, ...],
    alpha: float,
    groups: str | None,
    output: Output,
    **reading: Any,
) -> None:
    """Compare runs by preferences; positive where the first is better.

    A metric such as AP means the difference of its values.
    """
    from tiebreak.cli import pref_eval
    from tiebreak.cli.gate import is_worse
    from tiebreak.preferences import DEFAULTS

    is_plain = not (per_request or gates or output.format == "pref_eval")
    options.require(groups is None or is_plain, "--groups goes without -q, --fail-if-worse and --format pref_eval")
    gates = options.distinct(gates)
    shown = options.distinct(measures or gates or DEFAULTS)
    exp = options.experiment(qrels, runs, (*shown, *gates), **reading)
    against = baselines or ((exp.runs[0].name,) if gates else None)
    by_measure = {spec: exp.compare(spec, baseline=against) for spec in (*shown, *gates)}
    comparisons = [by_measure[spec] for spec in shown]
    if groups is not None:
        output.write([one.by_group(groups, columns=reading["columns"]).summary() for one in comparisons])
    elif output.format == "pref_eval":
        output.write_jsonl(*pref_eval.preferences(comparisons, per_request))
    else:
        means = () if per_request and output.format != "trec" else (one.summary() for one in comparisons)
        output.write((*(comparisons if per_request else ()), *means))
    # Every gate reports: a run that fails one of them fails.
    if [spec for spec in gates if is_worse(by_measure[spec], alpha)]:
        sys.exit(1)
