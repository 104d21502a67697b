"""Run a piece of work in a fresh process; keep its wall time, its peak memory and the JSON it prints.

A child's peak memory cannot be seen below its parent's, because the kernel hands that figure on at the start.
So the parent stays small: it imports no NumPy and generates no files itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Work:
    """A script of this folder, its arguments, and what it needs in its environment."""

    script: str
    arguments: tuple[object, ...]
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def command(self) -> list[str]:
        return [sys.executable, str(HERE / self.script), *map(str, self.arguments)]


@dataclass(frozen=True)
class Measurement:
    """One process: from start to end as its parent saw it, and its answer."""

    process_seconds: float
    peak_bytes: int
    answer: dict[str, Any]

    @property
    def seconds(self) -> float:
        """The part that the child timed of itself, if it did; else the whole process."""
        return float(self.answer.get("seconds", self.process_seconds))


def measure(work: Work) -> Measurement:
    """Run the work in a process of its own."""
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        child = subprocess.Popen(work.command, stdout=output, env=_environment(work))
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise SystemExit(f"{' '.join(work.command[1:4])} ... ended with exit code {child.returncode}")
        output.seek(0)
        return Measurement(seconds, _peak_bytes(usage.ru_maxrss), json.loads(output.read()))


def best_of(rounds: int, works: Mapping[str, Work]) -> dict[str, Measurement]:
    """Return the fastest of several measurements of each work, taken in turn so that all meet the same noise.

    An untimed round comes first: it compiles the bytecode of all that is imported and fills the page cache.
    """
    for work in works.values():
        measure(work)
    seen = [{name: measure(work) for name, work in works.items()} for _ in range(rounds)]
    return {name: min((turn[name] for turn in seen), key=lambda one: one.seconds) for name in works}


def _environment(work: Work) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    compiled_core = {"TIEBREAK_CORE": "rust"}  # never measure the fallback unless asked to
    return compiled_core | kept | dict(work.environment)


def _peak_bytes(maximum: int) -> int:
    return maximum if sys.platform == "darwin" else maximum * 1024
