"""Judgements from files and dictionaries."""

import gzip

import numpy as np
import pytest

import tiebreak as tb
from tiebreak import InputError, read_judgements

QRELS = "q2 0 d1 1\nq1 0 d2 0\nq2 0 d3 -1\nq1 0 d1 2.5\n"


@pytest.fixture
def write(tmp_path):
    def _write(text, name="qrels.txt"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return _write


def test_requests_and_items_keep_the_order_of_the_file(write):
    judgements = read_judgements(write(QRELS))
    assert judgements.to_dict() == {"q2": {"d1": 1.0, "d3": -1.0}, "q1": {"d2": 0.0, "d1": 2.5}}
    assert list(judgements.requests) == ["q2", "q1"]
    assert list(judgements.items) == ["d1", "d2", "d3"]


def test_dictionary_gives_the_same_as_the_file(write):
    from_file = read_judgements(write(QRELS))
    from_dict = read_judgements(from_file.to_dict())
    assert from_dict.to_dict() == from_file.to_dict()
    np.testing.assert_array_equal(from_dict.starts, from_file.starts)


def test_judgements_pass_through():
    judgements = read_judgements({"q": {"d": 1}})
    assert read_judgements(judgements) is judgements


def test_integer_ids_are_their_decimal_text():
    assert read_judgements({7: {1: 1}}).to_dict() == {"7": {"1": 1.0}}


def test_second_column_that_varies_is_the_subtopic_and_the_largest_grade_counts(write):
    judgements = read_judgements(write("q 1 d1 0\nq 2 d1 2\nq 3 d1 1\nq 1 d2 -2\n"))
    assert judgements.to_dict() == {"q": {"d1": 2.0, "d2": -2.0}}
    rows = judgements.subtopics
    assert [rows.labels[k] for k in rows.label] == ["1", "2", "3", "1"]
    assert rows.entry.tolist() == [0, 0, 0, 1]
    assert rows.grade.tolist() == [0.0, 2.0, 1.0, -2.0]


@pytest.mark.parametrize("columns", [("0", "0"), ("Q0", "Q0"), ("0", "Q0"), ("7", "7")])
def test_second_column_that_does_not_vary_is_no_subtopic(write, columns):
    judgements = read_judgements(write("q {} d1 1\nq {} d2 1\n".format(*columns)))
    assert judgements.subtopics is None


def test_subtopics_of_interleaved_requests_belong_to_their_own_judgements(write):
    judgements = read_judgements(write("a 1 x 1\nb 1 x 2\na 2 x 3\nb 2 y 1\na 1 y 4\n"))
    assert judgements.to_dict() == {"a": {"x": 3.0, "y": 4.0}, "b": {"x": 2.0, "y": 1.0}}
    pairs = [(judgements.requests[judgements.request[j]], judgements.items[judgements.item[j]]) for j in range(4)]
    assert [pairs[j] for j in judgements.subtopics.entry] == [
        ("a", "x"),
        ("b", "x"),
        ("a", "x"),
        ("b", "y"),
        ("a", "y"),
    ]


def test_repeated_line_is_fine_and_counted(write):
    judgements = read_judgements(write("q 0 d 1\nq 0 d 1.0\n"))
    assert judgements.to_dict() == {"q": {"d": 1.0}}
    assert judgements.audit.count("repeated") == 1


def test_another_grade_for_the_same_item_is_an_error(write):
    with pytest.raises(InputError, match=r'qrels.txt:2: item "d" of request "q" has grade "2" here') as caught:
        read_judgements(write("q 0 d 1\nq 0 d 2\n"))
    assert (caught.value.kind, caught.value.line) == ("conflict", 2)
    assert (caught.value.request, caught.value.item) == ("q", "d")


def test_zero_and_q0_in_the_second_column_are_the_same(write):
    with pytest.raises(InputError, match="another one on an earlier line"):
        read_judgements(write("q 0 d 1\nq Q0 d 2\n"))


def test_gzip_by_content_not_by_name(write):
    assert read_judgements(write(gzip.compress(QRELS.encode()), "qrels.txt")).to_dict()["q1"] == {"d2": 0.0, "d1": 2.5}


@pytest.mark.parametrize(("min_grade", "expected"), [(None, [1.0, 0.0, 0.0, 1.0]), (2, [0.0, 0.0, 0.0, 1.0])])
def test_binary_forgets_grades(write, min_grade, expected):
    judgements = read_judgements({"q": {"a": 1, "b": 0, "c": -3, "d": 2.5}})
    assert judgements.binary(min_grade).grade.tolist() == expected
    assert judgements.grade.tolist() == [1.0, 0.0, -3.0, 2.5]


@pytest.mark.parametrize("source", [None, 5, ["q 0 d 1"], b"q 0 d 1"])
def test_what_is_no_path_and_no_dictionary_is_refused(source):
    with pytest.raises(InputError, match="judgements cannot be read from"):
        read_judgements(source)


@pytest.mark.parametrize("min_grade", [0, -1, float("nan"), float("inf")])
def test_min_grade_must_be_positive(min_grade):
    with pytest.raises(InputError, match="Give a number above 0"):
        read_judgements({"q": {"a": 1}}).binary(min_grade)


@pytest.mark.parametrize(
    ("grades", "message"),
    [
        ({}, "are empty"),
        ({"q": {}}, "are empty"),
        ({"q": {"d": "one"}}, 'the value of item "d" of request "q" is \'one\'. Give a number'),
        ({"q": {"d": None}}, "is None. Give a number"),
        ({"q": {"d": float("nan")}}, "Give a finite number"),
        ({"q": {1.5: 1}}, "Ids are text or integers"),
        ({"q": ["d"], "r": {"d": 1}}, "holds list"),
        ({"q": [1.5]}, "Ids are text or integers"),
        ({"q": [["d"]]}, "holds list. Give {request: [item, ...]}"),
        ({"q": {1: 1, "1": 2}}, "as text and as an integer"),
        ({1: {"d": 1}, "1": {"d": 1}}, "as text and as an integer"),
        ({"q": {"\ud800": 1}}, "not valid Unicode"),
    ],
)
def test_bad_dictionary_is_an_error(grades, message):
    with pytest.raises(InputError) as caught:
        read_judgements(grades)
    assert message in str(caught.value)


def test_subtopic_of_a_dictionary_is_one_though_it_is_the_only_one():
    judgements = read_judgements({"q": {"d1": {"s1": 1}, "d2": {"s1": 0}}})
    assert [*judgements.subtopics.labels] == ["s1"]
    assert judgements.to_dict() == {"q": {"d1": 1.0, "d2": 0.0}}
    compared = tb.Experiment(judgements, [{"q": {"d1": 1.0}}, {"q": {"d2": 1.0}}]).compare("ST-RPP")
    assert compared.values.ravel().tolist() == [1.0]


def test_request_without_judgements_is_kept_beside_subtopics():
    judgements = read_judgements({"q": {"d1": {"s1": 1}}, "r": {}})
    assert judgements.to_dict() == {"q": {"d1": 1.0}, "r": {}}


# Without grades, and with Booleans

UNGRADED = "The judgements have no grades: every listed item is relevant."
LISTED = {
    "lists": lambda: {"u1": ["a", "b"], "u2": ["c"]},
    "sets": lambda: {"u1": {"a", "b"}, "u2": {"c"}},
    "arrays": lambda: {"u1": np.array(["a", "b"]), "u2": np.array(["c"])},
    "frame": lambda: frame(user_id=["u1", "u1", "u2"], item_id=["a", "b", "c"]),
    "frame with times": lambda: frame(user_id=["u1", "u1", "u2"], item_id=["a", "b", "c"], timestamp=[7, 8, 9]),
    "frame of lists": lambda: frame(user_id=["u1", "u2"], items=[["a", "b"], ["c"]]),
}


def frame(**columns):
    return pytest.importorskip("polars").DataFrame(columns)


@pytest.mark.parametrize("kind", LISTED)
def test_listed_items_are_relevant_where_there_are_no_grades(kind):
    scores = tb.Experiment(LISTED[kind](), {"u1": {"a": 2.0, "b": 1.0}, "u2": {"c": 1.0}}).evaluate("AP")
    assert scores.values.ravel().tolist() == [1.0, 1.0]
    assert UNGRADED in scores.notes


def test_numbers_of_rows_that_pandas_writes_are_no_grades(write):
    judged = read_judgements(write(",user_id,item_id\n0,u1,a\n1,u1,b\n", "judged.csv"))
    assert judged.to_dict() == {"u1": {"a": 1.0, "b": 1.0}} and judged.notes == (UNGRADED,)


def test_a_column_that_may_hold_grades_is_not_passed_over():
    judged = frame(user_id=["u1"], item_id=["a"], stars=[0])
    with pytest.raises(InputError, match="no column for grade") as refusal:
        read_judgements(judged)
    assert "columns={'grade': 'stars'}" in str(refusal.value) and "columns={'grade': None}" in str(refusal.value)
    assert read_judgements(judged, columns={"grade": "stars"}).to_dict() == {"u1": {"a": 0.0}}
    assert read_judgements(judged, columns={"grade": None}).to_dict() == {"u1": {"a": 1.0}}
    assert read_judgements(judged, columns="grade=").notes == (UNGRADED,)


def test_booleans_are_grades(write, tmp_path):
    expected = {"q": {"a": 1.0, "b": 0.0}}
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns = {"qid": ["q", "q"], "docno": ["a", "b"], "label": [True, False]}
    polars.DataFrame(columns).write_parquet(tmp_path / "q.parquet")
    for held in (
        {"q": {"a": True, "b": np.False_}},
        polars.DataFrame(columns),
        pandas.DataFrame(columns),
        [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
        write("qid,docno,label\nq,a,True\nq,b,False\n", "q.csv"),
        write('{"qid": "q", "docno": "a", "label": true}\n{"qid": "q", "docno": "b", "label": false}\n', "q.jsonl"),
        write('{"q": {"a": true, "b": false}}', "q.json"),
        tmp_path / "q.parquet",
    ):
        assert read_judgements(held).to_dict() == expected
    with pytest.raises(InputError, match="holds Booleans"):
        tb.Run(polars.DataFrame({"qid": ["q"], "docno": ["a"], "score": [True]}))
    with pytest.raises(InputError, match="Give a number"):
        tb.Run({"q": {"a": True}})


def test_grades_in_lists_belong_to_their_items():
    judged = frame(user_id=["u1", "u2"], items=[["a", "b"], ["c"]], rating=[[3, 1], [2]])
    assert read_judgements(judged).to_dict() == {"u1": {"a": 3.0, "b": 1.0}, "u2": {"c": 2.0}}


@pytest.mark.parametrize("name", ["subtopic", "subtopic_id", "iteration"])
def test_subtopics_of_tables_are_those_of_files(write, name):
    rows = [("q", "1", "d1", 0), ("q", "2", "d1", 2), ("q", "1", "d2", -2), ("r", "2", "d1", 1), ("q", "2", "d1", 2)]
    from_file = read_judgements(write("".join("{} {} {} {}\n".format(*row) for row in rows)))
    columns = dict(zip(("qid", name, "docno", "label"), map(list, zip(*rows, strict=True)), strict=True))
    from_table = read_judgements(frame(**columns))
    assert from_table.to_dict() == from_file.to_dict()
    for part in ("label", "entry", "grade"):
        assert getattr(from_table.subtopics, part).tolist() == getattr(from_file.subtopics, part).tolist()
    assert [*from_table.subtopics.labels] == [*from_file.subtopics.labels]
    last = {key: [cell] for key, cell in zip(columns, ("q", "2", "d1", 1), strict=True)}
    with pytest.raises(InputError, match='row 6: item "d1" of request "q" has another grade here'):
        read_judgements(pytest.importorskip("polars").concat([frame(**columns), frame(**last)]))


def test_a_subtopic_that_does_not_vary_is_none():
    assert (
        read_judgements(frame(qid=["q", "q"], docno=["a", "b"], label=[1, 1], iteration=["0", "Q0"])).subtopics is None
    )
    assert read_judgements(frame(qid=["q"], docno=["a"], label=[1], iteration=[7])).subtopics is None


@pytest.mark.parametrize("name", ["iter", "intent", "aspect"])
def test_other_names_of_subtopics(name):
    judged = frame(**{"qid": ["q", "q"], name: ["1", "2"], "docno": ["a", "a"], "label": [1, 2]})
    assert [*read_judgements(judged).subtopics.labels] == ["1", "2"]


def test_error_says_where_subtopics_stand():
    with pytest.raises(InputError, match=r"ST-RPP needs subtopics; .* column subtopic, subtopic_id"):
        tb.Experiment({"q": {"a": 1}}, [{"q": {"a": 1.0}}, {"q": {"b": 1.0}}]).compare("ST-RPP")


# Ratings without a line of names


RATINGS = "196\t242\t3\t881250949\n186\t302\t4\t891717742\n"


def test_grades_that_look_like_times_are_asked_about(write):
    path = write(RATINGS, "m.txt")
    with pytest.raises(InputError, match="all grades look like times, such as 881250949") as refusal:
        read_judgements(path)
    ratings, grades = "request=0,item=1,grade=2", "request=0,subtopic=1,item=2,grade=3"
    assert f"--columns {ratings}; " in str(refusal.value) and f"--columns {grades}." in str(refusal.value)
    assert read_judgements(path, columns=ratings).to_dict() == {"196": {"242": 3.0}, "186": {"302": 4.0}}
    assert read_judgements(path, columns=grades).to_dict() == {"196": {"3": 881250949.0}, "186": {"4": 891717742.0}}
    for text in ("q 0 a 881250949\nq 0 b 1\n", "q 0 a 881250949.5\n", "q 0 a 1e30\n"):
        assert len(read_judgements(write(text, "large.txt"))) == text.count("q")


def test_times_are_asked_about_wherever_judgements_stand(write):
    path, run = write(RATINGS, "m.txt"), {"196": {"242": 1.0}}
    for more in ({"exclude": path}, {"candidates": path}):
        with pytest.raises(InputError, match="all grades look like times"):
            tb.Experiment({"196": {"242": 1}}, run, **more).evaluate("AP")


# Numbers as text


def test_numbers_may_be_text(write):
    columns = {"qid": ["q", "q"], "docno": ["a", "b"], "label": ["2", "0.5"]}
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    for held in (
        frame(**columns),
        frame(**columns).lazy(),
        pandas.DataFrame(columns),
        pandas.DataFrame(columns, dtype=object),
        pyarrow.table(columns),
        {"q": {"a": "2", "b": "0.5"}},
        write('{"q": {"a": "2", "b": 0.5}}', "q.json"),
    ):
        assert read_judgements(held).to_dict() == {"q": {"a": 2.0, "b": 0.5}}
    for text in ("two", "1_0", " 1", "\u0661", "1,5", ""):
        with pytest.raises(InputError, match=r'row 2: column "label" holds .* Give numbers'):
            read_judgements(frame(**columns | {"label": ["1", text]}))
        with pytest.raises(InputError, match=r'the value of item "a" of request "q" is .* Give a number'):
            read_judgements({"q": {"a": text}})
    with pytest.raises(InputError, match='row 1: column "qid" has no value'):
        read_judgements(frame(qid=[None, "q"], docno=["a", "b"], label=["1", "x"]))
