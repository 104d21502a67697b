"""``--fail-if-worse``: is a run significantly worse than the baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiebreak._base.text import plural
from tiebreak.cli.output import say
from tiebreak.errors import InputError, quote

if TYPE_CHECKING:
    from tiebreak.comparison import Comparison


def is_worse(comparison: Comparison, alpha: float) -> bool:
    """Report runs that are worse than their baseline, in most requests and on average (exact sign test, Holm)."""
    from tiebreak.significance import correct_pvalues

    test = comparison.test("sign", correction="none", alpha=alpha)
    rows = [row for row in test.pair_tests() if row.run not in comparison.baselines]
    if not rows:
        raise InputError("--fail-if-worse has nothing to test: every run is a baseline.", kind="runs")
    tests = zip(rows, correct_pvalues([row.pvalue for row in rows], "holm").tolist(), strict=True)
    losing = [(row, p) for row, p in tests if p < alpha and row.statistic < 0]
    worse = [(row, p) for row, p in losing if row.value < 0]
    for row, p in losing:
        if row.value >= 0:
            text = f"{quote(row.run)} loses more requests to {quote(row.other)} than it wins by {comparison.measure}"
            say(f"Note: {text}, p = {p:.2g}, but not on average (mean {row.value:+.4f}): it passes.")
    for row, p in worse:
        text = f"{quote(row.run)} is worse than {quote(row.other)} by {comparison.measure}"
        say(f"--fail-if-worse: {text}: mean {row.value:+.4f}, p = {p:.2g} (sign test, Holm).")
    if not worse:
        say(f"--fail-if-worse: no run is significantly worse by {comparison.measure} (sign test, Holm).")
    for row in rows:
        differing = row.n_requests - row.n_tied
        if 2 * 0.5**differing * len(rows) >= alpha:  # not even winning all of them would show
            text = f"{quote(row.run)} and {quote(row.other)} differ in {plural(differing, 'request')}"
            over = f" over {plural(len(rows), 'test')}" if len(rows) > 1 else ""
            say(f"Note: {text}, too few for any significant difference at alpha = {alpha:g}{over}.")
    return bool(worse)
