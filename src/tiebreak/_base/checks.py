"""Border checks: what a user passes is checked here once, and the code behind trusts it.

Each returns the value in its plain form. `name` is what the message begins with: ``"seed"``, or ``"RBP: p"`` for a
parameter of a measure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Sized
from math import inf, isfinite, nan
from numbers import Integral, Real
from typing import Any, TypeVar

from tiebreak.errors import InputError, UnknownNameError

LARGEST = 2**63 - 1
"""The largest whole number that the compiled core takes."""
Value = TypeVar("Value")


def check_count(value: Any, name: str, low: int = 1, high: int = LARGEST, or_else: str = "") -> int:
    """A whole number from `low` to `high`; `or_else` names what else is accepted, which the caller checks first."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or not low <= value <= high:
        bounds = f"from {low:,} on" if high == LARGEST else f"from {low:,} to {high:,}"
        bounds += ", at most 2^63 - 1" if is_whole and value > LARGEST == high else ""
        raise wrong(value, name, f"a whole number {bounds}", "size", or_else)
    return int(value)


def check_counts(**values: Any) -> None:
    """Whole numbers from 1 on, by their names; None where the caller has a default."""
    for name, value in values.items():
        if value is not None:
            check_count(value, name)


def check_seed(value: Any) -> int:
    """A random seed."""
    return check_count(value, "seed", low=0)


def check_number(
    value: Any,
    name: str,
    *,
    low: float = -inf,
    high: float = inf,
    above: float = -inf,
    below: float = inf,
) -> float:
    """A finite number with `low` <= number <= `high` and `above` < number < `below`."""
    try:
        number = nan if isinstance(value, bool) or not isinstance(value, Real) else float(value)
    except OverflowError:
        number = inf
    if not (isfinite(number) and low <= value <= high and above < value < below):
        words = (("of at least", low), ("above", above), ("at most", high), ("below", below))
        bounds = " and ".join(f"{word} {bound:g}" for word, bound in words if abs(bound) < inf)
        raise wrong(value, name, f"a number {bounds}" if bounds else "a finite number", "range")
    return number


def check_share(value: Any, name: str = "share") -> float:
    """A number from 0 to 1, both included."""
    return check_number(value, name, low=0, high=1)


def check_flag(value: Any, name: str) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise wrong(value, name, "true or false", "choice")
    return value


def check_choice(value: Any, name: str, choices: Iterable[str]) -> str:
    """One of the names that are known; the error suggests the nearest."""
    known = list(choices)
    if value not in known:
        raise UnknownNameError(f"value for {name}", str(value), known)
    return str(value)


def find_run(name: str, runs: Sequence[str]) -> int:
    """The index of a run by its name; where it is unknown the error suggests the nearest."""
    if name not in runs:
        raise UnknownNameError("run", name, runs)
    return runs.index(name)


def find_pair(run: str, other: str, runs: Sequence[str]) -> tuple[int, int]:
    """The indices of two different runs."""
    x, y = find_run(run, runs), find_run(other, runs)
    if x == y:
        raise InputError(f"{run} cannot be compared with itself. Give two runs.", kind="runs")
    return x, y


def check_two_runs(runs: Sized, what: str) -> None:
    """At least two runs; `what` needs them."""
    if len(runs) < 2:
        raise InputError(f"{what} needs at least two runs; there is one.", kind="runs")


def check_has_values(requests: Sized, measure: object) -> None:
    """At least one request for which a measure has a value."""
    if not len(requests):
        raise InputError(f"{measure} has no value for any request. Check rel and min_grade.", kind="empty")


def check_several(values: Any, name: str, check: Callable[[Any, str], Value]) -> list[Value]:
    """One value or several, each checked; at least one, without repetitions."""
    several = list(values) if isinstance(values, Iterable) and not isinstance(values, str) else [values]
    if not several:
        raise InputError(f"no {name} was given. Give at least one.", kind="empty")
    return list(dict.fromkeys(check(value, name) for value in several))


def check_names(names: Sequence[str], what: str, example: str) -> None:
    """At least one name, and none twice."""
    if not names:
        raise InputError(f"no {what} was given. Give at least one, such as {example}.", kind="empty")
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"the {what} {name} was given twice. Give each once.", kind="names")


def wrong(value: Any, name: str, expected: str, kind: str, or_else: str = "") -> InputError:
    text = f"{value}" if isinstance(value, Real) else repr(value)
    alternative = f", or {or_else}" if or_else else ""
    return InputError(f"{name}={text[:60]}. Give {expected}{alternative}.", kind=kind)
