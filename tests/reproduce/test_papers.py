"""What comes out of the tables that need no data, and how the page shows it."""

import lexirecall
import page
import pessimistic
import pytest
from cells import Cell, Sheet, Status
from data import Data, Options
from script import Paper

import diversity

pytestmark = pytest.mark.slow  # searches and drawings of many cases

QUICK = Data(options=Options(quick=True))


@pytest.mark.parametrize(
    ("table", "counts"),
    [
        (lexirecall.table_3, {Status.EXACT: 19, Status.OPEN: 1}),
        (lexirecall.table_4, {Status.EXACT: 24, Status.OPEN: 1}),
        (lexirecall.table_8, {Status.EXACT: 55, Status.EXPLAINED: 9}),  # 15 rows of 4, and 4 cells in a second reading
        (pessimistic.table_1, {Status.EXACT: 24}),
        (diversity.table_1, {Status.EXACT: 49, Status.EXPLAINED: 7}),
    ],
)
def test_tables_on_paper(table, counts):
    assert table(QUICK).counts() == counts


def test_agreement_with_the_worst_case_is_within_chance_everywhere():
    actual = lexirecall.table_2(QUICK)
    assert len(actual.cells) == 4 * 7
    assert set(actual.counts()) == {Status.EXACT, Status.BY_CHANCE}


@pytest.mark.parametrize(
    ("share", "error", "printed", "apart"),
    [
        (0.550, 0.005, "0.541", 1.2750),  # (.55 - .541) / hypot(.005, .00498)
        (0.580, 0.005, "0.541", 5.5249),
    ],
)
def test_printed_shares_have_an_error_too(share, error, printed, apart):
    assert lexirecall.errors_apart(share, error, printed) == pytest.approx(apart, abs=2e-3)
    assert lexirecall.errors_apart(0.9, 0.0, "1.000") is None


def test_numbers_that_print_alike_are_told_apart():
    assert diversity.told_apart(0.5, 0.25) == ("0.5000", "0.2500")
    assert diversity.told_apart(0.12345671, 0.12345672) == ("0.12345671", "0.12345672")
    assert diversity.told_apart(0.5, 0.5) == ("0.5000", "0.5000")


def test_the_page_counts_cells_and_lists_those_that_differ():
    sheet = Sheet("XY Table 1: shares", [Cell("a", "1", 1.0), Cell("b", "1", 2.0), Cell("c", "y", "n", reason="why")])
    counted = page.summary([(Paper("A paper", ()), [sheet])])
    assert counted.markdown().splitlines()[2:] == [
        "| paper | exact | different | different, reason not known |",
        "| --- | --- | --- | --- |",
        "| A paper | 1 | 1 | 1 |",
    ]
    assert page.differences([sheet]).markdown().splitlines()[-2:] == [
        "| XY Table 1 | b | 1 | 2 | different, reason not known |",
        "| XY Table 1 | c | y | n | different: why |",
    ]
