"""Every command in narrow terminals: no number is cut and no name is lost."""

from io import StringIO

import pytest

from cli.test_compare import done
from cli.test_untrusted import after_progress, on_terminal
from results.test_tables import holds_all, in_terminal
from tiebreak.cli import tiebreak
from tiebreak.cli.output import fold
from tiebreak.results.tables import Table

CALLS = {
    "check": ("check", "QRELS", "RUNS"),
    "evaluate": ("evaluate", "QRELS", "RUNS"),
    "evaluate per request": ("evaluate", "QRELS", "RUNS", "-q"),
    "populations": (
        "evaluate",
        "QRELS",
        "RUNS",
        "-m",
        "AP",
        "--population",
        "gmean",
        "--population",
        "cvar(share=0.1)",
    ),
    "compare one": ("compare", "QRELS", "RUNS", "-m", "RPP"),
    "compare": ("compare", "QRELS", "RUNS"),
    "order": ("order", "QRELS", "RUNS", "--bootstrap", "10"),
    "order by population": ("order", "QRELS", "RUNS", "--by", "leximin(AP)"),
    "order per request": ("order", "QRELS", "RUNS", "-q"),
    "explain": ("explain", "QRELS", "ONE", "TWO"),
    "explain request": ("explain", "QRELS", "ONE", "TWO", "--request", "q01"),
    "test": ("test", "QRELS", "RUNS"),
    "letters": ("test", "QRELS", "RUNS", "--letters"),
    "ties": ("study", "ties", "QRELS", "RUNS"),
    "collections": ("study", "ties", "--collections", "FOLDER", "--group-by", "depth"),
    "agreement": ("study", "agreement", "QRELS", "RUNS", "--view", "order"),
    "power": ("study", "power", "QRELS", "RUNS"),
    "missing": ("study", "missing", "QRELS", "RUNS", "--samples", "1", "--fraction", "0.5"),
    "validity": ("study", "validity", "QRELS", "RUNS"),
    "orientation": ("study", "orientation", "--items", "10", "--relevant", "2"),
    "axioms": ("study", "axioms", "--lists", "0"),
    "properties": ("study", "properties", "--pairs", "2"),
    "measures": ("measures",),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """An invented experiment; one of the runs has a long name."""
    root = tmp_path_factory.mktemp("terminals")
    done("demo", "--out", root, "--requests", "6")
    (root / "runs" / "weak.run").rename(root / "runs" / "weak-with-a-name-longer-than-a-narrow-terminal.run")
    runs = root / "runs"
    return {
        "FOLDER": root,
        "QRELS": root / "qrels.txt",
        "RUNS": runs,
        "ONE": runs / "deep.run",
        "TWO": runs / "balanced-twin.run",
    }


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("axioms", "properties")]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("call", [*(name for name in CALLS if name not in ("axioms", "properties")), *SLOW])
def test_narrow_terminals_cut_no_number_and_lose_no_name(files, call, monkeypatch):
    printed = []
    monkeypatch.setattr(Table, "print", lambda table: printed.append(table))
    tiebreak([str(files.get(word, word)) for word in CALLS[call]], standalone_mode=False)
    (table,) = printed
    for width in (40, 80, 100):
        shown = in_terminal(table, width)
        kept, left_out = table._drop_columns(width)
        assert ", ".join(left_out) in " ".join(shown.split())
        holds_all(kept, shown, width)


def test_check_in_a_terminal_of_100_columns_shows_every_run_with_its_number_of_lines(tmp_path):
    done("demo", "--out", tmp_path)
    code, shown = on_terminal("check", tmp_path / "qrels.txt", tmp_path / "runs", columns=100)
    rows = [line.split()[:2] for line in after_progress(shown).splitlines()]
    assert code == 0
    assert [[path.stem, "5,000"] in rows for path in (tmp_path / "runs").iterdir()] == [True] * 7


class Terminal(StringIO):
    def isatty(self):
        return True


def test_messages_are_in_lines_of_whole_words(monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    text = "Note: a-run-with-hyphens is worse.\n   indented lines stay indented, always\nshort"
    assert fold(text, Terminal()).split("\n") == [
        "Note:",
        "a-run-with-hyphens",
        "is worse.",
        "   indented lines",
        "   stay indented,",
        "   always",
        "short",
    ]
    assert fold(text, StringIO()) == text
