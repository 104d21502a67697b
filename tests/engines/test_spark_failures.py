"""Lost executors and speculative tasks of Spark change nothing."""

import sys

import pytest

from engines import spark_session

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(sys.platform != "linux", reason="executors are found in /proc"),
]


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """What every case of `spark_cluster` returned."""
    return spark_session.run_apart("engines.spark_cluster", tmp_path_factory.mktemp("cluster"))


def test_positions_lost_with_all_executors_are_read_again(session):
    """Between two measures, all disks are lost: results are those of the local engine, bit for bit."""
    case = session["lost between measures"]
    assert case["held"] == 4
    assert case["there"] == case["here"]


@pytest.mark.parametrize("when", ["during a measure", "while rows are packed"])
def test_an_executor_killed_at_work_changes_nothing(session, when):
    case = session[f"lost {when}"]
    assert case["is_reached"]
    assert case["there"] == case["here"]


@pytest.mark.parametrize("name", ["slow task", "slow task, sums", "slow writer"])
def test_a_speculative_task_changes_nothing(session, name):
    """The copy of a sleeping task is used in its place: no request is counted or written twice."""
    case = session[name]
    assert case["is_reached"] and not case["is_awake"]
    assert case["there"] == case["here"]
