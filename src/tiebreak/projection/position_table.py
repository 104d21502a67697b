"""Positions: for every run and request, the position of each relevant item (LR 2.1). The central object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.text import plural
from tiebreak._kernels.interface import TopItems
from tiebreak.errors import InputError
from tiebreak.inputs.audit import FileAudit
from tiebreak.inputs.columns import NAMES
from tiebreak.inputs.ids import Ids, offsets, ranges
from tiebreak.inputs.judgements import Judgements, Subtopics, is_relevant
from tiebreak.projection.levels import Bucket, Layout, Levels
from tiebreak.projection.needs import WHOLE_RANKING
from tiebreak.projection.primitives import UNRETRIEVED, Floats, Ranks

if TYPE_CHECKING:
    from tiebreak.projection.aspect_rankings import AspectRankings
    from tiebreak.projection.aspect_source import AspectSource


AXES: dict[str, tuple[str, ...]] = {
    "runs": ("run",),
    "ranks": ("run", "entry"),
    "item": ("entry",),
    "grade": ("entry",),
    "listed": ("run", "request"),
    "retrieved": ("run", "request"),
    "tied": ("run", "request"),
    "pool": ("request",),
    "top": ("run",),
    "audits": ("run",),
}
"""The axes of each column of `Positions`; requests, layout, top items and subtopics are handled separately."""
OPTIMISTIC = (
    "Optimistic imputation: relevant items that are not retrieved are placed right after the last item of the ranking, "
    "which favours short rankings."
)


class GradeScale(NamedTuple):
    """The smallest and the largest grade above 0, and the largest of a subtopic."""

    lowest: float
    highest: float
    of_subtopics: float = 0.0

    def plus(self, other: GradeScale) -> GradeScale:
        """The scale of both."""
        return GradeScale(
            min(self.lowest, other.lowest),
            max(self.highest, other.highest),
            max(self.of_subtopics, other.of_subtopics),
        )


@dataclass(frozen=True, eq=False)
class Positions:
    """The position of each positively graded item of each request in each run.

    Attributes
    ----------
    runs : tuple of str
    requests, items : Ids
        In the order of the input.
    ranks : int32 array [run, entry]
        1-based; ``UNRETRIEVED`` where a run does not retrieve the item.
    item, grade : arrays [entry]
        The item, as an index into `items`, and its grade.
    layout : Layout
        Which request each entry belongs to: entries are stored by requests in order of m.
    listed, retrieved, tied : int32 arrays [run, request]
        How many items the run lists (0: it misses the request), how many are in the ranking after ``depth`` and
        ``judged_only``, and how many of the listed ones share their score with another.
    nonrelevant : Positions, optional
        The positions of the items judged not relevant.
    pool : int32 array [request], optional
        Number of distinct items over all rankings.
    top : list of TopItems, optional
        Per run, the first items of every ranking.
    judgements : Judgements, optional
        What the runs were projected onto.
    aspect_source : AspectSource, optional
        Where the aspects of items come from.
    min_grade : float, optional
        The grade from which an item counts as relevant; by default any above 0.
    is_sampled : bool
        Some labels were removed.
    relevant_from : float, optional
        `min_grade` before grades were made binary, for messages.
    notes : tuple of str
        Which items were removed from rankings.
    library : str, optional
        The data frame library of the input.
    whole_scale : GradeScale, optional
        The grades of all requests, where these are a block of them.
    """

    runs: tuple[str, ...]
    requests: Ids
    items: Ids
    layout: Layout
    ranks: Ranks
    item: NDArray[np.int32]
    grade: Floats
    listed: NDArray[np.int32]
    retrieved: NDArray[np.int32]
    tied: NDArray[np.int32]
    subtopics: Subtopics | None = None
    nonrelevant: Positions | None = None
    pool: NDArray[np.int32] | None = None
    top: tuple[TopItems, ...] | None = None
    judgements: Judgements | None = None
    aspect_source: AspectSource | None = None
    is_sampled: bool = False
    min_grade: float | None = None
    relevant_from: float | None = None
    ties: str = "item"
    audits: tuple[FileAudit, ...] = ()
    notes: tuple[str, ...] = ()
    library: str | None = None
    whole_scale: GradeScale | None = None

    @property
    def grade_scale(self) -> GradeScale:
        """The grades of all requests: what looks at them decides alike in every block."""
        if self.whole_scale is not None:
            return self.whole_scale
        of_subtopics = 0.0 if self.subtopics is None else self.subtopics.grade.max(initial=0.0)
        return GradeScale(
            float(self.grade.min(initial=np.inf)), float(self.grade.max(initial=0.0)), float(of_subtopics)
        )

    @property
    def relevance(self) -> str:
        """What counts as relevant, in words."""
        return "a grade above 0" if self.relevant_from is None else f"a grade of at least {self.relevant_from:g}"

    @property
    def request_order(self) -> NDArray[np.int64]:
        """The index in the input of every stored request."""
        return self.layout.request_order

    def __repr__(self) -> str:
        sizes = (
            plural(len(self.runs), "run"),
            plural(len(self.requests), "request"),
            plural(int(self.relevant().sum()), "relevant item"),
        )
        return f"<Positions: {', '.join(sizes)}>"

    def buckets(self) -> Iterator[Bucket]:
        """Requests by their number of entries m, as views of `ranks`; not sorted along the last axis."""
        for m, requests, entries in self.layout.blocks():
            yield Bucket(m, requests, self.ranks[:, entries].reshape(len(self.runs), -1, m))

    def levels(
        self, min_grade: float | None = None, *, subtopic: str | None = None, mask: NDArray[np.bool_] | None = None
    ) -> Levels:
        """The increasing positions of the relevant items.

        Parameters
        ----------
        min_grade : float, optional
            Relevant is what has at least this grade; by default what these positions were made with.
        subtopic : str, optional
            Only items relevant to this subtopic.
        mask : bool array [entry], optional
            Only these entries.

        Examples
        --------
        >>> import tiebreak as tb
        >>> [bucket.p.tolist() for bucket in tb.positions([[5, 2], [4, None]]).levels().buckets()]
        [[[[2, 5]], [[4, 2147483647]]]]
        """
        key = min_grade, subtopic
        if mask is None and (known := self._levels.get(key)) is not None:
            return known
        kept = self if mask is None else self.keep(mask)
        kept = kept.only_relevant(min_grade, subtopic)
        buckets = (replace(b, p=np.sort(b.p, axis=-1)) for b in kept.buckets())
        levels = Levels(self.runs, self.requests, self.retrieved, tuple(buckets))
        if mask is None:
            self._levels[key] = levels
        return levels

    def __getstate__(self) -> dict[str, Any]:
        """For pickles: without levels, which are sorted again."""
        return {name: value for name, value in vars(self).items() if name not in ("_levels", "condensed_lists")}

    @cached_property
    def _levels(self) -> WeakValueDictionary[tuple[float | None, str | None], Levels]:
        """Levels that are still in use: they are sorted once."""
        return WeakValueDictionary()

    @cached_property
    def aspect_rankings(self) -> AspectRankings:
        """The first items of every ranking with their aspects, where they were read."""
        if self.aspect_source is None:
            raise InputError("there are no aspects of items. Use Experiment(..., aspects=...).", kind="aspects")
        return self.aspect_source.rankings(self)

    def relevant(self, min_grade: float | None = None) -> NDArray[np.int64]:
        """The number of relevant items of every request."""
        layout = self.only_relevant(min_grade).layout
        sizes = np.empty_like(layout.sizes)
        sizes[layout.request_order] = layout.sizes
        return sizes

    def count_judged(self, depth: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Of every run, how many items within a depth were judged, over all rankings, and how many there are."""
        if depth not in self._judged_counts:
            parts = [self] if self.nonrelevant is None else [self, self.nonrelevant]
            seen = np.minimum(self.retrieved, depth)
            judged = [  # run by run: of all at once a table of every run and entry would be held
                sum(int((part.ranks[run] <= row[part.layout.request]).sum()) for part in parts)
                for run, row in enumerate(seen)
            ]
            self._judged_counts[depth] = np.array(judged, dtype=np.int64), seen.sum(axis=1, dtype=np.int64)
        return self._judged_counts[depth]

    @cached_property
    def _judged_counts(self) -> dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """By depth: every measure asks for the same."""
        return {}

    def share_judged(self, depth: int) -> Floats:
        """The share of the items within a depth that was judged, over all rankings of every run."""
        judged, seen = self.count_judged(depth)
        return judged / np.maximum(seen, 1)

    def only_relevant(self, min_grade: float | None = None, subtopic: str | None = None) -> Positions:
        """Only the entries that are relevant: those of at least this grade, for a subtopic if one is given."""
        min_grade = min_grade if min_grade is not None else self.min_grade
        if min_grade is None and subtopic is None:
            return self
        return self.keep(is_relevant(self.grade if subtopic is None else self._grade_for(subtopic), min_grade))

    def _grade_for(self, subtopic: str) -> Floats:
        subtopics = self.require_subtopics()
        rows = subtopics.label == subtopics.labels.place(subtopic, "subtopic")
        grade = np.zeros_like(self.grade)
        grade[subtopics.entry[rows]] = subtopics.grade[rows]
        return grade

    def require_subtopics(self, who: str = "") -> Subtopics:
        """The subtopics, or an error that says where they stand, and who needs them."""
        if self.subtopics is None:
            need = f"{who} needs subtopics; " if who else ""
            raise InputError(
                f"{need}these judgements have no subtopics. They stand in the second column of a file, and in "
                f"a column {', '.join(NAMES['subtopic'])} of a table, where it takes several values; other names are "
                'given with columns={"subtopic": ...}, --columns subtopic=...',
                kind="subtopic",
            )
        return self.subtopics

    def keep(self, mask: NDArray[np.bool_]) -> Positions:
        """Positions without the labels of some entries: their items count as not judged."""
        if mask.shape != self.item.shape:
            raise InputError(f"the mask has shape {mask.shape}; there are {len(self.item)} entries.", kind="shape")
        if mask.all():
            return self
        entries = np.flatnonzero(mask)
        return self._store(entries, self.layout.request[entries], len(self.requests))

    @cached_property
    def condensed_lists(self) -> Positions:
        """Positions in rankings without unjudged items (Sakai 2007).

        Examples
        --------
        >>> import tiebreak as tb
        >>> positions = tb.project({"q": {"a": 1, "n": 0}}, {"q": {"x": 3.0, "n": 2.0, "a": 1.0}}, nonrelevant=True)
        >>> positions.condensed_lists.levels().each(lambda p: p[..., 0]).tolist()      # n, a
        [[2.0]]
        """
        if self.nonrelevant is None:
            raise InputError(
                "condensed lists need the items judged not relevant. Project with nonrelevant=True.", kind="nonrelevant"
            )
        request = np.concatenate([self.layout.request, self.nonrelevant.layout.request])
        ranks = np.concatenate([self.ranks, self.nonrelevant.ranks], axis=1)
        starts = offsets(np.bincount(request, minlength=len(self.requests)))[:-1]
        retrieved = np.empty_like(self.retrieved)
        for run, row in enumerate(ranks):
            retrieved[run] = np.bincount(request, row <= self.retrieved[run, request], len(self.requests))
            order = np.lexsort((row, request))
            new = np.arange(1, len(order) + 1) - starts[request[order]]
            row[order] = np.where(row[order] == UNRETRIEVED, UNRETRIEVED, new)
        own, others = np.split(ranks, [self.ranks.shape[1]], axis=1)
        nonrelevant = replace(self.nonrelevant, ranks=others, retrieved=retrieved)
        return replace(self, ranks=own, retrieved=retrieved, nonrelevant=nonrelevant, top=None, pool=None)

    def optimistic(self) -> Positions:
        """Unretrieved relevant items right after the last item of the ranking, higher grades first (LR 2.2).

        For study: it favours short rankings.

        Examples
        --------
        >>> import tiebreak as tb
        >>> positions = tb.project({"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"x": 2.0, "b": 1.0}})
        >>> positions.optimistic().levels().each(lambda p: p[..., -1]).tolist()      # p = (2, 3, 4)
        [[4.0]]
        """
        request = self.layout.request
        order = np.lexsort((self.items.places_in_order[self.item], -self.grade, request))
        request = request[order]
        is_missing = is_relevant(self.grade, self.min_grade)[order] & (self.ranks[:, order] == UNRETRIEVED)
        count = np.cumsum(is_missing, axis=1)
        starts = np.flatnonzero(np.diff(request, prepend=-1))
        before = np.repeat((count - is_missing)[:, starts], np.diff(starts, append=len(request)), axis=1)
        ranks = self.ranks.copy()
        ranks[:, order] = np.where(is_missing, self.retrieved[:, request] + count - before, ranks[:, order])
        return replace(self, ranks=ranks, notes=(*self.notes, OPTIMISTIC))

    def _take(self, axis: str, places: NDArray[np.int64]) -> dict[str, Any]:
        """Some indices along an axis, of every column that has it."""
        columns = {name: getattr(self, name) for name, axes in AXES.items() if axis in axes}
        return {
            name: tuple(column[k] for k in places.tolist())
            if isinstance(column, tuple)
            else np.take(column, places, axis=AXES[name].index(axis))
            for name, column in columns.items()
            if column is not None and len(column)
        }

    def take_runs(self, places: Sequence[int]) -> Positions:
        """Some of the runs, by index, in the order given."""
        rows = np.array(list(places), dtype=np.int64)
        nonrelevant = None if self.nonrelevant is None else self.nonrelevant.take_runs(places)
        return replace(self, **self._take("run", rows), nonrelevant=nonrelevant)

    def take_requests(self, places: NDArray[np.integer] | Sequence[int]) -> Positions:
        """Some of the requests, by index in the input, in the order given; they may be repeated."""
        places = np.asarray(places, dtype=np.int64).ravel()
        stored = np.empty_like(self.request_order)
        stored[self.request_order] = np.arange(len(stored))
        sizes = self.layout.sizes[stored[places]]
        entries = ranges(self.layout.starts[stored[places]], sizes)
        taken = self._store(entries, np.repeat(np.arange(len(places)), sizes), len(places))
        return replace(
            taken,
            **self._take("request", places),
            requests=self.requests.take(places),
            top=None if self.top is None else tuple(take_top(top, places, WHOLE_RANKING) for top in self.top),
            nonrelevant=None if self.nonrelevant is None else self.nonrelevant.take_requests(places),
        )

    def _store(self, entries: NDArray[np.int64], request: NDArray[np.int64], requests: int) -> Positions:
        """Only these entries, of the requests given, stored anew by size."""
        layout, order = Layout.from_requests(request, requests)
        entries = entries[order]
        return replace(
            self,
            **self._take("entry", entries),
            layout=layout,
            subtopics=None if self.subtopics is None else _take_subtopics(self.subtopics, entries, len(self.item)),
        )


def _take_subtopics(subtopics: Subtopics, entries: NDArray[np.int64], n_entries: int) -> Subtopics:
    """The rows of these entries, as often as an entry is taken."""
    by_entry = np.argsort(subtopics.entry, kind="stable")
    sizes = np.bincount(subtopics.entry, minlength=n_entries)
    rows = by_entry[ranges((np.cumsum(sizes) - sizes)[entries], sizes[entries])]
    return subtopics.take(rows, np.repeat(np.arange(len(entries)), sizes[entries]))


def take_top(top: TopItems, places: NDArray[np.int64], most: int) -> TopItems:
    """The first items of some requests, by index; at most `most` of each."""
    sizes = np.minimum(np.diff(top.starts)[places], most)
    rows = ranges(top.starts[places], sizes)
    return TopItems(offsets(sizes), Ids(*top.items).take(rows).column, top.judgement[rows])
