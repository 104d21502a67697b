"""Ties of rankings drawn at random (LR 5.1, Fig 8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.text import plural
from tiebreak._kernels.interface import Tick
from tiebreak.inputs import Ids
from tiebreak.projection import Positions
from tiebreak.projection.levels import Layout
from tiebreak.results.plots import Picture
from tiebreak.studies._ties.changing import SHARE, Chance, cut, some_depths
from tiebreak.studies._ties.counting import tied_shares
from tiebreak.studies._ties.curves import SPREAD, coinciding, deviation_said, grown, spread
from tiebreak.studies.base import Findings, run_tasks
from tiebreak.studies.measures import Measures

RANKINGS = 20
"""Random rankings of each request that are compared with each other."""


class Corpus(NamedTuple):
    """Of random rankings: n items, so many requests, and least and most relevant items of a request."""

    items: int
    requests: int
    relevant: tuple[int, int]


def by_random_rankings(
    corpus: Corpus,
    measures: Measures,
    depths: Sequence[int] | None,
    chance: Chance,
    jobs: int,
    tick: Tick | None,
) -> Findings:
    """LR Fig 8."""
    depths = some_depths(corpus.items) if depths is None else depths

    def shares(seed: int) -> list[list[float]]:
        drawn = random_positions(corpus, seed)
        return [tied_shares(cut(drawn, depth), measures) for depth in depths]

    values = np.array(run_tasks(shares, chance.seeds, jobs, tick)).swapaxes(0, 1)
    low, high = corpus.relevant
    return Findings(
        ("depth", *SPREAD),
        tuple(spread(depths, measures, values)),
        grown(measures, values.mean(axis=1), depths, lambda depth: plural(int(depth), "item")),
        (
            f"{plural(RANKINGS, 'ranking')} of {plural(corpus.items, 'item')} for each of "
            f"{plural(corpus.requests, 'request')} with {low} to {high} relevant items, all at random, "
            f"{chance.said}.",
            deviation_said(values),
            *coinciding(measures, values.mean(axis=1)),
        ),
        Picture(
            "line",
            "depth",
            "share",
            color="measure",
            band=("low", "high"),
            is_log=True,
            titles=(("depth", "items kept of each ranking"), SHARE),
        ),
        spread="measure",
    )


def random_positions(corpus: Corpus, seed: int) -> Positions:
    """Rankings of the whole corpus, each order as likely as any other, by the positions of their relevant items."""
    rng = np.random.default_rng(seed)
    m = rng.integers(*corpus.relevant, size=corpus.requests, endpoint=True)
    layout, _ = Layout.from_requests(np.repeat(np.arange(corpus.requests), m), corpus.requests)
    ranks = [np.concatenate([places(rng, corpus.items, size) for size in layout.sizes]) for _ in range(RANKINGS)]
    whole = np.full((RANKINGS, corpus.requests), corpus.items, dtype=np.int32)
    entries = int(m.sum())
    return Positions(
        runs=tuple(f"random{k}" for k in range(1, RANKINGS + 1)),
        requests=Ids.from_names(range(corpus.requests)),
        items=Ids.from_names(range(entries)),
        layout=layout,
        ranks=np.array(ranks, dtype=np.int32),
        item=np.arange(entries, dtype=np.int32),
        grade=np.ones(entries),
        listed=whole,
        retrieved=whole,
        tied=np.zeros_like(whole),
    )


def places(rng: np.random.Generator, items: int, m: int) -> NDArray[np.int64]:
    """Positions of m items in a random order of all: any m of them, equally likely."""
    return rng.choice(items, size=m, replace=False, shuffle=False) + 1
