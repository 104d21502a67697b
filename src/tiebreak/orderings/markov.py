"""Markov chains over systems (Dwork et al. 2001)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError
from tiebreak.metrics.base import check_number
from tiebreak.orderings.ballots import Ballots
from tiebreak.orderings.base import Method
from tiebreak.projection.primitives import Floats

CONVERGE = "converge"
MOST_STEPS = 100_000
SETTLED = 1e-15
TOLERANCE = 1e-12


@dataclass(frozen=True)
class MC4(Method):
    r"""The mass that a walk over systems leaves on each of them.

    From run i it moves to run j with probability 1/S where more requests place j strictly above i, by win rate, than i
    above j; else it stays. Masses that differ by no more than 1e-12 tie.

    Parameters
    ----------
    steps : int or "converge"
        Steps from the uniform distribution; 10 is what the authors of RPP publish. A chain that has converged often has
        all its mass on one system.
    teleport : float
        Probability of starting anew anywhere.
    """

    steps: int | str = 10
    teleport: float = 0.0
    name: ClassVar[str] = "mc4"

    def __post_init__(self) -> None:
        whole = isinstance(self.steps, int) and not isinstance(self.steps, bool) and 1 <= self.steps <= MOST_STEPS
        if not whole and self.steps != CONVERGE:
            raise InputError(
                f"mc4(steps={self.steps!r}). Give a whole number from 1 to {MOST_STEPS:,}, or 'converge'.", kind="spec"
            )
        check_number("teleport", self.teleport)
        if not 0 <= self.teleport < 1:
            raise InputError(f"mc4(teleport={self.teleport}). Give a number from 0 to below 1.", kind="spec")

    def tolerance(self, ballots: Ballots) -> float:
        return TOLERANCE

    def resampled(self, ballots: Ballots, weights: Floats) -> Floats:
        return np.stack([self.mass(self.transitions(above)) for above in ballots.placements(weights)])

    def transitions(self, above: NDArray[np.int8]) -> Floats:
        """The probability of going from each run to each, given who stands above whom in more requests."""
        size = len(above)
        moves = (above < 0) / size
        np.fill_diagonal(moves, 1 - (moves > 0).sum(axis=1) / size)
        walked: Floats = (1 - self.teleport) * moves + self.teleport / size
        return walked

    def mass(self, moves: Floats) -> Floats:
        """Where the walk is after its steps."""
        mass = np.full(len(moves), 1 / len(moves))
        for _ in range(MOST_STEPS if self.steps == CONVERGE else int(self.steps)):
            before, mass = mass, (mass[:, None] * moves).sum(axis=0)
            if self.steps == CONVERGE and np.abs(mass - before).max() <= SETTLED:
                break
        return mass
