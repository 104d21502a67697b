"""Compare all pairs of runs by RPP, lexirecall and lexiprecision, in one process.

    python preferences_tools.py tiebreak|command|python|careful QRELS RUN...

Prints JSON: the seconds of comparing, where that is timed apart, and the three means of the first pair.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from itertools import combinations
from math import inf
from typing import Any

PREFERENCES = ["RPP", "LexiRecall", "LexiPrecision"]


def by_tiebreak(qrels: str, runs: list[str]) -> dict[str, Any]:
    import tiebreak as tb

    positions = tb.project(qrels, runs)
    start = time.perf_counter()
    result = [tb.compare(positions, name) for name in PREFERENCES]
    actual = [(comparison.mean, comparison.win_tie_loss) for comparison in result]
    return {"seconds": time.perf_counter() - start, "first": [float(mean[0]) for mean, _ in actual]}


def by_command(qrels: str, runs: list[str]) -> dict[str, Any]:
    # The command line itself, as people call it.
    import contextlib
    import io

    from tiebreak.cli import main

    sys.argv[1:] = ["compare", qrels, *runs, "--format", "jsonl"]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        main()
    rows = [json.loads(line) for line in out.getvalue().splitlines()]
    first = {row["measure"]: row["value"] for row in reversed(rows)}
    return {"first": [first[name] for name in PREFERENCES]}


def by_python(qrels: str, runs: list[str]) -> dict[str, Any]:
    """Compare as the published script does: positions are gathered anew for every pair."""
    return plainly(qrels, runs, levels)


def by_careful_python(qrels: str, runs: list[str]) -> dict[str, Any]:
    """Compare with the positions of every ranking sorted once."""
    kept: dict[tuple[int, float], list[float]] = {}

    def once(ranks: dict[str, float], grades: dict[str, int], least: float) -> list[float]:
        key = (id(ranks), least)
        if key not in kept:
            kept[key] = levels(ranks, grades, least)
        return kept[key]

    return plainly(qrels, runs, once)


Levels = Callable[[dict[str, float], dict[str, int], float], list[float]]


def plainly(qrels: str, runs: list[str], levels_of: Levels) -> dict[str, Any]:
    start = time.perf_counter()
    grades: dict[str, dict[str, int]] = {}
    with open(qrels) as lines:
        for line in lines:
            request, _, item, grade = line.split()
            if int(grade) > 0:
                grades.setdefault(request, {})[item] = int(grade)
    read = [plain_ranks(grades, run) for run in runs]
    load = time.perf_counter() - start
    start = time.perf_counter()
    means = [plain_means(x, y, grades, levels_of) for x, y in combinations(read, 2)]
    return {"load": load, "seconds": time.perf_counter() - start, "first": means[0]}


Ranks = dict[str, dict[str, float]]


def plain_ranks(grades: dict[str, dict[str, int]], run: str) -> Ranks:
    """For every judged request, the position of each relevant item."""
    scores: dict[str, dict[str, float]] = {}
    with open(run) as lines:
        for line in lines:
            request, _, item, _, score, _ = line.split()
            scores.setdefault(request, {})[item] = float(score)
    actual = {}
    for request, items in grades.items():
        ranked = sorted(((score, item) for item, score in scores.get(request, {}).items()), reverse=True)
        place = {item: position for position, (_, item) in enumerate(ranked, 1)}
        actual[request] = {item: place.get(item, inf) for item in items}
    return actual


def plain_means(x: Ranks, y: Ranks, grades: dict[str, dict[str, int]], levels_of: Levels) -> list[float]:
    totals = [0.0, 0.0, 0.0]
    for request, items in grades.items():

        def pairs(least: float, request: str = request, items: dict[str, int] = items) -> list[tuple[float, float]]:
            return list(zip(levels_of(x[request], items, least), levels_of(y[request], items, least), strict=True))

        totals[0] += rpp([pairs(grade) for grade in set(items.values())])
        totals[1] += first_difference(pairs(0)[::-1])
        totals[2] += first_difference(pairs(0))
    return [total / len(grades) for total in totals]


def levels(ranks: dict[str, float], grades: dict[str, int], least: float) -> list[float]:
    return sorted(ranks[item] for item, grade in grades.items() if grade >= least)


def rpp(populations: list[list[tuple[float, float]]]) -> float:
    total = sum((a < b) - (a > b) for pairs in populations for a, b in pairs)
    return total / sum(map(len, populations))


def first_difference(pairs: list[tuple[float, float]]) -> int:
    for a, b in pairs:
        if a != b:
            return (a < b) - (a > b)
    return 0


TOOLS = {"tiebreak": by_tiebreak, "command": by_command, "python": by_python, "careful": by_careful_python}


def main() -> None:
    tool, qrels, *runs = sys.argv[1:]
    print(json.dumps(TOOLS[tool](qrels, runs)))


if __name__ == "__main__":
    main()
