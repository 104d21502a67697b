"""What is compared: allocations in exact arithmetic, and the values that their utilities may take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import inf, lcm
from numbers import Rational, Real
from typing import Any, TypeAlias

from tiebreak._base.text import plural
from tiebreak.errors import InputError

Allocation: TypeAlias = tuple[Fraction, ...]
"""The utility of every request."""
Scaled: TypeAlias = tuple[int, ...]
"""An allocation in whole numbers of one unit: sums and comparisons are fast and exact."""
Case: TypeAlias = tuple[Scaled, Scaled]

BELOW_FLOOR = Fraction(1, 200_000)
"""Half the usual floor of the geometric mean: a floor of others is likely to be above it as well."""


def written(x: Allocation) -> str:
    """An allocation as people write it."""
    return f"[{', '.join(map(str, x))}]"


def exact_allocations(cases: Sequence[Case], unit: int) -> dict[Scaled, Allocation]:
    """All allocations of some pairs as fractions."""
    distinct = dict.fromkeys(chain.from_iterable(cases))
    held = {value: Fraction(value, unit) for value in set(chain.from_iterable(distinct))}
    return {scaled: tuple(held[value] for value in scaled) for scaled in distinct}


@dataclass(frozen=True)
class Domain:
    """The values that a utility may take, the simplest first, and what they are in words."""

    words: str
    values: tuple[Fraction, ...]

    @classmethod
    def of(cls, words: str, values: Iterable[Fraction]) -> Domain:
        return cls(words, tuple(sorted(set(values), key=lambda value: (value.denominator, abs(value), -value))))

    @property
    def unit(self) -> int:
        """How many units are 1, so that all values are whole numbers of units."""
        return lcm(*(value.denominator for value in self.values))

    def scaled(self) -> dict[Fraction, int]:
        """Every value in units."""
        unit = self.unit
        return {value: int(value * unit) for value in self.values}


FROM_0_TO_1 = Domain.of(
    "from 0 to 1", [*(Fraction(j, d) for d in (*range(1, 13), 20) for j in range(d + 1)), BELOW_FLOOR]
)


def given_values(utilities: Iterable[float | Fraction]) -> Domain:
    """The values that a user names, floats as the decimals they print as."""
    values = [exact_value(value) for value in utilities]
    if len(set(values)) < 2:
        raise InputError("utilities: fewer than two values. Give at least two, such as (0, 1).", kind="size")
    return Domain.of(f"of {plural(len(set(values)), 'value')} from {min(values)} to {max(values)}", values)


def exact_value(value: Any) -> Fraction:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not -inf < value < inf:
        raise InputError(f"utilities: {value!r} is no finite number. Give numbers, such as (0, 1).", kind="score")
    return Fraction(value) if isinstance(value, Rational) else Fraction(str(float(value)))
