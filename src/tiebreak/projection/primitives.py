"""The few array operations that carry every metric and preference.

All work on the last axis, the recall levels, of arrays ``p[run, request, m]`` that hold requests of one size m.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak._kernels.interface import UNRETRIEVED

Ranks: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]

__all__ = ["UNRETRIEVED", "dense_rank", "pair_signs"]


def pair_signs(x: Ranks, y: Ranks) -> NDArray[np.int8]:
    """1 where x is placed above y, -1 where below, 0 where they tie; two unretrieved items tie."""
    return (y > x).astype(np.int8) - (y < x).astype(np.int8)


def dense_rank(p: Ranks, reverse: bool = False) -> Ranks:
    """Rank the runs of each request by their position vectors, without gaps: the first difference decides, 1 is best.

    Levels are compared from the first down (lexiprecision), or with `reverse` from the last up (lexirecall).
    """
    # Big-endian numbers compare as their bytes do, so one vector is one key.
    vectors = np.ascontiguousarray((p[..., ::-1] if reverse else p).swapaxes(0, 1), dtype=">u4")
    order = np.argsort(vectors.view(f"V{vectors.itemsize * vectors.shape[-1]}")[..., 0], axis=-1)
    ordered = np.take_along_axis(vectors, order[..., None], axis=1)
    ranks = np.ones(order.shape, dtype=np.int32)
    ranks[:, 1:] += np.cumsum((ordered[:, 1:] != ordered[:, :-1]).any(axis=-1), axis=-1, dtype=np.int32)
    result = np.empty_like(ranks)
    np.put_along_axis(result, order, ranks, axis=-1)
    return np.ascontiguousarray(result.T)
