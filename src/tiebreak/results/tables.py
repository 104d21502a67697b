"""Human-readable tables: in a terminal, in a notebook, in LaTeX or Markdown.

Names come from other people's files: every cell is plain text, escaped for where it is shown.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from io import StringIO
from shutil import get_terminal_size
from typing import TYPE_CHECKING, cast

from tiebreak.results.cells import SUPERSCRIPTS

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

GAP = 3
"""Characters between columns; at both ends of a line there is one."""
NARROWEST_TEXT = 6
WIDEST_TEXT = 30
"""Characters to which a column of text that names no rows may be folded beside others."""
MOST_NAMES = 4
"""Columns among which are those that name rows."""
WHOLE = re.compile(r"[0-9,]*")
WIDEST = 1_000_000
"""Characters of a line that nothing folds."""
RAISED = "".join(SUPERSCRIPTS.values())
LOWERED = str.maketrans({raised: c for c, raised in SUPERSCRIPTS.items()})
NUMBER = re.compile(rf"[-+±0-9.,%/=*<() {RAISED}]*|[-+]?inf[* ]?")
LATEX_NUMBER = re.compile(rf"(?<![\d)])([-+±<](?:\d[\d,.]*|inf))|([*{RAISED}]+)")
"""What LaTeX sets in another way than text: a number with its sign, and marks."""
SIGNS = re.compile(r"[-+.=?]+")
"""Cells of a matrix of pairs, in which every character is a run."""
LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"\textpm{}",
}


MARKUP = "\\`*_{}[]<>|#!~$&"
"""Characters with a meaning in Markdown."""


@dataclass(frozen=True, slots=True, repr=False)
class Table:
    """Cells of text, columns of numbers to the right, with notes under them; `best` (row, column) are emphasised.

    A terminal that is too narrow leaves out `optional` columns, the first first, if the others then fit; else it shows
    columns in blocks, one below the other. A note says so.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    best: frozenset[tuple[int, int]] = frozenset()
    optional: tuple[str, ...] = ()

    def is_number(self, column: int) -> bool:
        """Whether a column is of numbers, or of signs; the first one names the rows."""
        return column > 0 and all(NUMBER.fullmatch(row[column]) for row in self.rows)

    def has_signs(self, column: int) -> bool:
        """Whether a column is a part of a matrix of pairs, which has a diagonal."""
        cells = [row[column] for row in self.rows]
        return all(map(SIGNS.fullmatch, cells)) and any("=" in cell for cell in cells)

    def is_right(self, column: int) -> bool:
        """Whether a column is set to the right; the number above signs is that of the first."""
        return self.is_number(column) and not self.has_signs(column)

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

    def __repr__(self) -> str:
        """In a terminal as wide as this is, without emphasis; elsewhere `to_text`."""
        width = terminal_width()
        if width is None:
            return self.to_text()
        from rich.console import Console

        console = Console(file=StringIO(), width=width, color_system=None, force_jupyter=False)
        self._render(console)
        lines = cast(StringIO, console.file).getvalue().splitlines()
        return "\n".join(line.rstrip() for line in lines).strip("\n")

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
        if self.is_right(column):
            return [space + cell for space, cell in zip(fill, cells, strict=True)]
        return [cell + space for space, cell in zip(fill, cells, strict=True)]

    def _render(self, console: Console) -> None:
        """As many columns side by side as fit."""
        from rich.text import Text

        width, console.width = console.width, WIDEST
        table, left_out = self._drop_columns(width)
        blocks = table._blocks(width)
        for columns in blocks:
            console.print(table._rich(table._fit(columns, width), console))
        console.width = width
        for note in (*self.notes, *describe_fit(left_out, len(blocks), width)):
            console.print(Text(printable(note)))

    def _drop_columns(self, width: int) -> tuple[Table, list[str]]:
        """The table without as many optional columns as let the others fit side by side, and their titles."""
        left_out: list[str] = []
        table = self
        for title in (None, *self.optional):
            if title is not None:
                left_out.append(title)
                table = self._take([c for c, name in enumerate(self.header) if name not in left_out])
            if len(table._blocks(width)) == 1:
                return table, [name for name in left_out if name in self.header]
        return self, []

    def _take(self, columns: list[int]) -> Table:
        """Some columns."""
        place = {c: k for k, c in enumerate(columns)}
        best = frozenset((r, place[c]) for r, c in self.best if c in place)
        rows = tuple(tuple(row[c] for c in columns) for row in self.rows)
        return Table(tuple(self.header[c] for c in columns), rows, self.notes, best)

    def _blocks(self, width: int) -> list[list[int]]:
        """Columns side by side as far as they fit; those that name the rows are in every block."""
        names = self.name_columns()
        is_prose = [c not in names and not self.is_number(c) for c in range(len(self.header))]
        widths = [min(self._width(c), WIDEST_TEXT if is_prose[c] else WIDEST) + GAP for c in range(len(self.header))]
        folded = sum(self._narrowest(c) + GAP for c in names)
        room = width + 1 - min(sum(widths[c] for c in names), max(folded, width * 2 // 3))
        blocks: list[list[int]] = [[]]
        for group in self._groups(names):
            fits = folded + sum(widths[c] for c in group) <= width + 1
            for part in [group] if fits else [[c] for c in group]:
                if blocks[-1] and sum(widths[c] for c in (*blocks[-1], *part)) > room:
                    blocks.append([])
                blocks[-1] += part
        return [names + block for block in blocks]

    def _groups(self, names: list[int]) -> list[list[int]]:
        """The columns beside those that name rows; those with repeated titles stay with the one before them."""
        groups: list[list[int]] = []
        for c in (c for c in range(len(self.header)) if c not in names):
            if groups and self.header.count(self.header[c]) > 1:
                groups[-1].append(c)
            else:
                groups.append([c])
        return groups

    def name_columns(self) -> list[int]:
        """The columns that together name every row, such as group, run and other, or measure and level.

        They are among the first: text, and whole numbers by which more rows differ. If rows do not differ, the first.
        """
        names, different = [0], len({row[:1] for row in self.rows})
        for c in range(1, min(MOST_NAMES, len(self.header))):
            if different == len(self.rows):
                break
            more = len({(*(row[k] for k in names), row[c]) for row in self.rows})
            is_whole = all(WHOLE.fullmatch(row[c]) for row in self.rows)
            if not self.is_number(c) or (is_whole and more > different):
                names, different = [*names, c], more
        return names if different == len(self.rows) else [0]

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
                if column in right:
                    text.pad_left(widths[column] - text.cell_len)
                return text
            return Text("\n").join(text.wrap(console, widths[column], overflow="fold"))

        # Not set to the right by rich, which would drop the room after numbers without a mark.
        right = {c for c in widths if self.is_right(c)}
        table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
        for c in widths:
            table.add_column(fold(self.header[c], c), no_wrap=True)
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
            text = escape(printable(cell.rstrip())) + "&nbsp;" * (len(cell) - len(cell.rstrip()))
            yield f'<td style="{self._style(c)}">{f"<b>{text}</b>" if (r, c) in self.best else text}</td>'

    def _style(self, column: int) -> str:
        font = "; font-family: monospace" if self.has_signs(column) else ""
        return f"text-align: {'right' if self.is_right(column) else 'left'}; padding: 2px 8px{font}"

    _repr_html_ = to_html

    def to_markdown(self) -> str:
        """A table in Markdown, the best values in bold."""
        rule = ("---:" if self.is_right(c) else "---" for c in range(len(self.header)))
        rows = [
            [f"**{markdown(cell)}**" if (r, c) in self.best else markdown(cell) for c, cell in enumerate(row)]
            for r, row in enumerate(self.rows)
        ]
        lines = ("| " + " | ".join(row) + " |" for row in ([*map(markdown, self.header)], [*rule], *rows))
        return "\n".join([*lines, *(f"\n{markdown(note)}" for note in self.notes)]) + "\n"

    def to_latex(self) -> str:
        """A ``tabular`` for the package booktabs, the best values in bold."""
        write = [
            latex_signs if self.has_signs(c) else latex_number if self.is_number(c) else latex
            for c in range(len(self.header))
        ]
        columns = "".join("r" if self.is_right(c) else "l" for c in range(len(self.header)))
        lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
        lines += [" & ".join(map(latex, self.header)) + r" \\", r"\midrule"]
        marks = [self.latex_mark(c) if kind == "r" else "" for c, kind in enumerate(columns)]
        for r, row in enumerate(self.rows):
            cells = [write[c](cell.rstrip()) for c, cell in enumerate(row)]
            cells = [latex_bold(cell) if (r, c) in self.best else cell for c, cell in enumerate(cells)]
            lines.append(" & ".join(map(add_room, cells, row, marks)) + r" \\")
        lines += [r"\bottomrule", r"\end{tabular}"]
        return "\n".join([*lines, *(f"% {printable(note)}" for note in self.notes)]) + "\n"

    def latex_mark(self, column: int) -> str:
        """What numbers of a column are marked by, for the room that others leave; empty where none is."""
        last = {row[column].rstrip()[-1:] for row in self.rows}
        return "a" if last & {*RAISED} else "*" if "*" in last else ""


def terminal_width() -> int | None:
    """The width of the terminal that standard output is; None where it is none."""
    try:
        is_terminal = sys.stdout.isatty()
    except (AttributeError, ValueError):  # there is none, or it is closed
        return None
    return get_terminal_size().columns if is_terminal else None


def describe_fit(left_out: list[str], blocks: int, width: int) -> Iterator[str]:
    """What a terminal left out, or put below each other, because it is too narrow."""
    if left_out:
        yield f"Left out, as the terminal is {width} characters wide: {', '.join(left_out)}. Files (-o) have them."
    if blocks > 1:
        yield f"The columns are in {blocks} blocks, as the terminal is {width} characters wide."


def markdown(text: str) -> str:
    """Text with all markup escaped."""
    return "".join(f"\\{c}" if c in MARKUP else c for c in printable(text).strip())


def latex(text: str) -> str:
    """Text with all markup escaped, hyphens that would join to a dash too."""
    escaped = re.sub("-(?=-)", "-{}", "".join(LATEX.get(c, c) for c in printable(text)))
    # The end of the row above would take these for its own arguments.
    return f"{{}}{escaped}" if escaped.startswith(("[", "*")) else escaped


def latex_number(text: str) -> str:
    r"""A number, its sign in math mode, where a minus is no hyphen, and its marks raised.

    Examples
    --------
    >>> latex_number("-0.05*"), latex_number("+2.5%"), latex_number("-")
    ('$-0.05$\\textsuperscript{*}', '$+2.5$\\%', '--')
    """
    if text == "-":
        return "--"
    parts, end = "", 0
    for match in LATEX_NUMBER.finditer(text):
        signed, marks = match.groups()
        parts += latex(text[end : match.start()])
        if marks:
            parts += rf"\textsuperscript{{{marks.translate(LOWERED)}}}"
        else:
            parts += "$" + signed.replace("±", r"\pm").replace(",", "{,}").replace("inf", r"\infty") + "$"
        end = match.end()
    return parts + latex(text[end:])


def add_room(cell: str, text: str, mark: str) -> str:
    """A cell with room for as many marks as its text has spaces at the end, so that digits stay under digits."""
    places = len(text) - len(text.rstrip())
    return rf"{cell}\phantom{{\textsuperscript{{{mark * places}}}}}" if mark and places else cell


def latex_signs(text: str) -> str:
    """Signs of pairs, all as wide."""
    return rf"\texttt{{{latex(text)}}}"


def latex_bold(text: str) -> str:
    """Bold, also in math mode."""
    return rf"\textbf{{\boldmath{text}}}" if text.startswith("$") else rf"\textbf{{{text}}}"


def printable(text: str) -> str:
    """Text on one line that cannot control a terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
