"""Types of columns in frames of Spark: which can be ids, and which numbers."""

from __future__ import annotations

from typing import Any

from tiebreak._kernels.interface import Fault
from tiebreak.engines.spark_packing import TableColumns, quote_column
from tiebreak.errors import InputError, quote
from tiebreak.inputs import faults
from tiebreak.inputs.columns import ColumnNames
from tiebreak.inputs.sources import Source

WHOLE = ("byte", "short", "integer", "long", "whole decimal")
TEXT = ("string", "char", "varchar")
IDS = (*WHOLE, *TEXT, "date", "void")  # void holds no value, which workers tell
NUMBERS = (*WHOLE, "decimal", "float", "double", "void")
CELLS = {
    "float": "floats",
    "double": "floats",
    "decimal": "decimals",
    "boolean": "Booleans",
    "binary": "bytes",
    "date": "dates or times",
    "time": "dates or times",
    "timestamp": "dates or times",
    "timestamp_ntz": "dates or times",
    "struct": "records",
    "array": "lists",
    "map": "lists",
}
"""What columns hold that are refused, by the names of Spark's types, as one machine says it."""


def column_kinds(frame: Any) -> dict[str, str]:
    """The type of every column."""
    return {each.name: type_name(each.dataType) for each in frame.schema.fields}


def type_name(data_type: Any) -> str:
    name = str(data_type.typeName())
    return "whole decimal" if name == "decimal" and data_type.scale == 0 else name


def check_types(frame: Any, columns: TableColumns, label: str, what: str) -> None:
    """Refuse ids that are neither text, whole numbers nor dates, and values that are no numbers."""
    kinds = column_kinds(frame)
    for name in (*columns.id_columns, columns.item):
        if kinds[name] not in IDS:
            raise_type_error("id_type", name, kinds[name], label, what)
    numbers = (*NUMBERS, "boolean") if what == faults.JUDGEMENTS else NUMBERS
    if columns.value is None or kinds[columns.value] in numbers:
        return
    if kinds[columns.value] in TEXT:
        raise InputError(
            f"{label}: column {quote(columns.value)} holds text, which is not read as numbers on Spark. "
            "Give numbers: try_cast(... AS double).",
            kind="value_type",
        )
    raise_type_error("value_type", columns.value, kinds[columns.value], label, what)


def raise_type_error(fault: str, column: str, kind: str, label: str, what: str) -> None:
    """The error of one machine, without the number of a row."""
    text = f"{column}\t{CELLS.get(kind, kind)}".encode()
    faults.raise_input_error(Fault(fault, 0, 0, 0, b"", b"", text), Source(label, ("table",), "row"), what)


def check_lists(frame: Any, columns: ColumnNames, label: str, what: str) -> None:
    """Refuse a list of items in each row, and say how it becomes a row for each item."""
    request, item = (columns.find(role, frame.columns, label) for role in ("request", "item"))
    if request is None or item is None or column_kinds(frame)[item] != "array":
        return
    request, listed = map(quote_column, (request, item))
    rows = f"posexplode({listed}) AS (rank, {listed})" if what == faults.RUN else f"explode({listed}) AS {listed}"
    raise InputError(
        f"{label}: column {quote(item)} holds lists, which are not read on Spark. Give a row for every item: "
        f'frame.selectExpr("{request}", "{rows}").',
        kind="id_type",
    )
