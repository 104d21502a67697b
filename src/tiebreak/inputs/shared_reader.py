"""Files that are given for several things at once are read once."""

from __future__ import annotations

import os
from typing import Any

from tiebreak.errors import InputError
from tiebreak.inputs.columns import ColumnNames
from tiebreak.inputs.judgements import read_judgements, read_pairs


class SharedReader:
    """Reads judgements, or pairs where these have a name for messages; a path only once, whatever it is given for."""

    def __init__(self, memory: int, columns: ColumnNames) -> None:
        self.memory, self.columns = memory, columns
        self.by_path: dict[str, Any] = {}

    def __call__(self, source: Any, pairs: str | None = None) -> Any:
        path = str(os.fspath(source)) if isinstance(source, (str, os.PathLike)) else None
        if path in self.by_path:
            return self.by_path[path]
        if pairs:
            table: Any = read_pairs(source, pairs, self.memory, self.columns)
        else:
            table = read_judgements(source, memory=self.memory, columns=self.columns)
        if path is not None:
            self.by_path[path] = table
        return table

    def aspects(self, source: Any) -> dict[str, list[str]]:
        """The aspects of items, of which one at least has some."""
        from tiebreak.inputs.attributes import read_aspects

        aspects = read_aspects(source, columns=self.columns)
        if not any(aspects.values()):
            raise InputError("aspects: no item has one. Give a table of items and aspects.", kind="aspects")
        return aspects
