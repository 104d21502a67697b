"""How stable orders and preferences are as labels or requests are removed (LR 6.2.4, LP 5.1, RPP 6.2, AB 5.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import product
from math import isnan, nan
from statistics import fmean, stdev
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_count, check_several, check_share
from tiebreak._base.text import plural
from tiebreak._kernels.interface import Tick
from tiebreak.comparison import Comparison, compare
from tiebreak.errors import InputError
from tiebreak.experiment import Experiment
from tiebreak.inputs import Ids
from tiebreak.orderings import Method, method
from tiebreak.orderings.correlation import tau_b
from tiebreak.preferences import Preference
from tiebreak.projection.primitives import Floats
from tiebreak.projection.sampling import keep_first, label_order, sample_indices
from tiebreak.results.plots import Picture
from tiebreak.studies.base import Findings, run_tasks, sample_seeds, study_from_catalogue
from tiebreak.studies.measures import (
    Measure,
    check_positions_suffice,
    label_notes,
    labels_drawn,
    list_measures,
    measure_name,
    preferences_by_name,
)

MEASURES = ("RPP", "dcgRPP", "LexiRecall", "LexiPrecision", "AP", "nDCG", "RR", "R@100")
FRACTIONS = tuple(k / 10 for k in range(10))
REMOVE = {
    "labels": "A share of every request's relevant items is removed uniformly; at least one is kept.",
    "pool": "A share of every request's relevant items is removed; those that more runs retrieve are kept more often, "
    "in proportion to the number of runs; at least one is kept.",
    "aspects": "A share of every request's relevant items is removed at random, from aspects in proportion to how "
    "often they occur; at least one is kept.",
    "requests": "A share of the requests is removed uniformly; at least one is kept.",
}
LABELS_BY = {"labels": "uniform", "pool": "runs", "aspects": "aspects"}
OF = {
    "order": ("tau_b of the order of runs", "Kendall's tau_b of the order of runs with that on complete data"),
    "preferences": (
        "share of preferences that agree",
        "The share of all pairs of runs and requests whose preference is that on complete data",
    ),
    "systems": (
        "share of pairs of runs that agree",
        "The share of pairs of runs whose mean preference has the sign it has on complete data",
    ),
}
"""Titles of what is compared, and what they mean."""
Sample = tuple[Comparison, Floats] | None
"""A comparison and how often each of its requests counts: [1, request]; None where no request has a value."""
Agreement = Callable[[Comparison, Floats], float]
Sampler = Callable[[float, int], Iterator[Sample]]


class Stability(NamedTuple):
    """How well one measure agrees with complete data where a fraction is removed, over samples that have a value."""

    measure: str
    removed: float
    mean: float | None
    low: float | None
    high: float | None
    sd: float | None
    samples: int


class RequestStability(NamedTuple):
    """Agreement with the complete data where a number of requests is kept."""

    measure: str
    requests: int
    mean: float | None
    low: float | None
    high: float | None
    sd: float | None
    samples: int


@study_from_catalogue("experiment")
def missing(
    experiment: Experiment,
    measures: Measure | Iterable[Measure] = MEASURES,
    remove: str = "labels",
    of: str = "order",
    *,
    truth: Measure | None = None,
    by: str | Method | None = None,
    fractions: float | Iterable[float] = FRACTIONS,
    keep: int | Iterable[int] | None = None,
    samples: int = 10,
    seed: int = 0,
    jobs: int = 1,
    tick: Tick | None = None,
) -> Findings:
    r"""How stable orders and preferences are as labels or requests are removed.

    Positions are read once; labels are dropped from them. Each sample has its own seed, and what it loses by a fraction
    it also loses by any larger one.

    Parameters
    ----------
    measures : one or several of str, Preference, Metric or function
    remove : {"labels", "pool", "aspects", "requests"}
        Relevant items of every request uniformly; with pooling bias, those that few runs retrieve first; from aspects,
        or subtopics, in proportion to how often they occur (AB 5.4); or whole requests. By measures of aspects, items
        whose labels are removed count as not rated; these count all ratings, so those below ``min_grade`` go too.
    of : {"order", "preferences", "systems"}
        Kendall's tau_b of the order of runs (RPP Figs 6 and 7); the share of all (pair, request) whose preference, or
        tie, stays the same (LR Fig 15); or the share of pairs whose mean preference does (LP Fig 8).
    truth : str, Preference, Metric or function, optional
        What complete data is measured by; by default each measure itself. With ``"RR"`` these are the curves of LP
        Fig 8. What another measure ties on complete data is left out: it does not say which is better.
    by : str or Method, optional
        How runs are ordered, as in `Comparison.order`: by default metrics by their mean, preferences by MC4.
    fractions : float or several
        How much is removed, from 0 to 1.
    keep : int or several, optional
        How many requests are kept, in place of fractions; with ``remove="requests"`` (RPP Fig 6).
    samples : int
        For every fraction or number.

    Examples
    --------
    >>> qrels = {"q": {"a": 1, "b": 1}}
    >>> runs = [{"q": {"a": 3.0, "x": 2.0}}, {"q": {"x": 3.0, "b": 2.0, "a": 1.0}}]
    >>> findings = missing(Experiment(qrels, runs), "LexiRecall", fractions=[0, 0.5], samples=4)
    >>> [(row.removed, row.low, row.high) for row in findings.rows()]      # without b, the other run is better
    [(0.0, 1.0, 1.0), (0.5, -1.0, 1.0)]
    """
    measures = list_measures(measures)
    check(measures, remove, of, truth, by, fractions, keep)
    seeds = sample_seeds(seed, samples)
    complete = [replace(experiment.compare(one), measure=name) for name, one in preferences_by_name(measures).items()]
    reference = None if truth is None else experiment.compare(next(iter(preferences_by_name([truth]).values())))
    agreements = [agreement_with(reference, one, of, by) for one in complete]
    requests = counted_requests(experiment, complete)
    steps = sorted(check_several(fractions, "fraction", check_share))
    sizes = [] if keep is None else check_sizes(keep, len(requests))
    if sizes:
        steps = [1 - size / len(requests) for size in sizes]
    if remove == "requests":
        sampler = request_sampler(requests, complete)
    else:
        sampler = label_sampler(experiment, complete, LABELS_BY[remove])

    def one_sample(task: tuple[float, int]) -> list[tuple[float, int]]:
        fraction, sample_seed = task
        return [
            (nan, 0) if sample is None else (agreement(*sample), int(sample[1].sum()))
            for agreement, sample in zip(agreements, sampler(1 - fraction, sample_seed), strict=True)
        ]

    # [fraction, sample, measure, agreement and number of requests]
    parts = np.array(run_tasks(one_sample, product(steps, seeds), jobs, tick)).reshape(len(steps), samples, -1, 2)
    rows = tuple(
        summarise(one.measure, removed, parts[step, :, k, 0].tolist())
        for k, one in enumerate(complete)
        for step, removed in enumerate(steps)
    )
    noun, (title, meaning) = "requests" if remove == "requests" else "labels", OF[of]
    ties = ("a tie must stay a tie", "what that ties is left out")[truth is not None]
    least = 0 if sizes else len(steps) - 1  # the step at which least is kept
    means = [(row.mean, row.measure) for row in rows[least :: len(steps)] if row.mean is not None]
    ranking = ", ".join(f"{name} {mean:.2f}" for mean, name in sorted(means, key=lambda row: -row[0])) or "not known"
    titles = (("removed", f"share of {noun} removed"), ("requests", "number of requests"), ("mean", title))
    left = plural(sizes[0], "request") if sizes else f"{steps[-1]:.0%} of the {noun} removed"
    draws = f"{plural(samples, 'sample')} for every {'number' if sizes else 'fraction'}, seed {seed}"
    shown = tuple(RequestStability(row.measure, sizes[k % len(sizes)], *row[2:]) for k, row in enumerate(rows) if sizes)
    columns = RequestStability._fields if sizes else Stability._fields
    return Findings(
        columns,
        shown or rows,
        f"With {left}, mean {title}: {ranking}.",
        (
            f"{REMOVE[remove]} {draws}; low and high are the smallest and the largest of them.",
            f"{meaning}, by {'the same measure' if truth is None else measure_name(truth)}"
            f"{'' if of == 'order' else f'; {ties}'}.",
            *(() if remove == "requests" else label_notes(preferences_by_name(measures), experiment.positions)),
            *loss_notes(complete, parts.reshape(len(steps) * samples, -1, 2), remove != "requests"),
            *dict.fromkeys(note for one in complete for note in one.notes),
        ),
        Picture("line", columns[1], "mean", color="measure", band=("low", "high"), titles=titles),
        library=complete[0].library,
    )


def check(
    measures: Any = MEASURES,
    remove: str = "labels",
    of: str = "order",
    truth: Measure | None = None,
    by: Any = None,
    fractions: Any = FRACTIONS,
    keep: Any = None,
    **others: Any,
) -> list[Preference]:
    """Validate before reading; the measures to read."""
    check_several(fractions, "fraction", check_share)
    if keep is not None and remove != "requests":
        raise InputError(f"keep={keep!r} is a number of requests. Use remove='requests'.", kind="choice")
    if keep is not None and fractions != FRACTIONS:
        raise InputError("keep takes the place of fractions. Give one of them.", kind="choice")
    if by is not None and of != "order":
        raise InputError(f"by={by!r} is how runs are ordered; nothing is ordered for of={of!r}.", kind="choice")
    if by is not None:
        method(by)
    if (remove, of) == ("requests", "preferences") and truth is None:
        raise InputError(
            "a preference in one request does not change where others are removed. Use of='systems' or of='order'.",
            kind="choice",
        )
    preferences = preferences_by_name(measures)
    if remove != "requests":
        advice = "Only requests can be removed for it: remove='requests'."
        check_positions_suffice(preferences, advice, of_labels=True)
    return [*preferences.values(), *(() if truth is None else preferences_by_name([truth]).values())]


# What is removed


def label_sampler(experiment: Experiment, complete: Sequence[Comparison], by: str) -> Sampler:
    """Every measure on the same sample of labels, or of all ratings; None where no request has a value."""
    positions = experiment.positions
    order = cache(lambda seed, of: label_order(positions, seed, by, of))  # the same for all shares

    def sample(share: float, seed: int) -> Iterator[Sample]:
        kept = cache(lambda of: keep_first(positions, share, order(seed, of), of))
        for one in complete:
            assert one.preference is not None, "these compare rankings"
            try:
                part = compare(kept(labels_drawn(one.preference, positions)), one.preference)
                yield part, part.ballots.unit_weights()
            except InputError as error:
                if error.kind != "empty":
                    raise
                yield None

    return sample


def counted_requests(experiment: Experiment, complete: Sequence[Comparison]) -> Ids:
    """The requests that count for any measure."""
    counted = {request for one in complete for request in one.requests}
    return Ids.from_names(request for request in experiment.positions.requests if request in counted)


def check_sizes(sizes: Any, most: int) -> list[int]:
    """Numbers of requests, the smallest first."""
    return sorted(check_several(sizes, "keep", partial(check_count, high=most)))


def request_sampler(requests: Ids, complete: Sequence[Comparison]) -> Sampler:
    """Every measure on the same sample of the requests that count."""
    places = [one.requests.indices(requests) for one in complete]  # -1 for those that do not count for a measure

    def sample(share: float, seed: int) -> Iterator[Sample]:
        kept = sample_indices(requests, share, seed)
        for one, place in zip(complete, places, strict=True):
            weights = np.zeros((1, len(one.requests)))
            weights[0, place[kept][place[kept] >= 0]] = 1.0
            yield (one, weights) if weights.any() else None

    return sample


# What is compared


def agreement_with(reference: Comparison | None, one: Comparison, of: str, by: Any) -> Agreement:
    """How well a sample agrees with complete data, by the measure itself or by the reference without its ties."""
    complete, with_ties = (one, True) if reference is None else (reference, False)
    if of == "order":
        ranks = complete.order(by).ranks
        return lambda part, weights: tau_b(part.ordering_method(by).ranks(part.ballots, weights)[0], ranks)
    if of == "systems":
        means = np.sign(complete.mean)
        return lambda part, weights: agreement_share(mean_signs(part, weights), means, with_ties=with_ties)
    signs = np.sign(complete.numerator).astype(np.int8)
    index = {request: k for k, request in enumerate(complete.requests)}

    def share(part: Comparison, weights: Floats) -> float:
        kept = [(k, request) for k, request in enumerate(part.requests) if weights[0, k]]
        both = [(k, index[request]) for k, request in kept if request in index]
        mine, theirs = np.array(both, dtype=np.int64).reshape(-1, 2).T
        return agreement_share(np.sign(part.numerator[:, mine]), signs[:, theirs], with_ties=with_ties)

    return share


def mean_signs(part: Comparison, weights: Floats) -> NDArray[np.int8]:
    """The sign [pair] of every exact mean preference."""
    return np.asarray(part.ballots.pair_totals.signs(weights)[0])


def agreement_share(signs: NDArray[Any], truth: NDArray[Any], with_ties: bool) -> float:
    """The share of signs that are the same, of all or of those that do not tie in truth; NaN where there is none."""
    counts = np.ones(truth.shape, dtype=bool) if with_ties else truth != 0
    number = int(counts.sum())
    return int(((signs == truth) & counts).sum()) / number if number else nan


def summarise(measure: str, removed: float, agreements: Iterable[float]) -> Stability:
    values = [value for value in agreements if not isnan(value)]
    if not values:
        return Stability(measure, removed, None, None, None, None, 0)
    low, high = min(values), max(values)
    mean = min(max(fmean(values), low), high)  # the last digit of a quotient may lie outside
    return Stability(measure, removed, mean, low, high, stdev(values) if len(values) > 1 else None, len(values))


def loss_notes(complete: Sequence[Comparison], parts: NDArray[np.float64], is_of_labels: bool) -> Iterator[str]:
    """Requests without a relevant item left, and samples without a value: ``parts[sample, measure, :]``."""
    for one, (agreements, counts) in zip(complete, parts.transpose(1, 2, 0), strict=True):
        requests = len(one.requests) * len(parts)
        lost = requests - int(counts.sum())
        if is_of_labels and lost:
            yield f"{one.measure}: over all samples, {lost:,} of {requests:,} requests had no relevant item left."
        unknown = int(np.isnan(agreements).sum())
        if unknown:
            why = "all runs tied, or no labels left"
            yield f"{one.measure}: {unknown:,} of {len(parts):,} samples without a value ({why})."
