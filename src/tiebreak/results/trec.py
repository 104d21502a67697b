"""Results as trec_eval prints them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiebreak.results.record import Result


def trec_rows(results: Sequence[Result]) -> Iterator[tuple[Any, ...]]:
    """As trec_eval prints: measure, request or ``all``, value, after the names of runs where there are several.

    The means of a run follow its requests; the measures of a request and a pair of runs follow each other. Results
    with `trec_columns` have these; rows without a measure and a value stay as they are.
    """
    runs = in_order(results, "run")
    lines = [trec_lines(result, len(runs) > 1) for result in results]
    first, last = results[0].columns, results[-1].columns
    if {"request", "other"} <= {*first}:
        requests, n_comparisons = in_order(results, "request"), sum("request" in one.columns for one in results)
        pairs = {line[:2]: k for k, line in enumerate(trec_lines(results[-1], True))}
        yield from merge(*lines[:n_comparisons], key=lambda line: (requests[line[3]], pairs[line[:2]]))
        lines = lines[n_comparisons:]
    elif len(runs) > 1 and "request" in first and "request" not in last:
        yield from merge(*lines, key=lambda line: runs[line[0]])
        return
    yield from chain.from_iterable(lines)


def in_order(results: Sequence[Result], column: str) -> dict[Any, int]:
    """The distinct values of a column, and the place of each in their order of appearance."""
    values = (record[column] for result in results if column in result.columns for record in result.records())
    return {value: k for k, value in enumerate(dict.fromkeys(values))}


def trec_lines(result: Result, are_several: bool) -> Iterator[tuple[Any, ...]]:
    """The lines of one result."""
    columns = result.trec_columns
    if not columns:
        if not {"measure", "value"} <= set(result.columns):
            yield from map(tuple, result.rows())
            return
        is_named = are_several or "other" in result.columns
        runs = (name for name in ("run", "other") if name in result.columns and is_named)
        columns = (*runs, "measure", "request", "value")
    for record in result.records():
        over = record.get("request") or record.get("group") or "all"
        yield tuple(over if name == "request" else record[name] for name in columns)
