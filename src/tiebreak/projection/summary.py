"""What notes on results say about the input: counts that add up over blocks of requests, and what is told of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.text import plural
from tiebreak._base.warning import warn
from tiebreak.errors import EmptyRequestsWarning, InputError, RequestsLeftOutWarning, quote
from tiebreak.inputs.audit import FileAudit
from tiebreak.projection.position_table import GradeScale, Positions
from tiebreak.projection.rating_scale import RatingScale

TOP = 10
"""Of so many first items the share that was judged is told."""
MOST_NAMED = 3
"""Requests without relevant items that a warning names."""


class RequestCounts(NamedTuple):
    """Requests without a relevant item, and rankings that are missing of others."""

    empty: int
    missing: int


class AspectCounts(NamedTuple):
    """How many aspects there are, rated items without one, users without interests, and with unserved ones.

    And the largest rating, and whether interests are taken from training ratings.
    """

    aspects: int
    without_aspect: int
    without_profile: int
    unserved: int
    largest: float
    has_training: bool

    @classmethod
    def from_positions(cls, positions: Positions) -> AspectCounts:
        rankings = positions.aspect_rankings
        counts = rankings.n_without_aspect, rankings.n_without_profile, rankings.n_unserved
        source = positions.aspect_source
        has_training = source is not None and source.train is not None
        return cls(len(rankings.table.labels), *counts, rankings.largest, has_training)

    def plus(self, other: AspectCounts) -> AspectCounts:
        """Of two blocks of requests together."""
        return self._replace(
            without_aspect=self.without_aspect + other.without_aspect,
            without_profile=self.without_profile + other.without_profile,
            unserved=self.unserved + other.unserved,
        )


@dataclass(frozen=True, eq=False)
class InputSummary:
    """What was read, of all requests or of a block of them; `+` is of both together.

    `scale` are the grades, `counts` are by the grade from which items are relevant, the others of every
    run: items judged and `seen` among the first ten, the deepest ranking, rankings that are listed.
    """

    runs: tuple[str, ...]
    n_requests: int
    n_left_out: int
    relevance: str
    min_grade: float | None
    scale: GradeScale
    counts: dict[float | None, RequestCounts]
    audits: tuple[FileAudit, ...]
    judged: NDArray[np.int64]
    seen: NDArray[np.int64]
    deepest: NDArray[np.int64]
    listed: NDArray[np.int64]
    empty: tuple[str, ...]
    empty_has_grades: bool
    notes: tuple[str, ...]
    ratings: RatingScale
    library: str | None
    aspects: AspectCounts | None = field(default=None)

    @classmethod
    def from_positions(
        cls,
        positions: Positions,
        levels: Iterable[float | None] = (),
        has_aspects: bool = False,
        everything: Positions | None = None,
    ) -> InputSummary:
        """A summary with counts by some grades, and of aspects if rankings have them.

        `everything` are the positions of all requests, where these are only those that every run lists.
        """
        everything = everything or positions
        counts = {}
        for rel in {None, *levels}:
            m = positions.relevant(rel)
            counts[rel] = RequestCounts(int((m == 0).sum()), int(((positions.listed == 0) & (m > 0)).sum()))
        empty = np.flatnonzero(positions.relevant() == 0)
        entries = np.bincount(positions.layout.request, minlength=len(positions.requests))
        return cls(
            positions.runs,
            len(positions.requests),
            len(everything.requests) - len(positions.requests),
            positions.relevance,
            positions.min_grade,
            positions.grade_scale,
            counts,
            positions.audits,
            *positions.count_judged(TOP),
            positions.retrieved.max(axis=1, initial=0).astype(np.int64),
            (everything.listed > 0).sum(axis=1),
            tuple(positions.requests[int(place)] for place in empty[:MOST_NAMED]),
            bool(entries[empty].any()),
            positions.notes,
            RatingScale.from_positions(positions),
            positions.library,
            AspectCounts.from_positions(positions) if has_aspects else None,
        )

    def __add__(self, other: InputSummary) -> InputSummary:
        counts = {
            rel: RequestCounts(*(a + b for a, b in zip(one, other.counts[rel], strict=True)))
            for rel, one in self.counts.items()
            if rel in other.counts
        }
        return replace(
            self,
            n_requests=self.n_requests + other.n_requests,
            n_left_out=self.n_left_out + other.n_left_out,
            scale=self.scale.plus(other.scale),
            counts=counts,
            audits=tuple(map(FileAudit.__add__, self.audits, other.audits)),
            judged=self.judged + other.judged,
            seen=self.seen + other.seen,
            deepest=np.maximum(self.deepest, other.deepest),
            listed=self.listed + other.listed,
            empty=(*self.empty, *other.empty)[:MOST_NAMED],
            empty_has_grades=self.empty_has_grades or other.empty_has_grades,
            ratings=self.ratings.plus(other.ratings),
            aspects=self.aspects.plus(other.aspects)
            if self.aspects and other.aspects
            else self.aspects or other.aspects,
        )

    def reading_notes(self) -> Iterator[str]:
        """What the input says of itself, and runs in which nothing is."""
        yield from self.notes
        for run, audit in zip(self.runs, self.audits, strict=False):  # there are none of positions by hand
            if not audit.lines:
                yield f"run {quote(run)} retrieves nothing: every relevant item is unretrieved."

    @classmethod
    def total(cls, parts: Sequence[InputSummary]) -> InputSummary:
        """All blocks together."""
        return reduce(cls.__add__, parts)

    def check(self, labels: Sequence[str], first: str) -> None:
        """What can be seen only of all requests: of runs with these labels, and judgements that begin with a request.

        Warns of requests that are left out.
        """
        for label, listed, audit in zip(labels, self.listed.tolist(), self.audits, strict=True):
            if not listed and audit.lines:
                raise_disjoint(label, first, audit)
        if self.n_left_out and not self.n_requests:
            raise InputError('no request is listed by every run, as requests="common" asks for.', kind="disjoint")
        if self.n_left_out:
            warn(
                f"{self.n_left_out} of {self.n_left_out + self.n_requests} judged requests are not listed by every run "
                "and are left out.",
                RequestsLeftOutWarning,
            )
        self.warn_of_empty()

    def warn_of_empty(self) -> None:
        """Warn of requests without relevant items, which have no positions."""
        empty = self.counts[None].empty
        if empty == self.n_requests:
            raise InputError(
                "no request has a relevant item, so there is nothing to compare. "
                "Check min_grade, and whether the runs share requests with the judgements.",
                kind="empty",
            )
        if empty:
            names = ", ".join(map(quote, self.empty))
            more = ", ..." if empty > MOST_NAMED else ""
            have, are = ("has", "is") if empty == 1 else ("have", "are")
            but = " by all measures but graded ones" if self.empty_has_grades else ""
            warn(
                f"{empty} of {plural(self.n_requests, 'request')} {have} no relevant item and {are} left out"
                f"{but}: {names}{more}.",
                EmptyRequestsWarning,
            )


def raise_disjoint(label: str, first: str, audit: FileAudit) -> None:
    """A run without any judged request was made for other judgements, unless it is empty."""
    strange = next((odd.example for odd in audit.oddities if odd.kind == "unjudged_requests"), None)
    seen = f" It begins with request {strange}," if strange else " It keeps no line,"
    raise InputError(
        f"{label} lists none of the judged requests.{seen} the judgements with "
        f"{quote(first)}. Are these files for the same test collection?",
        kind="disjoint",
        file=label,
    )
