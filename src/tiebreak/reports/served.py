"""Who is served worst: the sorted utilities of every run, and the requests at their lower end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tiebreak.inputs import Ids
from tiebreak.projection.primitives import Floats

MOST_PLACES = 50
"""Points of a line of sorted utilities."""
MOST_WORST = 8
"""The worst requests of a run that are named."""
MOST_LINES = 100
"""Runs with sorted utilities in the page."""


def sorted_places(n: int) -> list[int]:
    """Places of sorted utilities, the first and the last among them; of many some.

    Examples
    --------
    >>> sorted_places(3), len(sorted_places(1000)), sorted_places(1000)[-1]
    ([0, 1, 2], 50, 999)
    """
    return list(range(n)) if n <= MOST_PLACES else [k * (n - 1) // (MOST_PLACES - 1) for k in range(MOST_PLACES)]


def worst_requests(values: Floats, requests: Ids) -> list[tuple[str, float]]:
    """The requests with the smallest utilities; equal ones by their names."""
    n = min(MOST_WORST, len(values))
    bound = np.partition(values, n - 1)[n - 1]
    places = np.flatnonzero(values <= bound)
    order = places[np.lexsort((requests.places_in_order[places], values[places]))][:n]
    return [(requests[int(place)], float(values[place])) for place in order]


def worst_served(
    measure: str, runs: tuple[str, ...], requests: Ids, values: Floats, order: list[int]
) -> dict[str, Any]:
    """The utilities [run, request] of the first runs of an order, from the worst request to the best."""
    places = sorted_places(values.shape[1])
    shown = order[:MOST_LINES]
    lines = {r: np.sort(values[r]) for r in shown}
    return {
        "measure": measure,
        "n": values.shape[1],
        "places": [place + 1 for place in places],
        "median": np.median([line[places] for line in lines.values()], axis=0).tolist(),
        "runs": [served_run(runs[r], values[r], lines[r], places, requests) for r in shown],
    }


def served_run(run: str, values: Floats, line: Floats, places: list[int], requests: Ids) -> Mapping[str, Any]:
    lowest = float(line[0])
    return {
        "run": run,
        "line": line[places].tolist(),
        "lowest": lowest,
        "at_lowest": int(np.count_nonzero(line == lowest)),
        "worst": worst_requests(values, requests),
    }
