"""J1: one cold process from the files of one run to four measures, against the tools people use today."""

from __future__ import annotations

import tempfile

from jobs import Files, Job
from report import Section, Table, megabytes, met
from timing import Measurement, Work, best_of, measure

OURS = "tiebreak"
FIRST_USE = "ranx, first use"
TARGETS = {"pytrec_eval": 7, "ir_measures": 8, "ranx": 40}
REFERENCE = "pytrec_eval"
TOLERANCE = 1e-4
TOLERANCES = {"ranx": 5e-3, FIRST_USE: 5e-3}  # ranx does not break score ties by item id


def section(job: Job, files: Files, rounds: int) -> Section:
    seen = measurements(files, rounds)
    check_agreement(seen)
    text = (
        f"One cold process, 1 run of {job.lines:,} lines: AP, nDCG, RR and R@1000 per request, and means. "
        "ranx keeps compiled code in a cache on disk; *first use* (measured once) starts with an empty one. "
        f"The last column is the largest difference of a mean from {REFERENCE}'s."
    )
    header = ("tool", "seconds", "peak memory", "target: times slower", "seen", "met", "difference")
    return Section("J1: one run, four measures", text, [Table(header, [row(name, seen) for name in seen])])


def measurements(files: Files, rounds: int) -> dict[str, Measurement]:
    with tempfile.TemporaryDirectory() as cache:
        environment = {"NUMBA_CACHE_DIR": cache}
        works = {
            tool: Work("j1_tools.py", (tool, files.judgements, files.runs[0]), environment) for tool in [OURS, *TARGETS]
        }
        first_use = measure(works["ranx"])
        return best_of(rounds, works) | {FIRST_USE: first_use}


def check_agreement(seen: dict[str, Measurement]) -> None:
    """Stop when a tool has not done the same job."""
    for name, one in seen.items():
        if one.answer["requests"] != seen[REFERENCE].answer["requests"]:
            raise SystemExit(f"J1: {name} evaluated {one.answer['requests']} requests, unlike {REFERENCE}")
        if difference(name, seen) > TOLERANCES.get(name, TOLERANCE):
            raise SystemExit(f"J1: {name} gives {one.answer}, {REFERENCE} {seen[REFERENCE].answer}")


def difference(name: str, seen: dict[str, Measurement]) -> float:
    """Return the largest absolute difference of a mean from the reference tool's."""
    means, expected = seen[name].answer["means"], seen[REFERENCE].answer["means"]
    return float(max(abs(means[measure] - expected[measure]) for measure in expected))


def row(name: str, seen: dict[str, Measurement]) -> tuple[str, ...]:
    one, ratio, target = seen[name], seen[name].seconds / seen[OURS].seconds, TARGETS.get(name)
    return (
        name,
        f"{one.seconds:.2f}",
        megabytes(one.peak_bytes),
        f">= {target}x" if target else "",
        f"{ratio:.1f}x",
        met(ratio >= target) if target else "",
        f"{difference(name, seen):.0e}",
    )
