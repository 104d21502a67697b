"""``--fail-if-worse``: is a run significantly worse than the baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tiebreak.errors import quoted

if TYPE_CHECKING:
    from tiebreak.comparison import Comparison


def worse(comparison: Comparison, alpha: float) -> bool:
    """Whether a run is worse than its baseline by an exact two-sided sign test, corrected by Holm; say which ones.

    A run that is not is not thereby shown to be as good; a note says where there are too few requests to show anything.
    """
    pvalues = [sign_test(wins, losses) for wins, _, losses in comparison.win_tie_loss.tolist()]
    corrected = holm(pvalues)
    found = False
    for (run, baseline), mean, p in zip(comparison.names(), comparison.mean.tolist(), corrected, strict=True):
        if p < alpha and mean < 0:
            found = True
            said = f"{quoted(run)} is worse than {quoted(baseline)} by {comparison.measure}"
            click.echo(f"Gate: {said}: mean {mean:+.4f}, p = {p:.2g} (sign test, Holm).", err=True)
    n, tests = len(comparison.requests), len(pvalues)
    if sign_test(0, n) * tests >= alpha:
        click.echo(
            f"Note: {n} requests are too few to show that any of {tests} runs is worse at alpha {alpha:g}.", err=True
        )
    elif not found:
        click.echo(f"Gate: no run is shown to be worse by {comparison.measure} (sign test, Holm).", err=True)
    return found


def sign_test(wins: int, losses: int) -> float:
    """The two-sided p-value of so many wins and losses when both are equally likely."""
    from scipy.special import bdtr

    n = wins + losses
    return min(1.0, 2 * float(bdtr(min(wins, losses), n, 0.5))) if n else 1.0


def holm(pvalues: list[float]) -> list[float]:
    """P-values corrected for their number by Holm's method."""
    corrected = [0.0] * len(pvalues)
    largest = 0.0
    for place, k in enumerate(sorted(range(len(pvalues)), key=pvalues.__getitem__)):
        largest = max(largest, min(1.0, (len(pvalues) - place) * pvalues[k]))
        corrected[k] = largest
    return corrected
