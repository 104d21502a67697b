"""Values here against those of other tools, and the reason for every difference, from reasons.toml.

Most reasons name what they come to (`as_they_do`): the same change made here has to give the tool's values.
"""

import re
import tomllib
import warnings
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from math import isnan, log
from pathlib import Path

import numpy as np

import tiebreak as tb
from conformance.inputs import inputs
from conformance.tools import native
from tiebreak.metrics.diversity.intent_aware import SubtopicMetric

LIST = Path(__file__).with_name("reasons.toml")
EQUAL, NOT_COMPUTED, FAILS, UNEXPLAINED = "=", "", "fails", "?"


@dataclass(frozen=True)
class Row:
    """A measure of a tool, the metric that it is here, and for every input `EQUAL`, or the reasons to differ."""

    name: str
    spec: str | None
    cells: dict


@dataclass(frozen=True)
class Reason:
    """Why measures of a tool differ on some inputs, by default on all."""

    name: str
    tool: str
    text: str
    inputs: tuple = ()
    measures: tuple = ("*",)
    but: tuple = ()
    as_they_do: str | None = None

    def covers(self, tool, measure, data):
        is_meant = self.tool == tool and (data in self.inputs or not self.inputs)
        return is_meant and matches(measure, self.measures) and not matches(measure, self.but)


def matches(name, patterns):
    return any(fnmatchcase(name, pattern) for pattern in patterns)


@cache
def reasons():
    return [
        Reason(tool=tool, **{key: value for key, value in entry.items() if key != "tools"})
        for entry in tomllib.loads(LIST.read_text("utf-8"))["reason"]
        for tool in entry["tools"]
    ]


@cache
def absent():
    """Why measures of tools are not here: ``{tool: {name: reason}}``."""
    return tomllib.loads(LIST.read_text("utf-8"))["absent"]


@cache
def notes():
    """What no table shows: ``{tool: [{"text": ..., "test": ...}]}``."""
    return tomllib.loads(LIST.read_text("utf-8"))["notes"]


def as_32_bit(data):
    return replace(
        data, scores={q: {i: float(np.float32(s)) for i, s in items.items()} for q, items in data.scores.items()}
    )


def negative_is_unjudged(data):
    grades = {q: {item: by for item, by in items.items() if max(by.values()) >= 0} for q, items in data.grades.items()}
    return replace(data, grades=grades)


def ties_by_ascending_id(data):
    orders = {q: sorted(items, key=lambda item: (-items[item], item)) for q, items in data.scores.items()}
    return replace(data, scores={q: {i: float(-k) for k, i in enumerate(items)} for q, items in orders.items()})


def ties_in_input_order(data):
    orders = {q: sorted(items, key=items.get, reverse=True) for q, items in data.scores.items()}
    return replace(data, scores={q: {i: float(-k) for k, i in enumerate(items)} for q, items in orders.items()})


def ranked_requests(values, data):
    return {q: value for q, value in values.items() if q in data.scores}


def empty_is_0(values, data):
    return {q: values.get(q, 0.0) for q in data.judgements}


def unjudged_is_0(values, data):
    return {q: values.get(q, 0.0) for q in {**data.judgements, **data.scores}}


def missing_is_0(values, data):
    return {q: value if q in data.scores else 0.0 for q, value in values.items()}


def logarithms(values, data):
    return {q: log(max(value, 1e-5)) for q, value in values.items()}


INPUT_CHANGES = {
    "32-bit scores": as_32_bit,
    "negative grades are unjudged": negative_is_unjudged,
    "ties by ascending id": ties_by_ascending_id,
    "ties in the order of the input": ties_in_input_order,
}
VALUE_CHANGES = {
    "only ranked requests": ranked_requests,
    "requests without relevant items have 0": empty_is_0,
    "requests without judgements have 0": unjudged_is_0,
    "requests that the run misses have 0": missing_is_0,
    "logarithms": logarithms,
}
PARAMETER = re.compile(r"with (\w+)='(.*)'")
"""What a reason comes to where it is another parameter of the metric here."""


@cache
def compute(tool):
    """A row for every measure of a tool that is installed."""
    plain = inputs()["plain"]
    names = tool.names(plain)
    cells = {name: {} for name in names}
    for data in inputs().values():
        theirs = their_values(tool, names, data)
        specs = {name: tool.spec(name, data) for name in names}
        here = {name: spec for name, spec in specs.items() if name in theirs and native(spec[0]) is not None}
        ours = evaluate(tuple(dict.fromkeys(here.values())), data)
        for name in names:
            if name not in here:
                cells[name][data.name] = NOT_COMPUTED
                continue
            if theirs[name] is None:
                cells[name][data.name] = FAILS
                continue
            is_equal = agree(theirs[name], ours[here[name]], tool.tolerance(name))
            cells[name][data.name] = EQUAL if is_equal else explain(tool, name, data.name)
    metrics = {name: native(tool.spec(name, plain)[0]) for name in names}
    return [Row(name, None if metrics[name] is None else str(metrics[name]), cells[name]) for name in names]


def their_values(tool, names, data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tool.values(names, data)


def explain(tool, name, data):
    covering = dict.fromkeys(one.name for one in reasons() if one.covers(tool.name, name, data))
    return "; ".join(covering) or UNEXPLAINED


def agree(theirs, ours, tolerance):
    """Whether the same requests have values, and the same ones."""
    theirs = {q: value for q, value in theirs.items() if not isnan(value)}
    return theirs.keys() == ours.keys() and all(abs(value - ours[q]) <= tolerance for q, value in theirs.items())


def evaluate(specs, data):
    """``{(spec, level): {request: value}}``, of requests that have a value."""
    values = {}
    for level in dict.fromkeys(level for _, level in specs):
        for is_subtopic in (False, True):
            chosen = {
                spec: native(spec)
                for spec, min_grade in specs
                if min_grade == level and isinstance(native(spec), SubtopicMetric) == is_subtopic
            }
            if not chosen:
                continue
            judged = data.grades if is_subtopic else data.judgements
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of grades below the level, which is what is compared
                how = {"min_grade": level, "judged_only": data.judged_only}
                # One metric may go by several names.
                metrics = list(dict.fromkeys(chosen.values()))
                scores = tb.Experiment(judged, tb.Run(data.scores, name="run"), **how).evaluate(metrics)
            for spec, metric in chosen.items():
                column = scores.values[0, :, metrics.index(metric)].tolist()
                pairs = zip(scores.requests, column, strict=True)
                values[spec, level] = {q: value for q, value in pairs if not isnan(value)}
    return values


def computed_as_they_do(tool, name, data):
    """The values here once every change that the reasons name is made; None if one names none."""
    changes = [one.as_they_do for one in reasons() if one.covers(tool.name, name, data.name)]
    if None in changes:
        return None
    spec, level = tool.spec(name, data)
    for change in changes:
        data_change = INPUT_CHANGES.get(change)
        if data_change is not None:
            data = data_change(data)
        elif match := PARAMETER.fullmatch(change):
            spec = str(replace(native(spec), **{match[1]: match[2]}))
        else:
            assert change in VALUE_CHANGES, change
    values = evaluate(((spec, level),), data)[spec, level]
    for change in changes:
        values = VALUE_CHANGES.get(change, lambda values, data: values)(values, data)
    return values
