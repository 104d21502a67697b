"""Wide tables of utilities: a row for each request and a column for each run, or the other way round."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tiebreak.errors import InputError, quote
from tiebreak.inputs.columns import ColumnNames, is_nameless, list_names, option, plain
from tiebreak.inputs.frames import FrameContents
from tiebreak.inputs.rows import Contents, RowContents, Rows, is_blank
from tiebreak.inputs.sources import calling
from tiebreak.inputs.table_files import ParquetContents
from tiebreak.inputs.tables import Table

SUMMARIES = {"average", "avg", "mean", "overall", "total"}
"""Words in the names of columns that sum up others."""
DOUBTFUL = {
    *("weight", "traffic", "frequency", "count", "votes", "group", "segment", "cluster", "fold"),
    *("rank", "elo", "prediction", "label", "grade", "index", "id", "timestamp", "date", "year"),
    *("params", "paramsb", "#params", "#params(b)", "parameters", "nparams", "size", "modelsize", "contextlength"),
    *("latency", "latencyms", "duration", "cost", "price", "tokens", "ntokens", "length", "temperature", "difficulty"),
    *("iteration", "iter", "replicate", "replication", "rep", "sample", "sampleid", "turn", "step", "version"),
}
"""Names of columns of numbers that are seldom utilities of a run, or of a request."""


class Spread(NamedTuple):
    """How a wide table is spread: by the values of `key`, and by the names of `columns`; what the two are (`names`).

    `kept` are columns that hold something else, by what it is.
    """

    key: str
    names: tuple[str, str]
    columns: list[str]
    kept: dict[str, str]

    @property
    def notes(self) -> tuple[str, ...]:
        """Which columns count as requests: results do not list these."""
        if self.names[1] == "run":
            return ()
        return (f"Columns that count as requests: {list_names(self.columns)}.",)


def check_columns(spread: Spread, columns: ColumnNames, label: str) -> None:
    """Refuse columns that may hold something else than utilities, unless somebody said which do."""
    what = spread.names[1]
    doubtful = [name for name in spread.columns if is_doubtful(name, what)]
    if not doubtful or columns.others is not None:
        return
    several = len(doubtful) > 1
    shown = ", ".join(map(quote, doubtful))
    raise InputError(
        f"{label}: {'columns' if several else 'column'} {shown} may be no {what}. Every column beside "
        f"{quote(spread.key)} counts as a {what}: leave {'these' if several else 'this one'} out, "
        f"{leave_out(doubtful)}; "
        f"or say that none is to be left out, columns={{'other': None}}, --columns other=.",
        kind="columns",
    )


def leave_out(names: list[str]) -> str:
    """How columns are left out, in Python and on the command line."""
    typed = option(*(("other", name) for name in names))
    return f"columns={{'other': {names if len(names) > 1 else names[0]!r}}}, on the command line {typed}"


def is_doubtful(name: str, what: str) -> bool:
    """Whether a column may be no request; or no run, which may be called mean_pooling."""
    words = {*re.findall("[a-z]+", name.lower())}
    is_summary = bool(words & SUMMARIES) and (what == "request" or words <= SUMMARIES | {"score"})
    return is_summary or plain(name) in DOUBTFUL or is_nameless(name)


def melt(table: Table, spread: Spread) -> Table:
    """A table of which columns hold numbers, as one with the columns `names`, those that are kept, and value."""
    contents, names = table.contents, [*spread.names, *spread.kept, "value"]
    if isinstance(contents, RowContents):
        melted: Contents = RowContents(contents.source, names, melt_rows(contents, spread), contents.memory)
    else:
        frame = load_frame(contents, table.label, [spread.key, *spread.kept.values(), *spread.columns])
        melted = FrameContents(melt_frame(frame, table.label, spread), table.label)
    return replace(table, contents=melted, columns=ColumnNames())


def melt_rows(contents: RowContents, spread: Spread) -> Rows:
    place = contents.names.index
    key, kept = place(spread.key), [place(name) for name in spread.kept.values()]
    places = [(name, place(name)) for name in spread.columns]
    for line, cells in contents.rows:
        for name, column in places:
            cell = cells[column]
            try:
                value = np.nan if is_blank(cell) else contents.number(name, line, cell, booleans=True)
            except InputError as error:
                advice = f"If it is no {spread.names[1]}, leave it out: {leave_out([name])}."
                raise InputError(f"{error} {advice}", kind=error.kind, file=error.file, line=error.line) from None
            yield line, [cells[key], name, *(cells[k] for k in kept), value]


def load_frame(contents: Contents, label: str, names: list[str]) -> Any:
    """The frame behind a table, or that of a parquet file."""
    if isinstance(contents, ParquetContents):
        with calling(label, "as parquet"):
            frame = contents.load(names)
            return frame.read_all() if hasattr(frame, "read_all") else frame
    assert isinstance(contents, FrameContents), "tables are rows, frames or parquet files"
    return contents.frame


def melt_frame(frame: Any, label: str, spread: Spread) -> Any:
    import narwhals as nw

    with calling(label):
        table = nw.from_native(frame).select(spread.key, *spread.kept.values(), *spread.columns)
        schema = table.collect_schema()
    key, other = spread.names
    for name in spread.columns:
        if not (schema[name].is_numeric() or schema[name] == nw.Boolean):
            raise InputError(
                f"{label}: column {quote(name)} holds no numbers. A table without a column of values has one of "
                f"numbers for every {other}: leave the others out, such as {leave_out([name])}, or say which hold run, "
                "request and value.",
                kind="columns",
            )
    kept = [nw.col(name).alias(role) for role, name in spread.kept.items()]
    with calling(label):
        # One after the other, as not all libraries can unpivot columns of several types.
        parts = [
            table.select(
                nw.col(spread.key).alias(key),
                nw.lit(name).alias(other),
                *kept,
                nw.col(name).cast(nw.Float64).alias("value"),
            )
            for name in spread.columns
        ]
        return nw.concat(parts).to_native()
