"""The parts of a page in HTML: text, tables, charts and interactive parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from tiebreak._base.text import join_names
from tiebreak.reports.embedding import element, escape, json_script
from tiebreak.results.joint_table import is_spread, not_shown, row_keys
from tiebreak.results.record import Result
from tiebreak.results.tables import Table

MOST_ROWS = 1000
"""Rows of a table in a page."""
MOST_PRINTED = 40
"""Rows of a table on paper; report.css hides the others."""
NOSCRIPT = element("noscript", "<p>This chart needs JavaScript. Its numbers are in the tables.</p>")


def prose(tag: str, text: str) -> str:
    """Text that may go over several lines."""
    return element(tag, escape(" ".join(text.split())))


def paragraphs(text: str) -> str:
    """Text, in paragraphs where it has blank lines."""
    return "".join(prose("p", part) for part in text.split("\n\n") if part.strip())


def bullets(texts: Sequence[str]) -> str:
    return element("ul", "".join(prose("li", text) for text in texts))


def descriptions(texts: Mapping[str, str]) -> str:
    """Terms and what is said of each."""
    return element("dl", "".join(prose("dt", term) + prose("dd", text) for term, text in texts.items()))


def code(text: str) -> str:
    """Lines as they are typed, which scripts let copy."""
    lines = "\n".join(map(escape, text.splitlines()))
    return element("div", element("pre", element("code", lines), tabindex="0"), class_="code-block")


def notes(texts: Sequence[str]) -> str:
    """Sentences in small print."""
    return element("div", "".join(prose("p", text) for text in texts), class_="notes") if texts else ""


def result_table(result: Result, digits: int) -> tuple[Table, str]:
    """The table of a result, and its records as data: all their columns and digits, for CSV."""
    table = result.table(digits, None if result.has_pairs else MOST_ROWS)  # cut, pairs would be a matrix
    if len(table.rows) > MOST_ROWS:
        more = not_shown(len(table.rows) - MOST_ROWS)
        best = frozenset(place for place in table.best if place[0] < MOST_ROWS)
        table = replace(table, rows=table.rows[:MOST_ROWS], notes=(*table.notes, *more), best=best)
    return table, json_script(records(result, len(table.rows)), class_="records")


def records(result: Result, most: int) -> dict[str, Any]:
    """Columns and rows of the records in the first rows of a table; `places` are those rows where they have several."""
    if not is_spread([result]):
        return {"columns": result.columns, "rows": [*islice(map(list, result.rows()), most)]}
    keys = [result.columns.index(name) for name in row_keys(result)]
    places: dict[tuple[Any, ...], int] = {}
    rows = [*map(list, result.rows())]
    row_places = [places.setdefault(tuple(row[k] for k in keys), len(places)) for row in rows]
    kept = [k for k, place in enumerate(row_places) if place < most]
    return {"columns": result.columns, "rows": [rows[k] for k in kept], "places": [row_places[k] for k in kept]}


def table_block(table: Table, title: str, file: str, data: str = "") -> str:
    """A table with its notes; scripts make it sortable, with a filter and downloads named after `file`."""
    caption = title or f"Table of {join_names(table.header, most=6)}"
    kinds = [column_kind(table, c) for c in range(len(table.header))]
    head = "".join(element("th", escape(name), scope="col", **kinds[c]) for c, name in enumerate(table.header))
    names = {*table.name_columns()}
    body = "".join(f"<tr>{''.join(cells(table, r, kinds, names))}</tr>\n" for r in range(len(table.rows)))
    whole = element(
        "table",
        element("caption", escape(caption), class_="visually-hidden")
        + element("thead", element("tr", head))
        + element("tbody", body),
    )
    box = element("div", whole, class_="table-box", role="group", tabindex="0", aria_label=caption)
    hidden = len(table.rows) - MOST_PRINTED
    printed = f"Printed: the first {MOST_PRINTED} of {len(table.rows):,} rows." if hidden > 0 else ""
    under = element("p", printed, class_="print-only") if printed else ""
    return element("div", f"{box}{under}{data}{notes(table.notes)}", class_="table-block", data_file=file)


def column_kind(table: Table, column: int) -> dict[str, str]:
    """Cells are numbers unless their column says otherwise: that of most is not written."""
    if table.has_signs(column):
        return {"class_": "signs"}
    return {} if table.is_right(column) else {"class_": "text"}


def cells(table: Table, r: int, kinds: list[dict[str, str]], names: set[int]) -> Iterator[str]:
    """The cells of a row; those that name it are its headers, and a number without a mark leaves room for one."""
    for c, cell in enumerate(table.rows[r]):
        text = escape(cell.rstrip())
        attributes = dict(kinds[c])
        if c in names:
            attributes["scope"] = "row"
        if cell != cell.rstrip() and not kinds[c]:
            attributes["data_room"] = (table.latex_mark(c) or "*") * (len(cell) - len(cell.rstrip()))
        content = element("b", text) if (r, c) in table.best else text
        yield element("th" if c in names else "td", content, **attributes)


def take_heading(spec: dict[str, Any], title: str, description: str) -> tuple[dict[str, Any], str, str]:
    """A chart without its title, and that as text, which fits any screen; the page's own words go first."""
    heading = spec.get("title")
    if not isinstance(heading, dict):
        return spec, title, description
    bare = {name: part for name, part in spec.items() if name != "title"}
    return bare, title or " ".join(heading["text"]), description or " ".join(heading.get("subtitle", ()))


def chart(spec: dict[str, Any], title: str, description: str) -> str:
    """A Vega-Lite chart, which scripts draw; what it shows is said in its caption, and its numbers are a table."""
    words = "".join(prose(tag, text) for tag, text in (("b", title), ("span", description)) if text)
    caption = element("figcaption", words) if words else ""
    plot = element("div", "", class_="plot")
    return element("figure", f"{caption}{plot}{json_script(spec, class_='spec')}{NOSCRIPT}", class_="chart")


def component(name: str, data: Any, fallback: str) -> str:
    """A part that the script registered under the name fills; without scripts its fallback is shown."""
    content = element("div", fallback, class_="fallback") if fallback else ""
    block = element("div", content, class_="component", data_component=name)
    return block + (json_script(data, class_="component-data") if data is not None else "")
