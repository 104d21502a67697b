"""Every line of docs/other_libraries.md, with the library that it is for."""

import re
import shlex
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "other_libraries.md").read_text(encoding="utf-8")
ROWS = [tuple(cell.strip() for cell in line.split("|")[1:-1]) for line in PAGE.splitlines() if line.startswith("| ")]
LINES = [(library, line.strip("`"), result) for library, _, line, result in ROWS[1:]]
COMMON, *SECTIONS = re.split(r"^### ", PAGE.partition("## The objects")[2], flags=re.MULTILINE)
MODULES = {
    "trec_eval": "tiebreak",
    "LensKit": "lenskit",
    "PyTerrier": "pyterrier",
    "RecTools": "rectools",
    "BEIR": "beir",
}
INSTALLED = [line for line in LINES if find_spec(MODULES.get(line[0], line[0]))]
"""In continuous integration all of them."""
TSE = {"bm25": (1 / 3 + 1 / 1) / 2, "dense": (1 / 2 + 1 / 2) / 2}


def code(text):
    return re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]


SETUPS = {section.partition("\n")[0]: code(section) for section in SECTIONS}


@pytest.fixture
def objects(library, tmp_path, monkeypatch):
    """The names that a section of the page defines."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        monkeypatch.chdir(tmp_path)
        names = {}
        exec(code(COMMON) + SETUPS["trec_eval"] + SETUPS[library], names)
    return names


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("library", "line", "result"), INSTALLED, ids=lambda text: text[:40])
def test_line_runs_and_gives_what_the_page_says(library, line, result, objects):
    if line.startswith(("tiebreak ", "python ")):
        words = shlex.split(line)
        words = (
            [sys.executable, "-m", "tiebreak", *words[1:]] if words[0] == "tiebreak" else [sys.executable, *words[1:]]
        )
        assert subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
        return
    outcome = eval(line, objects)
    assert type(outcome).__name__ == re.match(r"`(\w+)`", result)[1]
    check_values(outcome)


def check_values(outcome):
    """Whatever comes out, the total search efficiency of both runs is the one worked out on the page."""
    kind = type(outcome).__name__
    if kind == "Scores":
        assert {row.run: row.value for row in outcome.summary().rows() if row.measure == "TSE"} == TSE
    elif kind == "PopulationOrdering":
        # The worst AP is (1 + 2/3) / 2 of bm25 and 1/2 of dense; the worst TSE 1/3 and 1/2.
        assert outcome.ranking() == (["bm25", "dense"] if outcome.measure == "map" else ["dense", "bm25"])
    elif kind == "dict":
        assert {str(measure): value for measure, value in outcome.items()}["TSE"] == pytest.approx(TSE["bm25"])
    elif "name" in getattr(outcome, "columns", ()):
        assert dict(zip(outcome["name"], outcome["TSE"], strict=True)) == pytest.approx(TSE)
    elif kind == "DataFrame":
        assert outcome.loc["TSE", "mean"] == pytest.approx(TSE["bm25"])
    elif kind == "Significance":
        assert [(row.run, row.other) for row in outcome.rows()] == [("bm25", "dense")]
    else:
        assert outcome.runs == ("bm25", "dense")


def test_every_library_has_a_section_and_a_line():
    assert {library for library, _, _ in LINES} == {*SETUPS}


def test_the_readme_links_the_page():
    assert "(docs/other_libraries.md)" in (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore")
def test_pyterrier_starts_no_java():
    pytest.importorskip("pyterrier")
    script = (
        code(COMMON)
        + SETUPS["PyTerrier"]
        + """
frame = pt.Experiment([bm25, dense], topics, qrels, [ir_measures.nDCG @ 10, TSE], names=["bm25", "dense"])
assert list(frame.columns) == ["name", "nDCG@10", "TSE"], frame
assert not pt.java.started()
"""
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True)
