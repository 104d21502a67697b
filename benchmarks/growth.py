"""Growth: how time and memory rise with the number of lines, in three layouts of one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from statistics import linear_regression

from jobs import Files, Job
from report import Section, Table, megabytes, met
from timing import Measurement, Work, best_of

STEEPEST = 1.15  # sorting a tied request is n log n: 1.09 over these sizes
REPEATS = 3


def section(layouts: Mapping[str, Sequence[tuple[Job, Files]]], rounds: int) -> Section:
    seen = best_of(rounds, {job.folder_name: work(files) for jobs in layouts.values() for job, files in jobs})
    slopes, details = [], []
    for layout, jobs in layouts.items():
        measured = [(job, seen[job.folder_name]) for job, _ in jobs]
        steepness = slope(measured)
        slopes.append((layout, f"near 1, <= {STEEPEST}", f"{steepness:.2f}", met(steepness <= STEEPEST)))
        details += [row(layout, job, one) for job, one in measured]
    text = "Time of the projection of one run on one thread. The slope is of log time against log lines."
    tables = [
        Table(("layout", "target", "slope", "met"), slopes),
        Table(("layout", "lines", "milliseconds", "lines/s", "peak memory"), details),
    ]
    return Section("Growth", text, tables)


def work(files: Files) -> Work:
    return Work("load_tools.py", ("tiebreak", 1, REPEATS, files.judgements, *files.runs))


def slope(measured: Sequence[tuple[Job, Measurement]]) -> float:
    lines = [log(job.lines) for job, _ in measured]
    seconds = [log(one.seconds) for _, one in measured]
    return linear_regression(lines, seconds).slope


def row(layout: str, job: Job, one: Measurement) -> tuple[str, ...]:
    rate = f"{job.lines / one.seconds / 1e6:.1f}M"
    return layout, f"{job.lines:,}", f"{one.seconds * 1e3:.1f}", rate, megabytes(one.peak_bytes)
