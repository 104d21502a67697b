"""The searcher of counterexamples: stages, shrinking, laws that ask for one case, and the table."""

from hypothesis import given
from hypothesis import strategies as st

from tiebreak.studies._counterexamples import Domain, Finding, Law, LawTable, search, statements

SMALL = Law("small", "every number is below the limit", lambda limit, cases: [case >= limit for case in cases])


def numbers(*stages, **how):
    return Domain(stages, **how)


def test_law_that_holds_was_tried_on_all_cases():
    assert search(SMALL, 10, numbers([1, 2], [3], [])) == Finding(True, 3, None)


def test_search_ends_with_the_stage_that_has_a_counterexample():
    assert search(SMALL, 10, numbers([1], [20, 12, 5], [10])) == Finding(False, 4, 20)


def test_smallest_counterexample_of_a_stage_is_reported():
    assert search(SMALL, 10, numbers([1], [20, 12, 5], size=lambda case: case)).case == 12


def test_only_cases_that_a_law_speaks_of_are_tried():
    even = Law("even", "every even number is below the limit", SMALL.decides, applies=lambda case: case % 2 == 0)
    assert search(even, 10, numbers([11, 13, 2], [14])) == Finding(False, 2, 14)


def test_law_that_asks_for_one_case_is_proved_by_it():
    some = Law("large", "some number reaches the limit", SMALL.decides, asks_for_one=True)
    assert search(some, 10, numbers([1], [12])) == Finding(True, 2, 12)
    assert search(some, 10, numbers([1], [2])) == Finding(False, 2, None)


@given(st.integers(1, 100), st.integers(0, 100))
def test_counterexample_is_shrunk_as_long_as_it_is_one(limit, above):
    domain = numbers([limit + above], size=lambda case: case, smaller=lambda case: [range(case)])
    assert search(SMALL, limit, domain).case == limit


def test_later_groups_are_tried_where_earlier_ones_have_none():
    groups = {30: [[1], [20, 29]], 20: [[11], [10]]}
    domain = numbers([30], size=lambda case: case, smaller=lambda case: groups.get(case, ()))
    assert search(SMALL, 10, domain).case == 11


def test_no_larger_case_takes_the_place_of_a_smaller_one():
    domain = numbers([12], size=lambda case: case, smaller=lambda case: [[12, 40]])
    assert search(SMALL, 10, domain).case == 12


ROWS = [
    ("AP", "one", True, 5, None),
    ("AP", "two", False, 3, "(1,2)"),
    ("RPP", "one", None, 0, None),
    ("RPP", "two", False, 7, None),
]


def test_table_has_laws_as_rows_and_shows_what_decides():
    table = LawTable.from_rows(ROWS, ("case",), lambda record, digits: f"at {record['case']}", ("All of it.",))
    assert table.columns == ("measure", "law", "holds", "tried", "case") and table.rows() == tuple(ROWS)
    shown = table.table()
    assert shown.header == ("law", "AP", "RPP", "tried")
    assert shown.rows == (("one", "yes", "-", "5"), ("two", "no", "no", "7"))
    assert shown.notes == (
        "Satisfied on all cases tried, of 2 laws: AP 1, RPP 0.",
        "two of AP fails: at (1,2).",
        "two of RPP fails: none of 7 cases satisfies it.",
        "All of it.",
    )
    _, columns, drawn = table.picture()
    assert columns == ("measure", "law", "verdict") and drawn[2] == ("RPP", "one", "not applicable")


def test_conclusion_on_one_measure_names_the_laws():
    table = LawTable.from_rows(ROWS[:2], ("case",), lambda record, digits: "", ())
    assert table.conclusion == "AP violates two; it satisfies one on all cases tried."


def test_laws_are_stated_in_the_notes():
    assert statements([SMALL]) == ("small: every number is below the limit.",)
