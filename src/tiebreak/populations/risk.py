"""Risk: what is lost against a baseline, or against what was to be expected (PE eq 9; Dincer et al. 2014, 2016)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import fsum, inf, sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_number, find_name
from tiebreak.errors import InputError
from tiebreak.exact import ExactValues, Number, decimal
from tiebreak.exact.sample import Sample
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.populations.base import Population, Score, Vector, check_not_negative

LARGEST_ALPHA = 1e6
Floats = NDArray[np.float64]


def risk_gain(x: Vector, y: Vector, alpha: float | Fraction) -> Number:
    r"""Gains of x over y less (1 + alpha) times its losses: T (PE eq 9).

    .. math:: \frac1n \sum \max(0, \mu - \mu') - \frac{1 + \alpha}{n} \sum \max(0, \mu' - \mu)

    Examples
    --------
    >>> float(risk_gain(np.array([0.5, 0.25]), np.array([0.25, 0.5]), alpha=1))      # (0.25 - 2 * 0.25) / 2
    -0.125
    """
    rows = np.stack([x, y])
    both = ExactValues.from_exact(rows) if rows.dtype == object else ExactValues.from_floats(rows)
    return penalised(both, 1, alpha).sample(0).mean()


def symmetric_gain(x: Vector, y: Vector, alpha: float | Fraction) -> Number:
    """T in one direction less T in the other: (2 + alpha) times the mean difference (PE 5)."""
    return risk_gain(x, y, alpha) - risk_gain(y, x, alpha)


def penalised(utilities: ExactValues, baseline: int, alpha: float | Fraction) -> ExactValues:
    """The difference of every run to one in every request, losses multiplied by 1 + alpha."""
    runs = np.arange(len(utilities.nearest))
    return utilities.differences(runs, np.full_like(runs, baseline)).scale_negative(1 + decimal(alpha))


@dataclass(frozen=True)
class Risk(Population):
    """Losses count 1 + alpha times.

    Parameters
    ----------
    alpha : float
        How much more than gains losses count.
    """

    alpha: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self.alpha, "alpha")
        if not 0 <= self.alpha <= LARGEST_ALPHA:
            raise InputError(f"alpha={self.alpha}. Give a number from 0 to {LARGEST_ALPHA:g}.", kind="spec")


@dataclass(frozen=True)
class Gain(Risk):
    """Symmetric risk-penalised gain between any two runs: their difference in (2 + alpha) x mean (PE 4)."""

    name: ClassVar[str] = "gain"
    takes_weights: ClassVar[bool] = True

    def scores(self, table: UtilityTable) -> list[Score]:
        weights = weights_of(table)
        return [(2 + decimal(self.alpha)) * sample.mean(weights) for sample in table.samples()]


@dataclass(frozen=True)
class AgainstBaseline(Risk):
    """Losses against a baseline.

    Parameters
    ----------
    baseline : str
        The name of a run.
    alpha : float
        How much more than gains losses count.
    """

    baseline: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "baseline", str(self.baseline))
        if not self.baseline:
            raise InputError(
                f"{self.name} is against a baseline. Name a run: {self.name}(baseline='...').", kind="spec"
            )

    def differences(self, table: UtilityTable) -> list[Sample]:
        found = penalised(table.numbers, find_name(self.baseline, table.runs), self.alpha)
        return [found.sample(row) for row in range(len(table.runs))]


@dataclass(frozen=True)
class URisk(AgainstBaseline):
    """Mean gain over the baseline, losses counted 1 + alpha times: T against the baseline (PE eq 9)."""

    name: ClassVar[str] = "urisk"
    takes_weights: ClassVar[bool] = True

    def scores(self, table: UtilityTable) -> list[Score]:
        weights = weights_of(table)
        return [difference.mean(weights) for difference in self.differences(table)]


@dataclass(frozen=True)
class TRisk(AgainstBaseline):
    """URisk over its standard error: below -2 a risk that has shown, above 2 a gain (Dincer et al. 2014)."""

    name: ClassVar[str] = "trisk"
    takes_weights: ClassVar[bool] = True
    needs: ClassVar[int] = 2

    def scores(self, table: UtilityTable) -> list[Score]:
        return [studentised(difference.high, table.weights) for difference in self.differences(table)]


def weights_of(table: UtilityTable) -> Sample | None:
    return None if table.weights is None else Sample.from_floats(table.weights)


def studentised(difference: Floats, weights: Floats | None = None) -> float:
    """The mean over its standard error; 0 where all are 0, infinite where all are equal otherwise.

    With weights the error is that of the weighted mean: each squared deviation counts by its squared share of the
    weights, times n / (n - 1).
    """
    n = len(difference)
    mean = float(Sample.from_floats(difference).mean(None if weights is None else Sample.from_floats(weights)))
    counted = difference if weights is None else difference[weights > 0]
    if counted.min() == counted.max():
        return 0.0 if mean == 0 else np.copysign(inf, mean).item()
    share = np.full(n, 1 / n) if weights is None else weights / fsum(weights.tolist())
    deviation = share * (difference - mean)
    largest = float(np.abs(deviation).max())  # squares of tiny numbers would vanish
    return mean / (largest * sqrt(fsum(((deviation / largest) ** 2).tolist()) * n / (n - 1)))


@dataclass(frozen=True)
class GeoRisk(Risk):
    r"""Geometric mean of effectiveness and of risk against what all runs let expect (Dincer et al. 2016).

    .. math:: \sqrt{\bar\mu \; \Phi(z / n)}, \quad z = \sum_{z_q \ge 0} z_q + (1 + \alpha) \sum_{z_q < 0} z_q,
        \quad z_q = (\mu_q - e_q) / \sqrt{e_q}

    where :math:`e_q` is the product of the run's and the request's sums over the sum of all. Weights make both means,
    of utilities and of z, weighted ones.
    """

    name: ClassVar[str] = "georisk"
    takes_weights: ClassVar[bool] = True

    def check(self, table: UtilityTable) -> None:
        super().check(table)
        check_not_negative(self.name, table)

    def scores(self, table: UtilityTable) -> list[Score]:
        from scipy.special import ndtr

        values = table.values.astype(np.float64)
        of_run, of_request = ([fsum(line.tolist()) for line in lines] for lines in (values, values.T))
        expected = np.outer(of_run, of_request) / (fsum(of_run) or 1.0)
        z = (values - expected) / np.sqrt(np.where(expected > 0, expected, 1.0))
        penalised_z = np.where(z < 0, z * (1 + self.alpha), z)
        weights = np.ones(len(of_request)) if table.weights is None else table.weights
        whole = fsum(weights.tolist())
        means, risks = ([fsum((row * weights).tolist()) / whole for row in rows] for rows in (values, penalised_z))
        return [sqrt(mean * float(ndtr(risk))) for mean, risk in zip(means, risks, strict=True)]
