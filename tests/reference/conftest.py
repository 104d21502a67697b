"""Data from outside, in the folder that ``TIEBREAK_DATA`` names: without it one skip stands for all modules here."""

import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

DATA = os.environ.get("TIEBREAK_DATA")
NEEDING_DATA = [path for path in sorted(Path(__file__).parent.glob("test_*.py")) if path.name != "test_examples.py"]
collect_ignore = [] if DATA else NEEDING_DATA[1:]


class SkippedModule(pytest.Module):
    """A module whose tests cannot run."""

    def collect(self):
        pytest.skip("TIEBREAK_DATA does not name a folder of runs and judgements", allow_module_level=True)


def pytest_pycollect_makemodule(module_path, parent):
    if not DATA and module_path in NEEDING_DATA:
        return SkippedModule.from_parent(parent, path=module_path)
    return None


@pytest.fixture(scope="session")
def data():
    """The folder of data sets."""
    return Path(DATA)


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
