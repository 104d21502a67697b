"""J4: tests of many systems."""

from __future__ import annotations

from report import Section, Table, megabytes, met
from timing import Work, best_of

RUNS, REQUESTS = 110, 249
TIMES_NUMPY = 6
MOST_SECONDS = {"preferences": 60.0, "signs": 2.0}
ONE_CORE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def section(draws: int, rounds: int) -> Section:
    def work(what: str, jobs: int, of_draws: int, environment: dict[str, str] | None = None) -> Work:
        return Work("significance_tools.py", (what, RUNS, REQUESTS, of_draws, jobs), environment or {})

    tenth = max(1, draws // 10)
    works = {
        "values": work("values", 1, draws, ONE_CORE),
        "permuted": work("permuted", 1, tenth, ONE_CORE),
        "ranks": work("ranks", 2, draws),
        "preferences": work("preferences", 2, draws),
        "signs": work("signs", 2, draws),
    }
    seen = best_of(rounds, works)
    numpy = seen["permuted"].seconds * draws / tenth
    times = numpy / seen["values"].seconds
    rows = [
        ("metric form, one core", "", f"{seen['values'].seconds:.2f} s", ""),
        ("NumPy's permuted, one core, scaled", f">= {TIMES_NUMPY}x", f"{numpy:.1f} s, {times:.1f}x", met(times >= 6)),
        ("lexicographic form, two threads", "", f"{seen['ranks'].seconds:.1f} s", ""),
        *(
            (
                title,
                f"<= {MOST_SECONDS[name]:g} s",
                f"{seen[name].seconds:.1f} s",
                met(seen[name].seconds <= MOST_SECONDS[name]),
            )
            for name, title in (
                ("preferences", "preference form, two threads"),
                ("signs", "sign flips of all 5,995 pairs"),
            )
        ),
        ("peak memory, preference form", "", megabytes(seen["preferences"].peak_bytes), ""),
    ]
    text = (
        f"Randomised Tukey HSD of {RUNS} runs x {REQUESTS} requests, {draws:,} shuffles, and the sign-flip test of all "
        f"pairs with as many draws. NumPy is measured on a tenth of the shuffles and scaled."
    )
    return Section("J4: tests of many systems", text, [Table(("", "target", "seen", "met"), rows)])
