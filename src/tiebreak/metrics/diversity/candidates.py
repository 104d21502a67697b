"""The items of which the ideal ranking of a user is made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from tiebreak.errors import InputError
from tiebreak.metrics.diversity.base import Codes
from tiebreak.projection.aspect_rankings import NOBODY, AspectRankings, Ratings
from tiebreak.projection.primitives import Floats

POOLS = ("rated", "runs", "all")
NUMBERS_AT_ONCE = 1 << 18
MOST_AT_ONCE = 4096
Candidates: TypeAlias = tuple[Codes, Codes, Floats]
"""Requests, and their items and ratings [request, candidate] by id: -1 for no item, NaN for one that is not rated."""


def candidates(rankings: AspectRankings, pool: str, cutoff: int) -> Iterator[Candidates]:
    """The items of a pool, some requests at a time."""
    if pool == "all" and rankings.own is not None:
        raise InputError("pool='all' needs the aspects of items: aspects=..., --aspects FILE.", kind="aspects")
    if pool == "all":
        return with_all(rankings)
    rated = rankings.rated if pool == "rated" else with_shown(rankings, cutoff)
    return pad(rated, rankings.table.of_item.shape[1])


def pad(rated: Ratings, width: int) -> Iterator[Candidates]:
    """Requests with about as many items together, so that little is padded."""
    sizes = np.diff(rated.starts)
    order = np.argsort(sizes, kind="stable")
    order = order[sizes[order] > 0]
    begin = 0
    while begin < len(order):
        largest = int(sizes[order[min(begin + MOST_AT_ONCE, len(order)) - 1]])
        step = max(1, min(MOST_AT_ONCE, NUMBERS_AT_ONCE // (largest * width)))
        requests = order[begin : begin + step]
        most = int(sizes[requests].max())
        there = np.arange(most) < sizes[requests][:, None]
        places = np.where(there, rated.starts[requests][:, None] + np.arange(most), 0)
        item = np.where(there, rated.item[places], NOBODY)
        yield requests, item, np.where(there, rated.rating[places], np.nan)
        begin += step


def with_shown(rankings: AspectRankings, cutoff: int) -> Ratings:
    """What users rated, and what any run shows them up to the cutoff."""
    first, rated = slice(0, cutoff), rankings.rated
    is_new = np.isnan(rankings.rating[:, :, first]) & (rankings.item[:, :, first] >= 0)
    is_new &= rankings.item[:, :, first] < len(rankings.table.items)
    run, request, rank = np.nonzero(is_new)
    new = np.unique(np.stack([request, rankings.item[run, request, rank]]), axis=1)
    request = np.concatenate([rated.request, new[0]])
    item = np.concatenate([rated.item, new[1]])
    rating = np.concatenate([rated.rating, np.full(new.shape[1], np.nan)])
    order = np.lexsort((rankings.table.id_order[item], request))
    starts = np.searchsorted(request[order], np.arange(len(rankings.requests) + 1))
    return Ratings(starts, item[order], rating[order])


def with_all(rankings: AspectRankings) -> Iterator[Candidates]:
    """All items that have aspects."""
    table, rated = rankings.table, rankings.rated
    by_id = np.argsort(table.id_order[:-1])
    step = max(1, NUMBERS_AT_ONCE // max(1, table.of_item.size))
    for begin in range(0, len(rankings.requests) if len(by_id) else 0, step):
        requests = np.arange(begin, min(begin + step, len(rankings.requests)))
        entries = slice(rated.starts[begin], rated.starts[requests[-1] + 1])
        rating = np.full((len(requests), len(table.of_item)), np.nan)
        rating[rated.request[entries] - begin, rated.item[entries]] = rated.rating[entries]
        yield requests, np.broadcast_to(by_id, (len(requests), len(by_id))), rating[:, by_id]
