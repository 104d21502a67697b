"""Tables for the terminal. Every cell is plain text: names from files cannot style, link or hide anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

NARROWEST_WITHOUT_TERMINAL = 160


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]], notes: Iterable[str]) -> None:
    """Print a table, its first column to the left and the others to the right, and notes under it."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=NARROWEST_WITHOUT_TERMINAL)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for place, title in enumerate(header):
        table.add_column(title, justify="right" if place else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(plain, row))
    console.print(table)
    for note in notes:
        console.print(plain(note), soft_wrap=True)


def plain(text: str) -> Text:
    return Text("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text))
