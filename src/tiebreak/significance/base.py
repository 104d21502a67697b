"""What every test is: a small frozen value that gives all pairs a statistic and a p-value."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tiebreak._base.catalogue import Entry
from tiebreak._kernels.interface import Tick
from tiebreak.errors import InputError
from tiebreak.projection.primitives import Floats
from tiebreak.significance.paired import Paired

MOST_PERMUTATIONS = 100_000_000


class Outcome(NamedTuple):
    """For every pair: statistic, two-sided p-value, and the interval of the mean at 1 - alpha."""

    statistic: Floats
    pvalue: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Test(Entry):
    """Signed values of pairs -> a p-value for each, under the hypothesis that neither run is better."""

    __test__: ClassVar[bool] = False  # not one of pytest's
    words: ClassVar[str] = ""
    """What it is called in a sentence."""
    needs: ClassVar[int] = 1
    is_signed: ClassVar[bool] = True
    """Whether its statistic changes its sign where the two runs change places."""
    is_of_all_pairs: ClassVar[bool] = False
    """Whether its p-values are already corrected for the number of pairs."""

    def run(self, paired: Paired, alpha: float, jobs: int, tick: Tick | None) -> Outcome:
        raise NotImplementedError

    def check(self, paired: Paired) -> None:
        if paired.n < self.needs:
            raise InputError(f"{self.words} needs at least {self.needs} requests; there is {paired.n}.", kind="size")


@dataclass(frozen=True)
class Resampled(Test):
    """A test by chance: so many draws from a seed.

    Parameters
    ----------
    permutations : int or "all"
    seed : int
    """

    permutations: int | str = 10_000
    seed: int = 0
    least_reached: ClassVar[int] = 1
    """The smallest p-value is this over the number of draws and one."""

    def __post_init__(self) -> None:
        for name, least, most in (("permutations", 1, MOST_PERMUTATIONS), ("seed", 0, 2**63 - 1)):
            value: Any = getattr(self, name)
            whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            if not (whole and least <= value <= most) and not (name == "permutations" and value == "all"):
                raise InputError(f"{name}={value!r}. Give a whole number from {least} to {most:,}.", kind="size")


def share_of_draws(reached: Any, draws: int) -> Floats:
    """P-values of so many draws that reached what was seen; what was seen is one more, so none is 0."""
    p: Floats = (1 + np.asarray(reached)) / (draws + 1)
    return p


def interval(paired: Paired, alpha: float) -> tuple[Floats, Floats]:
    """The interval of every mean by Student's t."""
    from scipy.special import stdtrit

    if paired.n < 2:
        return np.full(len(paired.mean), -inf), np.full(len(paired.mean), inf)
    margin = stdtrit(paired.n - 1, 1 - alpha / 2) * paired.deviation / np.sqrt(paired.n)
    return paired.mean - margin, paired.mean + margin
