"""Data from outside, named by environment variables: without them these tests are skipped, with them none is."""

import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest


def named(variable, what):
    """The path that an environment variable holds."""
    if not (path := os.environ.get(variable)):
        pytest.skip(f"{variable} does not name {what}")
    return Path(path)


@pytest.fixture(scope="session")
def data():
    """The folder of data sets."""
    return named("TIEBREAK_DATA", "a folder of runs and judgements")


@pytest.fixture(scope="session")
def core():
    """As for all tests, but never skipped: whoever gives data wants the core tested on it."""
    return import_module("tiebreak._core")


def pytest_collection_modifyitems(config, items):
    """Without the core there is nothing to compare with the twin; the other tests here run on the twin alone."""
    if find_spec("tiebreak._core") is not None or os.environ.get("TIEBREAK_REQUIRE_CORE") == "1":
        return
    here = str(Path(__file__).parent)
    comparisons = [item for item in items if str(item.path).startswith(here) and "core" in item.fixturenames]
    config.hook.pytest_deselected(items=comparisons)
    items[:] = [item for item in items if item not in comparisons]
