"""The leaderboard by one measure: a value for every run, with its interval, letters, and values of groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tiebreak.comparison import Comparison
from tiebreak.errors import InputError
from tiebreak.exact import Number, competition_ranks
from tiebreak.exact.intervals import half_width
from tiebreak.results.means import MeanInterval
from tiebreak.scores import Scores
from tiebreak.significance import Significance

MOST_LETTERED = 60
"""Runs of which letters are told: with more there are too many groups, and letters say little."""


RESAMPLES, MOST_RESAMPLED = 500, 50_000
"""Resamples of requests for intervals of ranks, and pairs times requests up to which there are some."""


class Leader(NamedTuple):
    """One run: its rank and value by a measure, the 95% interval, letters, and values in groups.

    Preferences have also a rank by MC4, with its 95% bootstrap interval where requests are few enough for one.
    """

    run: str
    rank: int
    value: float
    low: float
    high: float
    letters: str
    groups: tuple[float, ...] = ()
    mc4: tuple[int, ...] = ()


def run_letters(test: Significance | None) -> dict[str, str]:
    """Letters of runs: those that share one were not shown to differ. Empty where there would be too many."""
    if test is None or len(test.runs) > MOST_LETTERED:
        return {}
    try:
        return test.letters()
    except InputError as error:
        if error.kind != "size":
            raise
        return {}


def metric_leaders(
    scores: Scores,
    measure: str,
    intervals: Mapping[tuple[str, str], MeanInterval],
    letters: Mapping[str, str],
    groups: Sequence[Scores] = (),
) -> list[Leader]:
    """The means of a metric, the best first; runs without a value are last."""
    k = scores.measures.index(measure)
    sign = -1 if scores.metrics[k].traits.lower_is_better else 1
    means = scores.exact_means[k]
    known = [r for r, mean in enumerate(means) if isinstance(mean, Number)]
    ranks = dict(zip(known, competition_ranks([sign * means[r] for r in known]).tolist(), strict=True)) if known else {}
    leaders = [
        Leader(
            run,
            ranks.get(r, len(known) + 1),
            *intervals[run, measure][2:5],
            letters.get(run, ""),
            groups=tuple(float(part.mean[r, k]) for part in groups),
        )
        for r, run in enumerate(scores.runs)
    ]
    return sorted(leaders, key=lambda leader: (leader.rank, leader.run))


def preference_leaders(
    comparison: Comparison, letters: Mapping[str, str], groups: Sequence[Comparison] = (), seed: int = 0
) -> list[Leader]:
    """Mean preferences over all other runs, with intervals by Student's t over requests, the best first."""
    order, mc4 = comparison.order("mean"), mc4_ranks(comparison, seed)
    rates = comparison.win_rate() / (len(comparison.runs) - 1)
    in_groups = [part.order("mean").scores.tolist() for part in groups]
    leaders = []
    for r, (run, value) in enumerate(zip(order.runs, order.scores.tolist(), strict=True)):
        margin = half_width((rates[r] - value) ** 2, rates.shape[1])
        numbers = int(order.ranks[r]), value, value - margin, value + margin
        values = tuple(scores[r] for scores in in_groups)
        leaders.append(Leader(run, *numbers, letters.get(run, ""), values, mc4[run]))
    return sorted(leaders, key=lambda leader: (leader.rank, leader.run))


def mc4_ranks(comparison: Comparison, seed: int) -> dict[str, tuple[int, ...]]:
    """The rank of every run by MC4, and the 95% interval of a bootstrap where there are not too many values."""
    ranks = dict(zip(comparison.runs, comparison.order("mc4").ranks.tolist(), strict=True))
    if comparison.numerator.size > MOST_RESAMPLED or comparison.n_requests < 2:
        return {run: (rank,) for run, rank in ranks.items()}
    intervals = comparison.bootstrap("mc4", resamples=RESAMPLES, seed=seed).rows()
    return {row.run: (ranks[row.run], row.low, row.high) for row in intervals}
