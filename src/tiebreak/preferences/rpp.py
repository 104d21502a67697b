"""Recall-paired preference (RPP): the share of users who are better off, minus that of those who are worse off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_number
from tiebreak.exact import Doubles, decimal, like
from tiebreak.exact.arithmetic import decimals, whole_numbers
from tiebreak.exact.held import Places
from tiebreak.inputs.judgements import is_relevant
from tiebreak.metrics.graded_entries import GradedEntries
from tiebreak.preferences.base import Traits
from tiebreak.preferences.grades import check_fit, check_grades, parse_grades
from tiebreak.preferences.pair_values import PairValues
from tiebreak.preferences.paired_levels import Mask, PairedPreference
from tiebreak.preferences.pairs import Pairs
from tiebreak.projection import Positions
from tiebreak.projection.primitives import Floats


@dataclass(frozen=True)
class RecallPairedPreference(PairedPreference):
    r"""Average case: how many more users prefer one ranking, all recall levels 1, ..., m being equally likely.

    .. math:: \mathrm{RPP}(p, p') = \sum_{i=1}^{m} w_i \, \mathrm{sgn}(p'_i - p_i)

    Where a request has several grades, each grade that is present makes a population whose users are content with it
    and better, weighed by its number of items (RPP eqs 4 and 5). Ties only where as many users gain as lose.

    Parameters
    ----------
    grades : str, path, list or dict, optional
        The grades that make populations, such as ``'1,2,3'``, by default those that are present in the request; or
        how likely each is, ``'1:0.5,2:0.3,3:0.2'``, ``{1: 0.5, 2: 0.3, 3: 0.2}`` or a table of grade and weight.
        Weights are normalised over the populations that have an item.

    Examples
    --------
    >>> tb.compare(tb.positions([[1, 2, 3, None], [10, 20, 30, 40]]), "RPP").values.tolist()   # (3 - 1) / 4
    [[0.5]]

    Users who want the best grade are three times as likely as those who want any:

    >>> exp = tb.Experiment({"q": {"a": 1, "b": 2}}, [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"x": 2.0, "b": 1.0}}])
    >>> exp.compare("RPP(grades='1:1,2:3')").values.tolist()      # (1 x (1 + 1) / 2 + 3 x 0) / 4
    [[0.25]]
    """

    grades: str | None = None
    name: ClassVar[str] = "RPP"
    traits: ClassVar[Traits] = Traits(uses_grades=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.grades is not None:
            object.__setattr__(self, "grades", check_grades(self.grades))

    def compare(self, positions: Positions, pairs: Pairs) -> PairValues:
        self.check_fit(positions)
        return super().compare(positions, pairs)

    def check_fit(self, positions: Positions) -> None:
        """Check the grades that make populations against those of the items."""
        if self.grades is not None and not positions.is_sampled:
            largest = positions.grade_scale.highest
            check_fit((grade for grade, _ in parse_grades(self.grades)), self.min_grade(positions), largest, str(self))

    def labels(self, positions: Positions) -> Places:
        return GradedEntries(positions, self.min_grade(positions)).labels(None)

    def populations(self, positions: Positions) -> Iterator[Mask]:
        if self.grades is not None:
            yield from (positions.grade >= grade for grade, _ in parse_grades(self.grades))
            return
        relevant = is_relevant(positions.grade, self.min_grade(positions))
        yield from grade_populations(positions.layout.request, positions.grade, relevant)

    def has_weights(self, positions: Positions) -> bool:
        return ":" in (self.grades or "")

    def users(self, positions: Positions, sizes: Places, x: Any) -> Sequence[Any]:
        if not self.has_weights(positions):
            return super().users(positions, sizes, x)
        weights = [like(weight or 0.0, x) for _, weight in parse_grades(self.grades or "")]
        return [whole_numbers(size > 0, x) * weight for size, weight in zip(sizes, weights, strict=True)]


@dataclass(frozen=True)
class SubtopicRecallPairedPreference(PairedPreference):
    r"""RPP for users who want one subtopic each, and for users who want any (RPP eq 6).

    Every subtopic with a relevant item makes a population, weighed by its number of items; all relevant items make one
    more, the background. Grades do not count inside a population; an item may count in several. Where an experiment has
    ``intents``, the users who want one subtopic are divided by them.

    Parameters
    ----------
    background : float, optional
        The share of users who want any subtopic, 0 for none of them; by default as many as the request has relevant
        items, beside as many for every subtopic as it has.

    Examples
    --------
    >>> judged = {"q": {"a": {"1": 1}, "b": {"2": 1}}}
    >>> runs = [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 2.0}}]
    >>> exp = tb.Experiment(judged, runs)
    >>> exp.compare("ST-RPP").values.tolist()      # (1 + 1 - 1 + 0) / 4: any item at 2 levels, topic 1, topic 2
    [[0.25]]
    >>> exp = tb.Experiment(judged, runs, intents={"q": {"1": 0.75, "2": 0.25}})
    >>> exp.compare("ST-RPP(background=0)").values.tolist()      # 3/4 - 1/4
    [[0.5]]
    """

    background: float | None = parameter(None, check_number, low=0, below=1)
    name: ClassVar[str] = "ST-RPP"

    def populations(self, positions: Positions) -> Iterator[Mask]:
        entry, place, _ = self.subtopics(positions)
        if self.background != 0:
            yield is_relevant(positions.grade, self.min_grade(positions))
        for k in range(max(place.max(initial=-1), 0) + 1):
            mask = np.zeros(len(positions.item), dtype=bool)
            mask[entry[place == k]] = True
            yield mask

    def subtopics(self, positions: Positions) -> tuple[Places, Places, Floats | None]:
        """The relevant items of subtopics: entries, places of the subtopic in its request, and intents."""
        rows = positions.require_subtopics(self.name)
        wanted = np.flatnonzero(is_relevant(rows.grade, self.min_grade(positions)))
        entry = rows.entry[wanted]
        place = dense_places(positions.layout.request[entry], rows.label[wanted])
        return entry, place, None if rows.intent is None else rows.intent[wanted]

    def has_weights(self, positions: Positions) -> bool:
        return bool(self.background) or (positions.subtopics is not None and positions.subtopics.intent is not None)

    def users(self, positions: Positions, sizes: Places, x: Any) -> Sequence[Any]:
        first = 0 if self.background == 0 else 1
        topics, anybody = whole_numbers(sizes[first:], x), whole_numbers(sizes[0], x)
        entry, place, intent = self.subtopics(positions)
        if intent is not None:
            likely = np.zeros(topics.shape)
            likely[place, positions.layout.request[entry]] = intent
            topics = normalise(decimals(likely, x), x) * topics.sum(axis=0)
        if self.background:
            topics = normalise(topics, x) * like(1 - decimal(self.background), x)
            anybody = whole_numbers(sizes[0] > 0, x) * like(self.background, x)
        return [anybody][:first] + [topics[k] for k in range(len(topics))]


def normalise(weights: Any, x: Any) -> Any:
    """Weights [population, request] in the arithmetic of x, as shares of their sum in every request, or all 0."""
    whole = weights.sum(axis=0)
    is_zero = (whole.high if isinstance(whole, Doubles) else whole) == 0
    return weights / (whole + whole_numbers(is_zero, x))


def grade_populations(request: NDArray[np.int64], grade: Floats, relevant: Mask) -> Iterator[Mask]:
    """For k = 1, 2, ...: the relevant entries with the k largest grades of their request, where it has k."""
    entries = np.flatnonzero(relevant)
    if len(entries) == 0 or np.ptp(grade[entries]) == 0:  # one grade is one population
        yield relevant
        return
    place = np.full(len(relevant), -1)
    place[entries] = dense_places(request[entries], -grade[entries])
    last = np.full(request.max(initial=-1) + 1, -1)
    np.maximum.at(last, request[entries], place[entries])
    for k in range(place.max(initial=-1) + 1):
        yield (place >= 0) & (place <= k) & (last[request] >= k)


def dense_places(request: NDArray[np.int64], key: NDArray[Any]) -> NDArray[np.int64]:
    """The rank 0, 1, ... of every key among the distinct keys of its request."""
    order = np.lexsort((key, request))
    new_request = np.diff(request[order], prepend=-1) != 0
    new_key = new_request | (np.diff(key[order], prepend=0) != 0)
    count = np.cumsum(new_key) - 1
    place = np.empty_like(order)
    place[order] = count - np.maximum.accumulate(np.where(new_request, count, 0))
    return place
