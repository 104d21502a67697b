"""Ids of requests and items: UTF-8 text in one buffer, decoded on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from numbers import Integral
from typing import TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak._kernels.interface import IdColumn
from tiebreak.errors import InputError, UnknownNameError, quote


@dataclass(frozen=True, eq=False)
class Ids(Sequence[str]):
    """A sequence of ids, kept as bytes one after the other."""

    buffer: bytes
    offsets: NDArray[np.int64]

    @classmethod
    def from_names(cls, names: Iterable[str | int]) -> Ids:
        """Ids from text, or from integers, which become their decimal text."""
        encoded = [encode(name) for name in names]
        return cls(b"".join(encoded), offsets([*map(len, encoded)]))

    @classmethod
    def concatenate(cls, parts: Sequence[Ids]) -> Ids:
        """The ids of several sequences, one after the other."""
        sizes = [np.diff(part.offsets) for part in parts]
        return cls(b"".join(part.buffer for part in parts), offsets(np.concatenate(sizes)))

    @property
    def column(self) -> IdColumn:
        return self.buffer, self.offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        return self.buffer[self.offsets[place] : self.offsets[place + 1]].decode()

    def __iter__(self) -> Iterator[str]:
        bounds = self.offsets.tolist()
        return (self.buffer[a:b].decode() for a, b in pairwise(bounds))

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:3]))
        return f"<{len(self)} ids: {shown}{', ...' if len(self) > 3 else ''}>"

    def take(self, places: NDArray[np.integer]) -> Ids:
        """The ids at these indices, in this order."""
        begin = self.offsets[places]
        sizes = self.offsets[np.add(places, 1)] - begin  # not of all ids: a few are taken often
        return Ids(gather(self.buffer, begin, sizes), offsets(sizes))

    def take_slices(self, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> Ids:
        """Neighbouring ids from each start on, as many as its length."""
        begin = self.offsets[starts]
        letters = gather(self.buffer, begin, self.offsets[starts + lengths] - begin)
        return Ids(letters, offsets(np.diff(self.offsets)[ranges(starts, lengths)]))

    def place(self, name: str, what: str) -> int:
        """The first index of a name; `what` it is, for the error where it is unknown."""
        if name not in self._places:
            raise UnknownNameError(what, name, list(self))
        return self._places[name]

    def indices(self, names: Iterable[str]) -> NDArray[np.int64]:
        """The index of each of these names here; -1 where there is none."""
        return np.array([self._places.get(name, -1) for name in names], dtype=np.int64)

    @cached_property
    def places_in_order(self) -> NDArray[np.int64]:
        """The rank of each id in the byte order of all of them, from 0."""
        places = np.empty(len(self), dtype=np.int64)
        places[self._order()] = np.arange(len(self))
        return places

    def _order(self) -> NDArray[np.int64] | list[int]:
        """The indices in byte order: of many ids by words of eight bytes, filled up with 0, and then by length."""
        sizes = np.diff(self.offsets)
        longest = int(sizes.max(initial=0))
        if longest > MOST_SORTED_BY_WORDS or len(self) < FEW:
            names = [self.buffer[a:b] for a, b in pairwise(self.offsets.tolist())]
            return sorted(range(len(names)), key=names.__getitem__)
        letters = np.frombuffer(self.buffer + bytes(8), dtype=np.uint8)
        words = [
            take_word(letters, self.offsets[:-1] + begin, sizes - begin) for begin in range(0, longest, WORD_BYTES)
        ]
        return np.lexsort([sizes, *words[::-1]])

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in reversed(list(enumerate(self)))}


WORD_BYTES = 8
MOST_SORTED_BY_WORDS = 64
"""Bytes of an id; longer ones are sorted one by one, and so are few."""
FEW = 1 << 10


def take_word(letters: NDArray[np.uint8], begins: NDArray[np.int64], left: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Up to eight letters from each place on as one number, the first counting most; `left` are those of its id."""
    word = np.zeros(len(begins), dtype=np.uint64)
    last = len(letters) - 1
    for k in range(WORD_BYTES):
        letter = np.where(k < left, letters[np.minimum(begins + k, last)], 0)
        word = word << np.uint64(8) | letter.astype(np.uint64)
    return word


Coded: TypeAlias = "tuple[Ids, NDArray[np.int32]]"
"""Ids, and for every row the index of its own."""


def code_ids(ids: Ids) -> Coded:
    """The different ones among ids, in order of appearance, and of each its index there."""
    codes: dict[str, int] = {}
    index = np.array([codes.setdefault(name, len(codes)) for name in ids], dtype=np.int32)
    return Ids.from_names(codes), index


def encode(name: str | int) -> bytes:
    """An id as bytes. Floats are rejected: 7.0 could mean "7" or "7.0"."""
    if isinstance(name, Integral) and not isinstance(name, bool):
        return str(int(name)).encode()
    if not isinstance(name, str):
        raise InputError(f"{name!r} is used as an id. Ids are text or integers; convert it first.", kind="id")
    try:
        return name.encode()
    except UnicodeEncodeError:
        raise InputError(f"the id {quote(name)} is not valid Unicode text.", kind="id") from None


def offsets(sizes: ArrayLike) -> NDArray[np.int64]:
    """Where consecutive parts of these sizes begin, with the end of the last."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


GATHERED_AT_ONCE = 1 << 16


def gather(buffer: bytes, begins: NDArray[np.int64], sizes: NDArray[np.int64]) -> bytes:
    """Parts of a buffer, one after the other; about so many bytes at once, whose indices stay in the cache."""
    letters, ends = np.frombuffer(buffer, dtype=np.uint8), np.cumsum(sizes)
    steps = np.arange(GATHERED_AT_ONCE, int(ends[-1]) if len(ends) else 0, GATHERED_AT_ONCE)
    cuts = sorted({0, *np.searchsorted(ends, steps).tolist(), len(sizes)})  # np.unique imports numpy.ma
    return b"".join(letters[ranges(begins[a:b], sizes[a:b])].tobytes() for a, b in pairwise(cuts))


def ranges(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Consecutive numbers from each start, as many as its size, one range after the other."""
    ends: NDArray[np.int64] = np.cumsum(sizes)
    shift: NDArray[np.int64] = np.repeat(starts - (ends - sizes), sizes)
    return np.arange(len(shift)) + shift
