"""How entries are stored, and levels: the papers' p, the increasing positions of the relevant items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.inputs.ids import Ids, offsets
from tiebreak.projection import imputation
from tiebreak.projection.primitives import UNRETRIEVED, Floats, Ranks

ENTRIES_AT_ONCE = 1 << 16


@dataclass(frozen=True, eq=False)
class Layout:
    """Requests in order of m, then of the input: the k-th is request ``request_order[k]``, of ``sizes[k]`` entries."""

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
        return offsets(self.sizes)

    @cached_property
    def request(self) -> NDArray[np.int64]:
        """The request of every entry, by its index in the input."""
        return np.repeat(self.request_order, self.sizes)

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        """Where every request of the input is stored."""
        places = np.empty_like(self.request_order)
        places[self.request_order] = np.arange(len(places))
        return places

    def entries(self, request: int) -> slice:
        """Where the entries of a request are, by its index in the input."""
        return slice(*self.starts[self._places[request] :][:2].tolist())

    def blocks(self) -> Iterator[tuple[int, NDArray[np.int64], slice]]:
        """For every size m above 0: m, the requests of that size, and where their entries are."""
        sizes, first, count = np.unique(self.sizes, return_index=True, return_counts=True)
        for m, begin, end in zip(sizes.tolist(), first, first + count, strict=True):
            if m:
                yield m, self.request_order[begin:end], slice(self.starts[begin], self.starts[end])


@dataclass(frozen=True, eq=False, slots=True)
class Bucket:
    """All requests with m entries: ``p[run, request, m]``, and which requests they are."""

    m: int
    requests: NDArray[np.int64]
    p: Ranks

    def blocks(self, entries: int = ENTRIES_AT_ONCE) -> Iterator[slice]:
        """Blocks of requests that are small enough for intermediate results to stay in the cache."""
        step = max(1, entries // (self.m * len(self.p)))
        return (slice(begin, begin + step) for begin in range(0, len(self.requests), step))


def deepest_rank(p: Ranks) -> int:
    """The last position in p that is retrieved; 0 where none is."""
    return int(np.where(p == UNRETRIEVED, 0, p).max(initial=0))


def distinct_vectors(p: NDArray[Any]) -> NDArray[np.int64]:
    """Whole numbers from 0 on for ``p[run, request, m]``, the same where vectors are equal: [run, request]."""
    vectors = np.ascontiguousarray(p.reshape(-1, p.shape[-1]))
    keys = vectors.view(f"V{vectors.itemsize * vectors.shape[-1]}")[:, 0]
    _, which = np.unique(keys, return_inverse=True)
    return which.astype(np.int64).reshape(p.shape[:-1])


@dataclass(frozen=True, eq=False)
class Levels:
    """The papers' p: increasing positions of the relevant items, one bucket per number m of them.

    Requests without a relevant item are in no bucket.
    """

    runs: tuple[str, ...]
    requests: Ids
    retrieved: NDArray[np.int32]
    _buckets: tuple[Bucket, ...] = field(repr=False)

    @classmethod
    def from_vectors(cls, p: Ranks) -> Levels:
        """Levels of ``p[run, request, m]``, increasing positions of requests of one size."""
        return cls.from_buckets([Bucket(p.shape[-1], np.arange(p.shape[1]), p)])

    @classmethod
    def from_buckets(cls, buckets: Sequence[Bucket]) -> Levels:
        """Levels of runs and requests without names."""
        runs, requests = len(buckets[0].p), sum(len(bucket.requests) for bucket in buckets)
        nameless = Ids(b"", np.zeros(requests + 1, dtype=np.int64))
        return cls(tuple(map(str, range(runs))), nameless, np.zeros((runs, requests), np.int32), tuple(buckets))

    def buckets(self) -> Iterator[Bucket]:
        """Requests by their number of relevant items, the smallest first."""
        return iter(self._buckets)

    def each(self, score: Callable[[Ranks], ArrayLike]) -> Floats:
        """Apply a function of ``p[run, request, m]`` to every bucket: values [run, request], NaN where none.

        Examples
        --------
        >>> import tiebreak as tb
        >>> tb.positions([[2, 5], [4, 9]]).levels().each(lambda p: 1 / p[..., 0]).tolist()
        [[0.5], [0.25]]
        """
        values = np.full((len(self.runs), len(self.requests)), np.nan)
        for bucket in self._buckets:
            for block in bucket.blocks():
                values[:, bucket.requests[block]] = score(bucket.p[:, block])
        return values

    @cached_property
    def deepest(self) -> int:
        """The last position at which any run has a relevant item; 0 where none has any."""
        return max(
            (deepest_rank(bucket.p[:, block]) for bucket in self._buckets for block in bucket.blocks()), default=0
        )

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number m of relevant items of every request."""
        sizes = np.zeros(len(self.requests), dtype=np.int64)
        for bucket in self._buckets:
            sizes[bucket.requests] = bucket.m
        return sizes

    def labels(self, cutoff: int | None = None) -> NDArray[np.int64]:
        """Whole numbers [run, request], the same where all positions up to a cutoff are; -1 where there is none."""
        labels = np.full((len(self.runs), len(self.requests)), -1, dtype=np.int64)
        begin = 0
        for bucket in self._buckets:
            p = bucket.p if cutoff is None else np.where(bucket.p <= cutoff, bucket.p, UNRETRIEVED)
            codes = distinct_vectors(p)
            labels[:, bucket.requests] = begin + codes
            begin += int(codes.max(initial=-1)) + 1
        return labels

    def vectors(self, run: int, requests: NDArray[np.int64]) -> list[list[int]]:
        """The positions of some requests in a run."""
        which, place = self._places
        return [self._buckets[b].p[run, k].tolist() for b, k in zip(which[requests], place[requests], strict=True)]

    @cached_property
    def _places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The bucket of every request, and its index there."""
        which, place = (np.full(len(self.requests), -1, dtype=np.int64) for _ in range(2))
        for b, bucket in enumerate(self._buckets):
            which[bucket.requests], place[bucket.requests] = b, np.arange(len(bucket.requests))
        return which, place

    def pessimistic(self, n: ArrayLike) -> Levels:
        """Unretrieved items at the bottom of a corpus of n items, or of n[request] items."""
        n = np.broadcast_to(np.asarray(n), len(self.requests))
        return self.move(lambda b: imputation.pessimistic(b.p, n[b.requests], self.retrieved[:, b.requests]))

    def optimistic(self) -> Levels:
        """Unretrieved items right after the last retrieved one; for study."""
        return self.move(lambda b: imputation.optimistic(b.p, self.retrieved[:, b.requests]))

    def move(self, positions: Callable[[Bucket], NDArray[np.integer]]) -> Levels:
        """Levels with other positions, which a function of each bucket returns."""
        buckets = (replace(b, p=positions(b).astype(np.int32)) for b in self._buckets)
        return replace(self, _buckets=tuple(buckets))
