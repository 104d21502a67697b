"""Closed-form results: tie probabilities, numbers of values, orientation and worst cases of measures.

No data is needed. Rational results are exact Fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import comb

import numpy as np

from tiebreak import metrics
from tiebreak._base.checks import LARGEST, check_count
from tiebreak._base.spec import parse
from tiebreak._base.tolerance import TOLERANCE
from tiebreak.errors import InputError, UnknownNameError
from tiebreak.metrics import LevelMetric, Metric, RecallLevelMetric, recall_level_form
from tiebreak.metrics.rank_based import TotalSearchEfficiency
from tiebreak.projection.primitives import UNRETRIEVED

__all__ = [
    "first_position_tie_probability",
    "growth_of_values",
    "number_of_values",
    "precision_orientation",
    "recall_orientation",
    "tie_probability",
    "worst_case_is_tse",
    "worst_case_of_optimal_ranker",
]


def __dir__() -> list[str]:
    return __all__


def tie_probability(measure: str, n: int, m: int) -> Fraction:
    r"""Probability that a measure ties two rankings of all n items, drawn at random (LR 5.3, appendix E).

    .. math::
        \Pr(\text{LR}) &= \binom{n}{m}^{-1} &
        \Pr(\text{TSE}) &= \binom{n}{m}^{-2} \sum_{i=m}^{n} \binom{i-1}{m-1}^2 \\
        \Pr(R_k) &= \binom{n}{m}^{-2} \sum_{i=0}^{m} \binom{k}{i}^2 \binom{n-k}{m-i}^2 &
        \Pr(\text{RP}) &= \Pr(R_m)

    TSE stands for any strictly decreasing exposure. RR ties as often as TSE: rankings read from the bottom.

    Parameters
    ----------
    measure : {"lexirecall", "lexiprecision", "TSE", "RR", "R", "RP"}
        R with its cutoff: ``"R@1000"``. Other metrics, AP among them, have no closed form.
    n : int
        Number of items in the corpus.
    m : int
        Number of relevant items.

    Examples
    --------
    >>> print(tie_probability("lexirecall", 6, 3), tie_probability("TSE", 6, 3), tie_probability("R@2", 5, 1))
    1/20 73/200 13/25
    >>> round(float(tie_probability("R@1000", 10**6, 50)), 3)
    0.907
    """
    n, m = check_sizes(n, m)
    spec = parse(measure)
    name = lower_name(spec.name)
    if name not in TIED_PAIRS:
        raise UnknownNameError("measure with a known probability of ties", spec.name, TIED_PAIRS)
    if spec.arguments or (name == "R") != (spec.cutoff is not None):
        raise InputError(
            f"{measure!r}: give R a cutoff, such as R@10, the others none, and no parameters.", kind="spec"
        )
    return Fraction(TIED_PAIRS[name](n, m, spec.cutoff or m), comb(n, m) ** 2)


def lower_name(name: str) -> str:
    """The lexicographic preferences in lower case; other names unchanged."""
    from tiebreak.preferences import ALIASES

    preference = ALIASES.get(name, name)
    return preference.lower() if preference in ("LexiRecall", "LexiPrecision") else name


def count_equal_ends(n: int, m: int) -> int:
    r"""Pairs of position vectors with the same last position, or the same first one.

    The sum of :math:`\binom{j}{a}^2` over j < n, a = m - 1, without its n terms. By
    :math:`\binom{j}{a}^2 = \sum_d \binom{a}{d} \binom{a+d}{a} \binom{j}{a+d}` and summing over j, term by term.
    """
    a = m - 1
    return sum(comb(a, d) * comb(a + d, a) * comb(n, a + d + 1) for d in range(min(a, n - m) + 1))


def count_equal_recall(n: int, m: int, k: int) -> int:
    """Pairs of position vectors with the same number of positions up to k."""
    k = min(k, n)
    return sum((comb(k, i) * comb(n - k, m - i)) ** 2 for i in range(m + 1))


TIED_PAIRS: dict[str, Callable[[int, int, int], int]] = {
    "lexirecall": lambda n, m, k: comb(n, m),
    "lexiprecision": lambda n, m, k: comb(n, m),
    "TSE": lambda n, m, k: count_equal_ends(n, m),
    "RR": lambda n, m, k: count_equal_ends(n, m),
    "R": count_equal_recall,
    "RP": lambda n, m, k: count_equal_recall(n, m, m),
}
"""The number of pairs of position vectors that a measure ties."""


def first_position_tie_probability(n: int, m: int, p1: int) -> Fraction:
    r"""Probability that a random ranking ties by RR with one whose first relevant item is at p1 (LP 2).

    .. math:: \Pr(p_1 = p'_1 \mid p_1) = \binom{n - p_1}{m - 1} \Big/ \binom{n}{m}

    Examples
    --------
    >>> print(first_position_tie_probability(10, 3, 1), first_position_tie_probability(10, 3, 8))
    3/10 1/120
    """
    n, m = check_sizes(n, m)
    p1 = check_count(p1, "p1", high=n)
    return Fraction(comb(n - p1, m - 1), comb(n, m))


def number_of_values(method: str, n: int, m: int) -> int:
    r"""Number of values that a method can take on rankings of all n items (LP 3.3).

    RR and TSE see one position, which has :math:`n - m + 1` places; lexiprecision and lexirecall tell all
    :math:`\binom{n}{m}` position vectors apart.

    Parameters
    ----------
    method : {"RR", "TSE", "lexiprecision", "lexirecall"}

    Examples
    --------
    >>> number_of_values("RR", 12, 5), number_of_values("lexiprecision", 12, 5)
    (8, 792)
    """
    n, m = check_sizes(n, m)
    values = {"RR": n - m + 1, "TSE": n - m + 1, "lexiprecision": comb(n, m), "lexirecall": comb(n, m)}
    name = lower_name(method)
    if name not in values:
        raise UnknownNameError("method with a known number of values", method, values)
    return values[name]


def growth_of_values(n: int, m: int, added: int) -> Fraction:
    r"""By which factor k more relevant items multiply the values of lexiprecision and lexirecall (LP eq 1).

    .. math:: \binom{n}{m + k} \Big/ \binom{n}{m} = \prod_{i=m+1}^{m+k} \frac{n + 1 - i}{i}

    Examples
    --------
    >>> print(growth_of_values(10, 3, 2))      # (10 + 1 - 4)/4 * (10 + 1 - 5)/5
    21/10
    """
    n, m = check_sizes(n, m)
    return Fraction(comb(n, m + check_count(added, "added", 0, n - m)), comb(n, m))


def precision_orientation(metric: str | Metric, n: int, m: int, *, scaled: bool = False) -> float:
    r"""The loss when the first relevant item falls from the top to just above the others (LR 3.1, Fig 4).

    .. math:: \mu(1, n-m+2, \dots, n) - \mu(n-m+1, \dots, n)

    Parameters
    ----------
    metric : str or Metric
        A metric of positions, such as ``"AP"``; graded nDCG in its binary form.
    n : int
        Number of items in the corpus.
    m : int
        Number of relevant items.
    scaled : bool
        Divide by the range of the metric over all rankings with m relevant items, as LR Fig 5 does for TSE.

    Examples
    --------
    >>> precision_orientation("RR", 10, 3), precision_orientation("P@5", 10, 3)
    (0.875, 0.2)
    """
    n, m = check_sizes(n, m, UNRETRIEVED - 1)
    return loss(metric, n, [1, *range(n - m + 2, n + 1)], [*range(n - m + 1, n + 1)], scaled)


def recall_orientation(metric: str | Metric, n: int, m: int, *, scaled: bool = False) -> float:
    r"""The loss when the last relevant item falls from just below the others to the bottom (LR 3.1, Fig 4).

    .. math:: \mu(1, \dots, m) - \mu(1, \dots, m-1, n)

    Parameters
    ----------
    metric, n, m, scaled
        As in `precision_orientation`.

    Examples
    --------
    >>> recall_orientation("RR", 10, 2), recall_orientation("R@5", 10, 2), recall_orientation("TSE", 10, 2, scaled=True)
    (0.0, 0.5, 1.0)
    """
    n, m = check_sizes(n, m, UNRETRIEVED - 1)
    return loss(metric, n, [*range(1, m + 1)], [*range(1, m), n], scaled)


def loss(metric: str | Metric, n: int, before: Sequence[int], after: Sequence[int], scaled: bool) -> float:
    chosen = metrics.metric(metric)
    form = chosen if isinstance(chosen, LevelMetric) else recall_level_form(chosen)
    m = len(before)
    p = np.array([[before, after, range(1, m + 1), range(n - m + 1, n + 1)]], dtype=np.int32)
    high, low, highest, lowest = form.score(p)[0].tolist()
    if not scaled:
        return float(high - low)
    if highest == lowest:
        raise InputError(f"{chosen} has one value for all rankings of n={n} items, m={m} relevant.", kind="scaled")
    return float((high - low) / (highest - lowest))


def worst_case_of_optimal_ranker(metric: str | Metric, m: int, *, stochastic: bool = False) -> float:
    r"""Worst-case utility of an optimal ranker, all m relevant items above all others (LR 7.2.4, appendix D).

    In one fixed order the worst-off user wants the last of them, :math:`e(m)`. If the order is drawn anew each time,
    a user who wants s items finds the i-th of them at position k by chance,

    .. math:: \min_{s \le m} \sum_{i=1}^{s} z(i, s) \sum_{k=1}^{m} e(k)
        \binom{k-1}{i-1} \binom{m-k}{s-i} \Big/ \binom{m}{s},

    which is never less.

    Parameters
    ----------
    metric : str or Metric
        A recall-level metric.
    m : int
        Number of relevant items.
    stochastic : bool
        The order is drawn at random.

    Examples
    --------
    >>> worst_case_of_optimal_ranker("AP", 2), worst_case_of_optimal_ranker("AP", 2, stochastic=True)
    (0.5, 0.75)
    """
    m = check_count(m, "m")
    form = recall_level_metric(metric)
    if stochastic:
        return min(mean_utility(form, size, m) for size in range(1, m + 1))
    if not worst_case_is_tse(form, m):
        raise InputError(
            f"{metric}: its worst case over users is not known to be e(m), which takes a strictly decreasing exposure "
            f"and top-heaviness (LR theorem C.1).",
            kind="top_heavy",
        )
    return float(form.exposure(np.array([float(m)]), m)[0])


def mean_utility(form: RecallLevelMetric, size: int, m: int) -> float:
    """The expected utility of a user who wants `size` of the m items, ranked at the top in random order."""
    e = form.exposure_to_cutoff(np.arange(1.0, m + 1), size)
    users = comb(m, size)
    chance = [[comb(k - 1, i - 1) * comb(m - k, size - i) / users for k in range(1, m + 1)] for i in range(1, size + 1)]
    return float(((np.array(chance) * e).sum(-1) * form.normalisation(size)).sum())


def worst_case_is_tse(metric: str | Metric, m: int, positions: Iterable[int] | None = None) -> bool:
    r"""Whether LR theorem C.1 makes total search efficiency the worst case over users, for up to m relevant items.

    It asks for an exposure that strictly decreases and does not depend on m, for :math:`z(1, 1) = 1` and for
    top-heaviness (def 2.2). For decreasing exposures the latter holds where it holds for those that are 1 down to a
    recall level t and 0 below, one item leaving at a time:

    .. math:: \sum_{i=1}^{t} z(i, m) \ge \sum_{i=1}^{t-1} z(i, m - 1), \qquad 1 < t \le m

    Parameters
    ----------
    metric : str or Metric
        A recall-level metric.
    m : int
        The largest number of relevant items.
    positions : increasing ints, optional
        Where one's own exposure (`recall_level`) is looked at; by default at 1, ..., m.

    Examples
    --------
    >>> worst_case_is_tse("AP", 100), worst_case_is_tse("R@10", 100)
    (True, False)
    """
    m = check_count(m, "m")
    form = recall_level_metric(metric)
    if not is_strict(form, range(1, m + 1) if positions is None else positions) or form.normalisation(1)[0] != 1:
        return False
    before = np.ones(1)
    for size in range(2, m + 1):
        after = np.cumsum(form.normalisation(size))
        if (after[1:] < before * (1 - TOLERANCE)).any():
            return False
        before = after
    return True


def is_strict(form: RecallLevelMetric, positions: Iterable[int] | None = None) -> bool:
    """The exposure strictly decreases, everywhere or at some positions: what lies beyond a cutoff has none."""
    is_falling = form.has_strict_exposure if positions is None else form.is_strict_at(positions)
    if form.cutoff is not None or not is_falling:
        return False
    return not isinstance(form, TotalSearchEfficiency) or is_strict(recall_level_form(form.base), positions)


def recall_level_metric(spec: str | Metric) -> RecallLevelMetric:
    """The recall-level metric that a spec names; graded nDCG in its binary form."""
    from tiebreak.preferences import is_preference

    if is_preference(spec):
        raise InputError(f"{spec} is a preference. Give a recall-level metric, such as AP.", kind="spec")
    return recall_level_form(metrics.metric(spec))


def check_sizes(n: int, m: int, largest: int = LARGEST) -> tuple[int, int]:
    """A number of items, and how many of them are relevant."""
    n = check_count(n, "n", high=largest)
    return n, check_count(m, "m", high=n)
