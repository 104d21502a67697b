"""Results of tests of pairs of runs: p-values, effect sizes, groups that were not shown to differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import find_pair
from tiebreak._base.corrections import CORRECTIONS
from tiebreak._base.text import format_signed, join_names, plural
from tiebreak.errors import InputError, quote
from tiebreak.exact.intervals import binomial_interval
from tiebreak.preferences import PairValues
from tiebreak.projection.primitives import Floats
from tiebreak.results.cells import Cell, Row, column, interval_columns, signed_column
from tiebreak.results.drawable import Drawable
from tiebreak.results.pairs import UNCORRECTED
from tiebreak.results.record import Result, Rows
from tiebreak.significance.base import Outcome, RandomisationTest, Test
from tiebreak.significance.corrections import correct_pvalues
from tiebreak.significance.letters import letters

if TYPE_CHECKING:
    from tiebreak.results.plots import Drawing

FEWEST = 6
"""With fewer untied requests, even winning all of them is not significant by a sign test: 2 / 2^5 > 0.05."""


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
    correction: str
    alpha: float


def pvalue_text(p: float) -> str:
    """A p-value in a sentence."""
    return f"p = {p:.3f}" if p >= 0.0005 else "p < 0.001"


def pvalue_column(name: str) -> Cell:
    """P-values with three decimals, or as less than the smallest of these."""
    return lambda row, digits: f"{row[name]:.3f}" if row[name] >= 0.0005 else "<0.001"


class RunLetters(NamedTuple):
    """The letters of one run."""

    run: str
    measure: str
    letters: str


class Letters(Rows[RunLetters]):
    """Runs, the best first, with letters: those that share one were not shown to differ.

    In tables the letters stand under the measure where there are several, else under ``letters``.
    """

    columns = RunLetters._fields
    table_cells: ClassVar[Mapping[str, Cell]] = {"run": column("run"), "letters": column("letters")}
    spread = "measure"
    spread_cells: ClassVar[Mapping[str, Cell]] = {"": column("letters")}
    trec_columns = ("measure", "run", "letters")


@dataclass(frozen=True, eq=False, repr=False)
class Significance(Drawable, Result):
    """A test of all pairs.

    Attributes
    ----------
    measure : str
    paired : PairValues
        What was tested.
    test : Test
    correction : str
        One of `significance.CORRECTIONS`.
    alpha : float
        A pair differs where its corrected p-value is below.
    outcome : Outcome
        Statistic, p-value and interval of the mean, of every pair.
    other_pvalues : array
        P-values of comparisons in other groups of requests, together with which these are corrected.
    """

    measure: str
    paired: PairValues
    test: Test
    correction: str
    alpha: float
    outcome: Outcome
    more_notes: tuple[str, ...] = ()
    other_pvalues: Floats = field(default_factory=lambda: np.zeros(0))
    trec_columns = ("measure", "run", "other", "pvalue_corrected")
    _internals: ClassVar[tuple[str, ...]] = ("paired", "outcome", "more_notes", "criterion", "interval_note")
    mark = "*"
    has_pairs = True
    optional_columns = ("superiority", "d", "tied", "p")

    @property
    def columns(self) -> tuple[str, ...]:
        return (*PairTest._fields, *self._options)

    @property
    def table_cells(self) -> Mapping[str, Cell]:
        return {
            "run": column("run"),
            "other": column("other"),
            "value": signed_column("value"),
            **interval_columns(1 - self.alpha),
            "p": pvalue_column("pvalue"),
            "corrected": pvalue_column("pvalue_corrected"),
            "d": lambda row, digits: format_signed(row["effect_size"], 2),
            "superiority": lambda row, digits: f"{row['superiority']:.2f}",
            "tied": column("n_tied"),
        }

    @property
    def _options(self) -> dict[str, int | str]:
        """A one-sided alternative, and how a randomised test draws; nothing of other tests."""
        options: dict[str, int | str] = {"alternative": self.test.alternative} if self.test.side else {}
        if isinstance(self.test, RandomisationTest):
            options |= {"permutations": self.test.permutations, "seed": self.test.seed}
        return options

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
        family = np.concatenate([self.outcome.pvalue, self.other_pvalues])
        return correct_pvalues(family, self.correction)[: len(self.outcome.pvalue)]

    @property
    def n_comparisons(self) -> int:
        """For how many comparisons p-values are corrected."""
        return len(self.paired.pairs) + len(self.other_pvalues)

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
        """The result of one pair, oriented as (run, other)."""
        pair = self.paired.pairs.find(*find_pair(run, other, self.runs))
        if pair is None:
            raise InputError(f"{run} and {other} were not tested against each other.", kind="runs")
        row = self.pair_tests()[pair[0]]
        if self.test.side and pair[1] < 0:
            names = f"{quote(other)}, {quote(run)}"
            raise InputError(
                f"{quote(other)} was tested one-sided against {quote(run)}. Use between({names}).", kind="runs"
            )
        return row if pair[1] > 0 else swap_runs(row, self.test.is_signed)

    def rows(self) -> list[tuple[Any, ...]]:
        """Every pair, with a one-sided alternative, and the draws and the seed of a randomised test."""
        return [(*row, *self._options.values()) if self._options else row for row in self.pair_tests()]

    def pair_tests(self) -> list[PairTest]:
        """Every pair."""
        paired, (statistic, pvalue, low, high) = self.paired, self.outcome
        win, tie, loss = paired.win_tie_loss.T
        untied = win + loss
        win_share = np.where(untied > 0, win / np.maximum(untied, 1), 0.5)
        effects = (self.effect_size, (win + tie / 2) / paired.n_requests, win_share)
        numbers = (paired.mean, low, high, statistic, pvalue, self.pvalue_corrected, *effects)
        columns = zip(*numbers, *binomial_interval(win, untied, self.alpha), strict=True)
        more = ((paired.n_requests, tied, self.correction, self.alpha) for tied in tie.tolist())
        return [
            PairTest._make((*names, self.measure, self.test.name, *map(float, row), *rest))
            for names, row, rest in zip(paired.names(), columns, more, strict=True)
        ]

    def matrix(self) -> Floats:
        """Corrected p-values [run, run], 1 on the diagonal; NaN where two runs were not tested, or not on this side."""
        swapped = np.full_like(self.pvalue_corrected, np.nan) if self.test.side else self.pvalue_corrected
        return self.paired.square(self.pvalue_corrected, swapped, diagonal=1, others=np.nan)

    def letters(self) -> dict[str, str]:
        """Letters of every run, the best first: runs that share one were not shown to differ."""
        if not self.paired.has_all_pairs:
            raise InputError("letters need all pairs tested. Compare without a baseline.", kind="choice")
        if self.test.side:
            raise InputError("letters need two-sided tests. Leave out alternative.", kind="choice")
        means = self.paired.square(self.paired.mean)
        order = np.argsort(-means.sum(axis=1), kind="stable")
        differ = (self.matrix() < self.alpha)[np.ix_(order, order)]
        return dict(zip((self.runs[k] for k in order.tolist()), letters(differ), strict=True))

    def letter_table(self) -> Letters:
        """Runs, the best first, with their letters."""
        notes = (self.description, "Runs that share a letter were not shown to differ.", *self.more_notes)
        rows = (RunLetters(run, self.measure, text) for run, text in self.letters().items())
        return Letters(tuple(rows), notes, library=self.library, more_settings=self.settings)

    @property
    def pictures(self) -> Mapping[str, Callable[[], Drawing]]:
        """Pairs with their intervals; a heat map of all pairs; groups that were not shown to differ."""
        from tiebreak.results.pair_pictures import pair_pictures

        return pair_pictures(self, self.measure, self.settings.get("baselines", ()))

    @property
    def description(self) -> str:
        """What was done, in a sentence for a paper."""
        groups = f" for {plural(self.n_comparisons, 'comparison')} in all groups" if len(self.other_pvalues) else ""
        by = "" if self.correction == "none" else f", with {CORRECTIONS[self.correction]}{groups}"
        family = " for the family of all pairs" if self.test.is_familywise else ""
        pairs = plural(len(self.paired.pairs), "comparison")
        shown = int(self.differs.sum())
        others = " For the others no difference was shown." if 0 < shown < len(self.differs) else ""
        return (
            f"Differences in {self.measure} over {plural(self.paired.n_requests, 'request')} were tested by "
            f"{self.test.description}{describe_draws(self.test)}{family}{by}: {pairs}, alpha = {self.alpha:g}; "
            f"{f'{shown:,} shown' if shown else 'no difference was shown'}.{others}"
        )

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "test": self.test.name,
            "alternative": self.test.alternative,
            "permutations": getattr(self.test, "permutations", None),
            "seed": getattr(self.test, "seed", None),
            "correction": self.correction,
            "alpha": self.alpha,
            **self.more_settings,
        }

    @property
    def notes(self) -> tuple[str, ...]:
        sides = ("Intervals are two-sided.",) if self.test.side else ()
        intervals = () if self.test.is_familywise else self.interval_note
        cautions = (*self.cautions, *self._against_the_mean())
        return (self.description, f"* {self.criterion}.", *sides, *intervals, *cautions, *self.more_notes)

    @property
    def interval_note(self) -> tuple[str, ...]:
        """A note beside intervals of single means, where p-values are corrected for several comparisons."""
        is_corrected = self.test.is_familywise or self.correction != "none"
        return (UNCORRECTED,) if is_corrected and self.n_comparisons > 1 else ()

    @property
    def criterion(self) -> str:
        """When two runs were shown to differ, in words."""
        number = plural(self.n_comparisons, "comparison")
        is_corrected = self.correction != "none" and self.n_comparisons > 1
        by = f", with {CORRECTIONS[self.correction]} for {number}" if is_corrected else ""
        return f"p < {self.alpha:g} by {self.test.description}{by}"

    @property
    def cautions(self) -> tuple[str, ...]:
        """Pairs shown to differ by so few requests that no sign test could show it."""
        untied = self.paired.n_requests - self.paired.win_tie_loss[:, 1]
        few = np.flatnonzero(self.differs & (untied < FEWEST))
        if not len(few):
            return ()
        pairs = list(self.paired.names())
        names = join_names([" and ".join(pairs[k]) for k in few.tolist()])
        return (f"{self.measure}: fewer than {FEWEST} requests differ, which proves little whatever the p: {names}.",)

    def is_marked(self, row: Row) -> bool:
        return bool(row["pvalue_corrected"] < self.alpha)

    def _against_the_mean(self) -> Iterator[str]:
        """Pairs in which the run with the lower mean wins more requests, by a test of requests won."""
        if self.test.name != "sign":
            return
        against = np.flatnonzero(self.differs & (self.outcome.statistic * self.paired.mean < 0))
        pairs = list(self.paired.names())
        names = [" and ".join(pairs[k]) for k in against.tolist()]
        if names:
            yield f"The run with the lower mean wins significantly more requests: {join_names(names)}."


def describe_draws(test: Test) -> str:
    """The draws of a randomisation test, in words."""
    if not isinstance(test, RandomisationTest):
        return ""
    return " (all permutations)" if test.permutations == "all" else f" ({test.permutations:,} draws, seed {test.seed})"


def swap_runs(row: PairTest, is_signed: bool) -> PairTest:
    """The result with the two runs swapped."""
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


def correct_together(tests: Mapping[str, Significance]) -> dict[str, Significance]:
    """Tests of one measure in several groups of requests, corrected for the comparisons of all of them."""
    together = {}
    for group, one in tests.items():
        others = [other.pvalue for name, other in tests.items() if name != group]
        together[group] = replace(one, other_pvalues=np.concatenate([np.zeros(0), *others]))
    return together
