"""How stable orders and preferences are where labels or requests are missing (LR 6.2.4, LP 5.1, RPP 6.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import isnan, nan
from numbers import Real
from statistics import fmean, stdev
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.text import plural
from tiebreak._kernels.interface import Tick
from tiebreak.analysis.theory import whole
from tiebreak.comparison import Comparison, compare
from tiebreak.errors import InputError
from tiebreak.experiment import Experiment
from tiebreak.inputs import Ids
from tiebreak.orderings import Method, method
from tiebreak.orderings.correlation import tau_b
from tiebreak.preferences import Preference
from tiebreak.projection.sampling import sample_indices, sample_labels
from tiebreak.results.plots import Picture
from tiebreak.studies.base import Findings, run_tasks, sample_seeds
from tiebreak.studies.measures import Measure, check_positions_suffice, preferences_by_name

MEASURES = ("RPP", "dcgRPP", "LexiRecall", "LexiPrecision", "AP", "nDCG", "RR", "R@100")
FRACTIONS = tuple(k / 10 for k in range(10))
REMOVED = {
    "labels": "A share of every request's relevant items is removed, each alike; at least one stays.",
    "pool": "A share of every request's relevant items is removed; those that more runs retrieve stay more often, in "
    "proportion to the number of runs; at least one stays.",
    "requests": "A share of the requests is removed, each alike; at least one stays.",
}
FOUND = {
    "order": "tau_b of the order of runs",
    "preferences": "share of preferences that agree",
    "systems": "share of pairs of runs that agree",
}

Signs = NDArray[np.int8]
Agree = Callable[[Comparison], float]
Draw = Callable[[float, int], Iterator[Comparison | None]]


class Stability(NamedTuple):
    """How well one measure agrees with complete data where a fraction is removed: over so many samples."""

    measure: str
    removed: float
    mean: float | None
    low: float | None
    high: float | None
    sd: float | None
    samples: int


class Part(NamedTuple):
    """What one sample says by one measure; NaN where nothing can be said."""

    agreement: float
    requests: int


def missing(
    experiment: Experiment,
    measures: Measure | Iterable[Measure] = MEASURES,
    remove: str = "labels",
    of: str = "order",
    *,
    truth: Measure | None = None,
    by: str | Method | None = None,
    fractions: Iterable[float] = FRACTIONS,
    samples: int = 10,
    seed: int = 0,
    jobs: int = 1,
    tick: Tick | None = None,
) -> Findings:
    r"""How far orders and preferences stay what they are as labels or requests are removed.

    Positions are read once; labels are dropped from them. Each sample has its own chance, and what it loses by a
    fraction it also loses by any larger one.

    Parameters
    ----------
    experiment : Experiment
    measures : one or several of str, Preference, Metric or function
    remove : {"labels", "pool", "requests"}
        Relevant items of every request, each alike; the same where those that few runs retrieve go first, as if runs
        had been pooled; or whole requests.
    of : {"order", "preferences", "systems"}
        Kendall's tau_b of the order of runs (RPP Figs 6 and 7); the share of all (pair, request) whose preference, a
        tie among them, stays the same (LR Fig 15); or the share of pairs whose mean preference stays so (LP Fig 8).
    truth : str, Preference, Metric or function, optional
        What complete data is measured by; by default each measure itself. With ``"RR"`` these are the curves of LP
        Fig 8. What another measure ties on complete data is left out: it says nothing of who is better.
    by : str or Method, optional
        How runs are ordered, as in `Comparison.order`: by default metrics by their mean, preferences by MC4.
    fractions : sequence of float
        How much is removed, from 0 to 1.
    samples : int
        For every fraction.
    seed : int
    jobs : int
        Threads, which do not change the result.
    tick : callable, optional
        Called with the samples done and those in all.

    Examples
    --------
    >>> qrels = {"q": {"a": 1, "b": 1}}
    >>> runs = [{"q": {"a": 3.0, "x": 2.0}}, {"q": {"x": 3.0, "b": 2.0, "a": 1.0}}]
    >>> found = missing(Experiment(qrels, runs), "LexiRecall", fractions=[0, 0.5], samples=4)
    >>> [(row.removed, row.low, row.high) for row in found.rows()]      # without b, the other run is better
    [(0.0, 1.0, 1.0), (0.5, -1.0, 1.0)]
    """
    asked, steps = preferences_by_name(measures), checked(remove, of, truth, by, fractions)
    seeds = sample_seeds(whole("seed", seed, 0), whole("samples", samples, 1))
    jobs = whole("jobs", jobs, 1)
    if remove != "requests":
        check_positions_suffice(asked, "Only requests can be removed for it: remove='requests'.")
    complete = [replace(experiment.compare(made), measure=name) for name, made in asked.items()]
    target = None if truth is None else experiment.compare(truth_of(truth)[1])
    judges = [judge_of(of, one, target, by) for one in complete]
    draw = (without_requests if remove == "requests" else without_labels)(experiment, complete, remove)

    def sampled(task: tuple[float, int]) -> list[Part]:
        fraction, drawn_by = task
        return [*map(part_of, judges, draw(1 - fraction, drawn_by))]

    parts = run_tasks(sampled, product(steps, seeds), jobs, tick)
    found = np.array([[part.agreement for part in sample] for sample in parts]).reshape(len(steps), samples, -1)
    rows = tuple(
        row_of(one.measure, removed, found[step, :, k].tolist())
        for k, one in enumerate(complete)
        for step, removed in enumerate(steps)
    )
    said = (
        f"{REMOVED[remove]} {plural(samples, 'sample')} for every fraction, seed {seed}; low and high are the smallest "
        "and the largest of them.",
        compared_with(of, truth),
        *left_out(complete, parts, is_of_labels=remove != "requests"),
        *dict.fromkeys(note for one in complete for note in one.notes),
    )
    noun = "requests" if remove == "requests" else "labels"
    titles = (("removed", f"share of {noun} removed"), ("mean", FOUND[of]))
    picture = Picture("line", "removed", "mean", color="measure", band=("low", "high"), titles=titles)
    last = (
        f"With {steps[-1]:.0%} of the {noun} removed, mean {FOUND[of]}: {ranked(rows[len(steps) - 1 :: len(steps)])}."
    )
    return Findings(Stability._fields, rows, last, said, picture, library=complete[0].library)


# What is asked for


def truth_of(measure: Measure) -> tuple[str, Preference]:
    """What complete data is measured by, and its name."""
    ((name, made),) = preferences_by_name([measure]).items()
    return name, made


def checked(remove: str, of: str, truth: Measure | None, by: Any, fractions: Iterable[float]) -> list[float]:
    """The fractions in their order, where the question makes sense."""
    for name, value, known in (("remove", remove, REMOVED), ("of", of, FOUND)):
        if value not in known:
            raise InputError(f"{name}={value!r}. Give one of {', '.join(known)}.", kind="choice")
    if truth is not None:
        truth_of(truth)
    if by is not None and of != "order":
        raise InputError(f"by={by!r} is how runs are ordered; nothing is ordered for of={of!r}.", kind="choice")
    if by is not None:
        method(by)
    if (remove, of) == ("requests", "preferences") and truth is None:
        raise InputError(
            "a preference in one request does not change where others are removed. Use of='systems' or of='order'.",
            kind="choice",
        )
    steps = list(fractions)
    for step in steps:
        if isinstance(step, bool) or not isinstance(step, Real) or not 0 <= step <= 1:
            raise InputError(f"fraction {step!r}. Give numbers from 0 to 1.", kind="share")
    if not steps:
        raise InputError("no fraction was given. Give at least one, such as 0.5.", kind="empty")
    return sorted({float(step) for step in steps})


def check(
    measures: Any = MEASURES,
    remove: str = "labels",
    of: str = "order",
    truth: Measure | None = None,
    by: Any = None,
    fractions: Iterable[float] = FRACTIONS,
    **others: Any,
) -> list[Preference]:
    """Refuse before anything is read what cannot be meant; the measures."""
    checked(remove, of, truth, by, fractions)
    asked = [*preferences_by_name(measures).values()]
    return asked if truth is None else [*asked, truth_of(truth)[1]]


# What is removed


def without_labels(experiment: Experiment, complete: Sequence[Comparison], remove: str) -> Draw:
    """Every measure on the same sample of labels; None where no request has a value."""
    by = "runs" if remove == "pool" else "uniform"

    def draw(share: float, seed: int) -> Iterator[Comparison | None]:
        kept = sample_labels(experiment.positions, share, seed=seed, by=by)
        for one in complete:
            try:
                yield compare(kept, one.preference)
            except InputError as error:
                if error.kind != "empty":
                    raise
                yield None

    return draw


def without_requests(experiment: Experiment, complete: Sequence[Comparison], remove: str) -> Draw:
    """What every measure finds for the same sample of the requests that count."""
    counted = {request for one in complete for request in one.requests}
    requests = Ids.from_names(request for request in experiment.positions.requests if request in counted)

    def draw(share: float, seed: int) -> Iterator[Comparison | None]:
        kept = set(requests.take(sample_indices(requests, share, seed)))
        for one in complete:
            places = np.array([k for k, request in enumerate(one.requests) if request in kept], dtype=np.int64)
            yield one.take_requests(places) if len(places) else None

    return draw


# What is compared


def judge_of(of: str, one: Comparison, truth: Comparison | None, by: Any) -> Agree:
    """How well a sample agrees with what complete data says by the truth, or else by the measure itself."""
    target = one if truth is None else truth
    if of == "order":
        ranks = target.order(by).ranks
        return lambda part: tau_b(part.order(by).ranks, ranks)
    if of == "systems":
        means = mean_signs(target)
        return lambda part: share_alike(mean_signs(part), means, ties_count=truth is None)
    signs = np.sign(target.numerator).astype(np.int8)
    place = {request: k for k, request in enumerate(target.requests)}

    def share(part: Comparison) -> float:
        both = [(k, place[request]) for k, request in enumerate(part.requests) if request in place]
        mine, theirs = np.array(both, dtype=np.int64).reshape(-1, 2).T
        return share_alike(np.sign(part.numerator[:, mine]), signs[:, theirs], ties_count=truth is None)

    return share


def mean_signs(comparison: Comparison) -> Signs:
    """Which run of every pair is better over requests: 1, 0 or -1."""
    return np.sign(comparison.mean).astype(np.int8)


def share_alike(found: NDArray[Any], truth: Signs, ties_count: bool) -> float:
    """The share of signs that are the same, of all or of those that are no tie in truth; NaN where there is none.

    Examples
    --------
    >>> share_alike(np.array([1, 0, -1, 0]), np.array([1, 0, 1, 1]), ties_count=True)
    0.5
    >>> round(share_alike(np.array([1, 0, -1, 0]), np.array([1, 0, 1, 1]), ties_count=False), 3)
    0.333
    """
    counted = np.ones(truth.shape, dtype=bool) if ties_count else truth != 0
    number = int(counted.sum())
    return int(((found == truth) & counted).sum()) / number if number else nan


def part_of(agree: Agree, part: Comparison | None) -> Part:
    return Part(nan, 0) if part is None else Part(agree(part), len(part.requests))


# What is told


def row_of(measure: str, removed: float, found: Iterable[float]) -> Stability:
    known = [value for value in found if not isnan(value)]
    if not known:
        return Stability(measure, removed, None, None, None, None, 0)
    spread = stdev(known) if len(known) > 1 else None
    low, high = min(known), max(known)
    mean = min(max(fmean(known), low), high)  # the last digit of a quotient may lie outside
    return Stability(measure, removed, mean, low, high, spread, len(known))


def ranked(rows: Sequence[Stability]) -> str:
    """The measures with their means, the most stable one first."""
    known = [(row.mean, row.measure) for row in rows if row.mean is not None]
    return ", ".join(f"{name} {mean:.2f}" for mean, name in sorted(known, key=lambda row: -row[0])) or "not known"


def compared_with(of: str, truth: Measure | None) -> str:
    """What is held against what."""
    what = {
        "order": "Kendall's tau_b of the order of runs with that on complete data",
        "preferences": "The share of all pairs of runs and requests whose preference is that on complete data",
        "systems": "The share of pairs of runs whose mean preference has the sign it has on complete data",
    }[of]
    if truth is None:
        return f"{what}, by the same measure{'' if of == 'order' else '; a tie must stay a tie'}."
    return f"{what}, by {truth_of(truth)[0]}{'' if of == 'order' else '; what that ties is left out'}."


def left_out(complete: Sequence[Comparison], parts: Sequence[Sequence[Part]], is_of_labels: bool) -> Iterator[str]:
    """Requests without a relevant item left, and samples without a value, by measure."""
    for k, one in enumerate(complete):
        requests = len(one.requests) * len(parts)
        lost = requests - sum(sample[k].requests for sample in parts)
        if is_of_labels and lost:
            yield f"{one.measure}: over all samples, {lost:,} of {requests:,} requests lost all that counts; left out."
        unknown = sum(isnan(sample[k].agreement) for sample in parts)
        if unknown:
            yield f"{one.measure}: without a value, all tied or nothing left: {unknown:,} of {len(parts):,} samples."
