"""``tiebreak study validity``: how leximin relates to the mean and to its relatives."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli.options import experiment, reading_options
from tiebreak.cli.order import needs
from tiebreak.cli.studies.output import MEASURES, study_options

if TYPE_CHECKING:
    from tiebreak.studies.base import Findings

VIEWS = ("populations", "discriminant", "movement", "smoothing", "thresholding", "truncation")


@click.command("validity")
@partial(reading_options, is_needed=False)
@MEASURES
@click.option("--by", type=click.Choice(VIEWS), default=VIEWS[0], show_default=True, help="What is looked at.")
@click.option("--utilities", metavar="FILE", help="A table of run, request and value, in place of QRELS RUN...")
@click.option("--missing", type=float, help="With --utilities: the value of cells that are missing.")
@click.option("--lower-is-better", is_flag=True, help="With --utilities: values are costs, such as latencies.")
@study_options
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    by: str,
    utilities: str | None,
    missing: float | None,
    lower_is_better: bool,
    **options: Any,
) -> Findings:
    """How leximin relates to the mean and to its relatives: correlations, ties, and what changes them.

    By default the utilities are AP. Several measures can be given for --by discriminant.
    """
    from tiebreak.metrics import metric
    from tiebreak.studies.convergent import PESSIMISTIC, RELATIVES, validity
    from tiebreak.utilities import Utilities

    asked = tuple(dict.fromkeys(spec.strip() for spec in measures))
    if utilities is not None:
        needs(not (qrels or asked), "--utilities takes the place of QRELS and -m")
        return validity(Utilities(utilities, missing=missing, lower_is_better=lower_is_better), by)
    needs(bool(qrels and runs), "Give QRELS RUN..., or --utilities FILE")
    needs(missing is None and not lower_is_better, "--missing and --lower-is-better are for --utilities")
    needs(len(asked) < 2 or by == "discriminant", "Give one measure, or --by discriminant")
    metrics = [metric(spec) for spec in asked or ("AP",)]  # a bad name is refused before anything is read
    made = experiment(str(qrels), runs, metrics, **options)
    # Success within ten positions is of rankings, whatever the utility (PE eq 8).
    success = made.order("s@10")
    views: dict[str, dict[str, Any]] = {
        "populations": {"populations": (*RELATIVES, success)},
        "discriminant": {"pessimistic": (*PESSIMISTIC, success)},
    }
    return validity([made.utilities(one) for one in metrics], by, **views.get(by, {}))
