"""Ctrl-C while Spark works, in a process of its own: prints the seconds until it ended the work, as JSON.

python -m engines.spark_interrupt FOLDER
"""

import json
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pyarrow as arrow

import tiebreak as tb
from engines import spark_session

REQUESTS = [f"q{k}" for k in range(60)]
SECONDS = 12
"""That the work takes."""


def slow(flag):
    """A score that takes its time, and says when it begins."""

    def score(value):
        open(flag, "a").close()
        time.sleep(SECONDS / len(REQUESTS))
        return value

    return score


def interrupt_once_there(flag, begin):
    while not flag.exists():
        time.sleep(0.05)
    time.sleep(0.5)
    begin.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)


def main(folder):
    flag, begin = Path(folder) / "flag", []
    session = spark_session.start()
    from pyspark.sql import functions

    # Then Spark plans what is persisted while it works, and whoever releases it waits for that.
    session.conf.set("spark.sql.adaptive.enabled", "true")
    judged = {"user_id": REQUESTS, "item_id": ["a"] * len(REQUESTS), "rating": [1.0] * len(REQUESTS)}
    ranked = {"user_id": REQUESTS, "item_id": ["a"] * len(REQUESTS), "score": [1.0] * len(REQUESTS)}
    judged, ranked = (session.createDataFrame(arrow.table(table)) for table in (judged, ranked))
    score = functions.udf(slow(str(flag)), "double")
    exp = tb.Experiment(judged, {"run": ranked.coalesce(1).withColumn("score", score("score"))})
    threading.Thread(target=interrupt_once_there, args=[flag, begin]).start()
    with suppress(KeyboardInterrupt):
        exp.evaluate("AP")
    print(json.dumps({"seconds": time.monotonic() - begin[0]}))
    session.stop()


if __name__ == "__main__":
    main(sys.argv[1])
