"""Discriminative power: the share of pairs of systems that a measure distinguishes (Sakai 2006; LR 6.2.3, LP 4.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np

from tiebreak._base.checks import check_choice
from tiebreak._base.text import plural
from tiebreak._kernels.interface import Tick
from tiebreak.exact.intervals import CONFIDENCE, binomial_interval
from tiebreak.experiment import Experiment
from tiebreak.projection.primitives import Floats
from tiebreak.results.cells import Cell, column
from tiebreak.results.groups import NEEDED, GroupResults, count_column, names_only
from tiebreak.results.plots import Picture
from tiebreak.significance import Significance, Test, correct_pvalues
from tiebreak.significance.base import RandomisationTest
from tiebreak.studies.base import Findings, study_from_catalogue
from tiebreak.studies.measures import Measure, preferences_by_name

MEASURES = ("RPP", "LexiRecall", "LexiPrecision", "AP", "nDCG", "RR")
SHARE = ("share", "share of pairs shown to differ")


def percent_column(name: str) -> Cell:
    return lambda row, digits: "-" if row[name] is None else f"{100 * row[name]:.{min(digits, 2)}f}"


class Power(NamedTuple):
    """How many pairs one measure distinguishes, with a Monte Carlo interval of the share of randomised tests."""

    measure: str
    test: str
    correction: str
    pairs: int
    separated: int
    share: float
    low: float
    high: float


class GroupPower(NamedTuple):
    """Discriminative power in one group of requests, without numbers where it has too few for the test.

    `needed_overall` are the requests with which half of the pairs would be shown, if they differ as over all requests.
    """

    group: str
    requests: int
    measure: str
    test: str
    correction: str
    pairs: int | None
    separated: int | None
    share: float | None
    low: float | None
    high: float | None
    needed_overall: float


CELLS: dict[str, Cell] = {
    **{name: column(name) for name in ("measure", "test", "correction")},
    "separated": lambda row, digits: "-" if row["pairs"] is None else f"{row['separated']:,} of {row['pairs']:,}",
    **{title: percent_column(name) for title, name in (("percent", "share"), ("low", "low"), ("high", "high"))},
}


@dataclass(frozen=True, eq=False, repr=False)
class PowerStudy(Findings):
    """Discriminative power of several measures, with the `tests` of each; by group where there are groups."""

    tests: tuple[Significance, ...] = ()
    average_cells: ClassVar[Mapping[str, Cell]] = {"share": percent_column("share")}
    average_unit: ClassVar[str] = "%"

    @property
    def table_cells(self) -> Mapping[str, Cell]:
        if "group" not in self.columns:
            return CELLS
        return {"group": column("group"), "requests": column("requests"), **CELLS, NEEDED: count_column(NEEDED)}

    def curve(self, measure: str) -> Floats:
        """Corrected p-values of all pairs of a measure, the smallest first: Sakai's curve."""
        check_choice(measure, "measure", [test.measure for test in self.tests])
        return np.array([p for name, _, p in self.curves() if name == measure])

    def curves(self) -> Iterable[Sequence[Any]]:
        """Measure, place and corrected p-value, for all measures."""
        return self.picture()[2]


@study_from_catalogue("experiment")
def power(
    experiment: Experiment,
    measures: Measure | Iterable[Measure] = MEASURES,
    test: str | Test = "auto",
    *,
    correction: str | None = None,
    alpha: float = 0.05,
    permutations: int | str | None = None,
    seed: int | None = None,
    groups: Any = None,
    jobs: int | None = None,
    tick: Tick | None = None,
) -> PowerStudy:
    """The share of pairs of runs that each measure distinguishes; tests are those of `Comparison.test`.

    With `groups`, as `read_groups` reads them, in every group of requests; and how many requests a group needs before
    half of the pairs are shown to differ, each with a probability of 80%, if differences are those over all requests.

    Examples
    --------
    >>> qrels = {f"q{k}": {"a": 1} for k in range(8)}
    >>> runs = [{q: {"a": 2.0, "x": 1.0} for q in qrels}, {q: {"a": 1.0, "x": 2.0} for q in qrels}]
    >>> [(row.measure, row.share) for row in power(Experiment(qrels, runs), ["LexiRecall", "R@5"]).rows()]
    [('LexiRecall', 1.0), ('R@5', 0.0)]
    """
    how: dict[str, Any] = {"correction": correction, "alpha": alpha, "permutations": permutations, "seed": seed}
    how |= {"jobs": jobs, "tick": tick}
    compared = [replace(experiment.compare(one), measure=name) for name, one in preferences_by_name(measures).items()]
    if groups is not None:
        return power_by_group([one.by_group(groups).test(test, **how) for one in compared])
    tests = tuple(one.test(test, **how) for one in compared)
    rows = tuple(map(summarise, tests))
    curves = tuple(
        (test.measure, place, p)
        for test in tests
        for place, p in enumerate(np.sort(test.pvalue_corrected).tolist(), start=1)
    )
    shares = ", ".join(f"{row.measure} {100 * row.share:.0f}%" for row in sorted(rows, key=lambda row: -row.share))
    titles = (("place", "pairs, by their p-value"), ("p", "corrected p-value"), SHARE)
    return PowerStudy(
        Power._fields,
        rows,
        f"Pairs of runs with a significant difference: {shares}. For the others no difference was shown.",
        (
            f"Percent of pairs with p < {tests[0].alpha:g}; low and high: 95% Monte Carlo interval if randomised.",
            *dict.fromkeys(note for test in tests for note in test.notes),
        ),
        Picture("step", "place", "p", color="measure", titles=titles),
        drawn=(("measure", "place", "p"), curves),
        library=tests[0].library,
        more_settings={name: tests[0].settings[name] for name in ("permutations", "seed", "correction", "alpha")},
        tests=tests,
    )


def power_by_group(results: Sequence[GroupResults]) -> PowerStudy:
    """Discriminative power in every group, and over all requests: a row for every group and measure."""
    cells = [(group, result) for group in results[0].sizes for result in results]
    tests = tuple(cast("Significance", result[group]) for group, result in cells if group in result.parts)
    rows = tuple(
        GroupPower._make((group, result.sizes[group], *summarise_group(result, group), half_needed(result.needed)))
        for group, result in cells
    )
    of_groups = [row for row in rows if row.group != results[0].label_for_all]
    many = [row for row in of_groups if row.requests >= row.needed_overall]
    enough = f"{len(many)} of {plural(len(of_groups), 'case')} (group, measure)"
    notes = dict.fromkeys(note for result in results for note in result.more_notes)
    return PowerStudy(
        GroupPower._fields,
        rows,
        f"A group has the requests that half of the pairs of runs need in {enough}.",
        (
            f"Percent of pairs with p < {tests[0].alpha:g}, corrected over all groups. For the others no difference "
            "was shown.",
            *notes,
            "Here: the median over pairs.",
        ),
        Picture("bar", "share", "group", color="measure", titles=(SHARE,)),
        library=tests[0].library,
        more_settings={name: tests[0].settings[name] for name in ("permutations", "seed", "correction", "alpha")},
        tests=tests,
    )


def summarise_group(result: GroupResults, group: str) -> Iterable[Any]:
    """The power in a group; only names where it has too few requests for a test."""
    power = summarise(cast("Significance", result.parts.get(group, result.first)))
    return power if group in result.parts else names_only(power)


def half_needed(needed: Sequence[float]) -> float:
    """The number of requests that suffices for half of the pairs."""
    return sorted(needed)[(len(needed) + 1) // 2 - 1]


def summarise(test: Significance) -> Power:
    separated, pairs = int(test.differs.sum()), len(test.paired.pairs)
    names = test.measure, str(test.test), test.correction
    return Power(*names, pairs, separated, separated / pairs, *share_interval(test))


def share_interval(result: Significance) -> tuple[float, float]:
    """The share of pairs that differ by the upper and by the lower bounds of the 95% intervals of all p-values."""
    test = result.test
    if not isinstance(test, RandomisationTest) or test.permutations == "all":
        return result.share, result.share
    permutations = int(test.permutations)
    reached = np.rint(result.pvalue * (permutations + 1) / test.min_count - 1)
    low, high = binomial_interval(reached, permutations, 1 - CONFIDENCE)
    bounds = [np.minimum(test.min_count * p, 1.0) for p in (high, low)]
    shares = [float((correct_pvalues(p, result.correction) < result.alpha).mean()) for p in bounds]
    return shares[0], shares[1]
