"""Coarser utilities: rows worked out by hand."""

import pytest
from coarse_utilities import set_small_to_zero, thresholding, truncate, truncation

import tiebreak as tb
from studies.test_validity import TABLE
from worked_examples import examples_of


@pytest.fixture
def utilities():
    return tb.Utilities(TABLE)


def test_thresholds(utilities):
    rows = {row[0]: row[1:] for row in thresholding(utilities, thresholds=[0.0, 0.5]).rows()}
    # Below 0.5 all is 0 but a's 0.8 and b's 1: both put b first, then a; c and d tie for both.
    assert rows == {0.0: (0.0, 0), 0.5: (1.0, 2)}


def test_digits(utilities):
    rows = truncation(utilities, digits=[1, 0]).to_dict()["rows"]
    # With no decimal only b's 1 remains.
    assert rows == [{"digits": 1, "tau_b": 0.0, "tied": 0}, {"digits": 0, "tau_b": 1.0, "tied": 3}]
    with pytest.raises(tb.InputError, match="from 0 to 15"):
        truncation(utilities, digits=[-1])


def test_values_are_cut_as_they_are_written():
    for arguments, expected in examples_of("discretise_digits"):
        assert (
            truncate(tb.Utilities({"a": dict(enumerate(arguments["x"]))}).values[0], arguments["d"]).tolist()
            == expected
        )
    for arguments, expected in examples_of("discretise_threshold"):
        values = tb.Utilities({"a": dict(enumerate(arguments["x"]))}).values[0]
        assert set_small_to_zero(values, arguments["t"]).tolist() == expected


@pytest.mark.parametrize("figure", [thresholding, truncation])
def test_utilities_of_a_metric_are_made_coarser_as_numbers_are(figure):
    """The exact values of a metric must not survive what is done to its numbers."""
    qrels = {f"q{k}": {"a": 1, "b": 1} for k in range(4)}
    runs = [
        {q: {"a": 9.0, **{f"x{j}": 8.0 - j for j in range((run + k) % 5)}, "b": 1.0} for k, q in enumerate(qrels)}
        for run in range(4)
    ]
    measured = tb.Experiment(qrels, runs).utilities("AP")
    names = dict(zip(measured.runs, measured.values.tolist(), strict=True))
    inputs = tb.Utilities({run: dict(zip(qrels, row, strict=True)) for run, row in names.items()})
    actual, expected = (figure(result).rows() for result in (measured, inputs))
    assert [row[2] for row in actual] == [row[2] for row in expected]
    assert actual[0][2] < actual[-1][2]


def test_what_makes_no_sense_is_refused(utilities):
    with pytest.raises(tb.InputError, match="no threshold was given"):
        thresholding(utilities, [])
    with pytest.raises(tb.InputError, match="Give a finite number"):
        thresholding(utilities, [float("nan")])


@pytest.mark.parametrize("figure", [thresholding, truncation])
def test_every_figure_is_drawn(utilities, figure):
    pytest.importorskip("altair")
    assert figure(utilities).plot()
