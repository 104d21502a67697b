"""Discriminative power: how many pairs of systems a measure tells apart (Sakai 2006; LR 6.2.3, LP 4.2, RPP 5.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tiebreak._base.intervals import CONFIDENCE, binomial_interval
from tiebreak.errors import UnknownNameError
from tiebreak.experiment import Experiment
from tiebreak.preferences import Preference
from tiebreak.projection.primitives import Floats
from tiebreak.results.plots import Drawn, Picture
from tiebreak.results.record import Cell, column
from tiebreak.significance import Significance, Test, corrected
from tiebreak.significance.base import Resampled
from tiebreak.studies.measures import Measure, preferences_by_name

MEASURES = ("RPP", "LexiRecall", "LexiPrecision", "AP", "nDCG", "RR")


def percent_column(name: str) -> Cell:
    return lambda row, digits: f"{100 * row[name]:.{min(digits, 2)}f}"


class Power(NamedTuple):
    """How many pairs one measure tells apart.

    `low` and `high` bound the share by the chance of the draws: what 95% intervals of the p-values let expect. They are
    the share itself where nothing was drawn.
    """

    measure: str
    test: str
    correction: str
    pairs: int
    separated: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class PowerStudy(Drawn):
    """Discriminative power of several measures.

    Attributes
    ----------
    tests : tuple of Significance
        One per measure, with all that was found.
    """

    tests: tuple[Significance, ...]
    library: str | None = None
    columns = Power._fields
    shown: ClassVar[Mapping[str, Cell]] = {
        **{name: column(name) for name in ("measure", "test", "correction")},
        "separated": lambda row, digits: f"{row['separated']:,} of {row['pairs']:,}",
        **{title: percent_column(name) for title, name in (("percent", "share"), ("low", "low"), ("high", "high"))},
    }

    def rows(self) -> Iterator[Power]:
        """One row per measure."""
        for test in self.tests:
            separated = int(test.differs.sum())
            bounds = drawn_interval(test)
            pairs = len(test.paired.pairs)
            yield Power(
                test.paired.measure, str(test.test), test.correction, pairs, separated, separated / pairs, *bounds
            )

    @property
    def conclusion(self) -> str:
        """Which measure tells most pairs apart."""
        ordered = sorted(self.rows(), key=lambda row: -row.share)
        shares = ", ".join(f"{row.measure} {100 * row.share:.0f}%" for row in ordered)
        return f"Pairs of runs told apart: {shares}. For the others no difference was shown."

    def picture(self) -> tuple[Picture, tuple[str, ...], Iterable[tuple[str, int, float]]]:
        """The curves of all measures."""
        titles = (("place", "pairs, by their p-value"), ("p", "corrected p-value"))
        return Picture("step", "place", "p", color="measure", titles=titles), ("measure", "place", "p"), self.curves()

    def curve(self, measure: str) -> Floats:
        """Corrected p-values of all pairs of a measure, the smallest first: Sakai's curve."""
        by_measure = {test.paired.measure: test for test in self.tests}
        if measure not in by_measure:
            raise UnknownNameError("measure", measure, by_measure)
        return np.sort(by_measure[measure].pvalue_corrected)

    def curves(self) -> Iterator[tuple[str, int, float]]:
        """Measure, place and corrected p-value, for all measures."""
        for test in self.tests:
            for place, p in enumerate(np.sort(test.pvalue_corrected).tolist(), start=1):
                yield test.paired.measure, place, p

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        """How pairs were told apart, and what was tested."""
        alpha = self.tests[0].alpha
        return (
            self.conclusion,
            f"Percent of pairs with p < {alpha:g}; low and high: 95% Monte Carlo interval of tests by chance.",
            *dict.fromkeys(note for test in self.tests for note in test.notes),
        )


def check(measures: Any = MEASURES, **others: Any) -> list[Preference]:
    """Refuse a bad name before anything is read; the measures."""
    return [*preferences_by_name(measures).values()]


def power(
    experiment: Experiment, measures: Measure | Iterable[Measure] = MEASURES, test: str | Test = "auto", **how: Any
) -> PowerStudy:
    """How many pairs of runs each measure tells apart; see `Comparison.test` for how they can be tested.

    Examples
    --------
    >>> qrels = {f"q{k}": {"a": 1} for k in range(8)}
    >>> runs = [{q: {"a": 2.0, "x": 1.0} for q in qrels}, {q: {"a": 1.0, "x": 2.0} for q in qrels}]
    >>> [(row.measure, row.share) for row in power(Experiment(qrels, runs), ["LexiRecall", "R@5"]).rows()]
    [('LexiRecall', 1.0), ('R@5', 0.0)]
    """
    asked = preferences_by_name(measures)
    found = tuple(replace(experiment.compare(made), measure=name).test(test, **how) for name, made in asked.items())
    return PowerStudy(found, library=found[0].library)


def drawn_interval(found: Significance) -> tuple[float, float]:
    """The share of pairs that differ by the upper and by the lower ends of the 95% intervals of all p-values."""
    test = found.test
    if not isinstance(test, Resampled) or test.permutations == "all":
        return found.share, found.share
    draws = int(test.permutations)
    reached = np.rint(found.pvalue * (draws + 1) / test.least_reached - 1)
    low, high = binomial_interval(reached, draws, 1 - CONFIDENCE)
    bounds = [np.minimum(test.least_reached * p, 1.0) for p in (high, low)]
    shares = [float((corrected(p, found.correction) < found.alpha).mean()) for p in bounds]
    return shares[0], shares[1]
