"""The metrics of tiebreak as metrics of LensKit (2025 and later): `RunAnalysis` takes them beside its own."""

from __future__ import annotations

from math import nan
from typing import Any

from tiebreak.errors import InputError, MissingExtraError
from tiebreak.experiment import Experiment
from tiebreak.metrics import metric

try:
    from lenskit.metrics import ListMetric
except ImportError:
    raise MissingExtraError("tiebreak.lenskit", "lenskit") from None


class TiebreakMetric(ListMetric):
    """A metric for `RunAnalysis`: ``analysis.add_metric(TiebreakMetric("TSE"))``.

    An ordered list keeps its order; another is ranked by its scores, as runs are. A list without relevant test items
    has no value (NaN), in place of which LensKit puts 0, as it does for its own metrics; where 0 is not the worst
    value, as for TSL, it puts nothing.

    Parameters
    ----------
    spec : str, Metric or function
        Such as ``"TSE"``, ``"nDCG@10"`` or ``"RBP(p=0.9)"``.
    gain : str, optional
        The field of test items that holds their grades, such as ``"rating"``; by default all are relevant alike.
    """

    def __init__(self, spec: Any, *, gain: str | None = None) -> None:
        self.metric, self.gain = metric(spec), gain
        if self.metric.total == "figure":
            self.metric.check_comparable()  # a list alone has no value
        traits = self.metric.traits
        self.default = 0.0 if traits.low == 0 and not traits.lower_is_better else None

    @property
    def label(self) -> str:
        return str(self.metric)

    def measure_list(self, output: Any, test: Any, /) -> float:
        """The value of one list."""
        grades = item_grades(test, self.gain)
        if not any(grade > 0 for grade in grades.values()):
            return nan
        judgements: Any = {"list": grades}
        exp = Experiment(judgements, {"list": item_scores(output)}, audit=False)
        return float(exp.evaluate(self.metric).values.item())


def item_grades(test: Any, gain: str | None) -> dict[str, float]:
    """The grade of every test item."""
    grades = [1.0] * len(test) if gain is None else test.field(gain)
    if grades is None:
        raise InputError(
            f"test items have no field {gain!r}. Name one that holds grades, such as rating.", kind="grade"
        )
    return dict(zip(map(str, test.ids()), map(float, grades), strict=True))


def item_scores(output: Any) -> dict[str, float]:
    """Numbers by which the items of a list are ranked."""
    scores = [-float(k) for k in range(len(output))] if output.ordered else output.scores()
    if scores is None:
        raise InputError("a list is neither ordered nor scored. Give ordered=True, or scores.", kind="shape")
    return dict(zip(map(str, output.ids()), map(float, scores), strict=True))
