"""How often measures tie: the share of all (pair of runs, request) between which they see no difference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from tiebreak.comparison import Comparison, compare
from tiebreak.errors import InputError, quoted
from tiebreak.experiment import Experiment, notes, warn_of_grades
from tiebreak.metrics import LevelMetric, Metric, metric
from tiebreak.metrics.aspects.unified import AspectMetric
from tiebreak.metrics.external import ExternalMeasure
from tiebreak.preferences import Preference, preference
from tiebreak.preferences.base import Evaluate
from tiebreak.preferences.from_metric import MetricDifference
from tiebreak.projection import Positions
from tiebreak.projection.primitives import Floats
from tiebreak.reports.plots import Picture
from tiebreak.studies.base import Findings, each
from tiebreak.words import many

Measure: TypeAlias = str | Preference | Metric | Callable[[tuple[float, ...]], float]
Measures: TypeAlias = Mapping[str, Preference]
"""Preferences by the names they go by."""


def named_preferences(measures: Measure | Iterable[Measure]) -> dict[str, Preference]:
    """The measures asked for, by their names.

    Examples
    --------
    >>> {name: str(made) for name, made in named_preferences(["sgnLP", "AP"]).items()}
    {'sgnLP': 'LexiPrecision', 'AP': 'diff(AP)'}
    """
    is_one = isinstance(measures, (str, Preference, Metric)) or callable(measures)
    asked: list[Any] = [measures] if is_one else list(measures)  # type: ignore[arg-type]
    if not asked:
        raise InputError("no measure was given. Give at least one, such as RPP.", kind="empty")
    made = {name_of(measure): preference(measure) for measure in asked}
    if len(made) < len(asked):
        names = ", ".join(map(name_of, asked))
        raise InputError(f"a measure was given twice: {names}. Give each once.", kind="names")
    return made


def name_of(measure: Any) -> str:
    """Text as it was given; a metric or a function by its own name."""
    if isinstance(measure, str):
        return measure.strip()
    return str(measure) if isinstance(measure, Preference) else str(metric(measure))


def metric_of(made: Preference) -> Metric | None:
    """The metric that a preference is made of, if it is."""
    return metric(made.metric) if isinstance(made, MetricDifference) else None


def check_positions_suffice(measures: Measures, by: str) -> None:
    """Refuse what has to look at whole rankings or at other runs: only positions are changed, files not read again."""
    for name, made in measures.items():
        inner = metric_of(made)
        if isinstance(inner, (ExternalMeasure, AspectMetric)) or (inner is not None and inner.needs_pool):
            raise InputError(
                f'{quoted(name)} needs more than the positions of judged items. by="{by}" takes measures such as AP.',
                kind="choice",
            )


def evaluated_on(positions: Positions) -> Evaluate:
    """The values of a metric on these positions, as an experiment has them; levels are sorted once for all metrics."""
    counted = positions.relevant() > 0
    levels = cache(positions.levels)

    def evaluate(asked: Metric) -> Floats:
        made = asked.on(positions)
        values = made.over(levels(made.rel)) if isinstance(made, LevelMetric) else made.evaluate(positions)
        return np.where(counted, values, np.nan) if made.rel is None else values

    return evaluate


def tied_shares(positions: Positions, measures: Measures) -> list[float]:
    """The share of (pair of runs, request) that each measure ties."""
    evaluate = evaluated_on(positions)
    return [share_tied(compare(positions, made, evaluate=evaluate)) for made in measures.values()]


def share_tied(compared: Comparison) -> float:
    return int((compared.numerator == 0).sum()) / compared.numerator.size


def notes_on(positions: Positions, measures: Measures) -> tuple[str, ...]:
    """Which data this is, with a warning where measures do not mean the same items."""
    warn_of_grades([inner for made in measures.values() if (inner := metric_of(made)) is not None], positions)
    counted = int((positions.relevant() > 0).sum())
    return (f"{many(len(positions.runs), 'run')}, {many(counted, 'request')}.", *notes(positions))


def by_measure(experiment: Experiment, measures: Measures, jobs: int, tick: Any) -> Findings:
    """LR Fig 11, LP Table 2."""

    def row(name: str) -> tuple[str, int, int, float]:
        compared = experiment.compare(measures[name])
        return name, compared.numerator.size, int((compared.numerator == 0).sum()), share_tied(compared)

    said = notes_on(experiment.positions, {})
    rows = each(row, measures, jobs, tick)
    shares = ", ".join(f"{name} {share:.1%}" for name, _, _, share in sorted(rows, key=lambda row: -row[-1]))
    return Findings(
        ("measure", "compared", "tied", "share"),
        tuple(rows),
        f"Tied comparisons of two runs in one request: {shares}.",
        said,
        Picture("bar", "share", "measure", titles=(("share", "share of comparisons that tie"),)),
    )
