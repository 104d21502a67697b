"""``tiebreak worst``: the worst-off user of every ranking."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from tiebreak.cli.catalogue_help import PAPERS
from tiebreak.cli.opening import experiment
from tiebreak.cli.options import output_options, reading_options, utility_option
from tiebreak.cli.output import Output


@click.command("worst", epilog=PAPERS)
@reading_options
@utility_option("Utility of a ranking for a user")
@output_options
def command(qrels: str, runs: tuple[str, ...], measure: str, output: Output, **options: Any) -> None:
    """Show the worst-off user of every run and request (LR 4.1).

    Users want any of the relevant items, one or several. The items listed each make a worst-off user on their own:
    as a rule the last relevant item of the ranking, or those that it does not retrieve.
    """
    from tiebreak.analysis.theory import recall_level_metric
    from tiebreak.analysis.worst_off_users import worst_case
    from tiebreak.notes import position_notes

    form = recall_level_metric(measure)  # a bad name is an error before anything is read
    exp = experiment(qrels, runs, [measure], holds_all=True, **options)
    result = worst_case(exp.positions, measure)
    notes = (*result.notes, *position_notes(exp.positions, form.rel))
    output.write([replace(result, notes=notes, more_settings=exp.more_settings)])
