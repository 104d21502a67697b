"""alpha-beta-nDCG of one run, in one process: `python diversity_tools.py ours|loop USERS CUTOFF`.

Users rated 5 to 39 of 3,000 items, which have 1 to 4 of 19 genres; a tenth of what the run shows is rated. ``loop`` is
the straightforward way in plain Python, user by user. Prints JSON: the seconds, and the mean, which must agree.
"""

from __future__ import annotations

import json
import math
import sys
import time
from typing import NamedTuple

import numpy as np

ITEMS, GENRES, R_MAX = 3000, 19, 5
ALPHA, BETA = 0.005, 0.5


class Data(NamedTuple):
    aspects: dict[str, list[str]]
    rated: list[dict[int, int]]
    shown: np.ndarray


def invented(users: int, cutoff: int) -> Data:
    rng = np.random.default_rng(7)
    genres = [rng.choice(GENRES, rng.integers(1, 5), replace=False) for _ in range(ITEMS)]
    aspects = {f"i{k:04}": [f"g{g}" for g in of] for k, of in enumerate(genres)}
    sizes = rng.integers(5, 40, users)
    rated = [
        dict(zip(rng.integers(0, ITEMS, size).tolist(), rng.integers(1, R_MAX + 1, size).tolist(), strict=True))
        for size in sizes
    ]
    shown = np.argsort(rng.random((users, 200), dtype=np.float32), axis=1)[:, :cutoff] * (ITEMS // 200)
    for user in range(users):
        mine = list(rated[user])[: max(1, cutoff // 10)]
        shown[user, : len(mine)] = mine
    return Data(aspects, rated, shown)


def ours(data: Data, cutoff: int) -> tuple[float, float]:
    from tiebreak.inputs import Ids
    from tiebreak.metrics import metric
    from tiebreak.projection.aspect_rankings import AspectRankings, AspectTable, Ratings

    users = len(data.rated)
    starts = np.concatenate([[0], np.cumsum([len(of) for of in data.rated])]).astype(np.int64)
    rows = [(item, rating) for of in data.rated for item, rating in sorted(of.items())]
    item, rating = np.array(rows).T
    rated = Ratings(starts, item, rating.astype(np.float64))
    known = np.full((users, cutoff), np.nan)
    for user, of in enumerate(data.rated):
        known[user] = [of.get(shown, np.nan) for shown in data.shown[user].tolist()]
    requests = Ids.from_names(map(str, range(users)))
    result = AspectRankings(
        ("run",),
        requests,
        AspectTable.from_aspects(data.aspects),
        data.shown[None],
        known[None],
        rated,
        rated,
        float(R_MAX),
    )
    start = time.process_time()
    mean = float(metric(f"alpha_beta_nDCG@{cutoff}").score_rankings(result).mean())
    return time.process_time() - start, mean


def loop(data: Data, cutoff: int) -> tuple[float, float]:
    aspects = list(data.aspects.values())
    start = time.process_time()
    values = [
        of_user(shown, rated, aspects, cutoff) for shown, rated in zip(data.shown.tolist(), data.rated, strict=True)
    ]
    return time.process_time() - start, math.fsum(values) / len(values)


def of_user(shown: list[int], rated: dict[int, int], aspects: list[list[str]], cutoff: int) -> float:
    interest: dict[str, float] = {}
    for item, rating in rated.items():
        for aspect in aspects[item]:
            interest[aspect] = interest.get(aspect, 0.0) + rating
    whole = sum(interest.values())
    interest = {aspect: summed / whole for aspect, summed in interest.items()}
    best, left, wanted = [], sorted(rated), dict(interest)
    while left and len(best) < cutoff:
        chosen = max(left, key=lambda item: gain(item, rated, aspects, wanted))
        left.remove(chosen)
        best.append(take(chosen, rated, aspects, wanted))
    wanted = dict(interest)
    actual = [take(item, rated, aspects, wanted) for item in shown]
    return discounted(actual) / discounted(best)


def chance(item: int, rated: dict[int, int]) -> float:
    return BETA * rated[item] / R_MAX if item in rated else ALPHA


def gain(item: int, rated: dict[int, int], aspects: list[list[str]], wanted: dict[str, float]) -> float:
    missed = 1.0
    for aspect in aspects[item]:
        missed *= 1 - chance(item, rated) * wanted.get(aspect, 0.0)
    return 1 - missed


def take(item: int, rated: dict[int, int], aspects: list[list[str]], wanted: dict[str, float]) -> float:
    gained = gain(item, rated, aspects, wanted)
    for aspect in aspects[item]:
        wanted[aspect] = wanted.get(aspect, 0.0) * (1 - chance(item, rated))
    return gained


def discounted(gains: list[float]) -> float:
    return sum(gained / math.log2(rank + 1) for rank, gained in enumerate(gains, start=1))


def main() -> None:
    what, users, cutoff = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    data = invented(users, cutoff)
    seconds, mean = {"ours": ours, "loop": loop}[what](data, cutoff)
    print(json.dumps({"seconds": seconds, "mean": mean}))


if __name__ == "__main__":
    main()
