"""Recall-level metrics of one's own: any exposure and any normalisation (LR definition 2.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import inf, lcm
from numbers import Rational
from typing import Any, ClassVar

import numpy as np

from tiebreak.errors import InputError, quote
from tiebreak.exact import Doubles, like
from tiebreak.exact.arithmetic import is_exact, objects, whole_numbers
from tiebreak.exact.decimals import decimal_number
from tiebreak.metrics._recall_level import LARGEST_WEIGHT, RecallLevelMetric
from tiebreak.metrics.base import Metric, Traits
from tiebreak.metrics.function import call_for_number, import_function
from tiebreak.projection.primitives import Floats


class OwnFunction:
    """A user's function by its exact values: itself, or the one that ``module:function`` names."""

    def __init__(self, function: Callable[..., Any] | str, name: str) -> None:
        if isinstance(function, str) and ":" in function:
            self.path, self.function = function, import_function(function)
        elif callable(function):
            self.path, self.function = getattr(function, "__qualname__", repr(function)), function
        else:
            raise InputError(
                f"recall_level: {name} is {quote(str(function))}. Give a function, or 'module:function'.", kind="spec"
            )

    def __repr__(self) -> str:
        return self.path

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OwnFunction) and other.function is self.function

    def __hash__(self) -> int:
        return id(self.function)


@lru_cache(1 << 16)
def exact_value(own: OwnFunction, *arguments: int) -> Fraction:
    """What a function returns, 0 or more; a float is the decimal that it means."""
    where = ", ".join(map(str, arguments))
    number = call_for_number(own.function, arguments, own.path, lambda: where)
    if number < 0:
        raise InputError(f"{own.path} is {number} for {where}. Return 0 or more (LR definition 2.1).", kind="exposure")
    return Fraction(number) if isinstance(number, Rational) else decimal_number(float(number))


class OwnExposure(OwnFunction):
    """A user's e(k), in any arithmetic."""

    def values(self, positions: Iterable[int]) -> list[Fraction]:
        """The exposure of increasing positions, which must not rise."""
        ranks = list(positions)
        values = [exact_value(self, k) for k in ranks]
        for (k, e), (further, more) in pairwise(zip(ranks, values, strict=True)):
            if more > e:
                raise InputError(
                    f"{self.path} rises, from {float(e):g} at position {k} to {float(more):g} at position {further}. "
                    "An exposure must not rise down the ranking (LR definition 2.1).",
                    kind="exposure",
                )
        return values

    def __call__(self, k: Any, m: int) -> Any:
        ranks = k.high if isinstance(k, Doubles) else k
        return in_arithmetic(self.values(map(int, ranks.tolist())), k)


class OwnNormalisation(OwnFunction):
    """A user's z(i, m)."""

    def values(self, m: int) -> list[Fraction]:
        return [exact_value(self, i, m) for i in range(1, m + 1)]

    def __call__(self, m: int) -> Floats:
        return np.array([float(z) for z in self.values(m)])


def in_arithmetic(numbers: list[Fraction], x: Any) -> Any:
    """Fractions in the arithmetic of x."""
    exact = objects(numbers, (len(numbers),))
    if isinstance(x, Doubles):
        return Doubles.from_exact(exact)
    return exact if is_exact(x) else exact.astype(np.float64)


def one_each(i: int, m: int) -> int:
    """The normalisation of RBP, z(i, m) = 1."""
    return 1


ONE_EACH = OwnNormalisation(one_each, "normalisation")


@dataclass(frozen=True)
class OwnRecallLevel(RecallLevelMetric):
    r"""A sum over recall levels with exposure and normalisation of one's own (LR definition 2.1).

    .. math:: \mu(p) = \sum_{i=1}^{m} e(p_i) \, z(i, m)

    The exposure of what is not retrieved is 0. Worst case, orientation and total search efficiency,
    ``TSE(recall_level(...))``, follow. Values are exact if the functions return Fractions.

    Parameters
    ----------
    exposure : function or str
        e(k) of a position k = 1, 2, ...: 0 or more, and not rising; or where it is, as ``'module:function'``.
    normalisation : function or str
        z(i, m) of recall level i of m: 0 or more; by default 1.

    Examples
    --------
    >>> from fractions import Fraction
    >>> ap = OwnRecallLevel(lambda k: Fraction(1, k), lambda i, m: Fraction(i, m))
    >>> ap.evaluate(tb.positions([[2, 5], [4, None]])).ravel().tolist()      # (1/2 + 2/5) / 2 and (1/4) / 2
    [0.45, 0.125]
    """

    exposure: Any = None
    normalisation: Any = ONE_EACH
    name: ClassVar[str] = "recall_level"
    traits: ClassVar[Traits] = Traits(high=inf)
    has_strict_exposure: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.exposure is None:
            raise InputError(
                "recall_level needs an exposure, such as recall_level(exposure='module:function').", kind="spec"
            )
        for name, kind in (("exposure", OwnExposure), ("normalisation", OwnNormalisation)):
            function = getattr(self, name)
            if not isinstance(function, kind):
                object.__setattr__(self, name, kind(function, name))

    def is_strict_at(self, positions: Iterable[int]) -> bool:
        return all(e > further for e, further in pairwise(self.exposure.values(positions)))

    def weight(self, i: Any, m: int) -> Any:
        weights, common = common_weights(self.normalisation, m)
        return in_arithmetic(self.normalisation.values(m), i) if common is None else whole_numbers(weights, i)

    def divisor(self, i: Any, m: int) -> Any:
        return like(common_weights(self.normalisation, m)[1] or 1, i)


@lru_cache(1024)
def common_weights(normalisation: OwnNormalisation, m: int) -> tuple[list[int], int | None]:
    """z(i, m) as whole numbers over a common denominator; none where they are too large for exact sums of floats."""
    values = normalisation.values(m)
    common = lcm(*(z.denominator for z in values))
    weights = [int(z * common) for z in values]
    return (weights, common) if max(common, sum(weights)) < LARGEST_WEIGHT else ([], None)


def recall_level(
    exposure: Callable[[int], Any] | str,
    normalisation: Callable[[int, int], Any] | str | None = None,
    *,
    cutoff: int | None = None,
    rel: float | None = None,
) -> Metric:
    r"""A recall-level metric of one's own (LR definition 2.1).

    .. math:: \mu(p) = \sum_{i=1}^{m} e(p_i) \, z(i, m)

    It is used as any other metric: evaluated, compared, in ``worst_case``, ``theory.recall_orientation`` and so on. On
    the command line it is ``-m "recall_level(exposure='module:function', normalisation='module:function')"``.

    Parameters
    ----------
    exposure : function or str
        e(k) of a position k = 1, 2, ...: 0 or more, and not rising. Values are exact if it returns Fractions; a float
        is the decimal that it means. As text where it is, ``'module:function'``.
    normalisation : function or str, optional
        z(i, m) of recall level i of m: 0 or more; by default 1.
    cutoff : int, optional
        Look no further than this position.
    rel : float, optional
        Grade from which an item is relevant; by default the experiment's.

    Examples
    --------
    >>> from fractions import Fraction
    >>> rbp = recall_level(lambda k: Fraction(1, 5) * Fraction(4, 5) ** (k - 1))
    >>> tb.Experiment({"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}}).evaluate(rbp).values.item()      # 1/5 * 4/5
    0.16
    >>> tb.theory.recall_orientation(rbp, 10, 1) == tb.theory.recall_orientation("RBP(p=0.8)", 10, 1)
    True
    """
    z = ONE_EACH if normalisation is None else normalisation
    return OwnRecallLevel(exposure, z, cutoff=cutoff, rel=rel)
