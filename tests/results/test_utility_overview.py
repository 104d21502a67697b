"""What is said of a table of utilities before it is used."""

import math

import pytest

import tiebreak as tb
from tiebreak.errors import InputError


def audit(table, **how):
    return tb.Utilities.audit(table, **how)


def rows(cells):
    return [{"run": run, "request": q, "value": value} for run, q, value in cells]


def test_rows_by_hand():
    table = rows([("a", "q", 1), ("a", "r", 0), ("a", "r", 0.5), ("b", "q", 0.2), ("b", "s", None)])
    result = audit(table)
    a, b = result.rows()
    assert tuple(a) == ("a", 2, 1, 1, 0, 0.5, 1, 1, 3)  # (1 + 0 + 0.5) / 3; s is missing, r appears twice
    assert tuple(b) == ("b", 1, 2, 0, 0.2, 0.2, 0.2, 0, 1)
    assert result.facts[0] == "2 runs and 3 requests: 4 values."
    missing, repeated = result.warnings[:2]
    assert missing.startswith(
        '3 of 6 cells are missing: run "a", request "s"; run "b", request "r"; run "b", request "s".'
    )
    assert repeated.startswith('1 cell appears several times, up to 2 times: run "a", request "r". Keep one;')
    assert all(f"Warning: {warning}" in result.notes for warning in result.warnings)
    assert result.settings["warnings"] == list(result.warnings)


def test_nothing_odd_is_no_warning():
    result = audit({"a": {"q": 1, "r": 0.5, "s": 0}, "b": {"q": 0.2, "r": 0.5, "s": 0}}, measure="accuracy")
    assert result.warnings == ()
    assert result.notes == (
        "2 runs and 3 requests: 6 values of accuracy.",
        "In 2 of 3 requests all runs have the same value, in 1 of them 0: these do not tell runs apart.",
    )


@pytest.mark.parametrize(
    ("table", "how", "warning"),
    [
        ({"a": {"q": 1, "r": 0}}, {}, "there is one run, so that nothing can be compared."),
        ({"a": {"q": 0.5, "r": 0.5}, "b": {"q": 1, "r": 0}}, {}, 'run "a" has the same value, 0.5, for every request.'),
        (
            {"a": {"q": 0.5, "r": 0.1}, "b": {"q": 0.5, "r": 0.1}},
            {},
            'runs "a" and "b" have the same value for 2 of 2 requests.',
        ),
        (
            {"a": {"q": 0.5, "r": 0.1}, "b": {"q": 60, "r": 10}},
            {},
            '"b" exceed 20, while other runs are between 0 and 1: percentages?',
        ),
        ({"a": {"q": 0, "Q ": 1}, "b": {"q": 1, "Q ": 0}}, {}, 'requests differ only in case or spaces: "q" and "Q ".'),
        ({"a": {"q": 0, "r": 1}, "A": {"q": 1, "r": 0}}, {}, 'runs differ only in case or spaces: "a" and "A".'),
        (
            {"a": {"q": 0, "r": 1}, "b": {"q": 1, "r": 0}},
            {"measure": "latency_ms"},
            '"latency_ms" sounds as if lower values were better (latency). If so: lower_is_better=True, '
            "--lower-is-better.",
        ),
    ],
)
def test_what_looks_odd(table, how, warning):
    assert audit(table, **how).warnings == (warning,)


def test_what_options_settle_is_no_warning():
    table = rows([("a", "q", 1), ("a", "q", 0.5), ("b", "r", 0.2), ("b", "q", 0.1)])
    assert len(audit(table).warnings) == 2
    assert len(audit(table, missing=0).warnings) == 1
    assert audit(table, missing=0, trials="mean").warnings == ()
    assert audit({"a": {"q": 1, "r": 0}, "b": {"q": 0, "r": 1}}, measure="cost", lower_is_better=True).warnings == ()
    trials = [{**row, "trial": k} for k, row in enumerate(table)]
    assert [row.requests for row in audit(trials, trials="keep").rows()] == [2, 2]  # every trial is a request


def test_a_run_with_trials_is_constant_only_if_all_of_them_are():
    table = rows([(run, q, 0.5 + trial) for run in "ab" for q in "qr" for trial in (0, 0.25)])
    assert not any("same value, " in warning for warning in audit(table, trials="mean").warnings)


def test_values_that_are_not_finite_are_listed():
    result = audit({"a": {"q": math.inf, "r": 1}, "b": {"q": 0.5, "r": 0}})
    assert result.warnings[0].startswith("Values are not finite") and 'run "a", request "q"' in result.warnings[0]
    assert math.isnan(result.rows()[0].mean)


def test_what_cannot_be_read_is_still_an_error():
    for table in ({}, [], {"a": {}}):
        with pytest.raises(InputError, match=r"empty|Give"):
            audit(table)
    with pytest.raises(InputError, match=r"nowhere\.csv"):
        audit("nowhere.csv")


def test_what_utilities_refuses_is_warned_of():
    """The two say the same of a table: no warning of missing or repeated cells exactly where it can be used."""
    for table in (
        rows([("a", "q", 1), ("b", "q", 0)]),
        rows([("a", "q", 1), ("b", "r", 0)]),
        rows([("a", "q", 1), ("a", "q", 1), ("b", "q", 0)]),
        rows([("a", "q", None), ("b", "q", 0)]),
    ):
        is_odd = any("missing" in warning or "several times" in warning for warning in audit(table).warnings)
        try:
            tb.Utilities(table)
        except InputError:
            assert is_odd
        else:
            assert not is_odd
