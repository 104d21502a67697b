"""Coarser utilities: rows worked out by hand."""

import pytest

import tiebreak as tb
from studies.test_validity import TABLE
from tiebreak.studies import validity
from tiebreak.studies._coarse_utilities import set_small_to_zero, shorten
from worked_examples import examples_of

COARSE = [{"view": "threshold"}, {"view": "truncation", "truncate": "decimals"}]


@pytest.fixture
def utilities():
    return tb.Utilities(TABLE)


def test_thresholds(utilities):
    rows = {row[0]: row[1:] for row in validity(utilities, "threshold", thresholds=[0.0, 0.5]).rows()}
    # Below 0.5 all is 0 but a's 0.8 and b's 1: both put b first, then a; c and d tie for both.
    assert rows == {0.0: (0.0, 0), 0.5: (1.0, 2)}


def test_decimals(utilities):
    rows = validity(utilities, "truncation", keep=[1, 0], truncate="decimals").to_dict()["rows"]
    # With no decimal only b's 1 remains.
    assert rows == [{"digits": 1, "tau_b": 0.0, "tied": 0}, {"digits": 0, "tau_b": 1.0, "tied": 3}]
    with pytest.raises(tb.InputError, match="from 0 to 15"):
        validity(utilities, "truncation", keep=[-1], truncate="decimals")


def test_significant_digits():
    utilities = tb.Utilities({"a": {"q": 0.01, "r": 0.59}, "b": {"q": 0.019, "r": 0.5}, "c": {"q": 0.0, "r": 0.4}})
    study = validity(utilities, "truncation", keep=[2, 1])
    # Two digits: leximin b, a, c; the mean a, b, c, as 0.6 > 0.519 > 0.4: (2 - 1) / 3. One: a and b are (0.01, 0.5).
    assert study.rows() == ((2, pytest.approx(1 / 3), 0), (1, 1.0, 2))
    assert "this number of significant digits" in study.details[0]
    assert [row[0] for row in validity(utilities, "truncation").rows()] == [6, 5, 4, 3, 2, 1]
    with pytest.raises(tb.InputError, match=r"keep=0\. Give a whole number from 1 to 15"):
        validity(utilities, "truncation", keep=0)


@pytest.mark.parametrize(
    ("value", "keep", "expected"),
    [
        *(
            (0.129, 2, 0.12),
            (0.00129, 2, 0.0012),
            (0.3, 1, 0.3),
            (129.0, 2, 120.0),
            (-0.0199, 2, -0.019),
            (0.0, 3, 0.0),
        ),
        *((1e-300, 1, 1e-300), (9.99e90, 1, 9e90), (0.9999999999999999, 3, 0.999)),
    ],
)
def test_significant_digits_of_a_number(value, keep, expected):
    assert shorten(tb.Utilities({"a": {"q": value}}).values, keep, True).tolist() == [[expected]]


def test_values_are_cut_as_they_are_written():
    for arguments, expected in examples_of("discretise_digits"):
        assert (
            shorten(tb.Utilities({"a": dict(enumerate(arguments["x"]))}).values[0], arguments["d"], False).tolist()
            == expected
        )
    for arguments, expected in examples_of("discretise_threshold"):
        values = tb.Utilities({"a": dict(enumerate(arguments["x"]))}).values[0]
        assert set_small_to_zero(values, arguments["t"]).tolist() == expected


@pytest.mark.parametrize("options", COARSE)
def test_utilities_of_a_metric_are_made_coarser_as_numbers_are(options):
    """The exact values of a metric must not survive what is done to its numbers."""
    qrels = {f"q{k}": {"a": 1, "b": 1} for k in range(4)}
    runs = [
        {q: {"a": 9.0, **{f"x{j}": 8.0 - j for j in range((run + k) % 5)}, "b": 1.0} for k, q in enumerate(qrels)}
        for run in range(4)
    ]
    measured = tb.Experiment(qrels, runs).utilities("AP")
    names = dict(zip(measured.runs, measured.values.tolist(), strict=True))
    inputs = tb.Utilities({run: dict(zip(qrels, row, strict=True)) for run, row in names.items()})
    actual, expected = (validity(table, **options).rows() for table in (measured, inputs))
    assert [row[2] for row in actual] == [row[2] for row in expected]
    assert actual[0][2] < actual[-1][2]


def test_groups_and_weights_are_kept():
    # The groups' means: a 0.45 and 0.8, b 0.5 and 0.6; leximin b, the mean a, 0.625 and 0.55.
    table = {"a": {"q": 0.4, "r": 0.5, "s": 0.8}, "b": {"q": 0.5, "r": 0.5, "s": 0.6}}
    utilities = tb.Utilities(table, groups={"q": "x", "r": "x", "s": "y"})
    assert validity(utilities, "threshold", thresholds=[0.0]).rows() == ((0.0, -1.0, 0),)
    weighted = tb.Utilities(table, weights={"q": 9, "r": 1, "s": 1})
    # The weighted mean of a is (3.6 + 0.5 + 0.8) / 11, that of b 5.6 / 11: as leximin; else a's is larger, 1.7 and 1.6.
    assert validity(weighted, "threshold", thresholds=[0.0]).rows() == ((0.0, 1.0, 0),)
    assert validity(tb.Utilities(table), "threshold", thresholds=[0.0]).rows() == ((0.0, -1.0, 0),)


def test_what_makes_no_sense_is_refused(utilities):
    with pytest.raises(tb.InputError, match="no threshold was given"):
        validity(utilities, "threshold", thresholds=[])
    with pytest.raises(tb.InputError, match="Give a finite number"):
        validity(utilities, "threshold", thresholds=[float("nan")])
    with pytest.raises(tb.errors.UnknownNameError, match='unknown value for truncate "decimal"'):
        validity(utilities, "truncation", truncate="decimal")
    with pytest.raises(tb.InputError, match='keep is for view="truncation"'):
        validity(utilities, "threshold", keep=3)
