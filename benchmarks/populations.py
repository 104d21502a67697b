"""Leximin of 50 runs and a million requests."""

from __future__ import annotations

from report import Section, Table, megabytes, met
from timing import Work, best_of

MOST_SECONDS = 3.0
MOST_MEGABYTES = 1500


def section(runs: int, requests: int, rounds: int) -> Section:
    one = best_of(rounds, {"leximin": Work("populations_tools.py", (runs, requests))})["leximin"]
    if one.answer["tied"] != 3:
        raise SystemExit("populations: three runs are equal, and no others")
    text = f"The order of {runs} runs by leximin over {requests:,} requests, utilities in memory; three runs are equal."
    rows = [
        ("leximin", f"<= {MOST_SECONDS:g} s", f"{one.seconds:.2f} s", met(one.seconds <= MOST_SECONDS)),
        (
            "peak memory of the process",
            f"< {MOST_MEGABYTES:,} MB",
            megabytes(one.peak_bytes),
            met(one.peak_bytes < MOST_MEGABYTES * 1e6),
        ),
    ]
    return Section("Leximin of a million requests", text, [Table(("", "target", "seen", "met"), rows)])
