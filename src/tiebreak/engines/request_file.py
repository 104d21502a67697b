"""The values of every request as a parquet file, written block by block as they are computed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tiebreak._base.checks import wrong
from tiebreak.engines.tasks import MetricTable
from tiebreak.errors import InputError, MissingExtraError
from tiebreak.inputs import Ids
from tiebreak.inputs.runs import is_among
from tiebreak.results.files import whole_file

if TYPE_CHECKING:
    from tiebreak.preferences import PairValues

PerRequest: TypeAlias = "bool | str | os.PathLike[str] | None"
"""Whether values of requests are kept, or to which file they are written instead."""


def is_kept(per_request: PerRequest, needed_by: str = "") -> bool | None:
    """What a task is told: values that are written are not kept, those that are `needed_by` something are."""
    if per_request is None or isinstance(per_request, bool):
        return True if needed_by else per_request
    if not isinstance(per_request, (str, os.PathLike)):
        raise wrong(per_request, "per_request", "True, False, or the path of a parquet file", "output")
    if needed_by:
        raise InputError(f"{needed_by} need values that are kept, not written. Leave out per_request=.", kind="output")
    return False


class RequestFile:
    """A parquet file of the values of requests, which is opened when the first ones come: `rows` are those of a state.

    Workers of Spark take its path and its columns, and write a folder.
    """

    def __init__(self, path: str, rows: Callable[[Any], Any], columns: Sequence[str], stack: ExitStack) -> None:
        self.path, self.rows, self.columns = path, rows, columns
        self._stack = stack
        self._writer: Any = None

    def __call__(self, state: Any) -> None:
        """Write the values of a block."""
        table = self.rows(state)
        if self._writer is None:
            file = self._stack.enter_context(whole_file(self.path))
            self._writer = self._stack.enter_context(open_parquet_writer(file, table.schema))
        self._writer.write_table(table)


def open_parquet_writer(file: Any, schema: Any) -> Any:
    return import_module("pyarrow.parquet").ParquetWriter(file, schema)


@contextmanager
def request_file(
    per_request: PerRequest, rows: Callable[[Any], Any], columns: Sequence[str], inputs: Iterable[str]
) -> Iterator[RequestFile | None]:
    """The file that is asked for, if any; it is there whole or, where the work fails, not at all. It is no input."""
    if per_request is None or isinstance(per_request, bool):
        yield None
        return
    path = os.fsdecode(per_request)
    if not path.lower().endswith(".parquet"):
        raise wrong(path, "per_request", "the name of a parquet file, such as 'scores.parquet'", "output")
    if os.path.isfile(path) and is_among(path, inputs):
        raise InputError(f"{path} is also an input file. Choose another output file.", kind="output", file=path)
    try:
        import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtraError("per_request= with a file", "parquet") from None
    with ExitStack() as stack:
        yield RequestFile(path, rows, columns, stack)


def score_rows(table: MetricTable, names: Sequence[str]) -> Any:
    """The values of metrics as rows: by run, then measure, then request."""
    values = np.stack([exact.nearest for exact in table.exact], axis=1)  # [run, measure, request]
    run, measure, request = np.nonzero(~np.isnan(values))
    columns = {
        "run": name_column(table.runs, run),
        "request": id_column(table.requests.take(request)),
        "measure": name_column(names, measure),
        "value": values[run, measure, request],
    }
    return import_module("pyarrow").table(columns)


def pair_rows(values: PairValues, measure: str) -> Any:
    """The values of pairs as rows: by pair, then request."""
    pair, request = (places.ravel() for places in np.indices(values.values.shape))
    columns = {
        "run": name_column(values.runs, values.pairs.x[pair]),
        "other": name_column(values.runs, values.pairs.y[pair]),
        "request": id_column(values.requests.take(request)),
        "measure": name_column([measure], np.zeros(len(pair), dtype=np.int64)),
        "value": values.values.ravel(),
    }
    return import_module("pyarrow").table(columns)


def name_column(names: Sequence[str], places: np.ndarray[Any, np.dtype[np.int64]]) -> Any:
    """A column of few different texts."""
    arrow = import_module("pyarrow")
    return arrow.DictionaryArray.from_arrays(places.astype(np.int32), arrow.array(list(names), arrow.string()))


def id_column(ids: Ids) -> Any:
    """A column of ids."""
    arrow = import_module("pyarrow")
    return arrow.LargeStringArray.from_buffers(len(ids), arrow.py_buffer(ids.offsets), arrow.py_buffer(ids.buffer))
