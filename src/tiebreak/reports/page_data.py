"""The content of a page as data for its interactive parts, in as few characters as it needs."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any

import numpy as np

from tiebreak.reports.content import Content, MeasureContent
from tiebreak.reports.details import MOST_LEVELS
from tiebreak.reports.leaders import Leader
from tiebreak.results.labels import short_names

DIGITS = (5, 7, 17)
"""Significant digits: as few of these as change no decimal that is shown."""
SHOWN = (2, 3, 4)
"""Decimals with which pages show numbers."""


def short_number(value: float) -> float | int | None:
    """A number with as few digits as show the same decimals; None where it is not finite.

    Examples
    --------
    >>> short_number(0.123456789), short_number(2.0), short_number(1e-9), short_number(float("nan"))
    (0.12346, 2, 1e-09, None)
    >>> short_number(0.12344999)      # 0.12345 would be shown as 0.1235
    0.12344999
    """
    if not isfinite(value):
        return None
    shown = [f"{value:.{decimals}f}" for decimals in SHOWN]
    several = (float(f"{value:.{digits}g}") for digits in DIGITS)
    short = next(short for short in several if [f"{short:.{decimals}f}" for decimals in SHOWN] == shown)
    return int(short) if short.is_integer() else short


def short_numbers(values: Iterable[float]) -> list[float | int | None]:
    return [short_number(float(value)) for value in values]


def page_data(content: Content) -> dict[str, Any]:
    """What the interactive parts read; runs and requests are numbers, by their places in the lists of names."""
    deciding = (row for one in content.measures for rows in one.deciding.values() for row in rows)
    requests = dict.fromkeys([*(request for request, _ in deciding), *(content.details or ())])
    code = {request: k for k, request in enumerate(requests)}
    place = {run: k for k, run in enumerate(content.runs)}
    labels = list(short_names(content.runs).values())
    return {
        "runs": list(content.runs),
        "labels": None if labels == list(content.runs) else labels,
        "requests": list(requests),
        "groups": [{"name": name, "requests": size} for name, size in content.groups.items()],
        "paired": content.paired,
        "measures": [measure_data(one, content.paired, place, code) for one in content.measures],
        "levels": MOST_LEVELS,
        "curve": None if content.curve is None else [short_numbers(row) for row in content.curve.tolist()],
        "details": None if content.details is None else {code[name]: one for name, one in content.details.items()},
    }


def measure_data(one: MeasureContent, paired: list[int], place: dict[str, int], code: dict[str, int]) -> dict[str, Any]:
    return {
        "name": one.name,
        "about": one.about,
        "kind": one.kind,
        "better": one.better,
        "leaders": [leader_data(leader, place) for leader in one.leaders],
        **pair_data(one, paired, place, code),
    }


def leader_data(leader: Leader, place: dict[str, int]) -> list[Any]:
    numbers = short_numbers((leader.value, leader.low, leader.high))
    return [place[leader.run], leader.rank, *numbers, leader.letters, short_numbers(leader.groups), leader.mc4]


def pair_data(one: MeasureContent, paired: list[int], place: dict[str, int], code: dict[str, int]) -> dict[str, Any]:
    """All pairs in the page, each list in the order (1, 2), (1, 3), ..., (2, 3), ... of `paired`."""
    numbers = one.numbers
    if numbers is None:
        return {"pairs": None}
    places = [place[run] for run in numbers.runs]
    wanted = {*paired}
    pairs = [(places[x], places[y]) for x, y in zip(numbers.x.tolist(), numbers.y.tolist(), strict=True)]
    rows = np.array([k for k, pair in enumerate(pairs) if {*pair} <= wanted], dtype=np.int64)
    wins, ties, losses = numbers.counts[rows].T.tolist()
    return {
        "n": numbers.n_requests,
        "rule": numbers.criterion,
        "pairs": {
            "mean": short_numbers(numbers.mean[rows]),
            "low": short_numbers(numbers.interval[rows, 0]),
            "high": short_numbers(numbers.interval[rows, 1]),
            "wins": wins,
            "ties": ties,
            "losses": losses,
            "p": short_numbers(numbers.corrected[rows]) if numbers.is_tested else None,
            "shown": "".join("01"[is_shown] for is_shown in numbers.is_shown[rows].tolist()),
            "deciding": [
                [cell for request, value in one.deciding[pairs[k]] for cell in (code[request], short_number(value))]
                for k in rows.tolist()
            ],
        },
    }
