"""Ties: how often measures see no difference between two runs, and where that comes from (LR 5.1, 6.2; LP 2-5)."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Any

from tiebreak._kernels.interface import Tick
from tiebreak.analysis.theory import whole
from tiebreak.errors import InputError, UnknownNameError
from tiebreak.experiment import Experiment
from tiebreak.preferences import Preference
from tiebreak.studies._ties.changing import Chance, by_depth, by_labels
from tiebreak.studies._ties.counting import by_measure
from tiebreak.studies._ties.levels import by_deciding_level, by_first_position, by_level
from tiebreak.studies._ties.random_rankings import Corpus, by_random_rankings
from tiebreak.studies.base import Findings
from tiebreak.studies.measures import Measure, check_positions_suffice, preferences_by_name

MEASURES = ("LexiRecall", "LexiPrecision", "RPP", "AP", "nDCG", "RR", "R@1000", "RP")
"""Those of LR Figs 11 and 14 and of LP Table 2, and RPP beside them."""
RANDOM_MEASURES = ("LexiRecall", "TSE", "AP", "nDCG", "R@1000", "RP")
"""Those of LR Fig 8."""
FRACTIONS = tuple(k / 10 for k in range(10, 0, -1))
VIEWS = ("measure", "first", "level", "decided", "labels", "depth", "random")
WITHOUT_MEASURES = ("first", "level", "decided")
ON_POSITIONS = ("labels", "depth", "random")
"""Views that change positions, and do not read files again."""


def ties(
    experiment: Experiment | None = None,
    measures: Measure | Iterable[Measure] | None = None,
    *,
    view: str = "measure",
    levels: int = 20,
    samples: int = 10,
    fractions: float | Iterable[float] = FRACTIONS,
    depths: int | Iterable[int] | None = None,
    items: int = 250_000,
    requests: int = 25,
    relevant: tuple[int, int] = (5, 50),
    seed: int = 0,
    jobs: int = 1,
    tick: Tick | None = None,
) -> Findings:
    """How often measures tie two runs in one request.

    Ties are those of the preferences: whole numbers where they count or compare positions, and for a metric values
    within its tolerance.

    Parameters
    ----------
    experiment : Experiment, optional
        Not for ``view="random"``, which draws its own rankings.
    measures : str, Preference, Metric or several, optional
        By default lexirecall, lexiprecision, RPP, AP, nDCG, RR, R@1000 and RP; for random rankings TSE in place of
        those that look at the top. Views of recall levels take none.
    view : {"measure", "first", "level", "decided", "labels", "depth", "random"}
        The share of ties by measure (LR Fig 11, LP Table 2); given the position of a ranking's first relevant item
        (LP Fig 3); by recall level (LP Fig 5); the number of recall levels that decide (LP Fig 6); as relevant items
        lose their labels (LR Fig 14, LP Fig 9); as rankings are cut; or of rankings drawn at random and cut (LR Fig 8).
    levels : int
        How many recall levels ``view="level"`` shows.
    samples : int
        How often labels or random rankings are drawn.
    fractions : float or several
        Shares of labels that are kept.
    depths : int or several, optional
        Where rankings are cut, by default after 1, 2, 5, 10, ... items.
    items, requests, relevant
        Of random rankings: the number of items and of requests, least and most relevant items of a request.
    seed, jobs, tick
        Results are the same for any number of threads `jobs`; `tick` hears (done, all).

    Examples
    --------
    >>> runs = {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}, {"q": {"a": 2.0, "b": 1.0}}
    >>> exp = Experiment({"q": {"a": 1, "b": 1}}, runs)
    >>> ties(exp, ["RR", "LexiPrecision"]).rows()
    (('RR', 1, 1, 1.0), ('LexiPrecision', 1, 0, 0.0))
    """
    asked = measures_for(view, measures)
    jobs, most = whole("jobs", jobs, 1), whole("levels", levels, 1)
    chance = Chance(whole("samples", samples, 1), whole("seed", seed, 0))
    kept, cuts = checked_fractions(fractions), checked_depths(depths)
    if view == "random":
        if experiment is not None:
            raise InputError('view="random" draws its own rankings. Leave out the experiment.', kind="choice")
        return by_random_rankings(checked_corpus(items, requests, relevant), asked, cuts, chance, jobs, tick)
    if experiment is None:
        raise InputError(f'view="{view}" needs an experiment; only view="random" does without.', kind="choice")
    positions = experiment.positions
    if view == "first":
        return by_first_position(positions)
    if view == "level":
        return by_level(positions, most)
    if view == "decided":
        return by_deciding_level(positions)
    if view == "labels":
        return by_labels(positions, asked, kept, chance, jobs, tick)
    if view == "depth":
        return by_depth(positions, asked, cuts, jobs, tick)
    return by_measure(experiment, asked, jobs, tick)


def check(measures: Any = None, view: str = "measure", **others: Any) -> list[Preference]:
    """Refuse before anything is read what cannot be shown; the measures that are."""
    return [*measures_for(view, measures).values()]


def measures_for(view: str, measures: Measure | Iterable[Measure] | None) -> dict[str, Preference]:
    """The measures of a view, by their names; an error where it cannot show them."""
    if view not in VIEWS:
        raise UnknownNameError("view of ties", str(view), VIEWS)
    if measures is not None and view in WITHOUT_MEASURES:
        raise InputError(f'view="{view}" looks at positions alone. Leave out the measures.', kind="choice")
    asked = preferences_by_name(measures if measures is not None else RANDOM_MEASURES if view == "random" else MEASURES)
    if view in ON_POSITIONS:
        check_positions_suffice(asked, f'view="{view}" takes measures such as AP.')
    return asked


def checked_fractions(fractions: Any) -> list[float]:
    given = [fractions] if isinstance(fractions, Real) else list(fractions)
    for fraction in given:
        if isinstance(fraction, bool) or not isinstance(fraction, Real) or not 0 <= float(fraction) <= 1:
            raise InputError(f"fraction {fraction!r}. Give shares of labels to keep, from 0 to 1.", kind="share")
    return distinct("fractions", [float(fraction) for fraction in given])


def checked_depths(depths: Any) -> list[int] | None:
    if depths is None:
        return None
    given: list[Any] = [depths] if isinstance(depths, Real) else list(depths)
    return distinct("depths", [whole("depth", depth, 1) for depth in given])


def distinct(name: str, values: list[Any]) -> list[Any]:
    if not values or len(set(values)) < len(values):
        raise InputError(f"{name}={values}. Give at least one, each once.", kind="size")
    return values


def checked_corpus(items: int, requests: int, relevant: Any) -> Corpus:
    if not isinstance(relevant, (tuple, list)) or len(relevant) != 2:
        raise InputError(f"relevant={relevant!r}. Give the least and the most relevant items: (5, 50).", kind="size")
    n = whole("items", items, 1, 2**31 - 2)
    low = whole("relevant", relevant[0], 1, n)
    return Corpus(n, whole("requests", requests, 1), (low, whole("relevant", relevant[1], low, n)))
