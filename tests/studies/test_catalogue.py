"""Every entry of the catalogue describes its study: views, options and defaults are those of the function."""

import inspect
import subprocess
import sys
from functools import cache
from importlib import import_module

import pytest

import tiebreak as tb
from tiebreak.studies import CATALOGUE

RATINGS = {"u": {"a": 5, "b": 1, "c": 3}, "v": {"a": 2, "c": 4}}
ASPECTS = {"a": ["war"], "b": ["war", "love"], "c": ["love"]}
FEW = {
    "samples": 2,
    "fractions": [0.5],
    "systems": 3,
    "removals": 2,
    "lists": 10,
    "pairs": 20,
    "steps": 2,
    "requests": 2,
}
"""Options that leave less to do."""
MEASURES = {"orientation": ["RR"], "axioms": "alpha_nDCG", "properties": "median"}
CASES = [(name, view) for name, study in CATALOGUE.items() for view in study.views or [None]]


@cache
def simulated():
    simulation = tb.simulate(8, systems=["deep", "top-heavy", "balanced"], relevant=4, seed=2)
    items = {item for grades in simulation.judgements.values() for item in grades}
    aspects = {item: ["even" if item[-1] in "02468" else "odd"] for item in items}
    runs = [tb.Run(run, name=name) for name, run in simulation.runs.items()]
    return tb.Experiment(simulation.judgements, runs, aspects=aspects)


def data(name, view):
    """What a study takes before its options."""
    study = CATALOGUE[name]
    if view in ("users", "providers"):
        return ()
    if study.reads == "runs or table":
        return (simulated().utilities("AP"),)
    return {"runs": (simulated(),), "ratings": (RATINGS, ASPECTS), "": (MEASURES.get(name),)}[study.reads]


def run(name, view, **options):
    study = CATALOGUE[name]
    options |= {} if view is None else {"view": view}
    names = {option.name for option in study.options if view in (option.views or (view,))}
    return function(name)(*data(name, view), **options, **{key: few for key, few in FEW.items() if key in names})


@cache
def result(name, view):
    return run(name, view)


def function(name):
    return getattr(tb.studies, name)


@pytest.mark.parametrize("name", CATALOGUE)
def test_study_is_exported_and_documented(name):
    assert name in dir(tb.studies) and function(name).__doc__


@pytest.mark.parametrize("name", [name for name, study in CATALOGUE.items() if study.views])
def test_views_are_those_of_the_study(name):
    study = CATALOGUE[name]
    known = inspect.signature(function(name)).parameters["view"].default
    assert known == next(iter(study.views))
    views = getattr(import_module(f"tiebreak.studies._{name}"), "VIEWS", None)
    assert views is None or set(views) == set(study.views)


@pytest.mark.parametrize("name", [name for name in CATALOGUE if name != "validity"])
def test_options_are_parameters_with_the_same_defaults(name):
    parameters = inspect.signature(function(name)).parameters
    is_open = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    for option in CATALOGUE[name].options:
        assert option.name in parameters or is_open, option.name
        if option.name in parameters and option.default is not None:
            assert parameters[option.name].default == option.default, option.name


@pytest.mark.parametrize(("name", "view"), CASES)
def test_every_view_is_rows_with_a_conclusion_and_a_picture(name, view):
    study = result(name, view)
    rows = [tuple(row) for row in study.rows()]
    assert rows and all(len(row) == len(study.columns) for row in rows)
    assert study.conclusion == study.notes[0] and all(note.endswith(".") for note in study.notes)
    assert study.conclusion in repr(study) and r"\toprule" in study.to_latex()
    picture, columns, drawn = study.picture()
    assert set(picture.columns) <= set(columns) and all(len(row) == len(columns) for row in drawn)


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("name", "view"), CASES)
def test_every_view_is_a_chart_of_altair(name, view):
    pytest.importorskip("altair")
    assert result(name, view).plot()


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("name", "view"), [case for case in CASES if case[0] != "validity"])
def test_threads_change_nothing_and_progress_ends(name, view):
    ticks = []
    several = run(name, view, jobs=3, tick=lambda done, total: ticks.append((done, total)))
    assert [*map(tuple, several.rows())] == [*map(tuple, result(name, view).rows())]
    assert not ticks or ticks[-1][0] == ticks[-1][1]


@pytest.mark.parametrize("name", [name for name, study in CATALOGUE.items() if study.views])
def test_unknown_view_is_refused_with_the_nearest(name):
    view = next(iter(CATALOGUE[name].views))
    with pytest.raises(tb.errors.UnknownNameError, match=f'Did you mean "{view}"'):
        run(name, f"{view}s")


def test_catalogue_and_help_import_nothing_heavy():
    check = "import sys, tiebreak.cli.study; sys.exit(any(name in sys.modules for name in ('numpy', 'scipy')))"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
