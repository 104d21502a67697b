"""Every example in a docstring runs and prints what it says, after ``import tiebreak as tb``."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import tiebreak
from tiebreak.errors import MissingExtraError

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(tiebreak.__path__, "tiebreak.")
    if not module.name.endswith(("._core", ".__main__"))
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    module = pytest.importorskip(name, exc_type=MissingExtraError)
    result = doctest.testmod(module, extraglobs={"tb": tiebreak})
    assert result.failed == 0


def test_there_are_examples():
    metrics = import_module("tiebreak.metrics.rank_based")
    assert sum(len(test.examples) for test in doctest.DocTestFinder().find(metrics)) > 1
