"""What tests say of pairs of runs: p-values, effects, groups that were not shown to differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError, place_of
from tiebreak.means import binomial_interval
from tiebreak.projection.primitives import Floats
from tiebreak.reports.frames import Shown
from tiebreak.reports.tables import Table
from tiebreak.significance.base import Outcome, Resampled, Test
from tiebreak.significance.corrections import WORDS, corrected
from tiebreak.significance.letters import letters
from tiebreak.significance.paired import Paired
from tiebreak.words import listed, many, signed

MOST_ROWS = 200


class PairTest(NamedTuple):
    """One pair: the mean with its interval, the test, and how large the difference is.

    `d` is Cohen's for paired data: the mean over the standard deviation. `superiority` is the share of requests that
    the first run wins, ties by half; `win_share` that of the untied ones, with its exact binomial interval.
    """

    run: str
    other: str
    mean: float
    low: float
    high: float
    statistic: float
    p: float
    p_corrected: float
    d: float
    superiority: float
    win_share: float
    win_low: float
    win_high: float
    requests: int
    tied: int


class Settings(NamedTuple):
    """What was tested, and how; draws and seed of tests by chance."""

    measure: str
    test: str
    draws: int | str | None
    seed: int | None
    correction: str
    alpha: float


SHARED = "Runs that share a letter were not shown to differ."


@dataclass(frozen=True, eq=False, repr=False)
class Significance(Shown):
    """A test of all pairs.

    Attributes
    ----------
    paired : Paired
        What was tested.
    test : Test
    correction : {"none", "bonferroni", "holm", "bh"}
    alpha : float
        A pair differs where its corrected p-value is below.
    outcome : Outcome
        Statistic, p-value and interval of the mean, of every pair.
    """

    paired: Paired
    test: Test
    correction: str
    alpha: float
    outcome: Outcome
    notes: tuple[str, ...] = ()

    @property
    def runs(self) -> tuple[str, ...]:
        return self.paired.runs

    @property
    def p(self) -> Floats:
        """P-values [pair], before correction."""
        return self.outcome.p

    @cached_property
    def p_corrected(self) -> Floats:
        """P-values [pair], corrected for their number."""
        return corrected(self.outcome.p, self.correction)

    @property
    def differs(self) -> NDArray[np.bool_]:
        """Which pairs were shown to differ: p below alpha."""
        return self.p_corrected < self.alpha

    @property
    def share(self) -> float:
        """Discriminative power: the share of pairs that were shown to differ."""
        return float(self.differs.mean())

    @cached_property
    def d(self) -> Floats:
        """Cohen's d of every pair; 0 where the mean is 0, infinite where all differences are equal otherwise."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.paired.mean == 0, 0.0, self.paired.mean / self.paired.deviation)

    def between(self, run: str, other: str) -> PairTest:
        """One pair, the first run as the first whatever the order in which it was tested."""
        x, y = (place_of(name, self.runs) for name in (run, other))
        if x == y:
            raise InputError(f"{run} cannot be tested against itself. Give two runs.", kind="runs")
        found = self.paired.pairs.find(x, y)
        if found is not None:
            row, sign = found
            return self.row(row) if sign > 0 else turned(self.row(row), self.test.is_signed)
        raise InputError(f"{run} and {other} were not tested against each other.", kind="runs")

    def row(self, k: int) -> PairTest:
        pairs, (win, tie, loss) = self.paired.pairs, self.paired.wins[k].tolist()
        low, high = (float(end) for end in binomial_interval(win, win + loss, self.alpha))
        return PairTest(
            self.runs[pairs.x[k]],
            self.runs[pairs.y[k]],
            float(self.paired.mean[k]),
            float(self.outcome.low[k]),
            float(self.outcome.high[k]),
            float(self.outcome.statistic[k]),
            float(self.outcome.p[k]),
            float(self.p_corrected[k]),
            float(self.d[k]),
            (win + tie / 2) / self.paired.n,
            win / (win + loss) if win + loss else 0.5,
            low,
            high,
            self.paired.n,
            tie,
        )

    def rows(self) -> Iterator[PairTest]:
        """Every pair."""
        return map(self.row, range(len(self.paired.pairs)))

    def matrix(self) -> Floats:
        """Corrected p-values [run, run], 1 on the diagonal; NaN where two runs were not tested."""
        size = len(self.runs)
        square = np.full((size, size), np.nan)
        np.fill_diagonal(square, 1.0)
        square[self.paired.pairs.x, self.paired.pairs.y] = self.p_corrected
        square[self.paired.pairs.y, self.paired.pairs.x] = self.p_corrected
        return square

    def letters(self) -> dict[str, str]:
        """Letters of every run, the best first: runs that share one were not shown to differ."""
        if not self.paired.has_all_pairs:
            raise InputError("letters need all pairs tested. Compare without a baseline.", kind="choice")
        means = np.zeros((len(self.runs), len(self.runs)))
        means[self.paired.pairs.x, self.paired.pairs.y] = self.paired.mean
        means[self.paired.pairs.y, self.paired.pairs.x] = -self.paired.mean
        order = np.argsort(-means.sum(axis=1), kind="stable")
        differ = (self.matrix() < self.alpha)[np.ix_(order, order)]
        return dict(zip((self.runs[k] for k in order.tolist()), letters(differ), strict=True))

    def letter_table(self) -> Table:
        """Runs, the best first, with their letters."""
        rows = tuple(self.letters().items())
        return Table(("run", "letters"), rows, (self.described(), SHARED, *self.notes))

    def described(self) -> str:
        """What was done, in a sentence for a paper."""
        chance = drawn_how(self.test)
        by = "" if self.correction == "none" else f", with {WORDS[self.correction]}"
        family = " for the family of all pairs" if self.test.is_of_all_pairs else ""
        pairs = many(len(self.paired.pairs), "comparison")
        return (
            f"Differences in {self.paired.measure} over {many(self.paired.n, 'request')} were tested by "
            f"{self.test.words}{chance}{family}{by}: {pairs}, alpha = {self.alpha:g}; {self._found()}"
        )

    def _found(self) -> str:
        found = int(self.differs.sum())
        others = "" if found == len(self.paired.pairs) else " For the others no difference was shown."
        return f"{found:,} shown.{others}"

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{run: {other: corrected p}}``."""
        found: dict[str, dict[str, float]] = {}
        for row in self.rows():
            found.setdefault(row.run, {})[row.other] = row.p_corrected
        return found

    @property
    def settings(self) -> Settings:
        """What was tested, and how."""
        test = self.test
        draws, seed = (test.permutations, test.seed) if isinstance(test, Resampled) else (None, None)
        return Settings(self.paired.measure, self.test.name, draws, seed, self.correction, self.alpha)

    def to_frame(self) -> Any:
        """A row per pair: the settings, then the columns of `PairTest`."""
        return self._frame((*Settings._fields, *PairTest._fields), ((*self.settings, *row) for row in self.rows()))

    def table(self, digits: int = 4) -> Table:
        """Pairs as rows, marked where a difference was shown."""
        shown, marked = [], []
        for k in range(len(self.paired.pairs)):
            row, differs = self.row(k), bool(self.differs[k])
            marked += [(k, 2)] if differs else []
            numbers = (signed(value, digits) for value in (row.low, row.high))
            mean = signed(row.mean, digits) + ("*" if differs else " ")
            effects = (signed(row.d, 2), f"{row.superiority:.2f}", f"{row.tied:,}")
            shown.append((row.run, row.other, mean, *numbers, p_shown(row.p), p_shown(row.p_corrected), *effects))
        corrected = "" if self.correction == "none" else ", corrected"
        said = (self.described(), f"* p < {self.alpha:g}{corrected}.", *self._against_the_mean(), *self.notes)
        header = ("run", "other", "mean", "low", "high", "p", "corrected", "d", "superiority", "tied")
        return Table(header, tuple(shown), said, frozenset(marked), MOST_ROWS)

    def _against_the_mean(self) -> Iterator[str]:
        """Pairs in which the run with the lower mean wins more requests, by a test of requests won."""
        if self.test.name != "sign":
            return
        against = np.flatnonzero(self.differs & (self.outcome.statistic * self.paired.mean < 0))
        names = [
            f"{self.runs[self.paired.pairs.x[k]]} and {self.runs[self.paired.pairs.y[k]]}" for k in against.tolist()
        ]
        if names:
            yield f"The run with the lower mean wins significantly more requests: {listed(names)}."


def drawn_how(test: Test) -> str:
    """How many draws a test by chance made, in words."""
    if not isinstance(test, Resampled):
        return ""
    return " (all permutations)" if test.permutations == "all" else f" ({test.permutations:,} draws, seed {test.seed})"


def turned(row: PairTest, is_signed: bool) -> PairTest:
    """The same pair, seen from the other run."""
    return row._replace(
        statistic=0.0 - row.statistic if is_signed else row.statistic,
        run=row.other,
        other=row.run,
        mean=0.0 - row.mean,
        low=0.0 - row.high,
        high=0.0 - row.low,
        d=0.0 - row.d,
        superiority=1 - row.superiority,
        win_share=1 - row.win_share,
        win_low=1 - row.win_high,
        win_high=1 - row.win_low,
    )


def p_shown(p: float) -> str:
    """A p-value with three digits behind the point, or as less than what these can show."""
    return f"{p:.3f}" if p >= 0.0005 else "<0.001"
