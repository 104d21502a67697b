"""What was read: one row per run, and the choices made while reading."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tiebreak._interface import UNRETRIEVED
from tiebreak._kernels import kernels
from tiebreak.inputs import Judgements
from tiebreak.inputs.judgements import is_relevant
from tiebreak.projection import Positions
from tiebreak.reports.tables import Table

HEADER = ("run", "lines", "requests", "missing", "depth", "relevant found", "tied scores")


def overview(positions: Positions, judgements: Judgements) -> Table:
    return Table(HEADER, tuple(rows(positions)), (*notes(positions), *oddities(positions, judgements)))


def rows(positions: Positions) -> Iterator[tuple[str, ...]]:
    relevant = is_relevant(positions.grade, positions.min_grade)
    for k, name in enumerate(positions.runs):
        listed, depths = positions.listed[k], positions.retrieved[k]
        present = listed > 0
        found = positions.ranks[k, relevant] != UNRETRIEVED
        yield (
            name,
            f"{positions.audits[k].lines:,}",
            f"{present.sum():,}",
            f"{(~present).sum():,}",
            span(depths[present]),
            f"{found.sum():,} of {len(found):,} ({found.mean():.0%})",
            f"{positions.tied[k].sum() / max(listed.sum(), 1):.0%}",
        )


def span(depths: np.ndarray[tuple[int], np.dtype[np.int32]]) -> str:
    """The smallest and the largest, or the one that all have."""
    if not len(depths):
        return "-"
    low, high = int(depths.min()), int(depths.max())
    return f"{low:,}" if low == high else f"{low:,}-{high:,}"


def notes(positions: Positions) -> Iterator[str]:
    m = positions.relevant()
    yield f"{(m > 0).sum():,} requests with {m.sum():,} relevant items ({positions.relevance})."
    order = {"item": "item id, descending", "rank": "rank column, then by item id"}[positions.ties]
    core = "the compiled core" if kernels().__name__.endswith("_core") else "the Python twin of the core"
    yield f"Ranked by score, ties by {order}. Read by {core}."
    yield from uneven_depths(positions)


def uneven_depths(positions: Positions) -> Iterator[str]:
    """Whether some runs could find more than others."""
    deepest = positions.retrieved.max(axis=1)
    if deepest.min() < deepest.max():
        yield (
            f"Depths differ, from {deepest.min():,} to {deepest.max():,}: lexirecall favours the deeper run. "
            "Cut them alike with depth."
        )


def oddities(positions: Positions, judgements: Judgements) -> Iterator[str]:
    """What was odd in the judgements, then in each run."""
    audits = [("judgements", judgements.audit)] if judgements.audit else []
    for name, audit in [*audits, *zip(positions.runs, positions.audits, strict=True)]:
        for oddity in audit.oddities:
            yield f"{name}: {oddity}."
