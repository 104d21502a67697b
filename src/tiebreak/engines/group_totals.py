"""Sums and counts of every group of requests whose values are not kept: all blocks are visited once more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from heapq import nsmallest
from typing import Any, NamedTuple

import numpy as np

from tiebreak._base.visits import Reduction, Visit
from tiebreak._kernels.interface import Tick
from tiebreak.errors import InputError
from tiebreak.inputs.attributes import MOST_NAMED, check_no_empty, check_none_lacking

MOST_GROUPS = 10_000
"""Groups of which sums are kept."""


class GroupStates(NamedTuple):
    """What is known of every group in several blocks; and which requests have none."""

    totals: dict[str, Any]
    lacking: list[str]  # the first in the order of names
    n_lacking: int
    n_requests: int


@dataclass(frozen=True, eq=False)
class ByGroup:
    """Reduces the requests of every group by themselves, as `task` does with all; exact sums are kept on demand."""

    task: Any
    groups: Mapping[str, str]
    is_exact: bool = False

    def reduce(self, state: Any) -> GroupStates:
        """Of what the task computes of every request of a block."""
        names, places = [*state.requests], self.task.counted_requests(state).tolist()
        by_group: dict[str | None, list[int]] = {}
        for place in places:
            by_group.setdefault(self.groups.get(names[place]), []).append(place)
        lacking = [names[place] for place in by_group.pop(None, [])]
        known = {str(group): self.reduce_group(state, some) for group, some in by_group.items()}
        return GroupStates(known, nsmallest(MOST_NAMED, lacking, key=str.encode), len(lacking), len(places))

    def reduce_group(self, state: Any, places: list[int]) -> Any:
        totals = self.task.reduce_group(self.task.inner.take_requests(state, np.array(places)))
        return self.task.hold(totals) if self.is_exact else self.task.detach(totals)

    def add(self, states: Sequence[GroupStates]) -> GroupStates:
        totals, lacking, n_lacking, n_requests = zip(*states, strict=True)
        groups = dict.fromkeys(group for part in totals for group in part)
        return GroupStates(
            {group: self.add_group([part[group] for part in totals if group in part]) for group in groups},
            nsmallest(MOST_NAMED, (name for names in lacking for name in names), key=str.encode),
            sum(n_lacking),
            sum(n_requests),
        )

    def add_group(self, parts: Sequence[Any]) -> Any:
        total = self.task.add(parts)
        return self.task.hold(total) if self.is_exact else total  # else every sum would hold those it is made of


@dataclass(frozen=True, eq=False)
class OfGroup:
    """What a reduction computes of one group alone; nothing where a block has no request of it."""

    task: Any
    groups: Mapping[str, str]
    group: str
    reduction: Reduction

    def reduce(self, state: Any) -> Any:
        places = [place for place, name in enumerate(state.requests) if self.groups.get(name) == self.group]
        return self.reduction.reduce(self.task.inner.take_requests(state, np.array(places))) if places else None

    def add(self, states: Sequence[Any]) -> Any:
        known = [state for state in states if state is not None]
        return self.reduction.add(known) if known else None


def group_totals(visit: Visit, groups: Mapping[str, str]) -> dict[str, Any]:
    """The totals of every group, in the order in which groups are given; each can be visited by itself."""
    names = dict.fromkeys(groups.values())
    if len(names) > MOST_GROUPS:
        raise InputError(
            f"there are {len(names):,} groups. Where values of requests are not kept, sums are of at most "
            f"{MOST_GROUPS:,}. Join some, or keep values with per_request=True.",
            kind="group",
        )
    task = visit.task
    states: GroupStates = visit.run(ByGroup(task, groups))
    check_none_lacking(states.lacking, states.n_lacking, states.n_requests, "group")
    check_no_empty(names, states.totals)

    @cache
    def exact() -> GroupStates:
        held: GroupStates = visit.run(ByGroup(task, groups, is_exact=True))
        return held

    def totals(group: str) -> Any:
        attached = task.attach(states.totals[group], lambda: exact().totals[group])
        return replace(attached, visit=visit._replace(run=partial(visit_group, group)))

    def visit_group(group: str, reduction: Reduction, tick: Tick | None = None) -> Any:
        return visit.run(OfGroup(task, groups, group, reduction), tick)

    return {group: totals(group) for group in names}
