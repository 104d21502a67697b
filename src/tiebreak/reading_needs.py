"""What has to be read for measures of any kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tiebreak.metrics import CATALOGUE as METRICS
from tiebreak.metrics import Metric, metric
from tiebreak.projection.needs import Needs

if TYPE_CHECKING:
    from tiebreak.populations import Population
    from tiebreak.preferences import Preference


def measure_needs(measure: str | Metric | Preference | Population) -> Needs:
    """What has to be read for a metric, a preference or a population."""
    if isinstance(measure, str) and METRICS.lists(measure.strip()):  # a plain metric: nothing else is imported
        return metric(measure).needs
    from tiebreak.preferences import CATALOGUE as PREFERENCES
    from tiebreak.preferences import preference

    if isinstance(measure, str) and PREFERENCES.lists(measure.strip()):
        return preference(measure).needs
    if isinstance(measure, str) and METRICS.begins(measure.strip()):
        return metric(measure).needs
    from tiebreak.populations import is_population, population

    if is_population(measure):
        inside = population(cast("str | Population", measure)).metric
        return Needs() if inside is None else metric(inside).needs
    return preference(cast("str | Metric | Preference", measure)).needs
