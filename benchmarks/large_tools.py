"""Inputs that are not held, in one process: a run of many lines in several forms, and users of several runs.

    python large_tools.py make FOLDER REQUESTS | text FOLDER REQUESTS FORM
    python large_tools.py make-users FOLDER USERS | users FOLDER USERS

`make` writes judgements and one run as text in the order of requests, the same compressed, with its lines in no order,
and as parquet, once; `make-users` the judgements and five runs of users as parquet. The others print JSON: the seconds
and the processor time of each step, and its results.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import spark_tools

DEPTH, RELEVANT, ITEMS, AT_ONCE = 100, 3, 100_000, 20_000
FORMS = {"text": "run.txt", "gzip": "run.txt.gz", "lines in no order": "unsorted.txt", "parquet": "run.parquet"}
USER_RUNS, USER_DEPTH = 5, 50
USER_NAMES = [f"run{k}" for k in range(USER_RUNS)]
MEMORY = 200_000_000
"""What may be held of a run's lines, where they are in no order."""


def make(folder: Path, requests: int) -> None:
    import numpy as np

    parts = [rankings(first, min(requests, first + AT_ONCE)) for first in range(0, requests, AT_ONCE)]
    judged, items, scores = (np.concatenate(part) for part in zip(*parts, strict=True))
    parts.clear()
    blocks = [range(first, min(requests, first + AT_ONCE)) for first in range(0, requests, AT_ONCE)]
    write_judgements(folder / "qrels.txt", blocks, judged)
    write_text(folder / FORMS["text"], ((block, slice(None)) for block in blocks), items, scores)
    # The first line of every request, then the second of every request, ...
    by_rank = ((block, slice(rank, rank + 1)) for rank in range(DEPTH) for block in blocks)
    write_text(folder / FORMS["lines in no order"], by_rank, items, scores)
    write_parquet(folder / FORMS["parquet"], blocks, items, scores)
    with open(folder / FORMS["text"], "rb") as plain, gzip.open(folder / "unfinished", "wb", 6) as packed:
        shutil.copyfileobj(plain, packed, 1 << 20)
    (folder / "unfinished").rename(folder / FORMS["gzip"])


def rankings(first: int, last: int) -> tuple[Any, Any, Any]:
    """Judged items, listed items, and scores in hundredths, of some requests."""
    import numpy as np

    rng, n = np.random.default_rng(first), last - first
    pool = ((rng.integers(0, ITEMS, (n, 1)) + np.arange(2 * DEPTH) * 2477) % ITEMS).astype(np.int32)  # all different
    places = np.argsort(rng.random(pool.shape), axis=1)[:, :DEPTH]
    scores = np.sort(rng.integers(0, 10_000, (n, DEPTH), dtype=np.int32), axis=1)[:, ::-1]  # with ties
    return pool[:, :RELEVANT], np.take_along_axis(pool, places, axis=1), scores


def write_judgements(path: Path, blocks: list[range], judged: Any) -> None:
    from generate import numbers, table, without_padding

    with open(path, "wb") as file:
        for block in blocks:
            items = numbers(judged[block].ravel()).reshape(len(block), RELEVANT, -1)
            file.write(without_padding(table(items.shape[:2], request_ids(block), b" 0 ", items, b" 1\n")))


def write_text(path: Path, parts: Iterator[tuple[range, slice]], items: Any, scores: Any) -> None:
    """Lines of some requests and ranks after those of others."""
    import numpy as np

    from generate import byte_rows, numbers, table, without_padding

    ids, ranks = numbers(np.arange(ITEMS)), numbers(np.arange(1, DEPTH + 1))
    digits = byte_rows(np.array([f"{value:02}" for value in range(100)], "S"))
    with open(path, "wb") as file:
        for block, rank in parts:
            item, score = ids[items[block, rank]], scores[block, rank]
            columns = (request_ids(block), b" Q0 ", item, b" ", ranks[rank], b" ")
            number = (digits[score // 100], b".", digits[score % 100])
            file.write(without_padding(table(score.shape, *columns, *number, b" run\n")))


def request_ids(block: range) -> Any:
    import numpy as np

    from generate import numbers

    return numbers(np.array(block))[:, None]


def write_parquet(path: Path, blocks: list[range], items: Any, scores: Any) -> None:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as parquet

    schema = pa.schema({"request": pa.string(), "item": pa.string(), "score": pa.float64()})
    with parquet.ParquetWriter(path, schema) as file:
        for block in blocks:
            ids = np.repeat(np.array(block), DEPTH), items[block].ravel()
            columns = [*(pa.array(one).cast(pa.string()) for one in ids), scores[block].ravel() / 100]
            file.write_table(pa.table(columns, schema=schema))


def text(folder: Path, form: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    import tiebreak as tb

    held = {"memory": MEMORY} if form == "lines in no order" else {}
    exp = tb.Experiment(folder / "qrels.txt", folder / FORMS[form], **held)
    yield "nDCG@10 and AP", lambda: exp.evaluate(["nDCG@10", "AP"], per_request=False).mean.tolist()


def users(folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    import tiebreak as tb

    exp = tb.Experiment(folder / "qrels.parquet", [folder / f"{name}.parquet" for name in USER_NAMES])
    for measure in ("RPP", "LexiRecall", "LexiPrecision"):
        yield measure, lambda measure=measure: exp.compare(measure).win_tie_loss.tolist()
    yield "leximin(nDCG@10)", lambda: exp.order("leximin(nDCG@10)").ranks.tolist()


def measure(steps: Iterator[tuple[str, Callable[[], Any]]]) -> dict[str, Any]:
    """Run steps; the first one's time includes imports, and opening and dividing the input."""
    answer: dict[str, Any] = {"steps": {}, "results": []}
    begin = time.perf_counter(), time.process_time()
    for name, compute in steps:
        answer["results"].append(compute())
        end = time.perf_counter(), time.process_time()
        answer["steps"][name] = [after - before for before, after in zip(begin, end, strict=True)]
        begin = end
    return answer


def main() -> None:
    import warnings

    warnings.filterwarnings("ignore", category=UserWarning)  # that tables are divided, which is what is measured
    what, size = sys.argv[1], int(sys.argv[3])
    folder = Path(sys.argv[2]) / f"large-{what.removeprefix('make-').replace('make', 'text')}-{size}"
    answer: dict[str, Any] = {}
    if what == "make":
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / FORMS["gzip"]).exists():
            make(folder, size)
    elif what == "make-users":
        if not (folder / f"{USER_NAMES[-1]}.parquet").exists():
            spark_tools.make(folder, size, USER_NAMES, USER_DEPTH)
    else:
        answer = measure(text(folder, sys.argv[4]) if what == "text" else users(folder))
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
