"""Writes docs/papers.md: where every numbered thing of the papers is, from papers.toml.

python reproduce/papers.py [--docs DIR]
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cells import markdown_table

HERE = Path(__file__).resolve().parent
LIST = HERE / "papers.toml"
DOCS = HERE.parent / "docs"
TITLES = {
    "LR": "Recall, robustness, and lexicographic evaluation (lexirecall)",
    "LP": "Best-case retrieval evaluation (lexiprecision)",
    "PE": "Pessimistic evaluation (leximin)",
    "RPP": "Offline retrieval evaluation without evaluation metrics (recall-paired preference)",
    "AB": "Unified metrics for accuracy and diversity (alpha-beta-nDCG)",
}
PLACES = ("python", "command", "script", "test")
HEAD = """# The papers, number by number

Every numbered definition, equation, theorem, axiom, table and figure of the five papers, and the Python name, command,
script or test that has it, or why there is none. Generated from `reproduce/papers.toml` by `make papers`; a test fails
if a name, command, option, view or script is gone.

`tb` is `import tiebreak as tb`. Commands that read runs also take `QRELS RUN...`, left out here. Scripts and tests are
in the repository, not in the package. The numbers themselves, beside the printed ones, are in
[reproduction.md](reproduction.md)."""

Entry = Mapping[str, Any]


def read_papers(path: Path = LIST) -> dict[str, dict[str, Entry]]:
    """Entries by paper and number, in the order of the list."""
    return tomllib.loads(path.read_text("utf-8"))


def page(papers: Mapping[str, Mapping[str, Entry]]) -> str:
    """The whole page."""
    return "\n\n".join([HEAD, summary(papers), *(section(paper, papers[paper]) for paper in TITLES)]) + "\n"


def summary(papers: Mapping[str, Mapping[str, Entry]]) -> str:
    """How many entries every paper has, and how many of them a place."""
    rows = [
        (f"{paper}: {title}", str(len(papers[paper])), str(sum(has_place(one) for one in papers[paper].values())))
        for paper, title in TITLES.items()
    ]
    return markdown_table(("paper", "numbered", "here"), rows)


def has_place(entry: Entry) -> bool:
    return any(entry.get(kind) for kind in PLACES)


def section(paper: str, entries: Mapping[str, Entry]) -> str:
    rows = [(f"{paper} {number}", one["what"], "; ".join(places(one))) for number, one in entries.items()]
    return f"## {TITLES[paper]}\n\n" + markdown_table(("number", "what", "where"), rows)


def places(entry: Entry) -> Iterator[str]:
    """Where an entry is, or why nowhere; then what has to be known of it."""
    for kind in PLACES:
        yield from (f"`{place.strip()}`" for place in entry.get(kind, ()))
    yield from (entry[word] for word in ("why_not", "note") if word in entry)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=Path, default=DOCS, metavar="DIR", help="where the page is written")
    (parser.parse_args().docs / "papers.md").write_text(page(read_papers()), "utf-8")


if __name__ == "__main__":
    main()
