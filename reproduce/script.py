"""What every script does: make the tables, draw the figures, print both."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cells import Counted, Sheet
from data import Collection, Data, Options

from tiebreak.studies.base import Findings


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
    drawn: Findings
    says: str

    def save(self, folder: Path) -> Path:
        """Write the picture, and say where."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.svg"
        self.drawn.save(path)
        return path


def figure(name: str, title: str, drawn: Findings, on: Collection | None = None) -> Figure:
    """A figure with what its study says of it; on a collection where it is of one."""
    if on is not None:
        name, title = f"{name}-{on}", f"{title}; {on}"
    return Figure(name, title, drawn, drawn.conclusion)


@dataclass(frozen=True)
class Paper:
    """What is made again of one paper.

    Attributes
    ----------
    tables : functions of all data
    on_paper : functions of how much work may be done
        Figures that need no data.
    figures : functions of a collection
        Figures that are drawn of each collection at hand.
    """

    title: str
    tables: tuple[Callable[[Data], Sheet], ...]
    on_paper: tuple[Callable[[Data], Iterable[Figure]], ...] = ()
    figures: tuple[Callable[[Data, Collection], Iterable[Figure]], ...] = ()
    remarks: tuple[str, ...] = ()

    def sheets(self, data: Data) -> list[Sheet]:
        return [table(data) for table in self.tables]

    def drawings(self, data: Data, folder: Path, failures: list[str]) -> Iterator[tuple[Figure, Path]]:
        """All figures, and where they were written; of those that fail is said why, and the others are drawn."""
        for result in self.on_paper:
            yield from until_one_fails(result(data), folder, "without data", failures)
        for made_of in self.figures:
            for one in data.collections:
                yield from until_one_fails(made_of(data, one), folder, str(one), failures)


def until_one_fails(
    figures: Iterable[Figure], folder: Path, of: str, failures: list[str]
) -> Iterator[tuple[Figure, Path]]:
    """Write figures one by one, up to one that cannot be made."""
    try:
        for drawing in figures:
            yield drawing, drawing.save(folder)
    except Exception as error:
        failures.append(f"{of}, figures: {type(error).__name__}: {error}")


def main(paper: Paper) -> None:
    """Print the tables of a paper, and draw its figures where a folder for them is named."""
    parser = arguments(paper.title)
    parser.add_argument("--figures", type=Path, metavar="DIR", help="draw the figures, as SVG files in this folder")
    asked = parser.parse_args()
    data = Data.of(asked.folder, options(asked))
    sheets = paper.sheets(data)
    print(paper.title, *(sheet.text() for sheet in sheets), *paper.remarks, Counted.of(sheets).text(), sep="\n\n")
    failures = failed_cells(sheets)
    if asked.figures is not None:
        for drawing, path in paper.drawings(data, asked.figures, failures):
            print(f"{path}: {drawing.title}. {drawing.says}")
    leave(failures)


def failed_cells(sheets: Iterable[Sheet]) -> list[str]:
    """Tables in which a collection failed, and why, once each."""
    return list(
        dict.fromkeys(
            f"{sheet.title.partition(':')[0]}, {cell.where.partition(', ')[0]}: {cell.failure}"
            for sheet in sheets
            for cell in sheet.cells
            if cell.failure
        )
    )


def leave(failures: list[str]) -> None:
    """Say what failed, after all the rest was done."""
    if failures:
        raise SystemExit("\n".join(["failed:", *failures]))


def arguments(title: str | None) -> argparse.ArgumentParser:
    """What every script can be asked for; defaults are the papers'."""
    parser = argparse.ArgumentParser(description=title)
    named = "for all folders, or for one"
    folders = "with qrels.txt and runs/, or with folders of such; any number"
    parser.add_argument("folder", nargs="*", type=Path, help=folders)
    parser.add_argument("--quick", action="store_true", help="fewer draws")
    parser.add_argument(
        "--min-grade",
        action="append",
        default=[],
        type=setting_of(float),
        metavar="[FOLDER=]GRADE",
        help=f"relevant from this grade on where grades are forgotten, {named}; by default as the papers have it",
    )
    parser.add_argument(
        "--depth",
        action="append",
        default=[],
        type=setting_of(int),
        metavar="[FOLDER=]K",
        help=f"truncate rankings at this depth, {named}; by default not",
    )
    parser.add_argument("--ties", help="how score ties are broken; by default as trec_eval does")
    parser.add_argument(
        "--correction", choices=("bonferroni", "holm", "bh", "none"), help="of paired tests; by default as printed"
    )
    parser.add_argument("--shuffles", type=int, metavar="N", help="of randomised tests; by default 100,000")
    parser.add_argument("--samples", type=int, metavar="N", help="how often data is removed; by default 10")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of randomised tests; by default 1")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="threads; by default 2")
    return parser


def setting_of(kind: Callable[[str], Any]) -> Callable[[str], tuple[str, Any]]:
    """Reads ``VALUE``, for all folders, or ``FOLDER=VALUE``."""

    def setting(text: str) -> tuple[str, Any]:
        folder, _, value = text.rpartition("=")
        return folder, kind(value)

    return setting


def options(asked: argparse.Namespace) -> Options:
    return Options(
        quick=asked.quick,
        jobs=asked.jobs,
        seed=asked.seed,
        shuffles=asked.shuffles,
        samples=asked.samples,
        correction=asked.correction,
        ties=asked.ties,
        min_grade=dict(asked.min_grade),
        depth=dict(asked.depth),
    )
