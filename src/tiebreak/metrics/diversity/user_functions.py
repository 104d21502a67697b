"""How likely an item serves an aspect of its own, where a user's function says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError, quote
from tiebreak.metrics.diversity.scale import check_between
from tiebreak.metrics.function import imported
from tiebreak.projection.primitives import Floats

UserFunction: TypeAlias = Callable[[str, Any], float]
"""alpha(user, item) or beta(user, rating)."""


def check_chance(name: str, chance: Any) -> None:
    """Refuse what is neither a number from 0 to 1 nor a function."""
    if isinstance(chance, str) and ":" not in chance:
        raise InputError(f"{name} is {quote(chance)}. Give a number, or a function as 'module:function'.", kind="spec")
    if isinstance(chance, str):
        imported(chance)
    elif not callable(chance):
        check_between(name, chance, 0, 1)


def function_of(chance: Any) -> Any:
    """A number, or the function itself."""
    return imported(chance) if isinstance(chance, str) else chance if callable(chance) else float(chance)


def called(
    name: str,
    function: UserFunction,
    users: Sequence[str],
    requests: NDArray[np.int64],
    arguments: NDArray[Any],
    wanted: NDArray[np.bool_],
    names: Sequence[str] | None = None,
) -> Floats:
    """The function of every user and argument that is wanted, each pair once; 0 elsewhere."""
    found = np.zeros(arguments.shape)
    of_user = np.broadcast_to(requests.reshape(-1, *[1] * (arguments.ndim - 1)), arguments.shape)
    known: dict[tuple[int, Any], float] = {}
    for place in zip(*np.nonzero(wanted), strict=True):
        pair = int(of_user[place]), arguments[place].item()
        if pair not in known:
            user, argument = users[pair[0]], pair[1] if names is None else names[pair[1]]
            known[pair] = checked(name, function, user, argument)
        found[place] = known[pair]
    return found


def checked(name: str, function: UserFunction, user: str, argument: Any) -> float:
    """What the function says of a user and an item or a rating."""
    asked = f"{name}({quote(user)}, {argument!r})"
    try:
        value: Any = function(user, argument)
    except Exception as error:
        raise InputError(f"{asked} failed: {type(error).__name__}: {error}", kind="spec") from error
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise InputError(f"{asked} gave {value!r}. Return a number from 0 to 1.", kind="range")
    return float(value)
