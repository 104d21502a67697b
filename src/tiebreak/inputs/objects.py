"""What other tools hold in memory, known by its shape: none of them is needed here.

ranx's `Run` and `Qrels`, LensKit's `ItemListCollection`, and the named tuples of ir_measures and ir_datasets.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from tiebreak.errors import InputError, quoted
from tiebreak.inputs.frames import is_frame

Values = dict[str, dict[str, float]]


def unpacked(given: Any, value: str) -> Any:
    """A dictionary or a frame where another tool's object was given; anything else as it is.

    Parameters
    ----------
    given : object
    value : {"score", "relevance"}
        What named tuples hold beside ``query_id`` and ``doc_id``.
    """
    if is_frame(given):
        return given
    maker = type(given).__module__.partition(".")[0]
    if maker == "ranx" and hasattr(given, "to_dict"):
        return {
            str(request): {str(i): float(v) for i, v in items.items()} for request, items in given.to_dict().items()
        }
    if maker == "lenskit" and hasattr(given, "to_df"):
        return given.to_df()
    rows = tuples(given)
    return gathered(rows, value) if rows is not None else given


def tuples(given: Any) -> Iterator[Any] | None:
    """Rows that know their query and document, of a list or a generator of them; None for anything else."""
    if not isinstance(given, (list, tuple, Iterator)):
        return None
    rows = iter(given)
    first = next(rows, None)
    if hasattr(first, "query_id") and hasattr(first, "doc_id"):
        return chain([first], rows)
    if isinstance(given, Iterator):
        raise InputError(
            f"a {type(given).__name__} can be read only once, and holds no rows with query_id and doc_id. Give a list.",
            kind="shape",
        )
    return None


def gathered(rows: Iterator[Any], value: str) -> Values:
    """``{request: {item: value}}`` of rows; an item that is there twice for a request is refused."""
    found: Values = {}
    for row in rows:
        items = found.setdefault(str(row.query_id), {})
        item = str(row.doc_id)
        if item in items and (value == "score" or items[item] != getattr(row, value)):
            raise InputError(
                f"item {quoted(item)} is listed twice for request {quoted(str(row.query_id))}. Keep one.",
                kind="duplicate" if value == "score" else "conflict",
                request=str(row.query_id),
                item=item,
            )
        items[item] = getattr(row, value)
    return found
