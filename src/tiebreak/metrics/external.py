"""Measures that tiebreak does not define, handed to ir_measures where it is installed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from tiebreak.errors import InputError, MissingExtraError
from tiebreak.inputs import Ids, Judgements
from tiebreak.metrics.base import Metric, Traits
from tiebreak.projection import Positions
from tiebreak.projection.primitives import Floats

NAMES = (
    *("Accuracy", "Compat", "INSQ", "INST", "infAP", "IPrec", "nRBP", "NumQ", "NumRel", "NumRet", "SDCG"),
    *("SetAP", "SetF", "SetP", "SetR"),
)
"""Names of ir_measures, for an error that says what to install."""


@dataclass(frozen=True)
class ExternalMeasure(Metric):
    """A measure of ir_measures, by its own name; its relevance level is its own ``rel``, not the experiment's."""

    spec: str = ""
    name: ClassVar[str] = "ir_measures"
    traits: ClassVar[Traits] = Traits(low=-np.inf, high=np.inf, rises=False)

    def __str__(self) -> str:
        return self.spec

    def evaluate_rankings(self, judgements: Judgements, positions: Positions) -> Floats:
        """ExactValues [run, request] of positions that hold every ranking whole (`project` with ``top``)."""
        library: Any = import_module("ir_measures")
        measure = library.parse_measure(self.spec)
        if judgements.subtopics is not None:
            raise InputError(f"{self.spec}: judgements with subtopics are not handed to ir_measures.", kind="subtopic")
        qrels = {request: integers(grades) for request, grades in judgements.to_dict().items()}
        values = np.full((len(positions.runs), len(positions.requests)), np.nan)
        place = {request: q for q, request in enumerate(positions.requests)}
        for r in range(len(positions.runs)):
            try:
                found = list(library.iter_calc([measure], qrels, ranking_of(positions, r)))
            except Exception as error:
                raise InputError(f"ir_measures cannot compute {self.spec}: {error}", kind="spec") from None
            for value in found:
                if value.query_id in place:
                    values[r, place[value.query_id]] = value.value
        return values


def ranking_of(positions: Positions, run: int) -> dict[str, dict[str, float]]:
    """One run as ``{request: {item: score}}``, with scores that say nothing but the order."""
    assert positions.top is not None, "rankings are there whole"
    top = positions.top[run]
    items, bounds = list(Ids(*top.items)), top.starts.tolist()
    return {
        request: {item: float(-k) for k, item in enumerate(items[a:b])}
        for request, a, b in zip(positions.requests, bounds[:-1], bounds[1:], strict=True)
        if b > a
    }


def integers(grades: dict[str, float]) -> dict[str, int]:
    for item, grade in grades.items():
        if grade != int(grade):
            raise InputError(f"ir_measures takes whole grades, and item {item!r} has {grade}.", kind="grade")
    return {item: int(grade) for item, grade in grades.items()}


def external(spec: str) -> ExternalMeasure | None:
    """The measure of ir_measures that a spec names; None where it knows none."""
    try:
        library: Any = import_module("ir_measures")
    except ImportError:
        if re.split(r"[(@]", spec)[0] in NAMES:
            raise MissingExtraError(f"the measure {spec}", "ir-measures") from None
        return None
    try:
        library.parse_measure(spec)
    except (NameError, ValueError, SyntaxError, KeyError, TypeError, AttributeError):
        return None
    return ExternalMeasure(spec=spec)
