"""What the first items are, relevant or not: the shared base of measures beside accuracy."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import ClassVar

import numpy as np

from tiebreak.errors import InputError
from tiebreak.exact.held import Places
from tiebreak.inputs.ids import Ids, ranges
from tiebreak.metrics.base import Metric, Traits
from tiebreak.projection import Positions
from tiebreak.projection.needs import Needs
from tiebreak.projection.position_table import take_top


class ShownItems(Metric):
    """A metric of the first k items, whether relevant or not."""

    traits: ClassVar[Traits] = Traits(cutoff="must", rises=False, sees_relevance=False, high=inf)
    spec_parameters: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rel is not None:
            raise InputError(f"{self.name} counts items, relevant or not. Leave out rel={self.rel:g}.", kind="spec")

    @property
    def needs(self) -> Needs:
        return Needs(aspects=int(self.cutoff or 1))

    def first_items(self, positions: Positions) -> Iterator[tuple[Places, Places, Ids]]:
        """For every run: request, rank and name of its first items."""
        if positions.top is None:
            raise InputError(f"{self} needs the first items of rankings. Use Experiment(...).", kind="choice")
        requests = np.arange(len(positions.requests))
        for top in positions.top:
            first = take_top(top, requests, int(self.cutoff or 1))
            sizes = np.diff(first.starts)
            yield np.repeat(requests, sizes), 1 + ranges(np.zeros_like(sizes), sizes), Ids(*first.items)
