"""Signs of sums over requests, decided exactly: values as whole numbers of any size, cut into parts that floats add."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact.sums import whole_units
from tiebreak.projection.primitives import Floats
from tiebreak.significance.paired import Paired, Places

NUMBERS_AT_ONCE = 1 << 22


class ExactSums:
    """Sums of the values of pairs, each request counted so often, that whole weights of at most n in all say.

    A pair's values are whole multiples of a unit, written with digits of so many bits that the sums of each digit are
    exact as floats.
    """

    def __init__(self, paired: Paired) -> None:
        self.paired = paired
        self.bits = 51 - paired.n.bit_length()
        self.digits: dict[int, Floats] = {}
        self.same = 0

    def signs(self, pairs: Places, draws: Places, weights: NDArray[np.generic]) -> NDArray[np.int64]:
        """Whether the sums are above 0, 0 or below, of some pairs with the ``weights[draw, request]`` of some draws."""
        step = max(1, NUMBERS_AT_ONCE // self.paired.n)
        signs = np.empty(len(pairs), dtype=np.int64)
        for begin in range(0, len(pairs), step):
            some = slice(begin, begin + step)
            signs[some] = self._signs(pairs[some], weights[draws[some]].astype(np.float64))
        return signs

    def _signs(self, pairs: Places, weights: Floats) -> NDArray[np.int64]:
        distinct, which = np.unique(pairs, return_inverse=True)
        digits = self._digits_of(distinct.tolist())
        sums = np.stack([np.einsum("ij,ij->i", weights, digit[which]) for digit in digits]).astype(np.int64)
        same = in_digits([self.same], self.bits, len(digits)).astype(np.int64)
        return (sign_of(sums - same, self.bits) > 0).astype(np.int64) - (sign_of(sums + same, self.bits) < 0)

    def _digits_of(self, pairs: list[int]) -> Floats:
        """Digits [digit, pair, request], the lowest first."""
        for pair in pairs:
            if pair not in self.digits:
                self.digits[pair] = self._digits(pair)
        digits = np.zeros((max(len(self.digits[pair]) for pair in pairs), len(pairs), self.paired.n))
        for place, pair in enumerate(pairs):
            digits[: len(self.digits[pair]), place] = self.digits[pair]
        return digits

    def _digits(self, pair: int) -> Floats:
        untied = np.flatnonzero(self.paired.values[pair])
        values, which = self.paired.distinct_values(pair, untied)
        whole = whole_units(values, self.paired.is_rational)
        self.same = whole.same
        count = max(whole.same, *map(abs, whole.numbers)).bit_length() // self.bits + 1
        digits = np.zeros((count, self.paired.n))
        digits[:, untied] = in_digits(whole.numbers, self.bits, count)[:, which]
        return digits


def in_digits(numbers: list[int], bits: int, count: int) -> Floats:
    """Digits [digit, number] of so many bits, the lowest first, each with the sign of its number.

    Examples
    --------
    >>> in_digits([5, -6], bits=2, count=2).tolist()
    [[1.0, -2.0], [1.0, -1.0]]
    """
    mask = (1 << bits) - 1
    sign = np.array([(number > 0) - (number < 0) for number in numbers], dtype=np.float64)
    sizes = [abs(number) for number in numbers]
    return sign * np.array([[size >> k * bits & mask for size in sizes] for k in range(count)], dtype=np.float64)


def sign_of(digits: NDArray[np.int64], bits: int) -> NDArray[np.int64]:
    """The signs of numbers whose digits [digit, number], of any sign and size, are of so many bits.

    Examples
    --------
    3 - 1 * 4, 4 - 1 * 4 and 5 - 1 * 4:

    >>> sign_of(np.array([[3, 4, 5], [-1, -1, -1]]), bits=2).tolist()
    [-1, 0, 1]
    """
    carry, rest = np.zeros_like(digits[0]), np.zeros(digits.shape[1], dtype=bool)
    for digit in digits[:-1]:
        total = digit + carry
        carry = total >> bits
        rest |= total & ((1 << bits) - 1) != 0
    top = digits[-1] + carry
    return np.where(top == 0, rest, np.sign(top))
