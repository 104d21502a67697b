"""How many users know each item: a choice by all judgements, made once before blocks of them are computed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError
from tiebreak.inputs import Ids, Judgements

ITEM_BYTES = 200
"""What holding the name of an item and its number takes, about."""


@dataclass(frozen=True, eq=False)
class Popularity:
    """How many users rated each item above 0, and how many users there are."""

    items: Ids
    users: NDArray[np.int64]
    n_users: int

    @classmethod
    def from_judgements(cls, judgements: Judgements) -> Popularity:
        users = np.bincount(judgements.item[judgements.grade > 0], minlength=len(judgements.items))
        return cls(judgements.items, users, len(judgements.requests))

    @classmethod
    def join(cls, parts: Iterable[Popularity], memory: float = inf) -> Popularity:
        """Of the judgements of several blocks, in which no user is twice; an error where items are too many to hold."""
        users: dict[str, int] = {}
        n_users = 0
        for part in parts:
            n_users += part.n_users
            for item, count in zip(part.items, part.users.tolist(), strict=True):
                users[item] = users.get(item, 0) + count
            if len(users) * ITEM_BYTES > memory:
                raise InputError(
                    f"there are more than {len(users):,} judged items: counting the users of each takes more than "
                    f"memory={memory:,.0f}. Give more, or ratings of a sample of the users as train=.",
                    kind="memory",
                )
        return cls(Ids.from_names(users), np.fromiter(users.values(), np.int64, len(users)), n_users)

    def count_users(self, items: Ids) -> NDArray[np.int64]:
        """How many users know each of some items; 0 where nobody does."""
        return np.append(self.users, 0)[self.items.indices(items)]
