"""The page of docs/reproduction.md as one HTML file: tables to sort and filter, figures with their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cells import COLUMNS, Grid, Sheet
from script import Figure, Paper

import tiebreak as tb
from tiebreak.results.tables import Table


def html_page(
    head: str,
    tables: Sequence[Grid],
    failures: Sequence[str],
    papers: Iterable[tuple[Paper, list[Sheet], list[Figure]]],
) -> tb.Report:
    """The introduction, tables over all papers, what failed, and a section for each paper."""
    title, *parts = map(plain, head.split("\n\n"))
    page = tb.Report(title.removeprefix("# "), date=False)
    for part in parts:
        page.add(part.removeprefix("- ").split("\n- ") if part.startswith("- ") else part)
    for grid in tables:
        page.section(grid.title)
        add_table(page, grid.rows)
    if failures:
        page.section("What failed").add(list(failures))
    for paper, sheets, figures in papers:
        page.section(paper.title)
        if paper.remarks:
            page.add(paper.remarks)
        for sheet in sheets:
            add_sheet(page, sheet)
        for figure in figures:
            page.add(figure.drawn, title=figure.title)
    return page


def add_sheet(page: tb.Report, sheet: Sheet) -> None:
    page.add("\n\n".join(sheet.remarks), title=sheet.title)
    if sheet.listed:
        add_table(page, [COLUMNS, *(cell.row for cell in sheet.listed)])
    for grid in sheet.grids:
        page.add(grid.title)
        add_table(page, grid.rows)


def add_table(page: tb.Report, rows: Sequence[Sequence[str]]) -> None:
    header, *body = map(tuple, rows)
    page.add(Table(header, tuple(body)))


def plain(text: str) -> str:
    """Markdown without its marks for bold letters and code."""
    return text.replace("**", "").replace("`", "")
