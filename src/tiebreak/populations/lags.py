"""Stability of leximin between two runs: the bootstrap over requests for every smoothing lag (PE 7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_count, check_several
from tiebreak._base.text import plural
from tiebreak.exact.sample import Sample
from tiebreak.exact.sums import whole_units
from tiebreak.inputs import Ids
from tiebreak.orderings.bootstrap import check_resamples, draws
from tiebreak.results.record import Rows

MOST_LAGS = 20


class LagShare(NamedTuple):
    """The shares of resamples in which each run is better with this lag; `observed` is 1 where the first is better."""

    lag: int
    observed: int
    first: float
    tied: float
    second: float


class LagCurve(Rows[LagShare]):
    """Two runs by smoothed leximin, from lag 1, which is leximin, to the number of requests, which is the mean."""

    columns = LagShare._fields


def lag_curve(
    x: Sample,
    y: Sample,
    runs: tuple[str, str],
    requests: Ids,
    lags: int | Iterable[int] | None,
    resamples: int,
    seed: int,
) -> LagCurve:
    """Compare two runs for every lag, on the requests and on resamples of them."""
    check_resamples(resamples, seed)
    n = len(x)
    chosen = some_lags(n) if lags is None else check_lags(lags, n)
    by_name = np.argsort(requests.places_in_order).tolist()
    exact = [u.exact[place] for u in (x, y) for place in by_name]
    whole, _, same = whole_units(exact, x.is_rational and y.is_rational)
    # A sample may draw the largest number every time; sums of 64 bits must stay exact.
    fits = len(whole) * max(map(abs, whole)) < 2**62
    whole_x, whole_y = np.array(whole, dtype=np.int64 if fits else object).reshape(2, n)
    samples = draws(n, resamples, seed)
    signs = np.array([list(signs_by_lag(whole_x[sample], whole_y[sample], chosen, same)) for sample in samples])
    observed = signs_by_lag(whole_x, whole_y, chosen, same)
    shares = (((signs == sign).mean(axis=0)).tolist() for sign in (1, 0, -1))
    rows = (LagShare(*row) for row in zip(chosen, observed, *shares, strict=True))
    note = (
        f"{runs[0]} against {runs[1]} by smoothed leximin. Observed is 1 where the first is better; first, tied and "
        f"second are shares of {plural(resamples, 'resample')} of requests, seed {seed}. Lag 1 is leximin, the largest "
        "the mean."
    )
    settings = {"runs": list(runs), "resamples": resamples, "seed": seed}
    return LagCurve(tuple(rows), (note,), more_settings=settings)


def some_lags(n: int) -> list[int]:
    """Lags from 1 to n: all if few, else in geometric steps."""
    if n <= MOST_LAGS:
        return list(range(1, n + 1))
    return sorted({round(n ** (k / (MOST_LAGS - 1))) for k in range(MOST_LAGS)})


def check_lags(lags: int | Iterable[int], n: int) -> list[int]:
    """Lags from 1 to the number of requests, each once."""
    return check_several(lags, "lag", lambda lag, name: check_count(lag, name, high=n))


def signs_by_lag(x: NDArray[Any], y: NDArray[Any], lags: list[int], same: int) -> Iterator[int]:
    """The sign of the smoothed leximin order for each lag; window sums tie if they differ by at most `same`."""
    zero = np.zeros(1, dtype=x.dtype)
    sums = np.concatenate([zero, np.cumsum(np.sort(x) - np.sort(y))])
    for lag in lags:
        windows = sums[lag:] - sums[:-lag]
        differing = np.flatnonzero(np.abs(windows) > same)
        yield (1 if windows[differing[0]] > 0 else -1) if len(differing) else 0
