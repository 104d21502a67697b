"""Tables over collections: what is printed of each beside what is computed of it, whatever happens to the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from cells import Cell, Grid, Sheet, Status
from data import Collection, Data
from tracks import columns, printed, track

Values = Mapping[str, float | str | None]
Rows = Mapping[str, Mapping[str, str]]


class Failure(str):
    """Why something could not be computed."""


def attempt(work: Callable[[Collection], Values], one: Collection) -> Values | Failure:
    """What is computed of a collection, or why it is not: one that fails must not lose the others."""
    try:
        return work(one)
    except Exception as error:
        return Failure(f"{type(error).__name__}: {error}")


def over_collections(
    data: Data,
    title: str,
    table: str,
    compute: Callable[[Collection], Values],
    setting: str = "",
    *,
    of: Iterable[Collection] | None = None,
) -> Sheet:
    """A table with a row for every collection at hand, and the printed rows of those that are not."""
    actual = {one: attempt(compute, one) for one in (data.collections if of is None else of)}
    rows, names = printed(table), columns(table)
    cells = [cell for one, values in actual.items() for cell in row_of(one, values, rows.get(one.track.key, {}), table)]
    here = {one.track.key for one in actual}
    absent = [key for key in rows if key not in here]
    return Sheet(
        title,
        cells,
        setting,
        ", ".join(track(key).printed_as for key in absent) + "." if absent else "",
        sum(len(rows[key]) for key in absent),
        [grid(cells, actual, names)] if len(actual) > 1 else [],
    )


def row_of(one: Collection, values: Values | Failure, row: Mapping[str, str], table: str) -> list[Cell]:
    """The cells of one collection; where nothing is printed, with as many digits as the first row of the table."""
    other = values if isinstance(values, Failure) else attempt(lambda of: {"": of.other_data}, one)
    first = next(iter(printed(table).values()))
    cells = [Cell(f"{one.track.printed_as}, {name}", row.get(name), None, like=first[name]) for name in first]
    if isinstance(other, Failure):
        return [replace(cell, failure=other) for cell in cells]
    assert not isinstance(values, Failure)
    named = zip(cells, first, strict=True)
    return [replace(cell, computed=values.get(name), other_data=str(other[""])) for cell, name in named]


def grid(cells: Sequence[Cell], collections: Iterable[Collection], names: Sequence[str]) -> Grid:
    """The table as the paper has it: a collection per row, printed values in brackets."""
    width = len(names)
    rows = [
        (one.track.printed_as, *map(side_by_side, cells[k * width : (k + 1) * width]))
        for k, one in enumerate(collections)
    ]
    return Grid("Computed (printed):", [("collection", *names), *rows])


def side_by_side(cell: Cell) -> str:
    computed = "failed" if cell.failure else cell.written or "-"
    return computed if cell.printed is None else f"{computed} ({cell.printed})"


def with_settings_tried(
    sheet: Sheet, data: Data, table: str, tried: Callable[[Collection], Mapping[str, Values]]
) -> Sheet:
    """The table, and what other settings give of each collection that the paper has, beside what it prints.

    Cells that differ have a reason where one setting gives the whole printed row.
    """
    cells, grids = list(sheet.cells), list(sheet.grids)
    width = len(columns(table))
    for place, one in enumerate(data.collections):
        row = printed(table).get(one.track.key)
        mine = range(place * width, (place + 1) * width)
        if row is None or any(cells[k].status in (Status.OTHER, Status.FAILED) for k in mine):
            continue
        actual = attempt(tried, one)
        if isinstance(actual, Failure):
            grids.append(Grid(f"Settings tried, {one.track.printed_as}: {actual}", [("setting", *row)]))
            continue
        grids.append(settings_grid(one, row, actual))
        whole = [setting for setting, values in actual.items() if gives(values, row)]
        for k in mine:
            if whole and cells[k].status is Status.OPEN:
                reason = f"the whole row is as printed with {' or '.join(whole)}, of {len(actual)} other settings tried"
                cells[k] = replace(cells[k], reason=reason)
    return replace(sheet, cells=cells, grids=grids)


def settings_grid(one: Collection, row: Mapping[str, str], actual: Mapping[str, Values]) -> Grid:
    """Settings, and what each gives; what is as printed is marked."""
    rows = [("printed", *row.values())]
    for setting, values in actual.items():
        cells = [Cell(name, printed_cell, values.get(name)) for name, printed_cell in row.items()]
        rows.append((setting, *(f"{cell.written or '-'}{' =' * (cell.status is Status.EXACT)}" for cell in cells)))
    return Grid(f"Settings tried, {one.track.printed_as} (=: as printed):", [("setting", *row), *rows])


def gives(values: Values, row: Mapping[str, str]) -> bool:
    """Whether a setting gives all of a printed row."""
    return all(Cell(name, cell, values.get(name)).status is Status.EXACT for name, cell in row.items())


def sizes_table(data: Data, title: str, table: str) -> Sheet:
    """A table of data sets: sizes that agree are the paper's, whatever else is here."""
    setting = (
        "Every grade above 0 is relevant, and ratings from 4 stars. Where there are subtopics, an item counts once for "
        "every one that it is relevant to. Documents are counted in judged requests."
    )
    sheet = over_collections(data, title, table, Collection.sizes, setting)
    return replace(sheet, cells=[replace(cell, other_data="") if is_equal(cell) else cell for cell in sheet.cells])


def is_equal(cell: Cell) -> bool:
    return cell.printed is not None and cell.written == cell.printed
