"""``--format pref_eval``: JSON lines with the keys of pref_eval and pref_aggregate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiebreak.comparison import Comparison
    from tiebreak.orderings import Ordering

Lines = tuple[tuple[str, ...], Iterator[tuple[Any, ...]]]
"""Keys, and the values of every line."""


def preferences(comparisons: Sequence[Comparison], per_request: bool) -> Lines:
    """A line per request and pair, or per pair with means, with the value of each measure; NaN where one has none."""
    header = ("qid", "runi", "runj", "type", *(one.measure for one in comparisons))
    names = list(comparisons[0].names())
    if not per_request:
        means = zip(names, *(one.mean.tolist() for one in comparisons), strict=True)
        return header, (("all", *pair, "preference", *values) for pair, *values in means)
    known = [dict(zip(one.requests, one.values.T.tolist(), strict=True)) for one in comparisons]
    nothing = [float("nan")] * len(names)
    requests = dict.fromkeys(request for values in known for request in values)
    return header, (
        (request, *pair, "preference", *values)
        for request in requests
        for pair, *values in zip(names, *(values.get(request, nothing) for values in known), strict=True)
    )


def orders(comparisons: Sequence[Comparison], by: str | None) -> Lines:
    """One line: for each measure the runs, the best first, by several methods; and under ``tied`` which of them tie."""
    lists = []
    for one in comparisons:
        kind = "metric" if one.is_of_numbers else "preference"
        methods = dict.fromkeys(["mc4", "borda", one.order(by).by])
        lists.append({"type": kind, **rankings([one.order(method) for method in methods])})
    return ("qid", *(one.measure for one in comparisons)), iter([("all", *lists)])


def population_orders(orderings: Sequence[Ordering], names: Sequence[str]) -> Lines:
    """One line of orders by populations."""
    lists = [{"type": "population", **rankings([ordering])} for ordering in orderings]
    return ("qid", *names), iter([("all", *lists)])


def request_orders(comparisons: Sequence[Comparison]) -> Lines:
    """A line per request: the runs by each measure, the best first; and which of them tie."""
    names = [one.measure for one in comparisons]
    ranks: dict[str, dict[str, dict[str, int]]] = {}
    for one in comparisons:
        for row in one.order_requests().rows():
            ranks.setdefault(row.request, {}).setdefault(row.measure, {})[row.run] = row.rank
    return ("qid", *names, "tied"), (
        (
            request,
            *(list(known[name]) if name in known else None for name in names),
            {name: runs_sharing_a_rank(by_run) for name, by_run in known.items()},
        )
        for request, known in ranks.items()
    )


def rankings(orderings: Sequence[Ordering]) -> dict[str, Any]:
    """By method the runs, the best first; under ``tied`` the groups of them that share a rank."""
    return {
        **{one.by: one.ranking() for one in orderings},
        "tied": {one.by: [list(group) for group in one.groups if len(group) > 1] for one in orderings},
    }


def runs_sharing_a_rank(ranks: dict[str, int]) -> list[list[str]]:
    """The groups of runs that share a rank."""
    groups = ([run for run, rank in ranks.items() if rank == shared] for shared in dict.fromkeys(ranks.values()))
    return [group for group in groups if len(group) > 1]
