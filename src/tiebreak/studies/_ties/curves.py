"""Shares of ties along something that changes: a curve for every measure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from tiebreak.projection.primitives import Floats

SPREAD = ("measure", "share", "sd", "low", "high")


def deviation_said(values: Floats) -> str:
    """How far samples lie apart, of ``values[step, sample, measure]``."""
    if values.shape[1] == 1:
        return "One sample has no spread."
    largest = values.std(axis=1, ddof=1).max()
    return (
        f"Shares are means over the samples, whose standard deviation is at most {largest:.3f}; other formats list it "
        "(sd), and bounds one sd away (low, high)."
    )


def spread(steps: Iterable[float], measures: Iterable[str], values: Floats) -> Iterator[tuple[float | str | None, ...]]:
    """Mean, deviation and band, within 0 and 1, of ``values[step, sample, measure]``; one sample has no deviation."""
    mean = values.mean(axis=1)
    is_one = values.shape[1] == 1
    deviation = 0 * mean if is_one else values.std(axis=1, ddof=1)
    for step, means, deviations in zip(steps, mean.tolist(), deviation.tolist(), strict=True):
        for name, share, sd in zip(measures, means, deviations, strict=True):
            yield step, name, share, None if is_one else sd, max(share - sd, 0.0), min(share + sd, 1.0)


def grown(measures: Iterable[str], shares: Floats, steps: Sequence[float], said: Callable[[float], str]) -> str:
    """Which share of comparisons each measure ties at the largest and at the smallest step."""
    most, least = steps.index(max(steps)), steps.index(min(steps))
    ends = ", ".join(
        f"{name} {large:.1%} and {small:.1%}"
        for name, large, small in zip(measures, shares[most].tolist(), shares[least].tolist(), strict=True)
    )
    return (
        f"Tied comparisons of two runs in one request, with {said(steps[most])} and with {said(steps[least])}: {ends}."
    )


def coinciding(measures: Iterable[str], shares: Floats) -> Iterator[str]:
    """A note on measures whose curves lie on each other."""
    curves = sorted(zip(shares.T.tolist(), range(shares.shape[1]), measures, strict=True))
    for _, group in groupby(curves, key=lambda curve: curve[0]):
        names = [name for _, _, name in group]
        if len(names) > 1:
            yield f"The same throughout: {', '.join(names)}."
