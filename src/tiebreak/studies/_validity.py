"""How leximin relates to the mean and to its relatives on given utilities (PE 3.4, 6, 7; Figs 1-3, Tables 2, 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import floor, isnan, nan
from typing import Any, NamedTuple

from tiebreak._base.text import join_names, plural
from tiebreak.errors import InputError, UnknownNameError
from tiebreak.orderings import Ordering
from tiebreak.populations.lags import check_lags, some_lags
from tiebreak.results.plots import Picture
from tiebreak.results.record import text
from tiebreak.studies.base import Findings
from tiebreak.studies.discretised import thresholding, truncation
from tiebreak.utilities import Utilities

PESSIMISTIC = ("min", "gmean", "auc4")
OTHERS = ("mean", "leximax")
RELATIVES = (*PESSIMISTIC, *OTHERS)
WITH_LEXIMIN = ("tau_b", "Kendall's tau_b with leximin")


def populations(utilities: Utilities, populations: Iterable[str | Ordering] = RELATIVES) -> Findings:
    """Kendall's tau_b of leximin's order with those of other populations, and how many systems each ties (PE Table 2).

    An order that is not of these utilities, such as ``Experiment.order("s@10")``, is given itself.
    """
    rows = tuple(beside(utilities, populations))
    known = [row for row in rows if not isnan(row[1])]
    nearest = max(known, key=lambda row: row[1], default=("none", nan, 0))
    summary = f"Nearest to leximin is {nearest[0]}, tau_b {text(nearest[1], 3)}; {most_tied(rows)}."
    said = ("tau_b with leximin, nan where all systems tie or requests are too few; number of tied systems.",)
    return Findings(
        ("population", "tau_b", "tied"),
        rows,
        summary,
        said,
        Picture("bar", "tau_b", "population", titles=(WITH_LEXIMIN,)),
    )


def beside(utilities: Utilities, populations: Iterable[str | Ordering]) -> list[tuple[str, float, int]]:
    """Populations with the tau_b of their order with leximin's, and how many runs each ties."""
    leximin = utilities.order("leximin")
    orders = [
        (f"{given.by}({given.measure})", given) if isinstance(given, Ordering) else (given, ordered(utilities, given))
        for given in populations
    ]
    if not orders:
        raise InputError("no population was given. Give at least one, such as mean.", kind="empty")
    return [
        (name, nan, 0) if order is None else (name, order.correlation(leximin), order.n_tied) for name, order in orders
    ]


def ordered(utilities: Utilities, population: str) -> Ordering | None:
    """The order by a population; None where there are too few requests for it."""
    try:
        return utilities.order(population)
    except InputError as error:
        if error.kind != "size":
            raise
        return None


def most_tied(rows: Iterable[tuple[str, float, int]]) -> str:
    name, _, tied = max(rows, key=lambda row: row[2])
    return f"{name} ties most, {plural(tied, 'run')}" if tied else "none ties any runs"


def discriminant(
    utilities: Utilities | Iterable[Utilities],
    pessimistic: Iterable[str | Ordering] = PESSIMISTIC,
    others: Iterable[str | Ordering] = OTHERS,
) -> Findings:
    """Whether leximin is nearer to what means the same than to what means something else (PE Table 3).

    A row per measure and population: convergent validity asks for a high tau_b with other pessimistic populations,
    discriminant validity for a lower one with the mean and with leximax.
    """
    given = [utilities] if isinstance(utilities, Utilities) else list(utilities)
    asked = {"convergent": list(pessimistic), "discriminant": list(others)}
    rows = tuple(
        (of_one.measure, validity, *row)
        for of_one in given
        for validity, group in asked.items()
        for row in beside(of_one, group)
    )
    lowest, highest = (extremes(rows, choose) for choose in (min, max))
    summary = (
        f"Highest tau_b with leximin: a pessimistic population by {highest.count('convergent')} of "
        f"{plural(len(highest), 'measure')}. Lowest: one that is not by {lowest.count('discriminant')}."
    )
    said = ("tau_b with leximin, nan where all systems tie or requests are too few; number of tied systems.",)
    picture = Picture("bar", "tau_b", "population", color="validity", facet="measure", titles=(WITH_LEXIMIN,))
    return Findings(("measure", "validity", "population", "tau_b", "tied"), rows, summary, said, picture)


def extremes(rows: Iterable[tuple[Any, ...]], choose: Callable[..., tuple[Any, ...]]) -> list[str]:
    """What the largest or the smallest tau_b of every measure speaks for; the first where several are equal."""
    by_measure: dict[str, list[tuple[Any, ...]]] = {}
    for row in rows:
        if not isnan(row[3]):
            by_measure.setdefault(row[0], []).append(row)
    return [choose(group, key=lambda row: row[3])[1] for group in by_measure.values()]


def smoothing(utilities: Utilities, lags: int | Iterable[int] | None = None) -> Findings:
    """Kendall's tau_b of smoothed leximin's order with leximin's and the mean's, by lag (PE Fig 2)."""
    n = len(utilities.requests)
    chosen = some_lags(n) if lags is None else check_lags(lags, n)
    ends = {name: utilities.order(name) for name in ("leximin", "mean")}
    orders = [(lag, utilities.order(f"smoothed_leximin(lag={lag})")) for lag in chosen]
    rows = tuple((lag, name, order.correlation(end)) for lag, order in orders for name, end in ends.items())
    nearer = [lag for lag, order in orders if order.correlation(ends["mean"]) > order.correlation(ends["leximin"])]
    summary = (
        f"Smoothed leximin is first nearer to the mean than to leximin at lag {nearer[0]} of {n}."
        if nearer
        else "Smoothed leximin is nowhere nearer to the mean than to leximin, as far as runs differ."
    )
    picture = Picture("line", "lag", "tau_b", color="with", titles=(("tau_b", "Kendall's tau_b of smoothed leximin"),))
    said = ("tau_b of smoothed leximin with leximin and with the mean; lag 1 is leximin, the largest the mean.",)
    return Findings(("lag", "with", "tau_b"), rows, summary, said, picture)


class Movement(NamedTuple):
    """Where a run stands by the mean and by leximin, and how far it moves.

    `quintiles` is how many whole fifths of the runs it moves: 0, 1, or 2 for two and more.
    """

    run: str
    mean: int
    leximin: int
    change: int
    quintiles: int


def movement(utilities: Utilities) -> Findings:
    """Ranks by the mean and by leximin, and by how many quintiles a run moves (PE Fig 1); positive is better."""
    mean, leximin = utilities.order("mean"), utilities.order("leximin")
    fifth = len(utilities.runs) / 5
    rows: list[Movement] = []
    for run, before, after in zip(utilities.runs, mean.ranks.tolist(), leximin.ranks.tolist(), strict=True):
        rows.append(Movement(run, before, after, before - after, min(floor(abs(before - after) / fifth), 2)))
    ordered: list[Movement] = sorted(rows, key=lambda row: row[1])
    far, farther = (sum(row.quintiles >= least for row in rows) for least in (1, 2))
    summary = f"{far} of {plural(len(rows), 'run')} move by a quintile or more, {farther} by two or more."
    said = (
        "Ranks by the mean and by leximin; a change above 0 is a better rank by leximin. Quintiles: less than one, one "
        "to two, two and more.",
    )
    titles = (("mean", "rank by the mean"), ("leximin", "rank by leximin"), ("quintiles", "quintiles moved"))
    picture = Picture("point", "mean", "leximin", color="quintiles", titles=titles)
    return Findings(Movement._fields, tuple(ordered), summary, said, picture)


VIEWS: dict[str, Callable[..., Findings]] = {
    "populations": populations,
    "discriminant": discriminant,
    "movement": movement,
    "smoothing": smoothing,
    "thresholding": thresholding,
    "truncation": truncation,
}


def validity(utilities: Utilities | Iterable[Utilities], view: str = "populations", **how: Any) -> Findings:
    """How leximin relates to the mean and to its relatives (PE 6, 7).

    Parameters
    ----------
    utilities : Utilities
        For ``view="discriminant"`` also several, of one measure each.
    view : str
        ``"populations"``: tau_b with other populations, and ties (PE Table 2; `populations`).
        ``"discriminant"``: the same by measure, populations that mean the same beside others (PE Table 3;
        `pessimistic`, `others`). ``"movement"``: ranks by the mean and by leximin (PE Fig 1). ``"smoothing"``: by lag
        (PE Fig 2; `lags`). ``"thresholding"`` and ``"truncation"``: with coarser utilities (PE Fig 3; `thresholds`,
        `digits`).
    **how
        What the view takes, named above.

    Examples
    --------
    >>> made = Utilities({"a": {"p": 0.5, "q": 0.5}, "b": {"p": 1, "q": 0.25}, "c": {"p": 0, "q": 0}})
    >>> validity(made, populations=["min", "mean"]).rows()
    (('min', 1.0, 0), ('mean', 0.3333333333333333, 0))
    """
    if view not in VIEWS:
        raise UnknownNameError("view", view, VIEWS)
    given = (utilities,) if isinstance(utilities, Utilities) else tuple(utilities)
    if any(len(of_one.runs) < 2 for of_one in given):
        raise InputError("orders of one run cannot be compared. Give at least two runs.", kind="runs")
    if not given or (len(given) > 1 and view != "discriminant"):
        raise InputError(f"{len(given)} utilities. Give one; several only view='discriminant'.", kind="choice")
    found = VIEWS[view](given if view == "discriminant" else given[0], **how)
    return replace(found, details=(*found.details, *over(given)), library=given[0].table.library)


def over(given: tuple[Utilities, ...]) -> tuple[str, ...]:
    """What was studied."""
    first = given[0]
    size = f"{plural(len(first.runs), 'run')}, {plural(len(first.requests), 'request')}"
    said = dict.fromkeys(note for utilities in given for note in utilities.notes)
    return (f"{join_names([utilities.measure for utilities in given])} of {size}.", *said)
