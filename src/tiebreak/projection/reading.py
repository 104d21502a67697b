"""Runs and judgements in, `Positions` out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak import _kernels
from tiebreak._base.checks import check_choice, check_count, check_counts, check_number
from tiebreak._kernels.early import EarlyReading
from tiebreak._kernels.interface import CHOICES, MEMORY, UNRETRIEVED, Fault, Judged, Options, Projection, Tick, TopItems
from tiebreak.errors import InputError
from tiebreak.inputs import faults
from tiebreak.inputs.audit import FileAudit
from tiebreak.inputs.columns import ColumnNames, Columns
from tiebreak.inputs.ids import Ids
from tiebreak.inputs.judgements import Judgements, Subtopics, read_judgements, read_pairs
from tiebreak.inputs.runs import RunLike, as_runs
from tiebreak.inputs.sources import Path, Source, Values
from tiebreak.projection.candidates import add_unjudged, check_candidates, removal_notes
from tiebreak.projection.levels import Layout
from tiebreak.projection.position_table import Positions
from tiebreak.projection.summary import InputSummary


def project(
    judgements: Judgements | Path | Values,
    runs: RunLike | Iterable[RunLike],
    *,
    min_grade: float | None = None,
    binary: bool = False,
    depth: int | None = None,
    judged_only: bool = False,
    requests: str = "judged",
    ties: str = "item",
    duplicates: str = "error",
    on_bad_score: str = "error",
    nonrelevant: bool = False,
    top: int | None = None,
    pool: bool = False,
    exclude: Judgements | Path | Values | Any = None,
    candidates: Judgements | Path | Values | Any = None,
    memory: int = MEMORY,
    jobs: int | None = None,
    audit: bool = False,
    tick: Tick | None = None,
    early: EarlyReading | None = None,
    columns: Columns | None = None,
) -> Positions:
    """Read runs and find the positions of the relevant items of every request.

    Parameters
    ----------
    judgements : Judgements, path or dict
    runs : one or several of Run, path or dict
    min_grade : float, optional
        Grade from which an item is relevant; by default any grade above 0.
    binary : bool
        Binarize grades: relevant items get grade 1.
    depth : int, optional
        Truncate rankings at this depth.
    judged_only : bool
        Remove unjudged items from every ranking, before truncation.
    requests : {"judged", "common"}
        Evaluate every judged request, those missing from a run as retrieving nothing; or only those that every run
        lists.
    ties : {"item", "rank"}
        What decides between items of equal score: the item id, descending, as in trec_eval; or first the file's rank
        column, ascending.
    duplicates : {"error", "first", "best"}
        What to do with an item that is listed twice for a request.
    on_bad_score : {"error", "drop"}
        What to do with a line whose score is not a finite number.
    nonrelevant : bool
        Also find the items judged not relevant.
    top : int, optional
        Also keep the first `top` items of every ranking.
    pool : bool
        Also count the distinct items of each request over all rankings.
    exclude : path, dict or frame, optional
        Items to remove from the rankings of their request, before truncation: what a user is known to have seen, as
        the training data hold it. Values, if any, do not matter.
    candidates : path, dict or frame, optional
        The only items that count in the rankings of their request, its relevant items among them: all others are
        removed first. Every judged request needs some.
    memory : int
        Bytes that may be held of one file: of its largest request, or of all its lines where requests return.
    jobs : int, optional
        Files read at the same time; by default one per processor.
    audit : bool
        Also count what takes a closer look: how lines are written, whether rank columns agree with scores, ties of
        judged items, scores that tie in 32 bits.
    tick : callable, optional
        Called about ten times a second with the bytes read and the bytes in all; what it raises ends the work.
    early : EarlyReading, optional
        Files that a command has begun to read.
    columns : dict or str, optional
        Which column of the tables holds what, where its name does not say so, as in `Experiment`.

    Examples
    --------
    >>> qrels = {"q1": {"d1": 1, "d2": 2}}
    >>> p = project(qrels, [{"q1": {"d1": 3.0, "d9": 2.0, "d2": 1.0}}, {"q1": {"d2": 0.5}}])
    >>> p.levels().each(lambda p: p[..., 0]).tolist()
    [[1.0], [1.0]]
    """
    how = Reading(
        min_grade, binary, depth, judged_only, requests, ties, duplicates, on_bad_score, nonrelevant, top, pool, memory
    )
    check_counts(jobs=jobs)
    names = ColumnNames(columns, is_shared=True)
    judgements = how.binarize(read_judgements(judgements, columns=names, tick=tick, memory=memory, early=early))
    systems = as_runs(runs, memory, names, judgements.requests)
    excluded = read_pairs(exclude, "the excluded items", memory, names)
    allowed = read_pairs(candidates, "the candidates", memory, names)
    names.check_used()
    block = Block(judgements, tuple(run.source for run in systems), excluded, allowed)
    block.check(how)
    everything = how.project(block, tuple(run.name for run in systems), jobs, audit, tick, early)
    positions = how.choose_requests(replace(everything, notes=input_notes(block)))
    summary = InputSummary.from_positions(positions, everything=everything)
    summary.check([source.label for source in block.runs], judgements.requests[0])
    return replace(positions, notes=tuple(summary.reading_notes()))


@dataclass(frozen=True, eq=False)
class Block:
    """Judgements of some requests, and what a kernel reads of every run; excluded items and candidates, if any."""

    judgements: Judgements
    runs: tuple[Source, ...]
    excluded: Judgements | None = None
    candidates: Judgements | None = None

    def check(self, how: Reading) -> None:
        """What can be checked before runs are read; of all requests."""
        for source in self.runs:
            if how.ties == "rank" and source.is_table:
                raise InputError(
                    f'{source.label} is a table: ties="rank" is for files in TREC\'s format.', kind="choice"
                )
        if self.candidates is not None:
            check_candidates(self.judgements, self.candidates)


@dataclass(frozen=True)
class Reading:
    """How runs are read, as in `project`: the same for every block of requests."""

    min_grade: float | None = None
    binary: bool = False
    depth: int | None = None
    judged_only: bool = False
    requests: str = "judged"
    ties: str = "item"
    duplicates: str = "error"
    on_bad_score: str = "error"
    nonrelevant: bool = False
    top: int | None = None
    pool: bool = False
    memory: int = MEMORY

    def __post_init__(self) -> None:
        for name in CHOICES:
            check_choice(getattr(self, name), name, CHOICES[name])
        check_counts(depth=self.depth, top=self.top, memory=self.memory)
        if self.min_grade is not None:
            check_number(self.min_grade, "min_grade", above=0)

    def binarize(self, judgements: Judgements) -> Judgements:
        """Judgements as they are projected onto."""
        return judgements.binary(self.min_grade) if self.binary else judgements

    def project(
        self,
        block: Block,
        names: tuple[str, ...],
        jobs: int | None = None,
        audit: bool = False,
        tick: Tick | None = None,
        early: EarlyReading | None = None,
    ) -> Positions:
        """The positions in a block, without what can be checked and told only of all requests."""
        judgements = block.judgements
        plan = Plan(judgements, self.nonrelevant, block.excluded, block.candidates, self.judged_only)
        options = Options(
            self.depth,
            self.judged_only or block.candidates is not None,
            self.ties,
            self.duplicates,
            self.on_bad_score,
            self.top,
            self.pool,
            self.memory,
            jobs or os.cpu_count() or 1,
            audit,
        )
        projection = _kernels.project([source.kernel for source in block.runs], plan.judged, options, tick, early)
        if isinstance(projection, Fault):
            faults.raise_input_error(projection, block.runs[projection.file], faults.RUN, self.memory)
        libraries = [judgements.library, *(source.library for source in block.runs)]
        return replace(
            plan.positions(names, projection),
            min_grade=None if self.binary else self.min_grade,
            relevant_from=self.min_grade,
            ties=self.ties,
            audits=tuple(file_audits(block.runs, projection)),
            library=next(filter(None, libraries), None),
        )

    def choose_requests(self, positions: Positions) -> Positions:
        """The requests that count: all, or only those that every run lists."""
        if self.requests == "judged":
            return positions
        return positions.take_requests(np.flatnonzero((positions.listed > 0).all(axis=0)))


def input_notes(block: Block) -> tuple[str, ...]:
    """What the whole input says of itself, and which items are removed from rankings."""
    about = (*block.judgements.notes, *(note for source in block.runs for note in source.notes))
    return (*dict.fromkeys(about), *removal_notes(block.judgements, block.excluded, block.candidates))


def file_audits(runs: Sequence[Source], projection: Projection) -> Iterator[FileAudit]:
    for k, (source, (low, high)) in enumerate(zip(runs, projection.scores.tolist(), strict=True)):
        scores = (low, high) if low <= high else (np.nan, np.nan)
        yield FileAudit.from_counts(source.label, projection.counts, k, scores, source.original_line)


class Plan:
    """Which slot of a run's row of ranks each judgement's rank goes to: relevant items first, then the others."""

    def __init__(
        self,
        judgements: Judgements,
        nonrelevant: bool,
        excluded: Judgements | None = None,
        candidates: Judgements | None = None,
        judged_only: bool = False,
    ) -> None:
        self.judgements = judgements
        relevant = judgements.grade > 0
        self.layout, self.entries = self.lay_out(relevant)
        self.others, other_entries = self.lay_out(~relevant & nonrelevant)
        entries = np.concatenate([self.entries, other_entries])
        self.slot = np.full(len(judgements), -1, dtype=np.int32)
        self.slot[entries] = np.arange(len(entries))
        self.other_entries = other_entries if nonrelevant else None
        self.judged = Judged(
            judgements.requests.column,
            judgements.items.column,
            judgements.starts,
            judgements.item,
            self.slot,
            len(entries),
        )
        self.judgement_of_entry: NDArray[np.int64] | None = None
        if excluded is not None or candidates is not None:
            self.judged, self.judgement_of_entry = add_unjudged(
                self.judged, judgements, excluded, candidates, judged_only
            )

    def lay_out(self, mask: NDArray[np.bool_]) -> tuple[Layout, NDArray[np.int64]]:
        """The layout of some judgements, and these in the order it stores them."""
        entries = np.flatnonzero(mask)
        layout, order = Layout.from_requests(self.judgements.request[entries], len(self.judgements.requests))
        return layout, entries[order]

    def positions(self, runs: tuple[str, ...], projection: Projection) -> Positions:
        judgements, ranks, m = self.judgements, projection.ranks, len(self.entries)
        relevant = Positions(
            runs,
            judgements.requests,
            judgements.items,
            self.layout,
            np.ascontiguousarray(ranks[:, :m]),
            judgements.item[self.entries],
            judgements.grade[self.entries],
            projection.listed,
            projection.retrieved,
            projection.tied,
            pool=projection.pool,
        )
        nonrelevant = None
        if self.other_entries is not None:
            nonrelevant = replace(
                relevant,
                layout=self.others,
                ranks=np.ascontiguousarray(ranks[:, m:]),
                item=judgements.item[self.other_entries],
                grade=judgements.grade[self.other_entries],
            )
        top = None if projection.top is None else tuple(map(self.top_items, projection.top))
        return replace(relevant, nonrelevant=nonrelevant, top=top, subtopics=self.subtopics(), judgements=judgements)

    def top_items(self, top: TopItems) -> TopItems:
        """Top items with judgements by their own indices where unjudged items were added."""
        if self.judgement_of_entry is None:
            return top
        judgement = np.where(top.judgement < 0, -1, self.judgement_of_entry[top.judgement])
        return top._replace(judgement=judgement.astype(np.int32))

    def subtopics(self) -> Subtopics | None:
        rows = self.judgements.subtopics
        if rows is None:
            return None
        entry = self.slot[rows.entry].astype(np.int64)
        kept = (rows.grade > 0) & (entry >= 0)
        return rows.take(kept, entry[kept])


def positions(vectors: Sequence[Sequence[int | None]]) -> Positions:
    """Positions of one request by hand, for tests and teaching: one vector per run, ``None`` where unretrieved.

    Examples
    --------
    >>> positions([[2, 5], [4, 9]])
    <Positions: 2 runs, 1 request, 2 relevant items>
    """
    if (
        not isinstance(vectors, (Sequence, np.ndarray))
        or not all(isinstance(vector, (Sequence, np.ndarray)) for vector in vectors)
        or len({*map(len, vectors)} - {0}) != 1
    ):
        raise InputError(
            "give every run the positions of the same relevant items, at least one: [[2, 5], [4, None]].", kind="shape"
        )
    for vector in vectors:
        retrieved = [check_count(p, "position", high=UNRETRIEVED - 1) for p in vector if p is not None]
        if len({*retrieved}) < len(retrieved):
            raise InputError(f"{list(vector)}: two items have the same position. Give each its own.", kind="shape")
    ranks = np.array([[UNRETRIEVED if p is None else p for p in vector] for vector in vectors], dtype=np.int32)
    size = ranks.shape[1]
    last = np.where(ranks == UNRETRIEVED, 0, ranks).max(axis=1).astype(np.int32)[:, None]
    return Positions(
        runs=tuple(f"run{k}" for k in range(1, len(ranks) + 1)),
        requests=Ids.from_names(["q1"]),
        items=Ids.from_names(f"d{k}" for k in range(1, size + 1)),
        layout=Layout(np.zeros(1, dtype=np.int64), np.array([size])),
        ranks=ranks,
        item=np.arange(size, dtype=np.int32),
        grade=np.ones(size),
        listed=last,
        retrieved=last,
        tied=np.zeros_like(last),
    )
