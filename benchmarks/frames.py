"""A frame of ten million rows against the same rows as a TREC file."""

from __future__ import annotations

from pathlib import Path

from report import Section, Table, megabytes, met
from timing import Work, best_of, measure

MOST_TIMES = 2.0


def section(folder: Path, requests: int, rounds: int) -> Section:
    here = folder / f"frames-{requests}"
    measure(Work("frames_tools.py", ("make", here, requests)))
    works = {what: Work("frames_tools.py", (what, here, requests)) for what in ("file", "frame", "hold")}
    seen = best_of(rounds, works)
    file, frame, hold = seen["file"], seen["frame"], seen["hold"]
    if file.answer["checksum"] != frame.answer["checksum"]:
        raise SystemExit("frames: positions differ between the file and the frame")
    times = frame.seconds / file.seconds
    beyond = frame.peak_bytes - hold.peak_bytes
    text = (
        f"One run of {requests:,} requests x 200 items, on one thread, judgements read: a plain TREC file, and a "
        "polars frame in memory whose columns cross through Arrow."
    )
    rows = [
        ("TREC file", "", f"{file.seconds:.2f} s", ""),
        ("polars frame", f"<= {MOST_TIMES:g}x", f"{frame.seconds:.2f} s, {times:.2f}x", met(times <= MOST_TIMES)),
        ("peak memory, TREC file", "", megabytes(file.peak_bytes), ""),
        ("peak memory, frame", "", megabytes(frame.peak_bytes), ""),
        ("of it beyond the frame itself", "", f"{megabytes(beyond)}, {beyond / (requests * 200):.0f} bytes a row", ""),
    ]
    return Section("Ten million rows of a frame", text, [Table(("", "target", "seen", "met"), rows)])
