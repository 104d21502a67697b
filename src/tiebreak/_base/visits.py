"""Another pass over blocks of requests whose values are not kept: what it computes adds up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn, Protocol

from tiebreak.errors import InputError

MOST_SUMS = 1 << 24
"""Sums of draws that are held at once; for more, all blocks are visited again."""


class Reduction(Protocol):
    """What is computed of the values of every block, and how that adds up. It can be pickled."""

    def reduce(self, values: Any) -> Any: ...
    def add(self, states: Sequence[Any]) -> Any: ...


def refuse(*_: Any) -> NoReturn:
    raise InputError(
        "this needs the values of every request, which a copy of sums and counts does not find again. Compute it "
        "again here.",
        kind="per_request",
    )


class Visit(NamedTuple):
    """Goes through the values of all blocks once more and adds up what is asked for.

    `at_once` states are together in this process before they are added; `jobs` is the number of threads for a block,
    unless it is the caller's choice. `run` may be given a tick, for the requests visited of all. `is_held` says that
    all values are in this process. `task` is what added up the values.
    """

    run: Callable[..., Any] = refuse
    at_once: int = 1
    jobs: int | None = None
    is_held: bool = False
    task: Any = None

    def __reduce__(self) -> tuple[type[Visit], tuple[()]]:
        """Copies by pickle have no way back to the values."""
        return Visit, ()

    def passes(self, draws: int, width: int) -> Iterator[range]:
        """The draws of each visit, so that the sums of all fit, which are so many for a draw."""
        step = max(1, MOST_SUMS // max(1, width * self.at_once))
        return (range(begin, min(begin + step, draws)) for begin in range(0, draws, step))


NO_VISIT = Visit()
