"""What all tests share: how many examples are tried, and the two engines."""

import gc
import os
from collections import Counter
from importlib import import_module

import pytest
from hypothesis import settings

from examples import HERE

gc.set_threshold(100_000)  # there is little to free in circles, and much to look through
settings.register_profile("here", deadline=None, max_examples=HERE)
settings.register_profile("ci", deadline=None, max_examples=50, derandomize=True, database=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


@pytest.fixture(scope="session")
def core():
    """The compiled core. ``TIEBREAK_REQUIRE_CORE=1`` makes its absence a failure."""
    try:
        return import_module("tiebreak._core")
    except ImportError as error:
        if os.environ.get("TIEBREAK_REQUIRE_CORE") == "1":
            pytest.fail(f"TIEBREAK_REQUIRE_CORE=1, but the compiled core cannot be imported: {error}")
        pytest.skip("the compiled core was not built")


@pytest.fixture(scope="session")
def twin():
    return import_module("tiebreak._kernels.reference")


@pytest.fixture(scope="session", params=["core", "twin"])
def engine(request):
    """Either of the two."""
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session", params=["rust", "python"])
def chosen(request):
    """What ``TIEBREAK_CORE`` is set to where a test goes through the public functions."""
    if request.param == "rust":
        request.getfixturevalue("core")
    return request.param


@pytest.hookimpl(tryfirst=True)  # slow ones are left out by their mark
def pytest_collection_modifyitems(config, items):
    mark_slow_cases(items)
    if not os.environ.get("TIEBREAK_EXAMPLES"):
        leave_out_worked_examples(config, items)


def mark_slow_cases(items):
    """Of the cases of a test with the mark `one_in`, the first, and every n-th after it, is ordinary.

    Those that are slow by themselves are not counted.
    """
    cases = Counter()
    for item in items:
        mark = item.get_closest_marker("one_in")
        if mark is not None and item.get_closest_marker("slow") is None:
            if cases[item.parent, item.originalname] % mark.args[0]:
                item.add_marker("slow")
            cases[item.parent, item.originalname] += 1


def leave_out_worked_examples(config, items):
    """One skipped test of each module stands for all that need them."""
    with_examples = [item for item in items if "examples_of" in item.function.__code__.co_names]
    first = {item.path: item for item in reversed(with_examples)}
    others = set(with_examples) - set(first.values())
    config.hook.pytest_deselected(items=list(others))
    items[:] = [item for item in items if item not in others]
