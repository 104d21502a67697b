"""The ideal ordering of what users rated, and how measures take its loss (AB 5)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal

from tiebreak._base.spec import format_value
from tiebreak._base.text import plural
from tiebreak._kernels.interface import Tick
from tiebreak.errors import InputError
from tiebreak.inputs import read_aspects
from tiebreak.inputs.judgements import read_judgements
from tiebreak.metrics import Metric, parse_metrics
from tiebreak.metrics.diversity.base import AspectMetric
from tiebreak.metrics.diversity.intent_aware import SubtopicMetric
from tiebreak.studies.base import Findings
from tiebreak.studies.perturbed.experiments import OF_PERTURBED, Named, Systems, all_measured, robustness
from tiebreak.studies.perturbed.ordering import ideal_ordering
from tiebreak.studies.perturbed.perturbations import perturb_aspect, perturb_bottom_top, perturb_redundant
from tiebreak.studies.perturbed.systems import Raters

__all__ = ["ideal", "ideal_ordering", "perturb_aspect", "perturb_bottom_top", "perturb_redundant"]

EXPERIMENTS = (*OF_PERTURBED, "robustness")
USERS = ("common", "reached")
BETAS, CUTOFFS = (0.1, 0.5, 0.9), (10, 100)
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)


def ideal(
    ratings: Any,
    aspects: Any,
    profile: Any = None,
    experiment: Literal["values", "correlation", "significance", "robustness"] = "correlation",
    measures: str | Metric | Iterable[str | Metric] | None = None,
    *,
    cutoff: int = 100,
    length: int | None = None,
    steps: int = 50,
    users: Literal["common", "reached"] = "common",
    systems: int = 50,
    removals: int = 50,
    shares: Iterable[float] = SHARES,
    seed: int = 0,
    jobs: int = 1,
    tick: Tick | None = None,
) -> Findings:
    """How measures of diversity take ever worse versions of an ideal ranking, or ever fewer ratings (AB 5).

    The ideal ranking of a user (AB 5.1) is made of what the user rated. It is perturbed step by step in three ways:
    items from its bottom change places with those at its top, redundant items of an aspect are put where it turns to
    another, and it begins with an aspect that the user likes less (AB 5.2).

    Parameters
    ----------
    ratings : Judgements, path, dict or frame
        What users rated.
    aspects : path, dict or frame
        The aspects of items, as `read_aspects` reads them.
    profile : Judgements, path, dict or frame, optional
        Ratings that tell which aspects a user likes; by default `ratings`.
    experiment : {"values", "correlation", "significance", "robustness"}
        The mean of every perturbed system; how the order of systems agrees with the number of perturbations; how sure
        each one is worse than the ideal; or how the order of shuffled ideal rankings changes as ratings are removed.
    measures : specs, optional
        Of aspects or of subtopics; by default those of the paper.
    cutoff : int
        Of the default measures.
    length : int, optional
        Items of an ideal ranking, where the user rated so many; by default `cutoff`.
    steps : int
        Most perturbations of an ideal ranking, and at most 10 of its first aspect.
    users : {"common", "reached"}
        The same at every point, those whose ratings suffice for the last; or of every point those that reach it, which
        differ from point to point.
    systems, removals : int
        Shuffles of the ideal ranking, and random removals, of the experiment on robustness.
    shares : floats
        Of the ratings to remove, of the same.

    Examples
    --------
    >>> found = ideal({"u": {"a": 4, "b": 3, "c": 1}}, {"a": ["war"], "b": ["love"], "c": ["war", "love"]}, steps=1)
    >>> found.to_dict()["rows"][0]["measure"], found.to_dict()["rows"][0]["tau"]
    ('alpha_beta_nDCG@100', 1.0)
    """
    how = checked(
        experiment,
        cutoff,
        Systems(cutoff if length is None else length, steps, users, systems, removals, tuple(shares), seed),
    )
    named = None if measures is None else aspect_measures(measures)
    raters = Raters.of(
        read_judgements(ratings), read_aspects(aspects), None if profile is None else read_judgements(profile)
    )
    named = named or aspect_measures(robust(cutoff) if experiment == "robustness" else of_paper(cutoff, raters.largest))
    if experiment == "robustness":
        found = robustness(raters, named, how, jobs, tick)
    else:
        found = OF_PERTURBED[experiment](all_measured(raters, named, how, jobs, tick))
    return replace(found, details=(*found.details, *choices(raters, named, how, experiment)))


def of_paper(cutoff: int, largest: float) -> tuple[str, ...]:
    """The measures of AB 5.2 as they are set there; NRBP with ratings as gains, and without p, which it has not."""
    return (
        f"alpha_beta_nDCG@{cutoff}",
        f"NRBP(alpha=0.25, beta=0.9, r_max={format_value(largest)})",
        f"EU@{cutoff}",
        f"RBU@{cutoff}",
        f"S-Recall@{cutoff}",
        f"S-RR@{cutoff}",
    )


def robust(cutoff: int) -> tuple[str, ...]:
    """alpha-beta-nDCG with several beta, at a shallow and a deep cutoff (AB 5.4)."""
    depths = sorted({min(depth, cutoff) for depth in CUTOFFS})
    return tuple(f"alpha_beta_nDCG(beta={beta:g})@{depth}" for depth in depths for beta in BETAS)


def aspect_measures(measures: Any) -> Named:
    """Measures that see which aspects a ranking shows."""
    found: list[tuple[str, AspectMetric | SubtopicMetric]] = []
    for name, made in zip(*parse_metrics(measures), strict=True):
        if not isinstance(made, (AspectMetric, SubtopicMetric)):
            raise InputError(f"{name} sees no aspects. Give a measure of diversity, such as EU@10.", kind="measure")
        found.append((name, made))
    return found


def check(measures: Any = None, **others: Any) -> None:
    """Refuse a bad name before anything is read."""
    if measures is not None:
        aspect_measures(measures)


def checked(experiment: str, cutoff: int, how: Systems) -> Systems:
    """Refuse before any work what cannot be studied."""
    for name, given, known in (("experiment", experiment, EXPERIMENTS), ("users", how.users, USERS)):
        if given not in known:
            raise InputError(f"{name}={given!r}. Give one of {', '.join(known)}.", kind="choice")
    sizes = (("cutoff", cutoff), ("length", how.length), ("steps", how.steps), ("removals", how.removals))
    for name, number, least in (*((*size, 1) for size in sizes), ("systems", how.shuffles, 2)):
        if isinstance(number, bool) or not isinstance(number, int) or number < least:
            raise InputError(f"{name}={number!r}. Give a whole number from {least}.", kind="size")
    for share in how.shares or (None,):
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 < share < 1:
            raise InputError(f"shares: {share!r}. Give numbers between 0 and 1.", kind="share")
    return how


def choices(raters: Raters, measures: Named, how: Systems, experiment: str) -> Iterable[str]:
    """What was studied, and how what the paper leaves open was read."""
    whose = "what they rated" if raters.profile is None else "a profile"
    yield (
        f"{plural(len(raters.requests), 'user')}, {plural(len(raters.rated.item), 'rating')}, "
        f"{plural(len(raters.table.labels), 'aspect')}; interests by {whose}. Ideal rankings of up to "
        f"{plural(how.length, 'item')}."
    )
    users, ratings = raters.left_out
    if users or ratings:
        yield (
            f"Left out: {plural(users, 'user')} with no rating above 0 of an item that has an aspect, and "
            f"{plural(ratings, 'rating')} of items without an aspect."
        )
    if experiment != "robustness":
        if not raters.interested.all():
            yield f"Users whose profile tells no interest: {int((~raters.interested).sum()):,}."
        yield {
            "reached": "Users whose ratings are too few for a point are left out of it: points differ in their users.",
            "common": "Only users whose ratings suffice for the last point: all points have the same users. With fewer "
            "steps there are more.",
        }[how.users]
    if any(isinstance(made, SubtopicMetric) for _, made in measures):
        yield "Measures of subtopics see the aspects of rated items as subtopics, with r_max by their ratings."
    if any(getattr(made, "r_max", 0) is None for _, made in measures):
        yield f"The largest rating of the scale is taken to be {raters.largest:g}, the largest given."
