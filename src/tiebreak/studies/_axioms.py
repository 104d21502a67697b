"""Which axioms of accuracy and diversity a metric respects: counterexamples are searched for (AB 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from fractions import Fraction
from functools import partial
from inspect import signature
from typing import Any

import numpy as np

from tiebreak._base.checks import check_names
from tiebreak._base.spec import Spec, canonical, parse
from tiebreak._base.text import digits_apart
from tiebreak._base.tolerance import TOLERANCE
from tiebreak._kernels.interface import Tick
from tiebreak.errors import InputError, UnknownNameError
from tiebreak.inputs import Ids
from tiebreak.metrics import CATALOGUE, FUNCTION, Metric, metric
from tiebreak.metrics.diversity.base import AspectMetric
from tiebreak.metrics.diversity.intent_aware import SubtopicMetric
from tiebreak.metrics.function import call_for_number, import_function
from tiebreak.projection.aspect_rankings import AspectRankings, AspectTable, Ratings
from tiebreak.studies import _axiom_forms as forms
from tiebreak.studies._axiom_forms import LOGARITHMS_TIE, AxiomMeasure, Form
from tiebreak.studies._axiom_laws import AXIOMS, DEPTHS, Axiom
from tiebreak.studies._axiom_rankings import (
    GRIDS,
    LONGEST_RANDOM,
    R_MAX,
    Items,
    Pair,
    format_interest,
    format_ranking,
    random_rankings,
)
from tiebreak.studies._counterexamples import Finding, LawTable, search, statements
from tiebreak.studies.base import run_tasks, study_from_catalogue

LISTS = 2000
DEEPEST = 1000
"""The cutoff of metrics that need one: below all rankings."""
CASE_COLUMNS = ("better", "worse", "interests", "value_better", "order", "value_worse")
ORDERS = {1: ">", 0: "=", -1: "<"}


@study_from_catalogue()
def axioms(
    metric: Any = None, *, seed: int = 0, lists: int = LISTS, jobs: int = 1, tick: Tick | None = None
) -> LawTable:
    """Search for rankings by which a metric violates the axioms of AB 4.1.

    All short rankings on a grid are tried, then those that each axiom suggests, also deep below other items, and random
    ones. The smallest that was found is reported, to be checked by hand.

    Parameters
    ----------
    metric : str, Metric or function, or several of them, optional
        One of ``alpha_nDCG``, ``S-Recall``, ``S-RR``, ``NRBP``, ``EU``, ``RBU`` and ``alpha_beta_nDCG``, with any
        parameters; without a cutoff it sees whole rankings. Or a function f(items, interest, r_max), the larger the
        better, or ``"module:function"``: items are (rating, aspects) with a rating of None where there is none,
        interest is ``{aspect: Fraction}``. By default these seven with the parameters of the paper.
    lists : int
        Random rankings to try.

    Examples
    --------
    >>> row = next(axioms("S-RR", lists=50).records())
    >>> row["law"], row["holds"], row["better"], row["worse"]
    ('Pri', False, '[1:a, 0:a]', '[0:a, 1:a]')
    >>> def by_rank(items, interest, r_max):
    ...     return sum((item.rating or 0) / rank for rank, item in enumerate(items, start=1))
    >>> [row["law"] for row in axioms(by_rank, lists=50).records() if row["holds"]]
    ['Pri', 'Deep', 'TopHeav', 'Pri > 0']
    """
    measures = axiom_measures(metric)
    rankings = list(random_rankings(lists, seed))

    def search_all(axiom: Axiom) -> list[tuple[Any, ...]]:
        random = axiom.pairs_in(rankings)
        return [row(measure, axiom, random) for measure in measures]

    by_axiom = run_tasks(search_all, AXIOMS, jobs, tick)
    rows = (row for of_measure in zip(*by_axiom, strict=True) for row in of_measure)
    return LawTable.from_rows(rows, CASE_COLUMNS, describe, notes(lists, seed))


def row(measure: AxiomMeasure, axiom: Axiom, random: tuple[Pair, ...]) -> tuple[Any, ...]:
    """The finding on one axiom, and the deciding rankings with their values."""
    finding: Finding[Pair] = search(axiom, measure, axiom.domain(measure, random))
    holds, tried, pair = finding
    if pair is None:
        return measure.name, axiom.name, holds, tried, *(None for _ in CASE_COLUMNS)
    better, worse = map(float, measure.values(pair))
    rankings = (format_ranking(pair.better), format_ranking(pair.worse), format_interest(pair.interest))
    return measure.name, axiom.name, holds, tried, *rankings, better, ORDERS[measure.sign(pair)], worse


def describe(record: Mapping[str, Any], digits: int) -> str:
    """Both rankings and values, with as many digits as it takes to see which is larger."""
    values = record["value_better"], record["value_worse"]
    more = digits if record["order"] == "=" else digits_apart(*values, digits)
    better, worse = (f"{value:.{more}f}" for value in values)
    return f"{record['better']} {better} {record['order']} {record['worse']} {worse}; interest {record['interests']}"


def notes(lists: int, seed: int) -> tuple[str, ...]:
    """What was tried, and how the axioms are read."""
    return (
        "Rankings are lists of rating:aspects, ? where there is no rating.",
        f"Searched, with ratings from 0 to {R_MAX}: all rankings of {GRIDS[0].length} to {GRIDS[-1].length} items on "
        f"grids; those that each axiom suggests, also below up to {DEPTHS[-1]:,} items without aspects; and "
        f"{lists:,} random ones of up to {LONGEST_RANDOM} items, seed {seed}.",
        "Every aspect is of some interest. Metrics without a cutoff see whole rankings. Normalised ones of AB Table 1 "
        "are shown without their ideal, which is the same for both rankings; others of the package are evaluated "
        "as they are, with the ideal of each ranking's own items.",
        f"A tie violates an axiom. Fractions are compared exactly, logarithms to 60 digits with ties below "
        f"{float(LOGARITHMS_TIE):g}; floats of functions tie below {TOLERANCE:g}.",
        *statements(AXIOMS),
    )


EQUATIONS: dict[str, Form] = {
    "alpha_nDCG": forms.alpha_dcg,
    "NRBP": forms.nrbp,
    "EU": forms.expected_utility,
    "RBU": forms.rank_biased_utility,
    "alpha_beta_nDCG": forms.alpha_beta_dcg,
}
LOGARITHMIC = ("alpha_nDCG", "alpha_beta_nDCG")
METRICS = ("alpha_nDCG", "S-Recall", "S-RR", "NRBP(alpha=0.25, beta=0.9)", "EU", "RBU", "alpha_beta_nDCG")
"""With the paper's parameters (AB 5.2), which are the defaults of all but NRBP."""


def axiom_measures(metrics: Any) -> list[AxiomMeasure]:
    """The measures that a user names: one or several, or None for the default."""
    if metrics is None:
        metrics = METRICS
    several = metrics if isinstance(metrics, Iterable) and not isinstance(metrics, str) else [metrics]
    measures = [axiom_measure(one) for one in several]
    check_names([measure.name for measure in measures], "metric", "EU")
    return measures


def axiom_measure(one: Any) -> AxiomMeasure:
    """The measure that a spec, a metric, a function or ``module:function`` is."""
    if isinstance(one, str) and FUNCTION.fullmatch(one.strip()):
        return function_measure(import_function(one.strip()), one.strip())
    if isinstance(one, (str, Spec, Metric)):
        return equation_measure(one)
    if callable(one):
        return function_measure(one, getattr(one, "__name__", repr(one)))
    raise InputError(f"{one!r} is not a measure. Give a name such as EU, or a function of a ranking.", kind="spec")


def equation_measure(one: str | Spec | Metric) -> AxiomMeasure:
    """A metric of AB Table 1 from its equation; without a cutoff it sees whole rankings."""
    if isinstance(one, Metric) and any(callable(getattr(one, name, None)) for name in ("alpha", "beta")):
        raise InputError(f"{one}: alpha and beta are numbers here. Give the whole metric as a function.", kind="spec")
    spec = parse(canonical(str(one).strip()))
    if spec.name not in EQUATIONS:
        return package_measure(spec)
    form = EQUATIONS[spec.name]
    parameters = [*signature(form).parameters][3:]  # after items, interest and r_max
    values = with_cutoff(spec, 1)
    for field in fields(values):
        if field.name not in (*parameters, "cutoff") and getattr(values, field.name) != field.default:
            raise InputError(
                f"{spec}: {field.name} cannot be given here. Ratings are from 0 to {R_MAX}, and above 0 relevant.",
                kind="spec",
            )
    for name in parameters:
        if not isinstance(getattr(values, name), (int, float)):
            raise InputError(f"{spec}: {name} is a function. Give a number here.", kind="spec")
    quick: dict[str, Any] = {name: float(getattr(values, name)) for name in parameters}
    exact: dict[str, Any] = {name: Fraction(str(value)) for name, value in quick.items()}

    def truncate(options: dict[str, Any]) -> Form:
        return lambda items, interest, r_max: form(items[: spec.cutoff], interest, r_max, **options)

    return AxiomMeasure(
        str(spec), truncate(exact), truncate(quick), LOGARITHMS_TIE if spec.name in LOGARITHMIC else Fraction(0)
    )


def with_cutoff(spec: Spec, cutoff: int) -> Any:
    """The metric of a spec; with this cutoff where it needs one and has none."""
    kind = CATALOGUE.get(spec.name)
    needs_cutoff = kind is not None and kind.traits.cutoff == "must" and spec.cutoff is None
    return metric(replace(spec, cutoff=cutoff) if needs_cutoff else spec)


def package_measure(spec: Spec) -> AxiomMeasure:
    """Any other metric of aspects or subtopics, by its floats."""
    of_aspects = [name for name, kind in CATALOGUE.items() if issubclass(kind, (AspectMetric, SubtopicMetric))]
    if spec.name not in of_aspects:
        raise UnknownNameError("metric of aspects", spec.name, of_aspects)
    return AxiomMeasure(str(spec), partial(evaluate, with_cutoff(spec, DEEPEST)))


def evaluate(one: AspectMetric | SubtopicMetric, items: Items, interest: Mapping[str, Any], r_max: int) -> float:
    """The value for one user, whose profile has an item per aspect, rated by the interest; 0 for none."""
    names = [f"i{k:04}" for k in range(len(items))]
    aspects = {name: sorted(item.aspects) for name, item in zip(names, items, strict=True)}
    ratings = np.array([np.nan if item.rating is None else item.rating for item in items], dtype=np.float64)
    rated = np.flatnonzero(~np.isnan(ratings))
    rankings = AspectRankings(
        runs=("ranking",),
        requests=Ids.from_names(["user"]),
        table=AspectTable.from_aspects(aspects | {f"profile {aspect}": [aspect] for aspect in interest}),
        item=np.arange(len(items))[None, None],
        rating=ratings[None, None],
        rated=Ratings(np.array([0, len(rated)]), rated, ratings[rated]),
        profile=Ratings(
            np.array([0, len(interest)]),
            np.arange(len(items), len(items) + len(interest)),
            np.array([float(share) for share in interest.values()]),
        ),
        largest=float(r_max),
    )
    value = float(one.score_rankings(rankings)[0, 0])
    return 0.0 if np.isnan(value) else value


def function_measure(function: Form, name: str) -> AxiomMeasure:
    """A user's function, whose numbers are checked."""

    def call(items: Items, interest: Any, r_max: int) -> Any:
        return call_for_number(function, (items, interest, r_max), name, lambda: format_ranking(items))

    return AxiomMeasure(name, call)
