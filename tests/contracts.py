"""What the contract tests of orderings, populations and significance tests share."""

import pytest


def breaks(contract, subject):
    """Whether a subject does not keep a contract."""
    try:
        contract(subject)
    except (AssertionError, pytest.fail.Exception):
        return True
    return False


def slow_twin(twins, name, where):
    """The slow version of an entry of a catalogue; where there is none the failure says what to add."""
    if name not in twins:
        pytest.fail(f'"{name}" has no slow version. Add one to {where}.')
    return twins[name]
