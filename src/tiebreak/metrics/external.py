"""Measures that tiebreak does not define, computed by ir_measures where it is installed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from tiebreak.errors import InputError, MissingExtraError
from tiebreak.inputs import Ids
from tiebreak.metrics.base import Metric, Traits
from tiebreak.projection import Positions
from tiebreak.projection.needs import Needs
from tiebreak.projection.primitives import Floats

NAMES = (*("Accuracy", "Compat", "INSQ", "INST", "nRBP", "SDCG"),)
"""Names of ir_measures, for an error that says what to install."""


@dataclass(frozen=True)
class ExternalMeasure(Metric):
    """A measure of ir_measures, by its own name; relevant is what its ``rel`` says, or else the experiment."""

    spec: str = ""
    name: ClassVar[str] = "ir_measures"
    traits: ClassVar[Traits] = Traits(low=-np.inf, high=np.inf, rises=False)

    def __str__(self) -> str:
        return self.spec

    @property
    def needs(self) -> Needs:
        return Needs(is_whole=True)

    def evaluate(self, positions: Positions) -> Floats:
        """Values [run, request] of positions that hold every ranking whole (`project` with ``top``)."""
        judgements = positions.judgements
        if judgements is None or positions.top is None:
            raise InputError(
                f"{self.spec} needs whole rankings, which were not read. Use Experiment(...).", kind="choice"
            )
        library: Any = import_module("ir_measures")
        measure = at_level(self.spec, positions.min_grade)
        if judgements.subtopics is not None:
            raise InputError(f"{self.spec}: ir_measures takes no judgements with subtopics.", kind="subtopic")
        qrels = {request: integers(grades) for request, grades in judgements.to_dict().items()}
        values = np.full((len(positions.runs), len(positions.requests)), np.nan)
        place = {request: q for q, request in enumerate(positions.requests)}
        for r in range(len(positions.runs)):
            try:
                scores = list(library.iter_calc([measure], qrels, ranking_scores(positions, r)))
            except Exception as error:
                raise InputError(f"ir_measures cannot compute {self.spec}: {error}", kind="spec") from None
            for score in scores:
                if score.query_id in place:
                    values[r, place[score.query_id]] = score.value
        return values


def ranking_scores(positions: Positions, run: int) -> dict[str, dict[str, float]]:
    """One run as ``{request: {item: score}}``; scores only say the order, and are positive, as Compat needs."""
    assert positions.top is not None, "whole rankings were read"
    top = positions.top[run]
    items, bounds = list(Ids(*top.items)), top.starts.tolist()
    return {
        request: {item: float(b - k) for k, item in enumerate(items[a:b], start=a)}
        for request, a, b in zip(positions.requests, bounds[:-1], bounds[1:], strict=True)
        if b > a
    }


def parse_measure(spec: str) -> Any:
    return import_module("ir_measures").parse_measure(spec)


def at_level(spec: str, min_grade: float | None) -> Any:
    """The measure, with relevance from this grade on where it has a level and the spec gives none."""
    measure = parse_measure(spec)
    level = measure.SUPPORTED_PARAMS.get("rel")
    has_level = "rel" in measure.params or (level is not None and isinstance(level.default, int))
    if min_grade is None or not has_level or re.search(r"\brel\s*=", spec):
        return measure
    if min_grade != int(min_grade):
        raise InputError(
            f"{spec} is computed by ir_measures, which takes whole grades, and min_grade is {min_grade:g}. "
            "Give a whole min_grade, or the measure its own rel=.",
            kind="grade",
        )
    return measure(rel=int(min_grade))


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
