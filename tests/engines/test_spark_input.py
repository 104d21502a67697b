"""Spark reads the tables that one machine reads, and refuses those that it refuses."""

import datetime
import re
from decimal import Decimal

import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

import tiebreak as tb
from engines import spark_session

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # of py4j's sockets
]
USERS = ["q1", "q1", "q2", "q2"]
JUDGED = arrow.table({"user_id": USERS, "item_id": ["a", "b", "a", "c"], "rating": [1.0, 2.0, 0.0, 1.0]})
RUN = arrow.table({"user_id": USERS, "item_id": ["a", "x", "c", "b"], "score": [3.0, 2.0, 1.0, 0.5]})
BACKWARDS = RUN.set_column(2, "score", arrow.array([0.5, 1.0, 2.0, 3.0]))


@pytest.fixture(scope="module")
def session():
    session = spark_session.start()
    session.conf.set("spark.sql.shuffle.partitions", "2")
    yield session
    session.stop()


def means(*tables, **options):
    scores = tb.Experiment(*tables, **options).evaluate(["AP", "nDCG"])
    return scores.runs, scores.mean.tolist()


def error(*tables, **options):
    """The error of an experiment, without the number of a row."""
    with pytest.raises(tb.InputError) as caught:
        tb.Experiment(*tables, **options).evaluate("AP")
    return re.sub(r", row \d+", "", str(caught.value)), caught.value.kind


def replaced(table, column, cells):
    return table.set_column(table.column_names.index(column), column, arrow.array(cells))


def test_grades_in_a_column_of_another_name_are_asked_about(session):
    odd = JUDGED.rename_columns(["user_id", "item_id", "foo"])
    there = session.createDataFrame(odd), session.createDataFrame(RUN)
    assert error(*there) == error(odd, RUN)
    named = {"columns": {"grade": "foo"}}
    assert means(*there, **named) == means(odd, RUN, **named)
    absent = {"columns": {"grade": None}}
    assert means(*there, **absent) == means(odd, RUN, **absent)
    timed = JUDGED.rename_columns(["user_id", "item_id", "timestamp"])
    assert means(session.createDataFrame(timed), there[1]) == means(timed, RUN)


DAYS = [datetime.datetime(2020, 1, day) for day in (1, 2, 3, 4)]
REFUSED_IDS = {
    "floats": [1.0, 2.0, 3.0, 4.0],
    "decimals": [Decimal("1.5")] * 4,
    "Booleans": [True, False, True, False],
    "bytes": [b"a", b"b", b"c", b"d"],
    "dates or times": DAYS,
    "records": [{"a": 1}] * 4,
}


@pytest.mark.parametrize("kind", REFUSED_IDS)
def test_ids_of_other_types_are_refused_alike(session, kind):
    for column in ("user_id", "item_id"):
        strange = replaced(JUDGED, column, REFUSED_IDS[kind])
        (there, sort), here = error(session.createDataFrame(strange), session.createDataFrame(RUN)), error(strange, RUN)
        assert (there, sort) == here
        assert f'column "{column}" holds {kind}. Give text or integers' in there and sort == "id_type"


def test_names_of_runs_and_subtopics_of_other_types_are_refused_alike(session):
    several = RUN.append_column("run", arrow.array([1.0, 1.0, 2.0, 2.0]))
    judged = JUDGED.append_column("subtopic", arrow.array([1.0, 1.0, 2.0, 2.0]))
    q, r = session.createDataFrame(JUDGED), session.createDataFrame(RUN)
    assert error(q, session.createDataFrame(several)) == error(JUDGED, several)
    assert error(session.createDataFrame(judged), r) == error(judged, RUN)


@pytest.mark.parametrize("of", ["files", "frames"])
def test_whole_numbers_are_ids_as_on_one_machine(session, tmp_path, of):
    """Also those without a sign, which are decimals to Spark."""
    tables = []
    for name, table in {"q": JUDGED, "r": RUN}.items():
        numbered = replaced(table, "item_id", [1, 2, 3, 4])
        numbered = numbered.set_column(1, "item_id", numbered["item_id"].cast(arrow.uint64()))
        parquet.write_table(numbered, tmp_path / f"{name}.parquet")
        tables.append(numbered)
    paths = [tmp_path / "q.parquet", tmp_path / "r.parquet"]
    there = paths if of == "files" else [session.read.parquet(str(path)) for path in paths]
    run = {"run1": tables[1]}
    assert means(there[0], {"run1": there[1]}, engine="spark") == means(tables[0], run)


REFUSED_VALUES = {
    "Booleans": [True, False, True, False],
    "bytes": [b"1", b"2", b"3", b"4"],
    "dates or times": DAYS,
    "records": [{"a": 1}] * 4,
    "lists": [[1.0]] * 4,
}


@pytest.mark.parametrize("kind", REFUSED_VALUES)
def test_values_of_other_types_are_refused_alike(session, kind):
    strange = replaced(RUN, "score", REFUSED_VALUES[kind])
    (there, sort), here = (
        error(session.createDataFrame(JUDGED), session.createDataFrame(strange)),
        error(JUDGED, strange),
    )
    assert (there, sort) == here
    assert f'column "score" holds {kind}. Give numbers' in there and sort == "value_type"


def test_booleans_are_grades(session):
    judged = replaced(JUDGED, "rating", [True, True, False, True])
    assert means(session.createDataFrame(judged), session.createDataFrame(RUN)) == means(judged, RUN)


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_numbers_as_text_are_refused(session, ansi):
    session.conf.set("spark.sql.ansi.enabled", ansi)
    written = session.createDataFrame(replaced(RUN, "score", ["3", "2", "1.0", "x"]))
    message, kind = error(session.createDataFrame(JUDGED), written)
    assert 'run "run1": column "score" holds text, which is not read as numbers on Spark' in message
    assert kind == "value_type"


@pytest.mark.parametrize("scores", [{}, {"score": [[2.0, 1.0], [1.0, 0.5]]}], ids=["alone", "scores"])
def test_lists_of_items_are_refused_with_what_to_do(session, scores):
    listed = arrow.table({"user_id": ["q1", "q2"], "item_id": [["a", "x"], ["c", "b"]], **scores})
    frame = session.createDataFrame(listed)
    message, kind = error(session.createDataFrame(JUDGED), frame)
    assert 'run "run1": column "item_id" holds lists, which are not read on Spark' in message and kind == "id_type"
    advice = re.search(r'selectExpr\("[^"]*", "[^"]*"\)', message)[0]
    rows = eval(f"frame.{advice}", {"frame": frame})
    assert means(session.createDataFrame(JUDGED), rows) == means(JUDGED, listed.select(["user_id", "item_id"]))
    assert error(frame, session.createDataFrame(RUN))[1] == "id_type"
