"""Objects of other tools, recognised by their shape: none of them needs to be installed.

ranx's `Run` and `Qrels`, LensKit's `ItemListCollection`, and the named tuples of ir_measures and ir_datasets.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from tiebreak.errors import InputError, quote
from tiebreak.inputs.sources import calling

Values = dict[str, dict[str, Any]]


def is_frame(source: object) -> bool:
    """Whether this is a data frame, of any library."""
    kind = type(source)  # only the type is inspected: a lazy frame must not be computed for this
    return hasattr(kind, "__arrow_c_stream__") or (
        hasattr(kind, "columns") and (hasattr(kind, "dtypes") or hasattr(kind, "collect"))
    )


def unpack(source: Any, value: str) -> Any:
    """A dictionary or a frame of another tool's object, whose score or relevance is `value`; else the object itself."""
    if is_frame(source):
        return source
    maker = type(source).__module__.partition(".")[0]
    if maker == "ranx" and hasattr(source, "to_dict"):
        with calling("what ranx holds"):
            rankings = source.to_dict().items()
            return {str(request): {str(i): float(v) for i, v in items.items()} for request, items in rankings}
    if maker == "lenskit" and hasattr(source, "to_df"):
        with calling("what LensKit holds"):
            return rank_as_score(source.to_df()) if value == "score" else source.to_df()
    rows = tuples(source)
    return group_tuples(rows, value) if rows is not None else source


def rank_as_score(frame: Any) -> Any:
    """LensKit ranks the items of ordered lists: that order is kept. Items of other lists have only a score."""
    import narwhals as nw

    table = nw.from_native(frame)
    if not {"rank", "score"} <= {*table.columns}:
        return frame
    rank = nw.col("rank").cast(nw.Float64)
    score = nw.when(rank.is_null()).then(nw.col("score").cast(nw.Float64)).otherwise(0.0 - rank)
    return table.with_columns(score=score).to_native()


def tuples(source: Any) -> Iterator[Any] | None:
    """Rows with a query and a document, from a list or a generator; None for anything else."""
    if not isinstance(source, (list, tuple, Iterator)):
        return None
    rows = iter(source)
    first = next(rows, None)
    if hasattr(first, "query_id") and hasattr(first, "doc_id") and not is_frame(first):
        return chain([first], rows)
    if isinstance(source, Iterator):
        raise InputError(
            f"a {type(source).__name__} can be read once, and holds no rows with query_id and doc_id. Give a list.",
            kind="shape",
        )
    return None


def group_tuples(rows: Iterator[Any], value: str) -> Values:
    """``{request: {item: value}}`` of rows, or with subtopics ``{request: {item: {subtopic: value}}}``."""
    by_request: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        item = str(row.doc_id)
        values = by_request.setdefault(str(row.query_id), {}).setdefault(item, {})
        subtopic = subtopic_name(row) if value == "relevance" else ""
        if subtopic in values and (value == "score" or values[subtopic] != getattr(row, value)):
            raise InputError(
                f"item {quote(item)} is listed twice for request {quote(str(row.query_id))}. Keep one.",
                kind="duplicate" if value == "score" else "conflict",
                request=str(row.query_id),
                item=item,
            )
        values[subtopic] = getattr(row, value)
    if len({subtopic for items in by_request.values() for values in items.values() for subtopic in values}) > 1:
        return by_request
    return {
        request: {item: next(iter(values.values())) for item, values in items.items()}
        for request, items in by_request.items()
    }


def subtopic_name(row: Any) -> str:
    """What ir_datasets calls subtopic, or the column of TREC's files that holds it, which is 0 or Q0 where unused."""
    subtopic = str(getattr(row, "subtopic_id", getattr(row, "iteration", "0")))
    return "0" if subtopic == "Q0" else subtopic
