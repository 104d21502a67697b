"""Which items may stand in a ranking: only candidates where these are given, and none that a user has seen."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.text import plural
from tiebreak._kernels.interface import CANDIDATE, EXCLUDED, Judged
from tiebreak.errors import InputError, quote
from tiebreak.inputs import Judgements
from tiebreak.inputs.ids import Ids

Pairs = NDArray[np.int64]
"""Requests and items as one number each: request x number of items + item."""


def with_unjudged(
    judged: Judged, of: Judgements, excluded: Judgements | None, candidates: Judgements | None, judged_only: bool
) -> tuple[Judged, NDArray[np.int64]]:
    """The judgements as the kernels see them, with items that are removed from rankings, and candidates.

    An item that is judged and excluded is removed as well: no run can be said to have found it. Where there are
    candidates the kernels are to keep what stands here only; candidates that are not judged are left out of it if
    judged items are all that is wanted.

    Returns
    -------
    Judged, int array
        And for each of its entries which judgement it is, -1 for none.
    """
    others = [part for part in (excluded, candidates) if part is not None]
    items = all_items(of.items, others)
    judged_pairs = of.request * len(items) + of.item
    out = empty_pairs() if excluded is None else pairs_of(excluded, of.requests, items)
    slot = np.where(np.isin(judged_pairs, out), EXCLUDED, judged.slot)
    allowed = empty_pairs()
    if candidates is not None:
        allowed = pairs_of(candidates, of.requests, items)
        check_candidates(of, judged_pairs, allowed, len(items))
        slot = np.where(np.isin(judged_pairs, allowed), slot, EXCLUDED)
    new_out, new_allowed = without(out, judged_pairs), without(allowed, np.concatenate([judged_pairs, out]))
    new_allowed = new_allowed[:0] if judged_only else new_allowed
    pairs = np.concatenate([judged_pairs, new_out, new_allowed])
    slots = [slot, np.full(len(new_out), EXCLUDED), np.full(len(new_allowed), CANDIDATE)]
    request = pairs // len(items)
    order = np.argsort(request, kind="stable")
    made = Judged(
        judged.requests,
        items.column,
        np.concatenate([[0], np.cumsum(np.bincount(request, minlength=len(of.requests)))]).astype(np.int64),
        (pairs % len(items)).astype(np.int32)[order],
        np.concatenate(slots).astype(np.int32)[order],
        judged.slots,
    )
    return made, np.where(order < len(of), order, -1)


def admission_notes(of: Judgements, excluded: Judgements | None, candidates: Judgements | None) -> Iterator[str]:
    """Which items were removed from rankings; excluded items of other requests only are refused."""
    if excluded is not None:
        known = places_of(excluded.requests, of.requests)[excluded.request] >= 0
        if not known.any():
            raise InputError(
                f"the excluded items are of other requests, as {quote(excluded.requests[0])}; the judgements begin "
                f"with {quote(of.requests[0])}. Were they made for each other?",
                kind="disjoint",
            )
        judged = of.request * len(of.items) + of.item
        relevant = int(np.isin(judged[of.grade > 0], known_pairs(excluded, of)).sum())
        lost = f" {plural(relevant, 'relevant item')} among them can be found by no run." if relevant else ""
        yield f"Removed from rankings first: {int(known.sum()):,} excluded items.{lost}"
    if candidates is not None:
        yield "Only candidates stand in rankings."


def known_pairs(table: Judgements, of: Judgements) -> Pairs:
    """The pairs of a table whose request and item are judged."""
    request = places_of(table.requests, of.requests)[table.request]
    item = places_of(table.items, of.items)[table.item]
    known = (request >= 0) & (item >= 0)
    return request[known] * len(of.items) + item[known]


def check_candidates(of: Judgements, judged_pairs: Pairs, allowed: Pairs, n_items: int) -> None:
    """Every request needs candidates, its relevant items among them."""
    for r in np.setdiff1d(np.arange(len(of.requests)), allowed // n_items)[:1].tolist():
        request = of.requests[r]
        raise InputError(
            f"request {quote(request)} has no candidates. Give every judged request some.",
            kind="candidates",
            request=request,
        )
    lost = np.flatnonzero((of.grade > 0) & ~np.isin(judged_pairs, allowed))
    for j in lost[:1].tolist():
        request, item = of.requests[int(of.request[j])], of.items[int(of.item[j])]
        raise InputError(
            f"item {quote(item)} has a grade above 0 for request {quote(request)}, but is none of its candidates: no "
            "run could find it. Add it to the candidates, or take it out of the judgements.",
            kind="candidates",
            request=request,
            item=item,
        )


def empty_pairs() -> Pairs:
    return np.empty(0, dtype=np.int64)


def without(pairs: Pairs, others: Pairs) -> Pairs:
    return pairs[~np.isin(pairs, others)]


def pairs_of(table: Judgements, requests: Ids, items: Ids) -> Pairs:
    """The pairs of a table whose request is judged, each once."""
    request = places_of(table.requests, requests)[table.request]
    item = places_of(table.items, items)[table.item]
    return np.unique(request[request >= 0] * len(items) + item[request >= 0])


def places_of(names: Ids, known: Ids) -> NDArray[np.int64]:
    """The place of each name among those known; -1 where it is none of them."""
    places = {name: place for place, name in enumerate(known)}
    return np.array([places.get(name, -1) for name in names], dtype=np.int64)


def all_items(judged: Ids, others: list[Judgements]) -> Ids:
    """The judged items in their places, behind them all others."""
    return Ids.from_names(dict.fromkeys([*judged, *(name for table in others for name in table.items)]))
