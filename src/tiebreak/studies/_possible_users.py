"""The partial order of possible users and providers of a request (LR appendix C, Figs 17 and 18)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from tiebreak._base.checks import check_count
from tiebreak._base.text import plural
from tiebreak.metrics.possible_users import possible_users
from tiebreak.results.plots import Picture
from tiebreak.studies.base import Findings

User = tuple[int, ...]
"""The recall levels of the items that a user wants, or that a provider has, from 1."""
Order = Callable[[User, User], bool]
MOST_RELEVANT = 7
"""Relevant items of a request of which the order, of 127 users then, can be drawn."""


def is_user_better_off(user: User, other: User) -> bool:
    """By every top-heavy recall-level metric (LR definitions 2.1 and 2.2).

    Without its first items a user is no better off, nor with any of them further down: so the last of the items of a
    user who wants as many or more decide.
    """
    last = user[len(user) - len(other) :]
    return len(user) >= len(other) and all(i <= j for i, j in zip(last, other, strict=True))


def is_provider_better_off(provider: User, other: User) -> bool:
    """By every exposure (LR eq 2): without any of its items, or with any further down, a provider has no more."""
    first = provider[: len(other)]
    return len(provider) >= len(other) and all(i <= j for i, j in zip(first, other, strict=True))


def transitive_reduction(members: Sequence[User], is_better_off: Order) -> dict[User, list[User]]:
    """For every member those just below it: no other is between them."""
    below = {x: {y for y in members if y != x and is_better_off(x, y)} for x in members}
    return {
        x: [y for y in members if y in under and not any(y in below[z] for z in under)] for x, under in below.items()
    }


def heights(below: Mapping[User, Sequence[User]]) -> dict[User, int]:
    """How many steps down from each member the longest way to the bottom takes."""
    known: dict[User, int] = {}
    while len(known) < len(below):
        for member, under in below.items():
            if member not in known and all(other in known for other in under):
                known[member] = 1 + max((known[other] for other in under), default=-1)
    return known


def user_part(user: User, level: int) -> str:
    """Which part of LR Fig 18a a user is in, where two rankings last differ at a recall level."""
    if user[0] > level:
        return "tied"
    if user[0] == level:
        return "deciding"
    if user[-1] <= level:
        return "ends by then"
    return "includes it" if level in user else "skips it"


def provider_part(provider: User, level: int) -> str:
    """Which part of LR Fig 18b a provider is in."""
    return "tied" if provider[0] > level else "deciding" if provider == (level,) else "better off"


KINDS: dict[str, tuple[Order, Callable[[User, int], str]]] = {
    "users": (is_user_better_off, user_part),
    "providers": (is_provider_better_off, provider_part),
}


def partial_order(kind: str, m: int, level: int | None) -> Findings:
    """The transitive reduction of the order of all users or providers of a request with m relevant items."""
    check_count(m, "relevant", 1, MOST_RELEVANT)
    is_better_off, part = KINDS[kind]
    members = [tuple(i + 1 for i in user) for user in possible_users(m)]
    below = transitive_reduction(members, is_better_off)
    height = heights(below)
    if level is not None:
        check_count(level, "level", 1, m)
    parts = {one: None if level is None else part(one, level) for one in members}
    one = kind.removesuffix("s")
    columns = (one, "height", "below") if level is None else (one, "height", "part", "below")
    rows = tuple(
        (label(x), height[x], *([] if level is None else [parts[x]]), tuple(map(label, below[x])))
        for x in sorted(members, key=lambda x: (height[x], x))
    )
    edges = sum(map(len, below.values()))
    return Findings(
        columns,
        rows,
        f"Worst off is the {one} of the last relevant item alone, {label((m,))}; {plural(edges, 'step')} between "
        f"{plural(len(members), one)}.",
        tuple(details(kind, m, level)),
        Picture("graph", "x", "y", color=None if level is None else "part", band=("x2", "y2"), text="label"),
        drawing(members, below, height, parts),
    )


def label(member: User) -> str:
    return " ".join(map(str, member))


def details(kind: str, m: int, level: int | None) -> Iterator[str]:
    """What the order and the parts mean."""
    yield {
        "users": "Users by the recall levels of the items they want. Who is above another is served as well or "
        "better by every top-heavy recall-level metric, whatever the ranking (LR appendix C, Fig 17a).",
        "providers": "Providers by the recall levels of their items. Who is above another has as much exposure or "
        "more, whatever the ranking (LR appendix C, Fig 17b).",
    }[kind]
    yield f"{plural(m, 'relevant item')}. Only those just below are listed and drawn; the rest follows by transitivity."
    if level is not None:
        yield {
            "users": f"Two rankings last differ at recall level {level}: tied are users who want only items below it, "
            "deciding those who want it and nothing above it; others are better off than some of these (LR Fig 18a).",
            "providers": f"Two rankings last differ at recall level {level}: tied are providers with items below it "
            "only, deciding is the one with that item alone (LR Fig 18b).",
        }[kind]


def drawing(
    members: Sequence[User], below: Mapping[User, Sequence[User]], height: Mapping[User, int], parts: Mapping[User, Any]
) -> tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]:
    """Names at their places, and the ends of the lines between them."""
    place = places(members, below, height)
    nodes = [(place[x], height[x], "".join(map(str, x)), parts[x], None, None) for x in members]
    lines = [(place[x], height[x], None, None, place[y], height[y]) for x in members for y in below[x]]
    return ("x", "y", "label", "part", "x2", "y2"), (*lines, *nodes)


def places(
    members: Sequence[User], below: Mapping[User, Sequence[User]], height: Mapping[User, int]
) -> dict[User, float]:
    """Where members of the same height are side by side, near those just below them."""
    place: dict[User, float] = {}
    for level in range(max(height.values()) + 1):
        layer = [x for x in members if height[x] == level]
        layer.sort(key=lambda x: (fmean([place[y] for y in below[x]] or [0.0]), x))
        place |= {x: k - (len(layer) - 1) / 2 for k, x in enumerate(layer)}
    return place
