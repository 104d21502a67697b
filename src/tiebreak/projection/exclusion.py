"""Items that are removed from rankings before they are judged, such as what a user is known to have seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiebreak._interface import EXCLUDED, Judged
from tiebreak.inputs import Judgements
from tiebreak.inputs.ids import Ids


def with_excluded(judged: Judged, of: Judgements, excluded: Judgements) -> tuple[Judged, NDArray[np.int64]]:
    """The judgements as the kernels see them, with items that are removed from the rankings of their request.

    An item that is judged and excluded is removed as well: no run can be said to have found it.

    Returns
    -------
    Judged, int array
        And for each of its entries which judgement it is, -1 for none.
    """
    request = mapped(excluded.requests, of.requests)[excluded.request]
    known = request >= 0
    item_code, items = joined(excluded.items, of.items)
    request, item = request[known], item_code[excluded.item[known]]
    out = np.unique(request * len(items) + item)
    judged_pair = of.request * len(items) + of.item
    slot = np.where(np.isin(judged_pair, out), EXCLUDED, judged.slot).astype(np.int32)
    new = out[~np.isin(out, judged_pair)]
    request_of_entry = np.concatenate([of.request, new // len(items)])
    order = np.argsort(request_of_entry, kind="stable")
    counts = np.bincount(request_of_entry, minlength=len(of.requests))
    made = Judged(
        judged.requests,
        items.column,
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        np.concatenate([of.item, new % len(items)]).astype(np.int32)[order],
        np.concatenate([slot, np.full(len(new), EXCLUDED, dtype=np.int32)])[order],
        judged.slots,
    )
    return made, np.where(order < len(of), order, -1)


def mapped(names: Ids, known: Ids) -> NDArray[np.int64]:
    """The place of each name among those known; -1 where it is none of them."""
    places = {name: place for place, name in enumerate(known)}
    return np.array([places.get(name, -1) for name in names], dtype=np.int64)


def joined(names: Ids, known: Ids) -> tuple[NDArray[np.int64], Ids]:
    """The place of each name among those known and, behind them, the new ones; and all of these."""
    places = mapped(names, known)
    new = np.flatnonzero(places < 0)
    places[new] = len(known) + np.arange(len(new))
    return places, Ids.of([*known, *(names[int(k)] for k in new)])
