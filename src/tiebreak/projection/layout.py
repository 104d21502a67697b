"""How entries are stored: requests in order of their number of entries m, so that equal sizes stand together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Layout:
    """Requests in order of m, those of one size in input order; each one's entries stand together.

    ``request_order[k]`` is the input's place of the k-th stored request, ``sizes[k]`` its number of entries.
    """

    request_order: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @classmethod
    def from_requests(cls, request: NDArray[np.integer], requests: int) -> tuple[Layout, NDArray[np.int64]]:
        """The layout of entries whose requests are given, and the order in which it stores those entries."""
        size = np.bincount(request, minlength=requests)
        request_order = np.argsort(size, kind="stable")
        stored = np.empty_like(request_order)
        stored[request_order] = np.arange(requests)
        return cls(request_order, size[request_order]), np.argsort(stored[request], kind="stable")

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each stored request's entries begin, with the end of the last."""
        return np.concatenate([[0], np.cumsum(self.sizes)])

    @cached_property
    def request(self) -> NDArray[np.int64]:
        """The request of every entry, by its place in the input."""
        return np.repeat(self.request_order, self.sizes)

    def blocks(self) -> Iterator[tuple[int, NDArray[np.int64], slice]]:
        """For every size m above 0: m, the requests of that size, and where their entries are."""
        sizes, first, count = np.unique(self.sizes, return_index=True, return_counts=True)
        for m, begin, end in zip(sizes.tolist(), first, first + count, strict=True):
            if m:
                yield m, self.request_order[begin:end], slice(self.starts[begin], self.starts[end])
