"""The subtopics that a column names, by number."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tiebreak._kernels.interface import IdColumn
from tiebreak.inputs.ids import Ids


def plain_subtopic(name: str) -> str:
    """The name of a subtopic; 0 and Q0, which stand where there is none, are the same."""
    return "0" if name == "Q0" else name


def number_subtopics(names: Iterable[str]) -> tuple[list[str], dict[str, int]]:
    """Subtopics in order of appearance, and the place of each name among them."""
    plain_names = {name: plain_subtopic(name) for name in names}
    places = {subtopic: place for place, subtopic in enumerate(dict.fromkeys(plain_names.values()))}
    return [*places], {name: places[subtopic] for name, subtopic in plain_names.items()}


def subtopic_labels(ids: IdColumn, code_of_row: NDArray[np.int32]) -> tuple[list[str], NDArray[np.int32]]:
    """Subtopics by name, and that of every row."""
    names = [*Ids(*ids)]
    labels, places = number_subtopics(names)
    return labels, np.array([places[name] for name in names], dtype=np.int32)[code_of_row]
