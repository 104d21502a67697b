"""Worked examples from outside, in the file that ``TIEBREAK_EXAMPLES`` names: without it these tests are skipped."""

import json
import os
from pathlib import Path

import pytest


def examples_of(function):
    """The arguments and the expected result of every example of a function."""
    if not (path := os.environ.get("TIEBREAK_EXAMPLES")):
        pytest.skip("TIEBREAK_EXAMPLES does not name a file of worked examples")
    listed = json.loads(Path(path).read_text(encoding="utf-8"))["examples"]
    actual = [(example["args"], example["expected"]) for example in listed if example["fn"] == function]
    assert actual, f"no example of {function}"
    return actual
