"""What stands for the values of every request where only their sums and counts are kept."""

from __future__ import annotations

from typing import Any, NoReturn

from tiebreak.errors import InputError


class Dropped:
    """So many values or ids that were added up and dropped: their number is known; whatever looks at one is told so."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __len__(self) -> int:
        return self._number

    def __repr__(self) -> str:
        return f"<{self._number:,} entries, not kept: see per_request=>"

    def _refuse(self, *_: Any) -> NoReturn:
        raise InputError(
            "this needs the values of every request, of which only sums and counts were kept. Keep them with "
            "per_request=True of evaluate(), compare() or utilities(), if they fit, or take a sample of the requests.",
            kind="per_request",
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what pickles and copies ask for
            raise AttributeError(name)
        self._refuse()

    __getitem__ = __iter__ = __array__ = __contains__ = _refuse
    __neg__ = __gt__ = __lt__ = __ge__ = __le__ = __add__ = __sub__ = __mul__ = __truediv__ = _refuse
