"""Disaggregation by recall level, grade and subtopic, against the definitions."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiebreak as tb
from examples import examples
from metrics import slow

ITEMS = "abcdef"
rankings = st.permutations(ITEMS).flatmap(lambda order: st.integers(0, len(order)).map(lambda k: list(order[:k])))
grades_of = st.dictionaries(st.sampled_from(ITEMS), st.sampled_from([1, 2, 2.5, 3]), min_size=1)
N = 20
WEIGHTS = {"uniform": lambda i: Fraction(1), "inverse": lambda i: Fraction(1, i)}


def scored(ranking):
    return {item: float(-k) for k, item in enumerate(ranking)}


def experiment(grades, x, y, **how):
    return tb.Experiment({"q": grades}, [{"q": scored(x)}, {"q": scored(y)}], requests="judged", **how)


def exposures(p):
    return [Fraction(0) if k is None else Fraction(1, k) for k in p]


def sign(a, b):
    """Who reaches the level first; both None where neither does."""
    a, b = (k or 10**6 for k in (a, b))
    return (a < b) - (a > b)


@given(grades_of, rankings, rankings)
def test_levels_equal_their_definitions(grades, x, y):
    exp = experiment(grades, x, y)
    p, p2 = (slow.positions(ranking, grades, None) for ranking in (x, y))
    m, e, e2 = len(p), exposures(p), exposures(p2)
    i, n, n2 = range(1, m + 1), slow.imputed(p, N), slow.imputed(p2, N)
    harmonic = sum(map(WEIGHTS["inverse"], i))
    expected = {
        "AP": [k * (a - b) / m for k, a, b in zip(i, e, e2, strict=True)],
        "RR": [(a - b) * (k == 1) for k, a, b in zip(i, e, e2, strict=True)],
        f"ASL(n={N})": [Fraction(b - a, m) for a, b in zip(n, n2, strict=True)],
        f"ASL(n={N}, weights='inverse')": [Fraction(b - a, k) / harmonic for k, a, b in zip(i, n, n2, strict=True)],
        f"ISL(n={N})": [(b - a) * (k == 1) for k, a, b in zip(i, n, n2, strict=True)],
        f"TSL(n={N})": [(b - a) * (k == m) for k, a, b in zip(i, n, n2, strict=True)],
        "RPP": [sign(a, b) for a, b in zip(p, p2, strict=True)],
    }
    for spec in ("invRPP", "RPP(weights='inverse')"):
        rows = tb.disaggregate(exp.positions, spec, "run1", "run2").rows()
        parts = [sign(a, b) / (k * harmonic) for k, a, b in zip(i, p, p2, strict=True)]  # p(i) sgn(p'_i - p_i)
        assert [row.difference for row in rows] == pytest.approx([float(part) for part in parts], abs=1e-15)
    for spec, parts in expected.items():
        rows = tb.disaggregate(exp.positions, spec, "run1", "run2").rows()
        assert [row.difference for row in rows] == [float(part) for part in parts], spec
        assert [(row.level, row.m) for row in rows] == [(k, m) for k in i]


@settings(max_examples=examples(40))
@given(grades_of, rankings, rankings)
def test_levels_add_up_to_the_measure(grades, x, y):
    exp = experiment(grades, x, y, binary=True)
    metrics = (
        "AP",
        "RR",
        "DCG",
        "binary_DCG",
        "nDCG",
        "RBP",
        "R@3",
        "TSE",
        f"ASL(n={N}, weights='dcg')",
        f"TSL(n={N})",
    )
    for spec in metrics:
        rows = tb.disaggregate(exp.positions, spec, "run1", "run2").rows()
        assert sum(row.difference for row in rows) == pytest.approx(exp.compare(spec).values.item(), abs=1e-12), spec
        values = exp.evaluate(spec).values.ravel().tolist()
        parts = [[row.value for row in rows], [row.other_value for row in rows]]
        assert [sum(part) for part in parts] == pytest.approx(values, abs=1e-12), spec
    rows = tb.disaggregate(exp.positions, "RPP", "run1", "run2").rows()
    assert sum(row.difference for row in rows) / len(rows) == pytest.approx(exp.compare("RPP").values.item())
    assert {row.value for row in rows} == {None}
    for spec in ("invRPP", "dcgRPP", "RPP(weights='3,1,2')"):
        rows = tb.disaggregate(exp.positions, spec, "run1", "run2").rows()
        assert sum(row.difference for row in rows) == pytest.approx(exp.compare(spec).values.item(), abs=1e-12), spec


@settings(max_examples=examples(40))
@given(grades_of, rankings, rankings)
def test_grades_equal_the_measure_with_that_grade_as_relevant(grades, x, y):
    exp = experiment(grades, x, y)
    for name, argument in (
        ("AP", ""),
        ("RR", ""),
        ("RBP", "p=0.5"),
        ("ASL", f"n={N}"),
        ("ISL", f"n={N}"),
        ("LexiRecall", ""),
    ):
        spec = f"{name}({argument})" if argument else name
        rows = tb.disaggregate(exp.positions, spec, "run1", "run2", "grade").rows()
        assert [row.grade for row in rows] == sorted(set(grades.values()))
        for row in rows:
            own = f"{name}({argument}, rel={row.grade:g})" if argument else f"{name}(rel={row.grade:g})"
            assert row.difference == exp.compare(own).values.item()
            assert row.m == sum(grade >= row.grade for grade in grades.values())
            if name != "LexiRecall":
                assert [row.value, row.other_value] == exp.evaluate(own).values.ravel().tolist()


@given(grades_of, rankings, rankings)
def test_rpp_is_the_mean_of_its_grades_by_their_numbers_of_items(grades, x, y):
    exp = experiment(grades, x, y)
    for spec in ("RPP", "RPP(weights='inverse')"):
        rows = tb.disaggregate(exp.positions, spec, "run1", "run2", "grade").rows()
        mean = sum(row.m * row.difference for row in rows) / sum(row.m for row in rows)
        assert mean == pytest.approx(exp.compare(spec).values.item(), abs=1e-12)


@given(grades_of, rankings, rankings)
def test_st_rpp_is_the_mean_of_its_subtopics_and_the_background(grades, x, y):
    topics = {item: {"s": 1} if item in "abc" else {"t": 1} for item in grades}
    exp = experiment(topics | {"z": {"s": 1, "t": 1}}, x, y)
    rows = tb.disaggregate(exp.positions, "RPP", "run1", "run2", "subtopic").rows()
    (background,) = tb.disaggregate(exp.positions, "RPP", "run1", "run2", "grade").rows()
    everybody = [*rows, background]
    mean = sum(row.m * row.difference for row in everybody) / sum(row.m for row in everybody)
    assert mean == pytest.approx(exp.compare("ST-RPP").values.item(), abs=1e-12)
    mean = sum(row.m * row.difference for row in rows) / sum(row.m for row in rows)
    assert mean == pytest.approx(exp.compare("ST-RPP(background=0)").values.item(), abs=1e-12)


def test_own_relevance_of_a_measure_is_the_lowest_grade():
    exp = experiment({"a": 1, "b": 2, "c": 3}, "abc", "cba")
    rows = tb.disaggregate(exp.positions, "AP(rel=2)", "run1", "run2", "grade").rows()
    assert [row.grade for row in rows] == [2, 3]


def test_grades_of_rpp_are_those_it_lists():
    exp = experiment({"a": 1, "b": 2, "c": 3}, "abc", "xcba")
    every = {row.grade: row for row in tb.disaggregate(exp.positions, "RPP", "run1", "run2", "grade").rows()}
    rows = tb.disaggregate(exp.positions, "RPP(grades='1:0.5,2:0.5')", "run1", "run2", "grade").rows()
    assert list(rows) == [every[1.0], every[2.0]]
    # p(lambda) is 1/2 each.
    mean = sum(row.difference for row in rows) / 2
    assert mean == pytest.approx(exp.compare("RPP(grades='1:0.5,2:0.5')").values.item())
    with pytest.raises(tb.InputError, match="no item has the grade 7, the largest is 3"):
        tb.disaggregate(exp.positions, "RPP(grades='1,7')", "run1", "run2", "grade")


@pytest.mark.parametrize("by", ["level", "subtopic"])
def test_grades_of_rpp_go_with_the_split_by_grade_only(by):
    exp = experiment({"a": {"s": 1}, "b": {"t": 2}}, "ab", "ba")
    with pytest.raises(tb.InputError, match=r"are of all relevant items alike.*split by grade"):
        tb.disaggregate(exp.positions, "RPP(grades='1,2')", "run1", "run2", by)


def test_an_experiment_reads_what_the_measure_needs():
    exp = experiment({"a": 1, "b": 1}, "axb", "xya")
    # The union is a, b, x, y: b of run2 is at 4. Levels 1: (3 - 1) / 2, 2: (4 - 3) / 2.
    rows = tb.disaggregate(exp, "ASL(n=union)", "run1", "run2").rows()
    assert [row.difference for row in rows] == [1.0, 0.5]
    assert list(tb.disaggregate(exp, "RPP", "run1", "run2").rows()) == list(
        tb.disaggregate(exp.positions, "RPP", "run1", "run2").rows()
    )
    with pytest.raises(tb.InputError, match=r"dict has no positions\. Give Positions or an Experiment"):
        tb.disaggregate({}, "RPP", "run1", "run2")


def test_rows_have_the_columns_of_what_they_are_split_by():
    exp = experiment({"a": {"s": 1}, "b": {"t": 2}}, "ab", "ba")
    for by in ("level", "grade", "subtopic"):
        parts = tb.disaggregate(exp.positions, "AP", "run1", "run2", by)
        assert parts.columns == ("request", by, "m", "difference", "value", "other_value")
        assert by in repr(parts)
    with pytest.raises(tb.InputError, match='unknown value for by "topic"'):
        tb.disaggregate(exp.positions, "AP", "run1", "run2", "topic")
