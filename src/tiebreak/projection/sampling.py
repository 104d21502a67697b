"""Drop labels or requests, for studies of incomplete data (LR 6.2.4, RPP 5.2, AB 5.4).

What happens to a label depends on the seed, its request and its item alone, never on the order of files or lines. So
samples of growing share with one seed contain each other.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_choice, check_share
from tiebreak._kernels.interface import UNRETRIEVED
from tiebreak._kernels.shuffles import STEP, splitmix
from tiebreak.errors import InputError
from tiebreak.inputs.ids import Ids
from tiebreak.inputs.judgements import is_relevant
from tiebreak.projection.position_table import Positions
from tiebreak.projection.proportional import removal_places


def sample_labels(
    positions: Positions, share: float, *, seed: int, by: str = "uniform", of: str = "relevant"
) -> Positions:
    """Keep a share of the relevant items of every request, at least one: max(floor(share * m), 1).

    Parameters
    ----------
    positions : Positions
    share : float
        Between 0 and 1.
    seed : int
    by : {"uniform", "runs", "aspects"}
        Uniformly; with probability proportional to the number of runs that retrieve an item, as when judgements
        come from pooling runs: items are drawn one after another, without replacement; or so that aspects, or
        subtopics, lose labels in proportion to how often they occur. Items without an aspect count as one of their own.
    of : {"relevant", "rated"}
        Of items that are relevant, or of all with a grade above 0, also those below `min_grade`.
    """
    return keep_first(positions, share, label_order(positions, seed, by, of), of)


def label_order(positions: Positions, seed: int, by: str = "uniform", of: str = "relevant") -> NDArray[np.int64]:
    """The place [entry] of every relevant item among those of its request, from 0: the last are removed first."""
    check_choice(by, "by", ("uniform", "runs", "aspects"))
    relevant = is_relevant(positions.grade, least_grade(positions, of))
    request = positions.layout.request
    request_hash, item_hash = fingerprints(positions.requests), fingerprints(positions.items)
    key = uniform = mix(request_hash[request], item_hash[positions.item], seed)
    if by == "runs":
        # The smallest of -log(u) / weight are a draw in proportion to weight (Efraimidis and Spirakis 2006).
        weight = (positions.ranks != UNRETRIEVED).sum(axis=0)
        with np.errstate(divide="ignore"):
            key = -np.log1p(-key) / weight
    if by == "aspects":
        return aspect_order(positions, relevant, uniform)
    # Items that no run retrieves all have the key 0, so the second key decides among them.
    order = np.lexsort((uniform, key, ~relevant, request))
    first = np.searchsorted(request[order], np.arange(len(positions.requests)))
    place = np.empty_like(order)
    place[order] = np.arange(len(order)) - first[request[order]]
    return place


def aspect_order(positions: Positions, relevant: NDArray[np.bool_], uniform: NDArray[np.float64]) -> NDArray[np.int64]:
    """Places by aspects: what is removed takes from each in proportion to how often it occurs (AB 5.4)."""
    rows = positions.subtopics
    if rows is None:
        raise InputError(
            "labels are removed by aspect, and there are none: Experiment(..., aspects=...), --aspects FILE.",
            kind="aspects",
        )
    none, request = len(rows.labels), positions.layout.request
    kept = rows.grade > 0
    entry, label = rows.entry[kept], rows.labels.places_in_order[rows.label[kept]]
    order = np.lexsort((label, entry))
    entry, label = entry[order], label[order]
    slot = np.arange(len(entry)) - np.searchsorted(entry, entry)
    slots = np.full((len(relevant), int(slot.max(initial=0)) + 1), none + 1)
    slots[:, 0] = none  # items without an aspect have one of their own
    slots[entry, slot] = label
    place, entries = np.zeros(len(relevant), dtype=np.int64), np.flatnonzero(relevant)
    entries = entries[np.argsort(request[entries], kind="stable")]
    starts = np.searchsorted(request[entries], np.arange(len(positions.requests) + 1))
    removed = removal_places(starts, slots[entries], none + 1, uniform[entries])
    place[entries] = np.diff(starts)[request[entries]] - 1 - removed
    return place


def least_grade(positions: Positions, of: str) -> float | None:
    """From which grade labels are drawn; None is any above 0."""
    return None if check_choice(of, "of", ("relevant", "rated")) == "rated" else positions.min_grade


def keep_first(positions: Positions, share: float, place: NDArray[np.int64], of: str = "relevant") -> Positions:
    """Only the first of the relevant items of every request, by their places: a share, and at least one."""
    relevant = is_relevant(positions.grade, least_grade(positions, of))
    request = positions.layout.request
    m = np.bincount(request[relevant], minlength=len(positions.requests))
    is_kept = ~relevant | (place < number_kept(m, share)[request])
    source = positions.aspect_source
    if source is not None and source.depth:
        source = source.remove(positions, ~is_kept)
    return replace(positions.keep(is_kept), is_sampled=True, aspect_source=source)


def sample_requests(positions: Positions, share: float, *, seed: int) -> Positions:
    """Keep a share of the requests, at least one: max(floor(share * requests), 1), in their order."""
    return positions.take_requests(sample_indices(positions.requests, share, seed))


def sample_indices(requests: Ids, share: float, seed: int) -> NDArray[np.int64]:
    """The indices of a share of the requests, in order."""
    key = mix(fingerprints(requests), np.uint64(0), seed)
    kept = int(number_kept(np.array([len(requests)]), share)[0])
    return np.sort(np.argsort(key, kind="stable")[:kept])


def number_kept(m: NDArray[np.int64], share: float) -> NDArray[np.int64]:
    """max(floor(share m + 1e-9), 1); the small term is for shares such as 0.7, which float64 rounds down."""
    kept: NDArray[np.int64] = np.maximum(np.floor(check_share(share) * m + 1e-9), 1).astype(np.int64)
    return kept


def fingerprints(ids: Ids) -> NDArray[np.uint64]:
    digests = b"".join(map(digest, ids))
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def digest(text: str) -> bytes:
    """An 8-byte hash, the same on every machine."""
    from hashlib import blake2b

    return blake2b(text.encode(), digest_size=8).digest()


def mix(a: NDArray[np.uint64], b: NDArray[np.uint64] | np.uint64, seed: int | str) -> NDArray[np.float64]:
    """Two fingerprints and a seed as a number in [0, 1): rounds of the SplitMix64 finaliser."""
    start = int.from_bytes(digest(str(seed)), "little")
    state = splitmix(splitmix(a + np.uint64(start) + STEP) + b + STEP)
    fraction: NDArray[np.float64] = (state >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return fraction
