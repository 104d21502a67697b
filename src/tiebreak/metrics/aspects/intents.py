"""Measures of TREC's Web track, as NIST's ndeval computes them: every subtopic is an intent.

Intents are equally likely where nothing else is known. The share of subtopics shown, STREC, knows no likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak._interface import UNRETRIEVED
from tiebreak.errors import InputError
from tiebreak.metrics.aspects.scale import check_between, check_ratings, check_scale
from tiebreak.metrics.aspects.shown import Block, blocks, blocks_of_rankings
from tiebreak.metrics.base import Metric, Traits
from tiebreak.projection import Positions
from tiebreak.projection.aspect_rankings import AspectRankings
from tiebreak.projection.primitives import Floats

ALPHA = 0.5
Whole = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class SubtopicMetric(Metric):
    """A measure of which subtopics the relevant items show; NaN where a request has none."""

    def evaluate(self, positions: Positions) -> Floats:
        if positions.subtopics is not None:
            self.check_grades(float(positions.subtopics.grade.max(initial=0.0)))
        values = np.full((len(positions.runs), len(positions.requests)), np.nan)
        for block in blocks(positions, self.rel):
            values[:, block.requests] = self.of(block)
        return values

    def of_rankings(self, rankings: AspectRankings) -> Floats:
        """Values [run, request] of rankings of rated items, the aspects of relevant ones being their subtopics."""
        self.check_grades(rankings.largest)
        values = np.full(rankings.item.shape[:2], np.nan)
        for block in blocks_of_rankings(rankings, self.rel):
            values[:, block.requests] = self.of(block)
        return values

    def check_grades(self, largest: float) -> None:
        """Refuse grades that the measure has no room for."""

    def of(self, block: Block) -> Floats:
        """Values [run, request] of some requests."""
        raise NotImplementedError

    def within(self, p: Whole) -> Floats:
        """1 where a position counts, else 0."""
        return (p <= (UNRETRIEVED - 1 if self.cutoff is None else self.cutoff)).astype(np.float64)


@dataclass(frozen=True)
class Novelty(SubtopicMetric):
    """A sum of discounted gains, of which each item's is less where its subtopics were shown above it.

    Parameters
    ----------
    alpha : float
        How much a subtopic is worth less each time that it was shown.
    r_max : float, optional
        The largest grade of the scale: an item counts by its grade. Without it all relevant items count alike, as in
        ndeval.
    """

    alpha: float = ALPHA
    r_max: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_between("alpha", self.alpha, 0, 1)
        check_scale(self.r_max)

    def check_grades(self, largest: float) -> None:
        if self.r_max is not None:
            check_ratings(largest, self.r_max)

    def discount(self, p: Whole) -> Floats:
        raise NotImplementedError

    def discounted(self, block: Block) -> Floats:
        """The sum [run, request] of discounted gains."""
        p = np.where(block.p == UNRETRIEVED, 1, block.p)
        summed: Floats = (block.gains(self.alpha, self.r_max) * self.discount(p) * self.within(block.p)).sum(axis=-1)
        return summed

    def ideal(self, block: Block) -> Floats:
        """The same of the greedy order: [request]."""
        gains = block.ideal_gains(self.alpha, self.r_max)
        p = np.arange(1, gains.shape[-1] + 1)
        summed: Floats = (gains * self.discount(p) * self.within(p)).sum(axis=-1)
        return summed

    def ideal_of_all(self, block: Block) -> Floats:
        """The same of items that would each show all subtopics: [request]."""
        p = np.arange(1, (self.cutoff or 1) + 1)
        worth: Floats = ((1 - self.alpha) ** (p - 1.0) * self.discount(p)).sum()
        return block.subtopics * worth


@dataclass(frozen=True)
class AlphaDCG(Novelty):
    """Novelty-biased discounted gain over that of items that would show all subtopics (Clarke et al. 2008).

    Examples
    --------
    >>> import tiebreak as tb
    >>> judged = {"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}
    >>> exp = tb.Experiment(judged, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    >>> exp.evaluate("alpha_DCG@3").to_flat_dict()      # (1 + 1.5 / 2) / (2 + 1 / log2(3) + 0.5 / 2)
    {'run1/alpha_DCG@3': 0.6074427874648952}
    """

    name: ClassVar[str] = "alpha_DCG"
    traits: ClassVar[Traits] = Traits(cutoff="must", rises=False)

    def discount(self, p: Whole) -> Floats:
        discounts: Floats = 1 / np.log2(p + 1.0)
        return discounts

    def of(self, block: Block) -> Floats:
        return self.discounted(block) / self.ideal_of_all(block)


@dataclass(frozen=True)
class AlphaNDCG(AlphaDCG):
    """Novelty-biased discounted gain over that of the greedy order (Clarke et al. 2008).

    Examples
    --------
    >>> import tiebreak as tb
    >>> judged = {"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}
    >>> exp = tb.Experiment(judged, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    >>> exp.evaluate("alpha_nDCG@3").to_flat_dict()      # (1 + 1.5 / 2) / (2 + 0.5 / log2(3))
    {'run1/alpha_nDCG@3': 0.7557877545649955}
    """

    name: ClassVar[str] = "alpha_nDCG"

    def of(self, block: Block) -> Floats:
        return self.discounted(block) / self.ideal(block)


@dataclass(frozen=True)
class ExpectedReciprocalRankIA(Novelty):
    """Intent-aware expected reciprocal rank over that of items that would show all subtopics (Chapelle et al. 2009).

    Examples
    --------
    >>> import tiebreak as tb
    >>> judged = {"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}
    >>> exp = tb.Experiment(judged, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    >>> exp.evaluate("ERR_IA@3").to_flat_dict()      # (1 + 1.5 / 3) / (2 + 1 / 2 + 0.5 / 3)
    {'run1/ERR_IA@3': 0.5625}
    """

    name: ClassVar[str] = "ERR_IA"
    traits: ClassVar[Traits] = Traits(cutoff="must", rises=False)

    def discount(self, p: Whole) -> Floats:
        discounts: Floats = 1.0 / p.astype(np.float64)
        return discounts

    def of(self, block: Block) -> Floats:
        return self.discounted(block) / self.ideal_of_all(block)


@dataclass(frozen=True)
class NormalisedERRIA(ExpectedReciprocalRankIA):
    """Intent-aware expected reciprocal rank over that of the greedy order.

    Examples
    --------
    >>> import tiebreak as tb
    >>> judged = {"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}
    >>> exp = tb.Experiment(judged, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    >>> exp.evaluate("nERR_IA@3").to_flat_dict()      # (1 + 1.5 / 3) / (2 + 0.5 / 2)
    {'run1/nERR_IA@3': 0.6666666666666666}
    """

    name: ClassVar[str] = "nERR_IA"

    def of(self, block: Block) -> Floats:
        return self.discounted(block) / self.ideal(block)


@dataclass(frozen=True)
class NoveltyRankBiasedPrecision(Novelty):
    """Novelty- and rank-biased precision (Clarke et al. 2009).

    Parameters
    ----------
    alpha : float
        How much a subtopic is worth less each time that it was shown.
    beta : float
        The chance that a user looks at the next item.

    Examples
    --------
    >>> import tiebreak as tb
    >>> judged = {"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}
    >>> exp = tb.Experiment(judged, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    >>> exp.evaluate("NRBP").to_flat_dict()      # (1 + 1.5 / 4) x (1 - 1/4) / 2
    {'run1/NRBP': 0.515625}
    """

    beta: float = 0.5
    name: ClassVar[str] = "NRBP"
    traits: ClassVar[Traits] = Traits(cutoff="may", rises=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_between("beta", self.beta, 0, 1)
        if self.beta == 1:
            raise InputError(f"beta={self.beta}. Give a number from 0 to below 1.", kind="spec")

    def discount(self, p: Whole) -> Floats:
        decayed: Floats = self.beta ** (p.astype(np.float64) - 1)
        return decayed

    def of(self, block: Block) -> Floats:
        return self.discounted(block) * (1 - (1 - self.alpha) * self.beta) / block.subtopics


@dataclass(frozen=True)
class NormalisedNRBP(NoveltyRankBiasedPrecision):
    """Novelty- and rank-biased precision over that of the greedy order.

    Examples
    --------
    >>> import tiebreak as tb
    >>> judged = {"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}
    >>> exp = tb.Experiment(judged, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    >>> exp.evaluate("nNRBP").to_flat_dict()      # (1 + 1.5 / 4) / (2 + 0.5 / 2)
    {'run1/nNRBP': 0.6111111111111112}
    """

    name: ClassVar[str] = "nNRBP"

    def of(self, block: Block) -> Floats:
        return self.discounted(block) / self.ideal(block)


@dataclass(frozen=True)
class AveragePrecisionIA(SubtopicMetric):
    """Intent-aware average precision: the mean over subtopics of each one's (Agrawal et al. 2009).

    Examples
    --------
    >>> import tiebreak as tb
    >>> judged = {"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}
    >>> exp = tb.Experiment(judged, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    >>> exp.evaluate("AP_IA").to_flat_dict()      # ((1 + 2/3) / 2 + 1/3) / 2
    {'run1/AP_IA': 0.5833333333333333}
    """

    name: ClassVar[str] = "AP_IA"
    traits: ClassVar[Traits] = Traits(cutoff="may", rises=False)

    def of(self, block: Block) -> Floats:
        p = np.where(block.p == UNRETRIEVED, 1, block.p)[..., None]
        seen = (np.cumsum(block.shown, axis=2) * block.shown).astype(np.float64)
        found = seen * self.within(block.p)[..., None] / p
        relevant = np.maximum(block.member.sum(axis=1), 1).astype(np.float64)
        by_subtopic: Floats = (found.sum(axis=2) / relevant * block.weight).sum(axis=-1)
        return by_subtopic / block.subtopics


@dataclass(frozen=True)
class PrecisionIA(SubtopicMetric):
    """Intent-aware precision: the mean over subtopics of each one's.

    Examples
    --------
    >>> import tiebreak as tb
    >>> judged = {"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}
    >>> exp = tb.Experiment(judged, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    >>> exp.evaluate("P_IA@3").to_flat_dict()      # 3 / (3 x 2)
    {'run1/P_IA@3': 0.5}
    """

    name: ClassVar[str] = "P_IA"
    traits: ClassVar[Traits] = Traits(cutoff="must", rises=False)

    def of(self, block: Block) -> Floats:
        found = ((block.shown * block.weight[:, None, :]).sum(axis=-1) * self.within(block.p)).sum(axis=-1)
        share: Floats = found / ((self.cutoff or 1) * block.subtopics)
        return share


@dataclass(frozen=True)
class SubtopicRecall(SubtopicMetric):
    """The share of subtopics that a relevant item shows (Zhai et al. 2003).

    Examples
    --------
    >>> import tiebreak as tb
    >>> judged = {"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}
    >>> exp = tb.Experiment(judged, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    >>> exp.evaluate("STREC@2").to_flat_dict()      # 1 of 2
    {'run1/STREC@2': 0.5}
    """

    name: ClassVar[str] = "STREC"
    traits: ClassVar[Traits] = Traits(cutoff="must", rises=False)

    def of(self, block: Block) -> Floats:
        seen = (block.shown & (self.within(block.p) > 0)[..., None]).any(axis=2).sum(axis=-1)
        share: Floats = seen / block.subtopics
        return share
