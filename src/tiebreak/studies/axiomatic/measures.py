"""What is checked: the metrics of AB Table 1 with any parameters, others of the package, and functions of users."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial
from math import isfinite
from numbers import Rational, Real
from typing import Any, NamedTuple, TypeAlias

from tiebreak._base.spec import Spec, canonical, parse
from tiebreak.errors import InputError, UnknownNameError, quote
from tiebreak.metrics import CATALOGUE, FUNCTION, Metric, metric
from tiebreak.metrics.diversity.base import AspectMetric
from tiebreak.metrics.diversity.intent_aware import SubtopicMetric
from tiebreak.metrics.function import import_function
from tiebreak.studies.axiomatic import forms
from tiebreak.studies.axiomatic.as_rankings import DEEPEST, evaluated
from tiebreak.studies.axiomatic.rankings import R_MAX, Items, Pair, written

Form: TypeAlias = Callable[..., Any]
"""(items, interest, r_max) -> a number, the larger the better."""
CLOSE = 1e-9
"""Floats of the package's metrics that differ by less are worked out again as fractions."""
EXACTLY = Fraction(0)
LOGARITHMS_TIE = Fraction(1, 10**40)
"""Where logarithms are known to 50 digits, fractions that differ by less tie; others are compared as they are."""
FLOAT_TIE = 1e-12
"""Numbers of a user's function that differ by less tie, unless they are fractions."""


class Row(NamedTuple):
    """A metric of the table: its form and parameters, whether logarithms discount it, and what is printed of it."""

    form: Form
    parameters: tuple[str, ...]
    has_logarithms: bool
    printed: str


ROWS = {
    "alpha_nDCG": Row(forms.alpha_dcg, ("alpha",), True, "yyyyynnn"),
    "S-Recall": Row(forms.aspect_recall, (), False, "nnnnnnnn"),
    "S-RR": Row(forms.aspect_reciprocal_rank, (), False, "nnnnnnnn"),
    "NRBP": Row(forms.nrbp, ("alpha", "beta"), False, "yyyyynnn"),
    "EU": Row(forms.expected_utility, ("p", "alpha", "e"), False, "yyyyyyyn"),
    "RBU": Row(forms.rank_biased_utility, ("p", "e"), False, "yyyyyyyn"),
    "alpha_beta_nDCG": Row(forms.alpha_beta_dcg, ("alpha", "beta"), True, "yyyyyyyy"),
}
"""AB Table 1."""
PAPER_SPECS = tuple("NRBP(alpha=0.25, beta=0.9)" if name == "NRBP" else name for name in ROWS)
"""With the paper's parameters (AB 5.2), which are the defaults of all but NRBP."""


@dataclass(frozen=True)
class Measure:
    """A metric: in exact arithmetic, and where it is known in floats too, which are faster."""

    name: str
    exact: Form
    quick: Form | None = None
    printed: str | None = None
    tie: Fraction = EXACTLY

    def sign(self, pair: Pair) -> int:
        """1 where the better of a pair is found better, -1 where the worse is, 0 where they tie."""
        if self.quick is not None:
            interest = {aspect: float(share) for aspect, share in pair.interest.items()}
            difference = self.quick(pair.better, interest, R_MAX) - self.quick(pair.worse, interest, R_MAX)
            if abs(difference) > CLOSE:
                return 1 if difference > 0 else -1
        better, worse = self.values(pair)
        difference = better - worse
        tie = self.tie if isinstance(difference, Rational) else FLOAT_TIE
        return 0 if abs(difference) <= tie else 1 if difference > 0 else -1

    def values(self, pair: Pair) -> tuple[Any, Any]:
        """Of the better and of the worse."""
        return self.exact(pair.better, pair.interest, R_MAX), self.exact(pair.worse, pair.interest, R_MAX)


def measures(given: Any) -> list[Measure]:
    """The measures that a user names: one or several, or None for those of the table."""
    if given is None:
        given = PAPER_SPECS
    several = given if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    made = {}
    for one in map(measure, several):
        if one.name in made:
            raise InputError(f"two metrics are called {quote(one.name)}. Give each once, by its own name.", kind="spec")
        made[one.name] = one
    if not made:
        raise InputError("no metric was given. Give at least one, such as EU.", kind="empty")
    return list(made.values())


def measure(given: Any) -> Measure:
    """The measure that a spec, a metric, a function or ``module:function`` is."""
    if isinstance(given, str) and FUNCTION.fullmatch(given.strip()):
        return of_function(import_function(given.strip()), given.strip())
    if isinstance(given, (str, Spec, Metric)):
        return of_metric(given)
    if callable(given):
        return of_function(given, getattr(given, "__name__", repr(given)))
    raise InputError(f"{given!r} is no measure. Give a name such as EU, or a function of a ranking.", kind="spec")


def of_metric(given: str | Spec | Metric) -> Measure:
    """A metric of the table; without a cutoff it sees whole rankings."""
    if isinstance(given, Metric) and any(callable(getattr(given, name, None)) for name in ("alpha", "beta")):
        raise InputError(f"{given}: alpha and beta are numbers here. Give the whole metric as a function.", kind="spec")
    spec = parse(canonical(str(given).strip()))
    if spec.name not in ROWS:
        return of_package(spec)
    row = ROWS[spec.name]
    known = CATALOGUE.get(spec.name)
    needs_cutoff = known is not None and known.traits.cutoff == "must"
    made = metric(replace(spec, cutoff=1) if needs_cutoff and spec.cutoff is None else spec)
    for field in fields(made):
        if field.name not in (*row.parameters, "cutoff") and getattr(made, field.name) != field.default:
            raise InputError(
                f"{spec}: {field.name} cannot be given here. Ratings are from 0 to {R_MAX}, and above 0 relevant.",
                kind="spec",
            )
    for name in row.parameters:
        if not isinstance(getattr(made, name), (int, float)):
            raise InputError(f"{spec}: {name} is a function. Give a number here.", kind="spec")
    floats = {name: float(getattr(made, name)) for name in row.parameters}
    fractions = {name: Fraction(str(value)) for name, value in floats.items()}
    exact: Form = partial(row.form, **fractions, **({"discount": forms.exact_discount} if row.has_logarithms else {}))
    quick: Form = partial(row.form, **floats, **({"discount": forms.quick_discount} if row.has_logarithms else {}))
    tie = LOGARITHMS_TIE if row.has_logarithms else EXACTLY
    return Measure(str(spec), cut(exact, spec.cutoff), cut(quick, spec.cutoff), row.printed, tie)


def of_package(spec: Spec) -> Measure:
    """A metric of aspects or subtopics that the paper does not look at, by its floats."""
    known = CATALOGUE.get(spec.name)
    if known is None or not issubclass(known, (AspectMetric, SubtopicMetric)):
        of_aspects = [name for name, kind in CATALOGUE.items() if issubclass(kind, (AspectMetric, SubtopicMetric))]
        raise UnknownNameError("metric of aspects", spec.name, of_aspects)
    needs_cutoff = known.traits.cutoff == "must" and spec.cutoff is None
    made = metric(replace(spec, cutoff=DEEPEST) if needs_cutoff else spec)
    assert isinstance(made, (AspectMetric, SubtopicMetric))
    return Measure(str(spec), partial(evaluated, made))


def cut(form: Form, cutoff: int | None) -> Form:
    """The form of the first items."""
    if cutoff is None:
        return form
    return lambda items, interest, r_max: form(items[:cutoff], interest, r_max)


def of_function(function: Form, name: str) -> Measure:
    """A user's function, whose numbers are looked at."""

    def checked(items: Items, interest: Any, r_max: int) -> Any:
        try:
            found = function(items, interest, r_max)
        except Exception as error:
            said = f"{name} failed on {written(items)}: {type(error).__name__}: {error}"
            raise InputError(said, kind="spec") from error
        if not isinstance(found, Real) or not isfinite(found):
            raise InputError(f"{name} gave {found!r} for {written(items)}. Return a finite number.", kind="spec")
        return found

    return Measure(name, checked)
