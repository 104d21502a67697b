"""Segments: a comparison in every group of requests, and how many requests a group needs (RPP 6.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from tiebreak._base.text import plural
from tiebreak.errors import InputError, quote
from tiebreak.inputs import Ids
from tiebreak.orderings import Method, Ordering
from tiebreak.projection.primitives import Floats
from tiebreak.results.groups import NEEDED, GroupResults
from tiebreak.results.record import Result
from tiebreak.significance import Significance, Test
from tiebreak.significance.sample_size import POWER, requests_needed


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
    def summary(self) -> Result: ...
    def order(self, by: str | Method | None = None) -> Ordering: ...


AnyComparison = TypeVar("AnyComparison", bound=Comparable)


@dataclass(frozen=True, eq=False)
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

    def __getitem__(self, group: str) -> AnyComparison:
        return self.parts[group]

    def summary(self) -> GroupResults:
        """Mean, interval, wins, ties and losses of every pair in every group, and how many requests one needs."""
        return self._results({group: part.summary() for group, part in self.parts.items()}, 0.05, 1)

    def order(self, by: str | Method | None = None) -> GroupResults:
        """The order of the runs in every group, as in `Comparison.order`."""
        whole = self.whole.order(by)
        return self.correlate({group: part.order(by) for group, part in self.parts.items()}, whole)

    def correlate(self, orders: Mapping[str, Ordering], whole: Ordering) -> GroupResults:
        """Orders of groups, with their correlation with the order over all requests."""
        taus = {group: order.correlation(whole) for group, order in orders.items()}
        known = ", ".join(f"{group} {tau:.3f}" for group, tau in taus.items() if tau == tau)
        notes = (f"Kendall's tau_b with the order over all requests: {known}.",) if known else ()
        return GroupResults(orders, self._sizes, (), notes, library=self.whole.library)

    def test(self, test: str | Test = "auto", **how: Any) -> GroupResults:
        """Test the pairs of runs in every group, as in `Comparison.test`; corrections are within a group.

        A group with too few requests for the test has rows without numbers, and a note.
        """
        tests: dict[str, Significance] = {}
        refusals: list[str] = []
        for group, part in self.parts.items():
            try:
                tests[group] = part.test(test, **how)
            except InputError as error:
                if error.kind != "size":
                    raise
                refusals.append(f"group {quote(group)}: {error} Join it to another group.")
        if not tests:
            raise InputError(refusals[0], kind="size")
        one = next(iter(tests.values()))
        is_corrected = one.correction in ("bonferroni", "holm") or one.test.is_familywise
        pairs = len(one.paired.pairs) if is_corrected else 1
        return self._results(tests, one.alpha, pairs, refusals)

    @property
    def _sizes(self) -> dict[str, int]:
        return {group: len(part.requests) for group, part in self.parts.items()}

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
        return GroupResults(parts, self._sizes, numbers, (*refusals, note), library=self.whole.library)
