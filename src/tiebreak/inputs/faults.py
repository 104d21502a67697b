"""What is wrong with a line, in words: what was found, where, what was expected, what to do."""

from __future__ import annotations

from typing import NoReturn

from tiebreak._kernels.interface import Fault
from tiebreak.errors import InputError, MissingExtraError, quote
from tiebreak.inputs.sources import Source

RUN, JUDGEMENTS = "run", "judgements"
NO_ROW = "there is no row in it. Give at least one."
COLUMNS = {
    RUN: "a run has 5 or 6: request iteration item rank score [tag]",
    JUDGEMENTS: "judgements have 4: request iteration item grade",
}


def refuse(fault: Fault, source: Source, what: str, memory: int = 0) -> NoReturn:
    """Raise the error that a kernel found while it read a run or judgements."""
    if fault.kind == "needs_zstd":
        raise MissingExtraError(f"{source.label}: reading zstd without the compiled core", "zstd")
    words = NO_ROW if fault.kind == "empty" and source.is_table else wording(fault, what, memory)
    message = f"{source.place(fault.line)}: {words}"
    raise InputError(
        message,
        kind=fault.kind,
        file=source.label,
        line=fault.line or None,
        request=fault.request.decode() if fault.request else None,
        item=fault.item.decode() if fault.item else None,
    )


def wording(fault: Fault, what: str, memory: int) -> str:
    entry = f"item {quote(fault.item)} of request {quote(fault.request)}"
    text = quote(fault.text)
    match fault.kind:
        case "io":
            return f"cannot be read: {fault.text.decode(errors='replace')}."
        case "empty":
            return f"nothing in it, or only blank lines and comments; {COLUMNS[what]}."
        case "compression":
            name = fault.text.decode()
            return f"the {name} data ends early or is damaged. Copy the file again; `{name} -t` tests it."
        case "long_line":
            return f"the line is longer than {fault.number:,} bytes. {COLUMNS[what].capitalize()}."
        case "control":
            return control_byte(fault.number)
        case "encoding":
            return f"{text} is not UTF-8 text. Convert the file, for example with iconv."
        case "columns":
            return f"{fault.number} columns found; {COLUMNS[what]}.{look_alike(fault, what)} The line is {text}."
        case "score":
            advice = 'Correct it, or read with on_bad_score="drop", --on-bad-score drop.'
            return f"the score {text} of {entry} is not a finite number such as -1.5 or 2e-3. {advice}"
        case "grade":
            return f"the grade {text} of {entry} is not a finite number such as 2 or 0.5. Correct it."
        case "rank":
            return f'the rank {text} of {entry} is not an integer, and ties="rank" needs it. Correct it.'
        case "duplicate":
            listed = f"item {quote(fault.item)} is listed twice for request {quote(fault.request)}"
            return f'{listed}. Keep one, or read with duplicates="best" or "first".'
        case "null":
            return f"column {text} has no value here. Give every row one, or leave it out."
        case "id_type" | "value_type":
            name, _, kind = fault.text.decode().partition("\t")
            wanted = "text or integers" if fault.kind == "id_type" else "numbers"
            return f"column {quote(name)} holds {kind}. Give {wanted}, or name another column with columns=."
        case "conflict" if not fault.text:
            return f"{entry} has another grade here than on an earlier row. Keep one of them."
        case "conflict":
            return f"{entry} has grade {text} here and another one on an earlier line. Keep one of them."
        case "damaged":
            column = f"column {text} is" if fault.text else "its columns are"
            return f"{column} no valid Arrow data. Make the frame anew by the library that wrote it."
        case "memory" if not fault.request:
            return (
                f"holding the rows up to here takes more than memory={memory:,} bytes. Give more memory, or fewer rows."
            )
        case "memory" if what == JUDGEMENTS:
            return (
                f"holding the judgements up to {entry} takes more than memory={memory:,} bytes. "
                "Give more memory, or fewer judgements."
            )
        case "memory":
            return (
                f"holding the lines of request {quote(fault.request)} and those before it takes more than memory="
                f"{memory:,} bytes. Sort the file by request (`sort -s -k1,1`), or give more memory."
            )
        case _:
            raise AssertionError(f"a fault without words: {fault}")


def control_byte(byte: int) -> str:
    if byte == 0x0D:
        return "a carriage return inside the line. Lines end with a line feed, or with both; convert the file."
    return (
        f"the control byte 0x{byte:02x}, so this looks like a binary file. Give text whose columns are separated by "
        "spaces or tabs, plain or compressed by gzip or zstd."
    )


def look_alike(fault: Fault, what: str) -> str:
    """A hint where files were swapped."""
    if what == RUN and fault.number == 4:
        return " This looks like a qrels file: judgements come first, runs after them."
    if what == JUDGEMENTS and fault.number in (5, 6):
        return " This looks like a run: judgements come first, runs after them."
    return ""
