"""Measures of the C/W/L framework, by the probability of going on from each position: those of cwl_eval."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_number
from tiebreak.exact import Doubles, decimal
from tiebreak.exact.arithmetic import whole_doubles
from tiebreak.exact.logarithms import dcg_discount_units
from tiebreak.metrics._user_model import UserModel
from tiebreak.metrics.base import LEAST, MOST, Traits

NO_DIFFERENCE = 2.0**-90
"""Double-double gains that are as close as this are the same."""


class ScaledDCG(UserModel):
    r"""Discounted gain over that of items of the largest grade at all positions to the cutoff.

    .. math:: C(i) = \frac{\log_2 (i + 1)}{\log_2 (i + 2)} \quad (i < k), \qquad
        \mathrm{SDCG} = \sum_{i \le k} \frac{g_i}{\log_2 (i + 1)} \Big/ \sum_{i \le k} \frac{1}{\log_2 (i + 1)}

    As nDCG where at least k items have the largest grade.

    References
    ----------
    As ir_measures and cwl_eval (Azzopardi et al. 2019) define it.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 2, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    >>> ScaledDCG(max_rel=2, cutoff=3).evaluate(p).round(4).tolist()      # (1 + 1/2 / 2) / (1 + 1/log2(3) + 1/2)
    [[0.5866]]
    """

    name: ClassVar[str] = "SDCG"
    traits: ClassVar[Traits] = Traits(uses_grades=True, cutoff="must")
    is_rational: ClassVar[bool] = False

    def continuation(self, k: int, gain: Any, total: Any) -> Any:
        return Fraction(dcg_discount_units(k + 1), dcg_discount_units(k))


@dataclass(frozen=True)
class BejeweledPlayer(UserModel):
    r"""Gain per item of a user who stops once enough is gained, or at the cutoff (static BPM, Zhang et al. 2017).

    .. math:: C(i) = \mathbb{I}\Big( \sum_{j \le i} g_j < T \Big) \quad (i < k)

    Parameters
    ----------
    T : float
        The gain with which the user is content; an item of the largest grade has 1.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 1, "b": 1}}, {"q": {"x": 4.0, "a": 3.0, "y": 2.0, "b": 1.0}})
    >>> BejeweledPlayer(max_rel=1, cutoff=10).evaluate(p).tolist()      # a gain of 1 at position 2
    [[0.5]]
    """

    T: float = parameter(1.0, check_number, low=LEAST, high=MOST, name="BPM: T")
    name: ClassVar[str] = "BPM"
    traits: ClassVar[Traits] = Traits(uses_grades=True, rises=False, cutoff="must")

    def continuation(self, k: int, gain: Any, total: Any) -> Any:
        if isinstance(total, Doubles):
            return whole_doubles((total - decimal(self.T)).high < -NO_DIFFERENCE)
        return Fraction(total < decimal(self.T))


@dataclass(frozen=True)
class INSQ(UserModel):
    r"""Expected gain of a user who wants T relevant items, and goes on the likelier the deeper (Moffat et al. 2012).

    .. math:: C(i) = \Big( \frac{i + 2T - 1}{i + 2T} \Big)^2

    Parameters
    ----------
    T : float
        How many items of the largest grade the user wants.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 1}}, {"q": {"a": 1.0}})
    >>> INSQ(max_rel=1, cutoff=2).evaluate(p).round(4).tolist()      # V = 1, (2/3)^2: 1 / (1 + 4/9)
    [[0.6923]]
    """

    T: float = parameter(1.0, check_number, low=LEAST, high=MOST)
    name: ClassVar[str] = "INSQ"
    traits: ClassVar[Traits] = Traits(uses_grades=True)

    def continuation(self, k: int, gain: Any, total: Any) -> Any:
        return goal_sensitive_at(k, self.T)


class INST(INSQ):
    r"""As INSQ, by what is still wanted: a user who has gained more stops sooner (Moffat et al. 2015).

    .. math:: C(i) = \Big( \frac{i + T + T_i - 1}{i + T + T_i} \Big)^2, \qquad T_i = T - \sum_{j \le i} g_j

    It is a probability where T is at least 1/4.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 1}}, {"q": {"a": 1.0}})
    >>> INST(max_rel=1, cutoff=2).evaluate(p).tolist()      # T_1 = 0 and V = 1, (1/2)^2: 1 / (1 + 1/4)
    [[0.8]]
    """

    name: ClassVar[str] = "INST"
    traits: ClassVar[Traits] = Traits(uses_grades=True, rises=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self.T, "INST: T", low=0.25)

    def continuation(self, k: int, gain: Any, total: Any) -> Any:
        return goal_sensitive(k + 2 * decimal(self.T) - total)


def goal_sensitive(wanted: Any) -> Any:
    share = (wanted - 1) / wanted
    return share * share


@lru_cache(1 << 12)
def goal_sensitive_at(k: int, T: float) -> Fraction:  # noqa: N803 - as in the papers
    """The same at every request where gains do not matter."""
    share: Fraction = goal_sensitive(k + 2 * decimal(T))
    return share


class NERR8(UserModel):
    r"""Nearly expected reciprocal rank, to a cutoff: the user stops by the gain alone (Azzopardi et al. 2021, eq 8).

    .. math:: C(i) = 1 - g_i \quad (i < k)

    Examples
    --------
    >>> p = tb.project({"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    >>> NERR8(max_rel=2, cutoff=2).evaluate(p).round(4).tolist()      # (1/2 + 1/2) / (1 + 1/2)
    [[0.6667]]
    """

    name: ClassVar[str] = "NERR8"
    traits: ClassVar[Traits] = Traits(uses_grades=True, rises=False, cutoff="must")

    def continuation(self, k: int, gain: Any, total: Any) -> Any:
        return 1 - gain


class NERR9(UserModel):
    r"""Nearly expected reciprocal rank, to a cutoff, discounted by position (Azzopardi et al. 2021, eq 9).

    .. math:: C(i) = \frac{i}{i + 1} (1 - g_i) \quad (i < k)

    Examples
    --------
    >>> p = tb.project({"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    >>> NERR9(max_rel=2, cutoff=2).evaluate(p).round(4).tolist()      # (1/2 + 1/4) / (1 + 1/4)
    [[0.6]]
    """

    name: ClassVar[str] = "NERR9"
    traits: ClassVar[Traits] = Traits(uses_grades=True, rises=False, cutoff="must")

    def continuation(self, k: int, gain: Any, total: Any) -> Any:
        return Fraction(k, k + 1) * (1 - gain)


@dataclass(frozen=True)
class NERR10(UserModel):
    r"""Nearly expected reciprocal rank with a persistence (Azzopardi et al. 2021, eq 10).

    .. math:: C(i) = p \, (1 - g_i)

    Parameters
    ----------
    p : float
        Persistence: probability of continuing after an item without gain.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    >>> NERR10(max_rel=2, p=0.5).evaluate(p).tolist()      # (1/2 + 1/4) / (1 + 1/4)
    [[0.6]]
    """

    p: float = parameter(0.9, check_number, low=LEAST, below=1, name="NERR10: p")
    name: ClassVar[str] = "NERR10"

    def continuation(self, k: int, gain: Any, total: Any) -> Any:
        return decimal(self.p) * (1 - gain)


class NERR11(INSQ):
    r"""Nearly expected reciprocal rank of a user who wants T relevant items (Azzopardi et al. 2021, eq 11).

    .. math:: C(i) = \Big( \frac{i + 2T - 1}{i + 2T} \Big)^2 (1 - g_i)

    Examples
    --------
    >>> p = tb.project({"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    >>> NERR11(max_rel=2).evaluate(p).round(4).tolist()      # V = 1, (2/3)^2 / 2: (1/2 + 2/9) / (1 + 2/9)
    [[0.5909]]
    """

    name: ClassVar[str] = "NERR11"
    traits: ClassVar[Traits] = Traits(uses_grades=True, rises=False)

    def continuation(self, k: int, gain: Any, total: Any) -> Any:
        return goal_sensitive_at(k, self.T) * (1 - gain)
