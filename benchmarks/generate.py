"""Write believable TREC files for every job: seeded, vectorised, reused when already there.

Each line is a row of a byte matrix, its fields padded with zero bytes; dropping the zeros gives the file.
"""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from jobs import FOLDER, Files, Job, all_jobs

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]
Floats = NDArray[np.float32]

CATALOGUE = 2**21
COLLECTIONS = [f"FT9{year}{part}" for year in range(1, 5) for part in range(1, 3)]
COLLECTIONS += ["AP88", "AP89", "FBIS3", "FBIS4", "FR94", "LA89", "SJMN", "WSJ87"]
RATINGS_CATALOGUE = 2**15
POOL = 2  # items that compete for a place, per line of a ranking
TIED_SHARE = 0.02
FIRST_REQUEST = 301


def generate(job: Job, folder: Path) -> Files:
    """Return the files of a job, written now unless an earlier call has finished them."""
    files = Files(folder / job.folder_name)
    if not files.folder.exists():
        unfinished = folder / f"{job.folder_name}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        write(job, Files(unfinished))
        unfinished.rename(files.folder)
    return files


def write(job: Job, files: Files) -> None:
    rng = np.random.default_rng([job.runs, job.requests, job.depth])
    names = numbers(np.arange(1, RATINGS_CATALOGUE + 1)) if job.numeric_items else document_names()
    requests = numbers(np.arange(FIRST_REQUEST, FIRST_REQUEST + job.requests))
    relevant = rng.integers(job.fewest, job.most, job.requests, endpoint=True)
    pool = pools(rng, job, len(names))
    files.judgements.write_bytes(judgement_lines(job, requests, names, pool, relevant))
    merit = merits(rng, job, pool.shape[1], relevant)
    for number in range(1, job.runs + 1):
        name = f"model{number:03}"
        chosen, scores = ranking(rng, job, merit)
        items = np.take_along_axis(pool, chosen, axis=1)
        (files.folder / f"{name}.run").write_bytes(run_lines(job, requests, names[items], scores, name))


def pools(rng: np.random.Generator, job: Job, catalogue: int) -> Integers:
    """Draw the distinct items that compete in each request."""
    size = POOL * job.depth
    start = rng.integers(0, catalogue, (job.requests, 1))
    # An odd stride through a power of two visits every item once.
    stride = 2 * rng.integers(0, catalogue // 2, (job.requests, 1)) + 1
    return (start + stride * np.arange(size)) % catalogue


def merits(rng: np.random.Generator, job: Job, size: int, relevant: Integers) -> Floats:
    """Draw what every run sees of an item: a pool begins with its relevant, then its other judged items."""
    merit = rng.standard_normal((job.requests, size), dtype=np.float32)
    place = np.arange(size)
    merit += 1.5 * (place < relevant[:, None])
    merit += 0.5 * (place < relevant[:, None] + job.non_relevant)
    return merit


def ranking(rng: np.random.Generator, job: Job, merit: Floats) -> tuple[Integers, Integers]:
    """Choose the best items of each pool for one run, in order, with scores in millionths."""
    noise = rng.standard_normal(merit.shape, dtype=np.float32)
    value = noise + np.float32(rng.uniform(0.3, 1.5)) * merit
    chosen = np.argsort(-value, axis=1)[:, : job.depth]
    if job.is_tied:
        return chosen, np.full(chosen.shape, 1_000_000)
    value = np.take_along_axis(value, chosen, axis=1).astype(np.float64)
    # Below 16, six decimals are distinct as float32 too, which is how pytrec_eval orders.
    scores = np.rint(7_999_999 * (1 + np.tanh(value / 4))).astype(np.int64)
    tied = rng.random(scores[:, 1:].shape) < TIED_SHARE
    scores[:, 1:] = np.where(tied, scores[:, :-1], scores[:, 1:])
    return chosen, scores


def run_lines(job: Job, requests: Bytes, items: Bytes, scores: Integers, name: str) -> bytes:
    shape = (job.requests, job.depth)
    rows = table(
        shape,
        requests[:, None],
        b" Q0 ",
        items,
        b" ",
        numbers(np.arange(1, job.depth + 1)),
        b" ",
        numbers(np.arange(16))[scores // 1_000_000],
        b".",
        THOUSANDS[scores // 1000 % 1000],
        THOUSANDS[scores % 1000],
        f" {name}\n".encode(),
    )
    return without_padding(rows.transpose(1, 0, 2) if job.is_interleaved else rows)


def judgement_lines(job: Job, requests: Bytes, names: Bytes, pool: Integers, relevant: Integers) -> bytes:
    place = np.arange(job.most + job.non_relevant)
    shape = (job.requests, len(place))
    grades = numbers(np.arange(2))[(place < relevant[:, None]).astype(int)]
    rows = table(shape, requests[:, None], b" 0 ", names[pool[:, : len(place)]], b" ", grades, b"\n")
    judged = place < relevant[:, None] + job.non_relevant
    return without_padding(rows[judged])


def table(shape: tuple[int, int], *fields: Bytes | bytes) -> Bytes:
    """Lay fields side by side, each broadcast to one value per request and line."""
    columns = [np.frombuffer(field, np.uint8) if isinstance(field, bytes) else field for field in fields]
    rows = np.empty((*shape, sum(column.shape[-1] for column in columns)), np.uint8)
    start = 0
    for column in columns:
        rows[..., start : start + column.shape[-1]] = column
        start += column.shape[-1]
    return rows


def without_padding(rows: Bytes) -> bytes:
    return bytes(rows[rows != 0])


def numbers(values: Integers) -> Bytes:
    """Write decimal digits, one row of bytes per value."""
    return byte_rows(values.astype("S"))


def byte_rows(strings: NDArray[np.bytes_]) -> Bytes:
    return np.ascontiguousarray(strings).view(np.uint8).reshape(len(strings), -1)


def document_names() -> Bytes:
    """Make CATALOGUE distinct names such as FBIS3-10082."""
    collections = byte_rows(np.array([f"{name}-" for name in COLLECTIONS], "S"))
    index = np.arange(CATALOGUE)
    digits = numbers(np.arange(CATALOGUE // len(COLLECTIONS)))
    return np.hstack([collections[index % len(COLLECTIONS)], digits[index // len(COLLECTIONS)]])


THOUSANDS = byte_rows(np.array([f"{value:03}" for value in range(1000)], "S"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full size")
    parser.add_argument("--only", nargs="*", help="names of jobs, such as j1 j2 contiguous")
    options = parser.parse_args()
    for job in all_jobs(options.scale):
        if not options.only or job.name in options.only:
            start = time.perf_counter()
            files = generate(job, options.folder)
            seconds = time.perf_counter() - start
            print(f"{job.folder_name}: {job.lines:,} lines, {files.run_bytes / 1e6:,.1f} MB, {seconds:.1f} s")


if __name__ == "__main__":
    main()
