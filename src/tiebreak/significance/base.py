"""Base classes of tests: a statistic and a p-value for every pair."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.alternatives import ALTERNATIVES
from tiebreak._base.catalogue import Entry, parameter
from tiebreak._base.checks import check_choice, check_count
from tiebreak._kernels.interface import Tick
from tiebreak.errors import InputError
from tiebreak.preferences import PairValues
from tiebreak.projection.primitives import Floats

MOST_PERMUTATIONS = 100_000_000
VALUES_AT_ONCE, FEWEST_PAIRS = 1 << 22, 128
"""Values of pairs that are tested at a time, where pairs do not depend on each other; but no fewer pairs than this."""


class Outcome(NamedTuple):
    """For every pair: statistic, p-value by the alternative, and the two-sided interval of the mean at 1 - alpha."""

    statistic: Floats
    pvalue: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Test(Entry):
    """Signed values of pairs -> a p-value for each, under the null hypothesis that neither run is better.

    Parameters
    ----------
    alternative : {"two-sided", "greater", "less"}
        That the runs differ, that the first of a pair is better, or that it is worse.
    """

    alternative: str = parameter("two-sided", check_choice, choices=ALTERNATIVES, kw_only=True)

    __test__: ClassVar[bool] = False  # not one of pytest's
    words: ClassVar[str] = ""
    """Its name in a sentence."""
    min_requests: ClassVar[int] = 1
    """The smallest number of requests."""
    is_signed: ClassVar[bool] = True
    """Whether its statistic changes sign when the two runs are swapped."""
    is_familywise: ClassVar[bool] = False
    """Whether its p-values are already corrected for the number of pairs."""

    is_by_pair: ClassVar[bool] = False
    """Whether it holds numbers of its own for every pair and request, and tests some pairs at a time."""

    is_directed: ClassVar[bool] = False
    """Whether it has one-sided alternatives; `run` then looks at `side`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.side and not self.is_directed:
            raise InputError(
                f"{self.name} has no one-sided form. Leave out alternative, or choose another test, such as t.",
                kind="choice",
            )

    @property
    def side(self) -> int:
        """1 where the alternative is that the first run is better, -1 that it is worse, 0 that the runs differ."""
        return {"two-sided": 0, "greater": 1, "less": -1}[self.alternative]

    @property
    def description(self) -> str:
        """Its name in a sentence, with a one-sided alternative."""
        if not self.side:
            return self.words
        one_sided = self.words.replace("two-sided", "one-sided")
        return f"{one_sided}, the alternative being that {ALTERNATIVES[self.alternative]}"

    def run(self, paired: PairValues, alpha: float, jobs: int, tick: Tick | None) -> Outcome:
        raise NotImplementedError

    def run_by_name(self, paired: PairValues, alpha: float, jobs: int, tick: Tick | None) -> Outcome:
        """`run` with runs and requests sorted by name; where pairs are independent, on some of them at a time."""
        pairs, step = len(paired.pairs), max(FEWEST_PAIRS, VALUES_AT_ONCE // max(paired.n_requests, 1))
        if pairs <= step or not self.is_by_pair or paired.totals is not None:
            return self.run(paired.by_name(), alpha, jobs, tick)
        parts = []
        for begin in range(0, pairs, step):
            some = paired.take_pairs(np.arange(begin, min(begin + step, pairs))).by_name()
            parts.append(self.run(some, alpha, jobs, tick and partial(tick_part, tick, begin, len(some.pairs), pairs)))
        return Outcome(*map(np.concatenate, zip(*parts, strict=True)))

    def notes(self, paired: PairValues) -> tuple[str, ...]:
        """What results say of how they were computed."""
        return ()

    def check(self, paired: PairValues) -> None:
        if paired.n_requests < self.min_requests:
            raise InputError(
                f"{self.words} needs at least {self.min_requests} requests; there is {paired.n_requests}.", kind="size"
            )
        if self.is_familywise and not paired.has_all_pairs:
            raise InputError(f"{self.name} tests all pairs jointly. Remove the baseline, --baseline.", kind="choice")


@dataclass(frozen=True)
class RandomisationTest(Test):
    """A randomisation test with this number of permutations or resamples; "all" enumerates the permutations."""

    permutations: int | str = 10_000
    seed: int = parameter(0, check_count, low=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.permutations != "all":
            check_count(self.permutations, "permutations", high=MOST_PERMUTATIONS, or_else="'all'")

    @property
    def min_count(self) -> int:
        """The smallest p-value is this over the number of draws plus one."""
        return 1


def tick_part(tick: Tick, before: int, part: int, whole: int, done: int, total: int) -> None:
    """Progress of a test of all pairs, of which a part is being tested, after those before."""
    tick(before * total + part * done, whole * total)


def draw_pvalues(reached: Any, draws: int) -> Floats:
    """P-values from the number of draws that reach the observed statistic, itself counted as a draw."""
    p: Floats = (1 + np.asarray(reached)) / (draws + 1)
    return p


def against_first(paired: PairValues, numbers: NDArray[Any]) -> NDArray[Any]:
    """Numbers [run, request] whose differences are numbers [pair, request]; those of the first run are 0."""
    by_run = np.zeros((len(paired.runs), numbers.shape[1]), dtype=numbers.dtype)
    first, second = paired.pairs.x == 0, paired.pairs.y == 0
    by_run[paired.pairs.y[first]] = -numbers[first]
    by_run[paired.pairs.x[second]] = numbers[second]
    return by_run


def ranks_by_wins(paired: PairValues) -> NDArray[np.int32] | None:
    """Ranks [request, run] whose signs are the values, the smaller the better; None where preferences are cyclic."""
    signs = np.sign(paired.numerator).astype(np.int32)
    wins = np.zeros((len(paired.runs), paired.n_requests), dtype=np.int32)
    np.add.at(wins, paired.pairs.x, signs)
    np.subtract.at(wins, paired.pairs.y, signs)
    if not np.array_equal(np.sign(wins[paired.pairs.x] - wins[paired.pairs.y]), signs):
        return None
    return np.ascontiguousarray(-wins.T)
