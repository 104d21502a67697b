"""Read runs and find the positions of their relevant items, in one process.

    python load_tools.py tiebreak|python THREADS REPEATS QRELS RUN...

Prints JSON: the seconds of the fastest repeat (judgements already read), and for every run how many relevant
items it retrieved and the sum of their positions.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
Loaded = tuple[float, list[list[int]]]  # seconds, and a checksum per run
UNRETRIEVED = 2**31 - 1


def load_with_tiebreak(threads: int, repeats: int, qrels: str, runs: list[str]) -> Loaded:
    import tiebreak as tb

    judgements = tb.read_judgements(qrels)
    seconds, positions = fastest(repeats, lambda: tb.project(judgements, runs, jobs=threads))
    checksums = [[0, 0] for _ in runs]
    for bucket in positions.levels().buckets():
        for checksum, p in zip(checksums, bucket.p, strict=True):
            retrieved = p[p < UNRETRIEVED]
            checksum[0] += len(retrieved)
            checksum[1] += int(retrieved.sum(dtype="int64"))
    return seconds, checksums


def load_with_python(threads: int, repeats: int, qrels: str, runs: list[str]) -> Loaded:
    """Load the plain way: dictionaries, one line at a time, on one thread whatever is asked."""
    relevant: dict[str, set[str]] = {}
    with open(qrels) as lines:
        for line in lines:
            request, _, item, grade = line.split()
            if int(grade) > 0:
                relevant.setdefault(request, set()).add(item)
    seconds, positions = fastest(repeats, lambda: [plain_positions(relevant, run) for run in runs])
    return seconds, [[sum(map(len, of_run)), sum(map(sum, of_run))] for of_run in positions]


def plain_positions(relevant: dict[str, set[str]], run: str) -> list[list[int]]:
    scores: dict[str, dict[str, float]] = {}
    with open(run) as lines:
        for line in lines:
            request, _, item, _, score, _ = line.split()
            scores.setdefault(request, {})[item] = float(score)
    positions = []
    for request, items in relevant.items():
        ranked = sorted(((score, item) for item, score in scores.get(request, {}).items()), reverse=True)
        positions.append([position for position, (_, item) in enumerate(ranked, 1) if item in items])
    return positions


def fastest(repeats: int, work: Callable[[], T]) -> tuple[float, T]:
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, result


TOOLS = {"tiebreak": load_with_tiebreak, "python": load_with_python}


def main() -> None:
    tool, threads, repeats, qrels, *runs = sys.argv[1:]
    seconds, checksums = TOOLS[tool](int(threads), int(repeats), qrels, runs)
    print(json.dumps({"seconds": seconds, "checksums": checksums}))


if __name__ == "__main__":
    main()
