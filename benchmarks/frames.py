"""Frames of ten million rows, and columns of lists with as many items, against the same rows as a TREC file."""

from __future__ import annotations

from pathlib import Path

from report import Section, Table, megabytes, met
from timing import Work, best_of, measure

MOST_TIMES = 2.0
HELD = {
    "frame": "polars frame",
    "pandas": "pandas frame",
    "lists": "polars, a column of lists",
    "pandas-lists": "pandas, a column of lists",
}


def section(folder: Path, requests: int, rounds: int) -> Section:
    here = folder / f"frames-{requests}"
    measure(Work("frames_tools.py", ("make", here, requests)))
    works = {what: Work("frames_tools.py", (what, here, requests)) for what in ("file", *HELD, "hold")}
    seen = best_of(rounds, works)
    file, frame, hold = seen["file"], seen["frame"], seen["hold"]
    times = {}
    for what, name in HELD.items():
        if file.answer["checksum"] != seen[what].answer["checksum"]:
            raise SystemExit(f"frames: positions differ between the file and the {name}")
        times[what] = seen[what].seconds / file.seconds
    beyond = frame.peak_bytes - hold.peak_bytes
    text = (
        f"One run of {requests:,} requests x 200 items, on one thread, judgements read: a plain TREC file, frames in "
        "memory whose columns cross through Arrow, and frames with a row for each request and its items as a list. A "
        "small frame is read first: imports do not count."
    )
    rows = [
        ("TREC file", "", f"{file.seconds:.2f} s", ""),
        *(
            (
                name,
                f"<= {MOST_TIMES:g}x",
                f"{seen[what].seconds:.2f} s, {times[what]:.2f}x",
                met(times[what] <= MOST_TIMES),
            )
            for what, name in HELD.items()
        ),
        ("peak memory, TREC file", "", megabytes(file.peak_bytes), ""),
        ("peak memory, polars frame", "", megabytes(frame.peak_bytes), ""),
        ("of it beyond the frame itself", "", f"{megabytes(beyond)}, {beyond / (requests * 200):.0f} bytes a row", ""),
    ]
    return Section("Ten million rows of a frame", text, [Table(("", "target", "seen", "met"), rows)])
