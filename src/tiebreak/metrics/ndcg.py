"""Discounted cumulative gain, as it is and normalised: of binary relevance, a recall-level metric, and of grades."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import inf, lcm
from typing import Any, ClassVar

import numpy as np

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_choice
from tiebreak.errors import InputError
from tiebreak.exact import Doubles, ExactValues, dcg_discount
from tiebreak.exact.arithmetic import DOUBLES, counting, doubles_from_units, raise_to
from tiebreak.exact.logarithms import BITS, dcg_discount_units, power_of_two
from tiebreak.exact.slices import SlicedTable, sum_slices
from tiebreak.metrics._recall_level import LARGEST_WEIGHT, RecallLevelMetric
from tiebreak.metrics.base import Metric, Traits, last_position
from tiebreak.metrics.gains import check_gains, parse_gains
from tiebreak.metrics.graded_entries import LARGEST_EXPONENT, GradedEntries
from tiebreak.projection import Positions
from tiebreak.projection.levels import deepest_rank

DISCOUNTS = ("log2", "clipped")


@dataclass(frozen=True)
class BinaryDCG(RecallLevelMetric):
    r"""Discounted cumulative gain of binary relevance (RPP section 2).

    .. math:: e(k) = \frac{1}{\log_2 (k + 1)}, \qquad z(i, m) = 1

    It has no upper bound: requests with many relevant items weigh more in a mean. `DCG` is its graded sibling.

    Parameters
    ----------
    discount : {"log2", "clipped"}
        1 / log2(k + 1); or 1 / log2(k) with 1 at position 1, as Järvelin and Kekäläinen (2002) and LensKit have it.

    Examples
    --------
    >>> BinaryDCG().evaluate(tb.positions([[1, 3], [3, None]])).ravel().tolist()
    [1.5, 0.5]
    """

    discount: str = parameter("log2", check_choice, choices=DISCOUNTS)
    name: ClassVar[str] = "binary_DCG"
    traits: ClassVar[Traits] = Traits(high=inf)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.discount == "clipped":
            object.__setattr__(self, "has_strict_exposure", False)

    def is_strict_at(self, positions: Iterable[int]) -> bool:
        return self.has_strict_exposure or not {1, 2} <= {*positions}

    @property
    def is_rational(self) -> bool:
        return False

    def exposure(self, k: Any, m: int) -> Any:
        return dcg_discount(k) if self.discount == "log2" else dcg_discount(raise_to(k - 1, 1))

    def units(self, rank: int) -> int:
        """The discount of a position in units of 2^-BITS."""
        return discount_units(rank, self.discount)


class BinaryNDCG(BinaryDCG):
    r"""Normalised discounted cumulative gain of binary relevance.

    .. math:: e(k) = \frac{1}{\log_2 (k + 1)}, \qquad z(i, m) = \Big( \sum_{j=1}^{m} \frac{1}{\log_2 (j+1)} \Big)^{-1}

    With a cutoff the ideal ranking is cut as well. `nDCG` is its graded sibling and equals it where grades are 0 and 1.

    Examples
    --------
    >>> BinaryNDCG().evaluate(tb.positions([[1], [3]])).ravel().tolist()
    [1.0, 0.5]
    """

    name: ClassVar[str] = "binary_nDCG"
    traits: ClassVar[Traits] = Traits()

    def divisor(self, i: Any, m: int) -> Any:
        if isinstance(i, Doubles):
            return ideal_gain(m if self.cutoff is None else min(m, self.cutoff), self.discount)
        return self.exposure(i[: self.cutoff], m).sum()


def discount_units(rank: int, discount: str) -> int:
    return dcg_discount_units(rank if discount == "log2" else max(rank - 1, 1))


@cache
def ideal_gain(m: int, discount: str) -> Doubles:
    return doubles_from_units([sum(discount_units(rank, discount) for rank in range(1, m + 1))], ())


@dataclass(frozen=True)
class DCG(Metric):
    r"""Discounted cumulative gain: the gains of relevant items, each divided by the logarithm of its position.

    .. math:: \mathrm{DCG} = \sum_{i} \frac{g(\text{grade}_i)}{\log_2 (p_i + 1)}

    Every grade above 0 counts, regardless of the experiment's ``min_grade``. It has no upper bound; `nDCG` divides by
    that of the ideal ranking.

    Parameters
    ----------
    gain : {"linear", "exp"}
        The grade itself, or 2^grade - 1.
    gains : dict or str, optional
        Gains of some grades, such as ``{1: 1, 2: 5}``, in a spec also ``'1:1,2:5'``; other grades gain themselves, and
        those of 0 and below nothing.
    discount : {"log2", "clipped"}
        1 / log2(k + 1); or 1 / log2(k) with 1 at position 1, as Järvelin and Kekäläinen (2002) and LensKit have it.
    rel : float, optional
        Only grades from this one on count.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 2, "b": 1}}, {"q": {"b": 3.0, "x": 2.0, "a": 1.0}})
    >>> DCG().evaluate(p).tolist()      # 1 / log2(2) + 2 / log2(4)
    [[2.0]]
    """

    gain: str = parameter("linear", check_choice, choices=("linear", "exp"))
    gains: Any = None
    discount: str = parameter("log2", check_choice, choices=DISCOUNTS)
    name: ClassVar[str] = "DCG"
    traits: ClassVar[Traits] = Traits(high=inf, uses_grades=True)
    is_normalised: ClassVar[bool] = False
    """Whether it is divided by that of the ideal ranking."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gains is None:
            return
        if self.gain != "linear":
            raise InputError(f"{self.name}: gain and gains both say what a grade gains. Give one.", kind="spec")
        object.__setattr__(self, "gains", check_gains(self.gains, f"{self.name}: gains"))

    def binary_form(self) -> BinaryDCG:
        return BinaryDCG(cutoff=self.cutoff, rel=self.rel, discount=self.discount)

    def on(self, positions: Positions) -> Metric:
        """The recall-level form where all grades are 1, so that all gains are."""
        is_binary = self.gains is None and positions.grade_scale[:2] == (1, 1)
        return self.binary_form() if is_binary else self

    def gain_for(self, grade: Fraction) -> Fraction:
        if self.gains is not None:
            return parse_gains(self.gains).get(grade, grade)
        if self.gain == "linear":
            return grade
        if grade > LARGEST_EXPONENT:
            raise InputError(f"{self}: a grade of {float(grade):g} is too large for an exponential gain.", kind="grade")
        return power_of_two(grade) - 1

    def values(self, positions: Positions) -> ExactValues:
        form = self.on(positions)
        return form.values(positions) if form is not self else gain_sums(self, positions)


class NDCG(DCG):
    r"""Normalised discounted cumulative gain, as in trec_eval.

    .. math:: \mathrm{DCG} = \sum_{i} \frac{g(\text{grade}_i)}{\log_2 (p_i + 1)}, \qquad
        \mathrm{nDCG} = \frac{\mathrm{DCG}}{\text{that of the ideal ranking}}

    Every grade above 0 counts, regardless of the experiment's ``min_grade``; with ``rel`` those from it on, in the
    ideal ranking too.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    >>> NDCG().evaluate(p).round(4).tolist()      # (1 + 2/log2(3)) / (2 + 1/log2(3))
    [[0.8597]]
    """

    name: ClassVar[str] = "nDCG"
    traits: ClassVar[Traits] = Traits(uses_grades=True)
    is_normalised: ClassVar[bool] = True

    def binary_form(self) -> BinaryNDCG:
        return BinaryNDCG(cutoff=self.cutoff, rel=self.rel, discount=self.discount)

    def on(self, positions: Positions) -> Metric:
        """The recall-level form where all grades are the same, so that gains cancel."""
        scale = positions.grade_scale
        return self.binary_form() if self.gains is None and scale.lowest == scale.highest else self


def gain_sums(metric: DCG, positions: Positions) -> ExactValues:
    """Discounted gains [run, request], over those of the ideal rankings if so, to many more digits than a float has."""
    entries, discount = GradedEntries(positions, metric.rel), metric.binary_form()
    gains = entries.exact(metric.gain_for)
    # Whole gains are added up exactly; a common factor of all is divided out.
    common = lcm(*(gain.denominator for gain in gains))
    gains = [gain * common for gain in gains]
    whole = [int(gain) for gain in gains]
    largest = int(entries.kept.layout.sizes.max(initial=0))
    heaviest, factor = max(gains, default=Fraction(0)) * largest, Fraction(common)
    if heaviest >= LARGEST_WEIGHT:  # too large for whole numbers, maybe for floats
        factor = common / max(gains)
        gains = [gain / max(gains) for gain in gains]
    e = discount.exposure_to_cutoff(counting(max(largest, deepest_rank(entries.kept.ranks)), DOUBLES), 0)
    padded = Doubles(*(np.concatenate([[0.0], part, [0.0]]) for part in (e.high, e.low)))
    table = SlicedTable.from_table(padded, float(heaviest) if heaviest < LARGEST_WEIGHT else None)

    runs, requests = entries.shape
    n_parts = len(table.slices) or 2
    parts = [np.zeros((runs + 1, requests)) for _ in range(n_parts)]  # the last row is that of the ideal
    error = np.zeros(requests)
    of_grade = Doubles.from_exact(np.array([*gains, Fraction(0)], dtype=object))
    by_gain = np.array(sorted(range(len(gains)), key=gains.__getitem__), dtype=np.int64)
    place = np.argsort(by_gain)
    for block in entries.blocks():
        first = np.broadcast_to(np.arange(1, block.grade.shape[-1] + 1), block.grade.shape)
        ours = table.sums(block.ranks, of_grade[block.grade])
        ideal = table.sums(first, of_grade[by_gain[-np.sort(-place[block.grade], axis=-1)]])
        for part, of_runs, of_ideal in zip(parts, ours, ideal, strict=True):
            part[:-1, block.requests], part[-1, block.requests] = of_runs, of_ideal
        error[block.requests] = of_grade.high[block.grade].sum(axis=-1) * table.error
    total = sum_slices(parts)
    ideal_total = total[-1].where(total[-1].high > 0, 1.0)  # where all gains are 0, so is the value
    best = ideal_total if metric.is_normalised else Doubles.from_exact(factor) + np.zeros(requests)
    best = best.where(entries.sizes > 0, np.nan)

    def exact(items: list[tuple[int, int]]) -> Fraction:
        deepest = last_position(metric.cutoff)
        ideal = enumerate(sorted((whole[code] for _, code in items), reverse=True), start=1)
        best = sum(gain * discount.units(k) for k, gain in ideal if k <= deepest)
        below = best or 1 if metric.is_normalised else common << BITS
        return Fraction(sum(whole[code] * discount.units(k) for k, code in items if k <= deepest), below)

    return ExactValues.from_doubles(
        total[:-1] / best,
        2 * error / best.high,
        lambda run, places: [exact(entries.cell(run, request)) for request in places.tolist()],
        entries.is_zero(metric.cutoff),
        is_rational=False,
        labels=lambda: entries.labels(metric.cutoff),
    )
