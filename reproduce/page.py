"""Writes docs/reproduction.md: all tables and figures, with what was found of every printed value.

python reproduce/page.py FOLDER [--quick] [--docs DIR]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import lexiprecision
import lexirecall
import pessimistic
import recall_paired
from cells import Counted, Sheet, Status, markdown_table
from data import Data
from script import Figure, Paper

import diversity

PAPERS = (lexirecall.PAPER, lexiprecision.PAPER, pessimistic.PAPER, recall_paired.PAPER, diversity.PAPER)
DOCS = Path(__file__).resolve().parent.parent / "docs"
HEAD = """# What of the papers comes out again

Made by `make reproduction DATA=FOLDER`, from folders of judgements and runs; no cell is written by hand. Printed
values are in the scripts of `reproduce/`, one for every paper, or in the studies that search for them; computed values
come from `tiebreak` alone, with the settings that are named. Nothing was adjusted to come nearer to what is printed.

- **exact**: equal to the printed digits.
- **within sampling error**: one or both values were drawn by chance, and the two are at most 3 standard errors apart,
  or the printed one lies in the 95% interval that the draws leave.
- **different**: the reason is given. **different, reason not known**: it is not known.
- **data not here**: printed of collections that were not at hand; where a value stands beside, it is of another one.

The papers: LR, lexirecall; LP, lexiprecision; PE, pessimistic evaluation; RPP, recall-paired preference; AB,
alpha-beta-nDCG. The scripts take any folder with `qrels.txt` and `runs/`; of other collections they compute the same
tables and figures, without a printed value beside."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quick", action="store_true", help="fewer draws")
    parser.add_argument("--docs", type=Path, default=DOCS, metavar="DIR", help="where the page is written")
    asked = parser.parse_args()
    data = Data.of(asked.folder, asked.quick)
    made = [(paper, paper.sheets(data), paper.drawings(data)) for paper in PAPERS]
    sections = [section(paper, sheets, drawings, asked.docs) for paper, sheets, drawings in made]
    counted = summary([(paper, sheets) for paper, sheets, _ in made])
    differing = differences([sheet for _, sheets, _ in made for sheet in sheets])
    (asked.docs / "reproduction.md").write_text("\n\n".join([HEAD, counted, differing, *sections]) + "\n", "utf-8")


def summary(made: list[tuple[Paper, list[Sheet]]]) -> str:
    """How many cells of every paper have which status."""
    shown = [status for status in Status if any(Counted.of(sheets).counts[status] for _, sheets in made)]
    rows = [(paper.title, *(str(Counted.of(sheets).counts[status]) for status in shown)) for paper, sheets in made]
    return "## Cells by status\n\n" + markdown_table(("paper", *shown), rows)


def differences(sheets: list[Sheet]) -> str:
    """All cells that are not as printed."""
    far = (Status.EXPLAINED, Status.OPEN)
    rows = [
        (sheet.title.partition(":")[0], *cell.row) for sheet in sheets for cell in sheet.cells if cell.status in far
    ]
    return "## All that differs\n\n" + markdown_table(("table", "cell", "printed", "computed", "why"), rows)


def section(paper: Paper, sheets: list[Sheet], drawings: list[Figure], docs: Path) -> str:
    remarks = "\n".join(f"- {remark}" for remark in paper.remarks)
    figures = [linked(drawing, docs) for drawing in drawings]
    return "\n\n".join([f"## {paper.title}", remarks, *(sheet.markdown() for sheet in sheets), *figures])


def linked(drawing: Figure, docs: Path) -> str:
    """A figure, written to the folder of figures."""
    path = drawing.save(docs / "figures").relative_to(docs)
    return f"### {drawing.title}\n\n![{drawing.title}]({path.as_posix()})\n\n{drawing.says}"


if __name__ == "__main__":
    main()
