"""The measures that a study is asked for, and their values on positions that it changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from tiebreak.errors import InputError, quote
from tiebreak.metrics import Metric, metric
from tiebreak.preferences import Preference, preference
from tiebreak.preferences.from_metric import MetricDifference
from tiebreak.projection.needs import Needs

Measure: TypeAlias = str | Preference | Metric | Callable[[tuple[float, ...]], float]
Measures: TypeAlias = Mapping[str, Preference]
"""Preferences by the names they go by."""


def list_measures(measures: Measure | Iterable[Measure]) -> list[Any]:
    """One measure or many, each once."""
    is_one = isinstance(measures, (str, Preference, Metric)) or callable(measures)
    given: list[Any] = [measures] if is_one else list(measures)  # type: ignore[arg-type]
    if not given:
        raise InputError("no measure was given. Give at least one, such as RPP.", kind="empty")
    names = [measure_name(measure) for measure in given]
    if len(set(names)) < len(names):
        raise InputError(f"a measure was given twice: {', '.join(names)}. Give each once.", kind="names")
    return given


def measure_name(measure: Any) -> str:
    """Text as it was given; a metric or a function by its own name."""
    if isinstance(measure, str):
        return measure.strip()
    return str(measure) if isinstance(measure, Preference) else str(metric(measure))


def preferences_by_name(measures: Measure | Iterable[Measure]) -> dict[str, Preference]:
    """The measures asked for, by their names.

    Examples
    --------
    >>> {name: str(made) for name, made in preferences_by_name(["sgnLP", "AP"]).items()}
    {'sgnLP': 'LexiPrecision', 'AP': 'diff(AP)'}
    """
    return {measure_name(measure): preference(measure) for measure in list_measures(measures)}


def inner_metric(made: Preference) -> Metric | None:
    """The metric that a preference is made of, if it is."""
    return metric(made.metric) if isinstance(made, MetricDifference) else None


def check_positions_suffice(measures: Measures, advice: str) -> None:
    """Refuse what has to look at whole rankings or at other runs: only positions are changed, files not read again."""
    for name, made in measures.items():
        if made.needs != Needs():
            raise InputError(f"{quote(name)} needs more than the positions of judged items. {advice}", kind="choice")
