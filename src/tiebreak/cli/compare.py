"""``tiebreak compare``: who is preferred to whom, and by how much."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any, ClassVar

import click

from tiebreak.cli.options import (
    OWN_FUNCTION,
    CatalogueHelp,
    aspect_options,
    experiment,
    output_options,
    reading_options,
)
from tiebreak.cli.output import write, write_jsonl


class PreferencesHelp(CatalogueHelp):
    """Lists the known preferences at the end of the help."""

    catalogues: ClassVar[dict[str, str]] = {"Preferences": "tiebreak.preferences"}


@click.command("compare", cls=PreferencesHelp)
@reading_options
@aspect_options
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="SPEC",
    help="Such as RPP, LexiRecall or diff(AP); repeatable." + OWN_FUNCTION,
)
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
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Level of significance of --fail-if-worse.",
)
@partial(output_options, more=("pref_eval",))
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    per_request: bool,
    baselines: tuple[str, ...],
    gates: tuple[str, ...],
    alpha: float,
    digits: int,
    format_: str,
    out: str | None,
    **options: Any,
) -> None:
    """Compare runs by preferences; positive where the first is better.

    QRELS and RUN are files in TREC's formats or tables (csv, tsv, JSON lines, parquet), plain or compressed by gzip or
    zstd; a RUN may be a folder of them, or - for standard input. A run can be given as NAME=PATH. A metric
    such as AP stands for the difference of its values.
    """
    from tiebreak.cli import pref_eval
    from tiebreak.cli.gate import worse
    from tiebreak.errors import InputError
    from tiebreak.preferences import DEFAULTS, preference

    gates = tuple(dict.fromkeys(map(str.strip, gates)))
    asked = tuple(dict.fromkeys(map(str.strip, measures or gates or DEFAULTS)))
    for spec in (*asked, *gates):
        preference(spec)  # a bad name is refused before anything is read
    if not 0 < alpha < 1:  # also where it is NaN, which no range refuses
        raise InputError(f"--alpha {alpha}. Give a number between 0 and 1.", kind="choice")
    made = experiment(qrels, runs, (*asked, *gates), **options)
    against = baselines or ((made.runs[0].name,) if gates else None)
    found = {spec: made.compare(spec, baseline=against) for spec in dict.fromkeys((*asked, *gates))}
    compared = [found[spec] for spec in asked]
    if format_ == "pref_eval":
        write_jsonl(*pref_eval.preferences(compared, per_request), out)
    else:
        means = () if per_request and format_ != "trec" else (one.summary() for one in compared)
        write((*(compared if per_request else ()), *means), format_, digits, out)
    # No gate is forgotten: a run that fails one of them fails.
    if [spec for spec in gates if worse(found[spec], alpha)]:
        sys.exit(1)
