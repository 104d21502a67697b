"""How far measures agree about the same runs (LR 6.2.1; RPP 6.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import combinations, product
from math import isnan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_count, check_two_runs
from tiebreak._kernels.interface import Tick
from tiebreak.comparison import Comparison
from tiebreak.errors import InputError
from tiebreak.experiment import Experiment
from tiebreak.metrics import Metric
from tiebreak.orderings import Method, Ordering, method
from tiebreak.populations import Population, population_for
from tiebreak.preferences import Preference
from tiebreak.preferences import preference as find_preference
from tiebreak.projection.primitives import Floats
from tiebreak.results.cells import text
from tiebreak.results.plots import Picture
from tiebreak.studies.base import Findings, data_notes, run_tasks, study_from_catalogue, view_options
from tiebreak.studies.measures import list_measures, measure_name


@study_from_catalogue("experiment")
def agreement(
    experiment: Experiment,
    view: str = "preference",
    measures: str | Preference | Metric | Iterable[str | Preference | Metric] | None = None,
    *,
    points: int | None = None,
    seed: int = 0,
    ordering: str | Method | None = None,
    correlation: str | None = None,
    jobs: int = 1,
    tick: Tick | None = None,
) -> Findings:
    """How far measures agree, over all pairs of runs in all requests.

    Parameters
    ----------
    view : {"preference", "sign", "order"}
        How often one measure agrees where another sees a difference (LR Fig 10); Pearson correlation of the sizes of
        preferences and agreement of their signs, ties included (RPP Fig 5); or correlation of the orders of runs (RPP
        Table 2).
    measures : specs, preferences or metrics, optional
        By default those of the papers.
    points, seed : int
        How many points ``view="sign"`` draws at random, by default 500, with seed 0.
    ordering : str or Method, optional
        How ``view="order"`` orders runs, as in `Experiment.order`.
    correlation : {"tau_b", "tau_ap", "rbo"}, optional
        Of ``view="order"``.

    Examples
    --------
    >>> runs = [{"q": {"a": 3.0, "x": 2.0, "b": 1.0}}, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}]
    >>> data = Experiment({"q": {"a": 1, "b": 1}}, runs)
    >>> for row in agreement(data, measures=["LexiRecall", "R@5"]).rows():      # recall ties
    ...     print(*row)
    LexiRecall LexiRecall 1 1 1.0
    LexiRecall R@5 1 0 0.0
    R@5 LexiRecall 0 0 None
    R@5 R@5 0 0 None
    """
    chosen = check(view, measures)
    check_two_runs([run.name for run in experiment.runs], "agreement")
    options = view_options(view, VIEWS, points=points, seed=seed or None, ordering=ordering, correlation=correlation)
    findings = VIEWS[view](experiment, chosen, jobs=jobs, tick=tick, **options)
    positions = experiment.positions
    return replace(findings, details=(*findings.details, *data_notes(positions)), library=positions.library)


def check(view: str = "preference", measures: Any = None, **others: Any) -> list[Any]:
    """Validate before reading; the measures of a view."""
    chosen = list(MEASURES[view]) if measures is None else list_measures(measures)
    if len(chosen) < 2:
        raise InputError("agreement is between measures; there is one. Give at least two.", kind="empty")
    for measure in chosen:
        if view != "order" or population_for(measure, None) is None:
            find_preference(measure)
    return chosen


# Pairs of runs in every request


class Signs(NamedTuple):
    """What a measure says of every pair of runs in every request that all measures have a value for."""

    measure: str
    signs: NDArray[np.int8]
    values: Floats


def compare_all(experiment: Experiment, measures: list[Any], jobs: int, tick: Tick | None) -> list[Signs]:
    """All pairs by every measure, on the requests that all have a value for, sorted by name regardless of the input."""
    comparisons = run_tasks(experiment.compare, measures, jobs, tick)
    common = set(comparisons[0].requests).intersection(*(one.requests for one in comparisons))
    if not common:
        raise InputError("no request has a value by all measures. Check rel and min_grade.", kind="empty")
    names = map(measure_name, measures)
    return [align_signs(one, name, common) for one, name in zip(comparisons, names, strict=True)]


def align_signs(comparison: Comparison, name: str, common: set[str]) -> Signs:
    requests, pairs = list(comparison.requests), list(comparison.names())
    kept = sorted((q for q, request in enumerate(requests) if request in common), key=requests.__getitem__)
    rows = sorted(range(len(pairs)), key=lambda row: sorted(pairs[row]))
    turned = np.array([1 if x < y else -1 for x, y in (pairs[row] for row in rows)], dtype=np.int8)[:, None]
    values = comparison.values[np.ix_(rows, kept)]
    return Signs(name, turned * np.sign(values).astype(np.int8), turned * values)


def preference_view(experiment: Experiment, measures: list[Any], *, jobs: int, tick: Tick | None) -> Findings:
    r"""How often a measure agrees where another one sees a difference.

    .. math:: \frac{\sum \mathbb{I}(\pi \succ_\mu \pi' \wedge \pi \succ_\nu \pi')}{\sum \mathbb{I}(\pi \succ_\mu \pi')}
    """
    compared = compare_all(experiment, measures, jobs, tick)
    rows = []
    for one, other in product(compared, repeat=2):
        differ = int(np.count_nonzero(one.signs))
        agree = int(np.count_nonzero((one.signs == other.signs) & (one.signs != 0)))
        rows.append((one.measure, other.measure, differ, agree, agree / differ if differ else None))
    first = compared[0].measure
    nearest = max(
        (row for row in rows if row[1] == first != row[0] and row[2]), key=lambda row: row[3] / row[2], default=None
    )
    conclusion = f"No measure other than {first} finds a difference."
    if nearest is not None:
        name, _, differ, agree, _ = nearest
        conclusion = f"{first} agrees most with differences by {name}: {agree / differ:.1%} of {differ:,}."
    titles = (("given", "given a difference by"), ("measure", "agreement of"), ("share", "share that agrees"))
    return Findings(
        ("given", "measure", "differ", "agree", "share"),
        tuple(rows),
        conclusion,
        (
            "Of all (pair of runs, request) that differ by one measure, those that the other orders in the same way; "
            "ties of the other measure count as disagreement.",
        ),
        Picture("heat", "given", "measure", color="share", titles=titles),
    )


def sign_view(
    experiment: Experiment, measures: list[Any], *, points: int = 500, seed: int = 0, jobs: int, tick: Tick | None
) -> Findings:
    """Pearson correlation of preferences, and the share of points where both have the same sign (RPP Fig 5)."""
    points = check_count(points, "points")
    compared = compare_all(experiment, measures, jobs, tick)
    rows = [
        (x.measure, y.measure, pearson(x.values, y.values), float((x.signs == y.signs).mean()))
        for x, y in combinations(compared, 2)
    ]
    with_first = rows[: len(compared) - 1]
    nearest = max(with_first, key=lambda row: row[3])
    size = compared[0].signs.size
    titles = (("value", "other measure"), ("first", compared[0].measure))
    return Findings(
        ("measure", "other", "r", "agreement"),
        tuple(rows),
        f"{nearest[0]} agrees most in sign with {nearest[1]}: {nearest[3]:.1%} of {size:,} points.",
        (
            "r: Pearson correlation of the sizes of preferences over ordered pairs of runs, so that it does not depend "
            "on their order. agreement: share of points with the same sign, where two ties are the same.",
            f"Drawn: {min(points, size):,} random points, seed {seed}.",
        ),
        Picture("point", "value", "first", color="signs", facet="other", own_scales=("x", "y"), titles=titles),
        drawn=(("other", "value", "first", "signs"), tuple(sample_points(compared, with_first, points, seed))),
    )


def pearson(x: Floats, y: Floats) -> float | None:
    """The correlation over all ordered pairs: their means are 0, as every preference occurs with both signs."""
    spread = float(np.sqrt((x * x).sum()) * np.sqrt((y * y).sum()))
    return float((x * y).sum()) / spread if spread > 0 else None


def sample_points(
    compared: list[Signs], scores: list[tuple[Any, ...]], points: int, seed: int
) -> Iterator[tuple[Any, ...]]:
    """Random points of the first measure and every other."""
    first, *others = compared
    rng = np.random.default_rng(seed)
    indices = rng.permutation(first.signs.size)[:points]
    flips = rng.choice([-1.0, 1.0], size=len(indices))
    y, sign_of_y = first.values.ravel()[indices] * flips, first.signs.ravel()[indices]
    for other, (_, name, r, share) in zip(others, scores, strict=True):
        x, same = other.values.ravel()[indices] * flips, other.signs.ravel()[indices] == sign_of_y
        for *point, is_same in zip(x.tolist(), y.tolist(), same.tolist(), strict=True):
            yield f"{name}: r {text(r, 2)}, sa {text(share, 2)}", *point, "the same" if is_same else "not the same"


# Orders of runs


def order_view(
    experiment: Experiment,
    measures: list[Any],
    *,
    ordering: str | Method | None = None,
    correlation: str = "tau_b",
    jobs: int,
    tick: Tick | None,
) -> Findings:
    """The correlation of the orders by all pairs of measures; preferences are ordered by MC4, metrics by their mean."""
    by = None if ordering is None else method(ordering)

    def order(measure: Any) -> Ordering:
        return experiment.order(measure, None if population_for(measure, None) else by)

    orders = run_tasks(order, measures, jobs, tick)
    names = [str(measure) if isinstance(measure, Population) else measure_name(measure) for measure in measures]
    pairs = combinations(zip(names, orders, strict=True), 2)
    taus = ((x, y, one.correlation(other, correlation)) for (x, one), (y, other) in pairs)
    rows = tuple((x, y, None if isnan(tau) else tau) for x, y, tau in taus)
    values = [(x, y, tau) for x, y, tau in rows if tau is not None]
    conclusion = "No two orders can be compared: runs tie."
    if values:
        near, far = (choose(values, key=lambda row: row[2]) for choose in (max, min))
        conclusion = f"Highest {correlation}: {near[0]} and {near[1]}, {near[2]:.3f}"
        conclusion += f"; lowest: {far[0]} and {far[1]}, {far[2]:.3f}." if near != far else "."
    methods = ", ".join(f"{name} by {order.by}" for name, order in zip(names, orders, strict=True))
    picture = Picture("heat", "other", "measure", color=correlation, titles=(("other", "measure"),))
    columns = ("measure", "other", correlation)
    return Findings(columns, rows, conclusion, (f"{correlation} of orders: {methods}.",), picture)


VIEWS: dict[str, Callable[..., Findings]] = {"preference": preference_view, "sign": sign_view, "order": order_view}
MEASURES = {
    "preference": ("LexiRecall", "R@1000", "RP", "AP", "nDCG", "nDCG@10", "RR"),
    "sign": ("RPP", "AP", "nDCG", "ASL(n='union')", "RR", "OI", "OI(user='dcg')"),
    "order": ("RR", "invRPP", "RPP", "dcgRPP", "AP", "nDCG"),
}
"""Those that the papers look at."""
