"""Results of evaluation programs: samples of lm-evaluation-harness, results of promptfoo, tables of ragas.

In JSON, a record is an object for one request, or one run and request. Its keys are columns; those of an object inside
it follow a dot, such as ``provider.id``.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from tiebreak._kernels.interface import MEMORY
from tiebreak.errors import InputError, quote
from tiebreak.inputs.columns import ColumnNames
from tiebreak.inputs.json_files import is_json, read_json
from tiebreak.inputs.rows import RowContents
from tiebreak.inputs.sources import Source
from tiebreak.inputs.table_files import COMPRESSED, JSON_LINES, Lines, unique
from tiebreak.inputs.tables import Table

LONGEST_RECORD = 1 << 24
"""Bytes of one record: prompts and documents may be part of it."""
DEEPEST = 4
LIST_OF_RECORDS = "results"
"""The key under which programs keep their records; promptfoo does so twice."""
HARNESS = ("doc_id", "filtered_resps")
HARNESS_KEYS = (
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash", "task_name"),
)
"""Keys of a sample of lm-evaluation-harness; the others are its metrics."""
KNOWN: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = {
    HARNESS: {"request": ("doc_id",)},
    ("testIdx", "promptIdx"): {
        "request": ("testIdx",),
        "run": ("provider.label", "provider.id", "provider"),
    },  # promptfoo
    ("user_input",): {"request": ("user_input",)},  # ragas
    ("question",): {"request": ("question_id", "question")},  # before its version 0.2
    ("prompt_id",): {"request": ("prompt_id",)},
    ("prompt",): {"request": ("prompt",)},  # of no program: tables of language models
}
"""Columns that tell a program, and which of its columns hold what."""
ONE_RUN = ("user_input", "question_id", "question")
"""Requests beside which columns are measures of one run, as in ragas, unless these are said to be requests."""
INSTEAD = {"provider.label": "provider.id"}
"""What stands for an empty value: promptfoo's label is one where none was given."""

SAMPLES = re.compile(r"samples_(.+)_\d{4}-\d\d-\d\dT[^_]*\.jsonl(\.gz|\.zstd?)?")
"""Names of the harness's files: the task, and the time."""

Records = Iterator[tuple[int, dict[str, Any]]]


def known_column(role: str, names: list[str]) -> str | None:
    """The column that holds what is asked for in a known program's results."""
    for signs, columns in KNOWN.items():
        if {*signs} <= {*names}:
            return next((name for name in columns.get(role, ()) if name in names), None)
    return None


def harness_metrics(names: list[str]) -> list[str]:
    """The names of the metrics of samples of lm-evaluation-harness; none in any other table."""
    is_harness = {*HARNESS} <= {*names}
    return [name for name in names if is_harness and name not in HARNESS_KEYS and "." not in name]


def list_files(source: Any) -> list[Any]:
    """The files of one run: those of a list, or a folder's samples of lm-evaluation-harness; else the source itself."""
    if isinstance(source, (str, os.PathLike)) and os.path.isdir(source):
        folder = str(os.fspath(source))
        files = sorted(entry.path for entry in os.scandir(folder) if SAMPLES.fullmatch(entry.name))
        if not files:
            problem = "there are no samples of lm-evaluation-harness in this folder, samples_TASK_TIME.jsonl"
            raise InputError(f"{folder}: {problem}. Give files: [file, ...].", kind="directory", file=folder)
        return files
    is_files = isinstance(source, (list, tuple)) and all(isinstance(one, (str, os.PathLike)) for one in source)
    return [*source] if is_files and source else [source]


def task_name(path: Any, names: list[str]) -> str | None:
    """The task of a file of samples: their numbers begin anew in every task; None for other tables."""
    if not {*HARNESS} <= {*names}:
        return None
    name = os.path.basename(os.fspath(path))
    match = SAMPLES.fullmatch(name)
    return name.partition(".")[0] if match is None else match[1]


def open_evaluation(path: str, columns: ColumnNames, memory: int = MEMORY) -> Table | None:
    """The records of a .json or .jsonl file; None for other files, and for JSON without records."""
    stem, kind = os.path.splitext(path.lower())
    packed = kind if kind in COMPRESSED else ""
    kind = os.path.splitext(stem)[1] if packed else kind
    records: Records
    if is_json(path):
        listed = find_records(read_json(path, memory))
        if listed is None:
            return None
        records = check_records(listed, path)
    elif kind in JSON_LINES and os.path.isfile(path):
        records = record_lines(path, packed)
    else:
        return None
    first = next(records, None)
    names = [] if first is None else [*flatten(first[1])]
    rows = ((line, [*cells(record, names)]) for line, record in chain([] if first is None else [first], records))
    source = Source(path, ("table",), first_line=None if is_json(path) else 1)
    return Table(path, RowContents(source, names, rows, memory), columns, memory=memory)


def cells(record: Mapping[str, Any], names: list[str]) -> Iterator[Any]:
    flat = flatten(record)
    for name in names:
        cell = flat.get(name)
        yield flat.get(INSTEAD[name]) if name in INSTEAD and not cell else cell


def flatten(record: Mapping[str, Any], before: str = "", depth: int = 1) -> dict[str, Any]:
    """The keys of a record and of objects inside it."""
    flat: dict[str, Any] = {}
    for key, value in record.items():
        flat[before + key] = value
        if isinstance(value, dict) and depth < DEEPEST:
            flat |= flatten(value, f"{before}{key}.", depth + 1)
    return flat


def record_lines(path: str, packed: str) -> Records:
    """The record on every line."""
    lines = Lines(path, packed, LONGEST_RECORD)
    for line in lines:
        lines.end_record()
        try:
            record = json.loads(line, object_pairs_hook=unique)
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict):
            raise lines.error("an object on every line, with each key once, is expected")
        yield lines.number, record


def find_records(content: Any) -> list[Any] | None:
    """The list of records: the content itself, or what stands under "results"; None if there is none."""
    while isinstance(content, dict) and isinstance(content.get(LIST_OF_RECORDS), (dict, list)):
        content = content[LIST_OF_RECORDS]
    return content if isinstance(content, list) else None


def check_records(listed: list[Any], path: str) -> Records:
    for number, record in enumerate(listed, start=1):
        if not isinstance(record, dict):
            problem = f"record {number} is {quote(repr(record))}. Give objects"
            raise InputError(f"{path}: {problem}.", kind="shape", file=path)
        yield number, record
