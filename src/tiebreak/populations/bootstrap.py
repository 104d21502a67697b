"""Stability of an order by a population: the bootstrap over requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak._kernels.interface import Tick
from tiebreak.exact.held import Places
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.orderings.bootstrap import Bootstrap

Drawn: TypeAlias = "Places | list[Places]"
"""Of every request that is drawn its place, or its places."""


def requests_to_draw(table: UtilityTable, groups: Sequence[str] | None) -> list[Drawn]:
    """What is drawn from every group, in the order of names: requests, with all their trials.

    Requests of weight 0 do not count and are not drawn.
    """
    places = np.argsort(table.requests.places_in_order)
    if table.weights is not None:
        places = places[table.weights[places] > 0]
    labels = np.array(groups or [""] * len(table.requests))[places]
    parts = split_by(np.unique(labels, return_inverse=True)[1].ravel(), places)
    if table.origins is None:
        return list(parts)
    code = np.unique(list(table.origins), return_inverse=True)[1].ravel()
    return [split_by(code[part], part) for part in parts]


def split_by(code: Places, places: Places) -> list[Places]:
    """Places with the same code together, in the order of codes."""
    order = np.argsort(code, kind="stable")
    return np.split(places[order], np.flatnonzero(np.diff(code[order])) + 1)


def samples(drawn: Sequence[Drawn], resamples: int, seed: int) -> Iterator[Places]:
    """The places of each sample: from every group as many requests as it has, with replacement."""
    for k in range(resamples):
        rng = np.random.default_rng([seed, k])
        yield np.concatenate([take(part, rng.integers(len(part), size=len(part))) for part in drawn])


def take(part: Drawn, chosen: Places) -> Places:
    """The places of some requests, of one place each or of several."""
    if isinstance(part, list):  # trials
        return np.concatenate([part[k] for k in chosen.tolist()])
    return part[chosen]


def bootstrap_ranks(
    by: str,
    runs: tuple[str, ...],
    ranks: Iterable[NDArray[np.int64]],
    resamples: int,
    seed: int,
    tick: Tick | None = None,
) -> Bootstrap:
    """Collect the ranks of many samples."""
    every = np.empty((resamples, len(runs)), dtype=np.int64)
    wins = np.zeros((len(runs), len(runs)), dtype=np.int64)
    for k, row in enumerate(ranks):
        every[k] = row
        wins += row[:, None] < row
        if tick:
            tick(k + 1, resamples)
    return Bootstrap(by, runs, every, wins, seed)
