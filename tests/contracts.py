"""What the contract tests of orderings, populations and significance tests share."""

import pytest


def broken(contracts, subject):
    """The names of the contracts that a subject does not keep."""
    names = []
    for contract in contracts:
        try:
            contract(subject)
        except (AssertionError, pytest.fail.Exception):
            names.append(contract.__name__)
    return names


def slow_twin(twins, name, where):
    """The slow version of an entry of a catalogue; where there is none the failure says what to add."""
    if name not in twins:
        pytest.fail(f'"{name}" has no slow version. Add one to {where}.')
    return twins[name]
