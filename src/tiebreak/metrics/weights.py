"""How likely each recall level is: the distribution p(i) over users who want i relevant items (RPP 3.2, 5.3)."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import cache
from math import lcm
from typing import Any, TypeAlias

import numpy as np

from tiebreak._base.spec import is_written_whole
from tiebreak._base.text import join_names, plural
from tiebreak.errors import InputError, UnknownNameError
from tiebreak.exact import dcg_discount, decimal
from tiebreak.exact.arithmetic import FRACTIONS, counting, whole_numbers
from tiebreak.exact.sums import sum_fractions, whole_units
from tiebreak.projection.primitives import Floats

Weights: TypeAlias = "str | tuple[float, ...]"

SHAPES: dict[str, Callable[[Any], Any]] = {
    "uniform": lambda i: i / i,
    "dcg": dcg_discount,
    "inverse": lambda i: 1 / i,
}


def recall_weights(m: int, weights: Weights = "uniform") -> Floats:
    """Weights of the m recall levels, normalised to 1.

    "uniform" is 1, "dcg" 1/log2(i + 1), "inverse" 1/i; a tuple holds weights of the first levels, the last of them for
    all beyond, in a spec as text such as ``'2,1'``.
    """
    w = level_weights(np.arange(1, m + 1, dtype=np.float64), check_weights(weights))
    normalised: Floats = w / w.sum()
    return normalised


def level_weights(i: Any, weights: Weights) -> Any:
    """Weights of recall levels i = 1, 2, ..., not normalised, in the arithmetic of i; numbers become whole ones."""
    if isinstance(weights, str):
        return SHAPES[weights](i)
    exact = [decimal(weight) for weight in weights]
    common = lcm(*(weight.denominator for weight in exact))
    whole = [int(weight * common) for weight in exact]
    w = [whole[min(place, len(whole) - 1)] for place in range(len(i))]
    if not any(w):
        raise InputError(
            f"weights={weights!r} leave no user in requests with {plural(len(i), 'relevant item')}. "
            "Give the first recall levels some weight.",
            kind="weights",
        )
    return whole_numbers(w, i)


@cache
def exact_weights(m: int, weights: Weights) -> tuple[list[Fraction], Fraction]:
    """The exact weights of m recall levels, and their sum."""
    exact = level_weights(counting(m, FRACTIONS), weights).tolist()
    return exact, sum_fractions(exact)


@cache
def whole_weights(m: int, weights: Weights) -> tuple[list[int], int]:
    """The exact weights of m recall levels as whole multiples of one unit, and their sum."""
    whole = whole_units(exact_weights(m, weights)[0], is_rational=True).numbers
    return whole, sum(whole)


def is_rational(weights: Weights) -> bool:
    """Whether no logarithm enters."""
    return weights != "dcg"


def check_weights(weights: Weights | list[float], name: str = "weights", each: str = "first recall level") -> Weights:
    """The name of a shape, or a tuple of floats, one for `each`; text such as ``2,1`` is read as numbers."""
    numbers: tuple[float, ...] = ()
    if isinstance(weights, str):
        if weights in SHAPES:
            return weights
        if re.fullmatch(r"[a-z]\w*", weights, re.IGNORECASE) and weights.lower() not in ("nan", "inf"):
            raise UnknownNameError(name, weights, SHAPES)
    elif not isinstance(weights, (tuple, list, np.ndarray)):
        raise InputError(f"{name}={weights!r}. Give the name of a shape, or a list of numbers.", kind="weights")
    if not isinstance(weights, str) or re.fullmatch(r"[0-9.eE+,\s-]+", weights):
        with suppress(TypeError, ValueError):
            numbers = tuple(map(float, weights.split(",") if isinstance(weights, str) else weights))
    if isinstance(weights, str) and numbers and not all(map(is_written_whole, weights.split(","))):
        raise InputError(f"{name}={weights!r} have more digits than a float holds. Give fewer.", kind="weights")
    if not numbers or not all(0 <= w < np.inf for w in numbers):
        raise InputError(
            f"{name}={weights!r}. Give finite numbers of 0 and above for the {each}s, such as '2,1', or one of "
            f"{join_names([*SHAPES])}.",
            kind="weights",
        )
    return numbers
