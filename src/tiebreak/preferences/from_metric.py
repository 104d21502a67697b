"""A metric as a preference: the difference of its values, or only which is larger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_number
from tiebreak.errors import InputError
from tiebreak.exact import ExactValues
from tiebreak.metrics import Metric, metric
from tiebreak.preferences.base import Preference, Traits
from tiebreak.preferences.pair_values import PairValues
from tiebreak.preferences.pairs import Pairs
from tiebreak.projection import Positions
from tiebreak.projection.needs import Needs


@dataclass(frozen=True)
class MetricDifference(Preference):
    """How much better a metric's value is; positive where the first run is better, also where lower values are better.

    Requests for which the metric has no value are left out.

    Parameters
    ----------
    metric : Metric or str
    tolerance : float
        Values that differ by no more than this tie; by default only equal ones do.

    Examples
    --------
    >>> tb.compare(tb.positions([[1, 4], [2, 4]]), "diff(AP)").values.tolist()      # (1 + 1/2) / 2 - (1/2 + 1/2) / 2
    [[0.25]]
    """

    metric: Metric | str = ""
    tolerance: float = 0.0
    name: ClassVar[str] = "diff"
    traits: ClassVar[Traits] = Traits(rises=False)

    def __post_init__(self) -> None:
        if not self.metric:
            raise InputError(f"{self.name} needs a metric, such as {self.name}(AP).", kind="spec")
        measure = metric(self.metric)
        measure.check_comparable()
        object.__setattr__(self, "metric", measure)
        check_number(self.tolerance, "tolerance", low=0)

    def compare(self, positions: Positions, pairs: Pairs) -> PairValues:
        values, known = self.utilities(positions)
        exact = values.differences(pairs.x, pairs.y)
        if self.tolerance:
            exact = exact.zero_where(np.abs(exact.nearest) <= self.tolerance)
        return PairValues.from_exact(positions, pairs, exact, known, None if self.tolerance else values)

    @property
    def relevant_from(self) -> float | None:
        return metric(self.metric).rel

    @property
    def needs(self) -> Needs:
        return metric(self.metric).needs

    def utilities(self, positions: Positions) -> tuple[ExactValues, NDArray[np.bool_]]:
        """The metric's values, minus them where lower ones are better; and which requests have one for every run."""
        measure = metric(self.metric)
        values = measure.request_values(positions)
        known = np.asarray(np.isfinite(values.nearest).all(axis=0))
        return -values if measure.traits.lower_is_better else values, known


class MetricSign(MetricDifference):
    """Which run a metric prefers, regardless of by how much: 1, 0 or -1.

    Examples
    --------
    >>> tb.compare(tb.positions([[1, 4], [2, 4]]), "sign(AP)").values.tolist()
    [[1.0]]
    """

    name: ClassVar[str] = "sign"
    traits: ClassVar[Traits] = Traits(rises=False, is_sign=True)

    def compare(self, positions: Positions, pairs: Pairs) -> PairValues:
        values, known = self.utilities(positions)
        if self.tolerance:
            differences = values.differences(pairs.x, pairs.y).nearest
            signs = np.sign(np.where(np.abs(differences) <= self.tolerance, 0.0, differences))
        else:
            codes = values.codes(by_column=True)
            signs = np.sign(codes[pairs.x] - codes[pairs.y])
        return PairValues.from_counts(
            positions, pairs, np.where(known, signs, 0).astype(np.int8), known.astype(np.int64)
        )
