"""Segments: a comparison in every group of requests, and how many requests a group needs (RPP 6.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from tiebreak._base.corrections import ALPHA
from tiebreak._base.public_names import public_names
from tiebreak._base.text import format_signed, plural
from tiebreak.engines.group_totals import group_totals
from tiebreak.errors import InputError, quote
from tiebreak.inputs import Ids
from tiebreak.inputs.attributes import group_places
from tiebreak.orderings import Method, Ordering
from tiebreak.projection.primitives import Floats
from tiebreak.results.groups import NEEDED, GroupResults, label_for_all
from tiebreak.results.record import Result
from tiebreak.significance import Significance, Test
from tiebreak.significance.result import correct_together
from tiebreak.significance.sample_size import POWER, requests_needed

MOST_GAPS = 3


class Comparable(Protocol):
    """What a comparison has."""

    @property
    def requests(self) -> Ids: ...
    @property
    def library(self) -> str | None: ...
    @property
    def mean(self) -> Floats: ...
    @property
    def deviation(self) -> Floats: ...
    @property
    def test(self) -> Callable[..., Significance]: ...
    def summary(self, test: str | Test | Significance = "auto", **how: Any) -> Result: ...
    def order(self, by: str | Method | None = None) -> Ordering: ...
    def names(self) -> Iterator[tuple[str, str]]: ...


AnyComparison = TypeVar("AnyComparison", bound=Comparable)


@dataclass(frozen=True, eq=False, repr=False)
class Segments(Generic[AnyComparison]):
    """A comparison in every group of requests, such as languages or kinds of users.

    Attributes
    ----------
    whole : Comparison
        Over all requests.
    parts : dict
        The comparison in every group.
    """

    whole: AnyComparison
    parts: Mapping[str, AnyComparison]
    _internals: ClassVar[tuple[str, ...]] = ("correlate", "label_for_all")
    __dir__ = public_names

    def __repr__(self) -> str:
        return repr(self.summary())

    def __getitem__(self, group: str) -> AnyComparison:
        return self.parts[group]

    def summary(self, test: str | Test = "auto", **how: Any) -> GroupResults:
        """Mean, interval, wins, ties and losses of every pair in every group, and how many requests one needs.

        The last rows are over all requests. Marks are by a test of all groups, as in `test`.
        """
        tests, _ = self._tests(test, **how)
        parts = {group: part.summary(tests.get(group, test), **how) for group, part in self.parts.items()}
        parts[self.label_for_all] = self.whole.summary(test, **how)
        return self._results(parts, how.get("alpha", ALPHA), comparisons(tests))

    def order(self, by: str | Method | None = None) -> GroupResults:
        """The order of the runs in every group and, last, over all requests, as in `Comparison.order`."""
        whole = self.whole.order(by)
        return self.correlate({group: part.order(by) for group, part in self.parts.items()}, whole)

    def correlate(self, orders: Mapping[str, Ordering], whole: Ordering) -> GroupResults:
        """Orders of groups and, last, over all requests, with their correlations and the largest gaps of ranks."""
        taus = {group: order.correlation(whole) for group, order in orders.items()}
        known = ", ".join(f"{group} {tau:.3f}" for group, tau in taus.items() if tau == tau)
        notes = (f"Kendall's tau_b with the order over all requests: {known}.",) if known else ()
        label = self.label_for_all
        parts, sizes = {**orders, label: whole}, {**self._sizes, label: len(self.whole.requests)}
        gaps = tuple(rank_gaps(orders))
        return GroupResults(parts, sizes, (), notes, label, gaps, library=self.whole.library)

    def test(self, test: str | Test = "auto", **how: Any) -> GroupResults:
        """Test the pairs of runs in every group, and over all requests, as in `Comparison.test`.

        The p-values of groups are corrected over all groups, those over all requests by themselves.
        A group with too few requests for the test has rows without numbers, and a note.
        """
        tests, refusals = self._tests(test, **how)
        if not tests:
            raise InputError(refusals[0], kind="size")
        parts = {**tests, self.label_for_all: self.whole.test(test, **how)}
        return self._results(parts, how.get("alpha", ALPHA), comparisons(tests), refusals)

    def _tests(self, test: str | Test, **how: Any) -> tuple[dict[str, Significance], list[str]]:
        """The test of every group, corrected over all of them; and what keeps groups from being tested."""
        tests: dict[str, Significance] = {}
        refusals: list[str] = []
        for group, part in self.parts.items():
            try:
                tests[group] = part.test(test, **how)
            except InputError as error:
                if error.kind != "size":
                    raise
                refusals.append(f"group {quote(group)}: {error} Join it to another group.")
        return correct_together(tests), refusals

    @property
    def label_for_all(self) -> str:
        """What all requests are called beside the groups."""
        return label_for_all(self.parts)

    @property
    def _sizes(self) -> dict[str, int]:
        return {group: len(part.requests) for group, part in self.parts.items()}

    def _gaps(self) -> Iterator[str]:
        """The pairs of which the means in two groups are the furthest apart."""
        if len(self.parts) < 2:
            return
        means, names = np.stack([part.mean for part in self.parts.values()]), list(self.parts)
        low, high = means.argmin(axis=0), means.argmax(axis=0)
        gaps = np.ptp(means, axis=0)
        pairs = list(self.whole.names())
        for k in np.argsort(-gaps, kind="stable")[:MOST_GAPS].tolist():
            ends = (f"{format_signed(means[place[k], k], 4)} in {names[place[k]]}" for place in (low, high))
            yield f"Gap between groups, {' against '.join(pairs[k])}: {gaps[k]:.4f}, from {' to '.join(ends)}."
        if len(pairs) > MOST_GAPS:
            yield f"These are the largest gaps of {plural(len(pairs), 'pair')}."

    def _results(
        self, parts: Mapping[str, Result], alpha: float, pairs: int, refusals: Sequence[str] = ()
    ) -> GroupResults:
        """Results of groups, with the requests that each pair needs at a level divided by a number of pairs."""
        numbers: list[float] = requests_needed(self.whole.mean, self.whole.deviation, alpha=alpha / pairs).tolist()
        divided = f" / {plural(pairs, 'comparison')}" if pairs > 1 else ""
        note = (
            f"{NEEDED}: the requests with which a two-sided t-test at alpha = {alpha:g}{divided} shows a difference "
            f"like that over all {plural(len(self.whole.requests), 'request')} with a probability of {POWER:.0%}."
        )
        label = self.label_for_all
        sizes, gaps = {**self._sizes, label: len(self.whole.requests)}, tuple(self._gaps())
        return GroupResults(parts, sizes, numbers, (*refusals, note), label, gaps, library=self.whole.library)


def split_by_group(whole: Any, groups: Mapping[str, str]) -> dict[str, Any]:
    """The comparison in every group; where values are not kept, by sums and counts."""
    if whole.totals is None:
        places = group_places(whole.requests, groups)
        return {group: whole.take_requests(of_group) for group, of_group in places.items()}
    return {group: totals.replace_values(whole) for group, totals in group_totals(whole.totals.visit, groups).items()}


def comparisons(tests: Mapping[str, Significance]) -> int:
    """By how many comparisons tests of groups divide their level; 1 where they do not, or there is none."""
    one = next(iter(tests.values()), None)
    if one is None:
        return 1
    if one.test.is_familywise:
        return len(one.paired.pairs)
    return one.n_comparisons if one.correction in ("bonferroni", "holm") else 1


def rank_gaps(orders: Mapping[str, Ordering]) -> Iterator[str]:
    """The runs whose ranks in two groups are the furthest apart."""
    names, runs = list(orders), next(iter(orders.values())).runs
    ranks = np.stack([one.ranks for one in orders.values()])
    low, high, gaps = ranks.argmin(axis=0), ranks.argmax(axis=0), np.ptp(ranks, axis=0)
    for r in np.argsort(-gaps, kind="stable")[:MOST_GAPS].tolist():
        if gaps[r]:
            ends = (f"rank {ranks[place[r], r]} in {names[place[r]]}" for place in (low, high))
            yield f"Gap between groups, {runs[r]}: {' and '.join(ends)}."
