"""The jobs and the sizes of their files. No NumPy here: a parent process must stay small (see timing.py)."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

FORMAT = 1  # raise it when generate.py writes other bytes for the same job
FOLDER = Path(tempfile.gettempdir()) / "tiebreak-benchmarks"
GROWTH_DEPTH = 1024


@dataclass(frozen=True)
class Job:
    """Runs and judgements of one shape; relevant items per request lie between `fewest` and `most`."""

    name: str
    runs: int
    requests: int
    depth: int
    fewest: int
    most: int
    non_relevant: int = 0
    numeric_items: bool = False
    is_interleaved: bool = False  # every request's first line, then every request's second line, ...
    is_tied: bool = False  # all scores equal

    @property
    def lines(self) -> int:
        return self.runs * self.requests * self.depth

    @property
    def folder_name(self) -> str:
        return f"{self.name}-{self.runs}x{self.requests}x{self.depth}-v{FORMAT}"

    def scaled(self, scale: float) -> Job:
        """Return the same job with fewer requests."""
        return replace(self, requests=max(1, round(self.requests * scale)))


@dataclass(frozen=True)
class Files:
    """Where a generated job lies."""

    folder: Path

    @property
    def judgements(self) -> Path:
        return self.folder / "qrels.txt"

    @property
    def runs(self) -> list[Path]:
        return sorted(self.folder.glob("*.run"))

    @property
    def run_bytes(self) -> int:
        return sum(path.stat().st_size for path in self.runs)


J1 = Job("j1", runs=1, requests=1000, depth=1000, fewest=5, most=100, non_relevant=70)
J2 = Job("j2", runs=110, requests=249, depth=1000, fewest=70, most=70, non_relevant=70)
J3 = Job("j3", runs=21, requests=17_564, depth=100, fewest=1, most=20, numeric_items=True)


def growth_jobs(scale: float) -> dict[str, list[Job]]:
    """Return one run of 2^14 .. 2^22 lines in three layouts; the single request stops at 2^20 lines."""
    sizes = [round(2**power * scale) for power in range(14, 23, 2)]
    return {
        "contiguous requests": [_many_requests("contiguous", lines) for lines in sizes],
        "interleaved requests": [_many_requests("interleaved", lines) for lines in sizes],
        "one request, all scores equal": [_one_tied_request(lines) for lines in sizes[:-1]],
    }


def _many_requests(name: str, lines: int) -> Job:
    requests = max(1, lines // GROWTH_DEPTH)
    job = Job(name, 1, requests, GROWTH_DEPTH, fewest=5, most=100, non_relevant=70)
    return replace(job, is_interleaved=name == "interleaved")


def _one_tied_request(lines: int) -> Job:
    return Job("tied", 1, 1, lines, fewest=100, most=100, non_relevant=70, is_tied=True)


def all_jobs(scale: float) -> list[Job]:
    growth = [job for jobs in growth_jobs(scale).values() for job in jobs]
    return [J1.scaled(scale), J2.scaled(scale), J3.scaled(scale), *growth]
