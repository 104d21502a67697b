"""All pairs of many runs as a matrix of signs."""

from itertools import combinations

import pytest

from results.test_pictures import Pairs
from tiebreak.results.groups import GroupResults
from tiebreak.results.joint_table import joint_table
from tiebreak.results.pairs import PairRows


class ManyPairs(Pairs):
    columns = (*Pairs.columns, "measure")
    has_pairs = True


def pairs(number, measure="RPP", better=lambda x, y: x < y):
    """Runs of which those far enough apart were shown to differ."""
    rows = tuple(
        (f"r{x:02}", f"r{y:02}", 0.1 if better(x, y) else -0.1, -1.0, 1.0, abs(x - y) > 2, measure)
        for x, y in combinations(range(number), 2)
    )
    return ManyPairs(rows, ("* p < 0.05.",))


def test_signs_are_of_the_run_of_the_line():
    rows = (("a", "b", 0.5, 0.0, 1.0, True), ("a", "c", -0.5, 0.0, 1.0, True), ("b", "c", 0.5, 0.0, 1.0, False))
    assert PairRows(Pairs(rows), "RPP").signs("abc") == ["=+-", "-=.", "+.="]
    assert PairRows(Pairs(rows[:2]), "RPP").signs("abc") == ["=+-", "-=?", "+?="]


def slow_sign(result, run, other):
    """The sign of a pair, from its row."""
    for row in result.values:
        if row[:2] == (run, other) and row[5]:
            return "+" if row[2] > 0 else "-"
        if row[:2] == (other, run) and row[5]:
            return "-" if row[2] > 0 else "+"
    return "=" if run == other else "."


@pytest.mark.parametrize("number", [11, 37, pytest.param(60, marks=pytest.mark.slow)])
def test_all_pairs_of_many_runs_are_a_line_for_every_run(number):
    result = pairs(number)
    table = joint_table([result])
    runs = [f"r{k:02}" for k in range(number)]
    assert [row[0] for row in table.rows] == [f"{k} {run}" for k, run in enumerate(runs, 1)]
    for run, row in zip(runs, table.rows, strict=True):
        assert "".join(row[1:]) == "".join(slow_sign(result, run, other) for other in runs)
    assert table.header == ("run", "RPP: 1", *(str(k) for k in range(11, number + 1, 10)))
    assert "shown: p < 0.05." in table.notes  # there are no stars
    head, _, first, *_ = table.to_text().splitlines()
    assert head.index("11") == first.index("=") + 13  # above the sign of run 11, after ten signs and a gap
    assert ('<th style="text-align: left; padding: 2px 8px; font-family: monospace">11</th>') in table.to_html()


def test_second_measure_is_in_the_order_of_the_first():
    table = joint_table([pairs(12), pairs(12, "AP", lambda x, y: x > y)])
    assert table.header == ("run", "RPP: 1", "11", "AP: 1", "11")
    assert "".join(table.rows[0][1:3]) == "=..+++++++++" and "".join(table.rows[0][3:]) == "=..---------"


def by_group(number, groups):
    """The same pairs in every group, but that nothing was shown in the first, and the order of all is turned round."""
    first, *others = groups
    parts = {first: ManyPairs(tuple((*row[:5], False, row[6]) for row in pairs(number).values))}
    parts |= {group: pairs(number) for group in others} | {"all": pairs(number, better=lambda x, y: x > y)}
    return GroupResults(parts, dict.fromkeys(parts, 9), more_notes=("needed_overall: a number.",), label_for_all="all")


def test_groups_of_requests_have_a_matrix_each_in_the_order_over_all_requests():
    table = joint_table([by_group(12, ["de", "fr"])])
    assert table.header == ("group", "run", "RPP: 1", "11")
    assert [row[:2] for row in table.rows[::12]] == [(group, "1 r11") for group in ("de", "fr", "all")]
    assert ["".join(row[2:]) for row in table.rows[::12]] == ["=...........", "=..---------", "=..+++++++++"]
    assert not any("needed_overall" in note for note in table.notes)  # there is no such column
    assert len(joint_table([by_group(10, ["de", "fr"])]).rows) == 3 * 45  # a row for every pair


def test_matrices_of_many_groups_are_left_out():
    table = joint_table([by_group(12, [f"g{k}" for k in range(16)])])
    assert [row[:2] for row in table.rows[:2]] == [("all", "1 r11"), ("all", "2 r10")] and len(table.rows) == 12
    assert "16 groups not shown; other formats list all." in table.notes


def test_few_pairs_some_pairs_and_files_have_a_row_each():
    assert len(joint_table([pairs(10)]).rows) == 45
    assert len(joint_table([pairs(12)], most=None).rows) == 66
    some = ManyPairs(pairs(12).values[:-1])
    assert len(joint_table([some]).rows) == 65


@pytest.mark.parametrize("width", [80, 120, 200])
def test_matrix_of_sixty_runs_fits_a_terminal(width):
    from results.test_tables import in_terminal

    shown = in_terminal(joint_table([pairs(60)]), width)
    assert max(map(len, shown.splitlines())) <= width
    assert all(shown.count(f" {k} r{k - 1:02}") >= 1 for k in range(1, 61))
