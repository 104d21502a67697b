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
    item_lists = (item := table.find("item")) is not None and table.contents.has_lists(item)
    is_ranked = item_lists or table.find("score") is not None or table.find("rank") is not None
    request, item, *_ = table.require("request", "item", *([] if is_ranked else ["score"]))
    run = table.columns.find_run(table.contents.names, table.label)
    may_be_items = run is not None and plain(run) in AMBIGUOUS and not table.columns.names("run")
    coded = [request, *([] if run is None else [run]), *([item] if may_be_items else [])]
    if item_lists:
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
        yield name, name_run(source, label, rows)


def name_run(source: Source, label: str, rows: NDArray[np.int64]) -> Source:
    """One of several runs; messages name it, and the row of the table or the line of the file."""
    first, unit = (1, "row") if source.first_line is None else (source.first_line, "line")
    return replace(source, label=label, rows=unit, first_line=None, line_of_row=rows + first)


Values = NDArray[np.float64]


def read_scored(table: Table, coded: list[str], item: str) -> tuple[FrameColumns, Values, Values | None]:
    """A row for every item: the columns, the values that rank items, and scores that may disagree with them."""
    score, rank = table.find("score"), table.find("rank")
    named = table.columns.by_role
    is_score, is_rank = score == named.get("score", ""), rank == named.get("rank", "")
    if score is None or (is_rank and not is_score):
        read = table.read(coded, item, rank)
        return read, -read.values, None  # the first rank is the largest score
    if rank is None or (is_score and not is_rank):
        read = table.read(coded, item, score)
        return read, read.values, None
    read, ranks = table.read_two(coded, item, score, rank)
    if not table.is_ordered:
        if not is_score:
            check_ranks(table, [codes for _, codes in read.coded[:2]], read.values, ranks)
        return read, read.values, None
    is_ranked = ~np.isnan(ranks)  # items of lists without an order have only a score
    return read, np.where(is_ranked, -ranks, read.values), np.where(is_ranked, read.values, np.nan)


def check_ranks(table: Table, keys: list[NDArray[np.int32]], scores: Values, ranks: Values) -> None:
    """Ask where ranks and scores order the items of lists differently: of a request, or a request and a run."""
    lists = combine(*keys) if len(keys) > 1 else keys[0]
    step = np.diff(lists)
    if not np.all((step > 0) | ((step == 0) & (np.diff(ranks) > 0))):
        order = np.lexsort((-scores, ranks, lists))
        lists, ranks, scores = lists[order], ranks[order], scores[order]
    differs = (np.diff(lists) == 0) & (np.diff(ranks) > 0) & (np.diff(scores) > 0)
    if differs.any():
        n_lists, n_differ = len(np.unique(lists)), len(np.unique(lists[1:][differs]))
        score, rank = table.column("score"), table.column("rank")
        raise InputError(
            f"{table.label}: columns {quote(rank)} and {quote(score)} order the items of {n_differ:,} of "
            f"{plural(n_lists, 'list')} differently. Say which decides: columns={{'rank': {rank!r}}} or "
            f"columns={{'score': {score!r}}}, on the command line --columns rank={rank} or --columns score={score}.",
            kind="columns",
        )


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
