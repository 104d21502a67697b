"""The preferences of J2 and J3: all pairs by RPP, lexirecall and lexiprecision, after loading and from files."""

from __future__ import annotations

from jobs import Files, Job
from report import Section, Table, megabytes, met
from timing import Measurement, Work, best_of

PLAIN_RUNS = 3  # the plain Python way is measured on so many runs and their pairs, and scaled
ONE_CORE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def section(
    job: Job, files: Files, rounds: int, most_seconds: float, times_faster: int, most_megabytes: int
) -> Section:
    plain_runs = files.runs[:PLAIN_RUNS]
    seen = best_of(
        rounds,
        {
            "after loading": Work("preferences_tools.py", ("tiebreak", files.judgements, *files.runs), ONE_CORE),
            "command": Work("preferences_tools.py", ("command", files.judgements, *files.runs)),
            "plain": Work("preferences_tools.py", ("python", files.judgements, *plain_runs)),
            "careful": Work("preferences_tools.py", ("careful", files.judgements, *plain_runs)),
        },
    )
    check_agreement(job, seen)
    plain, careful = (scaled(job, seen[name]) for name in ("plain", "careful"))
    after, whole = seen["after loading"].seconds, seen["command"].process_seconds
    peak = seen["command"].peak_bytes
    target = (f">= {times_faster}x", met(plain / whole >= times_faster)) if times_faster else ("", "")
    rows = [
        ("after loading, one core", f"<= {most_seconds} s", f"{after:.2f} s", met(after <= most_seconds)),
        ("whole command, from files", "", f"{whole:.2f} s", ""),
        ("plain Python, scaled", target[0], f"{plain:.0f} s, {plain / whole:.0f}x", target[1]),
        ("plain Python, positions sorted once", "", f"{careful:.0f} s, {careful / whole:.0f}x", ""),
        ("peak memory of the command", f"< {most_megabytes} MB", megabytes(peak), met(peak < most_megabytes * 1e6)),
    ]
    text = (
        f"{pairs_of(job.runs):,} pairs of {job.runs} runs in {job.requests:,} requests: means, wins, ties, losses by "
        "RPP, LexiRecall and LexiPrecision. The command is `tiebreak compare` with JSON lines. *Plain Python* reads "
        "into dictionaries and compares position by position as the equations say; like the script that the papers' "
        "authors publish, it gathers the positions anew for every pair. It is measured on "
        f"{PLAIN_RUNS} runs with their {pairs_of(PLAIN_RUNS)} pairs and scaled linearly."
    )
    title = f"{job.name.upper()}: preferences between {job.runs} runs"
    return Section(title, text, [Table(("", "target", "seen", "met"), rows)])


def pairs_of(runs: int) -> int:
    return runs * (runs - 1) // 2


def scaled(job: Job, plain: Measurement) -> float:
    """The seconds that all runs and all pairs would take."""
    load, compare = plain.answer["load"], plain.answer["seconds"]
    return float(load * job.runs / PLAIN_RUNS + compare * pairs_of(job.runs) / pairs_of(PLAIN_RUNS))


def check_agreement(job: Job, seen: dict[str, Measurement]) -> None:
    """Stop when the means of the first pair differ between the ways."""
    firsts = [one.answer["first"] for one in seen.values()]
    if any(max(values) - min(values) > 1e-12 for values in zip(*firsts, strict=True)):
        raise SystemExit(f"{job.name}: preferences differ: {firsts}")
