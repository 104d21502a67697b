"""Writes docs/reproduction.md: all tables and figures, with what was found of every printed value.

python reproduce/page.py FOLDER ... [--quick] [--docs DIR]
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import lexiprecision
import lexirecall
import pessimistic
import recall_paired
from cells import Counted, Sheet, Status, markdown_table
from data import Data
from script import Figure, Paper, arguments, failed_cells, leave, options

import diversity

PAPERS = (lexirecall.PAPER, lexiprecision.PAPER, pessimistic.PAPER, recall_paired.PAPER, diversity.PAPER)
DOCS = Path(__file__).resolve().parent.parent / "docs"
HEAD = """# What of the papers comes out again

Made by `make reproduction DATA=FOLDER`, from folders of judgements and runs; no cell is written by hand. Printed
values are in `reproduce/`; computed values come from `tiebreak` with the settings that are named, but for two-sample
t-tests, which are SciPy's. No setting is changed to come nearer to what is printed, except where a paper leaves it
open: how it was then chosen is said below.

- **exact**: equal to the printed digits.
- **within sampling error**: one or both values were drawn by chance, and the two are at most 3 standard errors apart,
  or the printed one lies in the 95% interval that the draws leave.
- **different**: a reason is given; where it is another setting than the paper names, that setting was found by trying
  several. **different, reason not known**: none is known.
- **other data**: the folder at hand has other requests or runs than the paper's collection of that name; both values
  are shown, and not comparable.
- **data not here**: printed of collections that were not at hand. **failed**: they are, but nothing could be computed.

The papers: LR, lexirecall; LP, lexiprecision; PE, pessimistic evaluation; RPP, recall-paired preference; AB,
alpha-beta-nDCG. The scripts take any number of folders with `qrels.txt` and `runs/`, or folders of such. A folder is
known by its name (`dl19-passage`, `dl20-doc`, `robust`, `web2009`, `ml-1m`, ...; `reproduce/tracks.py`): it is read as
the papers read that track, and the rows that they print (`reproduce/printed/`) stand beside what is computed. Of other
collections the same tables and figures are made, without a printed value beside. Options set the grade from which an
item is relevant, the depth of rankings, the correction, shuffles and samples; by default they are the papers'.

The papers do not say from which grade an item is relevant. Passages: grade >= 2, as LP Table 2 and PE Table 2 of
deep-pass (2019) come out with it, and not with 1; to other years this is carried over, not checked. Documents: from
grade 1 on, as LP Table 3a, without grades, and RPP Table 3a, with every grade above 0, print the same RR. Ratings: 4
stars, as LR and RPP say. All others: every grade above 0. Where a table has settings tried, all that were tried are
listed, with what each gave."""


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--docs", type=Path, default=DOCS, metavar="DIR", help="where the page is written")
    asked = parser.parse_args()
    leave(write_page(Data.of(asked.folder, options(asked)), asked.docs))


def write_page(data: Data, docs: Path) -> list[str]:
    """Write the page and its figures, and say what failed."""
    made = [(paper, paper.sheets(data)) for paper in PAPERS]
    failures = failed_cells(sheet for _, sheets in made for sheet in sheets)
    drawn = [list(paper.drawings(data, docs / "figures", failures)) for paper in PAPERS]
    sections = [section(paper, sheets, figures) for (paper, sheets), figures in zip(made, drawn, strict=True)]
    differing = differences([sheet for _, sheets in made for sheet in sheets])
    failed = "\n".join(["## What failed", "", *(f"- {failure}" for failure in failures)]) if failures else ""
    parts = filter(None, [HEAD, summary(made), differing, failed, *sections])
    (docs / "reproduction.md").write_text("\n\n".join(parts) + "\n", "utf-8")
    return failures


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


def section(paper: Paper, sheets: list[Sheet], drawings: Iterable[tuple[Figure, Path]]) -> str:
    remarks = "\n".join(f"- {remark}" for remark in paper.remarks)
    figures = [linked(drawing, path) for drawing, path in drawings]
    return "\n\n".join([f"## {paper.title}", remarks, *(sheet.markdown() for sheet in sheets), *figures])


def linked(drawing: Figure, path: Path) -> str:
    """A figure in the folder of figures beside the page."""
    return f"### {drawing.title}\n\n![{drawing.title}](figures/{path.name})\n\n{drawing.says}"


if __name__ == "__main__":
    main()
