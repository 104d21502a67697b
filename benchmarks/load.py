"""The loading part of J2 and J3: from files to positions, on one thread and on two."""

from __future__ import annotations

from jobs import Files, Job
from report import Section, Table, megabytes, met
from timing import Measurement, Work, best_of

PLAIN_RUNS = 2  # the plain Python way is measured on so many runs, and scaled
GIGABYTES_PER_SECOND = 0.45
LINES_PER_SECOND = 11e6


def section(job: Job, files: Files, rounds: int, most_megabytes: int) -> Section:
    runs = files.runs
    plain_runs = runs[:PLAIN_RUNS]
    seen = best_of(
        rounds,
        {
            "one": Work("load_tools.py", ("tiebreak", 1, 1, files.judgements, *runs)),
            "two": Work("load_tools.py", ("tiebreak", 2, 1, files.judgements, *runs)),
            "plain": Work("load_tools.py", ("python", 1, 1, files.judgements, *plain_runs)),
        },
    )
    check_agreement(job, seen)
    rates = [row for name in ("one", "two") for row in rows(name, job, files, seen[name], most_megabytes)]
    plain_seconds = seen["plain"].seconds * len(runs) / len(plain_runs)
    text = (
        f"{job.runs} runs x {job.requests:,} requests x {job.depth:,} lines, {files.run_bytes / 1e9:.2f} GB "
        "of plain files in the page cache. Rates are of the projection alone; the process also starts Python "
        "and reads the judgements. *Plain Python* is a loop over dictionaries on one thread, measured on "
        f"{len(plain_runs)} of {job.runs} runs and scaled linearly."
    )
    comparison = [
        ("plain Python, scaled", "", f"{plain_seconds:.1f} s", ""),
        ("plain Python against one thread", "", f"{plain_seconds / seen['one'].seconds:.0f}x slower", ""),
    ]
    title = f"{job.name.upper()}: loading {job.runs} runs"
    return Section(title, text, [Table(("", "target", "seen", "met"), rates + comparison)])


def check_agreement(job: Job, seen: dict[str, Measurement]) -> None:
    """Stop when the positions differ from the plain way's, or between one thread and two."""
    one, two, plain = (seen[name].answer["checksums"] for name in ("one", "two", "plain"))
    if one != two or one[: len(plain)] != plain:
        raise SystemExit(f"{job.name}: positions differ between one thread, two threads and plain Python")


def rows(name: str, job: Job, files: Files, one: Measurement, most_megabytes: int) -> list[tuple[str, ...]]:
    threads = f"{name} thread{'s' if name == 'two' else ''}"
    gigabytes, lines = files.run_bytes / 1e9 / one.seconds, job.lines / one.seconds
    has_rate = name == "one"  # the target is per core
    return [
        (
            f"load, {threads}",
            f">= {GIGABYTES_PER_SECOND} GB/s" if has_rate else "",
            f"{gigabytes:.2f} GB/s",
            met(gigabytes >= GIGABYTES_PER_SECOND) if has_rate else "",
        ),
        (
            f"lines, {threads}",
            f">= {LINES_PER_SECOND / 1e6:.0f}M lines/s" if has_rate else "",
            f"{lines / 1e6:.1f}M lines/s",
            met(lines >= LINES_PER_SECOND) if has_rate else "",
        ),
        (
            f"peak memory, {threads}",
            f"< {most_megabytes} MB",
            megabytes(one.peak_bytes),
            met(one.peak_bytes < most_megabytes * 1e6),
        ),
        (f"whole process, {threads}", "", f"{one.process_seconds:.2f} s", ""),
    ]
