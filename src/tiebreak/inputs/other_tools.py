"""Objects of other tools, recognised by their shape: none of them needs to be installed.

ranx's `Run` and `Qrels`, LensKit's `ItemListCollection`, the data sets of pyarrow and Hugging Face, and ids of
ir_datasets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from tiebreak.errors import InputError, MissingExtraError, quote
from tiebreak.inputs.sources import calling

IR_DATASETS = "irds:"
"""How ids of ir_datasets begin."""


def maker(source: object) -> str:
    """The package that an object comes from."""
    return type(source).__module__.partition(".")[0]


def is_frame(source: object) -> bool:
    """Whether this is a data frame, of any library."""
    kind = type(source)  # only the type is inspected: a lazy frame must not be computed for this
    return (
        hasattr(kind, "__arrow_c_stream__")
        or (hasattr(kind, "columns") and (hasattr(kind, "dtypes") or hasattr(kind, "collect")))
        or hasattr(kind, "iloc")  # a series of pandas, also of a version that offers no stream
    )


def is_arrow_dataset(source: object) -> bool:
    """Whether this is a dataset of pyarrow: files that are read in batches."""
    return maker(source) == "pyarrow" and hasattr(source, "to_batches") and hasattr(source, "scanner")


def is_other_tool(source: object) -> bool:
    """Whether `unpack` knows an object."""
    return (
        is_arrow_dataset(source)
        or (maker(source) == "ranx" and hasattr(source, "to_dict"))
        or (maker(source) == "lenskit" and hasattr(source, "to_df"))
        or (maker(source) == "datasets" and hasattr(source, "column_names"))
    )


def unpack(source: Any, label: str) -> Any:
    """A dictionary, a frame or rows of another tool's object; else the object itself."""
    if is_frame(source) or not is_other_tool(source):
        return source
    if is_arrow_dataset(source):
        with calling(label):
            return source.to_table()
    if maker(source) == "ranx":
        with calling("what ranx holds"):
            rankings = source.to_dict().items()
            return {str(request): {str(i): float(v) for i, v in items.items()} for request, items in rankings}
    if maker(source) == "lenskit":
        with calling("what LensKit holds"):
            return source.to_df()
    return unpack_dataset(source, label)


def unpack_dataset(source: Any, label: str) -> Any:
    """A data set of Hugging Face: a table of Arrow, or rows where it is streamed; its split where it has only one."""
    if isinstance(source, Mapping):
        if len(source) != 1:
            names = ", ".join(quote(str(name)) for name in source)
            example = f"data[{next(iter(source))!r}]" if source else "data with one"
            raise InputError(f"{label}: a data set with the splits {names}. Give one, such as {example}.", kind="shape")
        return unpack(next(iter(source.values())), label)
    with calling(label):
        if hasattr(source, "num_rows"):
            return source.with_format("arrow")[:]
        return iter(source)


def is_ir_datasets_id(source: object) -> bool:
    return isinstance(source, str) and source.startswith(IR_DATASETS)


def ir_datasets_rows(source: str, value: str) -> Iterator[Any]:
    """The judgements, or the scored documents, of a data set that ir_datasets knows."""
    try:
        ir_datasets = import_module("ir_datasets")
    except ImportError:
        raise MissingExtraError(source, "ir-datasets") from None
    kind = "scoreddocs" if value == "score" else "qrels"
    name = source.removeprefix(IR_DATASETS)
    with calling(source):
        try:
            data = ir_datasets.load(name)
        except KeyError:
            problem = f"ir_datasets knows no data set {quote(name)}"
            raise InputError(f"{source}: {problem}. Check its spelling.", kind="missing", file=source) from None
        if not data.has(kind):
            raise InputError(f"{source}: this data set has no {kind}. Give another.", kind="missing", file=source)
        return iter(list(getattr(data, f"{kind}_iter")()))
