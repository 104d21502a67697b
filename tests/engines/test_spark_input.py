"""Spark reads the tables that one machine reads, and refuses those that it refuses."""

import datetime
import os
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


def write_runs(folder, **tables):
    """Files of parquet in a folder, and one that is hidden."""
    folder.mkdir()
    for name, table in tables.items():
        parquet.write_table(table, folder / f"{name}.parquet")
    (folder / ".b.parquet.crc").write_bytes(b"sum")
    parquet.write_table(JUDGED, folder.parent / "q.parquet")
    return str(folder.parent / "q.parquet")


@pytest.mark.parametrize("ending", ["", "/*.parquet", "/[ab].parquet"], ids=["folder", "pattern", "letters"])
def test_every_file_of_a_folder_or_a_pattern_is_a_run(session, tmp_path, ending):
    judged, runs = write_runs(tmp_path / "runs2", b=RUN, a=BACKWARDS), f"{tmp_path / 'runs2'}{ending}"
    assert means(judged, runs, engine="spark") == means(judged, runs)
    assert means(judged, [runs], engine="spark")[0] == ("a", "b")
    assert error(judged, {"m": runs}, engine="spark") == error(judged, {"m": runs})


def test_a_folder_with_a_single_file_may_have_a_name(session, tmp_path):
    judged, runs = write_runs(tmp_path / "runs2", b=RUN), str(tmp_path / "runs2")
    assert means(judged, {"m": runs}, engine="spark") == means(judged, {"m": runs})


def test_a_folder_that_spark_wrote_is_one_table(session, tmp_path):
    judged = write_runs(tmp_path / "runs2", b=RUN)
    session.createDataFrame(RUN).repartition(2).write.parquet(str(tmp_path / "run"))
    there, here = means(judged, tmp_path / "run", engine="spark"), means(JUDGED, {"run": RUN})
    assert there == here


@pytest.mark.parametrize("name", ["exclude", "candidates"])
@pytest.mark.parametrize("of", ["frames", "files"])
def test_empty_tables_of_pairs_are_none(session, tmp_path, name, of):
    nothing = RUN.slice(0, 0).select(["user_id", "item_id"])
    parquet.write_table(nothing, tmp_path / "none.parquet")
    pairs = (
        tmp_path / "none.parquet" if of == "files" else session.createDataFrame([], "user_id string, item_id string")
    )
    there = tb.Experiment(session.createDataFrame(JUDGED), session.createDataFrame(RUN), **{name: pairs}).evaluate("AP")
    here = tb.Experiment(JUDGED, RUN, **{name: nothing}).evaluate("AP")
    assert (there.mean.tolist(), there.notes) == (here.mean.tolist(), here.notes)


@pytest.mark.parametrize("of", ["frames", "files"])
@pytest.mark.parametrize("names", [["user.id", "item.id", "value.x"], ["a`b", "c`d.e", "`"]], ids=["dots", "backticks"])
def test_names_of_columns_may_have_dots_and_backticks(session, tmp_path, names, of):
    tables = JUDGED.rename_columns(names), RUN.rename_columns(names).append_column("run.x`", arrow.array(["x"] * 4))
    there = [session.createDataFrame(table) for table in tables]
    if of == "files":
        there = [tmp_path / "q.parquet", tmp_path / "r.parquet"]
        for path, table in zip(there, tables, strict=True):
            parquet.write_table(table, path)
    roles = dict(zip(("request", "item"), names, strict=False))
    columns = {"columns": {**roles, "score": names[2], "grade": names[2], "run": "run.x`"}}
    excluded = session.createDataFrame(RUN.select([0, 1]).slice(1, 1).rename_columns(names[:2]))
    assert means(*there, **columns, engine="spark", exclude=excluded) == means(
        *tables, **columns, exclude=excluded.toArrow()
    )
    strange = session.createDataFrame(replaced(tables[1], names[1], [None, "x", "c", "b"]))
    assert f'column "{names[1]}" has no value' in error(session.createDataFrame(tables[0]), strange, **columns)[0]
    other = session.createDataFrame(RUN.select([0, 1]).rename_columns(names[:2]).slice(0, 1)).replace("q1", "other")
    assert error(*there, **columns, engine="spark", exclude=other)[1] == "disjoint"


def named(table, *names):
    """A table of runs of these names."""
    return arrow.concat_tables(table.append_column("run", arrow.array([name] * len(table))) for name in names)


@pytest.mark.parametrize("how", ["held", "divided", "spark", "files"])
def test_a_run_by_name_is_called_by_it(session, tmp_path, how):
    one, two, none = named(RUN, "x"), named(RUN, "x", "y"), named(RUN, "x").slice(0, 0)
    options = {"block_requests": 1} if how == "divided" else {"engine": "spark"} if how == "files" else {}

    def given(table):
        if how == "held":
            return table
        if how == "spark":
            return session.createDataFrame(table)
        path = tmp_path / f"table{len(list(tmp_path.iterdir()))}.parquet"
        parquet.write_table(table, path)
        return path

    judged = given(JUDGED)
    expected = means(JUDGED, {"m": RUN, "n": BACKWARDS})
    assert means(judged, {"m": given(one), "n": given(named(BACKWARDS, "x"))}, **options) == expected
    message, kind = error(judged, {"m": given(two)}, **options)
    assert message.endswith("holds several runs: x, y. Give it as runs, without a name.") and kind == "shape"
    message, kind = error(judged, {"m": given(none)}, **options)
    assert message.endswith("holds no run: its table has no rows.") and kind == "empty"
    assert means(judged, given(two), **options)[0] == ("x", "y")


def test_a_relative_path_is_of_the_current_folder_only(session, tmp_path, monkeypatch):
    java = session.sparkContext._jvm.java.lang.System.getProperty("user.dir")
    write_runs(tmp_path / "runs", r=RUN)
    judged, run = (os.path.relpath(tmp_path / name, java) for name in ("q.parquet", "runs/r.parquet"))
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b" / "c")
    assert session.read.parquet(judged).count() == 4
    message, kind = error(judged, tmp_path / "runs" / "r.parquet", engine="spark")
    assert f"{judged}: no such file" in message and kind == "missing"
    assert error(tmp_path / "q.parquet", run, engine="spark")[1] == "missing"
    assert means(f"file:{tmp_path}/q.parquet", tmp_path / "runs" / "r.parquet", engine="spark") == means(
        JUDGED, {"r": RUN}
    )


@pytest.mark.parametrize("name", ["a[1]", "a{b,c}", "a*?", r"a\b", "a%20 b#é"])
def test_paths_of_files_are_not_patterns(session, tmp_path, name):
    write_runs(tmp_path / "runs", r=RUN)
    for other in ("a1", "ab", "a", "axx"):
        parquet.write_table(JUDGED.slice(0, 1), tmp_path / f"{other}.parquet")
    parquet.write_table(JUDGED, tmp_path / f"{name}.parquet")
    parquet.write_table(RUN, tmp_path / "runs" / f"{name}.parquet")
    paths = tmp_path / f"{name}.parquet", tmp_path / "runs" / f"{name}.parquet"
    assert means(*paths, engine="spark") == means(JUDGED, {name: RUN})


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("_q.parquet", "Spark skips files whose names begin with _ or a dot. Rename it."),
        (".q.parquet", "Spark skips files whose names begin with _ or a dot. Rename it."),
        ("a:b.parquet", "Spark does not read files with a colon in their names. Rename it."),
    ],
)
def test_files_that_spark_does_not_read_are_told_of(session, tmp_path, name, reason):
    write_runs(tmp_path / "runs", r=RUN)
    parquet.write_table(JUDGED, tmp_path / name)
    message, kind = error(tmp_path / name, tmp_path / "runs" / "r.parquet", engine="spark")
    assert f"{name}: {reason}" in message and kind == "spark"


def test_what_is_no_parquet_is_refused(session, tmp_path):
    judged = write_runs(tmp_path / "runs", r=RUN)
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\n")
    (tmp_path / "runs" / "s.run").write_text("q1 Q0 a 1 3.0 x\n")
    for tables, name in (((tmp_path / "qrels.txt", judged), "qrels.txt"), ((judged, tmp_path / "runs"), "s.run")):
        message, kind = error(*tables, engine="spark")
        assert f"{name}: this is no parquet file. Give parquet, which is what Spark reads here." in message
        assert kind == "shape"


def test_tables_of_python_are_refused_by_name(session):
    judged = session.createDataFrame(JUDGED)
    advice = ": dict is not read on Spark. Give judgements and runs as frames of Spark, or as paths of parquet"
    for runs, name in (({"a": {"q1": {"d": 1.0}}}, "a"), ({"q1": {"d": 1.0}}, "run1")):
        message, kind = error(judged, runs)
        assert f'run "{name}"{advice}' in message and kind == "spark"
    assert f"the judgements{advice}" in error({"q1": {"a": 1}}, session.createDataFrame(RUN))[0]
