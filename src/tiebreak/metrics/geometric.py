"""Metrics of which the geometric mean over requests is reported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tiebreak.errors import InputError
from tiebreak.exact import ExactValues
from tiebreak.metrics.base import Metric, Traits
from tiebreak.metrics.rank_based import AveragePrecision
from tiebreak.projection import Positions
from tiebreak.projection.needs import Needs

AP = AveragePrecision()


@dataclass(frozen=True)
class GeometricMeanOver(Metric):
    """A metric as it is, of which the geometric mean over requests is reported, as ``gm_map`` of trec_eval.

    Values below 0.00001 count as that in the mean. The values of requests are those of the metric: comparisons and
    populations see no difference. The population gmean has other floors, weights and orders of runs.

    Parameters
    ----------
    base : Metric
        Such as AP, the default, or bpref: of values of 0 and above.

    Examples
    --------
    >>> runs = {"q1": {"a": 1.0}, "q2": {"x": 3.0, "y": 2.0, "z": 1.0, "b": 0.0}}
    >>> tb.Experiment({"q1": {"a": 1}, "q2": {"b": 1}}, runs).evaluate("gm(AP)").to_flat_dict()      # root of 1 * 1/4
    {'run1/gm(AP)': 0.5}
    """

    base: Metric = AP
    name: ClassVar[str] = "gm"
    traits: ClassVar[Traits] = Traits(cutoff="no")
    total: ClassVar[str] = "geometric mean"

    def __post_init__(self) -> None:
        super().__post_init__()
        traits = self.base.traits
        if traits.low < 0 or traits.lower_is_better or self.base.total != "mean":
            raise InputError(
                f"gm is the geometric mean of a metric with values of 0 and above, the larger the better; "
                f"{self.base} is not one.",
                kind="spec",
            )
        if self.rel is not None:
            raise InputError(f"Write gm({self.base.name}(rel={self.rel:g})).", kind="spec")

    @property
    def needs(self) -> Needs:
        return self.base.needs

    def values(self, positions: Positions) -> ExactValues:
        return self.base.on(positions).values(positions)

    def request_values(self, positions: Positions) -> ExactValues:
        return self.base.request_values(positions)
