"""Pairs of runs in every request: which measures prefer the same one, and by how much (LR Fig 10, RPP Fig 5)."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._kernels.interface import Tick
from tiebreak.analysis.theory import whole
from tiebreak.comparison import Comparison
from tiebreak.errors import InputError
from tiebreak.experiment import Experiment
from tiebreak.projection.primitives import Floats
from tiebreak.results.plots import Picture
from tiebreak.results.record import text
from tiebreak.studies.base import Findings, run_tasks
from tiebreak.studies.measures import measure_name

SAME, OTHER = "the same", "not the same"


class Compared(NamedTuple):
    """What a measure says of every pair of runs in every request that all measures have a value for."""

    measure: str
    signs: NDArray[np.int8]
    values: Floats


def compared(experiment: Experiment, measures: list[Any], jobs: int, tick: Tick | None) -> list[Compared]:
    """All pairs by every measure."""
    found = run_tasks(experiment.compare, measures, jobs, tick)
    return on_common_requests(
        [replace(one, measure=measure_name(measure)) for one, measure in zip(found, measures, strict=True)]
    )


def on_common_requests(found: list[Comparison]) -> list[Compared]:
    """The same requests for all measures: some have no value for some.

    Pairs and requests are in the order of their names, in each pair the first run by name first: which points are
    drawn does not depend on the order of the input.
    """
    names = [list(comparison.requests) for comparison in found]
    common = set(names[0]).intersection(*names[1:])
    if not common:
        raise InputError("no request has a value by all measures. Check rel and min_grade.", kind="empty")
    made = []
    for comparison, requests in zip(found, names, strict=True):
        kept = sorted((q for q, request in enumerate(requests) if request in common), key=requests.__getitem__)
        pairs = list(comparison.names())
        rows = sorted(range(len(pairs)), key=lambda row: sorted(pairs[row]))
        turned = np.array([1 if x < y else -1 for x, y in (pairs[row] for row in rows)], dtype=np.int8)[:, None]
        values = comparison.values[np.ix_(rows, kept)]
        made.append(Compared(comparison.measure, turned * np.sign(values).astype(np.int8), turned * values))
    return made


def preference(experiment: Experiment, measures: list[Any], *, jobs: int, tick: Tick | None) -> Findings:
    r"""How often a measure agrees where another one sees a difference.

    .. math:: \frac{\sum \mathbb{I}(\pi \succ_\mu \pi' \wedge \pi \succ_\nu \pi')}{\sum \mathbb{I}(\pi \succ_\mu \pi')}
    """
    found = compared(experiment, measures, jobs, tick)
    rows = []
    for given, other in product(found, repeat=2):
        differ = int(np.count_nonzero(given.signs))
        agree = int(np.count_nonzero((given.signs == other.signs) & (given.signs != 0)))
        rows.append((given.measure, other.measure, differ, agree, agree / differ if differ else None))
    first = [row for row in rows if row[1] == found[0].measure != row[0] and row[2]]
    nearest = max(first, key=lambda row: row[3] / row[2], default=None)
    said = f"No other measure than {found[0].measure} sees any difference."
    if nearest is not None:
        given_by, name, differ, agree, _ = nearest
        said = f"{name} agrees most with differences by {given_by}: {agree / differ:.1%} of {differ:,}."
    titles = (("given", "given a difference by"), ("measure", "agreement of"), ("share", "share that agrees"))
    return Findings(
        ("given", "measure", "differ", "agree", "share"),
        tuple(rows),
        said,
        (
            "Of all (pair of runs, request) that differ by one measure, those the other orders in the same way; "
            "its ties are no agreement.",
        ),
        Picture("heat", "given", "measure", color="share", titles=titles),
    )


def sign(
    experiment: Experiment, measures: list[Any], *, points: int = 500, seed: int = 0, jobs: int, tick: Tick | None
) -> Findings:
    """Pearson correlation of preferences, and the share of points where both have the same sign (RPP Fig 5)."""
    whole("points", points, 1)
    whole("seed", seed, 0)
    found = compared(experiment, measures, jobs, tick)
    rows = [
        (x.measure, y.measure, pearson(x.values, y.values), float((x.signs == y.signs).mean()))
        for x, y in combinations(found, 2)
    ]
    scores = {row[1]: row for row in rows[: len(found) - 1]}
    nearest = max(scores.values(), key=lambda row: row[3])
    size = found[0].signs.size
    titles = (("value", "other measure"), ("first", found[0].measure))
    return Findings(
        ("measure", "other", "r", "agreement"),
        tuple(rows),
        f"{nearest[0]} agrees most in sign with {nearest[1]}: {nearest[3]:.1%} of {size:,} points.",
        (
            "r: Pearson correlation of the sizes of preferences, each pair of runs taken both ways, so that it does "
            "not depend on their order. agreement: share of points with the same sign, where two ties are the same.",
            f"Drawn: {min(points, size):,} points by chance, seed {seed}.",
        ),
        Picture("point", "value", "first", color="signs", facet="other", own_scales=True, titles=titles),
        drawn=(("other", "value", "first", "signs"), tuple(scattered(found, scores, points, seed))),
    )


def pearson(x: Floats, y: Floats) -> float | None:
    """The correlation over all ordered pairs: their means are 0, as every preference is there with both signs."""
    spread = float(np.sqrt((x * x).sum()) * np.sqrt((y * y).sum()))
    return float((x * y).sum()) / spread if spread > 0 else None


def scattered(found: list[Compared], scores: dict[str, Any], points: int, seed: int) -> list[tuple[Any, ...]]:
    """Some points of the first measure beside every other."""
    first, *others = found
    rng = np.random.default_rng(seed)
    places = rng.permutation(first.signs.size)[:points]
    flips = rng.choice([-1.0, 1.0], size=len(places))
    y, sign_of_y = first.values.ravel()[places] * flips, first.signs.ravel()[places]
    drawn = []
    for other in others:
        title = f"{other.measure}: r {text(scores[other.measure][2], 2)}, sa {text(scores[other.measure][3], 2)}"
        same = other.signs.ravel()[places] == sign_of_y
        x = other.values.ravel()[places] * flips
        drawn += [
            (title, *point, SAME if alike else OTHER)
            for *point, alike in zip(x.tolist(), y.tolist(), same.tolist(), strict=True)
        ]
    return drawn
