"""Populations of RPP with weights of their own: p(lambda) over grades, p(t) over subtopics; against slow twins."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiebreak as tb
from cli.running import run
from examples import examples
from preferences import slow
from tiebreak.errors import InputError
from tiebreak.preferences import preference

pytestmark = pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
ITEMS, TOPICS = "abcdef", "stu"
grades_of = st.dictionaries(st.sampled_from(ITEMS), st.sampled_from([0, 1, 2, 2.5, 3]), min_size=1)
rankings = st.permutations(ITEMS).flatmap(lambda order: st.integers(0, len(order)).map(lambda k: list(order[:k])))
topics_of = st.dictionaries(st.sampled_from(ITEMS), st.sets(st.sampled_from(TOPICS), min_size=1), min_size=1)
eighths = st.integers(0, 8).map(lambda k: Fraction(k, 8))


def scored(ranking):
    return {item: float(-k) for k, item in enumerate(ranking)}


def between(spec, judged, x, y, **how):
    """The preference in request q, as a fraction, None where it has none; another request keeps it from being alone."""
    runs = [{"q": scored(ranking), "z": scored("z")} for ranking in (x, y)]
    compared = tb.Experiment(judged, runs, **how).compare(spec)
    requests = list(compared.requests)
    return compared.exact_values(0, np.array([requests.index("q")]))[0] if "q" in requests else None


# Grades


def test_graded_rpp_over_given_grades_by_hand():
    judged = {"q": {"a": 1, "b": 3}, "z": {"z": 3}}
    # Grade 1 and better: positions (1, 2) against (2, -), 2 of 2. Grade 2 and better, and grade 3: 2 against 2, 0 of 1.
    x, y = "ab", "xb"
    assert between("RPP", judged, x, y) == Fraction(2 + 0, 2 + 1)
    assert between("RPP(grades='1,2,3')", judged, x, y) == Fraction(2 + 0 + 0, 2 + 1 + 1)
    # Half of the users want any grade: 1/2 x 2/2 + 1/2 x 0.
    assert between("RPP(grades='1:2,2:1,3:1')", judged, x, y) == Fraction(1, 2)
    assert between("RPP(grades='3:1')", judged, x, y) == 0


def test_weights_of_grades_are_of_those_with_an_item():
    # In q nothing is better than 1: all of its users want grade 1, however likely the others are.
    judged = {"q": {"a": 1}, "z": {"z": 3}}
    assert between("RPP(grades='1:0.1,3:0.9')", judged, "a", "x") == 1
    assert between("RPP(grades='2:0.1,3:0.9')", judged, "a", "x") is None


@given(grades_of, rankings, rankings, st.lists(eighths, min_size=3, max_size=3).filter(any))
def test_weights_of_grades_equal_their_slow_twin(grades, x, y, weights):
    likely = dict(zip((1, 2, 2.5), weights, strict=True))
    written = ",".join(f"{grade}:{float(weight)}" for grade, weight in likely.items())
    judged = {"q": grades, "z": {"z": 3}}
    for shape in ("uniform", "inverse"):
        expected = slow.graded_rpp(x, y, grades, None, shape, likely)
        assert between(f"RPP(weights='{shape}', grades='{written}')", judged, x, y) == expected
    unweighted = slow.graded_rpp(x, y, grades, None, "uniform", dict.fromkeys(likely))
    assert between("RPP(grades='1,2,2.5')", judged, x, y) == unweighted


@given(grades_of.filter(lambda grades: any(grades.values())), rankings, rankings)
def test_the_grades_that_are_present_are_the_default(grades, x, y):
    present = sorted({grade for grade in grades.values() if grade > 0})
    by_size = {level: sum(grade >= level for grade in grades.values()) for level in present}
    judged = {"q": grades, "z": {"z": 3}}
    for written in (",".join(map(str, present)), ",".join(f"{level}:{size}" for level, size in by_size.items())):
        assert between(f"RPP(grades='{written}')", judged, x, y) == between("RPP", judged, x, y)


def test_grades_are_given_as_text_numbers_or_tables(tmp_path):
    table = tmp_path / "grades.csv"
    table.write_text("grade,weight\n2,0.75\n1,0.25\n")
    kind = type(preference("RPP"))
    spec = "RPP(grades='1:0.25,2:0.75')"
    assert str(preference(spec)) == spec
    for grades in ("2:0.75, 1:0.25", {2: 0.75, 1: 0.25}, {"1": 0.25, "2.0": 0.75}, table, str(table)):
        assert kind(grades=grades) == preference(spec)
    assert preference(f"RPP(grades='{table}')") == preference(spec)
    assert preference("RPP", grades={1: 0.25, 2: 0.75}) == preference(spec)
    assert str(preference("RPP(weights='dcg')", rel=2)) == "RPP(weights='dcg', rel=2)"
    with pytest.raises(InputError, match=r"no parameter 'grade'\. RPP has weights, rel, grades"):
        preference("RPP", grade={1: 1})
    for grades in ([2, 1], (1.0, 2), {1, 2}, "1,2"):
        assert str(kind(grades=grades)) == "RPP(grades='1,2')"
    assert kind(grades=2) == preference("RPP(grades=2)") == preference("RPP(grades='2')")


def test_weights_of_grades_and_subtopics_on_the_command_line(tmp_path):
    (tmp_path / "qrels").write_text("q s a 1\nq t b 2\nz s z 2\nz t z 2\n")
    (tmp_path / "new").write_text("q 0 a 1 2 new\nq 0 b 2 1 new\nz 0 z 1 1 new\n")
    (tmp_path / "old").write_text("q 0 x 1 2 old\nq 0 b 2 1 old\nz 0 z 1 1 old\n")
    (tmp_path / "grades.csv").write_text("grade,weight\n1,1\n2,3\n")
    (tmp_path / "intents").write_text("* 0 s 3\n* 0 t 1\n")
    files = [tmp_path / name for name in ("qrels", "new", "old")]
    from_table = f"RPP(grades='{tmp_path / 'grades.csv'}')"
    measures = ["RPP(grades='1:1,2:3')", from_table, "ST-RPP(background=0)"]
    options = [word for measure in measures for word in ("-m", measure)]
    ended = run("compare", *files, *options, "--intents", tmp_path / "intents", "-q", "--format", "csv")
    values = [line.split(",")[-1] for line in ended.stdout.splitlines() if ",q," in line]
    # Grade 1: (1, 2) against (2, -), 2 of 2, a quarter of the users; grade 2: 2 against 2.
    # Subtopic s: 1 against -, three quarters of the users; t: 2 against 2.
    assert values == ["0.25", "0.25", "0.75"], ended.stderr
    ended = run("compare", *files, "-m", from_table, "-o", tmp_path / "grades.csv", "--format", "csv")
    assert ended.returncode == 2 and "is also an input file" in ended.stderr


@pytest.mark.parametrize(
    ("grades", "words"),
    [
        ("1:0.5,2", "a weight for every grade, or for none"),
        ("1:0,2:0", "at least one grade a weight above 0"),
        ("1,1", "Give each grade once"),
        ("0,1", "grade=0.0. Give a number above 0"),
        ("1:-1,2:1", "weight of grade 1=-1.0"),
        ("1:nan,2:0.3", "weight of grade 1=nan"),
        ("a:1", "with weights such as '1:0.5,2:0.3,3:0.2'"),
        ("", "with weights such as '1:0.5,2:0.3,3:0.2'"),
        ("1::2", "such as '1,2,3'"),
        ("1,,2", "such as '1,2,3'"),
        ("1:2:3", "such as '1,2,3'"),
        ([1, None], "such as '1,2,3'"),
        ([], "at least one grade"),
        ("none.csv", "no such file"),
        ("0.12345678901234567891", "more digits than a float holds"),
    ],
)
def test_grades_that_make_no_sense_are_refused(grades, words):
    with pytest.raises(InputError) as refusal:
        type(preference("RPP"))(grades=grades)
    assert words in str(refusal.value)


def test_weights_that_do_not_fit_the_grades_are_refused():
    judged = {"q": {"a": 1, "b": 3}, "z": {"z": 3}}
    with pytest.raises(InputError, match="no item has the grade 4, the largest is 3"):
        between("RPP(grades='1:0.5,4:0.5')", judged, "ab", "ba")
    with pytest.raises(InputError, match="grade 1 is below 2, from which items are relevant"):
        between("RPP(grades='1,2')", judged, "ab", "ba", min_grade=2)
    with pytest.raises(InputError, match="grade 1 is below 2"):
        between("RPP(rel=2, grades='1,2')", judged, "ab", "ba")


def test_labels_that_are_sampled_may_lack_a_grade():
    made = tb.simulate(requests=6, seed=1)
    exp = tb.Experiment(made.judgements, list(made.runs.values()))
    largest = max(grade for grades in made.judgements.values() for grade in grades.values())
    rows = tb.studies.missing(exp, f"RPP(grades='1,{largest}')", fractions=[0.9], samples=3).rows()
    assert rows[0].samples == 3


# Subtopics


def nested(grades, topics):
    """Judgements by subtopic; an item without one is judged for another, with the grade 0."""
    return {item: dict.fromkeys(topics.get(item, ()), grades[item]) or {"other": 0} for item in grades}


def test_intents_divide_the_users_of_subtopics_by_hand():
    judged = {"q": {"a": {"s": 1}, "b": {"t": 1}, "c": {"t": 1}}, "z": {"z": {"s": 1, "t": 1}}}
    x, y = "abc", "bca"
    # Any: (1, 2, 3) against (1, 2, 3), 0. s: 1 against 3, +1. t: (2, 3) against (1, 2), -1. Users 3 + 1 + 2.
    assert between("ST-RPP", judged, x, y) == Fraction(1 - 2, 6)
    # Three quarters of the 1 + 2 users of subtopics want s.
    intents = {"q": {"s": 0.75, "t": 0.25}, "z": {"s": 1, "t": 1}}
    assert between("ST-RPP", judged, x, y, intents=intents) == Fraction(1, 2) * (Fraction(3, 4) - Fraction(1, 4))
    assert between("ST-RPP(background=0)", judged, x, y, intents=intents) == Fraction(1, 2)
    assert between("ST-RPP(background=0.9)", judged, x, y, intents=intents) == Fraction(1, 10) * Fraction(1, 2)
    assert between("ST-RPP(background=0)", judged, x, y) == Fraction(1 - 2, 3)


@settings(max_examples=examples(40))
@given(
    grades_of,
    topics_of,
    rankings,
    rankings,
    st.lists(eighths, min_size=3, max_size=3),
    st.sampled_from([None, 0, 0.25]),
)
def test_intents_and_background_equal_their_slow_twin(grades, topics, x, y, weights, background):
    known = {item: of_item for item, of_item in topics.items() if item in grades}
    judged = {"q": nested(grades, known), "z": {"z": dict.fromkeys([*TOPICS, "other"], 1)}}
    likely = dict(zip(TOPICS, weights, strict=True))
    intents = {"*": {**{t: float(weight) for t, weight in likely.items()}, "other": 1}}
    share = None if background is None else Fraction(background)
    relevant = {item: grade for item, grade in grades.items() if item in known}  # others are relevant to no subtopic
    for shape in ("uniform", "inverse"):
        options = [f"weights='{shape}'"] * (shape != "uniform") + [f"background={background}"] * (share is not None)
        spec = f"ST-RPP({', '.join(options)})" if options else "ST-RPP"
        for how, of in (({}, None), ({"intents": intents}, likely)):
            expected = slow.st_rpp(x, y, relevant, known, None, shape, share, of)
            assert between(spec, judged, x, y, **how) == expected, spec


@given(grades_of, topics_of, rankings, rankings)
def test_intents_by_numbers_of_items_change_nothing(grades, topics, x, y):
    known = {item: of_item for item, of_item in topics.items() if item in grades}
    judged = {"q": nested(grades, known), "z": {"z": dict.fromkeys([*TOPICS, "other"], 1)}}
    sizes = {t: sum(t in of_item and grades[item] > 0 for item, of_item in known.items()) for t in TOPICS}
    intents = {"*": {**sizes, "other": 1}}  # nothing is relevant to it
    assert between("ST-RPP", judged, x, y, intents=intents) == between("ST-RPP", judged, x, y)


def test_intents_for_all_requests_are_given_once():
    judged = {"q": {"a": {"s": 1}, "b": {"t": 1}}, "z": {"z": {"s": 1, "t": 1}}}
    each = {"q": {"s": 3, "t": 1}, "z": {"s": 3, "t": 1}}
    own = {"*": {"s": 9, "t": 0}, "q": {"s": 3, "t": 1}}
    expected = between("ST-RPP", judged, "ab", "b", intents=each)
    for intents in ({"s": 3, "t": 1}, {"*": {"s": 3, "t": 1}}, own):
        assert between("ST-RPP", judged, "ab", "b", intents=intents) == expected
    with pytest.raises(InputError, match='subtopic "t" of request "q" has no likelihood'):
        between("ST-RPP", judged, "ab", "b", intents={"s": 3})
    with pytest.raises(InputError, match='all subtopics of request "q" have the likelihood 0'):
        between("ST-RPP", judged, "ab", "b", intents={"*": {"s": 1, "t": 1}, "q": {"s": 0, "t": 0}})


@pytest.mark.parametrize("background", [-0.1, 1, "all", True])
def test_background_is_a_share(background):
    with pytest.raises(InputError, match="a number of at least 0 and below 1"):
        type(preference("ST-RPP"))(background=background)
