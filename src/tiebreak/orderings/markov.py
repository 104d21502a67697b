"""Markov chains over systems (Dwork et al. 2001)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_count, check_number
from tiebreak.exact import Real, competition_ranks, decimal
from tiebreak.orderings.ballots import Ballots, transitive_closure
from tiebreak.orderings.base import Method
from tiebreak.projection.primitives import Floats

CONVERGE = "converge"
MOST_STEPS = 1000
CLOSE = 1e-10
"""Relative error bound of masses, which are sums and products of positive floats."""


@dataclass(frozen=True)
class MC4(Method):
    r"""Markov chain MC4 (Dwork et al. 2001): the probability that a random walk over runs is at each one.

    From run i it moves to run j with probability 1/S where more requests place j strictly above i, by win rate, than i
    above j; else it stays. Masses are whole numbers over a power of S: they are compared exactly.

    Parameters
    ----------
    steps : int or "converge"
        Steps from the uniform distribution; 10 is what the authors of RPP publish. ``"converge"`` is the limit, which
        often has all its mass on one system.
    teleport : float
        Probability of a jump to a run at random.
    """

    steps: int | str = 10
    teleport: float = 0.0
    name: ClassVar[str] = "mc4"

    def __post_init__(self) -> None:
        if self.steps != CONVERGE:
            check_count(self.steps, "mc4: steps", high=MOST_STEPS, or_else=repr(CONVERGE))
        check_number(self.teleport, "mc4: teleport", low=0, below=1)

    def scores(self, ballots: Ballots) -> list[Real]:
        return list(self.masses(ballots.placements(ballots.unit_weights())[0]))

    def ranks(self, ballots: Ballots, weights: Floats) -> NDArray[np.int64]:
        placements = ballots.placements(weights)
        distinct = {above.tobytes(): above for above in placements}  # samples of requests often place the runs alike
        ranks = {key: self.sample_ranks(above) for key, above in distinct.items()}
        return np.stack([ranks[above.tobytes()] for above in placements])

    def sample_ranks(self, above: NDArray[np.int8]) -> NDArray[np.int64]:
        return competition_ranks(self.masses(above)) if self.steps == CONVERGE else self.mass_ranks(above)

    def mass_ranks(self, above: NDArray[np.int8]) -> NDArray[np.int64]:
        """Ranks of the masses: floats decide where they are clearly apart, else whole numbers do."""
        moves = self.moves(above).astype(np.float64)
        moves /= moves.sum(axis=1, keepdims=True)
        mass = np.full(len(moves), 1 / len(moves))
        for _ in range(int(self.steps)):
            mass = mass @ moves
        ordered = np.sort(mass)
        if (np.diff(ordered) > CLOSE * ordered[1:]).all():
            return competition_ranks(mass)
        return competition_ranks(self.masses(above))

    def moves(self, above: NDArray[np.int8]) -> NDArray[Any]:
        """How likely the walk goes from each run to each, as whole numbers, given who is above whom."""
        size, teleport = len(above), decimal(self.teleport)
        moves = (above < 0).astype(np.int64)
        np.fill_diagonal(moves, size - moves.sum(axis=1))
        stays, leaves = teleport.denominator - teleport.numerator, teleport.numerator
        return np.asarray(moves.astype(object) * stays + leaves)

    def masses(self, above: NDArray[np.int8]) -> list[Fraction]:
        """The exact distribution after the steps."""
        moves = self.moves(above)
        if self.steps == CONVERGE:
            return limit(moves)
        mass = np.full(len(moves), 1, dtype=object)
        for _ in range(int(self.steps)):
            mass = mass @ moves
        whole = int(mass.sum())
        return [Fraction(int(one), whole) for one in mass]


def limit(moves: NDArray[Any]) -> list[Fraction]:
    """The limit distribution from a uniform start, given moves as whole numbers with the same sum in every row.

    Closed groups of runs share all the mass. The walk can stay where it is, so a limit exists.
    """
    size, whole = len(moves), int(moves[0].sum())
    reach = transitive_closure((moves > 0) | np.eye(size, dtype=bool))
    returns = [r for r in range(size) if reach[reach[r], r].all()]
    kept = sorted({tuple(np.flatnonzero(reach[r]).tolist()) for r in returns})
    transient = [r for r in range(size) if not any(r in runs for runs in kept)]
    mass = [Fraction(0)] * size
    for runs in kept:
        # The probability of ending in this group from each transient run; then its stationary distribution.
        system = [[Fraction(int(r == s)) - Fraction(int(moves[r, s]), whole) for s in transient] for r in transient]
        into = [Fraction(int(moves[r, list(runs)].sum()), whole) for r in transient]
        share = (len(runs) + sum(solve(system, into))) / Fraction(size)
        balance = [[Fraction(int(moves[s, r]), whole) - int(r == s) for s in runs] for r in runs[:-1]]
        stationary = solve([*balance, [Fraction(1)] * len(runs)], [Fraction(0)] * (len(runs) - 1) + [Fraction(1)])
        for run, stay in zip(runs, stationary, strict=True):
            mass[run] = share * stay
    return mass


def solve(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """Solve linear equations with a unique solution, by elimination."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for k in range(len(rows)):
        pivot = next(r for r in range(k, len(rows)) if rows[r][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [number / rows[k][k] for number in rows[k]]
        for r in range(len(rows)):
            if r != k and rows[r][k]:
                factor = rows[r][k]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[k], strict=True)]
    return [row[-1] for row in rows]
