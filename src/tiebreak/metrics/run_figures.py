"""Figures of a whole run: how much of the catalogue is shown, and how equally."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import repeat
from math import lcm
from typing import ClassVar

import numpy as np

from tiebreak._base.catalogue import parameter
from tiebreak.errors import InputError
from tiebreak.exact import ExactValues, Number
from tiebreak.exact.arithmetic import FRACTIONS, counting
from tiebreak.exact.held import Places
from tiebreak.metrics._recall_level import RecallLevelMetric, recall_level_form
from tiebreak.metrics._shown_items import ShownItems
from tiebreak.metrics.base import Metric, Shown, Traits, check_corpus_size, check_deepest
from tiebreak.projection import Positions
from tiebreak.projection.needs import Needs

LARGEST_CUTOFF = 1000
"""Of exposures by position, which are whole numbers with thousands of digits beyond."""


class RunFigure(ShownItems):
    """A figure of a whole run, which has no value for a request."""

    n: int
    total: ClassVar[str] = "figure"

    def check_comparable(self) -> None:
        raise InputError(
            f"{self} is a figure of a whole run: requests have no value of it that could be compared. Use evaluate.",
            kind="spec",
        )

    def values(self, positions: Positions) -> ExactValues:
        return ExactValues.from_floats(np.full((len(positions.runs), len(positions.requests)), np.nan))

    @property
    def needs(self) -> Needs:
        return Needs(shown=int(self.cutoff or 1))

    def count_shown(self, positions: Positions) -> list[Shown]:
        """Of every run how often it shows each item at each rank; counts of several requests add up."""
        return [
            Counter(zip(items, self.shown_ranks(rank), strict=True)) for _, rank, items in self.first_items(positions)
        ]

    def shown_ranks(self, rank: Places) -> Iterable[int]:
        """Ranks as they are counted: all the same where they make no difference."""
        return repeat(1, len(rank))

    def figure(self, shown: Shown) -> Number:
        raise NotImplementedError

    def check_catalogue(self, n_items: int) -> int:
        """The number of items that a run shows, unless it is more than there are."""
        if n_items > self.n:
            raise InputError(
                f"{self}: a run shows {n_items:,} items, of a catalogue of {self.n:,}. Give its true size.",
                kind="corpus_size",
            )
        return n_items


@dataclass(frozen=True)
class Coverage(RunFigure):
    """Catalogue coverage: the share of all items that is among the first k of any request (Ge et al. 2010).

    A figure of the whole run: requests have no value of it.

    Parameters
    ----------
    n : int
        Number of items in the catalogue.

    References
    ----------
    Herlocker, Konstan, Terveen and Riedl, Evaluating collaborative filtering recommender systems, TOIS 2004. Ge,
    Delgado-Battenfeld and Jannach, Beyond accuracy: evaluating recommender systems by coverage and serendipity,
    RecSys 2010.

    Examples
    --------
    >>> runs = {"u": {"a": 2.0, "b": 1.0}, "v": {"b": 2.0, "c": 1.0}}
    >>> exp = tb.Experiment({"u": {"a": 1}, "v": {"a": 1}}, runs)
    >>> exp.evaluate("Coverage(n=8)@2").to_flat_dict()      # a, b and c of 8
    {'run1/Coverage(n=8)@2': 0.375}
    """

    n: int = parameter(0, check_corpus_size, name="Coverage")
    name: ClassVar[str] = "Coverage"
    traits: ClassVar[Traits] = Traits(cutoff="must", rises=False, sees_relevance=False)

    def figure(self, shown: Shown) -> Number:
        return Number(Fraction(self.check_catalogue(len(shown)), self.n))


@dataclass(frozen=True)
class ExposureGini(RunFigure):
    r"""Gini coefficient of the exposure of all items in the catalogue, those never shown included; lower is more equal.

    .. math:: G = \frac{\sum_{i=1}^{n} (2 i - n - 1) x_i}{n \sum_{i=1}^{n} x_i}, \qquad x_1 \le \dots \le x_n

    The exposure x of an item is the sum of e(k) over its positions k in all requests. A figure of the whole run.

    Parameters
    ----------
    base : recall-level metric
        Whose exposure e is used, such as RBP(p=0.85); by default all of the first k positions count the same.
    n : int
        Number of items in the catalogue.

    References
    ----------
    Fleder and Hosanagar, Blockbuster culture's next rise or fall, Management Science 2009.

    Examples
    --------
    >>> runs = {"u": {"a": 2.0, "b": 1.0}, "v": {"a": 2.0, "c": 1.0}}
    >>> exp = tb.Experiment({"u": {"a": 1}, "v": {"a": 1}}, runs)
    >>> exp.evaluate("ExposureGini(n=4)@2").to_flat_dict()      # 0, 1, 1, 2: (-1 + 1 + 3 x 2) / (4 x 4)
    {'run1/ExposureGini(n=4)@2': 0.375}
    """

    base: Metric | None = None
    n: int = parameter(0, check_corpus_size, name="ExposureGini")
    name: ClassVar[str] = "ExposureGini"
    traits: ClassVar[Traits] = Traits(cutoff="must", rises=False, sees_relevance=False, lower_is_better=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.form is not None:
            check_deepest(self, LARGEST_CUTOFF)
        if self.form is not None and (self.form.depends_on_size or self.form.rel is not None):
            raise InputError(
                f"{self.name}: the exposure of {self.base} depends on what is relevant. Give another.", kind="spec"
            )

    @property
    def form(self) -> RecallLevelMetric | None:
        return None if self.base is None else recall_level_form(self.base)

    def shown_ranks(self, rank: Places) -> Iterable[int]:
        return super().shown_ranks(rank) if self.form is None else rank.tolist()

    def figure(self, shown: Shown) -> Number:
        deepest = max((rank for _, rank in shown), default=0)
        weights = [1] * deepest if self.form is None else whole_exposures(self.form, deepest)
        exposure: Counter[str] = Counter()
        for (item, rank), times in shown.items():
            exposure[item] += times * weights[rank - 1]
        first = self.n - self.check_catalogue(len(exposure)) + 1
        above = sum((2 * i - self.n - 1) * x for i, x in enumerate(sorted(exposure.values()), start=first))
        below = self.n * exposure.total()
        return Number(Fraction(above, max(below, 1)), is_rational=self.form is None or self.form.is_rational)


def whole_exposures(form: RecallLevelMetric, deepest: int) -> list[int]:
    """The exposures of positions 1, 2, ... as whole numbers over a common denominator."""
    exact: list[Fraction] = form.exposure_to_cutoff(counting(deepest, FRACTIONS), 0).tolist()
    common = lcm(*(e.denominator for e in exact))
    return [int(e * common) for e in exact]
