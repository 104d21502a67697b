"""How ties grow as data shrink: labels removed, rankings cut, also random ones (LR Figs 8 and 14, LP Fig 9).

Positions are projected once; labels and ranks are dropped from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._interface import Tick
from tiebreak.inputs import Ids
from tiebreak.projection import UNRETRIEVED, Positions
from tiebreak.projection.layout import Layout
from tiebreak.projection.primitives import Floats
from tiebreak.projection.sampling import sample_labels
from tiebreak.reports.plots import Picture
from tiebreak.studies.base import Findings, each
from tiebreak.studies.tied.counting import Measures, notes_on, tied_shares
from tiebreak.words import many

RANKINGS = 20
"""Random rankings of each request that are compared with each other."""
SHARE = ("share", "share of comparisons that tie")


class Chance(NamedTuple):
    """What is drawn, and how often."""

    samples: int
    seed: int

    @property
    def seeds(self) -> list[int]:
        """One for each sample; those of the first samples do not depend on how many there are."""
        states: list[int] = np.random.SeedSequence(self.seed).generate_state(self.samples, np.uint64).tolist()
        return states


class Corpus(NamedTuple):
    """Of random rankings: n items, so many requests, and least and most relevant items of a request."""

    items: int
    requests: int
    relevant: tuple[int, int]


def by_labels(
    positions: Positions, measures: Measures, fractions: Sequence[float], chance: Chance, jobs: int, tick: Tick | None
) -> Findings:
    """LR Fig 14, LP Fig 9."""
    said = notes_on(positions, measures)

    def shares(task: tuple[float, int]) -> list[float]:
        fraction, seed = task
        return tied_shares(sample_labels(positions, fraction, seed=seed), measures)

    found = each(shares, [(fraction, seed) for fraction in fractions for seed in chance.seeds], jobs, tick)
    values = np.array(found).reshape(len(fractions), chance.samples, len(measures))
    return Findings(
        ("kept", *SPREAD),
        tuple(spread(fractions, measures, values)),
        f"{grown(measures, values.mean(axis=1), fractions)} of the labels kept.",
        (
            f"Of each request a share of the relevant items is kept, at least one, drawn {times(chance)}. "
            f"{ONE_DEVIATION}",
            *said,
        ),
        Picture(
            "line",
            "kept",
            "share",
            color="measure",
            band=("low", "high"),
            titles=(("kept", "share of relevant items kept"), SHARE),
        ),
    )


def by_depth(
    positions: Positions, measures: Measures, depths: Sequence[int] | None, jobs: int, tick: Tick | None
) -> Findings:
    """Rankings cut after fewer and fewer items."""
    said = notes_on(positions, measures)
    depths = some_depths(int(positions.retrieved.max())) if depths is None else depths
    found = each(lambda depth: tied_shares(cut(positions, depth), measures), depths, jobs, tick)
    rows = [
        (depth, name, share)
        for depth, shares in zip(depths, found, strict=True)
        for name, share in zip(measures, shares, strict=True)
    ]
    return Findings(
        ("depth", "measure", "share"),
        tuple(rows),
        f"{grown(measures, np.array(found), depths)} items of each ranking.",
        ("What stands below the depth counts as not retrieved.", *said),
        Picture("line", "depth", "share", color="measure", is_log=True, titles=(("depth", "items kept"), SHARE)),
    )


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

    values = np.array(each(shares, chance.seeds, jobs, tick)).swapaxes(0, 1)
    low, high = corpus.relevant
    return Findings(
        ("depth", *SPREAD),
        tuple(spread(depths, measures, values)),
        f"{grown(measures, values.mean(axis=1), depths)} items of each ranking.",
        (
            f"{many(RANKINGS, 'ranking')} of {many(corpus.items, 'item')} for each of "
            f"{many(corpus.requests, 'request')} with {low} to {high} relevant items, all at random, drawn "
            f"{times(chance)}. {ONE_DEVIATION}",
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
    )


def some_depths(deepest: int) -> list[int]:
    """1, 2, 5, 10, ... below the deepest, and that one.

    Examples
    --------
    >>> some_depths(25)
    [1, 2, 5, 10, 20, 25]
    """
    series = [step * 10**k for k in range(len(str(deepest))) for step in (1, 2, 5)]
    return [*(depth for depth in series if depth < deepest), max(deepest, 1)]


def cut(positions: Positions, depth: int) -> Positions:
    """The same with all rankings cut: what stands below the depth is not retrieved.

    Examples
    --------
    >>> import tiebreak as tb
    >>> shallow = cut(tb.positions([[1, 5], [2, 3]]), 3)
    >>> shallow.ranks.tolist() == [[1, UNRETRIEVED], [2, 3]], shallow.retrieved.tolist()
    (True, [[3], [3]])
    """
    return replace(
        positions,
        ranks=np.where(positions.ranks > depth, np.int32(UNRETRIEVED), positions.ranks),
        retrieved=np.minimum(positions.retrieved, depth).astype(np.int32),
        nonrelevant=None if positions.nonrelevant is None else cut(positions.nonrelevant, depth),
        top=None,
        pool=None,
    )


def random_positions(corpus: Corpus, seed: int) -> Positions:
    """Rankings of the whole corpus, each order as likely as any other, by the positions of their relevant items."""
    rng = np.random.default_rng(seed)
    m = rng.integers(*corpus.relevant, size=corpus.requests, endpoint=True)
    layout, _ = Layout.of(np.repeat(np.arange(corpus.requests), m), corpus.requests)
    ranks = [np.concatenate([places(rng, corpus.items, size) for size in layout.sizes]) for _ in range(RANKINGS)]
    whole = np.full((RANKINGS, corpus.requests), corpus.items, dtype=np.int32)
    entries = int(m.sum())
    return Positions(
        runs=tuple(f"random{k}" for k in range(1, RANKINGS + 1)),
        requests=Ids.of(range(corpus.requests)),
        items=Ids.of(range(entries)),
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


SPREAD = ("measure", "share", "sd", "low", "high")
ONE_DEVIATION = "Shares are means over samples; low and high are one standard deviation (sd) away, within 0 and 1."


def spread(steps: Iterable[float], measures: Iterable[str], values: Floats) -> Iterator[tuple[float | str | None, ...]]:
    """Mean, deviation and band of ``values[step, sample, measure]``; one sample has no deviation."""
    mean = values.mean(axis=1)
    is_one = values.shape[1] == 1
    deviation = np.zeros_like(mean) if is_one else values.std(axis=1, ddof=1)
    low, high = np.maximum(mean - deviation, 0.0), np.minimum(mean + deviation, 1.0)
    for k, step in enumerate(steps):
        for j, name in enumerate(measures):
            yield step, name, float(mean[k, j]), None if is_one else float(deviation[k, j]), low[k, j], high[k, j]


def grown(measures: Iterable[str], shares: Floats, steps: Sequence[float]) -> str:
    """Which share each measure ties at the largest and at the smallest step."""
    most, least = int(np.argmax(steps)), int(np.argmin(steps))
    each_one = ", ".join(f"{name} {shares[most, j]:.1%} and {shares[least, j]:.1%}" for j, name in enumerate(measures))
    return f"Tied comparisons of two runs in one request: {each_one} with {steps[most]:,g} and {steps[least]:,g}"


def times(chance: Chance) -> str:
    return f"{many(chance.samples, 'time')} with seed {chance.seed}"
