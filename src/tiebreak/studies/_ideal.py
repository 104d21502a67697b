"""The ideal ordering of what users rated, and how measures respond as it gets worse (AB 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import fsum, isnan, nan
from typing import Any, Literal

import numpy as np

from tiebreak._base.checks import check_number, check_several
from tiebreak._base.spec import format_value
from tiebreak._base.text import plural
from tiebreak._base.tolerance import TOLERANCE
from tiebreak._kernels.interface import Tick
from tiebreak.errors import InputError
from tiebreak.exact import competition_ranks
from tiebreak.inputs.attributes import read_aspects
from tiebreak.inputs.columns import ColumnNames, Columns
from tiebreak.inputs.judgements import read_judgements
from tiebreak.metrics import Metric, parse_metrics
from tiebreak.metrics.diversity.base import AspectMetric
from tiebreak.metrics.diversity.intent_aware import SubtopicMetric
from tiebreak.orderings.correlation import Ranks, tau_b
from tiebreak.projection.aspect_rankings import NOBODY, AspectRankings
from tiebreak.projection.primitives import Floats
from tiebreak.results.plots import Picture
from tiebreak.significance.classic import wilcoxon_less
from tiebreak.studies._ideal_rankings import PERTURBATIONS
from tiebreak.studies._ideal_systems import Raters
from tiebreak.studies.base import Findings, run_tasks, study_from_catalogue

AspectMeasure = AspectMetric | SubtopicMetric
Measures = dict[str, AspectMeasure]
BETAS, CUTOFFS = (0.1, 0.5, 0.9), (10, 100)
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
SHUFFLES = {"shared": "each a permutation of ranks shared by all users", "own": "for every user on its own"}
ASPECT_STEPS = 10
"""Most of the swapped aspects: few users rated more of them (AB 5.2.3)."""


@study_from_catalogue("ratings", "aspects", "train")
def ideal(
    ratings: Any,
    aspects: Any,
    train: Any = None,
    view: Literal["values", "correlation", "significance", "robustness"] = "correlation",
    measures: str | Metric | Iterable[str | Metric] | None = None,
    *,
    cutoff: int = 100,
    length: int | None = None,
    steps: int = 50,
    users: Literal["common", "reached"] = "common",
    systems: int = 50,
    shuffle: Literal["shared", "own"] = "shared",
    removals: int = 50,
    shares: Iterable[float] = SHARES,
    seed: int = 0,
    jobs: int = 1,
    tick: Tick | None = None,
    columns: Columns | None = None,
) -> Findings:
    """How diversity measures respond as an ideal ranking gets worse, or as ratings are removed (AB 5).

    The ideal ranking of a user (AB 5.1) is made of what the user rated. It is perturbed step by step in three ways:
    items at its bottom are swapped with those at its top, redundant items of an aspect are put where it turns to
    another, and it begins with an aspect that the user likes less (AB 5.2).

    Parameters
    ----------
    ratings : Judgements, path, dict or frame
        What users rated.
    aspects : path, dict or frame
        The aspects of items, as `read_aspects` reads them.
    train : Judgements, path, dict or frame, optional
        Training ratings, which tell a user's interest in aspects; by default `ratings`.
    view : {"values", "correlation", "significance", "robustness"}
        The mean of every perturbed system; how the order of systems agrees with the number of perturbations; whether
        each one is significantly worse than the ideal; or how the order of shuffled ideal rankings changes as ratings
        are removed.
    measures : specs, optional
        Of aspects or of subtopics; by default those of the paper.
    cutoff : int
        Cutoff of the default measures.
    length : int, optional
        Most items of an ideal ranking; by default `cutoff`.
    steps : int
        Most perturbations of an ideal ranking, and at most 10 of its first aspect.
    users : {"common", "reached"}
        The same at every point, those whose ratings suffice for the last; or of every point those that reach it, which
        differ from point to point.
    systems, removals : int
        Shuffles of the ideal ranking, and random removals, for robustness.
    shuffle : {"shared", "own"}
        One permutation of ranks per system, shared by all users, for robustness; or every user's ranking on its own.
        The paper does not say which.
    shares : floats
        Shares of the ratings to remove, for robustness.
    columns : dict or str, optional
        Which column of the tables holds what, where its name does not say so, as in `Experiment`.

    Examples
    --------
    >>> study = ideal({"u": {"a": 4, "b": 3, "c": 1}}, {"a": ["war"], "b": ["love"], "c": ["war", "love"]}, steps=1)
    >>> study.rows()[0][1:4]
    ('alpha_beta_nDCG@100', 2, 1.0)
    """
    length = cutoff if length is None else length
    removed = check_several(shares, "shares", lambda share, name: check_number(share, name, above=0, below=1))
    by_name = None if measures is None else aspect_measures(measures)
    names = ColumnNames(columns, is_shared=True)
    judgements, labels = read_judgements(ratings, columns=names), read_aspects(aspects, columns=names)
    liked = None if train is None else read_judgements(train, columns=names)
    names.check_used()
    raters = Raters.from_judgements(judgements, labels, liked)
    if by_name is None:
        by_name = aspect_measures(
            robustness_measures(cutoff) if view == "robustness" else default_measures(cutoff, raters.largest)
        )
    if view == "robustness":
        study = robustness(raters, by_name, systems, shuffle, removals, removed, length, seed, jobs, tick)
    else:
        study = PERTURBATION_VIEWS[view](list(evaluate(raters, by_name, steps, length, users, jobs, tick)))
        study = replace(study, details=(*study.details, *user_notes(raters, users)))
    details = (*study.details, *data_notes(raters, by_name, length))
    return replace(study, details=details, library=judgements.library)


def check(measures: Any = None, **others: Any) -> None:
    """Validate names before reading."""
    if measures is not None:
        aspect_measures(measures)


def default_measures(cutoff: int, largest: float) -> tuple[str, ...]:
    """The measures and parameters of AB 5.2; NRBP with ratings as gains, and without p, which it does not have."""
    nrbp = f"NRBP(alpha=0.25, beta=0.9, r_max={format_value(largest)})"
    others = (f"{name}@{cutoff}" for name in ("EU", "RBU", "S-Recall", "S-RR"))
    return f"alpha_beta_nDCG@{cutoff}", nrbp, *others


def robustness_measures(cutoff: int) -> tuple[str, ...]:
    """alpha-beta-nDCG with several beta, at a shallow and a deep cutoff (AB 5.4)."""
    depths = sorted({min(depth, cutoff) for depth in CUTOFFS})
    return tuple(f"alpha_beta_nDCG(beta={beta:g})@{depth}" for depth in depths for beta in BETAS)


def aspect_measures(measures: Any) -> Measures:
    """Measures that see which aspects a ranking shows."""
    by_name: Measures = {}
    for name, metric in zip(*parse_metrics(measures), strict=True):
        if not isinstance(metric, (AspectMetric, SubtopicMetric)):
            raise InputError(f"{name} sees no aspects. Give a measure of diversity, such as EU@10.", kind="measure")
        by_name[name] = metric
    return by_name


@dataclass(frozen=True)
class Series:
    """The values of a measure after 0, 1, ... perturbations: [step, user], NaN for users left out."""

    perturbation: str
    measure: str
    values: Floats

    @property
    def users(self) -> list[int]:
        counts: list[int] = (~np.isnan(self.values)).sum(axis=1).tolist()
        return counts

    @property
    def means(self) -> list[float]:
        return [mean_over_users(row) for row in self.values]


def mean_over_users(values: Floats) -> float:
    known = values[~np.isnan(values)].tolist()
    return fsum(known) / len(known) if known else nan


def evaluate(
    raters: Raters, measures: Measures, steps: int, length: int, users: str, jobs: int, tick: Tick | None
) -> Iterable[Series]:
    """Every measure of the systems of every perturbation."""
    most = dict.fromkeys(PERTURBATIONS, steps) | {"swapped aspects": min(steps, ASPECT_STEPS)}
    rankings = lru_cache(maxsize=2)(lambda name: raters.rankings(raters.perturb(name, most[name], length)))

    def series(task: tuple[str, str]) -> Series:
        perturbation, name = task
        systems = rankings(perturbation)
        values = measures[name].score_rankings(systems)
        # Values of users whose ratings suffice, as far as anybody's do.
        reached: Floats = np.where(systems.item[:, :, 0] != NOBODY, values, np.nan)
        reached = reached[: int((~np.isnan(reached)).any(axis=1).sum())]
        if users == "common" and len(reached):
            reached[:, np.isnan(reached[-1])] = np.nan
        return Series(perturbation, name, reached)

    return run_tasks(series, [(perturbation, name) for perturbation in PERTURBATIONS for name in measures], jobs, tick)


def mean_values(series: list[Series]) -> Findings:
    """The mean of every system (AB Fig 1)."""
    rows = [
        (one.perturbation, one.measure, s, mean, users)
        for one in series
        for s, (mean, users) in enumerate(zip(one.means, one.users, strict=True))
    ]
    falling = [f"{one.measure} ({one.perturbation})" for one in series if rises(one.means) == 0]
    columns = ("perturbation", "measure", "perturbed", "mean", "users")
    titles = (("perturbed", "perturbations"), ("mean", "mean over users"))
    picture = Picture("line", "perturbed", "mean", "measure", "perturbation", titles=titles, own_scales=("x", "y"))
    conclusion = f"Non-increasing in the number of perturbations: {', '.join(falling) or 'none'}."
    return Findings(columns, tuple(rows), conclusion, (), picture)


def rises(means: Sequence[float]) -> int:
    """How often a mean is larger than the one before it."""
    return sum(after - before > TOLERANCE for before, after in pairwise(means))


def correlations(series: list[Series]) -> Findings:
    """Kendall's tau_b of the order of systems with that of their perturbations (AB Fig 2)."""
    rows = []
    for one in series:
        ranks = rank_means(one.means)
        tau = tau_b(ranks, np.arange(1, len(ranks) + 1))
        ends = (one.users[0], one.users[-1]) if one.users else (0, 0)
        rows.append((one.perturbation, one.measure, len(ranks), None if isnan(tau) else tau, *ends))
    right = {
        name: [row[1] for row in rows if row[0] == name and row[3] is not None and row[3] > 1 - TOLERANCE]
        for name in PERTURBATIONS
    }
    conclusion = "; ".join(
        f"{name}: correctly ordered by {', '.join(names) or 'no measure'}" for name, names in right.items()
    )
    columns = ("perturbation", "measure", "systems", "tau", "users of the ideal", "users of the last")
    picture = Picture("bar", "tau", "measure", facet="perturbation", titles=(("tau", "tau_b"),))
    note = "Kendall's tau_b of the order of systems with the number of perturbations; - where it is undefined."
    return Findings(columns, tuple(rows), f"{conclusion}.", (note,), picture)


def rank_means(means: Sequence[float]) -> Ranks:
    """Ranks of systems, the best first; means of sums and products of floats are the same to twelve digits."""
    return competition_ranks([round(mean, 12) for mean in means])


def significances(series: list[Series]) -> Findings:
    """One-sided p-values of perturbed systems against the ideal one (AB Fig 3)."""
    rows = [
        (one.perturbation, one.measure, s, lower_pvalue(one, s), users)
        for one in series
        for s, users in enumerate(one.users)
        if s > 0
    ]
    small: dict[tuple[str, str], bool] = {}
    for perturbation, measure, _, pvalue, _ in rows:
        small[perturbation, measure] = small.get((perturbation, measure), True) and pvalue < 0.05
    lower = [f"{measure} ({perturbation})" for (perturbation, measure), is_small in small.items() if is_small]
    titles = (("perturbed", "perturbations"), ("pvalue", "p-value, one-sided"))
    return Findings(
        ("perturbation", "measure", "perturbed", "pvalue", "users"),
        tuple(rows),
        f"Every perturbed system lower than the ideal one at p < 0.05: {', '.join(lower) or 'by no measure'}.",
        ("Wilcoxon signed-rank tests of the perturbed system's values being lower; a large p shows no difference.",),
        Picture("line", "perturbed", "pvalue", "measure", "perturbation", titles=titles, own_scales=("x", "y")),
    )


def lower_pvalue(one: Series, s: int) -> float:
    """The p-value of the values after s perturbations being lower than those of the ideal ranking."""
    known = ~np.isnan(one.values[s])
    return wilcoxon_less((one.values[s] - one.values[0])[known].tolist())


PERTURBATION_VIEWS: dict[str, Callable[[list[Series]], Findings]] = {
    "correlation": correlations,
    "values": mean_values,
    "significance": significances,
}


def robustness(
    raters: Raters,
    measures: Measures,
    systems: int,
    shuffle: str,
    removals: int,
    shares: list[float],
    length: int,
    seed: int,
    jobs: int,
    tick: Tick | None,
) -> Findings:
    """tau_b of the order of shuffled systems on all ratings and on some, averaged over removals (AB Fig 4)."""
    entry = raters.shuffle(systems, length, seed, is_shared=shuffle == "shared")
    complete = raters.rankings(entry)
    truth = {name: ranks for name, (ranks, _) in rank_systems(measures, complete).items()}
    cells = [(share, name) for share in shares for name in measures]

    def one_removal(draw: int) -> list[tuple[float, int]]:
        removal = raters.removal(f"{seed} removal {draw}")
        taus = []
        for share in shares:
            ranks = rank_systems(measures, raters.keep_ratings(complete, entry, raters.keep(removal, share)))
            taus += [(tau_b(truth[name], after) if users else nan, users) for name, (after, users) in ranks.items()]
        return taus

    results = np.array(run_tasks(one_removal, range(removals), jobs, tick))  # [removal, cell, tau and users]
    rows = []
    for (share, name), taus, users in zip(cells, results[..., 0].T, results[..., 1].T, strict=True):
        tau = None if np.isnan(taus).all() else mean_over_users(taus)
        rows.append((name, share, tau, int(users.min()), int((~np.isnan(taus)).sum())))
    last = ", ".join(f"{name} {'-' if tau is None else f'{tau:.2f}'}" for name, _, tau, _, _ in rows[-len(measures) :])
    notes = (
        f"{systems} random orders of the ideal ranking, {SHUFFLES[shuffle]}. They are ordered by their means; tau_b "
        f"with their order on all ratings, averaged over those of {removals} removals that have one: - where no user "
        "is left, or all systems tie. Users: the fewest of any removal.",
        "What is kept of a user's ratings is rounded down, and at least one: few ratings lose more than the share.",
    )
    titles = (("removed", "share of ratings removed"), ("tau", "tau_b with all ratings"))
    return Findings(
        ("measure", "removed", "tau", "users", "removals"),
        tuple(rows),
        f"tau_b without {100 * shares[-1]:.0f}% of ratings: {last}.",
        notes,
        Picture("line", "removed", "tau", "measure", titles=titles),
    )


def rank_systems(measures: Measures, rankings: AspectRankings) -> dict[str, tuple[Ranks, int]]:
    """Ranks of the systems by the mean of every measure over users with a rating above 0, and how many these are."""
    rated, ranks = rankings.rated, {}
    has_rating = np.bincount(rated.request, rated.rating > 0, len(rankings.requests)) > 0
    for name, values in score_all(measures, rankings).items():
        known = np.where(has_rating, values, np.nan)
        users = int((~np.isnan(known[0])).sum())
        ranks[name] = rank_means([mean_over_users(row) for row in known] if users else [0.0] * len(known)), users
    return ranks


def score_all(measures: Measures, rankings: AspectRankings) -> dict[str, Floats]:
    """The values of every measure; those that differ by their cutoffs alone are computed together."""
    values = dict.fromkeys(measures, np.empty(0))
    families: dict[AspectMetric, dict[str, int]] = {}
    for name, metric in measures.items():
        if isinstance(metric, AspectMetric):
            families.setdefault(replace(metric, cutoff=1), {})[name] = metric.depth
        else:
            values[name] = metric.score_rankings(rankings)
    for family, depths in families.items():
        values.update(zip(depths, family.score_depths(rankings, list(depths.values())), strict=True))
    return values


def user_notes(raters: Raters, users: str) -> Iterator[str]:
    """Over which users the means are."""
    uninterested = sum(not any(user.liked) for user in raters.users)
    if uninterested:
        yield f"Users without any interest in an aspect: {uninterested:,}."
    yield {
        "reached": "Users whose ratings are too few for a point are left out of it: points differ in their users.",
        "common": "Only users whose ratings suffice for the last point: all points have the same users. With fewer "
        "steps there are more.",
    }[users]


def data_notes(raters: Raters, measures: Measures, length: int) -> Iterator[str]:
    """The data, and choices that the paper does not specify."""
    whose = "what they rated" if raters.profile is None else "training ratings"
    yield (
        f"{plural(len(raters.requests), 'user')}, {plural(len(raters.rated.item), 'rating')}, "
        f"{plural(len(raters.table.labels), 'aspect')}; interests by {whose}. Ideal rankings of up to "
        f"{plural(length, 'item')}."
    )
    users, ratings = raters.left_out
    if users or ratings:
        yield (
            f"Left out: {plural(users, 'user')} with no rating above 0 of an item that has an aspect, and "
            f"{plural(ratings, 'rating')} of items without an aspect."
        )
    if any(isinstance(metric, SubtopicMetric) for metric in measures.values()):
        yield "Measures of subtopics see the aspects of rated items as subtopics, with r_max by their ratings."
    if any(getattr(metric, "r_max", 0) is None for metric in measures.values()):
        yield f"The largest rating of the scale is taken to be {raters.largest:g}, the largest given."
