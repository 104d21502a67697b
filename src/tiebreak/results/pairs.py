"""Pairs of runs over all requests, as comparisons and tests have them: means, intervals and marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import fsum
from typing import TYPE_CHECKING

from tiebreak._base.corrections import ALPHA
from tiebreak._base.text import percent

if TYPE_CHECKING:
    from tiebreak.results.record import Result

RULE = re.compile(r"(?:^|; )(\* .+?\.)(?=\s|$)")
"""The part of a note that says what marks mean."""
UNCORRECTED = "Intervals are not corrected."
"""So that one may exclude 0 where there is no mark."""


def without_mark(note: str) -> str:
    """A note that says what marks mean, for where differences are shown in another way.

    Examples
    --------
    >>> without_mark("AP over 9 requests: 2.2% tied; * p < 0.05 by a two-sided paired t-test.")
    'AP over 9 requests: 2.2% tied; shown: p < 0.05 by a two-sided paired t-test.'
    """
    return RULE.sub(lambda match: match[0].replace("* ", "shown: ", 1), note)


class PairRows:
    """The pairs of a comparison or a test, or of one of its groups: mean, interval, and whether it is marked."""

    def __init__(
        self, result: Result, measure: str, runs: Sequence[str] | None = None, group: str | None = None
    ) -> None:
        self.measure, self.runs = measure, runs
        self.rows = [
            (one["run"], one["other"], one["value"], one["low"], one["high"], result.is_marked(one))
            for one in result.records()
            if one.get("measure", measure) == measure and one.get("group") == group
        ]
        self.confidence = percent(1 - result.settings.get("alpha", ALPHA))
        own = [note for note in result.notes if note.startswith(f"{measure} ")] or result.notes
        self.intervals = tuple(note for note in result.notes if note == UNCORRECTED)
        self.notes = tuple(match[1] for note in own if (match := RULE.search(note)))

    def order(self) -> list[str]:
        """The runs by the sum of their preferences over the others, the best first; those that tie by name.

        Or as they were given.
        """
        if self.runs is not None:
            return list(self.runs)
        sums: dict[str, list[float]] = {}
        for run, other, value, *_ in self.rows:
            sums.setdefault(run, []).append(value)
            sums.setdefault(other, []).append(-value)
        return sorted(sums, key=lambda run: (-fsum(sums[run]), run))

    def signs(self, runs: Sequence[str]) -> list[str]:
        """For every run a line with its signs against all: + where it was shown to be better, - worse, . neither."""
        signs = {(run, run): "=" for run in runs}
        for run, other, value, _, _, is_shown in self.rows:
            sign = (value > 0) - (value < 0) if is_shown else 0
            signs[run, other], signs[other, run] = ".+-"[sign], ".-+"[sign]
        return ["".join(signs.get((run, other), "?") for other in runs) for run in runs]
