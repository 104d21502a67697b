"""JSON files of nested dictionaries or of rows: as ranx, BEIR and MTEB write them, plain or compressed."""

from __future__ import annotations

import json
import os
from importlib import import_module
from io import BytesIO
from typing import Any, BinaryIO, cast

from tiebreak.errors import InputError, MissingExtraError
from tiebreak.inputs.sources import calling
from tiebreak.inputs.table_files import COMPRESSED, unique

PACKED = COMPRESSED | {".lz4": ("lz4.frame",)}
"""File extensions, and the modules that can open such files; ranx calls lz4 files of JSON ``run.lz4``."""
EXTRAS = {".lz4": "lz4", ".zst": "zstd", ".zstd": "zstd"}
COST = 16
"""Bytes that a byte of JSON takes in memory, of small objects."""
LZ4_MAGIC = b"\x04\x22\x4d\x18"
CBOR_MAPS = {bytes([first]) for first in range(0xA0, 0xC0)}
"""First bytes of a dictionary in CBOR; none of them begins a text."""
MODEL = "mteb_model_meta"
"""Under this key MTEB describes the model, beside its predictions by subset and split."""


def is_json(path: str) -> bool:
    """Whether a file is called as JSON files are, and is there."""
    stem, kind = os.path.splitext(path.lower())
    return (kind in (".json", ".lz4") or (kind in PACKED and stem.endswith(".json"))) and os.path.isfile(path)


def read_json(path: str, memory: int) -> Any:
    """What a JSON file holds, or the CBOR that ranx compresses twice by lz4; keys of JSON may not be repeated."""
    with calling(path), open_bytes(path) as stream:
        content = read_within(stream, path, memory)
        if content.startswith(LZ4_MAGIC):
            content = read_within(import_module("lz4.frame").open(BytesIO(content), "rb"), path, memory)
    is_cbor = path.lower().endswith(".lz4") and content[:1] in CBOR_MAPS
    data = read_cbor(path, content) if is_cbor else parse_json(path, content)
    return mteb_predictions(data) if isinstance(data, dict) and MODEL in data else data


def read_within(stream: BinaryIO, path: str, memory: int) -> bytes:
    most = memory // COST
    content = stream.read(most + 1)
    if len(content) > most:
        raise InputError(
            f"{path}: holding this takes more than memory={memory:,} bytes, {COST} for each of JSON. Give more memory, "
            "a table, or a file in TREC's format.",
            kind="memory",
            file=path,
        )
    return content


def parse_json(path: str, content: bytes) -> Any:
    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        line = f":{error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise InputError(
            f"{path}{line}: this is not JSON, or a key is repeated: {reason(error)}.", kind="io", file=path
        ) from None


def read_cbor(path: str, content: bytes) -> Any:
    try:
        library = import_module("cbor2")
    except ImportError:
        raise MissingExtraError(f"{path}: reading CBOR", "lz4") from None
    with calling(path, "as CBOR"):
        return library.loads(content)


def reason(error: Exception) -> str:
    return error.msg if isinstance(error, json.JSONDecodeError) else str(error)


def open_bytes(path: str) -> BinaryIO:
    """A file, decompressed if need be."""
    kind = os.path.splitext(path.lower())[1]
    if kind not in PACKED:
        return open(path, "rb")
    for module in PACKED[kind]:
        try:
            return cast(BinaryIO, import_module(module).open(path, "rb"))
        except ImportError:
            continue
    raise MissingExtraError(f"{path}: reading {kind[1:]}", EXTRAS[kind])


def mteb_predictions(data: dict[str, Any]) -> Any:
    """The predictions of MTEB's files, by the model's name; also by subset and split where there are several."""
    model = str(data[MODEL].get("model_name") or MODEL) if isinstance(data[MODEL], dict) else MODEL
    subsets = {name: splits for name, splits in data.items() if name != MODEL and isinstance(splits, dict)}
    runs = {f"{model} {subset}/{split}": run for subset, splits in subsets.items() for split, run in splits.items()}
    return {model: next(iter(runs.values()))} if len(runs) == 1 else runs
