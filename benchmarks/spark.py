"""Spark: nDCG@10 and RPP of all pairs beside window functions and joins, on two threads."""

from __future__ import annotations

from pathlib import Path

from report import Section, Table, megabytes, met
from timing import Measurement, Work, best_of, measure

LEAST_TIMES = 3.0
LARGEST_DIFFERENCE = 1e-9
NAMES = {"tiebreak": "tiebreak", "plain": "window functions and joins"}


def section(folder: Path, users: int, rounds: int) -> Section:
    measure(Work("spark_tools.py", ("make", folder, users)))
    seen = best_of(rounds, {what: Work("spark_tools.py", (what, folder, users)) for what in NAMES})
    check_agreement(seen["tiebreak"].answer, seen["plain"].answer)
    text = (
        f"Parquet of {users:,} users x 20 items x 4 runs, 3 relevant items each, on `local[2]` with 16 partitions and "
        "1 GB for Java. Seconds are from a session that has started to means and win/tie/loss; processor time is of "
        "all processes, with what Java compiles. The plain way has its relevant positions in memory for both measures."
    )
    times = seen["plain"].seconds / seen["tiebreak"].seconds
    rows = [(name, *cells(seen[what])) for what, name in NAMES.items()]
    ratio = ("times faster", f"{times:.1f}x, target >= {LEAST_TIMES:g}x: {met(times >= LEAST_TIMES)}", *[""] * 5)
    header = ("", "seconds", "to nDCG@10", "processor", "shuffled", "largest worker", "driver, Java")
    return Section("Spark beside window functions", text, [Table(header, [*rows, ratio])])


def cells(one: Measurement) -> tuple[str, ...]:
    answer, peaks = one.answer, one.answer["peaks"]
    return (
        f"{one.seconds:.1f} s",
        f"{answer['each'][0]:.1f} s",
        f"{answer['processor']:.1f} s",
        megabytes(answer["shuffled"]),
        megabytes(peaks["worker"]),
        f"{megabytes(peaks['driver'])}, {megabytes(peaks['java'])}",
    )


def check_agreement(ours: dict[str, list[float]], theirs: dict[str, list[float]]) -> None:
    """Stop when means or win/tie/loss differ."""
    means = zip([*ours["nDCG"], *ours["RPP"]], [*theirs["nDCG"], *theirs["RPP"]], strict=True)
    if ours["counts"] != theirs["counts"] or max(abs(a - b) for a, b in means) > LARGEST_DIFFERENCE:
        raise SystemExit("spark: results differ between tiebreak and window functions")
