"""One run of many lines, as a TREC file, as frames and as columns of lists, read and projected in one process.

    python frames_tools.py make|file|frame|pandas|lists|pandas-lists|hold FOLDER REQUESTS

`make` writes it, once; `hold` only has the polars frame in memory, so that its share of the peak is known. Prints JSON:
the seconds of the projection, how many relevant items were retrieved, and the sum of their positions.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

DEPTH = 200
UNRETRIEVED = 2**31 - 1


def make(folder: Path, requests: int) -> None:
    rng = np.random.default_rng(7)
    rows = requests * DEPTH
    request = np.repeat(np.arange(requests), DEPTH)
    item = (np.tile(np.arange(DEPTH) * 7919, requests) + request * 31) % 1_000_003
    frame = pl.DataFrame(
        {
            "request": pl.Series(request).cast(pl.String),
            "item": "d" + pl.Series(item).cast(pl.String),
            "score": np.round(rng.random(rows) * 100, 6),
        }
    )
    frame.write_parquet(folder / "run.parquet")
    columns = [pl.col("request"), pl.lit("Q0"), pl.col("item").alias("i"), pl.lit("1").alias("r"), pl.col("score")]
    frame.select(*columns, pl.lit("t").alias("t")).write_csv(
        folder / "run.txt", separator=" ", include_header=False, float_precision=6
    )
    judged = frame[:: DEPTH // 10]
    judged.select("request", pl.lit("0"), pl.col("item").alias("i"), pl.lit("1").alias("g")).write_csv(
        folder / "qrels.txt", separator=" ", include_header=False
    )


def measured(folder: Path, run: Any, first: Any = None) -> dict[str, Any]:
    """Read a run; before that a small one of the same kind, so that what is imported for it does not count."""
    import tiebreak as tb

    judgements = tb.read_judgements(folder / "qrels.txt")
    if first is not None:
        tb.project(judgements, first, jobs=1)
    start = time.perf_counter()
    ranks = tb.project(judgements, run, jobs=1).ranks
    seconds = time.perf_counter() - start
    retrieved = ranks[ranks < UNRETRIEVED]
    return {"seconds": seconds, "checksum": [len(retrieved), int(retrieved.sum(dtype="int64"))]}


def held(what: str, frame: pl.DataFrame) -> Any:
    """The rows as a frame, or as ranked lists of items, of polars or of pandas."""
    if what.endswith("lists"):
        by_score = frame.sort("score", "item", descending=True, maintain_order=True)
        frame = by_score.group_by("request", maintain_order=True).agg("item")
    if what == "pandas":
        return frame.to_pandas()
    if what == "pandas-lists":
        import pandas as pd

        return pd.DataFrame({"request": frame["request"].to_list(), "item": frame["item"].to_list()})
    return frame


def main() -> None:
    what, folder, requests = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    answer: dict[str, Any] = {}
    if what == "make":
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "qrels.txt").exists():
            make(folder, requests)
    elif what == "file":
        answer = measured(folder, folder / "run.txt")
    else:
        rows = pl.read_parquet(folder / "run.parquet")
        frame = held(what, rows)
        answer = {"rows": len(frame)} if what == "hold" else measured(folder, frame, held(what, rows[:DEPTH]))
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
