"""Repeated trials of a run at a request: averaged, or kept as requests of their own."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact import Doubles, ExactValues
from tiebreak.exact.decimals import decimal_number, remainders
from tiebreak.exact.doubles import RELATIVE_ERROR
from tiebreak.exact.sums import sum_fractions
from tiebreak.inputs.ids import Ids, offsets

TRIALS = ("mean", "keep")


def average_trials(place: NDArray[np.int64], value: NDArray[np.float64], shape: tuple[int, int]) -> ExactValues:
    """The exact mean of the values at every place of a table, which all have one or more."""
    counts = np.bincount(place, minlength=shape[0] * shape[1])
    starts = offsets(counts)
    value = value[np.argsort(place, kind="stable")]
    low, total = remainders(value), Doubles.full(len(counts), 0.0)
    for trial in range(int(counts.max())):
        cells = np.flatnonzero(counts > trial)
        rows = starts[cells] + trial
        total[cells] = total[cells] + Doubles(value[rows], low[rows])
    mean, size = total / counts, np.add.reduceat(np.abs(value), starts[:-1]) / counts

    def exactly(row: int, columns: NDArray[np.int64]) -> list[Fraction]:
        cells = (row * shape[1] + columns).tolist()
        several = ([*map(decimal_number, value[starts[cell] : starts[cell + 1]].tolist())] for cell in cells)
        return [sum_fractions(trials) / len(trials) for trials in several]

    return ExactValues.from_doubles(
        Doubles(mean.high.reshape(shape), mean.low.reshape(shape)),
        2 * RELATIVE_ERROR * size.reshape(shape),
        exactly,
        (size == 0).reshape(shape),
        relative_error=32 * RELATIVE_ERROR,
    )


def keep_trials(
    requests: Ids, request: NDArray[np.int32], trials: Ids, trial: NDArray[np.int32]
) -> tuple[Ids, NDArray[np.int32], Ids]:
    """Every trial of a request as a request, their codes, and the requests that they are trials of."""
    pairs, code = np.unique(request.astype(np.int64) * len(trials) + trial, return_inverse=True)
    origins, which = requests.take(pairs // len(trials)), trials.take(pairs % len(trials))
    names = [f"{name}, trial {number}" for name, number in zip(origins, which, strict=True)]
    return Ids.from_names(names), code.astype(np.int32), origins
