"""Every entry of the catalogue describes its study: views, options and defaults are those of the function."""

import inspect
import subprocess
import sys
from importlib import import_module

import pytest

import tiebreak as tb
from tiebreak.studies import CATALOGUE


def function(name):
    return getattr(tb.studies, name)


@pytest.mark.parametrize("name", CATALOGUE)
def test_study_is_exported_and_documented(name):
    assert name in dir(tb.studies) and function(name).__doc__


@pytest.mark.parametrize("name", [name for name, study in CATALOGUE.items() if study.views])
def test_views_are_those_of_the_study(name):
    study = CATALOGUE[name]
    known = inspect.signature(function(name)).parameters[study.chosen_by].default
    assert known == next(iter(study.views))
    views = getattr(import_module(f"tiebreak.studies.{study.module}"), "VIEWS", None)
    assert views is None or set(views) == set(study.views)


@pytest.mark.parametrize("name", [name for name in CATALOGUE if name != "validity"])
def test_options_are_parameters_with_the_same_defaults(name):
    parameters = inspect.signature(function(name)).parameters
    is_open = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    for option in CATALOGUE[name].options:
        assert option.name in parameters or is_open, option.name
        if option.name in parameters and option.default is not None:
            assert parameters[option.name].default == option.default, option.name


def test_catalogue_and_help_import_nothing_heavy():
    check = "import sys, tiebreak.cli.study; sys.exit(any(name in sys.modules for name in ('numpy', 'scipy')))"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
