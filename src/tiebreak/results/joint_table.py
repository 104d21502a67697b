"""Results of one kind as one table: below each other, or side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from tiebreak._base.checks import check_count
from tiebreak._base.text import plural
from tiebreak.results.cells import Row, column, text
from tiebreak.results.tables import Table

if TYPE_CHECKING:
    from tiebreak.results.record import Result

MOST_ROWS = 200
"""Rows that a terminal or a notebook shows."""
MOST_DIGITS = 17


def joint_table(results: Sequence[Result], digits: int = 4, most: int | None = MOST_ROWS) -> Table:
    """Results of one kind as one table: below each other, or side by side where they can be spread."""
    check_digits(digits)
    first = results[0]
    is_spread = first.spread is not None and (first.table_cells is None or len(results) > 1)
    table = spread_table(results, digits, most) if is_spread else long_table(results, digits, most)
    notes = dict.fromkeys(note for result in results for note in result.notes)
    return replace(table, notes=(*notes, *table.notes))


def check_digits(digits: int) -> None:
    check_count(digits, "digits", low=0, high=MOST_DIGITS)


def long_table(results: Sequence[Result], digits: int, most: int | None) -> Table:
    """The rows of one result after those of the other."""
    first = results[0]
    shown = first.table_cells or {name: column(name) for name in first.columns}
    if len(results) > 1 and "measure" in first.columns:
        shown = {"measure": column("measure"), **shown}
    rows: list[tuple[str, ...]] = []
    marked: set[tuple[int, int]] = set()
    total = 0
    for result in results:
        for record in result.records():
            total += 1
            if most is not None and total > most:
                continue
            cells = {title: cell(record, digits) for title, cell in shown.items()}
            if first.marked_column in shown:
                cells[first.marked_column] += mark_or_space(result, record)
                if result.is_marked(record):
                    marked.add((len(rows), list(shown).index(first.marked_column)))
            rows.append(tuple(cells.values()))
    return Table(tuple(shown), tuple(rows), not_shown(total - len(rows)), frozenset(marked))


def mark_or_space(result: Result, record: Row) -> str:
    """What follows a value: the mark if it is emphasised, or as much space."""
    return result.mark if result.is_marked(record) else " " * len(result.mark)


def spread_table(results: Sequence[Result], digits: int, most: int | None) -> Table:
    """A row for every combination of the columns before the one that is spread, without empty columns."""
    first = results[0]
    spread, cells = str(first.spread), first.spread_cells or {"": column("value")}
    keys = first.columns[: first.columns.index(spread)]
    values: dict[str, int] = {}
    rows: dict[tuple[Any, ...], dict[str, tuple[str, ...]]] = {}
    marked: list[tuple[tuple[Any, ...], str]] = []
    for result in results:
        for record in result.records():
            key, value = tuple(record[name] for name in keys), record[spread]
            values.setdefault(value, len(values))
            row = rows.setdefault(key, {})
            if most is None or len(rows) <= most:
                main, *others = (cell(record, digits) for cell in cells.values())
                row[value] = (main + mark_or_space(result, record), *others)
                marked += [(key, value)] if result.is_marked(record) else []
    used = [k for k in range(len(keys)) if any(key[k] is not None for key in rows)]
    nothing = ("-",) * len(cells)
    body = [
        (*(text(key[k], digits) for k in used), *(cell for value in values for cell in row.get(value, nothing)))
        for key, row in islice(rows.items(), most)
    ]
    index = {key: r for r, key in enumerate(rows)}
    best = frozenset((index[key], len(used) + len(cells) * values[value]) for key, value in marked)
    header = (*(keys[k] for k in used), *(title or str(value) for value in values for title in cells))
    return Table(header, tuple(body), not_shown(len(rows) - len(body)), best)


def not_shown(rows: int) -> tuple[str, ...]:
    """A note on rows that a table leaves out."""
    return (f"{plural(rows, 'more row')} not shown; other formats list all.",) if rows else ()
