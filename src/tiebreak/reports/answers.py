"""Which differences between runs a page may claim, by all measures of its answer together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from tiebreak._base.corrections import ALPHA
from tiebreak.projection.primitives import Floats
from tiebreak.reports.pair_numbers import PairNumbers
from tiebreak.significance import correct_pvalues
from tiebreak.significance.sample_size import detectable_difference

CORRECTION = "holm"


@dataclass(frozen=True)
class Answer:
    """What one measure says of all runs.

    Attributes
    ----------
    measure : str
    users : str
        For whom it speaks, such as "the average user"; empty of a metric.
    runs : tuple of str
        The best first, by their mean preference over the others.
    n_first : int
        How many runs share the first place.
    better : frozenset of (str, str)
        Pairs whose first run was shown to be better than the second.
    is_tested : bool
        False where there are too few requests for a test.
    detectable : float
        About the mean difference that is shown with a probability of 80%; NaN where it is unknown.
    """

    measure: str
    users: str
    runs: tuple[str, ...]
    n_first: int = 1
    better: frozenset[tuple[str, str]] = frozenset()
    is_tested: bool = True
    detectable: float = nan

    @property
    def n_pairs(self) -> int:
        return len(self.runs) * (len(self.runs) - 1) // 2


@dataclass(frozen=True)
class Claims:
    """The answers of several measures, and how their tests were corrected.

    Of utilities also the runs that leximin puts first, an order without a test.
    """

    answers: tuple[Answer, ...]
    n_requests: int
    n_comparisons: int
    criteria: tuple[str, ...] = ()
    alpha: float = ALPHA
    first_by_leximin: tuple[str, ...] = ()

    @property
    def is_any(self) -> bool:
        """Whether any two runs are claimed to differ."""
        return any(answer.better for answer in self.answers)


def claims(measures: Sequence[PairNumbers], users: Mapping[str, str]) -> Claims:
    """What several measures of the same runs show together: p-values are corrected over all of them."""
    tested = [one for one in measures if one.is_tested]
    corrected = dict(zip([one.measure for one in tested], joint_pvalues(tested), strict=True))
    number = sum(len(one.mean) for one in tested)
    return Claims(
        tuple(answer(one, users.get(one.measure, ""), corrected.get(one.measure), number) for one in measures),
        max((one.n_requests for one in measures), default=0),
        number,
        tuple(dict.fromkeys(one.words for one in tested)),
    )


def joint_pvalues(tests: Sequence[PairNumbers]) -> list[Floats]:
    """P-values of several tests of the same runs, corrected over all of them.

    None is smaller than what the requests that do not tie could show if all pointed the same way, 2 / 2^n: by Student's
    t equal differences have p = 0, however few they are.
    """
    floors = (np.exp2(1.0 - (one.n_requests - one.counts[:, 1])) for one in tests)
    raw = [np.maximum(one.pvalue, np.minimum(floor, 1.0)) for one, floor in zip(tests, floors, strict=True)]
    corrected = correct_pvalues(np.concatenate([np.zeros(0), *raw]), CORRECTION)
    return np.split(corrected, np.cumsum([len(one) for one in raw])[:-1]) if raw else []


def answer(numbers: PairNumbers, users: str, pvalues: Floats | None, n_comparisons: int) -> Answer:
    """What one measure shows, by p-values that were corrected together with others."""
    runs = tuple(numbers.runs[k] for k in numbers.order.tolist())
    if pvalues is None:
        return Answer(numbers.measure, users, runs, numbers.n_first, is_tested=False)
    pairs = zip(numbers.names(), numbers.mean.tolist(), (pvalues < numbers.alpha).tolist(), strict=True)
    better = frozenset((x, y) if mean > 0 else (y, x) for (x, y), mean, is_shown in pairs if is_shown)
    deviations = numbers.deviation[numbers.deviation > 0]
    detectable = nan
    if len(deviations):
        middle, alpha = np.median(deviations), numbers.alpha / n_comparisons
        detectable = float(detectable_difference(middle, numbers.n_requests, alpha=alpha)[0])
    return Answer(numbers.measure, users, runs, numbers.n_first, better, detectable=detectable)
