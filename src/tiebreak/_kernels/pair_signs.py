"""The Python twin of the core's recall levels of pairs of rankings (RPP eq 4)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def sum_pair_signs(
    p: NDArray[np.int32], shape: tuple[int, int, int], x: NDArray[np.int64], y: NDArray[np.int64], /
) -> NDArray[np.int32]:
    """Sums [request, pair] over recall levels of the sign of y - x, of positions of the shape [run, request, level]."""
    sums = np.zeros((shape[1], len(x)), dtype=np.int32)
    by_level: NDArray[Any] = p.reshape(shape).transpose(2, 1, 0)
    for level in by_level:
        p_x, p_y = level[:, x], level[:, y]
        sums += p_y > p_x
        sums -= p_y < p_x
    return sums
