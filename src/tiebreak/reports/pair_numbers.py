"""All pairs of runs by one measure, over all requests: small enough to keep beside those of other measures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.corrections import ALPHA
from tiebreak.comparison import Comparison
from tiebreak.projection.primitives import Floats
from tiebreak.significance import TOO_FEW, Significance


@dataclass(frozen=True, eq=False)
class PairNumbers:
    """Means, intervals, counts and tests [pair] of a comparison, as `Comparison.summary` has them.

    Attributes
    ----------
    x, y : int arrays
        The runs of every pair, by their places.
    counts : int array [pair, 3]
        Requests that the first run wins, ties and loses.
    pvalue, corrected : arrays
        1 where there are too few requests for a test.
    criterion, words : str
        When a pair was shown to differ; and the name of the test in a sentence.
    order : int array
        The runs, the best first, by their mean preference over the others; those that tie in the order of the input.
    n_first : int
        How many runs share the first place.
    """

    measure: str
    runs: tuple[str, ...]
    n_requests: int
    x: NDArray[np.int64]
    y: NDArray[np.int64]
    mean: Floats
    interval: Floats
    counts: NDArray[np.int64]
    deviation: Floats
    pvalue: Floats
    corrected: Floats
    is_tested: bool
    criterion: str
    words: str
    order: NDArray[np.int64]
    n_first: int
    alpha: float = ALPHA

    @classmethod
    def from_comparison(cls, comparison: Comparison, test: Significance | None) -> PairNumbers:
        """The numbers of a comparison and of its test, if there are enough requests for one."""
        ones = np.ones(len(comparison.pairs))
        ranks = comparison.order("mean").ranks
        return cls(
            comparison.measure,
            comparison.runs,
            comparison.n_requests,
            comparison.pairs.x,
            comparison.pairs.y,
            comparison.mean,
            comparison.interval,
            comparison.win_tie_loss,
            comparison.deviation,
            ones if test is None else test.pvalue,
            ones if test is None else test.pvalue_corrected,
            test is not None,
            TOO_FEW if test is None else test.criterion,
            "" if test is None else test.test.description,
            np.argsort(ranks, kind="stable"),
            int((ranks == 1).sum()),
        )

    @property
    def is_shown(self) -> NDArray[np.bool_]:
        """Which pairs were shown to differ, by this measure alone."""
        return self.corrected < self.alpha

    def names(self) -> list[tuple[str, str]]:
        """The two runs of every pair."""
        return [(self.runs[x], self.runs[y]) for x, y in zip(self.x.tolist(), self.y.tolist(), strict=True)]
