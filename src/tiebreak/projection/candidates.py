"""Candidate and excluded items: rankings hold only candidates where these are given, and nothing excluded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.text import plural
from tiebreak._kernels.interface import CANDIDATE, EXCLUDED, Judged
from tiebreak.errors import InputError, quote
from tiebreak.inputs import Judgements
from tiebreak.inputs.ids import Ids, offsets

Pairs = NDArray[np.int64]
"""Requests and items as one number each: request x number of items + item."""


def add_unjudged(
    judged: Judged,
    judgements: Judgements,
    excluded: Judgements | None,
    candidates: Judgements | None,
    judged_only: bool,
) -> tuple[Judged, NDArray[np.int64]]:
    """The judgements as the kernels see them, with excluded items and candidates; and each entry's judgement, or -1.

    An item that is judged and excluded is removed as well. Where there are candidates the kernels keep only these.
    """
    others = [name for table in (excluded, candidates) if table is not None for name in table.items]
    items = Ids.from_names(dict.fromkeys([*judgements.items, *others]))
    judged_pairs = judgements.request * len(items) + judgements.item
    removed, allowed = (pair_codes(table, judgements.requests, items) for table in (excluded, candidates))
    slot = np.where(np.isin(judged_pairs, removed), EXCLUDED, judged.slot)
    if candidates is not None:
        slot = np.where(np.isin(judged_pairs, allowed), slot, EXCLUDED)
    new_removed = np.setdiff1d(removed, judged_pairs)
    new_allowed = np.setdiff1d(allowed, np.concatenate([judged_pairs, removed]))[: 0 if judged_only else None]
    pairs = np.concatenate([judged_pairs, new_removed, new_allowed])
    slots = [slot, np.full(len(new_removed), EXCLUDED), np.full(len(new_allowed), CANDIDATE)]
    request = pairs // len(items)
    order = np.argsort(request, kind="stable")
    both = Judged(
        judged.requests,
        items.column,
        offsets(np.bincount(request, minlength=len(judgements.requests))),
        (pairs % len(items)).astype(np.int32)[order],
        np.concatenate(slots).astype(np.int32)[order],
        judged.slots,
    )
    return both, np.where(order < len(judgements), order, -1)


def pair_codes(table: Judgements | None, requests: Ids, items: Ids) -> Pairs:
    """The pairs of a table whose request and item are among these, each once, in order."""
    if table is None:
        return np.empty(0, dtype=np.int64)
    request, item = requests.indices(table.requests)[table.request], items.indices(table.items)[table.item]
    known = (request >= 0) & (item >= 0)
    return np.unique(request[known] * len(items) + item[known])


def check_candidates(judgements: Judgements, candidates: Judgements) -> None:
    """Every request needs candidates, its relevant items among them."""
    known = judgements.requests.indices(candidates.requests)[candidates.request]
    for r in np.setdiff1d(np.arange(len(judgements.requests)), known)[:1].tolist():
        request = judgements.requests[r]
        raise InputError(
            f"request {quote(request)} has no candidates. Give every judged request some.",
            kind="candidates",
            request=request,
        )
    judged = judgements.request * len(judgements.items) + judgements.item
    allowed = pair_codes(candidates, judgements.requests, judgements.items)
    lost = np.flatnonzero((judgements.grade > 0) & ~np.isin(judged, allowed))
    for j in lost[:1].tolist():
        request, item = judgements.requests[int(judgements.request[j])], judgements.items[int(judgements.item[j])]
        raise InputError(
            f"item {quote(item)} has a grade above 0 for request {quote(request)}, but is none of its candidates: no "
            "run could find it. Add it to the candidates, or take it out of the judgements.",
            kind="candidates",
            request=request,
            item=item,
        )


class Removed(NamedTuple):
    """How many excluded items are of judged requests, and how many relevant ones are among them."""

    items: int
    relevant: int

    @classmethod
    def from_tables(cls, judgements: Judgements, excluded: Judgements) -> Removed:
        known = judgements.requests.indices(excluded.requests)[excluded.request] >= 0
        judged = judgements.request * len(judgements.items) + judgements.item
        removed = pair_codes(excluded, judgements.requests, judgements.items)
        return cls(int(known.sum()), int(np.isin(judged[judgements.grade > 0], removed).sum()))

    def note(self, first_excluded: str, first: str) -> str:
        """What was removed from rankings; an error where excluded items are all of other requests."""
        if not self.items:
            raise InputError(
                f"the excluded items are of other requests, as {quote(first_excluded)}; the judgements begin "
                f"with {quote(first)}. Are these files for the same test collection?",
                kind="disjoint",
            )
        lost = f" {plural(self.relevant, 'relevant item')} among them can be found by no run." if self.relevant else ""
        return f"Removed from rankings first: {self.items:,} excluded items.{lost}"


NOTHING_REMOVED = Removed(0, 0)
CANDIDATES = "Rankings are restricted to candidate items."


def removal_notes(judgements: Judgements, excluded: Judgements | None, candidates: Judgements | None) -> Iterator[str]:
    """Which items were removed from rankings."""
    if excluded is not None:
        yield Removed.from_tables(judgements, excluded).note(excluded.requests[0], judgements.requests[0])
    if candidates is not None:
        yield CANDIDATES
