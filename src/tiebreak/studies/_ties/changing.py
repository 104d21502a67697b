"""How ties grow as data shrink: labels removed (LR Fig 14, LP Fig 9), rankings cut.

Positions are projected once; labels and ranks are dropped from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tiebreak._base.text import plural
from tiebreak._kernels.interface import Tick
from tiebreak.projection import UNRETRIEVED, Positions
from tiebreak.projection.sampling import sample_labels
from tiebreak.results.plots import Picture
from tiebreak.studies._ties.counting import notes_on, tied_shares
from tiebreak.studies._ties.curves import SPREAD, coinciding, deviation_said, grown, spread
from tiebreak.studies.base import Findings, run_tasks, sample_seeds
from tiebreak.studies.measures import Measures

SHARE = ("share", "share of comparisons that tie")


class Chance(NamedTuple):
    """What is drawn, and how often."""

    samples: int
    seed: int

    @property
    def seeds(self) -> list[int]:
        """One for each sample; those of the first samples do not depend on how many there are."""
        return sample_seeds(self.seed, self.samples)

    @property
    def said(self) -> str:
        return f"drawn {plural(self.samples, 'time')} with seed {self.seed}"


def by_labels(
    positions: Positions, measures: Measures, fractions: Sequence[float], chance: Chance, jobs: int, tick: Tick | None
) -> Findings:
    """LR Fig 14, LP Fig 9."""
    said = notes_on(positions, measures)

    def shares(task: tuple[float, int]) -> list[float]:
        fraction, seed = task
        return tied_shares(sample_labels(positions, fraction, seed=seed), measures)

    found = run_tasks(shares, [(fraction, seed) for fraction in fractions for seed in chance.seeds], jobs, tick)
    values = np.array(found).reshape(len(fractions), chance.samples, len(measures))
    return Findings(
        ("kept", *SPREAD),
        tuple(spread(fractions, measures, values)),
        grown(measures, values.mean(axis=1), fractions, lambda share: f"{share:.0%} of the labels"),
        (
            f"Of each request a share of the relevant items is kept, at least one, {chance.said}.",
            deviation_said(values),
            *coinciding(measures, values.mean(axis=1)),
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
        spread="measure",
    )


def by_depth(
    positions: Positions, measures: Measures, depths: Sequence[int] | None, jobs: int, tick: Tick | None
) -> Findings:
    """Rankings cut after fewer and fewer items."""
    said = notes_on(positions, measures)
    depths = some_depths(int(positions.retrieved.max())) if depths is None else depths
    found = run_tasks(lambda depth: tied_shares(cut(positions, depth), measures), depths, jobs, tick)
    rows = [
        (depth, name, share)
        for depth, shares in zip(depths, found, strict=True)
        for name, share in zip(measures, shares, strict=True)
    ]
    return Findings(
        ("depth", "measure", "share"),
        tuple(rows),
        grown(measures, np.array(found), depths, lambda depth: plural(int(depth), "item")),
        (
            "What stands below the depth counts as not retrieved.",
            *coinciding(measures, np.array(found)),
            *said,
        ),
        Picture("line", "depth", "share", color="measure", is_log=True, titles=(("depth", "items kept"), SHARE)),
        spread="measure",
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
