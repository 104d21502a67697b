"""Ties of rankings drawn at random, truncated at one depth after the other (LR 5.1, Fig 8)."""

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
from tiebreak.studies._ties import (
    SHARE,
    SPREAD,
    compare_ends,
    round_depths,
    spread_notes,
    spread_rows,
    tie_shares,
    truncate,
)
from tiebreak.studies.base import Findings, run_tasks, sample_seeds
from tiebreak.studies.measures import Measures, check_positions_suffice

RANKINGS = 20
"""Random rankings of each request that are compared with each other."""


class Corpus(NamedTuple):
    """Of random rankings: the number of items and of requests, and how many relevant items a request may have."""

    items: int
    requests: int
    relevant: tuple[int, ...]


def random_ties(
    measures: Measures,
    corpus: Corpus,
    depths: Sequence[int] | None,
    samples: int,
    seed: int,
    jobs: int = 1,
    tick: Tick | None = None,
) -> Findings:
    """How often measures tie random rankings, truncated at one depth after the other."""
    check_positions_suffice(measures, "Random rankings take measures such as AP.")
    depths = round_depths(corpus.items) if depths is None else depths

    def shares(sample_seed: int) -> list[list[float]]:
        positions = random_positions(corpus, sample_seed)
        return [tie_shares(truncate(positions, depth), measures) for depth in depths]

    values = np.array(run_tasks(shares, sample_seeds(seed, samples), jobs, tick)).swapaxes(0, 1)
    low, high = min(corpus.relevant), max(corpus.relevant)
    relevant = plural(low, "relevant item") if low == high else f"{low} to {high} relevant items"
    titles = (("depth", "items kept of each ranking"), SHARE)
    return Findings(
        ("depth", *SPREAD),
        tuple(spread_rows(depths, measures, values)),
        compare_ends(measures, values.mean(axis=1), depths, lambda depth: plural(int(depth), "item")),
        (
            f"{plural(RANKINGS, 'ranking')} of {plural(corpus.items, 'item')} for each of "
            f"{plural(corpus.requests, 'request')} with {relevant}, all at random, "
            f"drawn {plural(samples, 'time')} with seed {seed}.",
            *spread_notes(measures, values),
        ),
        Picture("line", "depth", "share", color="measure", band=("low", "high"), is_log=True, titles=titles),
        spread="measure",
    )


def random_positions(corpus: Corpus, seed: int) -> Positions:
    """Rankings of the whole corpus, each order as likely as any other, by the positions of their relevant items."""
    rng = np.random.default_rng(seed)
    m = np.array(corpus.relevant)[rng.integers(len(corpus.relevant), size=corpus.requests)]
    layout, _ = Layout.from_requests(np.repeat(np.arange(corpus.requests), m), corpus.requests)
    ranks = [np.concatenate([random_places(rng, corpus.items, size) for size in layout.sizes]) for _ in range(RANKINGS)]
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


def random_places(rng: np.random.Generator, items: int, m: int) -> NDArray[np.int64]:
    """Positions of m items in a random order of all: any m of them, equally likely."""
    return rng.choice(items, size=m, replace=False, shuffle=False) + 1
