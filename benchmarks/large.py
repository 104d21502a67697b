"""More than is held: 100 million lines of one run, and millions of users as parquet, with bounded memory."""

from __future__ import annotations

from pathlib import Path

from large_tools import DEPTH, FORMS, MEMORY, RELEVANT, USER_DEPTH, USER_RUNS
from report import Section, Table, megabytes, met
from timing import Measurement, Work, measure

MOST_BYTES = {"text": 600e6, "users": 1e9}


def section(folder: Path, requests: int, users: int) -> Section:
    text = (
        f"One run of {requests:,} requests x {DEPTH} lines, with {RELEVANT} judgements of each as text: nDCG@10, AP. "
        f"Lines in no order are sorted on disk, with `memory={MEMORY}`. {users:,} users x {USER_DEPTH} items x "
        f"{USER_RUNS} runs and their judgements as parquet: rows are divided on disk with the first measure. "
        "Each is measured once, with imports."
    )
    return Section("More than is held", text, [text_table(folder, requests), users_table(folder, users)])


def text_table(folder: Path, requests: int) -> Table:
    measure(Work("large_tools.py", ("make", folder, requests)))
    seen = {form: measure(Work("large_tools.py", ("text", folder, requests, form))) for form in FORMS}
    if len({str(one.answer["results"]) for one in seen.values()}) > 1:
        raise SystemExit("large: the forms of a run have different means")
    millions = requests * DEPTH / 1e6
    rows = []
    for form, one in seen.items():
        seconds, processor = one.answer["steps"]["nDCG@10 and AP"]
        rows.append((form, f"{seconds:.1f} s", f"{processor:.1f} s", f"{seconds / millions:.2f} s", *peak(one, "text")))
    return Table(("form", "seconds", "processor", "a million lines", "peak memory", "target", "met"), rows)


def users_table(folder: Path, users: int) -> Table:
    measure(Work("large_tools.py", ("make-users", folder, users)))
    one = measure(Work("large_tools.py", ("users", folder, users)))
    rows = [
        (step, f"{seconds:.1f} s", f"{processor:.1f} s", "", "", "")
        for step, (seconds, processor) in one.answer["steps"].items()
    ]
    return Table(
        ("users", "seconds", "processor", "peak memory", "target", "met"), [*rows, ("all", "", "", *peak(one, "users"))]
    )


def peak(one: Measurement, what: str) -> tuple[str, str, str]:
    most = MOST_BYTES[what]
    return megabytes(one.peak_bytes), f"< {megabytes(most)}", met(one.peak_bytes < most)
