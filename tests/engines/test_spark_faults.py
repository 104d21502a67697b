"""What goes wrong on Spark, or before it, ends in one sentence that says what to do."""

import copy
import os
import pickle
import subprocess
import sys

import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

import tiebreak as tb
from engines import spark_session
from tiebreak.engines import spark_errors, spark_progress, spark_tables

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # of py4j's sockets
    pytest.mark.filterwarnings("ignore::tiebreak.errors.TiebreakWarning"),
]
JUDGED = {"user_id": ["q1", "q1", "q2", "q2"], "item_id": ["a", "b", "a", "c"], "rating": [1.0, 2.0, 0.0, 1.0]}
RANKED = {"user_id": ["q1", "q1", "q2", "q2"], "item_id": ["a", "x", "c", "b"], "score": [3.0, 2.0, 1.0, 0.5]}


@pytest.fixture(scope="module")
def session():
    session = spark_session.start()
    session.conf.set("spark.sql.shuffle.partitions", "2")
    yield session
    session.stop()


@pytest.fixture
def tables(session):
    """The judgements and the run as frames."""
    return tuple(session.createDataFrame(arrow.table(table)) for table in (JUDGED, RANKED))


@pytest.fixture
def paths(session, tmp_path):
    """The judgements and the run as files."""
    several = {"qrels.parquet": JUDGED, "run.parquet": RANKED}
    for name, table in several.items():
        parquet.write_table(arrow.table(table), tmp_path / name)
    return tuple(tmp_path / name for name in several)


def error(ask):
    """What is raised, as a message and attributes."""
    with pytest.raises(tb.InputError) as caught:
        ask()
    return str(caught.value), caught.value.__dict__


def test_a_subtopic_without_likelihood_is_told_alike(session):
    """As in blocks and at once: with its kind and its request."""
    judged = arrow.table(JUDGED | {"subtopic": ["s", "t", "s", "t"]})
    known = {"intents": {"q1": {"s": 1.0}, "q2": {"s": 1.0, "t": 1.0}}}
    whole, blocks = (
        tb.Experiment(judged, dict.fromkeys("xy", arrow.table(RANKED)), **known, **size)
        for size in ({}, {"block_requests": 1})
    )
    frames = session.createDataFrame(judged), dict.fromkeys("xy", session.createDataFrame(arrow.table(RANKED)))
    message, where = error(lambda: tb.Experiment(*frames, **known).compare("ST-RPP"))
    assert (message, where) == error(lambda: blocks.compare("ST-RPP")) == error(lambda: whole.compare("ST-RPP"))
    assert (where["kind"], where["request"]) == ("subtopic", "q1")


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(b"x" * 999)])
def test_a_file_that_is_gone_or_damaged_is_named(session, paths, damage):
    exp = tb.Experiment(*paths, engine="spark")
    damage(paths[1])
    message, where = error(lambda: exp.evaluate("AP"))
    assert message.startswith(f"{paths[1]}: cannot be read by a worker, as parquet: ")
    assert (where["kind"], where["file"]) == ("io", str(paths[1]))
    parquet.write_table(arrow.table(RANKED), paths[1])
    assert exp.evaluate("AP").mean.tolist() == [[0.75]]


def test_only_workers_without_the_package_are_told_to_install_it():
    lines = "Traceback (most recent call last):", '  File "tiebreak/x.py"', "tiebreak.errors.InputError: a Error b", ""
    told = spark_errors.explain_worker("\n".join((*lines, "\tat org.apache.spark.Error(x.scala)")), "1.2")
    assert str(told) == "a worker of Spark failed: tiebreak.errors.InputError: a Error b."
    told = spark_errors.explain_worker(
        "RuntimeError: tiebreak 1.1 is installed on a worker, and 1.2 on the driver\n", "1.2"
    )
    assert "Install tiebreak 1.2 where they run" in str(told)


@pytest.mark.parametrize(
    ("score", "reason"),
    [("CAST(item_id AS double)", "'a' .* cannot be cast to"), ("1 / (score - score)", "Division by zero")],
)
def test_what_spark_cannot_compute_of_a_frame_is_one_sentence(tables, score, reason):
    judged, ranked = tables
    ranked = ranked.selectExpr("user_id", "item_id", f"{score} AS score")
    message, where = error(lambda: tb.Experiment(judged, {"run": ranked}).evaluate("AP"))
    assert where["kind"] == "spark" and "\n" not in message
    with pytest.raises(tb.InputError, match=f"^Spark failed: .*{reason}"):
        tb.Experiment(judged, {"run": ranked}).read("AP")


def test_reasons_of_spark_end_before_the_calls_of_java():
    text = "An error occurred while calling o1.first.\n: org.X: Job aborted:\nlost.\n\tat org.apache.X(Y.scala:1)\n"
    assert str(spark_errors.explain_spark(text)) == "Spark failed: org.X: Job aborted: lost."


def test_reasons_of_spark_are_what_its_exceptions_come_from():
    calls = "\n\tat org.apache.X(Y.scala:1)\n"
    causes = f"Caused by: java.io.IOException: Mkdirs failed{calls}Caused by: java.io.EOFException{calls}"
    text = f"An error occurred while calling o1.parquet.\n: org.X: Job aborted.{calls}{causes}"
    assert spark_errors.shorten(text) == "java.io.IOException: Mkdirs failed"


def test_number_of_partitions_may_be_left_to_spark(session, tables, monkeypatch):
    monkeypatch.setattr(spark_tables, "AUTOMATIC", 3)
    exp = tb.Experiment(tables[0], {"run": tables[1]})
    expected = exp.evaluate("AP").values.tolist()
    get, partitions = type(session.conf).get, "spark.sql.shuffle.partitions"
    automatic = lambda self, key, *default: "auto" if key == partitions else get(self, key, *default)  # noqa: E731
    monkeypatch.setattr(type(session.conf), "get", automatic)
    assert tb.Experiment(tables[0], {"run": tables[1]}).evaluate("AP").values.tolist() == expected


def test_interrupt_ends_the_work_at_once(tmp_path):
    """Also what is persisted meanwhile, which a plain release would wait for."""
    assert spark_session.run_apart("engines.spark_interrupt", tmp_path)["seconds"] < 5


def test_few_rows_are_few_partitions(session, tables):
    """Where Spark coalesces small ones, those that are held are, too; its settings stay."""
    name = "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning"
    before = {"spark.sql.shuffle.partitions": "50", "spark.sql.adaptive.enabled": "true"}
    before = {
        setting: (session.conf.get(setting), session.conf.set(setting, value))[0] for setting, value in before.items()
    }
    try:
        exp = tb.Experiment(tables[0], {"run": tables[1]})
        assert "50 partitions, small ones coalesced" in str(exp.plan())
        assert exp.evaluate("AP").mean.tolist() == [[0.75]]
        (held,) = exp._elsewhere.held.values()
        assert held.frame.rdd.getNumPartitions() <= 2
        assert session.conf.get(name, None) is None
    finally:
        for setting, value in before.items():
            session.conf.set(setting, value)


def test_values_are_written_where_python_is(tables, tmp_path, monkeypatch):
    """Not where Java was started; a folder that exists stays."""
    monkeypatch.chdir(tmp_path)
    exp = tb.Experiment(tables[0], {"run": tables[1]})
    exp.evaluate("AP", per_request="scores.parquet")
    assert parquet.read_table(tmp_path / "scores.parquet").num_rows == 2
    message, where = error(lambda: exp.evaluate("AP", per_request="scores.parquet"))
    assert message == "scores.parquet: cannot be written: it exists. Give another name."
    assert (where["kind"], where["file"]) == ("output", "scores.parquet")


def test_an_exception_of_tick_ends_the_work(session, tables, monkeypatch):
    monkeypatch.setattr(spark_progress, "SECONDS", 0.01)
    jobs = []
    monkeypatch.setattr(session.sparkContext, "cancelJobsWithTag", jobs.append)
    ticks = []

    def tick(done, total):
        ticks.append(done)
        raise KeyError("stop")

    with pytest.raises(KeyError, match="stop"):
        tb.Experiment(tables[0], {"run": tables[1]}).read("AP", tick=tick)
    assert len(ticks) == 1 and jobs
    assert not session.sparkContext.getJobTags()


def test_a_command_needs_no_activated_environment(session, paths):
    """And says one line where something is wrong."""
    several = {name: value for name, value in os.environ.items() if name != "PYSPARK_PYTHON"}
    several |= {"PATH": "/usr/bin:/bin", "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [
        sys.executable,
        "-m",
        "tiebreak",
        "evaluate",
        *map(str, paths),
        "--engine",
        "spark",
        "--master",
        "local[1]",
    ]
    done = subprocess.run(command, env=several, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, "0.75" in done.stdout) == (0, True)
    assert not [line for line in done.stderr.splitlines() if not line.startswith("Note: ")]


def test_an_experiment_on_spark_is_not_pickled(tables):
    judged, run = tables
    exp = tb.Experiment(judged, {"new": run})
    for duplicate in (pickle.dumps, copy.deepcopy):
        message, where = error(lambda duplicate=duplicate: duplicate(exp))
        assert "cannot be pickled or copied" in message and where["kind"] == "spark"


def test_names_of_runs_that_cannot_be_computed_are_an_error_in_a_sentence(session, tables):
    judged, run = tables
    broken = run.selectExpr("*", "CASE WHEN assert_true(score < 0) IS NULL THEN 'new' END AS run")
    message, where = error(lambda: tb.Experiment(judged, broken))
    assert message.startswith("Spark failed: ") and where["kind"] == "spark"


def test_judgements_without_rows_are_told_alike(tables):
    judged, run = tables
    nothing = judged.limit(0)
    on_spark = error(lambda: tb.Experiment(nothing, {"new": run}).evaluate("AP"))
    here = error(lambda: tb.Experiment(arrow.table(JUDGED).slice(0, 0), {"new": arrow.table(RANKED)}).evaluate("AP"))
    assert on_spark == here


def test_a_session_that_has_ended_is_told(session):
    """The last one, as no other test has a session then."""
    judged, ranked = (session.createDataFrame(arrow.table(table)) for table in (JUDGED, RANKED))
    exp, read = (tb.Experiment(judged, {"run": ranked}) for _ in range(2))
    read.evaluate("AP")
    session.stop()
    for each in (exp, read):
        message, where = error(lambda each=each: each.evaluate("nDCG"))
        assert message == "the Spark session has ended. Make a new one, and the experiment with it."
        assert where["kind"] == "spark"
