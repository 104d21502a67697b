"""One sentence per fault of a kernel: what was found, where, what was expected, what to do."""

from __future__ import annotations

from typing import NoReturn

from tiebreak._base.text import plural
from tiebreak._kernels.interface import Fault
from tiebreak.errors import InputError, MissingExtraError, quote
from tiebreak.inputs.sources import Source

RUN, JUDGEMENTS = "run", "judgements"
COLUMNS = {
    RUN: "a run has 5 or 6 columns: request iteration item rank score [tag]",
    JUDGEMENTS: "judgements have 4 columns: request iteration item grade",
}
SENTENCES = {
    "io": "cannot be read: {plain}.",
    "empty": "nothing in it, or only blank lines and comments; {columns}.",
    "compression": "the {plain} data ends early or is damaged. Copy the file again; `{plain} -t` tests it.",
    "long_line": "the line is longer than {number:,} bytes; {columns}.",
    "control": (
        "the control byte 0x{number:02x}, so this looks like a binary file. Give text whose columns are separated by "
        "spaces or tabs, plain or compressed by gzip or zstd."
    ),
    "encoding": "{text} is not UTF-8 text. Convert the file, for example with iconv.",
    "columns": "{found} found; {columns}.{hint} The line is {text}.",
    "score": (
        "the score {text} of {entry} is not a finite number such as -1.5 or 2e-3. "
        'Correct it, or read with on_bad_score="drop", --on-bad-score drop.'
    ),
    "grade": "the grade {text} of {entry} is not a finite number such as 2 or 0.5. Correct it.",
    "rank": 'the rank {text} of {entry} is not an integer, and ties="rank" needs it. Correct it.',
    "duplicate": (
        'item {item} is listed twice for request {request}. Keep one, or read with duplicates="best" or "first".'
    ),
    "conflict": "{entry} has grade {text} here and another one on an earlier line. Keep one of them.",
    "memory": (
        "holding the lines of request {request} and those before it takes more than memory={memory:,} bytes. "
        "Sort the file by request (`sort -s -k1,1`), or give more memory."
    ),
    "null": "column {text} has no value here. Give every row one, or leave it out.",
    "id_type": "column {column} holds {cells}. Give text or integers, or name another column with columns=.",
    "value_type": "column {column} holds {cells}. Give numbers, or name another column with columns=.",
    "damaged": "column {text} is not valid Arrow data. Recreate the frame with the library that produced it.",
    "needs_zstd": "reading zstd without the compiled core",
}
"""By kind of fault; the compiled core has the same kinds but the last."""

VARIANTS = {
    "empty table": "there is no row in it. Give at least one.",
    "carriage return": (
        "a carriage return inside the line. Lines end with a line feed, or with both; convert the file."
    ),
    "conflict of rows": "{entry} has another grade here than on an earlier row. Keep one of them.",
    "memory of rows": (
        "holding the rows up to here takes more than memory={memory:,} bytes. Give more memory, or fewer rows."
    ),
    "memory of judgements": (
        "holding the judgements up to {entry} takes more than memory={memory:,} bytes. "
        "Give more memory, or fewer judgements."
    ),
    "damaged table": "its columns are not valid Arrow data. Recreate the frame with the library that produced it.",
}


def raise_input_error(fault: Fault, source: Source, what: str, memory: int = 0) -> NoReturn:
    """Raise the error for a fault in a run or in judgements."""
    if fault.kind == "needs_zstd":
        raise MissingExtraError(f"{source.label}: {SENTENCES[fault.kind]}", "zstd")
    request, item, line = quote(fault.request), quote(fault.item), source.original_line(fault.line)
    plain = fault.text.decode(errors="replace")
    column, _, cells = plain.partition("\t")
    problem = template_for(fault, what, source.is_table).format(
        request=request,
        item=item,
        entry=f"item {item} of request {request}",
        text=quote(fault.text),
        plain=plain,
        column=quote(column),
        cells=cells,
        number=fault.number,
        found=plural(fault.number, "column"),
        columns=COLUMNS[what],
        hint=column_hint(fault.number, what),
        memory=memory,
    )
    raise InputError(
        f"{source.location(line)}: {problem}",
        kind=fault.kind,
        file=source.label,
        line=line or None,
        request=fault.request.decode() if fault.request else None,
        item=fault.item.decode() if fault.item else None,
    )


def template_for(fault: Fault, what: str, is_table: bool) -> str:
    match fault.kind:
        case "empty" if is_table:
            return VARIANTS["empty table"]
        case "control" if fault.number == 0x0D:
            return VARIANTS["carriage return"]
        case "conflict" if not fault.text:
            return VARIANTS["conflict of rows"]
        case "memory" if not fault.request:
            return VARIANTS["memory of rows"]
        case "memory" if what == JUDGEMENTS:
            return VARIANTS["memory of judgements"]
        case "damaged" if not fault.text:
            return VARIANTS["damaged table"]
    return SENTENCES[fault.kind]


def column_hint(columns: int, what: str) -> str:
    """A hint where a run and judgements were swapped, or columns are in another order."""
    if what == RUN and columns == 4:
        return " This looks like a qrels file: judgements come first, runs after them."
    if what == RUN and columns > 6:
        return " More are ignored where the fourth is a whole number, the rank."
    if what == JUDGEMENTS and columns in (5, 6):
        return " This looks like a run: judgements come first, runs after them."
    if columns in (1, 2, 3):
        value = "rank=2" if what == RUN else "grade=" if columns == 2 else "grade=2"
        names = f"request=0,item=1,{value}"
        more = " (or score=2)" if what == RUN else ""
        other = "Columns between :: or commas (.csv)" if columns == 1 else "Other columns"
        return f" {other} are named by number: columns={names!r}{more}, on the command line --columns {names}."
    return ""
