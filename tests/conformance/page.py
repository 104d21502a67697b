"""Writes docs/conformance.md: every measure of other tools against the metric here, on the same inputs.

make conformance, or PYTHONPATH=tests python -m conformance.page [--docs DIR]. The section of a tool that is not
installed stays as it is.
"""

import argparse
import re
import textwrap
from pathlib import Path

from conformance.inputs import inputs
from conformance.outcomes import EQUAL, NOT_COMPUTED, Row, absent, compute, notes, reasons
from conformance.tools import TOOLS
from tiebreak.metrics import CATALOGUE

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = "conformance.md"
HEAD = """# Agreement with other tools

Every measure of trec_eval, ir_measures, ranx, LensKit and ndeval, and the metric of the same meaning here, on the same
judgements and rankings. Written by `make conformance`; a test fails if a difference has no reason, if a reason has no
difference, or if what a reason says does not give the other tool's values.

Values are compared request by request, to 1e-9, and to five decimals where gdeval prints no more (ERR@k and the
exponential gain of ir_measures). They are equal if the same requests have values, and the same ones. Here a judged
request that a run misses counts as retrieving nothing, and one without relevant items has no value and is left out of
means. In the tables, = is equal, a name is the reason for a difference, "fails" is an error of the tool, and an empty
cell says that it has no such option."""
ORDINARY = ("plain", "level 2", "short")
SUMMARY = """Whether the tool's measures of this meaning have the same values where all requests are judged and ranked,
have relevant items, and scores differ (`plain`, `level 2`, `short`). What tools do otherwise is in their sections."""


def make_page(committed):
    """The whole page; sections of tools that are not installed are those of the committed page."""
    sections = {tool.name: section(tool, committed) for tool in TOOLS}
    rows = {name: read_rows(text) for name, text in sections.items()}
    parts = [HEAD, "## Inputs", input_table(), "## Metrics", summary(rows), *sections.values()]
    return "\n\n".join(parts) + "\n"


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def input_table():
    return table(["input", "what it is"], [[one.name, one.what] for one in inputs().values()])


def section(tool, committed):
    """What a tool's measures are here, and where they differ; of a tool that is not installed, as the page has it."""
    if tool.is_installed():
        rows, versions = compute(tool), f"{', '.join(tool.versions())}."
    else:
        versions, rows = committed_outcomes(tool.name, committed)
    missing = [row.name for row in rows if row.spec is None]
    parts = [f"## {tool.name}", versions, row_table([row for row in rows if row.spec is not None])]
    parts.append("\n".join(entry(one.name, one.text) for one in reasons() if one.tool == tool.name))
    if missing:
        why = absent().get(tool.name, {})
        parts.append("Not here:")
        parts.append("\n".join(entry(f"`{name}`", why.get(name, "?")) for name in missing))
    for note in notes().get(tool.name, ()):
        text = f"{note['text']} (`{note['test']}`)" if "test" in note else note["text"]
        parts.append(text.strip() if "\n" in text else wrap(text))
    return "\n\n".join(part for part in parts if part)


def entry(name, text):
    return wrap(f"- **{name}**: {text}", "  ")


def wrap(text, indent=""):
    return textwrap.fill(text, 125, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def row_table(rows):
    header = ["measure", "here", *inputs()]
    return table(header, [[f"`{row.name}`", f"`{row.spec}`", *row.cells.values()] for row in rows])


def committed_section(name, page):
    match = re.search(rf"^## {name}$.*?(?=\n\n## |\Z)", page, flags=re.MULTILINE | re.DOTALL)
    return match.group().rstrip("\n") if match else f"## {name}\n\nNot compared yet."


def committed_outcomes(name, page):
    """The versions and the rows of a section of the page."""
    text = committed_section(name, page)
    why = absent().get(name, {})
    return text.split("\n\n")[1], [*read_rows(text), *(Row(measure, None, {}) for measure in why)]


def read_rows(text):
    """The rows of a section's table."""
    lines = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line] for line in lines]
    return [
        Row(name.strip("`"), spec.strip("`"), dict(zip(inputs(), rest, strict=True))) for name, spec, *rest in cells
    ]


def summary(rows_by_tool):
    """Every metric of the catalogue and every tool."""
    rows = []
    for name, kind in CATALOGUE.items():
        cells = [
            summary_cell([row for row in rows if metric_name(row.spec) == kind.name]) for rows in rows_by_tool.values()
        ]
        rows.append([f"`{name}`", *cells])
    return f"{SUMMARY}\n\n" + table(["metric", *rows_by_tool], rows)


def metric_name(spec):
    return re.split(r"[(@]", spec)[0]


def summary_cell(rows):
    """Over the measures of a tool that are one metric here."""
    cells = dict.fromkeys(row.cells[data] for row in rows for data in ORDINARY)
    reasons = dict.fromkeys(
        reason for cell in cells if cell not in (EQUAL, NOT_COMPUTED) for reason in cell.split("; ")
    )
    return "absent" if not rows else f"differs: {', '.join(reasons)}" if reasons else "equal"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=Path, default=DOCS, metavar="DIR", help="where the page is written")
    path = parser.parse_args().docs / PAGE
    path.write_text(make_page(path.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
