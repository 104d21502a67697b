"""What measures need of rankings beyond the positions of judged items: declared by each, read once for all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

WHOLE_RANKING = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Needs:
    """What has to be read for a measure; `|` is the union.

    The number of distinct items of each request over all rankings (`pool`); the first k items of every ranking, with
    their aspects (`aspects` is k) or without (`shown`); every item of every ranking (`is_whole`); how many users rated
    each item (`popularity`).
    """

    pool: bool = False
    aspects: int = 0
    is_whole: bool = False
    shown: int = 0
    popularity: bool = False

    def __or__(self, other: Needs) -> Needs:
        return Needs(
            self.pool or other.pool,
            max(self.aspects, other.aspects),
            self.is_whole or other.is_whole,
            max(self.shown, other.shown),
            self.popularity or other.popularity,
        )

    @classmethod
    def union(cls, needs: Iterable[Needs]) -> Needs:
        """All that several measures need."""
        total = cls()
        for one in needs:
            total |= one
        return total

    @property
    def top(self) -> int | None:
        """How many of the first items are read; None where none are."""
        return WHOLE_RANKING if self.is_whole else max(self.aspects, self.shown) or None
