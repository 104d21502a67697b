"""alpha-beta-nDCG of many users, against the straightforward loop over them."""

from __future__ import annotations

from report import Section, Table, met
from timing import Work, best_of

MOST_SECONDS = {10: 5.0, 100: 40.0}
LEAST_RATIO = 20
SHARE = 50
"""The loop is measured on one of so many users, and scaled."""


def section(users: int, rounds: int) -> Section:
    rows = []
    for cutoff, most in MOST_SECONDS.items():
        few = max(users // SHARE, 20)
        sizes = {"ours": ("ours", users), "few": ("ours", few), "loop": ("loop", few)}
        works = {name: Work("diversity_tools.py", (*of, cutoff)) for name, of in sizes.items()}
        seen = best_of(rounds, works)
        if abs(seen["few"].answer["mean"] - seen["loop"].answer["mean"]) > 1e-12:
            raise SystemExit("diversity: the loop has another mean")
        ours, loop = seen["ours"].seconds, seen["loop"].seconds * users / few
        rows += [
            (f"alpha_beta_nDCG@{cutoff}", f"<= {most:g} s", f"{ours:.1f} s", met(ours <= most)),
            (
                "the same, user by user in plain Python, scaled",
                f">= {LEAST_RATIO}x",
                f"{loop:.0f} s, {loop / ours:.0f}x",
                met(loop / ours >= LEAST_RATIO),
            ),
        ]
    text = (
        f"One run for {users:,} users with 5 to 39 ratings of items with 1 to 4 of 19 genres, in memory; processor "
        "seconds on one core. "
        f"The loop is measured on one user of {SHARE}, and must give the same mean."
    )
    return Section("Diversity", text, [Table(("", "target", "seen", "met"), rows)])
