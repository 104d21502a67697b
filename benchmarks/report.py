"""Tables of what was seen against what was wanted, as Markdown."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

PACKAGES = ["tiebreak", "numpy", "pytrec_eval-terrier", "ir_measures", "ranx", "numba", "polars"]


@dataclass(frozen=True)
class Table:
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    def __str__(self) -> str:
        lines = [self.header, tuple("---" for _ in self.header), *self.rows]
        return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


@dataclass(frozen=True)
class Section:
    title: str
    text: str
    tables: Sequence[Table]

    def __str__(self) -> str:
        return "\n\n".join([f"## {self.title}", self.text, *map(str, self.tables)])


def page(sections: Sequence[Section], scale: float, rounds: int) -> str:
    title = "# Benchmark results"
    about = f"Written by `benchmarks/run.py`; best of {rounds}, all tools in turn in one run."
    if scale != 1:
        about += f" **Scaled to {scale:g} of the full size: the targets do not apply.**"
    return "\n\n".join([title, about, str(machine()), *map(str, sections)]) + "\n"


def machine() -> Table:
    rows = [
        ("date", f"{datetime.now(UTC):%Y-%m-%d}"),
        ("processor", f"{processor()}, {os.cpu_count()} cores"),
        ("system", f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"),
        *((package, version(package)) for package in PACKAGES),
    ]
    return Table(("", ""), rows)


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor()


def met(is_met: bool) -> str:
    return "yes" if is_met else "**no**"


def megabytes(count: float) -> str:
    return f"{count / 1e6:,.0f} MB"
