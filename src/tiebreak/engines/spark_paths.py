"""Paths that Spark reads as parquet: those of this machine as they are called here, others as Spark knows them."""

from __future__ import annotations

import os
import re
from typing import Any

from tiebreak.errors import InputError
from tiebreak.inputs.sources import calling

MAGIC = b"PAR"
"""How parquet begins, also where it is encrypted."""
PATTERN = re.compile(r"[][{}*?\\]")
"""What Hadoop reads as a pattern."""
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def read_parquet(session: Any, path: str) -> Any:
    """The frame of a parquet file or folder; Spark was started in another folder, and takes names for patterns."""
    where = path
    if os.path.exists(path):
        check_file(path)
        where = PATTERN.sub(r"\\\g<0>", os.path.abspath(path))
    elif not SCHEME.match(path) and is_local(session):
        raise InputError(f"{path}: no such file. Check the path.", kind="missing", file=path)
    with calling(path, "by Spark, as parquet"):
        return session.read.parquet(where)


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


def is_local(session: Any) -> bool:
    """Whether paths without a scheme are of this machine; of Spark Connect that is not known."""
    context = getattr(session, "sparkContext", None)
    return context is not None and str(context._jsc.hadoopConfiguration().get("fs.defaultFS")).startswith("file:")
