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


def test_printed_results_fit_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    assert repr(RUNS) == RUNS.to_text()  # standard output is no terminal
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    holds_all(RUNS, repr(RUNS), 60)
    assert repr(RUNS).startswith(" run ") and "\x1b" not in repr(RUNS) and repr(RUNS) == str(RUNS) != RUNS.to_text()
    monkeypatch.setattr("sys.stdout", None)
    assert repr(RUNS) == RUNS.to_text()


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


def test_digits_are_in_line_beside_marks_in_a_terminal():
    table = Table(("run", "value", "n"), (("a", "0.1234*", "10"), ("b", "0.5678 ", "9"), ("c", "12.5000 ", "100")))
    lines = [line for line in in_terminal(table, 80).splitlines() if "." in line]
    assert len(lines) == 3 and len({line.index(".") for line in lines}) == 1
    assert [line.rstrip()[-3:] for line in lines] == [" 10", "  9", "100"]


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


@pytest.mark.parametrize(
    ("names", "rows"),
    [
        (["group", "run", "other"], [("g", "7", "x", "y"), ("g", "7", "x", "z"), ("h", "9", "x", "y")]),
        (["measure", "level"], [("AP", "1", "0.5", "a"), ("AP", "2", "0.5", "b"), ("RR", "1", "0.5", "c")]),
        (["run"], [("x", "0.5", "0.1", "0"), ("x", "0.6", "0.1", "0")]),
    ],
)
def test_every_block_has_all_columns_that_tell_rows_apart(names, rows):
    header = {"group": ("group", "requests", "run", "other"), "measure": ("measure", "level", "share", "of")}
    titles = header.get(names[0], ("run", "AP", "RR", "n"))
    wide = tuple(f"column {k} with a long title" for k in range(4))
    table = Table((*titles, *wide), tuple((*row, *("0.1234",) * 4) for row in rows))
    for block in table._blocks(70):
        assert [table.header[c] for c in block][: len(names)] == names


def test_columns_of_the_same_title_stay_beside_what_they_belong_to():
    table = Table(("run", "RPP", "w/t/l", "LexiRecall", "w/t/l"), (("one", "+0.1234", "1/2/3", "-0.1234", "3/2/1"),))
    titles = [line.split() for line in in_terminal(table, 32).splitlines() if " run" in line]
    assert titles == [["run", "RPP", "w/t/l"], ["run", "LexiRecall", "w/t/l"]]


WIDE = Table(
    ("run", "value", "p", "d"),
    (("a-long-name", "+0.1234", "0.001", "0.5"), ("b", "-0.1234", "0.002", "0.6")),
    best=frozenset({(1, 1), (0, 2)}),
    optional=("d", "p"),
)
"""11 + 7 + 5 + 3 characters, 3 between columns and 1 at both ends: 37."""


@pytest.mark.parametrize(("width", "titles"), [(37, "run value p d"), (36, "run value p"), (30, "run value")])
def test_narrow_terminal_leaves_out_optional_columns_and_says_so(width, titles):
    shown = in_terminal(WIDE, width)
    assert [line.split() for line in shown.splitlines() if " run" in line] == [titles.split()]
    left_out = ", ".join(title for title in WIDE.optional if title not in titles.split())
    note = f"Left out, as the terminal is {width} characters wide: {left_out}. Files (-o) have them."
    assert (note in " ".join(shown.split())) == bool(left_out)


def test_optional_columns_stay_where_leaving_them_out_is_not_enough():
    table = Table((*WIDE.header, "more"), tuple((*row, "x" * 20) for row in WIDE.rows), optional=WIDE.optional)
    shown = " ".join(in_terminal(table, 30).split())
    assert "0.6" in shown and "Left out" not in shown
    assert "blocks, as the terminal is 30 characters wide." in shown


def test_emphasis_stays_with_its_cell_when_columns_are_left_out():
    assert WIDE._take([0, 2]).best == {(0, 1)} and WIDE._take([0, 1]).best == {(1, 1)}


def test_files_have_optional_columns():
    assert "0.6" in WIDE.to_text() and "0.6" in WIDE.to_latex() and "0.6" in WIDE.to_markdown()


def test_matrix_of_signs_is_in_letters_of_one_width_in_a_notebook():
    page = Table(("run", "RPP: 1"), (("1 a", "=+"), ("2 b", "-="))).to_html()
    assert page.count("font-family: monospace") == 3  # the title, and two cells


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


@pytest.mark.parametrize(
    ("cell", "latex"),
    [
        ("0.05", "0.05"),
        ("-0.05", "$-0.05$"),
        ("+0.05", "$+0.05$"),
        ("-0.05*", r"$-0.05$\textsuperscript{*}"),
        ("0.47ᵃᵇ", r"0.47\textsuperscript{ab}"),
        ("-2.3%", r"$-2.3$\%"),
        ("±0.05", r"$\pm0.05$"),
        ("<0.001", "$<0.001$"),
        ("-1,234", "$-1{,}234$"),
        ("-inf", r"$-\infty$"),
        ("0.1 (-0.2)", "0.1 ($-0.2$)"),
        ("1-3", "1-3"),
        ("-", "--"),
        ("<", r"\textless{}"),
    ],
)
def test_numbers_in_latex_have_a_minus_and_raised_marks(cell, latex):
    assert rf"a & {latex} \\" in Table(("run", "AP"), (("a", cell),)).to_latex()


def test_best_number_in_latex_is_bold_with_its_sign():
    lines = Table(("run", "AP"), (("a", "-0.05*"), ("b", "0.05")), best=frozenset({(0, 1), (1, 1)})).to_latex()
    assert r"a & \textbf{\boldmath$-0.05$\textsuperscript{*}} \\" in lines and r"b & \textbf{0.05} \\" in lines


def test_names_in_latex_are_text():
    name = r"-1 _&%$#{}~^\ a--b---c"
    escaped = r"-1 \_\&\%\$\#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{} a-{}-b-{}-{}-c"
    assert Table(("run", "other"), ((name, name),)).to_latex().splitlines()[4] == rf"{escaped} & {escaped} \\"


def test_signs_of_pairs_in_latex_are_as_wide_as_each_other():
    assert r"a & \texttt{=-{}-+} \\" in Table(("run", "signs"), (("a", "=--+"), ("b", "+=.."))).to_latex()
