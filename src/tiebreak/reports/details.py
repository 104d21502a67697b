"""What a page tells of pairs of runs beyond their means: deciding requests, recall levels, and positions of items.

All of it is bounded: a page is sent by mail.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak.comparison import Comparison
from tiebreak.projection import UNRETRIEVED, Positions, pair_signs
from tiebreak.projection.primitives import Floats

Places: TypeAlias = NDArray[np.int64]
Deciding: TypeAlias = Mapping[tuple[int, int], list[tuple[str, float]]]
"""Deciding requests and their values, by the places of the two runs."""
RECALL = tuple(range(10, 101, 10))
"""Percent of the relevant items that users may want; before them stands the first item."""
MOST_LEVELS = 50
"""Recall levels of one request in a page."""


def deciding_requests(comparison: Comparison, pair: int, most: int) -> list[tuple[str, float]]:
    """The requests that speak most for each run of a pair, at most so many for each, those for the first run first.

    Equal values are in the order of the requests' names.
    """
    values = comparison.values[pair]
    by_name = comparison.requests.places_in_order
    rows: list[tuple[str, float]] = []
    for sign in (1, -1):
        places = np.flatnonzero(sign * values > 0)
        if len(places) > most:  # all that tie with the last one are sorted
            bound = np.partition(sign * values[places], len(places) - most)[len(places) - most]
            places = places[sign * values[places] >= bound]
        order = places[np.lexsort((by_name[places], -sign * values[places]))][:most]
        rows += [(comparison.requests[int(place)], float(values[place])) for place in order]
    return rows


def recall_curve(positions: Positions, x: Places, y: Places) -> Floats:
    """What users who want some share of the relevant items prefer on average: [pair, 1 + len(RECALL)].

    A user who wants a share r of m relevant items looks at recall level ceil(r m), and prefers the run that reaches it
    earlier: sgn(p'_i - p_i) (RPP 3.2). All relevant items are alike. The first column is of users who want one item.
    """
    total = np.zeros((len(x), 1 + len(RECALL)))
    counted = 0
    for bucket in positions.levels().buckets():
        levels = np.array([1, *(-(-percent * bucket.m // 100) for percent in RECALL)]) - 1
        counted += len(bucket.requests)
        for block in bucket.blocks():
            p = bucket.p[:, block][..., levels]
            total += np.stack([pair_signs(p[a], p[b]).sum(axis=0, dtype=np.int64) for a, b in zip(x, y, strict=True)])
    return total / max(counted, 1)


def telling_requests(several: Iterable[Deciding], place: Mapping[int, int]) -> list[str]:
    """Requests that decide pairs by some measures, the most telling first.

    Pairs count more, the higher their runs are in the order.
    """
    weight: dict[str, float] = {}
    for deciding in several:
        for (x, y), rows in deciding.items():
            for request, _ in rows:
                weight[request] = weight.get(request, 0.0) + 1 / (1 + place[x] + place[y])
    return sorted(weight, key=lambda request: (-weight[request], request))


def request_details(positions: Positions, requests: Sequence[str], most_bytes: int) -> dict[str, Any]:
    """Items and positions of the first requests that fit into some bytes, by their names."""
    relevant = positions.only_relevant()
    details: dict[str, Any] = {}
    for request in requests:
        detail = request_detail(relevant, request)
        most_bytes -= len(json.dumps([request, detail], separators=(",", ":")))
        if most_bytes < 0:
            break
        details[request] = detail
    return details


def request_detail(relevant: Positions, request: str) -> dict[str, Any]:
    """The relevant items of a request, and for every run the positions of those that it retrieves, with the items."""
    entries = relevant.layout.entries(relevant.requests.place(request, "request"))
    ranks, items, grades = relevant.ranks[:, entries], relevant.item[entries], relevant.grade[entries]
    levels = [run_levels(row) for row in ranks]
    used = sorted({entry for _, several in levels for entry in several})
    code = {entry: k for k, entry in enumerate(used)}
    return {
        "m": len(items),
        "items": [relevant.items[int(items[entry])] for entry in used],
        "grades": [as_whole(float(grades[entry])) for entry in used],
        "levels": [[positions, [code[entry] for entry in several]] for positions, several in levels],
    }


def run_levels(ranks: NDArray[np.int32]) -> tuple[list[int], list[int]]:
    """The first positions at which a run retrieves relevant items, and which entries these are."""
    order = np.argsort(ranks, kind="stable")[:MOST_LEVELS]
    order = order[ranks[order] != UNRETRIEVED]
    return ranks[order].tolist(), order.tolist()


def as_whole(number: float) -> float | int:
    """Whole numbers without decimals."""
    return int(number) if number.is_integer() else number
