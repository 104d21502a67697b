"""What goes wrong on Spark, or before it, ends in one sentence that says what to do."""

import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

import tiebreak as tb
from engines import spark_session
from tiebreak.engines import spark as engine

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
    told = engine.explain_worker("\n".join((*lines, "\tat org.apache.spark.Error(x.scala)")), "1.2")
    assert str(told) == "a worker of Spark failed: tiebreak.errors.InputError: a Error b"
    told = engine.explain_worker("RuntimeError: tiebreak 1.1 is installed on a worker, and 1.2 on the driver\n", "1.2")
    assert "Install tiebreak 1.2 where they run" in str(told)
