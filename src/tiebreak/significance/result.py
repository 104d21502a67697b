"""What tests say of pairs of runs: p-values, effects, groups that were not shown to differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import find_name
from tiebreak._base.intervals import binomial_interval
from tiebreak._base.text import format_signed, join_names, plural
from tiebreak.errors import InputError
from tiebreak.projection.primitives import Floats
from tiebreak.results.record import Cell, Result, Row, column, signed_column
from tiebreak.significance.base import Outcome, Resampled, Test
from tiebreak.significance.corrections import WORDS, corrected
from tiebreak.significance.letters import letters
from tiebreak.significance.paired import Paired

SHARED = "Runs that share a letter were not shown to differ."


class PairTest(NamedTuple):
    """One pair: the mean with its interval, the test, and how large the difference is.

    `effect_size` is Cohen's d for paired data: the mean over the standard deviation. `superiority` is the share of
    requests that the first run wins, ties by half; `win_share` that of the untied ones, with its exact binomial
    interval.
    """

    run: str
    other: str
    measure: str
    test: str
    value: float
    low: float
    high: float
    statistic: float
    pvalue: float
    pvalue_corrected: float
    effect_size: float
    superiority: float
    win_share: float
    win_low: float
    win_high: float
    n_requests: int
    n_tied: int


def pvalue_column(name: str) -> Cell:
    """P-values with three digits behind the point, or as less than what these can show."""
    return lambda row, digits: f"{row[name]:.3f}" if row[name] >= 0.0005 else "<0.001"


@dataclass(frozen=True, eq=False, repr=False)
class Letters(Result):
    """Runs, the best first, with letters: those that share one were not shown to differ."""

    measure: str
    letters: dict[str, str]
    notes: tuple[str, ...] = ()
    library: str | None = None
    columns = ("run", "measure", "letters")
    shown: ClassVar[Mapping[str, Cell]] = {"run": column("run"), "letters": column("letters")}
    spread = "measure"
    spread_cells: ClassVar[Mapping[str, Cell]] = {"": column("letters")}

    def rows(self) -> Iterator[tuple[str, str, str]]:
        return ((run, self.measure, of_run) for run, of_run in self.letters.items())


@dataclass(frozen=True, eq=False, repr=False)
class Significance(Result):
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
    more_notes: tuple[str, ...] = ()
    library: str | None = None
    columns = PairTest._fields
    shown: ClassVar[Mapping[str, Cell]] = {
        "run": column("run"),
        "other": column("other"),
        "value": signed_column("value"),
        "low": signed_column("low"),
        "high": signed_column("high"),
        "p": pvalue_column("pvalue"),
        "corrected": pvalue_column("pvalue_corrected"),
        "d": lambda row, digits: format_signed(row["effect_size"], 2),
        "superiority": lambda row, digits: f"{row['superiority']:.2f}",
        "tied": column("n_tied"),
    }
    mark = "*"

    @property
    def runs(self) -> tuple[str, ...]:
        return self.paired.runs

    @property
    def pvalue(self) -> Floats:
        """P-values [pair], before correction."""
        return self.outcome.pvalue

    @property
    def statistic(self) -> Floats:
        """The statistic of every pair."""
        return self.outcome.statistic

    @cached_property
    def pvalue_corrected(self) -> Floats:
        """P-values [pair], corrected for their number."""
        return corrected(self.outcome.pvalue, self.correction)

    @property
    def differs(self) -> NDArray[np.bool_]:
        """Which pairs were shown to differ: p below alpha."""
        return self.pvalue_corrected < self.alpha

    @property
    def share(self) -> float:
        """Discriminative power: the share of pairs that were shown to differ."""
        return float(self.differs.mean())

    @cached_property
    def effect_size(self) -> Floats:
        """Cohen's d of every pair; 0 where the mean is 0, infinite where all differences are equal otherwise."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.paired.mean == 0, 0.0, self.paired.mean / self.paired.deviation)

    def between(self, run: str, other: str) -> PairTest:
        """One pair, the first run as the first whatever the order in which it was tested."""
        x, y = (find_name(name, self.runs) for name in (run, other))
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
            self.paired.measure,
            self.test.name,
            float(self.paired.mean[k]),
            float(self.outcome.low[k]),
            float(self.outcome.high[k]),
            float(self.outcome.statistic[k]),
            float(self.outcome.pvalue[k]),
            float(self.pvalue_corrected[k]),
            float(self.effect_size[k]),
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
        square[self.paired.pairs.x, self.paired.pairs.y] = self.pvalue_corrected
        square[self.paired.pairs.y, self.paired.pairs.x] = self.pvalue_corrected
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

    def letter_table(self) -> Letters:
        """Runs, the best first, with their letters."""
        return Letters(self.paired.measure, self.letters(), (self.description, SHARED, *self.more_notes), self.library)

    @property
    def description(self) -> str:
        """What was done, in a sentence for a paper."""
        chance = drawn_how(self.test)
        by = "" if self.correction == "none" else f", with {WORDS[self.correction]}"
        family = " for the family of all pairs" if self.test.is_of_all_pairs else ""
        pairs = plural(len(self.paired.pairs), "comparison")
        return (
            f"Differences in {self.paired.measure} over {plural(self.paired.n, 'request')} were tested by "
            f"{self.test.words}{chance}{family}{by}: {pairs}, alpha = {self.alpha:g}; {self._found()}"
        )

    def _found(self) -> str:
        found = int(self.differs.sum())
        others = "" if found == len(self.paired.pairs) else " For the others no difference was shown."
        return f"{found:,} shown.{others}"

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "measure": self.paired.measure,
            "test": self.test.name,
            "permutations": self.test.permutations if isinstance(self.test, Resampled) else None,
            "seed": self.test.seed if isinstance(self.test, Resampled) else None,
            "correction": self.correction,
            "alpha": self.alpha,
        }

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        corrected = "" if self.correction == "none" else ", corrected"
        star = f"* p < {self.alpha:g}{corrected}."
        return (self.description, star, *self._against_the_mean(), *self.more_notes)

    def is_marked(self, row: Row) -> bool:
        return bool(row["pvalue_corrected"] < self.alpha)

    def _against_the_mean(self) -> Iterator[str]:
        """Pairs in which the run with the lower mean wins more requests, by a test of requests won."""
        if self.test.name != "sign":
            return
        against = np.flatnonzero(self.differs & (self.outcome.statistic * self.paired.mean < 0))
        names = [
            f"{self.runs[self.paired.pairs.x[k]]} and {self.runs[self.paired.pairs.y[k]]}" for k in against.tolist()
        ]
        if names:
            yield f"The run with the lower mean wins significantly more requests: {join_names(names)}."


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
        value=0.0 - row.value,
        low=0.0 - row.high,
        high=0.0 - row.low,
        effect_size=0.0 - row.effect_size,
        superiority=1 - row.superiority,
        win_share=1 - row.win_share,
        win_low=1 - row.win_high,
        win_high=1 - row.win_low,
    )
