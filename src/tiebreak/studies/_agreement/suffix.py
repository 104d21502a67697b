"""Whether later recall levels tell what the first one says (LP 5.1, Table 1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tiebreak._kernels.interface import Tick
from tiebreak.experiment import Experiment
from tiebreak.projection.levels import Levels
from tiebreak.projection.primitives import Ranks, dense_rank, pair_signs
from tiebreak.results.plots import Picture
from tiebreak.studies.base import Findings, run_tasks


class Agreed(NamedTuple):
    """How many (pair of runs, request) differ at level 1, and for how many sgnLP and RR_2 of the others agree."""

    differ: int
    lexiprecision: int
    second: int


def suffix(experiment: Experiment, *, jobs: int, tick: Tick | None) -> Findings:
    """How often preferences based on levels 2 to m agree with the first level where that differs."""
    differ, *agreed = suffix_agreement(experiment.positions.levels(), jobs, tick)
    rows = tuple(
        (name, differ, agree, agree / differ if differ else None)
        for name, agree in zip(("sgnLP", "RR_2"), agreed, strict=True)
    )
    said = (
        f"Given that RR differs, sgnLP of the later levels agrees with it for {agreed[0] / differ:.2%} of {differ:,} "
        f"(pair of runs, request), RR_2 for {agreed[1] / differ:.2%}."
        if differ
        else "RR differs nowhere."
    )
    return Findings(
        ("prediction", "differ", "agree", "share"),
        rows,
        said,
        ("A tied prediction is no agreement, nor is a request with one relevant item, which has no later levels.",),
        Picture("bar", "share", "prediction", titles=(("share", "share that agrees with RR"),)),
    )


def suffix_agreement(levels: Levels, jobs: int = 1, tick: Tick | None = None) -> Agreed:
    """The counts over all pairs of runs and all requests.

    Examples
    --------
    >>> import tiebreak as tb
    >>> suffix_agreement(tb.positions([[1, 3, 4], [2, 3, 5]]).levels())      # sgnLP of (3, 4) and (3, 5) agrees
    Agreed(differ=1, lexiprecision=1, second=0)
    """
    blocks = [bucket.p[:, block] for bucket in levels.buckets() for block in bucket.blocks()]
    parts = run_tasks(agreed_in, blocks, jobs, tick)
    return Agreed(*(sum(part[k] for part in parts) for k in range(3)))


def agreed_in(p: Ranks) -> Agreed:
    """The counts of requests with one number of relevant items: ``p[run, request, m]``."""
    x, y = np.triu_indices(len(p), 1)
    first = pair_signs(p[x, :, 0], p[y, :, 0])
    if p.shape[-1] == 1:
        return Agreed(int(np.count_nonzero(first)), 0, 0)
    rank = dense_rank(p[..., 1:])
    said = pair_signs(rank[x], rank[y]), pair_signs(p[x, :, 1], p[y, :, 1])
    agree = (int(np.count_nonzero((first == sign) & (first != 0))) for sign in said)
    return Agreed(int(np.count_nonzero(first)), *agree)
