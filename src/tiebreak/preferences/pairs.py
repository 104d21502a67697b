"""Which runs are compared with which."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_two_runs, find_run


class Fan(NamedTuple):
    """One run against several others: the rows of a comparison in which it is x, or with `sign` -1 in which it is y."""

    run: int
    others: slice | NDArray[np.int64]
    rows: slice
    sign: int


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs (x, y) of runs, by their places; a preference is antisymmetric, so each pair is wanted only once."""

    x: NDArray[np.int64]
    y: NDArray[np.int64]
    fans: tuple[Fan, ...]

    def __len__(self) -> int:
        return len(self.x)

    def find(self, x: int, y: int) -> tuple[int, int] | None:
        """The row of two runs and 1, or -1 where it holds them the other way round; None where they are no pair."""
        for sign, first, second in ((1, x, y), (-1, y, x)):
            for row in np.flatnonzero((self.x == first) & (self.y == second)).tolist():
                return row, sign
        return None

    @classmethod
    def all(cls, runs: int) -> Pairs:
        """Every run against every later one."""
        x, y = np.triu_indices(runs, 1)
        ends = np.cumsum(np.arange(runs - 1, 0, -1)).tolist()
        fans = (
            Fan(run, slice(run + 1, None), slice(end - (runs - 1 - run), end), 1)
            for run, end in zip(range(runs - 1), ends, strict=True)
        )
        return cls(x.astype(np.int64), y.astype(np.int64), tuple(fans))

    @classmethod
    def one(cls, x: int, y: int) -> Pairs:
        return cls(np.array([x]), np.array([y]), (Fan(y, np.array([x]), slice(0, 1), -1),))

    @classmethod
    def against(cls, baselines: Iterable[int], runs: int) -> Pairs:
        """Every run as x against each baseline as y; two baselines are compared once, the later one as x."""
        fans: list[Fan] = []
        others = np.arange(runs)
        begin = 0
        for baseline in baselines:
            others = others[others != baseline]
            fans.append(Fan(baseline, others, slice(begin, begin + len(others)), -1))
            begin += len(others)
        x = np.concatenate([np.asarray(fan.others) for fan in fans])
        y = np.repeat([fan.run for fan in fans], [fan.rows.stop - fan.rows.start for fan in fans])
        return cls(x, y, tuple(fans))


def chosen_pairs(runs: tuple[str, ...], baselines: tuple[str, ...]) -> Pairs:
    """All pairs of runs, or those of every run with each baseline."""
    check_two_runs(runs, "a comparison")
    places = [find_run(name, runs) for name in baselines]
    return Pairs.against(places, len(runs)) if places else Pairs.all(len(runs))
