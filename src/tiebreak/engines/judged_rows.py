"""Judgements of rows that were packed by request."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tiebreak._kernels.interface import MEMORY
from tiebreak.engines.packed_rows import Rows
from tiebreak.inputs import Judgements
from tiebreak.inputs.ids import code_ids
from tiebreak.inputs.judgements import read, subtopic_rows
from tiebreak.inputs.sources import Source


def read_judged(rows: Rows, source: Source, subtopics: Sequence[str] = (), memory: int = MEMORY) -> Judgements:
    """The judgements of rows of a source; with subtopics, of which the runs of rows are the places."""
    if not len(rows):
        return Judgements.nothing()
    return subtopic_judgements(rows, source, subtopics) if subtopics else read(source, None, memory)


def subtopic_judgements(rows: Rows, source: Source, subtopics: Sequence[str]) -> Judgements:
    segment = rows.segment_of_row
    requests, request = code_ids(rows.requests)
    items, item = code_ids(rows.items)
    subtopic = rows.run.astype(np.int32)[segment]
    return subtopic_rows(
        source, (requests.column, request[segment]), (items.column, item), rows.values, subtopics, subtopic
    )
