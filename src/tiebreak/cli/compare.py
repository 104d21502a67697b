"""``tiebreak compare``: who is preferred to whom, and by how much."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli import options
from tiebreak.cli.catalogue_help import CatalogueHelp
from tiebreak.cli.engine import engine_options
from tiebreak.cli.gate import GateOptions
from tiebreak.cli.opening import experiment
from tiebreak.cli.output import FORMATS, Output
from tiebreak.cli.tables import TableOptions, table_options
from tiebreak.cli.testing import check_test, gate_options, test_options

if TYPE_CHECKING:
    from tiebreak.experiment import Experiment
    from tiebreak.utilities import Utilities


@click.command("compare", cls=CatalogueHelp, catalogues={"Preferences": "preferences"})
@partial(options.reading_options, is_needed=False)
@engine_options
@options.aspect_options
@options.measures_option("RPP, LexiRecall or diff(AP)")
@click.option("-q", "--per-request", is_flag=True, help="A value for every request, instead of means.")
@click.option(
    "--baseline", "baselines", multiple=True, metavar="NAME", help="Compare all others with this run; repeatable."
)
@test_options
@options.groups_option("compare in every group")
@table_options
@partial(options.output_options, formats=(*FORMATS, "pref_eval"))
@options.plot_options("forest", "heat", "groups")
@gate_options
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    per_request: bool,
    baselines: tuple[str, ...],
    how: dict[str, Any],
    gate: GateOptions,
    groups: str | None,
    utilities: TableOptions | None,
    output: Output,
    **reading: Any,
) -> None:
    """Compare runs by preferences; positive where the first is better.

    A metric such as AP means the difference of its values. With --utilities no rankings are needed. Marks, and gates by
    --fail-if-worse, are by --test; the exit code is then 1 where a run fails, 2 where nothing could be tested.
    """
    from tiebreak.populations import is_population
    from tiebreak.preferences import DEFAULTS

    check_test(**how)
    gate.check(how)
    is_plain = not (per_request or output.format == "pref_eval")
    options.require(groups is None or is_plain, "--groups goes without -q and --format pref_eval")
    is_gate_shown = bool(gate.specs) and is_plain and (utilities is not None or not measures)
    is_compared = not is_gate_shown or output.plot is not None
    over: dict[str, Any] = {"groups": groups, "columns": reading["columns"]}
    source: Experiment | Utilities
    compared: list[Any] = []
    if utilities is not None:
        source, over = utilities.read(measures, **over), {}
        if is_compared:
            compared = [source.compare(baselines or (source.runs[:1] if gate.specs else ()))]
    else:
        named = [spec for spec in gate.specs if not is_population(spec)]
        shown = options.distinct(measures or named or (() if gate.specs else DEFAULTS))
        options.require(bool(shown) or not is_compared, "--plot, -q and --format pref_eval need -m, such as -m AP")
        source = experiment(str(qrels), runs, (*shown, *gate.specs), **reading)
        against = baselines or ((source.runs[0].name,) if gate.specs else ())
        kept = per_request or None
        compared = [source.compare(spec, against, per_request=kept) for spec in shown] if is_compared else []
        compared = [one.by_group(**over) for one in compared] if groups else compared
    if is_gate_shown:
        output.draw([one.summary(**how) for one in compared])
    else:
        show(output, compared, how, per_request)
    if gate.specs:
        result = gate.run(source, baselines, how, over, is_table=is_gate_shown and output.is_table)
        if is_gate_shown:
            output.write([result])
        sys.exit(0 if result.passes else 1)


def show(output: Output, compared: list[Any], how: dict[str, Any], per_request: bool) -> None:
    """Write comparisons: means, also of groups, or values of every request."""
    from tiebreak.cli import pref_eval

    has_means = output.format == "trec" or not (per_request or output.format == "pref_eval")
    means = [one.summary(**how) for one in compared] if has_means or output.plot is not None else []
    output.draw(means)
    if output.format == "pref_eval":
        output.write_jsonl(*pref_eval.preferences(compared, per_request))
    else:
        output.write((*(compared if per_request else ()), *(means if has_means else ())))
