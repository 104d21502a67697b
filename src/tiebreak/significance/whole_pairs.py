"""The values of pairs as whole numbers, exact wherever floats hold them."""

from __future__ import annotations

from math import gcd

import numpy as np

from tiebreak.exact.sums import whole_units
from tiebreak.significance.paired import Paired
from tiebreak.significance.whole_numbers import FLOAT_SUMS, Whole, over_one_denominator, whole_numbers

FEW_UNTIED = 16


def whole_pairs(paired: Paired) -> Whole:
    """The values of every pair as whole numbers: exact where runs have a common denominator that fits, else rounded."""
    common = None if paired.of_runs is None else over_one_denominator(paired.of_runs, FLOAT_SUMS)
    if common is None:
        return with_exact_rows(whole_numbers(paired.values, paired.denominator), paired)
    numbers, denominator = common
    return Whole.over(denominator, (numbers[paired.pairs.x] - numbers[paired.pairs.y]).astype(np.float64))


def with_exact_rows(whole: Whole, paired: Paired) -> Whole:
    """The same, exact for pairs that differ in few requests, whose draws are often equal, if these numbers fit."""
    if not paired.is_rational:
        return whole
    untied = np.count_nonzero(paired.values, axis=1)
    for pair in np.flatnonzero((whole.slack > 0) & (untied <= FEW_UNTIED)).tolist():
        requests = np.flatnonzero(paired.values[pair])
        numbers, unit, _ = whole_units(paired.exact_values(pair, requests), is_rational=True)
        common = gcd(*numbers)
        if sum(map(abs, numbers)) // common * paired.n < FLOAT_SUMS:
            whole.numbers[pair, requests] = [number // common for number in numbers]
            whole.unit[pair], whole.slack[pair] = float(common * unit), 0
    return whole
