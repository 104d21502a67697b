"""Border checks."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from tiebreak._base.checks import check_choice, check_count, check_names, check_number, check_seed, check_several
from tiebreak.errors import InputError, UnknownNameError


@pytest.mark.parametrize("value", [1, np.int64(1), np.uint8(1)])
def test_whole_numbers_of_any_library_are_counts(value: Any) -> None:
    count = check_count(value, "jobs")
    assert count == 1 and type(count) is int


@pytest.mark.parametrize("value", [True, np.True_, 0, 1.0, "1", None, 2**63, nan])
def test_what_is_no_count_is_refused(value: Any) -> None:
    with pytest.raises(
        InputError, match=r"^jobs=.*\. Give a whole number from 1 on(, at most 2\^63 - 1)?\.$"
    ) as refusal:
        check_count(value, "jobs")
    assert refusal.value.kind == "size"


@pytest.mark.parametrize("value", [0, 0.5, 1, np.float32(0.5), Fraction(1, 2)])
def test_real_numbers_of_any_library_are_numbers(value: Any) -> None:
    assert check_number(value, "share", low=0, high=1) == float(value)


@pytest.mark.parametrize("value", [True, "0.5", None, nan, inf, -inf, 1j, 10**400])
def test_what_is_no_finite_number_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match=r"^tolerance=.*\. Give a finite number\.$"):
        check_number(value, "tolerance")


@pytest.mark.parametrize(
    ("bounds", "outside", "words"),
    [
        ({"low": 0, "high": 1}, 1.1, "of at least 0 and at most 1"),
        ({"above": 0, "below": 1}, 1, "above 0 and below 1"),
        ({"above": 0, "high": 1}, 0, "above 0 and at most 1"),
        ({"low": 0}, -1, "of at least 0"),
    ],
)
def test_bounds_are_in_the_message(bounds: Any, outside: float, words: str) -> None:
    with pytest.raises(InputError, match=rf"^p={outside}\. Give a number {words}\.$"):
        check_number(outside, "p", **bounds)


def test_what_else_is_accepted_is_in_the_message() -> None:
    with pytest.raises(InputError, match=r"^steps=0\. Give a whole number from 1 to 1,000, or 'converge'\.$"):
        check_count(0, "steps", high=1000, or_else="'converge'")


def test_a_seed_is_a_whole_number_from_0() -> None:
    assert check_seed(0) == 0
    with pytest.raises(InputError, match=r"seed=-1\. Give a whole number from 0 on\."):
        check_seed(-1)


def test_an_unknown_choice_suggests_the_nearest() -> None:
    assert check_choice("best", "duplicates", ("error", "best")) == "best"
    with pytest.raises(UnknownNameError, match=r'unknown value for duplicates "bst"\. Did you mean "best"\?'):
        check_choice("bst", "duplicates", ("error", "best"))


def test_several_values_are_checked_one_by_one() -> None:
    assert check_several(3, "depth", check_count) == [3]
    assert check_several([3, 5, 3], "depth", check_count) == [3, 5]
    for values, words in (([], "no depth was given"), ([1, 0], "depth=0")):
        with pytest.raises(InputError, match=words):
            check_several(values, "depth", check_count)


def test_names_are_given_once_each() -> None:
    check_names(["AP", "RR"], "measure", "AP")
    for names, words in (
        ([], "no measure was given. Give at least one, such as AP"),
        (["RR", "RR"], "RR was given twi"),
    ):
        with pytest.raises(InputError, match=words):
            check_names(names, "measure", "AP")


def test_long_values_are_truncated() -> None:
    with pytest.raises(InputError) as refusal:
        check_count("x" * 1000, "jobs")
    assert len(str(refusal.value)) < 120
