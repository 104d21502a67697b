"""A metric as a preference: the difference of its values, or only which is larger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tiebreak.errors import InputError
from tiebreak.metrics import Metric
from tiebreak.metrics import metric as metric_of
from tiebreak.metrics.base import check_number
from tiebreak.preferences.base import TOLERANCE, Evaluate, Preference, Preferred, Traits
from tiebreak.preferences.pairs import Pairs
from tiebreak.projection import Positions
from tiebreak.projection.primitives import Floats


@dataclass(frozen=True)
class MetricDifference(Preference):
    """How much better a metric's value is; positive where the first run is better, also where lower values are better.

    Requests for which the metric has no value are left out.

    Parameters
    ----------
    metric : Metric or str
    tolerance : float
        Values that differ by no more than this tie: sums of floats are not exact.

    Examples
    --------
    >>> import tiebreak as tb
    >>> tb.compare(tb.positions([[1, 4], [2, 4]]), "diff(AP)").values.tolist()      # (1 + 1/2) / 2 - (1/2 + 1/2) / 2
    [[0.25]]
    """

    metric: Metric | str = ""
    tolerance: float = TOLERANCE
    name: ClassVar[str] = "diff"
    traits: ClassVar[Traits] = Traits(rises=False)

    def __post_init__(self) -> None:
        if not self.metric:
            raise InputError(f"{self.name} of what? Name a metric, such as {self.name}(AP).", kind="spec")
        made = metric_of(self.metric)
        if made.traits.is_for_display:
            raise InputError(f"{made} is for display only: as a float it ties where positions differ.", kind="spec")
        object.__setattr__(self, "metric", made)
        check_number("tolerance", self.tolerance)
        if not 0 <= self.tolerance < np.inf:
            raise InputError(f"tolerance={self.tolerance}. Give a number of 0 and above.", kind="spec")

    def compare(self, positions: Positions, pairs: Pairs, evaluate: Evaluate) -> Preferred:
        metric = metric_of(self.metric)
        values = evaluate(metric)
        if metric.traits.lower_is_better:
            values = -values
        known = np.asarray(np.isfinite(values).all(axis=0))
        differences = np.zeros((len(pairs), len(known)))
        for fan in pairs.fans:
            better = self.settled(values[fan.run] - values[fan.others])
            differences[fan.rows] = fan.sign * better
        return Preferred.counted(differences, known.astype(np.int64))

    def settled(self, difference: Floats) -> Floats:
        """The difference, 0 where it is within the tolerance."""
        return np.where(np.abs(difference) <= self.tolerance, 0.0, difference)


class MetricSign(MetricDifference):
    """Which run a metric prefers, whatever the difference: 1, 0 or -1.

    Parameters
    ----------
    metric : Metric or str
    tolerance : float
        Values that differ by no more than this tie.

    Examples
    --------
    >>> import tiebreak as tb
    >>> tb.compare(tb.positions([[1, 4], [2, 4]]), "sign(AP)").values.tolist()
    [[1.0]]
    """

    name: ClassVar[str] = "sign"
    traits: ClassVar[Traits] = Traits(rises=False, is_sign=True)

    def settled(self, difference: Floats) -> Floats:
        return np.sign(super().settled(difference))
