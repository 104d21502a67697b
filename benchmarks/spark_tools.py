"""nDCG@10 of every run and RPP of all pairs on Spark, by tiebreak and by window functions and joins.

    python spark_tools.py make|tiebreak|plain FOLDER USERS

`make` writes judgements and four runs as parquet, once. Prints JSON: the seconds of both measures and the processor
time of all processes, means, win/tie/loss, bytes that were shuffled, and peak memory of processes.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

RUNS, DEPTH, RELEVANT, ITEMS, CUTOFF = 4, 20, 3, 100_000, 10
NAMES = [f"run{k}" for k in range(RUNS)]
PAIRS = list(combinations(range(RUNS), 2))
AT_ONCE = 100_000
CONFIGURATION = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "16",
}


def make(folder: Path, users: int, names: list[str] = NAMES, depth: int = DEPTH) -> None:
    """Runs of so many different items of every user, in which relevant items are at random positions, or missing."""
    import pyarrow.parquet as parquet

    folder.mkdir(parents=True, exist_ok=True)
    writers: dict[str, Any] = {}
    for first in range(0, users, AT_ONCE):
        for name, table in tables(first, min(users, first + AT_ONCE), names, depth):
            if name not in writers:
                writers[name] = parquet.ParquetWriter(folder / f"{name}.parquet", table.schema)
            writers[name].write_table(table)
    for writer in writers.values():
        writer.close()


def tables(first: int, last: int, names: list[str], depth: int) -> Iterator[tuple[str, Any]]:
    import numpy as np
    import pyarrow as pa

    rng, n = np.random.default_rng(first), last - first
    start = rng.integers(0, ITEMS, (n, 1))
    items = (start + np.arange(2 * depth) * 2477) % ITEMS  # all different; the first ones are relevant

    def table(columns: Any, name: str, values: Any) -> Any:
        user = np.repeat(np.arange(first, last), columns.shape[1])
        ids = {"request": np.char.add("u", user.astype(str)), "item": np.char.add("i", columns.ravel().astype(str))}
        return pa.table({**{k: pa.array(v) for k, v in ids.items()}, name: values})

    yield "qrels", table(items[:, :RELEVANT], "grade", np.ones(n * RELEVANT))
    for k, name in enumerate(names):
        order = rng.random((n, 2 * depth))
        order[:, :RELEVANT] *= 1 - 0.1 * k  # later runs place relevant items higher
        places = np.argsort(order, axis=1)[:, :depth]
        scores = np.sort(rng.integers(0, 1000, (n, depth)) / 100, axis=1)[:, ::-1]  # with ties
        yield name, table(np.take_along_axis(items, places, axis=1), "score", scores.ravel())


def by_tiebreak(spark: Any, folder: Path) -> Iterator[dict[str, Any]]:
    import tiebreak as tb

    exp = tb.Experiment(folder / "qrels.parquet", [folder / f"{name}.parquet" for name in NAMES], engine="spark")
    yield {"nDCG": exp.evaluate(f"nDCG@{CUTOFF}").mean.ravel().tolist()}
    compared = exp.compare("RPP")
    yield {"RPP": compared.mean.tolist(), "counts": compared.win_tie_loss.tolist()}


def by_windows(spark: Any, folder: Path) -> Iterator[dict[str, Any]]:
    """As a good engineer writes it: one shuffle of the runs, and relevant items in memory for both measures."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    judged = spark.read.parquet(str(folder / "qrels.parquet")).where("grade > 0")
    runs = spark.read.parquet(str(folder / f"{NAMES[0]}.parquet")).withColumn("run", f.lit(0))
    for k, name in enumerate(NAMES[1:], start=1):
        runs = runs.unionByName(spark.read.parquet(str(folder / f"{name}.parquet")).withColumn("run", f.lit(k)))
    ranking = Window.partitionBy("run", "request").orderBy(f.desc("score"), f.desc("item"))
    ranked = runs.withColumn("position", f.row_number().over(ranking)).drop("score")
    relevant = ranked.join(judged, ["request", "item"]).drop("item").persist()
    yield {"nDCG": ndcg(judged, relevant, f, Window)}
    yield rpp(judged, relevant, f, Window)
    relevant.unpersist()


def ndcg(judged: Any, relevant: Any, f: Any, window: Any) -> list[float]:
    def dcg(position: str) -> Any:
        return f.sum(f.when(f.col(position) <= CUTOFF, f.col("grade") / f.log2(f.col(position) + 1)).otherwise(0.0))

    best = window.partitionBy("request").orderBy(f.desc("grade"))
    ideal = judged.withColumn("place", f.row_number().over(best)).groupBy("request").agg(dcg("place").alias("ideal"))
    gains = relevant.groupBy("run", "request").agg(dcg("position").alias("gain"))
    sums = gains.join(ideal, "request").groupBy("run").agg(f.sum(f.col("gain") / f.col("ideal")).alias("sum"))
    n, means = ideal.count(), dict.fromkeys(range(RUNS), 0.0)
    means |= {row["run"]: row["sum"] / n for row in sums.collect()}
    return list(means.values())


def rpp(judged: Any, relevant: Any, f: Any, window: Any) -> dict[str, Any]:
    """By recall level: what is missing is below everything, and two that are missing tie."""
    sizes = judged.groupBy("request").agg(f.count("*").alias("m"))
    levels = sizes.withColumn("level", f.explode(f.sequence(f.lit(1), f.col("m").cast("int"))))
    order = window.partitionBy("run", "request").orderBy("position")
    placed = relevant.select("run", "request", "position", f.row_number().over(order).alias("level"))
    wide = placed.groupBy("request", "level").pivot("run", list(range(RUNS))).agg(f.first("position"))
    paired = levels.join(wide, ["request", "level"], "left").fillna(2**31 - 1, [str(k) for k in range(RUNS)])
    signs = [f.signum(f.col(f"{b}") - f.col(f"{a}")) for a, b in PAIRS]
    values = paired.groupBy("request").agg(*(f.avg(sign).alias(f"v{k}") for k, sign in enumerate(signs)))
    columns = [
        column
        for k in range(len(PAIRS))
        for column in (f.avg(f"v{k}"), *(f.sum((f.signum(f"v{k}") == s).cast("int")) for s in (1, 0, -1)))
    ]
    row = values.agg(*columns).first()
    return {"RPP": [row[4 * k] for k in range(len(PAIRS))], "counts": [[*row[4 * k + 1 : 4 * k + 4]] for k in range(6)]}


def start() -> Any:
    from pyspark.sql import SparkSession

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    builder = SparkSession.builder.master("local[2]")
    for name, value in CONFIGURATION.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    spark.range(1000).mapInArrow(lambda batches: batches, "id long").count()  # workers are there
    return spark


def processes(root: int) -> Iterator[tuple[int, list[str]]]:
    """The processes below one, and the fields of /proc/PID/stat after the name."""
    stats = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stats[int(entry.name)] = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
    below = [root]
    for process in below:
        below += [child for child, fields in stats.items() if int(fields[1]) == process]
    yield from ((process, stats[process]) for process in below if process in stats)


def processor_seconds() -> float:
    ticks = sum(sum(map(int, fields[11:15])) for _, fields in processes(os.getpid()))
    return ticks / os.sysconf("SC_CLK_TCK")


def peak_bytes() -> dict[str, int]:
    """The largest resident set so far of this process, of Java, and of the largest worker."""
    peaks: dict[str, int] = {}
    for process, _ in processes(os.getpid()):
        try:
            status = Path(f"/proc/{process}/status").read_text()
        except OSError:
            continue
        fields = dict(line.split(":", 1) for line in status.splitlines())
        kind = "driver" if process == os.getpid() else "java" if "java" in fields["Name"] else "worker"
        peaks[kind] = max(peaks.get(kind, 0), int(fields.get("VmHWM", "0 kB").split()[0]) * 1024)
    return peaks


def shuffled_bytes(spark: Any) -> int:
    """Bytes that tasks of all jobs wrote for others to read."""
    executors = spark.sparkContext._jsc.sc().statusStore().executorList(False)
    return sum(executors.apply(k).totalShuffleWrite() for k in range(executors.size()))


def measure(what: str, folder: Path) -> dict[str, Any]:
    spark = start()
    way = by_tiebreak if what == "tiebreak" else by_windows
    answer: dict[str, Any] = {"each": []}
    used, begin = processor_seconds(), time.perf_counter()
    for part in way(spark, folder):
        answer |= part
        answer["each"].append(time.perf_counter() - begin)
    answer["seconds"], answer["processor"] = answer["each"][-1], processor_seconds() - used
    answer |= {"shuffled": shuffled_bytes(spark), "peaks": peak_bytes()}
    spark.stop()
    return answer


def main() -> None:
    what, folder, users = sys.argv[1], Path(sys.argv[2]) / f"spark-{sys.argv[3]}", int(sys.argv[3])
    if what == "make":
        if not (folder / f"{NAMES[-1]}.parquet").exists():
            make(folder, users)
        print("{}")
        return
    print(json.dumps(measure(what, folder)))


if __name__ == "__main__":
    main()
