"""Results of one kind as one table: below each other, or side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tiebreak._base.checks import check_count
from tiebreak._base.text import MOST_DIGITS, plural
from tiebreak.results.cells import MOST_ROWS, Row, column, text
from tiebreak.results.groups import NEEDED
from tiebreak.results.pairs import UNCORRECTED, PairRows, without_mark
from tiebreak.results.tables import Table

if TYPE_CHECKING:
    from tiebreak.results.record import Result

MOST_PAIRS = 45
"""All pairs of more than ten runs are shown as a matrix."""
SIGNS_IN_A_COLUMN = 10


def joint_table(results: Sequence[Result], digits: int = 4, most: int | None = MOST_ROWS) -> Table:
    """Results of one kind as one table: below each other, or side by side where they can be spread."""
    check_digits(digits)
    first = results[0]
    notes = list(dict.fromkeys(note for result in results for note in result.notes))
    table = None if most is None or not first.has_pairs else pair_matrix(results)
    if table is not None:
        notes = [without_mark(note) for note in notes if not note.startswith(NEEDED)]
    elif is_spread(results):
        table = spread_table(results, digits, most)
    else:
        table = long_table(results, digits, most)
        return replace(table, notes=(*notes, *table.notes))
    return replace(table, notes=(*(note for note in notes if not note.endswith(UNCORRECTED)), *table.notes))


def is_spread(results: Sequence[Result]) -> bool:
    """Whether one row of their table has the values of several records."""
    return results[0].spread is not None and (results[0].table_cells is None or len(results) > 1)


def row_keys(result: Result) -> tuple[str, ...]:
    """The columns before the one that is spread: records that agree on them are one row."""
    return result.columns[: result.columns.index(str(result.spread))]


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
    notes = not_shown(total - len(rows))
    return Table(tuple(shown), tuple(rows), notes, frozenset(marked), first.optional_columns)


def mark_or_space(result: Result, record: Row) -> str:
    """What follows a value: the mark if it is emphasised, or as much space."""
    return result.mark if result.is_marked(record) else " " * len(result.mark)


def spread_table(results: Sequence[Result], digits: int, most: int | None) -> Table:
    """A row for every combination of the columns before the one that is spread, without empty columns."""
    first = results[0]
    spread, cells = str(first.spread), first.spread_cells or {"": column("value")}
    keys = row_keys(first)
    values: dict[str, int] = {}
    rows: dict[tuple[Any, ...], dict[str, tuple[str, ...]]] = {}
    index: dict[tuple[Any, ...], int] = {}
    marked: list[tuple[tuple[Any, ...], str]] = []
    for result in results:
        for record in result.records():
            key, value = tuple(record[name] for name in keys), record[spread]
            values.setdefault(value, len(values))
            place = index.setdefault(key, len(index))
            if most is None or place < most:
                main, *others = (cell(record, digits) for cell in cells.values())
                rows.setdefault(key, {})[value] = (main + mark_or_space(result, record), *others)
                marked += [(key, value)] if result.is_marked(record) else []
    used = [k for k in range(len(keys)) if any(key[k] is not None for key in rows)]
    nothing = ("-",) * len(cells)
    body = [
        (*(text(key[k], digits) for k in used), *(cell for value in values for cell in row.get(value, nothing)))
        for key, row in rows.items()
    ]
    best = frozenset((index[key], len(used) + len(cells) * values[value]) for key, value in marked)
    header = (*(keys[k] for k in used), *(title or str(value) for value in values for title in cells))
    return Table(header, tuple(body), not_shown(len(index) - len(rows)), best, first.optional_columns)


def pair_matrix(results: Sequence[Result]) -> Table | None:
    """All pairs of many runs: for every run its sign against every other, in every group of requests if there are any.

    Runs are in the order of the first measure, over all requests. None of what is no such thing: few pairs, or not all
    of them.
    """
    measures = list(dict.fromkeys((k, row["measure"]) for k, one in enumerate(results) for row in one.records()))
    groups = list(dict.fromkeys(record.get("group") for record in results[0].records()))  # the last is of all requests
    parts = [[PairRows(results[k], measure, group=group) for k, measure in measures] for group in groups]
    order = parts[-1][0]
    runs = order.order()
    number = len(runs) * (len(runs) - 1) // 2
    if number <= MOST_PAIRS or any(len(pairs.rows) != number for several in parts for pairs in several):
        return None
    begins = range(0, len(runs), SIGNS_IN_A_COLUMN)
    titles = [f"{measure}: 1" if begin == 0 else f"{begin + 1}" for _, measure in measures for begin in begins]
    notes = [
        f"All {number:,} pairs, by {order.measure} the best run first. In the line of a run: + it was shown to be "
        "better than the run with this number, - worse, . no difference was shown, = itself.",
        "Their values: -o pairs.csv, or to_frame().",
    ]
    if len(groups) == 1:
        return Table(("run", *titles), tuple(sign_rows(runs, parts[0], begins)), tuple(notes))
    if len(groups) * len(runs) > MOST_ROWS:
        notes.append(f"{plural(len(groups) - 1, 'group')} not shown; other formats list all.")
        groups, parts = groups[-1:], parts[-1:]
    rows = [
        (str(group), *row)
        for group, several in zip(groups, parts, strict=True)
        for row in sign_rows(runs, several, begins)
    ]
    return Table(("group", "run", *titles), tuple(rows), tuple(notes))


def sign_rows(runs: Sequence[str], several: Sequence[PairRows], begins: range) -> Iterator[tuple[str, ...]]:
    """For every run its number and name, and its signs by every measure, some of them in each column."""
    lines = zip(runs, *(pairs.signs(runs) for pairs in several), strict=True)
    for place, (run, *signs) in enumerate(lines, 1):
        yield f"{place} {run}", *(line[begin : begin + begins.step] for line in signs for begin in begins)


def not_shown(rows: int) -> tuple[str, ...]:
    """A note on rows that a table leaves out."""
    return (f"{plural(rows, 'more row')} not shown; other formats list all.",) if rows else ()
