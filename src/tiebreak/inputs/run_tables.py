"""The runs in a table: by scores, by ranks, or in the order of lists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.text import plural
from tiebreak._kernels.interface import FrameColumns
from tiebreak.errors import InputError, quote
from tiebreak.inputs.columns import plain
from tiebreak.inputs.ids import Ids, offsets
from tiebreak.inputs.sources import Source
from tiebreak.inputs.tables import Table

AMBIGUOUS = ("name", "tag")
"""Names of columns that may also describe items."""


def table_runs(table: Table) -> Iterator[tuple[str | None, Source]]:
    """Every run of a table, with its name where a column has it."""
    request, item, run = table.column("request"), table.column("item"), table.find("run")
    may_be_items = run is not None and plain(run) in AMBIGUOUS and not table.columns.names("run")
    coded = [request, *([] if run is None else [run]), *([item] if may_be_items else [])]
    if table.contents.has_lists(item):
        read, values, scores = read_ordered(table, coded[: 1 if run is None else 2], item)
    else:
        read, values, scores = read_scored(table, coded, item)
    (requests, request_of_row), *more = read.coded
    if not more:
        note = order_note(table.label, request_of_row, values, scores)
        yield None, table.source(requests, request_of_row, read.items, values, *note)
        return
    runs, run_of_row = more[0]
    if may_be_items and len(Ids(*runs)) > 1:
        check_repeats(table, str(run), request_of_row, run_of_row, more[1][1] if len(more) > 1 else None)
    for k, name in enumerate(Ids(*runs)):
        rows = np.flatnonzero(run_of_row == k)
        label = f"{table.label}, run {quote(name)}"
        note = order_note(label, request_of_row[rows], values[rows], None if scores is None else scores[rows])
        source = table.source(requests, request_of_row[rows], Ids(*read.items).take(rows).column, values[rows], *note)
        yield name, replace(source, label=label, first_line=None)


Values = NDArray[np.float64]


def read_scored(table: Table, coded: list[str], item: str) -> tuple[FrameColumns, Values, Values | None]:
    """A row for every item: the columns, the values that rank items, and scores that may disagree with them."""
    score, rank = table.find("score"), table.find("rank")
    if rank is not None and table.columns.names("rank") and not table.columns.names("score"):
        score = None
    read = table.read(coded, item, score or rank or table.column("score"))
    if score is None:
        return read, -read.values, None  # the first rank is the largest score
    if rank is None or not table.is_ordered:
        return read, read.values, None
    ranks = table.read(coded, item, rank).values
    is_ranked = ~np.isnan(ranks)  # items of lists without an order have only a score
    return read, np.where(is_ranked, -ranks, read.values), np.where(is_ranked, read.values, np.nan)


def read_ordered(table: Table, coded: list[str], item: str) -> tuple[FrameColumns, Values, Values | None]:
    """A list of items for every request, which may have a list of scores beside it."""
    score = table.find("score")
    if score is not None and not table.contents.has_lists(score):
        score = None
    read, sizes = table.read_lists(coded, item, score)
    starts = offsets(sizes)[:-1]
    (requests, request), *runs = read.coded
    lists = combine(request[starts], runs[0][1][starts]) if runs else request[starts]
    _, first, times = np.unique(lists, return_index=True, return_counts=True)
    for twice in first[times > 1][:1].tolist():
        name = quote(Ids(*requests)[int(request[starts[twice]])])
        raise InputError(f"{table.label}: request {name} has two lists. Keep one.", kind="duplicate")
    return read, descending(sizes), None if score is None else read.values


def combine(codes: NDArray[np.int32], others: NDArray[np.int32]) -> NDArray[np.int64]:
    """One code for every pair of codes."""
    return codes.astype(np.int64) * (int(others.max(initial=0)) + 1) + others


def descending(sizes: NDArray[np.int64]) -> Values:
    """A value for every item of lists of these sizes, the first of each list the largest."""
    values = np.arange(0.0, -float(sizes.sum()), -1.0)
    values += np.repeat(offsets(sizes)[:-1].astype(np.float64), sizes)
    return values


def order_note(label: str, request: NDArray[np.int32], values: Values, scores: Values | None) -> Iterator[str]:
    """A note where the scores of ordered lists would order items otherwise."""
    if scores is None:
        return
    order = np.lexsort((-values, request))
    is_same_list = np.diff(request[order]) == 0
    disagree = np.unique(request[order][1:][is_same_list & (np.diff(scores[order]) > 0)])
    if len(disagree):
        ranked = np.unique(request[~np.isnan(scores)])
        yield (
            f"{label[:1].upper()}{label[1:]}: items keep the order of their lists; scores would order "
            f"{len(disagree):,} of {plural(len(ranked), 'list')} otherwise."
        )


def check_repeats(
    table: Table,
    run: str,
    request: NDArray[np.int32],
    run_of_row: NDArray[np.int32],
    item: NDArray[np.int32] | None,
) -> None:
    """Where no item is listed twice for a request, or no request has two lists, a name may be that of the item."""
    if item is None:
        n_listed = len(np.unique(combine(request, run_of_row)))
        n_distinct = len(np.unique(request))
    else:
        n_listed, n_distinct = len(request), len(np.unique(combine(request, item)))
    if n_distinct == n_listed:
        raise InputError(
            f"{table.label}: column {quote(run)} may name the runs or the items. Say that it names runs, "
            f"columns={{'run': {run!r}}}, or that there is one run, columns={{'run': None}}; on the command line "
            f"--columns run={run} or --columns run=.",
            kind="columns",
        )
