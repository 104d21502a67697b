"""Measure every job and write RESULTS.md: `python benchmarks/run.py`."""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import diversity
import frames
import growth
import j1
import large
import load
import metrics
import populations
import preferences
import significance
import spark
from jobs import FOLDER, J1, J2, J3, Files, Job, growth_jobs
from report import Section, page
from timing import HERE, Work

ON_REQUEST = ["large"]
"""Parts that are measured only where they are named: they take tens of gigabytes of disk."""
NEEDED = ["tiebreak", "numpy", "polars", "pytrec_eval", "ir_measures", "ranx", "pyspark"]


def sections(folder: Path, scale: float, rounds: int) -> dict[str, Callable[[], Section]]:
    """List what can be measured, by name, in the order of the report."""

    def files(job: Job) -> Files:
        return Files(folder / job.folder_name)

    first, second, third = (job.scaled(scale) for job in (J1, J2, J3))
    layouts = {layout: [(job, files(job)) for job in jobs] for layout, jobs in growth_jobs(scale).items()}
    return {
        "j1": lambda: j1.section(first, files(first), rounds),
        "j2-load": lambda: load.section(second, files(second), rounds, most_megabytes=150),
        "j3-load": lambda: load.section(third, files(third), rounds, most_megabytes=300),
        "j2-preferences": lambda: preferences.section(second, files(second), rounds, 0.6, 60, most_megabytes=150),
        "j3-preferences": lambda: preferences.section(third, files(third), rounds, 1.5, 0, most_megabytes=300),
        "frames": lambda: frames.section(folder, max(1, int(50_000 * scale)), rounds),
        "metrics": lambda: metrics.section(max(1, int(1_000_000 * scale)), rounds),
        "populations": lambda: populations.section(50, max(100, int(1_000_000 * scale)), rounds),
        "diversity": lambda: diversity.section(max(100, int(100_000 * scale)), rounds),
        "significance": lambda: significance.section(max(20, int(10_000 * scale)), rounds),
        "spark": lambda: spark.section(folder, max(1000, int(1_000_000 * scale)), 1),
        "growth": lambda: growth.section(layouts, rounds),
        "large": lambda: large.section(folder, max(1000, int(1_000_000 * scale)), max(1000, int(2_000_000 * scale))),
    }


def main() -> None:
    options = parse()
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise SystemExit(f"Not installed: {', '.join(missing)}. See benchmarks/README.md.")
    known = sections(options.folder, options.scale, options.rounds)
    unknown = [name for name in options.only or [] if name not in known]
    if unknown:
        raise SystemExit(f"Unknown part: {', '.join(unknown)}. Known: {', '.join(known)}.")
    generation = Work("generate.py", ("--folder", options.folder, "--scale", options.scale))
    subprocess.run(generation.command, check=True)
    written = []
    for name in options.only or [name for name in known if name not in ON_REQUEST]:
        written.append(known[name]())
        print(f"\n{written[-1]}", flush=True)
    if options.results:
        options.results.write_text(page(written, options.scale, options.rounds))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the generated files lie")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full size")
    parser.add_argument("--rounds", type=int, default=5, help="measurements of which the best counts")
    parser.add_argument("--only", nargs="*", metavar="PART", help="parts by name, as in README.md")
    parser.add_argument("--results", type=Path, help="default: RESULTS.md, for a full run only")
    options = parser.parse_args()
    if options.results is None and options.scale == 1 and not options.only:
        options.results = HERE / "RESULTS.md"
    return options


if __name__ == "__main__":
    main()
