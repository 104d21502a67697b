"""Tables for people: in a terminal, in a notebook, in LaTeX.

Names come from strangers' files: every cell is plain text, escaped for where it is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

NARROWEST_WITHOUT_TERMINAL = 160
WIDEST = 100_000
"""Characters: what a table needs is measured in more room than it can take."""
NUMBER = re.compile(r"[-+0-9.,%/=*<() ]*|nan|[-+]?inf[* ]?")
LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


@dataclass(frozen=True, slots=True)
class Table:
    """Cells of text, columns of numbers to the right, with notes under them.

    `best` are the places (row, column) to be marked. In terminals and notebooks only the first `most` rows are shown.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    best: frozenset[tuple[int, int]] = frozenset()
    most: int | None = None

    @property
    def shown(self) -> Table:
        """Only the first rows, with a note on the others."""
        more = len(self.rows) - (len(self.rows) if self.most is None else self.most)
        if more <= 0:
            return self
        said = f"{more:,} more rows not shown; other formats list all."
        return replace(self, rows=self.rows[: self.most], notes=(*self.notes, said), most=None)

    def is_number(self, column: int) -> bool:
        """Whether a column is set to the right; the first one names the rows."""
        return column > 0 and all(NUMBER.fullmatch(row[column]) for row in self.rows)

    def print(self) -> None:
        """Print it, in the width of the terminal."""
        from rich.console import Console

        class Terminal(Console):
            def on_broken_pipe(self) -> None:
                raise BrokenPipeError

        console = Terminal()
        self.shown._render(console if console.is_terminal else Terminal(width=NARROWEST_WITHOUT_TERMINAL))

    def to_text(self) -> str:
        from io import StringIO

        from rich.console import Console

        text = StringIO()
        self.shown._render(Console(file=text, width=NARROWEST_WITHOUT_TERMINAL))
        return "\n".join(line.rstrip() for line in text.getvalue().splitlines() if line.strip())

    def _render(self, console: Console) -> None:
        from rich import box
        from rich.measure import Measurement
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
        for place, title in enumerate(self.header):
            table.add_column(
                Text(printable(title)),
                justify="right" if self.is_number(place) else "left",
                no_wrap=place > 0,
                overflow="fold",
            )
        for r, row in enumerate(self.rows):
            cells = (Text(printable(cell), "bold" if (r, c) in self.best else "") for c, cell in enumerate(row))
            table.add_row(*cells)
        # Numbers are never broken: a table that is too wide is left for the terminal to wrap.
        narrowest = Measurement.get(console, console.options.update(width=WIDEST), table).minimum
        console.width = max(narrowest, console.width)
        console.print(table, crop=False)
        for note in self.notes:
            console.print(Text(printable(note)), soft_wrap=True)

    def to_html(self) -> str:
        return self.shown._html()

    def _html(self) -> str:
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


def latex(text: str) -> str:
    escaped = "".join(LATEX.get(c, c) for c in printable(text))
    # The end of the row above would take these for its own arguments.
    return f"{{}}{escaped}" if escaped.startswith(("[", "*")) else escaped


def printable(text: str) -> str:
    """Text on one line that steers no terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
