"""The metrics as measures of ir_measures, and who computes them; both are registered once, on import."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import fields
from math import nan
from typing import Any

import numpy as np

from tiebreak._base.spec import Spec, canonical, parse
from tiebreak.errors import EmptyRequestsWarning, InputError, MissingExtraError
from tiebreak.exact.sample import Sample
from tiebreak.experiment import Experiment
from tiebreak.inputs.judgements import read_judgements
from tiebreak.metrics import CATALOGUE, Metric, metric, object_spec
from tiebreak.metrics.diversity.base import AspectMetric
from tiebreak.scores import total

try:
    import ir_measures
except ImportError:
    raise MissingExtraError("tiebreak.ir_measures", "ir-measures") from None
from ir_measures import measures, providers, util


class Total(measures.MeanAgg):
    """The mean over requests that have a value, or what else a metric reports of them, such as a sum."""

    def __init__(self, kind: str) -> None:
        self.kind, self.values = kind, list[float]()

    def add(self, value: float) -> None:
        if value == value:
            self.values.append(value)

    def result(self) -> float:
        return float(total(Sample.from_floats(np.array(self.values, dtype=np.float64)), self.kind))


class Measure(ir_measures.Measure):
    """A metric of tiebreak, with its parameters by name: ``TSE(base='nDCG')``, ``binary_nDCG(rel=2)@10``."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Its name and parameters: classes that are made here cannot be imported where it is read again."""
        return rebuild_measure, (str(self.NAME), self.params)

    def __repr__(self) -> str:
        if self.params.keys() <= self.SUPPORTED_PARAMS.keys():
            return str(super().__repr__())
        return f"{self.NAME}({', '.join(f'{key}={value!r}' for key, value in self.params.items())})"

    def validate_params(self) -> None:
        _ = self.metric  # which says what is wrong, and what there is

    @property
    def metric(self) -> Metric:
        """The metric with these parameters."""
        values = {key: spec_value(value) for key, value in self.params.items()}
        cutoff: Any = values.pop("cutoff", None)
        return metric(Spec(str(self.NAME), tuple(values.items()), cutoff))

    def aggregator(self) -> Any:
        return Total(self.metric.total)


def spec_value(value: Any) -> Any:
    """A parameter as a spec holds it: a measure as a spec, a table as text."""
    if isinstance(value, ir_measures.Measure):
        return parse(object_spec(value))
    return str(value)[1:-1] if isinstance(value, dict) else value


def rebuild_measure(name: str, parameters: dict[str, Any]) -> Measure:
    """A measure that was pickled."""
    measure: Measure = MEASURES[name](**parameters)
    return measure


def as_measure(name: str, kind: type[Metric]) -> Measure:
    """The measure of a metric in the catalogue."""
    traits, summary = kind.traits, (kind.__doc__ or "").partition("\n")[0]
    parameters = {one.name: measures.ParamInfo(default=one.default) for one in fields(kind)}
    if traits.cutoff == "no":
        del parameters["cutoff"]
    is_worst_zero = traits.low == 0 and not traits.lower_is_better
    described = {"__doc__": kind.__doc__, "PRETTY_NAME": name, "SHORT_DESC": summary}
    named = {"__name__": name, "NAME": name, "DEFAULT": 0.0 if is_worst_zero else nan}
    measure: Measure = type(f"_{name}", (Measure,), {**described, **named, "SUPPORTED_PARAMS": parameters})()
    return measure


def new_measures() -> Iterator[Measure]:
    """A measure of every metric of requests that ir_measures does not have, can name, and that needs no aspects."""
    names = (re.match(r"\w*", canonical(name)) for name in measures.registry)
    there = {name.group() for name in names if name} | {*measures.registry}
    for name, kind in CATALOGUE.items():
        is_of_requests = kind.total != "figure" and not issubclass(kind, AspectMetric)
        if name not in there and name.isidentifier() and is_of_requests:
            yield as_measure(name, kind)


class Evaluator(providers.Evaluator):
    """Runs by some measures, on judgements that are read once."""

    def __init__(self, asked: Iterable[Measure], qrels: Any) -> None:
        rows = list(util.QrelsConverter(qrels).as_namedtuple_iter())  # as tuples they keep their subtopics
        self.names = {str(row.query_id): row.query_id for row in rows}
        self.metrics = {measure: measure.metric for measure in asked}
        for chosen in self.metrics.values():
            if chosen.needs.pool:
                raise InputError(
                    f"{chosen}: ir_measures shows one run at a time, so the union of runs is not known. Give a number, "
                    "such as n=1000.",
                    kind="pool",
                )
        self.judgements = read_judgements(rows) if rows else None
        super().__init__(list(self.metrics), list(self.names.values()))

    def _iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        if self.judgements is None or not (self.judgements.grade > 0).any():
            return
        rankings = util.RunConverter(run).as_dict_of_dict()
        judged = {request: items for request, items in rankings.items() if str(request) in self.names}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EmptyRequestsWarning)
            scores = Experiment(self.judgements, judged, audit=False).evaluate(dict.fromkeys(self.metrics.values()))
        requests = [self.names[request] for request in scores.requests]
        for measure, chosen in self.metrics.items():
            for request, value in zip(requests, scores[str(chosen)][0].tolist(), strict=True):
                if value == value:
                    yield ir_measures.Metric(request, measure, value)


class Provider(providers.Provider):
    """What tiebreak computes for ir_measures."""

    NAME = "tiebreak"

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Evaluator:
        return Evaluator(measures, qrels)

    def supports(self, measure: object) -> bool:
        if not isinstance(measure, Measure):
            return False
        measure.validate_params()
        return True


MEASURES = {str(measure.NAME): measure for measure in new_measures()}
"""The measures that are added, by name."""

for measure in MEASURES.values():
    measures.register(measure)
ir_measures.DefaultPipeline.providers.append(providers.register(Provider()))
