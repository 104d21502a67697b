"""The same experiment in whatever people hold it gives the same positions, down to the error for a duplicate."""

import datetime
import io
from collections import namedtuple
from decimal import Decimal

import numpy as np
import pytest

import tiebreak as tb
from tiebreak import _kernels
from tiebreak.errors import InputError
from tiebreak.inputs import Ids

QRELS = [("001", "NA", 2), ("001", "b", 1), ("q2", "c", 0), ("q2", "d", 3)]
ROWS = [
    ("001", "b", 3.0),
    ("001", "x", 2.5),
    ("001", "NA", 2.5),
    ("q2", "d", 1.0),
    ("q2", "c", 1.0),
    ("other", "b", 9.0),
]


def columns_of(rows, names):
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def polars_frame(columns):
    return pytest.importorskip("polars").DataFrame(columns)


def polars_lazy(columns):
    return polars_frame(columns).lazy()


def polars_categories(columns):
    polars = pytest.importorskip("polars")
    return polars_frame(columns).with_columns(polars.selectors.string().cast(polars.Categorical))


def pyarrow_table(columns):
    return pytest.importorskip("pyarrow").table(columns)


def pyarrow_of(kind):
    def table(columns):
        pyarrow = pytest.importorskip("pyarrow")
        text = {
            name: pyarrow.array(cells, kind(pyarrow)) for name, cells in columns.items() if isinstance(cells[0], str)
        }
        return pyarrow.table(columns | text)

    return table


def pyarrow_reader(columns):
    return pyarrow_table(columns).to_reader(max_chunksize=2)


def pandas_frame(columns):
    return pytest.importorskip("pandas").DataFrame(columns)


def pandas_categories(columns):
    frame = pandas_frame(columns)
    return frame.astype({name: "category" for name, cells in columns.items() if isinstance(cells[0], str)})


def duckdb_relation(columns):
    duckdb = pytest.importorskip("duckdb")
    held = pyarrow_table(columns)
    return duckdb.from_arrow(held)


FRAMES = {
    "polars": polars_frame,
    "polars, lazy": polars_lazy,
    "polars, categories": polars_categories,
    "pyarrow": pyarrow_table,
    "pyarrow, large": pyarrow_of(lambda pyarrow: pyarrow.large_string()),
    "pyarrow, views": pyarrow_of(lambda pyarrow: pyarrow.string_view()),
    "pyarrow, dictionaries": pyarrow_of(lambda pyarrow: pyarrow.dictionary(pyarrow.int8(), pyarrow.string())),
    "pyarrow, reader": pyarrow_reader,
    "pandas": pandas_frame,
    "pandas, categories": pandas_categories,
    "duckdb": duckdb_relation,
}


@pytest.fixture(params=FRAMES)
def frame(request):
    return FRAMES[request.param]


def run_frame(frame, rows=tuple(ROWS), names=("qid", "docno", "score")):
    return frame(columns_of(rows, names))


def qrels_frame(frame, rows=tuple(QRELS), names=("qid", "docno", "label")):
    return frame(columns_of(rows, names))


def expected():
    grades, scores = {}, {}
    for request, item, grade in QRELS:
        grades.setdefault(request, {})[item] = grade
    for request, item, score in ROWS:
        scores.setdefault(request, {})[item] = score
    return tb.project(grades, scores, nonrelevant=True)


def assert_same(actual, other):
    assert [*actual.requests] == [*other.requests]
    assert {(actual.items[int(i)], k) for i, k in zip(actual.item, actual.ranks[0], strict=True)} == {
        (other.items[int(i)], k) for i, k in zip(other.item, other.ranks[0], strict=True)
    }
    for part in ("listed", "retrieved", "tied"):
        assert np.array_equal(getattr(actual, part), getattr(other, part)), part


def test_frames_give_the_positions_of_dictionaries(frame, engine):
    assert_same(tb.project(qrels_frame(frame), run_frame(frame), nonrelevant=True), expected())


@pytest.mark.parametrize(
    ("names", "qrels_names"),
    [
        (("query_id", "doc_id", "score"), ("query_id", "doc_id", "relevance")),
        (("user_id", "item_id", "prediction"), ("user_id", "item_id", "rating")),
        (("userID", "itemID", "prediction"), ("userID", "itemID", "rating")),
        (("query-id", "corpus-id", "score"), ("query-id", "corpus-id", "score")),
        (("q_id", "docid", "rating"), ("q_id", "docid", "rel")),
        (("request", "item", "score"), ("request", "item", "grade")),
    ],
)
def test_columns_are_known_by_the_names_people_give_them(names, qrels_names):
    positions = tb.project(
        qrels_frame(polars_frame, names=qrels_names), run_frame(polars_frame, names=names), nonrelevant=True
    )
    assert_same(positions, expected())


def test_columns_can_be_named():
    run = tb.Run(run_frame(polars_frame, names=("u", "i", "p")), columns={"request": "u", "item": "i", "score": "p"})
    qrels = tb.read_judgements(
        qrels_frame(polars_frame, names=("u", "i", "g")), columns={"request": "u", "item": "i", "grade": "g"}
    )
    assert_same(tb.project(qrels, run, nonrelevant=True), expected())


def test_a_frame_with_ranks_alone_is_ranked_by_them(frame):
    rows = [("001", "b", 1), ("001", "x", 3), ("001", "NA", 2), ("q2", "d", 1)]
    positions = tb.project(qrels_frame(frame), run_frame(frame, rows, ("qid", "docno", "rank")))
    by_score = {"001": {"b": 3.0, "x": 1.0, "NA": 2.0}, "q2": {"d": 1.0}}
    assert_same(positions, tb.project(qrels_frame(frame), by_score))


def test_one_frame_may_hold_several_runs(frame, engine):
    rows = [(*row, name) for name in ("B", "A") for row in ROWS]
    experiment = tb.Experiment(qrels_frame(frame), frame(columns_of(rows, ("qid", "docno", "score", "run"))))
    assert experiment.positions.runs == ("B", "A")
    assert (
        experiment.positions.ranks[0].tolist() == experiment.positions.ranks[1].tolist() == expected().ranks[0].tolist()
    )


def test_a_column_called_name_names_the_run(frame):
    rows = [(*row, "bm25") for row in ROWS]
    assert tb.Run(frame(columns_of(rows, ("qid", "docno", "score", "name")))).name == "bm25"


def test_integers_are_ids_by_their_decimal_text(frame, engine):
    rows = [(7, 1, 2.0), (7, 10, 1.0), (8, 2, 1.0)]
    positions = tb.project(
        frame(columns_of([(7, 10, 1), (8, 2, 1)], ("qid", "docno", "label"))), run_frame(frame, rows)
    )
    assert [*positions.requests] == ["7", "8"] and positions.ranks.tolist() == [[2, 1]]


def test_an_item_listed_twice_is_the_error_of_every_input(frame, engine):
    with pytest.raises(InputError, match=r'row 7: item "b" is listed twice for request "001". Keep one') as refusal:
        tb.project(qrels_frame(frame), run_frame(frame, [*ROWS, ("001", "b", 1.0)]))
    assert (refusal.value.kind, refusal.value.request, refusal.value.item) == ("duplicate", "001", "b")


def test_two_grades_of_one_item_are_refused(frame, engine):
    with pytest.raises(InputError, match='row 5: item "b" of request "001" has another grade here'):
        tb.read_judgements(qrels_frame(frame, [*QRELS, ("001", "b", 2)]))


def test_a_repeated_judgement_counts_once(frame, engine):
    assert len(tb.read_judgements(qrels_frame(frame, [*QRELS, ("001", "b", 1)]))) == len(QRELS)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("names", "rows", "words"),
    [
        (("qid", "docno", "score"), [(1.5, "b", 1.0)], 'column "qid" holds'),
        (("qid", "docno", "score"), [("q", "b", "high")], 'column "score" holds'),
        (("qid", "docno", "x"), [("q", "b", 1.0)], "no column for score. Known names: score, prediction, rating"),
        (("qid", "x", "score"), [("q", "b", 1.0)], "no column for item"),
        (("x", "docno", "score"), [("q", "b", 1.0)], "no column for request"),
    ],
)
def test_columns_that_do_not_fit_are_refused(frame, engine, names, rows, words):
    with pytest.raises(InputError) as refusal:
        tb.project(qrels_frame(frame), run_frame(frame, rows, names))
    assert words in str(refusal.value)


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_a_cell_without_a_value_is_refused(kind, engine):
    frame = FRAMES[kind]
    for rows, name in (
        ([("q", "a", 1.0), (None, "b", 1.0)], "qid"),
        ([("q", "a", 1.0), ("q", None, 1.0)], "docno"),
    ):
        with pytest.raises(InputError, match=f'row 2: column "{name}" has no value here'):
            tb.project(qrels_frame(frame), run_frame(frame, rows))


@pytest.mark.parametrize("kind", ["polars", "pyarrow", "pandas"])
@pytest.mark.parametrize("nothing", [None, float("nan")])
def test_a_row_without_a_score_is_one_with_a_bad_score(kind, nothing, engine):
    frame = FRAMES[kind]
    run = run_frame(frame, [("q1", "d1", 1.0), ("q1", "d2", nothing)])
    with pytest.raises(InputError, match='row 2: the score "nan" of item "d2" of request "q1" is not a finite number'):
        tb.project({"q1": {"d1": 1}}, run)
    positions = tb.project({"q1": {"d1": 1}}, run, on_bad_score="drop")
    assert (positions.listed.tolist(), positions.audits[0].count("bad_score")) == ([[1]], 1)


def test_unknown_roles_and_columns_are_refused():
    frame = run_frame(polars_frame)
    with pytest.raises(InputError, match=r'unknown value for columns "query"\. Known: request, item'):
        tb.Run(frame, columns={"query": "qid"})
    with pytest.raises(InputError, match=r'no column "nothing" for request\. There are qid, docno, score'):
        tb.Run(frame, columns={"request": "nothing"})


def test_pandas_without_pyarrow_is_read_by_the_twin(monkeypatch, engine):
    def without_pyarrow(*_):
        raise ImportError("`Import pyarrow` failed.")

    monkeypatch.setattr("pandas.DataFrame.__arrow_c_stream__", without_pyarrow)
    held = pandas_frame(columns_of(ROWS, ("qid", "docno", "score")))
    assert_same(tb.project(qrels_frame(pandas_frame), held, nonrelevant=True), expected())
    with pytest.raises(InputError, match=r'column "qid" holds floats\. Give text or integers'):
        tb.Run(pandas_frame({"qid": [1.5], "docno": ["a"], "score": [1.0]}))
    with pytest.raises(InputError, match='row 1: column "qid" has no value'):
        tb.Run(pandas_frame({"qid": [None, "q"], "docno": ["a", "b"], "score": [1.0, 1.0]}))


def test_named_tuples_are_runs_and_judgements():
    scored, judged = namedtuple("ScoredDoc", "query_id doc_id score"), namedtuple("Qrel", "query_id doc_id relevance")
    rows, grades = [scored(*row) for row in ROWS], [judged(*row) for row in QRELS]
    for result in (rows, iter(rows)):
        assert_same(tb.project(iter(grades), result, nonrelevant=True), expected())
    with pytest.raises(InputError, match='item "b" is listed twice for request "001"'):
        tb.project(grades, [*rows, scored("001", "b", 0.0)])
    with pytest.raises(InputError, match='row 5: item "b" of request "001" has another grade here'):
        tb.read_judgements([*grades, judged("001", "b", 2)])


def test_ir_measures_rows_are_runs_and_judgements():
    ir_measures = pytest.importorskip("ir_measures")
    run = ir_measures.read_trec_run(io.StringIO("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in ROWS)))
    qrels = ir_measures.read_trec_qrels(io.StringIO("".join(f"{q} 0 {d} {g}\n" for q, d, g in QRELS)))
    assert_same(tb.project(qrels, run, nonrelevant=True), expected())


class LikeRanx:
    """A run or qrels as ranx holds it: a name, and rankings as a dictionary."""

    name = "like-ranx"

    def __init__(self, rows):
        self.rows = rows

    def to_dict(self):
        actual = {}
        for request, item, value in self.rows:
            actual.setdefault(request, {})[item] = value
        return actual


LikeRanx.__module__ = "ranx.data_structures.run"


def test_ranx_objects_are_runs_and_judgements():
    experiment = tb.Experiment(LikeRanx(QRELS), [LikeRanx(ROWS)])
    assert experiment.positions.runs == ("like-ranx",)
    assert_same(experiment.positions, expected())
    assert tb.Experiment(LikeRanx(QRELS), LikeRanx(ROWS)).positions.runs == ("like-ranx",)


class LikeLensKit:
    """An ItemListCollection: it knows how to become a frame."""

    def __init__(self, columns):
        self.columns_held = columns

    def to_df(self):
        return polars_frame(self.columns_held)


LikeLensKit.__module__ = "lenskit.data._collection"


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_ordered_lists_of_lenskit_keep_their_order(kind):
    pytest.importorskip(kind)
    rows = [("u1", "worst", 0.1, 1), ("u1", "best", 0.9, 2), ("u2", "worst", 0.1, None), ("u2", "best", 0.9, None)]
    run = LikeLensKit(columns_of(rows, ("user_id", "item_id", "score", "rank")))
    run.to_df = lambda: FRAMES[kind](run.columns_held)
    scores = tb.Experiment({"u1": {"worst": 1}, "u2": {"worst": 1}}, [run]).evaluate("RR")
    assert scores.values.ravel().tolist() == [1.0, 0.5]  # the first list is ordered, the second is not


def test_lenskit_collections_are_runs_and_judgements():
    pytest.importorskip("polars")
    run = LikeLensKit(columns_of(ROWS, ("user_id", "item_id", "score")))
    held_out = LikeLensKit(columns_of(QRELS, ("user_id", "item_id", "rating")))
    assert_same(tb.project(held_out, run, nonrelevant=True), expected())
    assert_same(tb.project(held_out, [run], nonrelevant=True), expected())


@pytest.mark.parametrize("given", [7, object(), [1, 2], b"bytes"])
def test_what_is_no_run_is_refused(given):
    with pytest.raises(InputError):
        tb.Experiment({"q": {"a": 1}}, given)
    with pytest.raises(InputError, match="judgements cannot be read from"):
        tb.read_judgements(given)


# Columns of every type are read alike, or refused alike


def arrow(kind, cells):
    pyarrow = pytest.importorskip("pyarrow")
    try:
        return pyarrow.array(cells, kind(pyarrow))
    except (AttributeError, pyarrow.ArrowTypeError):
        pytest.skip("this version of pyarrow does not make such a column")


def run_ends(values):
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.RunEndEncodedArray.from_arrays(range(1, len(values) + 1), values)


TIED_AS_FLOATS = [Decimal("0.0999730676004752580"), Decimal("0.0999730676004752680")]
"""Decimals that are apart as float64, and not where each is rounded before it is divided by its power of ten."""
NUMBERS = {
    "decimal32": lambda: arrow(lambda pa: pa.decimal32(9, 3), [Decimal("0.125"), Decimal("-2.5")]),
    "decimal64": lambda: arrow(lambda pa: pa.decimal64(18, 17), [Decimal("0.12345678901234567"), Decimal(7)]),
    "decimal128": lambda: arrow(lambda pa: pa.decimal128(30, 19), TIED_AS_FLOATS),
    "decimal128, tens": lambda: arrow(lambda pa: pa.decimal128(5, -3), [Decimal(12000), Decimal(-1000)]),
    "decimal256": lambda: arrow(lambda pa: pa.decimal256(70, 40), [TIED_AS_FLOATS[0], Decimal(10) ** 29]),
    "uint64": lambda: arrow(lambda pa: pa.uint64(), [2**64 - 1, 2**53 + 1]),
    "float16": lambda: arrow(lambda pa: pa.float16(), [0.1, 2.5]),
    "dictionary": lambda: arrow(lambda pa: pa.float64(), [0.1, -2.5]).dictionary_encode(),
    "dictionary of decimals": lambda: arrow(lambda pa: pa.decimal128(30, 19), TIED_AS_FLOATS).dictionary_encode(),
    "run ends": lambda: run_ends(arrow(lambda pa: pa.float32(), [0.1, -2.5])),
    "nothing": lambda: arrow(lambda pa: pa.null(), [None, None]),
    "no text": lambda: arrow(lambda pa: pa.string(), [None, None]),
}
NAMES = {
    "run ends": lambda: run_ends(arrow(lambda pa: pa.string(), ["a", "b"])),
    "dictionary of integers": lambda: arrow(lambda pa: pa.uint64(), [2**64 - 1, 0]).dictionary_encode(),
}


def float_of(cell):
    return float("nan") if cell is None else float(cell)


@pytest.mark.parametrize("kind", NUMBERS)
def test_scores_are_the_float64_nearest_to_each_number(kind, engine):
    column = NUMBERS[kind]()
    frame = pytest.importorskip("pyarrow").table({"qid": ["q", "q"], "docno": ["a", "b"], "score": column})
    read = _kernels.read_frame(frame, ["qid"], "docno", "score")
    assert np.array_equal(read.values, [float_of(cell) for cell in column.to_pylist()], equal_nan=True)


def test_scores_that_differ_as_float64_do_not_tie(engine):
    frame = pytest.importorskip("pyarrow").table(
        {"qid": ["q", "q"], "docno": ["z", "a"], "score": NUMBERS["decimal128"]()}
    )
    assert tb.project({"q": {"a": 1}}, frame).tied.tolist() == [[0]]


@pytest.mark.parametrize("kind", NAMES)
def test_ids_may_be_encoded(kind, engine):
    column = NAMES[kind]()
    frame = pytest.importorskip("pyarrow").table({"qid": column, "docno": column, "score": [1.0, 2.0]})
    read = _kernels.read_frame(frame, ["qid"], "docno", "score")
    assert [*Ids(*read.items)] == [str(cell) for cell in column.to_pylist()]


@pytest.mark.parametrize("kind", ["Int128", "UInt64"])
@pytest.mark.parametrize("role", ["qid", "docno", "score", "other"])
def test_wide_integers_of_polars_are_read(kind, role, engine):
    polars = pytest.importorskip("polars")
    if not hasattr(polars, kind):
        pytest.skip(f"this polars has no {kind}")
    columns = {"qid": [7, 7], "docno": [1, 2], "score": [1, 2**60], "other": [0, 0]}
    frame = polars.DataFrame(columns).with_columns(polars.col(role).cast(getattr(polars, kind)))
    assert tb.project({7: {2: 1}}, frame).ranks.tolist() == [[1]]


FOREIGN_CELLS = {
    "Booleans": [True, False],
    "dates or times": [datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 2)],
    "bytes": [b"a", b"b"],
    "lists": [[1], [2]],
    "records": [{"a": 1}, {"a": 2}],
}


@pytest.mark.parametrize("cells", FOREIGN_CELLS)
@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_other_columns_are_refused_in_the_same_words(cells, kind, engine):
    held = {"qid": ["q", "q"], "docno": ["a", "b"], "score": [1.0, 2.0]}
    for name, wanted in (("qid", "text or integers"), ("docno", "text or integers"), ("score", "numbers")):
        if (name, cells) == ("docno", "lists"):
            continue  # ranked items
        with pytest.raises(InputError) as refusal:
            tb.project({"q": {"a": 1}}, FRAMES[kind](held | {name: FOREIGN_CELLS[cells]}))
        assert f'run "run1", row 1: column "{name}" holds {cells}. Give {wanted}' in str(refusal.value)


def test_the_first_faulty_row_is_named_whatever_its_column(engine):
    frame = polars_frame({"qid": ["q", "q", None], "docno": ["a", None, "c"], "score": [1.0, 2.0, 3.0]})
    with pytest.raises(InputError, match='row 2: column "docno" has no value here'):
        tb.project({"q": {"a": 1}}, frame)


def test_columns_that_nobody_asks_for_may_hold_anything(engine):
    frame = pandas_frame({"qid": ["q"], "docno": ["a"], "score": [1.0], "other": [object()]})
    assert tb.project({"q": {"a": 1}}, frame).ranks.tolist() == [[1]]


def test_an_empty_batch_of_a_dictionary_is_read(engine):
    pyarrow = pytest.importorskip("pyarrow")
    kind = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    schema = pyarrow.schema({"qid": kind, "docno": kind, "score": pyarrow.float64()})
    full = pyarrow.record_batch([pyarrow.array(["q"], kind), pyarrow.array(["a"], kind), [1.0]], schema=schema)
    empty = pyarrow.record_batch([pyarrow.array([], kind), pyarrow.array([], kind), []], schema=schema)
    reader = pyarrow.RecordBatchReader.from_batches(schema, [empty, full, empty])
    assert tb.project({"q": {"a": 1}}, reader).ranks.tolist() == [[1]]


def damaged_arrays():
    pyarrow = pytest.importorskip("pyarrow")
    text = pyarrow.py_buffer(b"a\xff")
    words = pyarrow.array(["a"])
    return {
        "text that is no UTF-8": pyarrow.StringArray.from_buffers(2, pyarrow.py_buffer(np.int32([0, 1, 2])), text),
        "offsets that fall": pyarrow.StringArray.from_buffers(2, pyarrow.py_buffer(np.int32([0, 2, 1])), text),
        "keys beyond the words": pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 7]), words, safe=False),
        "keys of no words": pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 0]), words[:0], safe=False),
    }


@pytest.mark.parametrize(
    "damage",
    ["text that is no UTF-8", "offsets that fall", "keys beyond the words", "keys of no words"],
)
def test_damaged_arrow_data_are_refused(damage, engine):
    column = damaged_arrays()[damage]
    frame = pytest.importorskip("pyarrow").table({"qid": ["q", "q"], "docno": column, "score": [1.0, 2.0]})
    with pytest.raises(InputError, match="not valid Arrow data") as refusal:
        tb.project({"q": {"a": 1}}, frame)
    assert refusal.value.kind == "damaged"


def test_frames_of_rows_with_query_and_document_are_frames():
    frames = [pandas_frame(columns_of(ROWS, ("query_id", "doc_id", "score"))) for _ in range(2)]
    assert tb.Experiment({"001": {"b": 1}}, frames).positions.runs == ("run1", "run2")


def test_subtopics_of_named_tuples_are_read():
    judged = namedtuple("Qrel", "query_id doc_id relevance iteration")
    rows = [judged("q", "a", 1, "1"), judged("q", "a", 2, "2"), judged("q", "b", 0, "2")]
    actual = tb.read_judgements(rows)
    assert actual.to_dict() == {"q": {"a": 2.0, "b": 0.0}}
    assert [*actual.subtopics.labels] == ["1", "2"]
    assert tb.read_judgements([judged("q", "a", 1, "0"), judged("q", "b", 1, "Q0")]).subtopics is None
    with pytest.raises(InputError, match='row 4: item "a" of request "q" has another grade here'):
        tb.read_judgements([*rows, judged("q", "a", 3, "1")])


def test_a_lazy_frame_that_cannot_be_worked_out_is_refused():
    polars = pytest.importorskip("polars")
    frame = polars_frame({"qid": ["q"], "docno": ["a"], "score": ["high"]}).lazy()
    with pytest.raises(InputError, match='run "run1": cannot be read: conversion from'):
        tb.project({"q": {"a": 1}}, frame.with_columns(polars.col("score").cast(polars.Float64)))
