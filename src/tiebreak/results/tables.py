"""Human-readable tables: in a terminal, in a notebook, in LaTeX or Markdown.

Names come from other people's files: every cell is plain text, escaped for where it is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

GAP = 3
"""Characters between columns; at both ends of a line there is one."""
NARROWEST_TEXT = 6
WIDEST = 1_000_000
"""Characters of a line that nothing folds."""
NUMBER = re.compile(r"[-+0-9.,%/=*<() ]*|[-+]?inf[* ]?")
LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}


MARKUP = "\\`*_{}[]<>|#!~$&"
"""Characters with a meaning in Markdown."""


@dataclass(frozen=True, slots=True, repr=False)
class Table:
    """Cells of text, columns of numbers to the right, with notes under them; `best` (row, column) are emphasised."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    best: frozenset[tuple[int, int]] = frozenset()

    def is_number(self, column: int) -> bool:
        """Whether a column is set to the right; the first one names the rows."""
        return column > 0 and all(NUMBER.fullmatch(row[column]) for row in self.rows)

    def print(self) -> None:
        """Print it, in the width of the terminal; elsewhere every row on one line."""
        from rich.console import Console

        class Terminal(Console):
            def on_broken_pipe(self) -> None:
                raise BrokenPipeError

        console = Terminal(force_jupyter=False)
        if console.is_terminal:
            self._render(console)
        else:
            rule = "─" if console.encoding.startswith("utf") else "-"
            console.file.write("\n".join(["", *self._lines(rule), "", *map(printable, self.notes), ""]))

    def to_text(self) -> str:
        """Every row on one line, as in files and pipes."""
        return "\n".join([*self._lines("─"), *map(printable, self.notes)])

    __repr__ = to_text

    def _lines(self, rule: str) -> Iterator[str]:
        """The rows under the header, columns side by side; without rich, which takes a millisecond for each row."""
        from rich.cells import cell_len

        columns = [self._pad(c) for c in range(len(self.header))]
        head, *rows = (" " + (" " * GAP).join(cells) for cells in zip(*columns, strict=True))
        yield head.rstrip()
        yield " " + rule * (cell_len(head) - 1)
        yield from (row.rstrip() for row in rows)

    def _pad(self, column: int) -> list[str]:
        from rich.cells import cell_len

        cells = self._cells(column)
        widths = [cell_len(cell) for cell in cells]
        widest = max(widths)
        fill = (" " * (widest - width) for width in widths)
        if self.is_number(column):
            return [space + cell for space, cell in zip(fill, cells, strict=True)]
        return [cell + space for space, cell in zip(fill, cells, strict=True)]

    def _render(self, console: Console) -> None:
        """As many columns side by side as fit."""
        from rich.text import Text

        width, console.width = console.width, WIDEST
        for columns in self._blocks(width):
            console.print(self._rich(self._fit(columns, width), console))
        console.width = width
        for note in self.notes:
            console.print(Text(printable(note)))

    def _blocks(self, width: int) -> list[list[int]]:
        """Columns side by side as far as they fit; those that name the rows are in every block."""
        names = list(range(self._names()))
        widths = [self._width(c) + GAP for c in range(len(self.header))]
        folded = sum(self._narrowest(c) + GAP for c in names)
        room = width + 1 - min(sum(widths[: len(names)]), max(folded, width * 2 // 3))
        blocks: list[list[int]] = [[]]
        for group in self._groups(len(names)):
            fits = folded + sum(widths[c] for c in group) <= width + 1
            for part in [group] if fits else [[c] for c in group]:
                if blocks[-1] and sum(widths[c] for c in (*blocks[-1], *part)) > room:
                    blocks.append([])
                blocks[-1] += part
        return [names + block for block in blocks]

    def _groups(self, first: int) -> list[list[int]]:
        """Columns from the first on; those with repeated titles stay with the one before them."""
        groups: list[list[int]] = []
        for c in range(first, len(self.header)):
            if groups and self.header.count(self.header[c]) > 1:
                groups[-1].append(c)
            else:
                groups.append([c])
        return groups

    def _names(self) -> int:
        """How many of the first columns name the rows; none of them is of numbers."""
        for c in range(1, len(self.header)):
            if self.is_number(c) or len({row[:c] for row in self.rows}) == len(self.rows):
                return c
        return 1

    def _cells(self, column: int) -> list[str]:
        return [printable(row[column]) for row in (self.header, *self.rows)]

    def _width(self, column: int) -> int:
        from rich.cells import cell_len

        return max(map(cell_len, self._cells(column)))

    def _narrowest(self, column: int) -> int:
        """Numbers are never broken; text is, between words where that is enough."""
        if self.is_number(column):
            return self._width(column)
        numbers = (len(word) for cell in self._cells(column) for word in cell.split() if NUMBER.fullmatch(word))
        return max(min(self._width(column), NARROWEST_TEXT), *numbers, 0)

    def _fit(self, columns: list[int], width: int) -> dict[int, int]:
        """The width of every column of a block: the widest text is folded until all fit."""
        widths = {c: self._width(c) for c in columns}
        narrowest = {c: self._narrowest(c) for c in columns}
        while sum(widths.values()) + GAP * len(columns) - 1 > width:
            foldable = [c for c in columns if widths[c] > narrowest[c]]
            if not foldable:
                break
            widths[max(foldable, key=widths.__getitem__)] -= 1
        return widths

    def _rich(self, widths: dict[int, int], console: Console) -> RichTable:
        from rich import box
        from rich.table import Table as RichTable
        from rich.text import Text

        def fold(cell: str, column: int, style: str = "") -> Text:
            # Not left to rich, which would cut numbers too where a table is too wide.
            text = Text(printable(cell), style)
            if text.cell_len <= widths[column]:
                return text
            return Text("\n").join(text.wrap(console, widths[column], overflow="fold"))

        table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
        for c in widths:
            justify: Literal["left", "right"] = "right" if self.is_number(c) else "left"
            table.add_column(fold(self.header[c], c), justify=justify, no_wrap=True)
        for r, row in enumerate(self.rows):
            table.add_row(*(fold(row[c], c, "bold" if (r, c) in self.best else "") for c in widths))
        return table

    def to_html(self) -> str:
        titles = (escape(printable(title)) for title in self.header)
        head = "".join(f'<th style="{self._style(c)}">{title}</th>' for c, title in enumerate(titles))
        body = "".join(f"<tr>{''.join(self._html_cells(r))}</tr>" for r in range(len(self.rows)))
        notes = "<br>".join(escape(printable(note)) for note in self.notes)
        under = f"<p><small>{notes}</small></p>" if notes else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{under}"

    def _html_cells(self, r: int) -> Iterator[str]:
        for c, cell in enumerate(self.rows[r]):
            text = escape(printable(cell))
            yield f'<td style="{self._style(c)}">{f"<b>{text}</b>" if (r, c) in self.best else text}</td>'

    def _style(self, column: int) -> str:
        return f"text-align: {'right' if self.is_number(column) else 'left'}; padding: 2px 8px"

    _repr_html_ = to_html

    def to_markdown(self) -> str:
        """A table in Markdown, the best values in bold."""
        rule = ("---:" if self.is_number(c) else "---" for c in range(len(self.header)))
        rows = [
            [f"**{markdown(cell)}**" if (r, c) in self.best else markdown(cell) for c, cell in enumerate(row)]
            for r, row in enumerate(self.rows)
        ]
        lines = ("| " + " | ".join(row) + " |" for row in ([*map(markdown, self.header)], [*rule], *rows))
        return "\n".join([*lines, *(f"\n{markdown(note)}" for note in self.notes)]) + "\n"

    def to_latex(self) -> str:
        """A ``tabular`` for the package booktabs, the best values in bold."""
        columns = "".join("r" if self.is_number(c) else "l" for c in range(len(self.header)))
        lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
        lines += [" & ".join(map(latex, self.header)) + r" \\", r"\midrule"]
        for r, row in enumerate(self.rows):
            cells = (rf"\textbf{{{latex(cell)}}}" if (r, c) in self.best else latex(cell) for c, cell in enumerate(row))
            lines.append(" & ".join(cells) + r" \\")
        lines += [r"\bottomrule", r"\end{tabular}"]
        return "\n".join([*lines, *(f"% {printable(note)}" for note in self.notes)]) + "\n"


def markdown(text: str) -> str:
    """Text with all markup escaped."""
    return "".join(f"\\{c}" if c in MARKUP else c for c in printable(text).strip())


def latex(text: str) -> str:
    escaped = "".join(LATEX.get(c, c) for c in printable(text))
    # The end of the row above would take these for its own arguments.
    return f"{{}}{escaped}" if escaped.startswith(("[", "*")) else escaped


def printable(text: str) -> str:
    """Text on one line that cannot control a terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
