"""What every script does: make the tables, draw the figures, print both."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from cells import Counted, Sheet
from data import Collection, Data

from tiebreak.reports.plots import Drawn


@dataclass(frozen=True)
class Figure:
    """A figure of a paper, drawn from the data at hand.

    Attributes
    ----------
    name : str
        Of its file, without the ending.
    title : str
    drawn : result with a picture
    says : str
        What it shows, in words.
    """

    name: str
    title: str
    drawn: Drawn
    says: str

    def save(self, folder: Path) -> Path:
        """Write the picture, and say where."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.svg"
        self.drawn.save(path)
        return path


def figure(name: str, title: str, drawn: Drawn, on: Collection | None = None) -> Figure:
    """A figure with what its study says of it; on a collection where it is of one."""
    said = str(getattr(drawn, "summary", ""))
    return Figure(name if on is None else f"{name}-{on}", title if on is None else f"{title}; {on}", drawn, said)


@dataclass(frozen=True)
class Paper:
    """What is made again of one paper."""

    title: str
    tables: tuple[Callable[[Data], Sheet], ...]
    figures: tuple[Callable[[Data], Iterable[Figure]], ...] = ()
    remarks: tuple[str, ...] = field(default=())

    def sheets(self, data: Data) -> list[Sheet]:
        return [table(data) for table in self.tables]

    def drawings(self, data: Data) -> list[Figure]:
        return [one for made in self.figures for one in made(data)]


def main(paper: Paper) -> None:
    """Print the tables of a paper, and draw its figures where a folder for them is named."""
    parser = argparse.ArgumentParser(description=paper.title)
    parser.add_argument("folder", nargs="?", type=Path, help="with qrels.txt and runs/, or with folders of such")
    parser.add_argument("--figures", type=Path, metavar="DIR", help="draw the figures, as SVG files in this folder")
    parser.add_argument("--quick", action="store_true", help="fewer draws")
    asked = parser.parse_args()
    data = Data.of(asked.folder, asked.quick)
    sheets = paper.sheets(data)
    print(paper.title, *(sheet.text() for sheet in sheets), *paper.remarks, Counted.of(sheets).text(), sep="\n\n")
    if asked.figures is not None:
        for drawing in paper.drawings(data):
            print(f"{drawing.save(asked.figures)}: {drawing.title}. {drawing.says}")
