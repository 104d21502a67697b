"""Do measures see what makes a ranking worse than the ideal one, and what becomes of them without ratings (AB 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, isnan, nan
from typing import Any

import numpy as np

from tiebreak._kernels.interface import Tick
from tiebreak.exact import competition_ranks
from tiebreak.metrics.diversity.base import AspectMetric
from tiebreak.metrics.diversity.intent_aware import SubtopicMetric
from tiebreak.orderings.correlation import Ranks, tau_b
from tiebreak.projection.aspect_rankings import AspectRankings
from tiebreak.projection.primitives import Floats
from tiebreak.results.plots import Picture
from tiebreak.significance.classic import wilcoxon_less
from tiebreak.studies.base import Findings, run_tasks
from tiebreak.studies.perturbed.perturbations import PERTURBATIONS
from tiebreak.studies.perturbed.systems import Entries, Raters

ASPECT_STEPS = 10
"""Most of the swapped aspects: few users rated more of them (AB 5.2.3)."""
TOLERANCE = 1e-12
"""Means that differ by no more are the same."""
AspectMeasure = AspectMetric | SubtopicMetric
Named = Sequence[tuple[str, AspectMeasure]]
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Systems:
    """Which systems are simulated.

    Attributes
    ----------
    length : int
        Items of an ideal ranking.
    steps : int
        Most perturbations of one.
    users : {"reached", "common"}
        Those whose ratings suffice for a point; or for every point.
    shuffles, removals : int
        Random orders of the ideal ranking, and random removals of ratings.
    shares : tuple of float
        Of the ratings that are removed.
    """

    length: int
    steps: int
    users: str
    shuffles: int
    removals: int
    shares: tuple[float, ...]
    seed: int


@dataclass(frozen=True)
class Measured:
    """What a measure finds of the systems of a perturbation: values [step, user], NaN for users left out."""

    perturbation: str
    measure: str
    values: Floats

    @property
    def users(self) -> list[int]:
        counts: list[int] = (~np.isnan(self.values)).sum(axis=1).tolist()
        return counts

    def fewest(self, step: int) -> int:
        """How many users a step has; 0 where there is no step."""
        return self.users[step] if self.users else 0

    @property
    def means(self) -> list[float]:
        return [mean_over_users(row) for row in self.values]


def mean_over_users(values: Floats) -> float:
    known = values[~np.isnan(values)].tolist()
    return fsum(known) / len(known) if known else nan


def all_measured(raters: Raters, measures: Named, how: Systems, jobs: int, tick: Tick | None) -> list[Measured]:
    """Every measure of the systems of every perturbation."""
    entries = {name: raters.perturbed(name, steps_of(name, how.steps), how.length) for name in PERTURBATIONS}

    def measured(task: tuple[str, tuple[str, AspectMeasure]]) -> Measured:
        perturbation, (name, made) = task
        entry = entries[perturbation]
        values = made.score_rankings(raters.rankings(entry))
        return Measured(perturbation, name, counted(entry, values, how.users))

    return run_tasks(measured, ((name, pair) for name in PERTURBATIONS for pair in measures), jobs, tick)


def steps_of(perturbation: str, steps: int) -> int:
    return min(steps, ASPECT_STEPS) if perturbation == "swapped aspects" else steps


def counted(entry: Entries, values: Floats, users: str) -> Floats:
    """The values of users whose ratings suffice, as far as anybody's do."""
    reached: Floats = np.where(entry[:, :, 0] >= 0, values, np.nan)
    known = ~np.isnan(reached)
    reached = reached[: int(known.any(axis=1).sum())]
    if users == "common" and len(reached):
        reached[:, np.isnan(reached[-1])] = np.nan
    return reached


def mean_values(found: list[Measured]) -> Findings:
    """The mean of every system (AB Fig 1)."""
    rows = [
        (of.perturbation, of.measure, s, mean, users)
        for of in found
        for s, (mean, users) in enumerate(zip(of.means, of.users, strict=True))
    ]
    falls = [f"{of.measure} ({of.perturbation})" for of in found if rises(of.means) == 0]
    said = f"Never rising with more perturbations: {', '.join(falls) or 'none'}."
    names = ("perturbation", "measure", "perturbed", "mean", "users")
    titles = (("perturbed", "perturbations"), ("mean", "mean over users"))
    picture = Picture("line", "perturbed", "mean", "measure", "perturbation", titles=titles, own_scales=True)
    return Findings(names, tuple(rows), said, (), picture)


def rises(means: Sequence[float]) -> int:
    """How often a mean is larger than the one before it."""
    return sum(after - before > TOLERANCE for before, after in pairwise(means))


def correlations(found: list[Measured]) -> Findings:
    """Kendall's tau_b of the order of systems with that of their perturbations (AB Fig 2)."""
    rows = [(of.perturbation, of.measure, *correlation(of), of.fewest(0), of.fewest(-1)) for of in found]
    said = "; ".join(
        f"{name}: in the right order by {', '.join(right_of(rows, name)) or 'no measure'}" for name in PERTURBATIONS
    )
    names = ("perturbation", "measure", "systems", "tau", "users of the ideal", "users of the last")
    picture = Picture("bar", "tau", "measure", facet="perturbation", titles=(("tau", "tau_b"),))
    notes = (
        "tau_b with the order of ever more perturbations; - where a measure finds all systems alike, or has none.",
    )
    return Findings(names, tuple(rows), f"{said}.", notes, picture)


def correlation(of: Measured) -> tuple[int, float | None]:
    """How many systems there are, and how their order by a measure agrees with the true one."""
    ranks = ranks_of(of.means)
    tau = tau_b(ranks, np.arange(1, len(ranks) + 1))
    return len(ranks), None if isnan(tau) else tau


def ranks_of(means: Sequence[float]) -> Ranks:
    """Ranks of systems, the best first; means of sums and products of floats are the same to twelve digits."""
    return competition_ranks([round(mean, 12) for mean in means])


def right_of(rows: Iterable[Row], perturbation: str) -> list[str]:
    return [row[1] for row in rows if row[0] == perturbation and row[3] is not None and row[3] > 1 - TOLERANCE]


def significances(found: list[Measured]) -> Findings:
    """One-sided p-values of perturbed systems against the ideal one (AB Fig 3)."""
    rows = [
        (of.perturbation, of.measure, s, p_lower(of, s), users)
        for of in found
        for s, users in enumerate(of.users)
        if s > 0
    ]
    small: dict[tuple[str, str], list[bool]] = {}
    for perturbation, measure, _, p, _ in rows:
        small.setdefault((perturbation, measure), []).append(p < 0.05)
    told = [f"{measure} ({perturbation})" for (perturbation, measure), each_ in small.items() if all(each_)]
    said = f"Every perturbed system lower than the ideal one at p < 0.05: {', '.join(told) or 'by no measure'}."
    titles = (("perturbed", "perturbations"), ("p", "p-value, one-sided"))
    picture = Picture("line", "perturbed", "p", "measure", "perturbation", titles=titles, own_scales=True)
    note = "Wilcoxon signed-rank tests of the perturbed system's values being lower; a large p shows no difference."
    return Findings(("perturbation", "measure", "perturbed", "p", "users"), tuple(rows), said, (note,), picture)


def p_lower(of: Measured, s: int) -> float:
    """The p-value of the values after s perturbations being lower than those of the ideal ranking."""
    known = ~np.isnan(of.values[s])
    return wilcoxon_less((of.values[s] - of.values[0])[known].tolist())


def robustness(raters: Raters, measures: Named, how: Systems, jobs: int, tick: Tick | None) -> Findings:
    """tau_b of the order of shuffled systems on all ratings and on some, averaged over removals (AB Fig 4)."""
    entry = raters.shuffled(how.shuffles, how.length, how.seed)
    whole = raters.rankings(entry)
    truth = [ranks_by(made, whole)[0] for _, made in measures]

    def one_removal(draw: int) -> list[tuple[float, int]]:
        removal = raters.removal(f"{how.seed} removal {draw}")
        found = []
        for share in how.shares:
            left = raters.rankings(entry, raters.left(removal, share))
            for (_, made), before in zip(measures, truth, strict=True):
                after, users = ranks_by(made, left)
                found.append((tau_b(before, after) if users else nan, users))
        return found

    drawn = np.array(
        run_tasks(one_removal, range(how.removals), jobs, tick)
    )  # [removal, share and measure, tau and users]
    cells = [(share, name) for share in how.shares for name, _ in measures]
    rows = [
        (name, share, known_mean(of_cell[:, 0]), int(of_cell[:, 1].min()), int((~np.isnan(of_cell[:, 0])).sum()))
        for (share, name), of_cell in zip(cells, np.swapaxes(drawn, 0, 1), strict=True)
    ]
    last = ", ".join(f"{name} {'-' if tau is None else f'{tau:.2f}'}" for name, _, tau, _, _ in rows[-len(measures) :])
    said = f"tau_b without {100 * how.shares[-1]:.0f}% of ratings: {last}."
    notes = (
        f"{how.shuffles} random orders of the ideal ranking, ordered by their means; tau_b with their order on all "
        f"ratings, averaged over those of {how.removals} removals that have one: - where no user is left, or all "
        "systems are alike. Users: the fewest of any removal.",
        "What is kept of a user's ratings is rounded down, and at least one: few ratings lose more than the share.",
    )
    titles = (("removed", "share of ratings removed"), ("tau", "tau_b with all ratings"))
    picture = Picture("line", "removed", "tau", "measure", titles=titles)
    return Findings(("measure", "removed", "tau", "users", "removals"), tuple(rows), said, notes, picture)


def known_mean(values: Floats) -> float | None:
    """The mean of what is known; None where nothing is."""
    return None if np.isnan(values).all() else mean_over_users(values)


def ranks_by(made: AspectMeasure, rankings: AspectRankings) -> tuple[Ranks, int]:
    """Ranks of the systems by the mean of a measure over users with a rating above 0, and how many these are."""
    rated = rankings.rated
    counted = np.bincount(rated.request, rated.rating > 0, len(rankings.requests)) > 0
    values = np.where(counted, made.score_rankings(rankings), np.nan)
    users = int((~np.isnan(values[0])).sum())
    means = [mean_over_users(row) for row in values] if users else [0.0] * len(values)
    return ranks_of(means), users


OF_PERTURBED: dict[str, Callable[[list[Measured]], Findings]] = {
    "values": mean_values,
    "correlation": correlations,
    "significance": significances,
}
