"""Chances as a user's own functions: alpha(user, item) and beta(user, rating)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_share
from tiebreak.errors import InputError, quote
from tiebreak.metrics.function import import_function
from tiebreak.projection.primitives import Floats

UserFunction: TypeAlias = Callable[[str, Any], float]


def resolve_chance(chance: Any, name: str) -> Any:
    """A number from 0 to 1, or a function, which may be named as ``module:function``."""
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
    """The function of every user and argument that is wanted, each pair once; 0 elsewhere."""
    values = np.zeros(arguments.shape)
    user_codes = np.broadcast_to(requests.reshape(-1, *[1] * (arguments.ndim - 1)), arguments.shape)
    known: dict[tuple[int, Any], float] = {}
    for place in zip(*np.nonzero(wanted), strict=True):
        pair = int(user_codes[place]), arguments[place].item()
        if pair not in known:
            known[pair] = call(name, function, users[pair[0]], pair[1] if names is None else names[pair[1]])
        values[place] = known[pair]
    return values


def call(name: str, function: UserFunction, user: str, argument: Any) -> float:
    text = f"{name}({quote(user)}, {argument!r})"
    try:
        value: Any = function(user, argument)
    except Exception as error:
        raise InputError(f"{text} failed: {type(error).__name__}: {error}", kind="spec") from error
    return check_share(value, text)
