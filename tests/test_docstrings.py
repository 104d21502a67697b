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
    runner = doctest.DocTestRunner()
    for test in doctest.DocTestFinder().find(module, extraglobs={"tb": tiebreak}):
        if test.examples:  # a run without any would still look whether a file has changed, of all that were imported
            runner.run(test)
    assert runner.failures == 0


def test_there_are_examples():
    metrics = import_module("tiebreak.metrics.rank_based")
    assert sum(len(test.examples) for test in doctest.DocTestFinder().find(metrics)) > 1
