"""What is said of a printed value, worked out by hand."""

import pytest
from cells import Cell, Counted, Sheet, Status, markdown_table, rounded


@pytest.mark.parametrize(
    ("cell", "status"),
    [
        (Cell("a", "43.99", 43.9939), Status.EXACT),  # 293 of 666 pairs are 43.9939...
        (Cell("a", "43.99", 43.995001), Status.OPEN),  # rounds to 44.00
        (Cell("a", "44.00", 43.995001), Status.EXACT),
        (Cell("a", "31", 31.0), Status.EXACT),
        (Cell("a", "yes", "yes"), Status.EXACT),
        (Cell("a", "yes", "no"), Status.OPEN),
        (Cell("a", "yes", "no", reason="a counterexample"), Status.EXPLAINED),
        (Cell("a", "yes", "yes", reason="a counterexample"), Status.EXACT),
        (Cell("a", "0.541", 0.556, errors=2.9), Status.BY_CHANCE),
        (Cell("a", "0.541", 0.526, errors=-3.0), Status.BY_CHANCE),
        (Cell("a", "0.541", 0.526, errors=-3.01), Status.OPEN),
        (Cell("a", "0.541", 0.526, errors=-3.01, reason="known"), Status.EXPLAINED),
        (Cell("a", "36.34", 36.49, interval=(36.04, 36.49)), Status.BY_CHANCE),
        (Cell("a", "30.03", 29.58, interval=(29.58, 29.73)), Status.OPEN),
        (Cell("a", "29.73", 29.58, interval=(29.58, 29.7297)), Status.BY_CHANCE),  # 29.7297 is 29.73 as it is printed
        (Cell("a", "29.58", 29.7297, interval=(29.5796, 29.7297)), Status.BY_CHANCE),  # and so is the lower end
        (Cell("a", "0.61", 0.61, other_data="9 runs"), Status.OTHER),
        (Cell("a", None, 0.61, other_data="9 runs"), Status.UNPRINTED),
        (Cell("a", "0.61", None, other_data="9 runs"), Status.ABSENT),
        (Cell("a", "0.61", None, failure="no such file"), Status.FAILED),
        (Cell("a", None, None, failure="no such file"), Status.FAILED),
        (Cell("a", "-", "-"), Status.EXACT),  # all systems tie
        (Cell("a", "-", 0.9), Status.OPEN),
        (Cell("a", "0.61", None), Status.ABSENT),
        (Cell("a", None, None), Status.ABSENT),
        (Cell("a", None, 0.61), Status.UNPRINTED),
    ],
)
def test_status_of_a_cell(cell, status):
    assert cell.status is status


def test_printed_digits_set_the_digits_of_what_was_computed():
    assert Cell("a", "6.8", 6.7567).written == "6.8"
    assert Cell("a", "7", 6.7567).written == "7"
    assert Cell("a", None, 6.7567).written == "6.757"
    assert Cell("a", None, 6.7567, like="12.34").written == "6.76"
    assert Cell("a", "-", 0.9012).written == "0.901"
    assert rounded(-0.5, "0.000") == "-0.500"


def test_a_status_is_said_with_what_it_rests_on():
    assert Cell("a", "0.541", 0.556, errors=-2.94).verdict == "within sampling error, 2.9 standard errors"
    assert Cell("a", "5.0", 5.1, interval=(4.96, 5.11)).verdict == "within sampling error, 95% [5.0, 5.1]"
    assert Cell("a", "yes", "no", reason="x > y", note="3 pairs").verdict == "different: x > y; 3 pairs"
    assert Cell("a", "5.0", 9.0, errors=12.0).verdict == "different, reason not known, 12.0 standard errors"
    assert Cell("a", "5.0", 5.0, errors=0.1, interval=(1.0, 9.0)).verdict == "exact"
    assert Cell("a", "5.0", 9.0, other_data="9 runs", interval=(8.0, 9.0)).verdict == "other data: 9 runs"
    assert Cell("a", "5.0", None, failure="no such file").verdict == "failed: no such file"


def test_cells_elsewhere_are_counted_as_absent():
    cells = [Cell("a", "1", 1.0), Cell("b", "1", 2.0), Cell("c", "1", None)]
    sheets = [Sheet("t", cells, elsewhere="2 rows.", n_elsewhere=6), Sheet("u", [Cell("a", "2", 2.0)])]
    actual = Counted.of(sheets).counts
    assert actual == {Status.EXACT: 2, Status.OPEN: 1, Status.ABSENT: 7}
    assert Counted.of(sheets).text() == "2 exact, 1 different, reason not known, 7 data not here"


def test_a_sheet_shows_printed_beside_computed():
    sheet = Sheet("Table 9: shares", [Cell("run, AP", "0.50", 0.504)], "Grade >= 2.", "3 rows.", 3)
    assert sheet.text().splitlines() == [
        "Table 9: shares",
        "Grade >= 2.",
        "Data not here, 3 cells: 3 rows.",
        "cell     printed  computed  status",
        "run, AP  0.50     0.50      exact",
    ]
    assert "| run, AP | 0.50 | 0.50 | exact |" in sheet.markdown()


def test_a_sheet_without_cells_has_no_empty_table():
    sheet = Sheet("Table 9", elsewhere="all.", n_elsewhere=3)
    assert sheet.text().splitlines() == ["Table 9", "Data not here, 3 cells: all."]
    assert "|" not in sheet.markdown()


def test_bars_in_cells_do_not_end_them():
    assert markdown_table(["a"], [["x|y"]]).splitlines()[-1] == r"| x\|y |"
