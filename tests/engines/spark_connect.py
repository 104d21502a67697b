"""Frames of Spark Connect as an experiment, in a process of its own, which has no other session.

    python -m engines.spark_connect FOLDER

Prints JSON: for every case what was computed on Spark and here.
"""

import json
import os
import sys
import warnings
from pathlib import Path

import pyarrow.parquet as parquet

import tiebreak as tb
from engines.spark_cluster import results, write_tables
from engines.spark_session import PROPERTIES, SHORT
from engines.test_spark import frames, make_tables, outcome, repeat_an_item, unordered


def start():
    from pyspark.sql import SparkSession

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    builder = SparkSession.builder.remote("local[2]")
    options = {"spark.sql.shuffle.partitions": "2", "spark.driver.extraJavaOptions": SHORT}
    for name, value in (PROPERTIES | options).items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def values(session):
    judged, runs = make_tables()
    on_spark = tb.Experiment(*frames(session, judged, runs))
    on_spark.read("AP", tick=print)  # of a session without stages to look at
    return results(on_spark), results(tb.Experiment(judged, runs))


def files(session, folder):
    """Read by workers, and values of requests written by them."""
    judged, runs, path = *make_tables(), folder / "scores.parquet"
    tb.Experiment(*write_tables(folder, judged, runs), engine="spark").evaluate("AP", per_request=path)
    there = [[*row.values()] for row in parquet.read_table(path).to_pylist()]
    return sorted(there), sorted(map(list, tb.Experiment(judged, runs).evaluate("AP").rows()))


def error(session):
    judged, runs = make_tables()
    repeat_an_item(judged, runs)
    tables = frames(session, judged, runs)
    local = runs | {"old": tables[1]["old"].toArrow()}
    several = [tb.Experiment(*tables), tb.Experiment(judged, local)]
    return [unordered(outcome(lambda exp=exp: exp.evaluate("AP"))[0][1]) for exp in several]


def main(folder):
    warnings.simplefilter("ignore")
    session = start()
    several = {"values": values(session), "files": files(session, folder), "error": error(session)}
    print(json.dumps({"session": type(session).__module__, **several}))
    session.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
