"""What becomes of results where executors of Spark are lost and tasks are slow.

    python -m engines.spark_cluster FOLDER

It runs in a process of its own: a cluster of two executors, on addresses of their own, as Spark starts the copy of a
slow task on another host only, and none at all with a master `local`. Prints JSON: for every case what was computed on
Spark and here, and what else is known of it.
"""

import json
import os
import signal
import sys
import time
import warnings
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet

import tiebreak as tb
from engines.spark_session import PROPERTIES, SHORT
from engines.test_spark import comparison, make_tables, outcome, rows_of, scores
from tiebreak.engines import spark as engine

HOSTS = "127.0.0.1", "127.0.0.2"
PARTITIONS = 4
CLUSTER = PROPERTIES | {
    "spark.driver.extraJavaOptions": SHORT,
    "spark.executor.extraJavaOptions": SHORT,
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    "spark.locality.wait": "0",
    "spark.master.rest.enabled": "false",
    "spark.shuffle.io.retryWait": "100ms",
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.quantile": "0.5",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": str(PARTITIONS),
}
SLEEP = 300
"""Seconds, more than all of this takes."""


def start(folder):
    """A session with two executors, whose master and workers live in the driver's Java."""
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": HOSTS[0]}
    SparkContext._ensure_initialized(conf=SparkConf().setAll(CLUSTER.items()))
    java, spark = SparkContext._jvm, SparkContext._jvm.org.apache.spark
    conf = spark.SparkConf()
    master = spark.deploy.master.Master.startRpcEnvAndEndpoint(HOSTS[0], 0, 0, conf)._1().address().toSparkURL()
    masters = SparkContext._gateway.new_array(java.java.lang.String, 1)
    masters[0] = master
    for number, host in enumerate(HOSTS):
        which, nothing = java.scala.Option.apply(number), java.scala.Option.empty()
        spark.deploy.worker.Worker.startRpcEnvAndEndpoint(
            host, 0, 0, 1, 512, masters, str(folder / "work"), which, conf, nothing
        )
    session = SparkSession.builder.master(master).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def is_first(flag):
    """Whether nobody came here before."""
    try:
        os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def executor():
    """The executor of the worker that this is: the parent of the process that forks workers."""
    return int(Path(f"/proc/{os.getppid()}/stat").read_text().rsplit(")", 1)[1].split()[1])


def reciprocal(before=lambda: None):
    """A metric that does something before it computes."""

    def first_position(p):
        before()
        return 1 / p[0]

    return tb.metric(first_position)


def killer(flag):
    """What kills the executor that comes first."""

    def kill():
        if is_first(flag):
            os.kill(executor(), signal.SIGKILL)

    return kill


def sleeper(flag, folder=None):
    """What makes the task sleep that comes first, once there is a folder; one that awakes says so."""

    def sleep():
        if (folder is None or os.path.isdir(folder)) and is_first(flag):
            time.sleep(SLEEP)
            Path(f"{flag}.awake").touch()

    return sleep


def killing(table, flag):
    """The same rows, of which those of a later task kill the executor that computes them."""

    def rows(batches):
        from pyspark import TaskContext

        if TaskContext.get().partitionId() > 1 and is_first(flag):
            os.kill(executor(), signal.SIGKILL)
        yield from batches

    return table.repartition(PARTITIONS).mapInArrow(rows, table.schema)


class Cases:
    """An experiment of files, which workers read themselves, on Spark and here."""

    def __init__(self, session, folder):
        judged, runs = make_tables()
        self.session, self.folder = session, folder
        self.judged, self.runs = write_tables(folder, judged, runs)
        self.on_spark = tb.Experiment(self.judged, self.runs, engine="spark")
        self.local = tb.Experiment(judged, runs)

    def lost_between_measures(self):
        """All executors, so that nothing is left of what workers have read."""
        self.on_spark.evaluate("RR")
        before = self.held_partitions()
        for process in executors():
            os.kill(process, signal.SIGKILL)
        while self.held_partitions():
            time.sleep(0.1)
        return {"held": before, "there": results(self.on_spark), "here": results(self.local)}

    def lost_during_a_measure(self):
        flag = str(self.folder / "killed")
        there = values(self.on_spark, reciprocal(killer(flag)))
        return {"is_reached": os.path.exists(flag), "there": there, "here": values(self.local, reciprocal())}

    def lost_while_rows_are_packed(self):
        """Those of one run, which Spark reads and hands to workers."""
        flag = str(self.folder / "killed early")
        table = killing(self.session.read.parquet(str(self.runs["old"])), flag)
        there = values(tb.Experiment(self.judged, self.runs | {"old": table}), "AP")
        return {"is_reached": os.path.exists(flag), "there": there, "here": values(self.local, "AP")}

    def slow_task(self, per_request=None):
        flag = str(self.folder / f"slow {per_request}")
        there = values(self.on_spark, reciprocal(sleeper(flag)), per_request)
        return {**slept(flag), "there": there, "here": values(self.local, reciprocal(), per_request)}

    def slow_writer(self):
        flag, path = str(self.folder / "slow writer"), self.folder / "scores.parquet"
        self.on_spark.evaluate(reciprocal(sleeper(flag, str(path / "_temporary"))), per_request=path)
        rows = parquet.read_table(path).to_pylist()
        there = sorted([*row.values()] for row in rows)
        return {**slept(flag), "there": there, "here": sorted(map(list, self.local.evaluate(reciprocal()).rows()))}

    def held_partitions(self):
        """How many partitions of positions are on the disks of executors."""
        return sum(one.numCachedPartitions() for one in self.session.sparkContext._jsc.sc().getRDDStorageInfo())


def write_tables(folder, judged, runs):
    """The paths of judgements and runs as parquet."""
    several = {name: write_table(folder / f"{name}.parquet", run, "score") for name, run in runs.items()}
    return write_table(folder / "qrels.parquet", judged, "rating"), several


def write_table(path, table, value):
    columns = map(pa.array, zip(*rows_of(table), strict=True))
    parquet.write_table(pa.table(dict(zip(("user_id", "item_id", value), columns, strict=True))), path)
    return path


def results(exp):
    return [repr(outcome(scores, exp, ["AP", "nDCG@5"])[0]), repr(outcome(comparison, exp, "RPP")[0])]


def values(exp, measure, per_request=None):
    result = exp.evaluate(measure, per_request=per_request)
    return repr((None if result.sums else result.values.tolist(), result.summary().values, result.notes))


def slept(flag):
    return {"is_reached": os.path.exists(flag), "is_awake": os.path.exists(f"{flag}.awake")}


def executors():
    """The processes that the driver's Java has started."""
    from pyspark import SparkContext

    several = Path(f"/proc/{SparkContext._gateway.proc.pid}/task").glob("*/children")
    return [int(process) for children in several for process in children.read_text().split()]


def main(folder):
    warnings.simplefilter("ignore")
    engine.ROWS_AT_ONCE, engine.ROWS_PACKED = 40, 30
    session = start(folder)
    cases = Cases(session, folder)
    several = {
        "lost between measures": cases.lost_between_measures,
        "lost during a measure": cases.lost_during_a_measure,
        "lost while rows are packed": cases.lost_while_rows_are_packed,
        "slow task": cases.slow_task,
        "slow task, sums": partial(cases.slow_task, per_request=False),
        "slow writer": cases.slow_writer,
    }
    print(json.dumps({name: case() for name, case in several.items()}))
    session.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
