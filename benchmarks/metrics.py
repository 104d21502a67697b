"""Measures alone: from positions in memory to four measures of many requests, on one core."""

from __future__ import annotations

from report import Section, Table, megabytes, met
from timing import Work, best_of

RELEVANT = 20
MOST_SECONDS = 0.6
ONE_CORE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def section(requests: int, rounds: int) -> Section:
    one = best_of(rounds, {"measures": Work("metrics_tools.py", (requests, RELEVANT), ONE_CORE)})["measures"]
    seconds = one.answer["seconds"]
    text = (
        f"AP, nDCG, RR and TSE of one run, {requests:,} requests with {RELEVANT} relevant items each, positions read."
    )
    row = ("four measures", f"<= {MOST_SECONDS} s", f"{seconds:.2f} s", met(seconds <= MOST_SECONDS))
    memory = ("peak memory of the process", "", megabytes(one.peak_bytes), "")
    return Section("Measures of a million requests", text, [Table(("", "target", "seen", "met"), [row, memory])])
