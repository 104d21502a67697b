"""Exposure of providers: exact sums, ties, and who is left out."""

import sys
from fractions import Fraction
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from analysis.recall_level_twins import QRELS, RUNS
from exact_logarithms import log2 as exact_log2
from tiebreak import InputError
from tiebreak.analysis.providers import provider_exposure
from tiebreak.analysis.worst_off_users import worst_case
from worked_examples import examples_of


def exposures(result, run="run1"):
    """``{request: {provider: exposure}}`` of a run."""
    shares = {}
    for row in result.rows():
        if row.run == run:
            shares.setdefault(row.request, {})[row.provider] = row.exposure
    return shares


def test_provider_exposure_by_hand():
    positions = tb.positions([[2, 5, 6], [1, None, 4]])
    result = provider_exposure(positions, {"d1": "ann", "d2": "bob", "d3": "ann"})
    assert exposures(result) == {"q1": {"ann": 1 / 6 + 1 / 2, "bob": 1 / 5}}
    assert exposures(result, "run2") == {"q1": {"ann": 1 / 4 + 1, "bob": 0}}
    assert list(result.worst_off()) == [("run1", "q1", 1 / 5, ("bob",)), ("run2", "q1", 0, ("bob",))]
    assert result.providers == ("ann", "bob")
    assert result.settings == {"metric": "AP", "n_without_provider": 0}


def test_providers_are_compared_within_each_request_only():
    providers = {"a": "A", "b": "A", "c": "C", "x": "X"}
    result = provider_exposure(tb.project(QRELS, RUNS), providers, "RR")
    assert exposures(result) == {
        "q1": {"A": 1 / 3 + 1, "C": 0},
        "q2": {"X": 1},
        "q3": {"A": 1 / 3, "C": 1},
    }
    assert [row.providers for row in result.worst_off()] == [("C",), ("X",), ("A",), ("A",), ("X",), ("C",)]
    assert [row.request for row in result.worst_off()] == ["q1", "q2", "q3"] * 2


def test_providers_that_tie_are_all_named():
    result = provider_exposure(tb.positions([[3, None, None]]), {"d1": "a", "d2": "c", "d3": "b"})
    assert list(result.worst_off()) == [("run1", "q1", 0, ("b", "c"))]


def test_exposures_that_are_equal_but_for_rounding_tie():
    # 1/3 + 1/4 = 1/2 + 1/12, which floats miss by a bit.
    positions = tb.positions([[3, 4, 2, 12]])
    owners = {"d1": "a", "d2": "a", "d3": "b", "d4": "b"}
    assert 1 / 4 + 1 / 3 != 1 / 12 + 1 / 2
    assert [row.providers for row in provider_exposure(positions, owners).worst_off()] == [("a", "b")]


def test_exposures_of_logarithms_that_are_equal_tie():
    # 1/log2(4) = 1/log2(8) + 1/log2(64)
    result = provider_exposure(tb.positions([[3, 7, 63]]), {"d1": "a", "d2": "b", "d3": "b"}, "nDCG")
    assert list(result.worst_off()) == [("run1", "q1", 0.5, ("a", "b"))]


def test_exposures_that_nearly_agree_do_not_tie():
    # Powers of 0, 3, 5, 6 and of 1, 2, 4, 7 up to the second have equal sums.
    ranks = [2_000_000 + k for k in (0, 3, 5, 6, 1, 2, 4, 7)]
    first, second = (sum(Fraction(1, k) for k in some) for some in (ranks[:4], ranks[4:]))
    assert 0 < first - second < Fraction(1, 10**18)
    result = provider_exposure(tb.positions([ranks]), {f"d{i}": "a" if i < 5 else "b" for i in range(1, 9)})
    assert [row.providers for row in result.worst_off()] == [("b",)]


@given(st.lists(st.integers(1, 60), min_size=2, max_size=12, unique=True), st.data())
def test_provider_exposures_are_the_nearest_floats(ranks, data):
    owners = {f"d{i}": data.draw(st.sampled_from("abc")) for i in range(1, len(ranks) + 1)}
    discounts = {
        "AP": lambda k: Fraction(1, k),
        "RBP(p=0.8)": lambda k: Fraction(1, 5) * Fraction(4, 5) ** (k - 1),
        "nDCG": lambda k: 1 / exact_log2(k + 1),
    }
    for spec, e in discounts.items():
        exact = {}
        for i, k in enumerate(ranks, start=1):
            exact[owners[f"d{i}"]] = exact.get(owners[f"d{i}"], Fraction(0)) + e(k)
        result = provider_exposure(tb.positions([ranks]), owners, spec)
        assert exposures(result)["q1"] == {name: float(value) for name, value in exact.items()}
        least = min(exact.values())
        worst = tuple(sorted(name for name, value in exact.items() if value - least < Fraction(1, 10**60)))
        assert [row.providers for row in result.worst_off()] == [worst]


def test_deep_positions_do_not_tie():
    result = provider_exposure(tb.positions([[80, 90]]), {"d1": "a", "d2": "b"}, "RBP(p=0.5)")
    assert [row.providers for row in result.worst_off()] == [("b",)]


def test_every_item_its_own_provider_makes_total_search_efficiency_the_worst():
    positions = tb.positions([[2, 5, 9], [1, 7, None]])
    result = provider_exposure(positions, {f"d{i}": i for i in (1, 2, 3)}, "nDCG")
    worst = worst_case(positions, "nDCG")
    assert [row.exposure for row in result.worst_off()] == worst.utility.ravel().tolist()
    assert [row.providers for row in result.worst_off()] == [("3",), ("3",)]


def test_exposure_of_a_step_uses_all_relevant_items_also_where_some_have_no_provider():
    # RP looks down to m = 3, not to the 2 that have a provider.
    result = provider_exposure(tb.positions([[3, 1, 9]]), {"d1": "a", "d3": "b"}, "RP", missing="skip")
    assert exposures(result)["q1"] == {"a": 1, "b": 0}
    assert result.n_without_provider == 1


def test_bits_do_not_depend_on_the_order_of_the_judgements():
    ranks = [3, 7, 11, 13, 17, 19, 23]
    there = tb.positions([ranks])
    back = tb.positions([ranks[::-1]])
    owners = {f"d{i}": "a" for i in range(1, 8)}
    assert provider_exposure(there, owners).exposure.item() == provider_exposure(back, owners).exposure.item()


def test_items_without_a_provider_are_an_error_unless_left_out():
    positions = tb.project(QRELS, RUNS)
    with pytest.raises(InputError, match='2 of 4 relevant items have no provider, "a" among them') as caught:
        provider_exposure(positions, {"c": "C", "x": "X"})
    assert (caught.value.kind, caught.value.item) == ("provider", "a")
    result = provider_exposure(positions, {"c": "C", "x": "X"}, missing="skip")
    assert exposures(result) == {"q1": {"C": 0}, "q2": {"X": 1}, "q3": {"C": 1}}
    assert result.n_without_provider == 3
    with pytest.raises(InputError, match="4 of 4 relevant items"):
        provider_exposure(positions, {"elsewhere": "E"}, missing="skip")
    with pytest.raises(InputError, match='for missing "drop"'):
        provider_exposure(positions, {"c": "C"}, missing="drop")


def test_items_and_providers_may_be_integers():
    positions = tb.project({"q": {1: 1, 2: 1}}, {"q": {1: 2.0, 2: 1.0}})
    assert exposures(provider_exposure(positions, {1: 10, 2: 20}))["q"] == {"10": 1, "20": 0.5}
    with pytest.raises(InputError, match="as text and as an integer"):
        provider_exposure(positions, {1: 10, "1": 10, 2: 20})


def test_requests_without_a_provider_have_no_row():
    positions = tb.project(QRELS, RUNS)
    result = provider_exposure(positions, {"c": "C"}, missing="skip")
    assert {row.request for row in result.worst_off()} == {"q1", "q3"}


@pytest.fixture
def frames(monkeypatch):
    """A library of frames that are dictionaries."""
    monkeypatch.setitem(sys.modules, "polars", SimpleNamespace(DataFrame=dict))


@pytest.mark.usefixtures("frames")
def test_results_are_frames_too():
    positions = tb.positions([[2, None], [1, 4]])
    assert worst_case(positions).to_frame() == {
        "run": ["run1", "run2"],
        "request": ["q1", "q1"],
        "utility": [0.0, 0.25],
        "items": [("d2",), ("d2",)],
    }
    assert provider_exposure(positions, {"d1": "a", "d2": "b"}).to_frame() == {
        "run": ["run1", "run1", "run2", "run2"],
        "request": ["q1"] * 4,
        "provider": ["a", "b", "a", "b"],
        "exposure": [0.5, 0.0, 1.0, 0.25],
        "is_worst": [False, True, False, True],
    }


def eta(p, owned):
    """`owned` are the recall levels of one provider; all others are another's."""
    owners = {f"d{i}": "v" if i in owned else "w" for i in range(1, len(p) + 1)}
    return exposures(provider_exposure(tb.positions([p]), owners))["q1"]["v"]


def test_worked_examples_hold():
    for arguments, expected in examples_of("eta"):
        assert eta(**arguments) == pytest.approx(float(Fraction(expected)), rel=0, abs=1e-12)


def test_metrics_that_are_no_sums_over_recall_levels_are_refused():
    with pytest.raises(InputError, match="not a sum over recall levels"):
        provider_exposure(tb.positions([[1]]), {"d1": "v"}, "ERR")


def test_an_experiment_stands_for_its_positions():
    exp = tb.Experiment({"q": {"a": 1, "b": 1}}, {"q": {"a": 2.0, "x": 1.0, "b": 0.0}})
    rows = tb.provider_exposure(exp, {"a": "ann", "b": "bob"}).rows()
    assert [(row.provider, row.exposure) for row in rows] == [("ann", 1.0), ("bob", 1 / 3)]
