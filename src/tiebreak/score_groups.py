"""Scores in every group of requests: means, and the table for a paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from tiebreak._base.dropped import Dropped
from tiebreak._base.public_names import public_names
from tiebreak.engines.group_totals import group_totals
from tiebreak.inputs import Ids
from tiebreak.results.groups import GroupResults, label_for_all
from tiebreak.results.record import Result
from tiebreak.score_table import ScoreTable
from tiebreak.significance.result import correct_together

if TYPE_CHECKING:
    from tiebreak.results.plots import Drawing


class Measured(Protocol):
    """What scores have."""

    @property
    def requests(self) -> Ids: ...
    @property
    def measures(self) -> tuple[str, ...]: ...
    @property
    def library(self) -> str | None: ...
    @property
    def against(self) -> Callable[..., ScoreTable]: ...
    def summary(self, sort: str | None = "none") -> Result: ...


AnyResults = TypeVar("AnyResults", bound=GroupResults)
AnyScores = TypeVar("AnyScores", bound=Measured)


class GroupScoreTables(GroupResults):
    """Tables for a paper of every group and, last, of all requests."""

    @property
    def pictures(self) -> Mapping[str, Callable[[], Drawing]]:
        """Those of the tests of the first measure, groups side by side."""
        return next(self._pictures(), {})

    def _pictures(self) -> Iterator[Mapping[str, Callable[[], Drawing]]]:
        """Those of the tests of every measure."""
        from tiebreak.results.group_pictures import group_pictures

        parts: Mapping[str, Any] = self.parts
        for measure in dict.fromkeys(measure for part in parts.values() for measure in part.tests):
            tests = {group: part.tests[measure] for group, part in parts.items() if measure in part.tests}
            yield group_pictures(tests, self.sizes)

    def drawings(self, kind: str | None = None) -> Sequence[Drawing]:
        """One of the tests of every measure."""
        self.picture(kind)  # refuses an unknown kind
        return [pictures[kind or next(iter(pictures))]() for pictures in self._pictures()]


@dataclass(frozen=True, eq=False, repr=False)
class ScoreGroups(Generic[AnyScores]):
    """Scores in every group of requests, such as languages or kinds of users.

    Attributes
    ----------
    whole : Scores
        Of all requests.
    parts : dict
        The scores of every group.
    notes : tuple of str
        On all requests.
    """

    whole: AnyScores
    parts: Mapping[str, AnyScores]
    notes: tuple[str, ...] = ()
    _internals: ClassVar[tuple[str, ...]] = ("from_sums",)
    __dir__ = public_names

    def __repr__(self) -> str:
        return repr(self.summary())

    def __getitem__(self, group: str) -> AnyScores:
        return self.parts[group]

    def summary(self, sort: str | None = "none") -> GroupResults:
        """Means of every group and, last, of all requests; sorted as in `Scores.summary`."""
        return self._results(GroupResults, {group: part.summary(sort) for group, part in self._all()})

    def against(self, baseline: Any = None, **how: Any) -> GroupScoreTables:
        """The table for a paper of every group and, last, of all requests, as in `Scores.against`.

        The p-values of groups are corrected over all groups, those over all requests by themselves, as in
        `Comparison.by_group(...).test()`.

        Examples
        --------
        >>> import tiebreak as tb
        >>> scores = {"old": {f"q{k}": 0.5 for k in range(8)}, "new": {f"q{k}": 0.7 + k // 4 / 10 for k in range(8)}}
        >>> groups = {f"q{k}": "de" if k < 4 else "fr" for k in range(8)}
        >>> table = tb.Utilities(scores, measure="acc").scores().by_group(groups).against("old")
        >>> [(row[0], row[2], round(row[4], 2), row[-1]) for row in table.rows()]
        [('de', 'new', 0.7, '*'), ('de', 'old', 0.5, ''), ('fr', 'new', 0.8, '*'), ('fr', 'old', 0.5, ''), \
('all', 'new', 0.75, '*'), ('all', 'old', 0.5, '')]
        """
        tables = {group: part.against(baseline, **how) for group, part in self.parts.items()}
        joint: dict[str, dict[str, Any]] = {group: {} for group in tables}
        for measure in self.whole.measures:
            tests = {group: table.tests[measure] for group, table in tables.items() if measure in table.tests}
            for group, test in correct_together(tests).items():
                joint[group][measure] = test
        parts = {group: table.replace_tests(joint[group]) for group, table in tables.items()}
        parts[label_for_all(self.parts)] = self.whole.against(baseline, **how)
        room = ScoreTable.widest_marks(parts.values())
        return self._results(GroupScoreTables, {group: table.with_room(room) for group, table in parts.items()})

    @classmethod
    def from_sums(cls, scores: Any, groups: Mapping[str, str]) -> ScoreGroups[Any]:
        """Of scores of which only sums are kept."""
        tables = group_totals(scores.visit, groups)
        parts = {
            group: replace(scores, requests=one.requests, sums=one.sums, notes=(), visit=one.visit)
            for group, one in tables.items()
        }
        n_requests = sum(len(one.requests) for one in tables.values())
        return cls(replace(scores, requests=Dropped(n_requests), notes=()), parts, scores.notes)

    def _all(self) -> Iterator[tuple[str, AnyScores]]:
        yield from self.parts.items()
        yield label_for_all(self.parts), self.whole

    def _results(self, kind: type[AnyResults], parts: Mapping[str, Result]) -> AnyResults:
        sizes, label = {group: len(part.requests) for group, part in self._all()}, label_for_all(self.parts)
        return kind(parts, sizes, (), self.notes, label, library=self.whole.library)
