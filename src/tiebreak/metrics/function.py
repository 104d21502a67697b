"""A user's own function of positions as a metric: ``module:function``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from math import inf, isfinite
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from tiebreak.errors import InputError, quote
from tiebreak.metrics.base import LevelMetric, Traits
from tiebreak.projection.primitives import UNRETRIEVED, Floats, Ranks


@dataclass(frozen=True)
class FunctionMetric(LevelMetric):
    """A function of the increasing positions of relevant items, infinite where one is not retrieved.

    Examples
    --------
    >>> import tiebreak as tb
    >>> def first_three(p):
    ...     return sum(place <= 3 for place in p) / len(p)
    >>> exp = tb.Experiment({"q": {"a": 1, "b": 1}}, {"q": {"a": 2.0, "x": 1.0}})
    >>> [float(value) for value in exp.evaluate(tb.metric(first_three)).to_flat_dict().values()]
    [0.5]
    """

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
        try:
            found: Any = self.function(p)
        except (Exception, SystemExit) as error:
            raise InputError(f"{self} failed on positions {p}: {type(error).__name__}: {error}", kind="spec") from error
        if not isinstance(found, Real) or not isfinite(found):
            raise InputError(f"{self} gave {found!r} for positions {p}. Return a finite number.", kind="spec")
        return float(found)


def of_path(path: str) -> FunctionMetric:
    """The function that ``module:function`` names."""
    return FunctionMetric(path, imported(path))


def imported(path: str) -> Callable[..., Any]:
    """What ``module:function`` names.

    The module is run, whether or not it has the function. Only what Python finds by itself is imported: the files of a
    working directory may be a stranger's.
    """
    module, _, name = path.partition(":")
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (Exception, SystemExit) as error:
        what = f"{type(error).__name__}: {error}"
        advice = "Give module:function, of a module that Python finds: set PYTHONPATH to its folder"
        raise InputError(f"{quote(path)} cannot be used: {what}. {advice}.", kind="unknown_name") from None
    if not callable(found):
        raise InputError(f"{quote(path)} is no function.", kind="spec")
    function: Callable[..., Any] = found
    return function


def of_function(function: Callable[[tuple[float, ...]], float]) -> FunctionMetric:
    return FunctionMetric(getattr(function, "__qualname__", repr(function)), function)
