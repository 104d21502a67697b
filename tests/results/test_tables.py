"""Tables for people."""

import re
from collections import Counter
from io import BytesIO, StringIO, TextIOWrapper

import pytest
import rich.console
from rich.console import Console

from tiebreak.results.tables import Table


def test_text_has_every_row_on_one_line_and_columns_in_line():
    table = Table(("run", "value", "name"), (("a", "1.5", "x"), ("b\nc", "-10.25", "数据")), ("A note.",))
    assert table.to_text().splitlines() == [
        " run    value   name",
        " ───────────────────",
        " a        1.5   x",
        " b\N{REPLACEMENT CHARACTER}c   -10.25   数据",
        "A note.",
    ]


@pytest.mark.parametrize(("encoding", "rule"), [("utf-8", "─"), ("ascii", "-")])
def test_table_in_a_pipe_is_its_text(monkeypatch, encoding, rule):
    stream = TextIOWrapper(BytesIO(), encoding=encoding)
    monkeypatch.setattr("sys.stdout", stream)
    Table(("run", "value"), (("a", "1.5"),), ("A note.",)).print()
    stream.flush()
    assert stream.buffer.getvalue().decode(encoding) == f"\n run   value\n {rule * 11}\n a       1.5\n\nA note.\n"


NAMES = ("a", "balanced-twin", "a name of several words and one-very-long-word-that-has-no-spaces-in-it")
NUMBERS = ("5,000", "50", "-0.1234567", "1,274 (81%)", "235/0/12", "+0.0012*", "1,000,000,000")
RUNS = Table(("run", *(f"column {k}" for k in range(7))), tuple((name, *NUMBERS) for name in NAMES))
PAIRS = Table(("run", "other", *RUNS.header[1:]), tuple((x, y, *NUMBERS) for x in NAMES for y in NAMES))
TEXTS = Table(("metric", "found", "n"), tuple((name, f"{name}: 2.057 to 16.5", "12,345") for name in NAMES))
TABLES = {"runs": RUNS, "pairs": PAIRS, "texts": TEXTS}


def in_terminal(table, width):
    text = StringIO()
    table._render(Console(file=text, width=width, force_terminal=True, color_system=None))
    return text.getvalue()


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
@pytest.mark.parametrize("table", TABLES)
def test_terminal_of_any_width_cuts_no_number_and_loses_no_name(table, width):
    holds_all(TABLES[table], in_terminal(TABLES[table], width), width)


def holds_all(table, shown, width):
    """Every number is whole, of every name each letter is there, and no line is too long."""
    assert max(map(len, shown.splitlines())) <= width
    words = Counter(word for row in table.rows for cell in row for word in cell.split())
    for word, times in words.items():
        if re.fullmatch(r"[-+0-9.,%/*()]*[0-9][-+0-9.,%/*()]*", word):
            assert shown.split().count(word) >= times, word
    letters = re.sub(r"\s", "", shown)
    assert all(letters.count(c) >= "".join(map("".join, table.rows)).count(c) for c in "abcdefghijklmnopqrstuvwxyz_-")


def test_names_of_rows_stand_in_every_block_of_columns():
    shown = in_terminal(RUNS, 40)
    assert shown.count("balanced-twin") == shown.count(" run ") > 1
    assert in_terminal(RUNS, 300).count("balanced-twin") == 1


def test_columns_of_the_same_title_stay_beside_what_they_belong_to():
    table = Table(("run", "RPP", "w/t/l", "LexiRecall", "w/t/l"), (("one", "+0.1234", "1/2/3", "-0.1234", "3/2/1"),))
    titles = [line.split() for line in in_terminal(table, 32).splitlines() if " run" in line]
    assert titles == [["run", "RPP", "w/t/l"], ["run", "LexiRecall", "w/t/l"]]


def test_files_and_pipes_have_one_line_for_every_row():
    for table in (RUNS, PAIRS):
        lines = [line.split() for line in table.to_text().splitlines()]
        for row in table.rows:
            assert " ".join(row).split() in lines


def test_notes_are_wrapped_between_words_in_a_terminal():
    note = " ".join(["12,345", "requests"] * 20)
    shown = in_terminal(Table(("run",), (("a",),), (note,)), 40)
    assert max(map(len, shown.splitlines())) <= 40 and shown.split()[-40:] == note.split()


def test_table_is_never_displayed_by_itself_in_a_notebook(monkeypatch, capsys):
    displayed = []
    monkeypatch.setattr(rich.console, "_is_jupyter", lambda: True)
    monkeypatch.setattr("rich.jupyter.display", lambda *inputs: displayed.append(inputs))
    assert "balanced-twin" in RUNS.to_text() and "balanced-twin" in repr(RUNS)
    RUNS.print()
    assert displayed == [] and capsys.readouterr().out.count("balanced-twin") == 1


def test_table_shows_itself():
    assert repr(RUNS) == RUNS.to_text() and RUNS._repr_html_() == RUNS.to_html()


def test_bar_is_escaped_in_latex():
    """Plain LaTeX sets another character for it."""
    assert r"a\textbar{}b & 1 \\" in Table(("run", "n"), (("a|b", "1"),)).to_latex()
