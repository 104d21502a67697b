"""``--fail-if-worse``: is a run significantly worse than the baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tiebreak.errors import InputError, quoted
from tiebreak.words import many

if TYPE_CHECKING:
    from tiebreak.comparison import Comparison


def worse(comparison: Comparison, alpha: float) -> bool:
    """Whether a run is worse than its baseline by an exact two-sided sign test, corrected by Holm; say which ones.

    Baselines are not tested against each other. A run that is not worse is not thereby shown to be as good; a note
    says which runs differ from their baseline in too few requests to show anything.
    """
    tested = [row for row in comparison.summary().rows if row.run not in comparison.baselines]
    if not tested:
        raise InputError("--fail-if-worse has nothing to test: every run is a baseline.", kind="runs")
    corrected = holm([sign_test(row.wins, row.losses) for row in tested])
    found = [(row, p) for row, p in zip(tested, corrected, strict=True) if p < alpha and row.mean < 0]
    for row, p in found:
        said = f"{quoted(row.run)} is worse than {quoted(row.other)} by {comparison.measure}"
        click.echo(f"Gate: {said}: mean {row.mean:+.4f}, p = {p:.2g} (sign test, Holm).", err=True)
    if not found:
        click.echo(f"Gate: no run is shown to be worse by {comparison.measure} (sign test, Holm).", err=True)
    for row in tested:
        differing = row.wins + row.losses
        if sign_test(0, differing) * len(tested) >= alpha:
            said = f"{quoted(row.run)} and {quoted(row.other)} differ in {many(differing, 'request')}"
            over = f" over {many(len(tested), 'test')}" if len(tested) > 1 else ""
            click.echo(f"Note: {said}, too few to show a difference at alpha {alpha:g}{over}.", err=True)
    return bool(found)


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
