"""What a page says of runs that rank items: all measures, pairs, recall levels and items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tiebreak._base.text import first_line, plural
from tiebreak.comparison import Comparison, compare
from tiebreak.inputs.attributes import group_places
from tiebreak.metrics import Metric, metric
from tiebreak.preferences import DEFAULTS, is_preference, preference
from tiebreak.projection import Positions
from tiebreak.reports.answers import Claims, claims
from tiebreak.reports.content import (
    Content,
    MeasureContent,
    build_measures,
    first_runs,
    largest_groups,
    most_compared,
)
from tiebreak.reports.details import recall_curve, request_details, telling_requests
from tiebreak.reports.leaders import metric_leaders, preference_leaders
from tiebreak.reports.utility_content import marked_table, orders_by_case, served_utilities
from tiebreak.results.means import MeanInterval
from tiebreak.results.record import Result
from tiebreak.score_groups import ScoreGroups
from tiebreak.scores import Scores

METRICS = ("nDCG@10", "AP", "RR")
"""Those that most readers know."""
USERS = {
    "RPP": "the average user",
    "LexiRecall": "users who need every relevant item",
    "LexiPrecision": "users who need one relevant item",
}
ABOUT = {
    "RPP": "average case: users who want 1, 2, ... relevant items, equally likely",
    "LexiRecall": "worst case: users who want every relevant item; earlier ones break ties",
    "LexiPrecision": "best case: users who want one relevant item; later ones break ties",
}
WITH_ASPECTS = ("alpha_beta_nDCG@10", "S-Recall@10", "ILD@10")
WITH_SUBTOPICS = ("ERR_IA@20", "P_IA@20", "STREC@20")
"""Not alpha_nDCG: of that, exact differences take minutes."""
SUBTOPIC_PREFERENCE = "ST-RPP"
DETAIL_BYTES = 250_000
"""Bytes of the positions of items in a page."""


@dataclass(frozen=True, eq=False)
class Rankings:
    """An experiment, and what a page says of it by which measures.

    Attributes
    ----------
    experiment : Experiment
    specs : tuple of str
        Measures beside the default preferences.
    group_by_request : dict, optional
    has_aspects : bool
        Items have aspects of their own, beside subtopics of the judgements.
    seed : int
        Of the bootstrap of ranks.
    inputs, settings : dict
    """

    experiment: Any
    specs: tuple[str, ...]
    group_by_request: Mapping[str, str] | None
    has_aspects: bool
    seed: int
    inputs: Mapping[str, str | None]
    settings: Mapping[str, Any]

    @cached_property
    def metrics(self) -> list[str]:
        """Those asked for; with nDCG@10 where none of them says how well a request is served, else the default."""
        several = [spec for spec in self.specs if not is_preference(spec)] or list(METRICS)
        return several if any(map(is_utility, several)) else [*several, METRICS[0]]

    @cached_property
    def first_metric(self) -> str:
        """The metric of the answer and of the requests that are served worst."""
        return next(filter(is_utility, self.metrics))

    @cached_property
    def diversity(self) -> tuple[str, ...]:
        """Measures of diversity, where items have aspects or judgements subtopics."""
        if self.has_aspects:
            return WITH_ASPECTS
        return () if self.experiment.judgements.subtopics is None else WITH_SUBTOPICS

    @cached_property
    def names(self) -> list[str]:
        """All measures that readers can choose among."""
        subtopics = [SUBTOPIC_PREFERENCE] if self.diversity else []
        others = [spec for spec in self.specs if is_preference(spec)]
        return list(dict.fromkeys([*DEFAULTS, *subtopics, *others, *self.metrics]))

    @cached_property
    def positions(self) -> Positions:
        self.experiment.read([*self.names, *self.diversity])
        positions: Positions = self.experiment.positions
        return positions

    @cached_property
    def scores(self) -> Scores:
        scores: Scores = self.experiment.evaluate(self.metrics)
        return scores

    @cached_property
    def intervals(self) -> dict[tuple[str, str], MeanInterval]:
        return {(row.run, row.measure): row for row in self.scores.intervals().values}

    @cached_property
    def scores_by_group(self) -> ScoreGroups[Scores]:
        """The scores of every group of requests, if there are any."""
        return self.scores.by_group(self.group_by_request)

    @cached_property
    def run_places(self) -> list[int]:
        """The places of the runs that are compared: all, or those with the best mean of the first metric."""
        order = self.scores.summary(self.first_metric).values[:: len(self.metrics)]
        places = {run: k for k, run in enumerate(self.positions.runs)}
        return first_runs((places[row.run] for row in order), most_compared(len(self.positions.requests)))

    @cached_property
    def groups(self) -> Mapping[str, int]:
        """The largest groups of requests, with their sizes."""
        counted = np.flatnonzero(self.positions.relevant() > 0)
        return largest_groups(self.positions.requests.take(counted), self.group_by_request)

    def content(self) -> Content:
        """All that the page says."""
        positions, runs = self.positions, self.positions.runs
        served, orders = self._worst_cases()  # first: its utilities are not kept beside the scores
        measures, paired = build_measures(self.names, self.run_places, self._compare, self._describe)
        m = positions.relevant()
        curve, details = self._details(measures, paired)
        return Content(
            title=f"Comparison of {plural(len(runs), 'run')}",
            subtitle=f"{plural(int((m > 0).sum()), 'request')}, {plural(int(m.sum()), 'relevant item')}",
            runs=runs,
            paired=paired,
            groups=self.groups,
            n_groups=len({*(self.group_by_request or {}).values()}),
            measures=measures,
            claims=self._claims(measures) if len(runs) > 1 else None,
            audit=self.experiment.audit(),
            served=served,
            orders=orders,
            group_table=self._group_table(),
            diversity=[marked_table(self.experiment.evaluate(self.diversity), len(runs))] if self.diversity else [],
            inputs=self.inputs,
            settings={"measures": self.names, **self.settings},
            curve=curve,
            details=details,
        )

    def _worst_cases(self) -> tuple[dict[str, Any], list[Result]]:
        """Sorted utilities of the first metric, and orders of runs by them."""
        utilities = self.experiment.utilities(self.first_metric, groups=self.group_by_request)
        return served_utilities(utilities), orders_by_case(utilities)

    def _compare(self, name: str) -> Comparison | None:
        """The comparison by a measure; None where there is one run, or the measure does not say which is better."""
        if len(self.run_places) < 2:
            return None
        if not (is_preference(name) or is_utility(name)):
            return None
        is_all = len(self.run_places) == len(self.positions.runs)
        return compare(self.positions if is_all else self.positions.take_runs(self.run_places), name)

    def _describe(self, name: str, comparison: Comparison | None, letters: Mapping[str, str]) -> MeasureContent:
        entry = preference(name) if is_preference(name) else metric(name)
        about = ABOUT.get(name) or first_line(type(entry).__doc__ or "").rstrip(".")
        if isinstance(entry, Metric):
            parts = [self.scores_by_group[group] for group in self.groups]
            leaders = metric_leaders(self.scores, name, self.intervals, letters, parts)
            better = "lower" if entry.traits.lower_is_better else "higher"
            return MeasureContent(name, about, "metric", better, leaders)
        if comparison is None:
            return MeasureContent(name, about, "preference", "higher", [])
        places = group_places(comparison.requests, self.group_by_request or {}) if self.groups else {}
        in_groups = [comparison.take_requests(places[group]) for group in self.groups]
        leaders = preference_leaders(comparison, letters, in_groups, self.seed)
        return MeasureContent(name, about, "preference", "higher", leaders)

    def _claims(self, measures: Sequence[MeasureContent]) -> Claims:
        """Those of the three preferences and of the first metric."""
        answering = [*DEFAULTS, self.first_metric]
        return claims([one.numbers for one in measures if one.name in answering and one.numbers], USERS)

    def _details(
        self, measures: Sequence[MeasureContent], paired: Sequence[int]
    ) -> tuple[Any, Mapping[str, Any] | None]:
        """Recall levels of all pairs in the page, and positions in the requests that tell most."""
        if len(paired) < 2:
            return None, None
        positions = self.positions.take_runs(paired)
        curve = recall_curve(positions, *np.triu_indices(len(paired), 1))
        first = measures[0].numbers
        assert first is not None, "several runs are compared by the first measure"
        place = {self.run_places[run]: k for k, run in enumerate(first.order.tolist())}
        counted = positions.requests.take(np.flatnonzero(positions.relevant() > 0))
        telling = telling_requests([one.deciding for one in measures], place)
        return curve, request_details(positions, list(dict.fromkeys([*telling, *counted])), DETAIL_BYTES)

    def _group_table(self) -> list[Result]:
        """The first metric in every group, with letters."""
        if self.group_by_request is None:
            return []
        first = self.experiment.evaluate(self.first_metric)
        return [marked_table(first.by_group(self.group_by_request), len(first.runs))]


def is_utility(spec: str) -> bool:
    """Whether a metric says how well every request is served."""
    chosen = metric(spec)
    return chosen.is_comparable and chosen.total in ("mean", "sum")
