"""The measures of a study."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from tiebreak._base.checks import check_names
from tiebreak._base.text import join_names
from tiebreak.errors import InputError, quote
from tiebreak.metrics import Metric, metric
from tiebreak.preferences import Preference, preference
from tiebreak.preferences.from_metric import MetricDifference
from tiebreak.projection import Positions
from tiebreak.projection.needs import Needs

Measure: TypeAlias = str | Preference | Metric | Callable[[tuple[float, ...]], float]
Measures: TypeAlias = Mapping[str, Preference]
"""Preferences by the names they go by."""


def list_measures(measures: Measure | Iterable[Measure]) -> list[Any]:
    """One measure or many, each once."""
    is_one = isinstance(measures, (str, Preference, Metric)) or callable(measures)
    several: list[Any] = [measures] if is_one else list(measures)  # type: ignore[arg-type]
    check_names([measure_name(measure) for measure in several], "measure", "RPP")
    return several


def measure_name(measure: Any) -> str:
    """Text as it was given; a metric or a function by its own name."""
    if isinstance(measure, str):
        return measure.strip()
    return str(measure) if isinstance(measure, Preference) else str(metric(measure))


def preferences_by_name(measures: Measure | Iterable[Measure]) -> dict[str, Preference]:
    """The measures asked for, by their names."""
    return {measure_name(measure): preference(measure) for measure in list_measures(measures)}


def labels_drawn(measure: Preference, positions: Positions) -> str:
    """Which labels are removed for a measure, as in `sample_labels`: those of aspects count ratings below min_grade."""
    return "rated" if measure.needs.aspects and positions.min_grade is not None else "relevant"


def label_notes(measures: Measures, positions: Positions) -> Iterator[str]:
    """Which ratings are removed where measures of aspects count those that are not relevant."""
    names = join_names([name for name, one in measures.items() if one.needs.aspects])
    if names and positions.min_grade is not None:
        yield f"All ratings count for {names}: those below {positions.min_grade:g} are removed too."
    elif names and positions.relevant_from is not None:
        least = f"{positions.relevant_from:g}"
        yield f"All ratings count for {names}, but those below {least} stay: judgements are binary."


def inner_metric(preference: Preference) -> Metric | None:
    """The metric whose difference a preference is, if it is one."""
    return metric(preference.metric) if isinstance(preference, MetricDifference) else None


def check_positions_suffice(measures: Measures, advice: str, *, of_labels: bool = False) -> None:
    """Reject measures of whole rankings or of other runs: only positions are changed, files not read again.

    Where only labels are removed, measures may look at aspects, and at how many items all runs have.
    """
    for name, one in measures.items():
        if one.needs.is_whole or (one.needs != Needs() and not of_labels):
            raise InputError(f"{quote(name)} needs more than the positions of judged items. {advice}", kind="choice")
