"""Users' own functions, as themselves or as ``module:function``: metrics of positions, and chances of diversity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from math import inf
from numbers import Real
from sys import float_info
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_share
from tiebreak.errors import InputError, quote
from tiebreak.metrics.base import LevelMetric, Traits
from tiebreak.projection.primitives import UNRETRIEVED, Floats, Ranks

UserFunction: TypeAlias = Callable[[str, Any], float]
"""alpha(user, item) or beta(user, rating)."""


@dataclass(frozen=True)
class FunctionMetric(LevelMetric):
    """A function of the increasing positions of relevant items, infinite where one is not retrieved."""

    path: str = ""
    function: Callable[[tuple[float, ...]], float] = field(default=len, compare=False)
    name: ClassVar[str] = "module:function"
    traits: ClassVar[Traits] = Traits(cutoff="no", rises=False, low=-np.inf, high=np.inf)

    def __str__(self) -> str:
        return self.path

    def score(self, p: Ranks) -> Floats:
        distinct, which = np.unique(p.reshape(-1, p.shape[-1]), axis=0, return_inverse=True)
        rows = ([inf if place == UNRETRIEVED else place for place in row] for row in distinct.tolist())
        values = np.array([self.value(tuple(row)) for row in rows], dtype=np.float64)
        return values[which.ravel()].reshape(p.shape[:-1])

    def value(self, p: tuple[float, ...]) -> float:
        return float(call_for_number(self.function, (p,), str(self), lambda: f"positions {p}"))


def call_for_number(
    function: Callable[..., Any], arguments: tuple[Any, ...], name: str, describe: Callable[[], str]
) -> Any:
    """The finite number that a user's function returns; errors name the function and describe its arguments."""
    value = call(function, arguments, lambda: f"{name} failed on {describe()}")
    number: Any = float(value) if isinstance(value, np.floating) else value  # a short float has a smaller largest one
    is_number = isinstance(value, Real)
    if not is_number or not abs(number) <= float_info.max:
        raise InputError(f"{name} returned {value!r} for {describe()}. Return a finite number.", kind="spec")
    return value


def call(function: Callable[..., Any], arguments: tuple[Any, ...], failure: Callable[[], str]) -> Any:
    try:
        return function(*arguments)
    except (Exception, SystemExit) as error:
        raise InputError(f"{failure()}: {type(error).__name__}: {error}", kind="spec") from error


def import_function(path: str) -> Callable[..., Any]:
    """The function that ``module:function`` names.

    Only modules on Python's path are imported, and run: the files of a working directory may be a stranger's.
    """
    module, _, name = path.partition(":")
    try:
        function: Any = import_module(module)
        for part in name.split("."):
            function = getattr(function, part)
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {error}"
        advice = "Give module:function, of a module that Python finds: set PYTHONPATH to its folder"
        raise InputError(f"{quote(path)} cannot be used: {reason}. {advice}.", kind="unknown_name") from None
    if not callable(function):
        raise InputError(f"{quote(path)} is not a function.", kind="spec")
    checked: Callable[..., Any] = function
    return checked


def resolve_chance(chance: Any, name: str) -> Any:
    """A number from 0 to 1, or a function of a user, which may be named as ``module:function``."""
    if isinstance(chance, str) and ":" in chance:
        return import_function(chance)
    if isinstance(chance, str):
        raise InputError(f"{name} is {quote(chance)}. Give a number, or a function as 'module:function'.", kind="spec")
    return chance if callable(chance) else check_share(chance, name)


def call_for_pairs(
    name: str,
    function: UserFunction,
    users: Sequence[str],
    requests: NDArray[np.int64],
    arguments: NDArray[Any],
    wanted: NDArray[np.bool_],
    names: Sequence[str] | None = None,
) -> Floats:
    """The probability by every user and argument that is wanted, each pair once; 0 elsewhere."""
    values = np.zeros(arguments.shape)
    user_codes = np.broadcast_to(requests.reshape(-1, *[1] * (arguments.ndim - 1)), arguments.shape)
    known: dict[tuple[int, Any], float] = {}
    for place in zip(*np.nonzero(wanted), strict=True):
        pair = int(user_codes[place]), arguments[place].item()
        if pair not in known:
            user, argument = users[pair[0]], pair[1] if names is None else names[pair[1]]
            text = f"{name}({quote(user)}, {argument!r})"
            known[pair] = check_share(call(function, (user, argument), partial("{} failed".format, text)), text)
        values[place] = known[pair]
    return values
