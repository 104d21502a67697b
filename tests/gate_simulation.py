"""Simulated releases: how often a gate fails those that change nothing, and those that do."""

import numpy as np

import tiebreak as tb
from tiebreak.exact.intervals import binomial_interval

RELEASES = 2_000


def release(rng, requests, change):
    """Scores of an old and a new system, both between 0 and 1 but for the change; a third of the requests tie."""
    quality = rng.beta(0.8, 1.2, requests)
    old, new = (np.clip(quality + 0.15 * rng.standard_normal(requests), 0, 1) for _ in range(2))
    return old, np.where(rng.random(requests) < 1 / 3, old, new) + change


def share(outcome, requests, change=0.0, *, releases=RELEASES, seed=0, **how):
    """The share of releases with an outcome, "pass" or "fail", with its exact 95% interval."""
    rng = np.random.default_rng([seed, requests, round(1e6 * abs(change))])
    names = [f"q{k}" for k in range(requests)]
    times = 0
    for _ in range(releases):
        old, new = release(rng, requests, change)
        table = {"old": dict(zip(names, old.tolist(), strict=True)), "new": dict(zip(names, new.tolist(), strict=True))}
        times += tb.gate(tb.Utilities(table), **how).passes == (outcome == "pass")
    low, high = binomial_interval([times], [releases], 0.05)
    return times / releases, float(low[0]), float(high[0])


CASES = {
    "no change": ("fail", 0.0, {}),
    "no change, `--test permutation`": ("fail", 0.0, {"test": "permutation", "permutations": 500}),
    "no change, `--test wilcoxon`": ("fail", 0.0, {"test": "wilcoxon"}),
    "no change, four groups": ("fail", 0.0, {"groups": 4}),
    "no change, `leximin`": ("fail", 0.0, {"measures": "leximin", "permutations": 200}),
    "0.03 worse": ("fail", -0.03, {}),
    "0.06 worse": ("fail", -0.06, {}),
    "0.03 worse, `--allow 0.03`": ("fail", -0.03, {"allow": 0.03}),
    "0.03 worse, `--margin 0.03`": ("pass", -0.03, {"margin": 0.03}),
    "no change, `--margin 0.03`": ("pass", 0.0, {"margin": 0.03}),
    "no change, `--margin 0.06`": ("pass", 0.0, {"margin": 0.06}),
}


def shares(name, requests):
    """The share of releases of a case with its outcome, and its interval."""
    outcome, change, how = CASES[name]
    groups = {"groups": {f"q{k}": f"g{k % how['groups']}" for k in range(requests)}} if "groups" in how else {}
    return share(outcome, requests, change, **how | groups)


def is_error(name):
    """Whether the outcome is wrong: a release that is no worse than allowed fails, or one at the margin passes."""
    outcome, change, how = CASES[name]
    return change == -how.get("allow" if outcome == "fail" else "margin", 0)


def cell(value, low, high):
    return f"{100 * value:.1f}% ({100 * low:.1f} to {100 * high:.1f})"


def table(sizes=(50, 200)):
    """The rows of the table in docs/gates.md."""
    for name, (outcome, _, _) in CASES.items():
        yield f"| {name} | {outcome} | {' | '.join(cell(*shares(name, n)) for n in sizes)} |"


if __name__ == "__main__":
    print(*table(), sep="\n")
