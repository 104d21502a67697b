"""``--fail-if-worse``: is a run significantly worse than the baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiebreak._base.text import plural
from tiebreak.cli.output import say
from tiebreak.errors import InputError, quote

if TYPE_CHECKING:
    from tiebreak.comparison import Comparison


def worse(comparison: Comparison, alpha: float) -> bool:
    """Whether a run is worse than its baseline by an exact two-sided sign test, corrected by Holm; say which ones.

    Worse is a run that loses more requests than it wins, and on average; one that only loses more requests is told.
    Baselines are not tested against each other. A run that is not worse is not thereby shown to be as good; a note
    says which runs differ from their baseline in too few requests to show anything.
    """
    from tiebreak.significance import corrected

    test = comparison.test("sign", correction="none", alpha=alpha)
    tested = [row for row in test.rows() if row.run not in comparison.baselines]
    if not tested:
        raise InputError("--fail-if-worse has nothing to test: every run is a baseline.", kind="runs")
    tests = zip(tested, corrected([row.pvalue for row in tested], "holm").tolist(), strict=True)
    losing = [(row, p) for row, p in tests if p < alpha and row.statistic < 0]
    found = [(row, p) for row, p in losing if row.value < 0]
    for row, p in losing:
        if row.value >= 0:
            said = f"{quote(row.run)} loses more requests to {quote(row.other)} than it wins by {comparison.measure}"
            say(f"Note: {said}, p = {p:.2g}, but not on average (mean {row.value:+.4f}): it passes.")
    for row, p in found:
        said = f"{quote(row.run)} is worse than {quote(row.other)} by {comparison.measure}"
        say(f"Gate: {said}: mean {row.value:+.4f}, p = {p:.2g} (sign test, Holm).")
    if not found:
        say(f"Gate: no run is shown to be worse by {comparison.measure} (sign test, Holm).")
    for row in tested:
        differing = row.n_requests - row.n_tied
        if 2 * 0.5**differing * len(tested) >= alpha:  # not even winning all of them would show
            said = f"{quote(row.run)} and {quote(row.other)} differ in {plural(differing, 'request')}"
            over = f" over {plural(len(tested), 'test')}" if len(tested) > 1 else ""
            say(f"Note: {said}, too few to show a difference at alpha {alpha:g}{over}.")
    return bool(found)
