"""Risk: losses against a baseline, or against expected values (PE eq 9; Dincer et al. 2014, 2016)."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, inf, sqrt
from typing import ClassVar

import numpy as np

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_number, find_run
from tiebreak.errors import InputError
from tiebreak.exact import Real, decimal
from tiebreak.exact.doubles import Floats
from tiebreak.exact.sample import Sample
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.populations.base import Population, sample_weights

LARGEST_ALPHA = 1e6


@dataclass(frozen=True)
class Risk(Population):
    """Losses count 1 + alpha times."""

    alpha: float = parameter(1.0, check_number, low=0, high=LARGEST_ALPHA)
    takes_weights: ClassVar[bool] = True


@dataclass(frozen=True)
class Gain(Risk):
    """Symmetric risk-penalised gain between any two runs: their difference in (2 + alpha) x mean (PE 4)."""

    name: ClassVar[str] = "gain"

    def scores(self, table: UtilityTable) -> list[Real]:
        weights = sample_weights(table)
        return [(2 + decimal(self.alpha)) * sample.mean(weights) for sample in table.samples()]


@dataclass(frozen=True)
class AgainstBaseline(Risk):
    """Losses against a baseline run."""

    baseline: str = ""
    compares_requests: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "baseline", str(self.baseline))
        if not self.baseline:
            raise InputError(
                f"{self.name} is against a baseline. Name a run: {self.name}(baseline='...').", kind="spec"
            )

    def differences(self, table: UtilityTable) -> list[Sample]:
        """The differences of every run to the baseline, losses multiplied by 1 + alpha."""
        runs = np.arange(len(table.runs))
        baseline = np.full_like(runs, find_run(self.baseline, table.runs))
        differences = table.numbers.differences(runs, baseline).scale_negative(1 + decimal(self.alpha))
        return [differences.sample(run) for run in runs.tolist()]


@dataclass(frozen=True)
class URisk(AgainstBaseline):
    """Mean gain over the baseline, losses counted 1 + alpha times: T against the baseline (PE eq 9)."""

    name: ClassVar[str] = "urisk"

    def scores(self, table: UtilityTable) -> list[Real]:
        weights = sample_weights(table)
        return [difference.mean(weights) for difference in self.differences(table)]


@dataclass(frozen=True)
class TRisk(AgainstBaseline):
    """URisk over its standard error: below -2 a significant risk, above 2 a significant gain (Dincer et al. 2014)."""

    name: ClassVar[str] = "trisk"
    min_requests: ClassVar[int] = 2

    def scores(self, table: UtilityTable) -> list[Real]:
        return [studentise(difference.high, table.weights) for difference in self.differences(table)]


def studentise(difference: Floats, weights: Floats | None = None) -> float:
    """The mean over its standard error; 0 if all are 0, infinite if all are equal otherwise.

    Weighted: each squared deviation counts by its squared share of the weights, times n / (n - 1).
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
    r"""Geometric mean of effectiveness and of risk against the values expected from all runs (Dincer et al. 2016).

    .. math:: \sqrt{\bar\mu \; \Phi(z / n)}, \quad z = \sum_{z_q \ge 0} z_q + (1 + \alpha) \sum_{z_q < 0} z_q,
        \quad z_q = (\mu_q - e_q) / \sqrt{e_q}

    where :math:`e_q` is the product of the run's and the request's sums over the sum of all. Weights make both means,
    of utilities and of z, weighted ones.
    """

    name: ClassVar[str] = "georisk"
    takes_negative: ClassVar[bool] = False
    compares_requests: ClassVar[bool] = True

    def scores(self, table: UtilityTable) -> list[Real]:
        from scipy.special import ndtr

        values = table.values.astype(np.float64)
        run_sums, request_sums = ([fsum(line.tolist()) for line in lines] for lines in (values, values.T))
        expected = np.outer(run_sums, request_sums) / (fsum(run_sums) or 1.0)
        z = (values - expected) / np.sqrt(np.where(expected > 0, expected, 1.0))
        penalised_z = np.where(z < 0, z * (1 + self.alpha), z)
        weights = np.ones(len(request_sums)) if table.weights is None else table.weights
        whole = fsum(weights.tolist())
        means, risks = ([fsum((row * weights).tolist()) / whole for row in rows] for rows in (values, penalised_z))
        return [sqrt(mean * float(ndtr(risk))) for mean, risk in zip(means, risks, strict=True)]
