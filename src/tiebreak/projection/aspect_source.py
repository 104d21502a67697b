"""Where the aspects of items come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak.inputs import Judgements
from tiebreak.projection.popularity import Popularity

if TYPE_CHECKING:
    from tiebreak.projection.aspect_rankings import AspectRankings
    from tiebreak.projection.position_table import Positions

Mask: TypeAlias = NDArray[np.bool_]
EVERY = "*"
"""The request whose intents are those of all requests that have none of their own."""


@dataclass(frozen=True, eq=False)
class AspectSource:
    """Where the aspects of items come from: a mapping, or the subtopics of judgements, with all their grades.

    `train` are other ratings that tell which aspects a user likes; rankings are read to `depth`. Judgements that are
    not `kept` were removed: their items count as not rated. The scale of ratings stays that of all. Where judgements
    are only those of a block of requests, `largest` is the largest rating of all, and `popularity` counts the users of
    every item in all, if that is needed. `is_part` says that rankings are of some requests.
    """

    judgements: Judgements
    aspects: Mapping[str, Sequence[str]] | None = None
    train: Judgements | None = None
    depth: int = 0
    kept: Mask | None = None
    largest: float | None = None
    popularity: Popularity | None = None
    is_part: bool = False

    def remove(self, positions: Positions, entries: Mask) -> AspectSource:
        """Without the judgements of some entries of positions."""
        judgements, size = self.judgements, len(self.judgements.items)
        requests = judgements.requests.indices(positions.requests)[positions.layout.request[entries]]
        items = judgements.items.indices(positions.items)[positions.item[entries]]
        kept = ~np.isin(judgements.request * size + judgements.item, requests * size + items)
        return replace(self, kept=kept if self.kept is None else kept & self.kept)

    @property
    def known_items(self) -> Popularity:
        """How many users know each item, by the training ratings or else the judgements."""
        if self.train is None and self.popularity is not None:
            return self.popularity
        return Popularity.from_judgements(self.train or self.judgements)

    @property
    def is_known(self) -> bool:
        return self.aspects is not None or self.judgements.subtopics is not None

    def rankings(self, positions: Positions) -> AspectRankings:
        """The first items of rankings that were read with ``top``."""
        from tiebreak.projection.aspect_rankings import read_rankings

        return read_rankings(self, positions)


def nest_intents(intents: Any) -> Any:
    """Intents by request; those without one are for every request."""
    is_flat = isinstance(intents, Mapping) and intents and not any(isinstance(v, Mapping) for v in intents.values())
    return {EVERY: intents} if is_flat else intents
