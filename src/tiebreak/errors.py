"""Every exception and warning of the package, as one small family."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tiebreak._base.text import escape_controls, join_names, plain_word

MOST = 30
"""Names that a message lists."""
__all__ = [
    "CoreMissingWarning",
    "EmptyRequestsWarning",
    "GradesWarning",
    "InputError",
    "LargeTablesWarning",
    "MissingExtraError",
    "RequestsLeftOutWarning",
    "TiebreakError",
    "TiebreakWarning",
    "UnknownNameError",
]


def __dir__() -> list[str]:
    return __all__


class TiebreakError(Exception):
    """The base of all errors that tiebreak raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Message and attributes, however it was created: errors can be pickled."""
        return rebuild_error, (type(self), self.args), self.__dict__


def rebuild_error(kind: type[TiebreakError], args: tuple[object, ...]) -> TiebreakError:
    """An unpickled error."""
    error = kind.__new__(kind, *args)
    built_in: Any = next(base for base in kind.__mro__ if base.__module__ == "builtins")
    built_in.__init__(error, *args)
    return error


class InputError(TiebreakError, ValueError):
    """Something in the input is wrong.

    The message says what was found, where, what was expected and what to do. The attributes say it for programs.

    Attributes
    ----------
    kind : str
        One word for what is wrong, such as ``"duplicate"`` or ``"score"``.
    file, line, request, item : optional
        Where it was found, as far as that is known.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str = "input",
        file: str | None = None,
        line: int | None = None,
        request: str | None = None,
        item: str | None = None,
    ) -> None:
        super().__init__(escape_controls(message))  # file names come from strangers
        self.kind, self.file, self.line, self.request, self.item = kind, file, line, request, item


class UnknownNameError(InputError):
    """An unknown name; the message says what it is for elsewhere (`purpose`), or suggests the nearest known one."""

    def __init__(
        self, what: str, name: str, known: Iterable[str], purpose: str | None = None, *, where: str | None = None
    ) -> None:
        """`where` all names are listed, for those that are too many for a message."""
        from difflib import get_close_matches

        by_lower_case, by_word = dict[str, str](), dict[str, str]()
        for candidate in known:  # the first of several spellings
            by_lower_case.setdefault(candidate.lower(), candidate)
            by_word.setdefault(plain_word(candidate) or candidate, candidate)
        near = by_word.get(plain_word(name)) or next(
            (by_lower_case[lower] for lower in get_close_matches(name.lower(), by_lower_case, n=1)), None
        )
        names = [quote(candidate)[1:-1] for candidate in by_lower_case.values()]
        listed = f" {where} lists all." if where and len(names) > MOST else ""
        advice = f"Did you mean {quote(near)}?" if near else f"Known: {join_names(names, MOST)}.{listed}"
        super().__init__(f"unknown {what} {quote(name)}. {purpose or advice}", kind="unknown_name")


class MissingExtraError(TiebreakError, ImportError):
    """An optional dependency is not installed; the message names the extra."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f'{what} needs the extra "{extra}": pip install "tiebreak[{extra}]".')
        self.extra = extra


class TiebreakWarning(UserWarning):
    """The base of all warnings, so that they can be filtered by class."""


class CoreMissingWarning(TiebreakWarning):
    """The package runs without its compiled core: slower, never different."""


class EmptyRequestsWarning(TiebreakWarning):
    """Some requests have no relevant item and are left out of every aggregate."""


class RequestsLeftOutWarning(TiebreakWarning):
    """Some judged requests are left out because not every run lists them."""


class GradesWarning(TiebreakWarning):
    """A graded measure counts items that the experiment does not call relevant."""


class LargeTablesWarning(TiebreakWarning):
    """Tables that are too large to hold are written to temporary files first."""


def quote(text: str | bytes, longest: int = 60) -> str:
    """A name from somebody's file, safe to print: on one line, of bounded length, without terminal controls."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "backslashreplace")
    text = escape_controls(text)
    return f'"{text}"' if len(text) <= longest else f'"{text[: longest - 3]}..."'
