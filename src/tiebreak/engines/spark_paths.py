"""Paths that Spark reads as parquet: those of this machine as they are called here, others as Spark knows them."""

from __future__ import annotations

import os
import re
from typing import Any

from tiebreak.engines.spark_errors import shorten, spark_errors
from tiebreak.errors import InputError
from tiebreak.inputs.sources import calling

MAGIC = b"PAR"
"""How parquet begins, also where it is encrypted."""
PATTERN = re.compile(r"[][{}*?\\]")
"""What Hadoop reads as a pattern."""
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
"""Of two letters at least: C: is a drive."""


def read_parquet(session: Any, path: str) -> Any:
    """The frame of a parquet file or folder; Spark was started in another folder, and takes names for patterns."""
    where = path
    if os.path.exists(path):
        check_file(path)
        where = PATTERN.sub(r"\\\g<0>", os.path.abspath(path))
    elif not SCHEME.match(path) and (default_file_system(session) or "").startswith("file:"):
        raise InputError(f"{path}: no such file. Check the path.", kind="missing", file=path)
    try:
        return session.read.parquet(where)
    except spark_errors() as error:
        problem = f"cannot be read by Spark, as parquet: {shorten(str(error))}"
        raise InputError(f"{path}: {problem}.", kind="io", file=path) from None


def check_file(path: str) -> None:
    """Refuse a file of this machine that Spark would skip or could not read, and say why."""
    if os.path.isdir(path):
        return
    name = os.path.basename(path)
    if name.startswith(("_", ".")):
        problem = "Spark skips files whose names begin with _ or a dot. Rename it"
        raise InputError(f"{path}: {problem}.", kind="spark", file=path)
    if ":" in name:
        problem = "Spark does not read files with a colon in their names. Rename it"
        raise InputError(f"{path}: {problem}.", kind="spark", file=path)
    with calling(path), open(path, "rb") as file:
        is_parquet = file.read(len(MAGIC)) == MAGIC
    if not is_parquet:
        problem = "this is no parquet file. Give parquet, which is what Spark reads here"
        raise InputError(f"{path}: {problem}.", kind="shape", file=path)


def absolute_path(session: Any, path: str) -> str:
    """A path to write to: of this machine, unless it names another place or Spark's default file system is one."""
    is_elsewhere = SCHEME.match(path) or not (default_file_system(session) or "file:").startswith("file:")
    return path if is_elsewhere else os.path.abspath(path)


def default_file_system(session: Any) -> str | None:
    """Where paths without a scheme are; None of Spark Connect, which does not say."""
    context = getattr(session, "sparkContext", None)
    return None if context is None else str(context._jsc.hadoopConfiguration().get("fs.defaultFS"))
