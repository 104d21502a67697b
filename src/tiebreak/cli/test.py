"""``tiebreak test``: is a difference between runs more than chance."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from tiebreak._base.alternatives import ALTERNATIVES
from tiebreak.cli import options
from tiebreak.cli.catalogue_help import CatalogueHelp
from tiebreak.cli.engine import engine_options
from tiebreak.cli.opening import experiment
from tiebreak.cli.output import Output
from tiebreak.cli.tables import TableOptions, table_options
from tiebreak.cli.testing import check_test, test_options


@click.command("test", cls=CatalogueHelp, catalogues={"Tests": "significance", "Preferences": "preferences"})
@partial(options.reading_options, is_needed=False)
@engine_options
@options.aspect_options
@options.measures_option("RPP, LexiRecall or AP")
@click.option(
    "--alternative",
    type=click.Choice(tuple(ALTERNATIVES)),
    help="The runs differ, the default; or one-sided: the first of two runs is better (greater), or worse (less). With "
    "--baseline, the first is the other run.",
)
@test_options
@click.option("--baseline", metavar="NAME", help="Test all others against this run only.")
@click.option("--letters", is_flag=True, help="Compact letters: runs that share one were not shown to differ.")
@options.groups_option("test in every group")
@table_options
@options.output_options
@options.plot_options("forest", "heat", "groups")
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    how: dict[str, Any],
    alternative: str | None,
    baseline: str | None,
    letters: bool,
    groups: str | None,
    utilities: TableOptions | None,
    output: Output,
    **reading: Any,
) -> None:
    """Test whether runs differ by more than chance.

    A metric such as AP means the difference of its values. With --utilities no rankings are needed.
    """
    from tiebreak.cli.progress import progress
    from tiebreak.preferences import DEFAULTS

    how["alternative"] = alternative
    check_test(**how)
    over: dict[str, Any] = {"groups": groups, "columns": reading["columns"]}
    if utilities is not None:
        compared: list[Any] = [utilities.read(measures, **over).compare(baseline)]
    else:
        shown = options.distinct(measures or DEFAULTS)
        exp = experiment(str(qrels), runs, shown, **reading)
        compared = [exp.compare(spec, baseline) for spec in shown]
        compared = [one.by_group(**over) for one in compared] if groups else compared
    with progress("testing", "draws") as tick:
        results = [one.test(**how, tick=tick) for one in compared]
    output.draw(results)
    output.write([one.letter_table() for one in results] if letters else results)
