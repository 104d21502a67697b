"""Every example in a docstring runs and prints what it says, after ``import tiebreak as tb``."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import tiebreak

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(tiebreak.__path__, "tiebreak.")
    if not module.name.endswith(("._core", ".__main__"))
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    result = doctest.testmod(import_module(name), extraglobs={"tb": tiebreak})
    assert result.failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    assert sum(len(test.examples) for name in MODULES for test in finder.find(import_module(name))) > 10
