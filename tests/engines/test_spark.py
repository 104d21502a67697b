"""The Spark engine returns what the local one does: every entry of every catalogue, every error."""

import gc
import os
import re
import signal
import sys
from contextlib import suppress

import numpy as np
import pytest

import tiebreak as tb
from cli.running import run
from engines import parity, spark_session
from engines.parity import BY_REQUEST, ITEMS, PAIRWISE, make_input
from tiebreak.engines import spark as engine
from tiebreak.engines import spark_errors, spark_progress
from tiebreak.errors import TiebreakWarning
from tiebreak.orderings import CATALOGUE as ORDERINGS
from tiebreak.populations import CATALOGUE as POPULATIONS
from tiebreak.significance import CATALOGUE as TESTS

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # of py4j's sockets
]
PARTITIONS = (1, 2, 7)
GENERAL = [name for name in BY_REQUEST if not name.startswith(("INS", "NERR1")) and ":" not in name]
"""Without user models whose exact values take seconds, and without a function that workers cannot import."""


@pytest.fixture(scope="module")
def session():
    session = spark_session.start()
    yield session
    session.stop()


@pytest.fixture(params=PARTITIONS)
def partitions(request, session):
    session.conf.set("spark.sql.shuffle.partitions", str(request.param))
    return request.param


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(engine, "ROWS_AT_ONCE", 40)
    monkeypatch.setattr(engine, "ROWS_PACKED", 30)


def make_tables():
    """Judgements without subtopics and runs; requests in the order of their ids, as results of Spark have them."""
    judged, runs = make_input()
    graded = {
        request: {item: float(max(grades.values())) for item, grades in judged[request].items()}
        for request in sorted(judged, key=str.encode)
    }
    return graded, runs


def outcome(function, *args):
    """As in `parity`, without what Spark warns of."""
    result, caught = parity.outcome(function, *args)
    return result, [(category, text) for category, text in caught if issubclass(category, TiebreakWarning)]


def rows_of(table):
    return [(request, item, value) for request, listed in table.items() for item, value in listed.items()]


def frame(session, rows, names):
    return session.createDataFrame(rows, f"{names[0]} string, {names[1]} string, {names[2]} double")


def frames(session, judged, runs):
    """As frames of Spark; a run may be rows."""
    several = {
        name: frame(session, run if isinstance(run, list) else rows_of(run), ("user_id", "item_id", "score"))
        for name, run in runs.items()
    }
    return frame(session, rows_of(judged), ("user_id", "item_id", "rating")), several


def experiments(session, **options):
    judged, runs = make_tables()
    return tb.Experiment(*frames(session, judged, runs), **options), tb.Experiment(judged, runs, **options)


def is_computed(measure):
    """Whether a measure needs neither aspects nor subtopics, nor the popularity of items."""
    judged, runs = make_tables()
    result, _ = outcome(lambda: tb.Experiment(judged, runs).evaluate(measure))
    return isinstance(result, tb.Scores) and not tb.metric(measure).needs.aspects


def cells(values, requests):
    """Every float and exact value by request, and how all of them compare."""
    known = [np.flatnonzero(~np.isnan(row)) for row in values.nearest]
    exact = [dict(zip(places.tolist(), values.exactly(row, places), strict=True)) for row, places in enumerate(known)]
    floats = np.where(np.isnan(values.nearest), np.nan, values.nearest)
    return list(requests), floats.tobytes(), exact, values.is_rational, values.codes().tolist()


def scores(exp, measures):
    result = exp.evaluate(measures)
    means = [[None if isinstance(mean, float) else mean.exact for mean in row] for row in result.exact_means]
    summaries = repr(result.summary().values), repr(result.intervals().values)
    return [cells(values, result.requests) for values in result.exact], means, summaries, result.notes


def comparison(exp, measure):
    result = exp.compare(measure)
    exact = None if result.exact is None else cells(result.exact, result.requests)
    parts = list(result.requests), result.values.tobytes(), result.mean.tobytes(), result.win_tie_loss.tolist()
    return parts, exact, repr(result.summary().values), result.notes, result.summary().notes


def test_every_metric_is_the_same_on_spark(session, partitions):
    measures = [name for name in GENERAL if is_computed(name)]
    assert len(measures) > 50
    on_spark, local = experiments(session)
    assert outcome(scores, on_spark, measures) == outcome(scores, local, measures)


@pytest.mark.parametrize("measure", PAIRWISE)
def test_every_preference_is_the_same_on_spark(session, measure):
    session.conf.set("spark.sql.shuffle.partitions", "3")
    on_spark, local = experiments(session)
    assert outcome(comparison, on_spark, measure) == outcome(comparison, local, measure)


def test_a_preference_does_not_depend_on_partitions(session, partitions):
    on_spark, local = experiments(session)
    assert outcome(comparison, on_spark, "RPP") == outcome(comparison, local, "RPP")


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_every_population_is_the_same_on_spark(session, partitions):
    on_spark, local = (exp.utilities("nDCG@5") for exp in experiments(session))
    for name, _ in POPULATIONS.items():
        here, there = (outcome(lambda one=one, name=name: repr(one.order(name).rows())) for one in (local, on_spark))
        assert there == here


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
@pytest.mark.parametrize("measure", ["RPP", "nDCG@5"])
def test_every_ordering_and_test_is_the_same_on_spark(session, partitions, measure):
    on_spark, local = (exp.compare(measure) for exp in experiments(session))
    for name, _ in ORDERINGS.items():
        assert repr(on_spark.order(name).rows()) == repr(local.order(name).rows())
        here, there = (one.bootstrap(name, resamples=20) for one in (local, on_spark))
        assert repr(there.rows()) == repr(here.rows())
    for name, _ in TESTS.items():
        here, there = (outcome(lambda one=one, name=name: repr(one.test(name).rows())) for one in (local, on_spark))
        assert there == here


@pytest.mark.parametrize(
    "options",
    [
        {"min_grade": 2},
        {"min_grade": 2, "binary": True},
        {"depth": 4},
        {"judged_only": True},
        {"requests": "common"},
        {"requests": "common", "min_grade": 2, "binary": True},
    ],
    ids=str,
)
def test_whatever_is_read_is_the_same_on_spark(session, options):
    on_spark, local = experiments(session, **options)
    measures = ["AP", "nDCG", "P(rel=3)@5", "bpref", "ASL(n='union')"]
    assert outcome(scores, on_spark, measures) == outcome(scores, local, measures)


def pairs(session, table):
    """Requests and items as a frame of Spark."""
    rows = [(request, item) for request, items in table.items() for item in items]
    return session.createDataFrame(rows, "user_id string, item_id string")


def with_pairs(session, names, table):
    """An experiment on Spark and one here, to which the same table is given under some names."""
    judged, runs = make_tables()
    here, there = dict.fromkeys(names, table), dict.fromkeys(names, pairs(session, table))
    return tb.Experiment(*frames(session, judged, runs), **there), tb.Experiment(judged, runs, **here)


@pytest.mark.parametrize("name", ["exclude", "candidates"])
def test_excluded_items_and_candidates_meet_their_requests(session, partitions, name):
    judged, _ = make_tables()
    first = {request: [*items][: len(items) // 2] for request, items in judged.items()}
    listed = {request: [*items, "d1", "d2", "other"] for request, items in judged.items()}
    table = first | {"not judged": ["d1"]} if name == "exclude" else listed
    on_spark, local = with_pairs(session, [name], table)
    there, here = outcome(scores, on_spark, ["AP", "nDCG@5"]), outcome(scores, local, ["AP", "nDCG@5"])
    assert there == here
    assert there != outcome(scores, experiments(session)[1], ["AP", "nDCG@5"])
    assert on_spark.more_settings == local.more_settings


@pytest.mark.parametrize(
    ("name", "table", "kind"),
    [
        ("exclude", {"other": ["a"], "strange": ["b"]}, "disjoint"),
        ("candidates", {"q0é": ITEMS}, "candidates"),
        ("candidates", {f"q{k}é": ["strange"] for k in range(17)}, "candidates"),
    ],
    ids=["other requests", "missing", "none relevant"],
)
def test_tables_that_do_not_fit_are_refused_alike(session, name, table, kind):
    here, there = (
        outcome(lambda exp=exp: exp.evaluate("AP"))[0] for exp in reversed(with_pairs(session, [name], table))
    )
    assert here[0] == there[0] and here[2]["kind"] == there[2]["kind"] == kind
    assert here[1] == there[1]


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_blocks_are_read_once_for_several_measures(session, monkeypatch):
    on_spark, _ = experiments(session)
    reads = []
    by_request = type(on_spark._elsewhere).by_request
    monkeypatch.setattr(type(on_spark._elsewhere), "by_request", lambda *how: reads.append(1) or by_request(*how))
    on_spark.evaluate(["AP", "nDCG@5"])
    on_spark.compare("RPP")
    on_spark.order("leximin(AP)")
    assert len(reads) == 1
    on_spark.evaluate("ASL(n='union')")  # which counts all items
    on_spark.evaluate("AP")
    assert len(reads) == 2


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_blocks_leave_the_disks_with_their_experiment(session):
    on_spark, _ = experiments(session)
    on_spark.evaluate("AP")
    (held,) = on_spark._elsewhere.held.values()
    frame = held.frame
    assert frame.storageLevel.useDisk
    del on_spark, held
    gc.collect()
    assert not frame.storageLevel.useDisk


def test_plan_says_what_is_shuffled(session):
    session.conf.set("spark.sql.shuffle.partitions", "7")
    judged, runs = make_tables()
    exp = tb.Experiment(*frames(session, judged, runs), exclude=pairs(session, {"q0é": ["a"]}))
    lines = [(step, where, what) for step, where, _, what in exp.plan().rows()]
    assert lines[0] == ("read", "workers", "judgements, exclude, 3 runs: request, item and value; by Spark")
    shuffle = "packed rows by a hash of the request into 7 partitions"
    assert lines[1] == ("shuffle", "workers", shuffle)
    assert [where for _, where, _ in lines].count("driver") == 1
    assert not exp._elsewhere.held


def test_tasks_of_stages_are_told(session, monkeypatch):
    session.conf.set("spark.sql.shuffle.partitions", "7")
    monkeypatch.setattr(spark_progress, "SECONDS", 0.01)
    on_spark, _ = experiments(session)
    ticks = []
    on_spark.read("AP", tick=lambda done, total: ticks.append((done, total)))
    assert all(0 <= done <= total for done, total in ticks)
    assert ticks[-1][0] == ticks[-1][1] >= 7
    assert len({done for done, _ in ticks}) > 2


def repeat_an_item(judged, runs):
    rows = rows_of(runs["old"])
    runs["old"] = [*rows, rows[3]]


def spoil_a_score(judged, runs):
    runs["old"] = [*rows_of(runs["old"]), ("q3é", "bad", float("nan"))]


def omit_a_request(judged, runs):
    runs["old"] = [*rows_of(runs["old"]), (None, "d1", 1.0)]


def omit_an_item(judged, runs):
    runs["old"] = [*rows_of(runs["old"]), ("q3é", None, 1.0)]


def rank_other_requests(judged, runs):
    runs["old"] = {f"other {request}": ranking for request, ranking in runs["old"].items()}


def judge_nothing_relevant(judged, runs):
    for graded in judged.values():
        graded.update(dict.fromkeys(graded, 0.0))


def unordered(message):
    """A message without the number of a row, and the first request: rows of Spark have no order."""
    return re.sub(r", row \d+|begins with request \"[^\"]*\"", "", message)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (repeat_an_item, "duplicate"),
        (spoil_a_score, "score"),
        (omit_an_item, "null"),
        (omit_a_request, "null"),
        (rank_other_requests, "disjoint"),
        (judge_nothing_relevant, "empty"),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_error_is_the_same_on_spark(session, change, kind):
    judged, runs = make_tables()
    change(judged, runs)
    tables = frames(session, judged, runs)
    local = {n: tables[1][n].toArrow() if isinstance(run, list) else run for n, run in runs.items()}
    (here, message, where), _ = outcome(lambda: tb.Experiment(judged, local).evaluate("AP"))
    (there, other, elsewhere), _ = outcome(lambda: tb.Experiment(*tables).evaluate("AP"))
    assert (there, unordered(other)) == (here, unordered(message))
    assert elsewhere == where | {"line": None}
    assert where["kind"] == kind


def test_measure_that_fails_fails_alike(session):
    on_spark, local = experiments(session)
    here, there = (outcome(lambda exp=exp: exp.evaluate("ERR(max_grade=1)")) for exp in (local, on_spark))
    assert here[0] == there[0] and here[0][2]["kind"] == "spec"


def test_parquet_folders_and_a_column_of_runs(session, tmp_path):
    judged, runs = make_tables()
    graded, several = frames(session, judged, runs)
    graded.write.parquet(str(tmp_path / "qrels.parquet"))
    from pyspark.sql.functions import lit

    for name, rows in several.items():
        rows.withColumn("system", lit(name)).write.mode("append").parquet(str(tmp_path / "runs.parquet"))
    paths = tmp_path / "qrels.parquet", tmp_path / "runs.parquet"
    on_spark = tb.Experiment(*paths, engine="spark")
    local = tb.Experiment(judged, {name: runs[name] for name in sorted(runs)})
    assert outcome(scores, on_spark, ["AP", "nDCG@5"]) == outcome(scores, local, ["AP", "nDCG@5"])


def with_subtopics(session):
    """Judgements with subtopics, some of which are called Q0 and 0, on Spark and here, in the order of ids."""
    judged, runs = make_input()
    names = {"s": "Q0", "t": "0"}
    rows = [
        (request, names.get(subtopic, subtopic) if k % 2 else subtopic, item, float(grade))
        for k, request in enumerate(sorted(judged, key=str.encode))
        for item, grades in judged[request].items()
        for subtopic, grade in grades.items()
    ]
    table = session.createDataFrame(rows, "user_id string, subtopic string, item_id string, rating double")
    _, several = frames(session, {}, runs)
    return (table, several), (table.toArrow(), runs)


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_subtopics_are_the_same_on_spark(session, partitions):
    there, here = with_subtopics(session)
    on_spark, local = tb.Experiment(*there), tb.Experiment(*here)
    measures = [name for name in GENERAL if is_of_subtopics(name)]
    assert len(measures) > 3
    assert outcome(scores, on_spark, measures) == outcome(scores, local, measures)
    for measure in ("ST-RPP", "RPP"):
        assert outcome(comparison, on_spark, measure)[0] == outcome(comparison, local, measure)[0]


def is_of_subtopics(measure):
    """Whether a measure is computed of judgements with subtopics only."""
    tables = make_input(), make_tables()
    results = [outcome(lambda two=two: tb.Experiment(*two).evaluate(measure))[0] for two in tables]
    return [isinstance(result, tb.Scores) for result in results] == [True, False]


def test_subtopics_that_contradict_each_other_are_refused_alike(session):
    (table, several), (_, runs) = with_subtopics(session)
    twice = table.union(table.limit(1).withColumn("rating", table.rating + 1))
    (_, message, where), _ = outcome(lambda: tb.Experiment(twice.toArrow(), runs).evaluate("AP"))
    (_, other, elsewhere), _ = outcome(lambda: tb.Experiment(twice, several).evaluate("AP"))
    assert unordered(other) == unordered(message) and elsewhere == where | {"line": None}
    assert where["kind"] == "conflict"


def test_files_are_read_by_workers_as_spark_reads_them(session, partitions, tmp_path):
    """Whole numbers as ids and booleans as grades, in several files and row groups, some of which have no rows."""
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    (tmp_path / "runs é.parquet").mkdir()
    user, item = [7, 7, 7, 8, 8, 9], [1, 2, 3, 2, 3, 1]
    judged = arrow.table({"user_id": user, "item_id": item, "rating": [True, False, True, True, True, False]})
    parquet.write_table(judged, tmp_path / "qrels.parquet")
    for k, name in enumerate(["b", "a"]):
        rows = arrow.table({"user_id": user, "item_id": item[::-1], "score": [*range(6)], "run": [name] * 6})
        parquet.write_table(rows.slice(k, 5), tmp_path / "runs é.parquet" / f"part {k}.parquet", row_group_size=2)
        parquet.write_table(rows.slice(0, 0), tmp_path / "runs é.parquet" / f"none {k}.parquet")
    paths = tmp_path / "qrels.parquet", tmp_path / "runs é.parquet"
    by_workers = tb.Experiment(*paths, engine="spark")
    assert "by workers, from files" in str(by_workers.plan())
    by_spark = tb.Experiment(*(session.read.parquet(str(path)) for path in paths))
    assert outcome(scores, by_workers, ["AP", "nDCG"]) == outcome(scores, by_spark, ["AP", "nDCG"])
    runs = {name: parquet.read_table(paths[1] / f"part {k}.parquet") for name, k in {"a": 1, "b": 0}.items()}
    local = tb.Experiment(judged, runs, columns={"run": None})
    assert outcome(scores, by_workers, ["AP", "nDCG"])[0] == outcome(scores, local, ["AP", "nDCG"])[0]


@pytest.mark.parametrize(
    ("column", "of"), [("user_id", "text"), ("when", "dates"), ("run", "folders")], ids=lambda value: value
)
def test_files_that_workers_cannot_read_as_spark_does_are_read_by_spark(session, tmp_path, column, of):
    """Requests that are dates, or runs that only the names of folders tell."""
    rows = session.createDataFrame(
        [("2020-01-01", "a", 2.0, "x"), ("2020-01-01", "b", 1.0, "x")],
        "user_id string, item_id string, score double, run string",
    )
    judged = rows.selectExpr("user_id", "item_id", "CAST(score > 1 AS int) AS rating")
    kind = "date" if of == "dates" else "string"
    rows = rows.withColumn("user_id", rows.user_id.cast(kind))
    writer = rows.write.partitionBy("run") if of == "folders" else rows.drop("run").write
    writer.parquet(str(tmp_path / "run.parquet"))
    judged.write.parquet(str(tmp_path / "qrels.parquet"))
    exp = tb.Experiment(tmp_path / "qrels.parquet", tmp_path / "run.parquet", engine="spark")
    assert ("by workers, from files" in str(exp.plan())) == (of == "text")
    assert exp.evaluate("AP").mean.tolist() == [[1.0]]


def test_the_fault_of_the_first_request_is_told_whatever_the_partitions(session, partitions):
    judged, runs = make_tables()
    faulty = [(request, "x", score) for request in ("q3é", "q0é", "q1é") for score in (1.0, 2.0)]
    runs["old"] = [*faulty, *rows_of(runs["old"])]
    tables = frames(session, judged, runs)
    tables[1]["old"] = tables[1]["old"].repartition(5)
    with pytest.raises(tb.InputError, match=r'^run "old": item "x" is listed twice for request "q0é"'):
        tb.Experiment(*tables).evaluate("AP")


def test_a_run_without_a_name_is_refused(session):
    judged, runs = make_tables()
    graded, _ = frames(session, judged, runs)
    rows = session.createDataFrame(
        [("q1é", "d1", 1.0, None)], "user_id string, item_id string, score double, run string"
    )
    with pytest.raises(tb.InputError, match='column "run" has no value'):
        tb.Experiment(graded, rows)


def test_a_killed_worker_changes_nothing(session, tmp_path):
    """The first worker that computes the measure dies; Spark runs its task again."""
    flag = str(tmp_path / "killed")

    def first_position(p):
        with suppress(FileExistsError):
            os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
            os.kill(os.getpid(), signal.SIGKILL)
        return 1 / p[0]

    on_spark, _ = experiments(session)
    killed, _ = outcome(scores, on_spark, tb.metric(first_position))
    assert os.path.exists(flag)
    assert outcome(scores, on_spark, tb.metric(first_position))[0] == killed
    assert killed[0][0][1] == outcome(scores, on_spark, "RR")[0][0][0][1]


WITHOUT = """
import sys

class Nowhere:
    def find_spec(self, name, path=None, target=None):
        if name == "tiebreak":
            raise ModuleNotFoundError("No module named 'tiebreak'")

sys.meta_path.insert(0, Nowhere())
"""
OTHER = """
import tiebreak

tiebreak.__version__ = "0.0.1"
"""


@pytest.mark.parametrize(
    ("customization", "reason"),
    [
        (WITHOUT, "No module named 'tiebreak'"),
        (OTHER, f"tiebreak 0.0.1 is installed on a worker, and {tb.__version__} on the driver"),
    ],
    ids=["without", "other version"],
)
def test_workers_that_cannot_compute_are_told_of(session, tmp_path, monkeypatch, customization, reason):
    """Workers run another interpreter, which has no tiebreak, or another version."""
    (tmp_path / "sitecustomize.py").write_text(customization)
    script = tmp_path / "python"
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}:$PYTHONPATH" exec "{sys.executable}" "$@"\n')
    script.chmod(0o755)
    monkeypatch.setattr(session.sparkContext, "pythonExec", str(script))
    with pytest.raises(tb.InputError, match=r"Install tiebreak .* where they run, or ship") as caught:
        experiments(session)[0].evaluate("AP")
    assert reason in str(caught.value)


def test_a_request_with_many_items_is_computed_whole(session):
    """One user has 200,000 items: the relevant ones are at positions 6 and 200,000."""
    size = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = session.conf.get(size)
    session.conf.set(size, "10000")
    try:
        listed = "'u' AS user_id", "CAST(id AS string) AS item_id", "CAST(-id AS double) AS score"
        run = session.range(200_000).selectExpr(*listed).union(frame(session, [("v", "a", 1.0)], ("a", "b", "c")))
        judged = frame(
            session, [("u", "5", 1.0), ("u", "199999", 1.0), ("v", "a", 1.0)], ("user_id", "item_id", "rating")
        )
        scores = tb.Experiment(judged, run).evaluate("AP")
    finally:
        session.conf.set(size, before)
    assert scores.exact[0].nearest.tolist() == [[(1 / 6 + 2 / 200_000) / 2, 1.0]]


def test_workers_without_the_package_are_told_how_to_get_it():
    text = "An exception was thrown from the Python worker:\n...\nModuleNotFoundError: No module named 'tiebreak'\n"
    error = spark_errors.explain_worker(text, "1.2")
    assert "No module named 'tiebreak'. Install tiebreak 1.2 where they run" in str(error)
    assert (
        str(spark_errors.explain_worker("x\nValueError: other\n", "1.2"))
        == "a worker of Spark failed: ValueError: other."
    )


def test_what_spark_does_not_do_is_refused(session):
    judged, runs = make_tables()
    tables = frames(session, judged, runs)
    with pytest.raises(tb.InputError, match="block_requests= is not used on Spark"):
        tb.Experiment(*tables, block_requests=3)
    for name in ("aspects", "train", "intents"):
        with pytest.raises(tb.InputError, match=rf"{name}= travels .* Give frame.toArrow\(\)"):
            tb.Experiment(*tables, **{name: tables[0]})


@pytest.mark.parametrize("options", [{}, {"min_grade": 2, "binary": True}], ids=str)
def test_aspects_travel_with_the_plan(session, options):
    session.conf.set("spark.sql.shuffle.partitions", "3")
    known = {"aspects": parity.aspects(), "train": {"q1é": {"d1": 5, "d2": 3}, "q3é": {"d4": 2}}}
    on_spark, local = experiments(session, **known, **options)
    _, other = experiments(session, **known, **options)  # which warns first
    measures = [name for name in GENERAL if tb.metric(name).needs.aspects]
    computed = [name for name in measures if isinstance(outcome(other.evaluate, name)[0], tb.Scores)]
    assert len(computed) > 5
    assert outcome(scores, on_spark, computed) == outcome(scores, local, computed)
    assert outcome(comparison, on_spark, "ST-RPP")[0] == outcome(comparison, local, "ST-RPP")[0]


def test_intents_travel_with_the_plan(session):
    known = {"aspects": parity.aspects(), "intents": {"x": 1, "y": 3}}
    on_spark, local = experiments(session, **known)
    assert outcome(comparison, on_spark, "ST-RPP") == outcome(comparison, local, "ST-RPP")


def test_what_needs_all_rankings_is_refused(session):
    on_spark, _ = experiments(session)
    for ask in (on_spark.audit, lambda: on_spark.explain("new", "old"), lambda: on_spark.positions):
        with pytest.raises(tb.InputError, match="is read in blocks of requests, by evaluate, compare, order"):
            ask()
    assert repr(on_spark) == "<Experiment: 3 runs, on Spark>"


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
@pytest.mark.parametrize("number", ["1", "2", "7"])
def test_users_of_items_are_counted_before_blocks(session, number):
    session.conf.set("spark.sql.shuffle.partitions", number)
    on_spark, local = experiments(session)
    assert outcome(scores, on_spark, ["Novelty@3", "AP"]) == outcome(scores, local, ["Novelty@3", "AP"])
    assert on_spark.plan().values[-1].where == "driver and workers"


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_what_all_users_rated_is_not_known_in_blocks(session):
    on_spark, _ = experiments(session, aspects=parity.aspects())
    with pytest.raises(tb.InputError, match=r"alpha_by='popularity' looks at the ratings of all users"):
        on_spark.evaluate("alpha_beta_nDCG(alpha_by='popularity')@3")


@pytest.mark.parametrize("options", [{"ties": "rank"}, {"duplicates": "first"}], ids=str)
def test_options_that_need_all_rows_are_refused(session, options):
    judged, runs = make_tables()
    with pytest.raises(tb.InputError, match="Spark"):
        tb.Experiment(*frames(session, judged, runs), **options).evaluate("AP")


def test_frames_of_spark_are_refused_locally(session):
    judged, runs = make_tables()
    with pytest.raises(tb.InputError, match='engine="local" does not read frames of Spark'):
        tb.Experiment(*frames(session, judged, runs), engine="local")
    with pytest.raises(tb.InputError, match='engine "spork"'):
        tb.Experiment(judged, runs, engine="spork")
    with pytest.raises(tb.InputError, match="dict is not read on Spark"):
        tb.Experiment(judged, runs, engine="spark")


def test_commands_run_on_spark(session, tmp_path, monkeypatch):
    """Folders that Spark wrote, and the same tables as files."""
    import pyarrow.parquet as parquet

    judged, runs = make_tables()
    graded, several = frames(session, judged, runs)
    for name, table in {"qrels": graded, "new": several["new"], "old": several["old"]}.items():
        table.write.parquet(str(tmp_path / f"{name}.parquet"))
        parquet.write_table(table.toArrow(), tmp_path / f"{name}.file.parquet")
    monkeypatch.chdir(tmp_path)
    files = ("qrels.parquet", "a=new.parquet", "b=old.parquet")
    local = [name.replace(".parquet", ".file.parquet") for name in files]
    for command in ("evaluate", "compare", "order", "test"):
        on_spark = run(command, *files, "--engine", "spark")
        assert (on_spark.returncode, on_spark.stdout) == (0, run(command, *local).stdout)
    assert "--master is for --engine spark" in run("evaluate", *local, "--master", "local").stderr
    assert "nowhere.parquet: no such file" in run("evaluate", "nowhere.parquet", *files[1:], "--engine", "spark").stderr


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_sums_and_counts_are_the_same_on_spark(session, partitions):
    on_spark, local = experiments(session)
    measures = ["nDCG@5", "AP", "RR"]
    sums = on_spark.evaluate(measures, per_request=False)
    assert sums.sums and repr(sums.summary().values) == repr(local.evaluate(measures).summary().values)
    for measure in ("RPP", "LexiRecall", "diff(nDCG@5)"):
        counts, kept = on_spark.compare(measure, per_request=False), local.compare(measure)
        assert counts.mean.tolist() == kept.mean.tolist()
        assert counts.win_tie_loss.tolist() == kept.win_tie_loss.tolist()
        for name in ORDERINGS:
            assert repr(counts.order(name).rows()) == repr(kept.order(name).rows())
    utilities, expected = on_spark.utilities("nDCG@5", per_request=False), local.utilities("nDCG@5")
    assert utilities.order("leximin").ranks.tolist() == expected.order("leximin").ranks.tolist()
    assert repr(utilities.evaluate("cvar").values) == repr(expected.evaluate("cvar").values)


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_runs_that_tie_are_summed_exactly_on_spark(session):
    judged, runs = make_tables()
    alike = {"one": runs["new"], "two": runs["new"]}
    scores = tb.Experiment(*frames(session, judged, alike)).evaluate("nDCG@5", per_request=False)
    assert len(scores.summary().best) == 2


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_workers_write_values_of_requests(session, partitions, tmp_path):
    on_spark, local = experiments(session)
    path = tmp_path / "scores.parquet"
    assert on_spark.evaluate(["nDCG@5", "AP"], per_request=path).sums
    rows = {tuple(row) for row in session.read.parquet(str(path)).collect()}
    assert rows == set(map(tuple, local.evaluate(["nDCG@5", "AP"]).rows()))
    on_spark.compare("RPP", per_request=tmp_path / "pairs.parquet")
    rows = {tuple(row) for row in session.read.parquet(str(tmp_path / "pairs.parquet")).collect()}
    assert rows == set(map(tuple, local.compare("RPP").rows()))
    with pytest.raises(tb.InputError, match=r"scores\.parquet"):  # where something is already
        on_spark.evaluate("AP", per_request=path)


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_files_of_one_table_may_differ_in_types(session, tmp_path):
    """In the width of numbers, in what text is called, and in whether cells may be null."""
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    kinds = {
        "score": (arrow.float64(), arrow.float32(), arrow.int32(), arrow.int64()),
        "user_id": (arrow.string(), arrow.large_string(), arrow.dictionary(arrow.int32(), arrow.string())),
        "item_id": (arrow.int64(), arrow.int32()),
    }
    judged = {"user_id": list("aabbccdd"), "item_id": [1, 2] * 4, "rating": [1] * 8}
    parquet.write_table(arrow.table(judged), tmp_path / "qrels.parquet")
    (tmp_path / "run.parquet").mkdir()
    for k, user in enumerate("abcd"):
        schema = arrow.schema([arrow.field(name, some[k % len(some)], k % 2 > 0) for name, some in kinds.items()])
        rows = arrow.table({"score": [2, 1], "user_id": [user] * 2, "item_id": [3 - k % 2 * 2, 2]}).cast(schema)
        parquet.write_table(rows, tmp_path / "run.parquet" / f"{k}.parquet")
    there, here = (
        tb.Experiment(tmp_path / "qrels.parquet", tmp_path / "run.parquet", engine=name) for name in ("spark", "local")
    )
    assert "by workers, from files" in str(there.plan())
    assert outcome(scores, there, ["AP", "nDCG"])[0] == outcome(scores, here, ["AP", "nDCG"])[0]


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_experiments_on_the_same_frames_hold_blocks_of_their_own(session):
    """What one of them releases stays with the other."""
    judged, runs = make_tables()
    tables = frames(session, judged, runs)
    one, other = (tb.Experiment(*tables) for _ in range(2))
    assert repr(one.evaluate("AP").summary().values) == repr(other.evaluate("AP").summary().values)
    (held,) = other._elsewhere.held.values()
    del one
    gc.collect()
    assert held.frame.storageLevel.useDisk
