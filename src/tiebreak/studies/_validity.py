"""How leximin relates to the mean and to similar populations (PE 3.4, 6, 7; Figs 1 to 3, Tables 2, 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from math import floor, isnan, nan
from typing import Any, NamedTuple

from tiebreak._base.checks import check_two_runs
from tiebreak._base.text import join_names, plural
from tiebreak.errors import InputError, UnknownNameError
from tiebreak.experiment import Experiment
from tiebreak.metrics import Metric, metric
from tiebreak.orderings import Ordering
from tiebreak.populations import population
from tiebreak.populations.lags import check_lags, some_lags
from tiebreak.preferences import preference
from tiebreak.results.cells import text
from tiebreak.results.plots import Picture
from tiebreak.studies._coarse_utilities import thresholding, truncation
from tiebreak.studies._population_orders import order_by
from tiebreak.studies.base import Findings, as_setting, study_from_catalogue, view_options
from tiebreak.studies.measures import list_measures
from tiebreak.utilities import Utilities

PESSIMISTIC = ("min", "gmean", "auc4")
OTHERS = ("mean", "leximax")
RELATIVES = (*PESSIMISTIC, *OTHERS)
TAU_TITLE = ("tau_b", "Kendall's tau_b with leximin")
TAU_NOTE = "tau_b with leximin, - where all systems tie or requests are too few; number of tied systems."


@study_from_catalogue("utilities")
def validity(
    utilities: Utilities | Iterable[Utilities],
    view: str = "populations",
    *,
    populations: Iterable[str | Ordering] | None = None,
    pessimistic: Iterable[str | Ordering] | None = None,
    others: Iterable[str | Ordering] | None = None,
    lags: int | Iterable[int] | None = None,
    thresholds: float | Iterable[float] | None = None,
    keep: int | Iterable[int] | None = None,
    truncate: str | None = None,
) -> Findings:
    """How leximin relates to the mean and to similar populations (PE 6, 7).

    Parameters
    ----------
    utilities : Utilities
        For ``view="discriminant"`` also several, of one measure each. With groups, orders are over their means. Weights
        are for populations that take them, such as the mean; others, such as leximin, count every request once.
    view : {"populations", "discriminant", "movement", "smoothing", "threshold", "truncation"}
        tau_b with other populations, and ties (PE Table 2); the same by measure, pessimistic populations and others
        (PE Table 3); ranks by the mean and by leximin (PE Fig 1); smoothed leximin by lag (PE Fig 2); leximin and the
        mean, utilities below a threshold being 0 (PE Fig 3a) or truncated (PE Fig 3b).
    populations : specs or orders, optional
        Of ``view="populations"``.
    pessimistic, others : specs or orders, optional
        Of ``view="discriminant"``.
    lags : int or several, optional
        Of ``view="smoothing"``.
    thresholds : float or several, optional
        Of ``view="threshold"``.
    keep : int or several, optional
        Of ``view="truncation"``: how many digits are kept.
    truncate : {"significant", "decimals"}, optional
        Of ``view="truncation"``: which digits are counted; by default significant ones.

    Examples
    --------
    >>> table = Utilities({"a": {"p": 0.5, "q": 0.5}, "b": {"p": 1, "q": 0.25}, "c": {"p": 0, "q": 0}})
    >>> validity(table, populations=["min", "mean"]).rows()
    (('min', 1.0, 0), ('mean', 0.3333333333333333, 0))
    """
    options = view_options(
        view,
        VIEWS,
        populations=populations,
        pessimistic=pessimistic,
        others=others,
        lags=lags,
        thresholds=thresholds,
        keep=keep,
        truncate=truncate,
    )
    tables = (utilities,) if isinstance(utilities, Utilities) else tuple(utilities)
    for table in tables:
        check_two_runs(table.runs, "a comparison of orders")
    if not tables or (len(tables) > 1 and view != "discriminant"):
        raise InputError(f"{len(tables)} utilities. Give one; several only for view='discriminant'.", kind="choice")
    findings = VIEWS[view](tables if view == "discriminant" else tables[0], **options)
    first = tables[0]
    measures = [table.measure for table in tables]
    size = f"{join_names(measures)} of {plural(len(first.runs), 'run')}, {plural(len(first.requests), 'request')}."
    notes = dict.fromkeys(note for table in tables for note in table.notes)
    details = (*findings.details, size, *notes, *reading_note(first))
    return replace(findings, details=details, library=first.table.library, more_settings={"measures": measures})


def from_runs(
    experiment: Experiment,
    view: str = "populations",
    *,
    measures: str | Metric | Iterable[str | Metric] = ("AP",),
    populations: Iterable[str | Ordering] | None = None,
    pessimistic: Iterable[str | Ordering] | None = None,
    others: Iterable[str | Ordering] | None = None,
    lags: int | Iterable[int] | None = None,
    thresholds: float | Iterable[float] | None = None,
    keep: int | Iterable[int] | None = None,
    truncate: str | None = None,
    weights: Any = None,
    groups: Any = None,
) -> Findings:
    """Of the utilities of a measure, for "discriminant" of several.

    Populations of a metric of their own are of that metric; by default success at ten is among them (PE eq 8).
    """
    metrics = utility_metrics(measures, view)
    if view == "populations" and populations is None:
        populations = (*RELATIVES, "s@10")
    if view == "discriminant" and pessimistic is None:
        pessimistic = (*PESSIMISTIC, "s@10")

    def utilities(one: Metric) -> Utilities:
        return experiment.utilities(one, weights=weights, groups=groups)

    def orders(several: Iterable[str | Ordering] | None) -> list[str | Ordering] | None:
        if several is None:
            return None
        return [one if (own := own_metric(one)) is None else order_by(utilities(own), one) for one in several]

    return validity(
        [utilities(one) for one in metrics],
        view,
        populations=orders(populations),
        pessimistic=orders(pessimistic),
        others=orders(others),
        lags=lags,
        thresholds=thresholds,
        keep=keep,
        truncate=truncate,
    )


def check(
    measures: str | Metric | Iterable[str | Metric] = ("AP",),
    view: str = "populations",
    *,
    populations: Iterable[str | Ordering] = (),
    pessimistic: Iterable[str | Ordering] = (),
    others: Iterable[str | Ordering] = (),
    **options: Any,
) -> list[Metric]:
    """Validate before reading; the metrics to read."""
    own = map(own_metric, (*populations, *pessimistic, *others))
    return [*utility_metrics(measures, view), *(one for one in own if one is not None)]


def utility_metrics(measures: str | Metric | Iterable[str | Metric], view: str) -> list[Metric]:
    """The metrics whose values are utilities."""
    metrics = [utility_metric(one) for one in list_measures(measures)]
    if len(metrics) > 1 and view != "discriminant":
        raise InputError("Give one measure, or view='discriminant'.", kind="choice")
    return metrics


def utility_metric(measure: Any) -> Metric:
    """The metric whose values are utilities; a preference is an error."""
    try:
        return metric(measure)
    except UnknownNameError as unknown:
        try:
            preference(measure)
        except UnknownNameError:
            raise unknown from None
    raise InputError(f"{measure} is a preference; utilities need a metric, such as AP.", kind="spec")


def own_metric(order: str | Ordering) -> Metric | None:
    """The metric that a population names."""
    own = None if isinstance(order, Ordering) else population(order).metric
    return None if own is None else metric(own)


def reading_note(utilities: Utilities) -> Iterator[str]:
    """How groups and weights are used."""
    if utilities.groups is not None:
        yield f"Orders are over the means of {plural(count_units(utilities), 'group')}."
    elif utilities.table.weights is not None:
        yield "Weights count for populations that take them; others, such as leximin, count every request once."


def count_units(utilities: Utilities) -> int:
    """How many numbers of a run are ordered: those of requests, or of groups."""
    return len(set(utilities.groups or utilities.requests))


# Other populations


def correlate(utilities: Utilities, populations: Iterable[str | Ordering]) -> list[tuple[str, float, int]]:
    """Populations with the tau_b of their order with leximin's, NaN for too few requests, and the runs it ties."""
    leximin = order_by(utilities, "leximin")
    rows: list[tuple[str, float, int]] = []
    for one in populations:
        name = as_setting(one)
        try:
            order = order_by(utilities, one)
        except InputError as error:
            if error.kind != "size":
                raise
            rows.append((name, nan, 0))
        else:
            rows.append((name, order.correlation(leximin), order.n_tied))
    if not rows:
        raise InputError("no population was given. Give at least one, such as mean.", kind="empty")
    return rows


def compare_populations(utilities: Utilities, populations: Iterable[str | Ordering] = RELATIVES) -> Findings:
    """Kendall's tau_b of leximin's order with other orders, and how many systems each ties (PE Table 2)."""
    rows = tuple(correlate(utilities, populations))
    tau = max((tau for _, tau, _ in rows if not isnan(tau)), default=nan)
    nearest = [row[0] for row in rows if row[1] == tau] or ["none"]
    verb = "are" if len(nearest) > 1 else "is"
    tied = max(row[2] for row in rows)
    tying = [row[0] for row in rows if row[2] == tied]
    each = ("tie", " each") if len(tying) > 1 else ("ties", "")
    ties = f"{join_names(tying)} {each[0]} most, {plural(tied, 'run')}{each[1]}" if tied else "none ties any runs"
    return Findings(
        ("population", "tau_b", "tied"),
        rows,
        f"Nearest to leximin {verb} {join_names(nearest)}, tau_b {text(tau, 3)}; {ties}.",
        (TAU_NOTE,),
        Picture("bar", "tau_b", "population", titles=(TAU_TITLE,)),
    )


def discriminant(
    tables: Iterable[Utilities],
    pessimistic: Iterable[str | Ordering] = PESSIMISTIC,
    others: Iterable[str | Ordering] = OTHERS,
) -> Findings:
    """Convergent and discriminant validity: tau_b with pessimistic populations and with others (PE Table 3)."""
    groups = {"convergent": list(pessimistic), "discriminant": list(others)}
    rows = tuple(
        (table.measure, kind, *row)
        for table in tables
        for kind, group in groups.items()
        for row in correlate(table, group)
    )
    lowest, highest = (extremes(rows, choose) for choose in (min, max))
    far, close = (sum(len(kinds) > 1 for kinds in of_measures) for of_measures in (lowest, highest))
    ties = f" Pessimistic ones and others are equally close for {close}, equally far for {far}." if close or far else ""
    return Findings(
        ("measure", "validity", "population", "tau_b", "tied"),
        rows,
        f"The population closest to leximin is pessimistic for {highest.count({'convergent'})} of "
        f"{plural(len(highest), 'measure')}, and the farthest is not for {lowest.count({'discriminant'})}.{ties}",
        (TAU_NOTE,),
        Picture("bar", "tau_b", "population", color="validity", facet="measure", titles=(TAU_TITLE,)),
    )


def extremes(rows: Iterable[tuple[Any, ...]], choose: Callable[[Iterable[float]], float]) -> list[set[str]]:
    """The kind of validity that the largest or smallest tau_b of every measure supports; both where they tie."""
    by_measure: dict[str, dict[float, set[str]]] = {}
    for name, kind, _, tau, _ in rows:
        if not isnan(tau):
            by_measure.setdefault(name, {}).setdefault(tau, set()).add(kind)
    return [kinds[choose(kinds)] for kinds in by_measure.values()]


# The mean


class Movement(NamedTuple):
    """Ranks of a run by the mean and by leximin; `quintiles` is how many whole fifths of the runs it moves, up to 2."""

    run: str
    mean: int
    leximin: int
    change: int
    quintiles: int


def movement(utilities: Utilities) -> Findings:
    """Ranks by the mean and by leximin, and by how many quintiles a run moves (PE Fig 1); positive is better."""
    mean, leximin = order_by(utilities, "mean"), order_by(utilities, "leximin")
    fifth = len(utilities.runs) / 5
    rows = [
        Movement(run, before, after, before - after, min(floor(abs(before - after) / fifth), 2))
        for run, before, after in zip(utilities.runs, mean.ranks.tolist(), leximin.ranks.tolist(), strict=True)
    ]
    far, farther = (sum(row.quintiles >= least for row in rows) for least in (1, 2))
    titles = (("mean", "rank by the mean"), ("leximin", "rank by leximin"), ("quintiles", "quintiles moved"))
    return Findings(
        Movement._fields,
        tuple(sorted(rows, key=lambda row: row[1])),
        f"{far} of {plural(len(rows), 'run')} move by a quintile or more, {farther} by two or more.",
        (
            "Ranks by the mean and by leximin; a change above 0 is a better rank by leximin. Quintiles: less than one, "
            "one to two, two and more.",
        ),
        Picture("point", "mean", "leximin", color="quintiles", titles=titles),
    )


def smoothing(utilities: Utilities, lags: int | Iterable[int] | None = None) -> Findings:
    """Kendall's tau_b of smoothed leximin's order with leximin's and the mean's, by lag (PE Fig 2)."""
    n = count_units(utilities)
    orders = {
        lag: order_by(utilities, f"smoothed_leximin(lag={lag})")
        for lag in (some_lags(n) if lags is None else check_lags(lags, n))
    }
    ends = {name: order_by(utilities, name) for name in ("leximin", "mean")}
    tau = {(lag, name): order.correlation(end) for lag, order in orders.items() for name, end in ends.items()}
    nearer = [lag for lag in orders if tau[lag, "mean"] > tau[lag, "leximin"]]
    return Findings(
        ("lag", "with", "tau_b"),
        tuple((*key, value) for key, value in tau.items()),
        f"Smoothed leximin is first nearer to the mean than to leximin at lag {nearer[0]} of {n}."
        if nearer
        else "At no lag is smoothed leximin closer to the mean than to leximin.",
        ("tau_b of smoothed leximin with leximin and with the mean; lag 1 is leximin, the largest the mean.",),
        Picture("line", "lag", "tau_b", color="with", titles=(("tau_b", "Kendall's tau_b of smoothed leximin"),)),
    )


VIEWS: dict[str, Callable[..., Findings]] = {
    "populations": compare_populations,
    "discriminant": discriminant,
    "movement": movement,
    "smoothing": smoothing,
    "threshold": thresholding,
    "truncation": truncation,
}
