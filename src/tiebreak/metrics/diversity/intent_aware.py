"""Measures of TREC's Web track, as NIST's ndeval computes them: every subtopic is an intent.

Intents are equally likely where nothing else is known. The share of subtopics covered, STREC, knows no likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_number, check_share
from tiebreak.errors import InputError
from tiebreak.exact import Doubles, ExactValues, dcg_discount, decimal, like
from tiebreak.exact.arithmetic import DOUBLES, FRACTIONS, counting, power, whole_numbers
from tiebreak.exact.held import Places
from tiebreak.metrics.base import Metric, Traits, last_position
from tiebreak.metrics.diversity.base import check_ratings
from tiebreak.metrics.diversity.subtopic_blocks import Block, blocks, powers, ranking_blocks
from tiebreak.projection import Positions
from tiebreak.projection.aspect_rankings import AspectRankings
from tiebreak.projection.primitives import Floats

Whole = NDArray[np.integer[Any]]
LARGEST_CUTOFF = 1_000_000
"""Of measures whose ideal ranking is as long as the cutoff says, however few items there are."""


class SubtopicMetric(Metric):
    """A measure of which subtopics the relevant items cover; NaN where a request has none."""

    is_rational: ClassVar[bool] = True
    """Whether no logarithm enters."""

    def values(self, positions: Positions) -> ExactValues:
        if positions.subtopics is not None:
            self.check_grades(positions.grade_scale.of_subtopics)
        shape = len(positions.runs), len(positions.requests)
        total = Doubles.full(shape, np.nan)
        is_zero = np.zeros(shape, dtype=bool)
        for block in blocks(positions, self.rel, DOUBLES):
            total[:, block.requests] = self.block_values(block)
            is_zero[:, block.requests] = ~self.counts(block.p).any(axis=-1)

        def exactly(run: int, requests: Places) -> list[Fraction]:
            some = positions.take_runs([run]).take_requests(requests)
            exact = np.empty(len(requests), dtype=object)
            for block in blocks(some, self.rel, FRACTIONS):
                exact[block.requests] = self.block_values(block)[0]
            return list(exact)

        return ExactValues.from_doubles(total, 0.0, exactly, is_zero, is_rational=self.is_rational)

    def score_rankings(self, rankings: AspectRankings) -> Floats:
        """Values [run, request] of rankings of rated items, the aspects of relevant ones being their subtopics."""
        self.check_grades(rankings.largest)
        values = np.full(rankings.item.shape[:2], np.nan)
        for block in ranking_blocks(rankings, self.rel):
            values[:, block.requests] = self.block_values(block).high
        return values

    def check_grades(self, largest: float) -> None:
        """Check that no grade is above the scale of the measure."""

    def block_values(self, block: Block) -> Any:
        """Values [run, request] of some requests, in the arithmetic of its weights."""
        raise NotImplementedError

    def counts(self, p: Whole) -> NDArray[np.bool_]:
        return np.asarray(p <= last_position(self.cutoff))


@dataclass(frozen=True)
class Novelty(SubtopicMetric):
    """A sum of discounted gains, of which each item's is less where its subtopics were covered above it.

    Parameters
    ----------
    alpha : float
        Redundancy penalty: gain is multiplied by 1 - alpha for every earlier item on the subtopic.
    r_max : float, optional
        The largest grade of the scale: an item counts by its grade. Without it all relevant items count the
        same, as in ndeval.
    """

    alpha: float = parameter(0.5, check_share)
    r_max: float | None = parameter(None, check_number, above=0, kw_only=True)
    traits: ClassVar[Traits] = Traits(cutoff="must", rises=False)
    is_normalised: ClassVar[bool] = False
    """Whether the gain is divided by that of the greedy order."""

    def check_grades(self, largest: float) -> None:
        if self.r_max is not None:
            check_ratings(largest, self.r_max)

    def discount(self, k: Any) -> Any:
        """The discount of positions k = 1, 2, ..., in their arithmetic."""
        raise NotImplementedError

    def block_values(self, block: Block) -> Any:
        gains = block.gains(self.alpha, self.r_max)
        discounted = (gains * self.discounts(block.p, block.weight)).sum(axis=-1)
        return discounted / (self.greedy_gain(block) if self.is_normalised else self.largest_gain(block))

    def discounts(self, p: Whole, x: Any) -> Any:
        """The discounts of positions, 0 where they do not count, in the arithmetic of x."""
        counted = np.where(self.counts(p), p, 0)
        table = self.discount(counting(int(counted.max(initial=0)) + 1, x))
        return whole_numbers(counted > 0, x) * table[np.maximum(counted - 1, 0)]

    def greedy_gain(self, block: Block) -> Any:
        gains = block.greedy_gains(self.alpha, self.r_max)
        return (gains * self.discounts(np.arange(1, gains.shape[-1] + 1), block.weight)).sum(axis=-1)

    def largest_gain(self, block: Block) -> Any:
        """The discounted gain [request] of items that would each cover all subtopics, down to the cutoff."""
        if (self.cutoff or 1) > LARGEST_CUTOFF:
            raise InputError(
                f"{self}: its ideal has as many items as the cutoff says. Give a cutoff of at most {LARGEST_CUTOFF:,}.",
                kind="spec",
            )
        k = counting(self.cutoff or 1, block.weight)
        worth = (powers(1 - decimal(self.alpha), len(k) - 1, k) * self.discount(k)).sum(axis=-1)
        return whole_numbers(block.subtopics, block.weight) * worth


class AlphaDCG(Novelty):
    """Novelty-biased discounted gain over that of items that would cover all subtopics (Clarke et al. 2008).

    Examples
    --------
    >>> exp = tb.Experiment({"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    >>> exp.evaluate("alpha_DCG@3").to_flat_dict()      # (1 + 1.5 / 2) / (2 + 1 / log2(3) + 0.5 / 2)
    {'run1/alpha_DCG@3': 0.6074427874648953}
    """

    name: ClassVar[str] = "alpha_DCG"
    is_rational: ClassVar[bool] = False

    def discount(self, k: Any) -> Any:
        return dcg_discount(k)


class AlphaNDCG(AlphaDCG):
    """Novelty-biased discounted gain over that of the greedy order (Clarke et al. 2008).

    Examples
    --------
    >>> exp = tb.Experiment({"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    >>> exp.evaluate("alpha_nDCG@3").to_flat_dict()      # (1 + 1.5 / 2) / (2 + 0.5 / log2(3))
    {'run1/alpha_nDCG@3': 0.7557877545649956}
    """

    name: ClassVar[str] = "alpha_nDCG"
    is_normalised: ClassVar[bool] = True


class ExpectedReciprocalRankIA(Novelty):
    """Intent-aware expected reciprocal rank over that of items that would cover all subtopics (Chapelle et al. 2009).

    Examples
    --------
    >>> exp = tb.Experiment({"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    >>> exp.evaluate("ERR_IA@3").to_flat_dict()      # (1 + 1.5 / 3) / (2 + 1 / 2 + 0.5 / 3)
    {'run1/ERR_IA@3': 0.5625}
    """

    name: ClassVar[str] = "ERR_IA"

    def discount(self, k: Any) -> Any:
        return 1 / k


class NormalisedERRIA(ExpectedReciprocalRankIA):
    """Intent-aware expected reciprocal rank over that of the greedy order.

    Examples
    --------
    >>> exp = tb.Experiment({"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    >>> exp.evaluate("nERR_IA@3").to_flat_dict()      # (1 + 1.5 / 3) / (2 + 0.5 / 2)
    {'run1/nERR_IA@3': 0.6666666666666666}
    """

    name: ClassVar[str] = "nERR_IA"
    is_normalised: ClassVar[bool] = True


@dataclass(frozen=True)
class NoveltyRankBiasedPrecision(Novelty):
    """Novelty- and rank-biased precision (Clarke et al. 2009).

    Parameters
    ----------
    beta : float
        Persistence: probability of continuing to the next item.

    Examples
    --------
    >>> exp = tb.Experiment({"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    >>> exp.evaluate("NRBP").to_flat_dict()      # (1 + 1.5 / 4) x (1 - 1/4) / 2
    {'run1/NRBP': 0.515625}
    """

    beta: float = parameter(0.5, check_number, low=0, below=1)
    name: ClassVar[str] = "NRBP"
    traits: ClassVar[Traits] = Traits(cutoff="may", rises=False)

    def discount(self, k: Any) -> Any:
        return power(like(self.beta, k), k - 1)

    def largest_gain(self, block: Block) -> Any:
        x = block.weight
        return whole_numbers(block.subtopics, x) / like(1 - (1 - decimal(self.alpha)) * decimal(self.beta), x)


class NormalisedNRBP(NoveltyRankBiasedPrecision):
    """Novelty- and rank-biased precision over that of the greedy order.

    Examples
    --------
    >>> exp = tb.Experiment({"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    >>> exp.evaluate("nNRBP").to_flat_dict()      # (1 + 1.5 / 4) / (2 + 0.5 / 2)
    {'run1/nNRBP': 0.6111111111111112}
    """

    name: ClassVar[str] = "nNRBP"
    is_normalised: ClassVar[bool] = True


class AveragePrecisionIA(SubtopicMetric):
    """Intent-aware average precision: the mean over subtopics of each one's (Agrawal et al. 2009).

    Examples
    --------
    >>> exp = tb.Experiment({"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    >>> exp.evaluate("AP_IA").to_flat_dict()      # ((1 + 2/3) / 2 + 1/3) / 2
    {'run1/AP_IA': 0.5833333333333334}
    """

    name: ClassVar[str] = "AP_IA"
    traits: ClassVar[Traits] = Traits(cutoff="may", rises=False)

    def block_values(self, block: Block) -> Any:
        x, is_counted = block.weight, self.counts(block.p)
        seen = whole_numbers(np.cumsum(block.covers, axis=2) * block.covers * is_counted[..., None], x)
        p = whole_numbers(np.where(is_counted, block.p, 1), x)
        relevant = whole_numbers(np.maximum(block.covers_by_id.sum(axis=1), 1), x)
        by_subtopic = ((seen / p[..., None]).sum(axis=2) / relevant * x).sum(axis=-1)
        return by_subtopic / whole_numbers(block.subtopics, x)


class PrecisionIA(SubtopicMetric):
    """Intent-aware precision: the mean over subtopics of each one's.

    Examples
    --------
    >>> exp = tb.Experiment({"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    >>> exp.evaluate("P_IA@3").to_flat_dict()      # 3 / (3 x 2)
    {'run1/P_IA@3': 0.5}
    """

    name: ClassVar[str] = "P_IA"
    traits: ClassVar[Traits] = Traits(cutoff="must", rises=False)

    def block_values(self, block: Block) -> Any:
        x = block.weight
        relevant = (block.covers & self.counts(block.p)[..., None]).sum(axis=2)
        return (whole_numbers(relevant, x) * x).sum(axis=-1) / whole_numbers((self.cutoff or 1) * block.subtopics, x)


class SubtopicRecall(SubtopicMetric):
    """The share of subtopics that a relevant item covers (Zhai et al. 2003).

    Examples
    --------
    >>> exp = tb.Experiment({"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    >>> exp.evaluate("STREC@2").to_flat_dict()      # 1 of 2
    {'run1/STREC@2': 0.5}
    """

    name: ClassVar[str] = "STREC"
    traits: ClassVar[Traits] = Traits(cutoff="must", rises=False)

    def block_values(self, block: Block) -> Any:
        seen = (block.covers & self.counts(block.p)[..., None]).any(axis=2).sum(axis=-1)
        return whole_numbers(seen, block.weight) / whole_numbers(block.subtopics, block.weight)
