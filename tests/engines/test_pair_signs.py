"""Recall levels of pairs of rankings: the core and its twin count the same signs, as the definition says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from tiebreak._kernels.interface import UNRETRIEVED

POSITIONS = [
    st.one_of(st.integers(1, 4), st.just(UNRETRIEVED)),
    st.one_of(st.integers(32_760, 32_770), st.just(UNRETRIEVED)),  # around what 16 bits hold
    st.integers(-(2**31), 2**31 - 1),
]


@st.composite
def some_levels(draw, most_runs=70, most_levels=9):
    """Positions [run, request, level] and pairs of runs: any, all, or every run with some baselines."""
    runs = draw(st.one_of(st.integers(1, 5), st.integers(1, most_runs)))
    requests, levels = draw(st.integers(0, 4)), draw(st.integers(1, most_levels))
    numbers = draw(st.lists(draw(st.sampled_from(POSITIONS)), min_size=1, max_size=40))
    order = np.random.default_rng(draw(st.integers(0, 1000)))
    p = order.choice(np.array(numbers, dtype=np.int32), (runs, requests, levels))
    kind = draw(st.sampled_from(["any", "all", "baselines"]))
    if kind == "all":
        x, y = np.triu_indices(runs, 1)
    elif kind == "baselines":
        x, y = np.tile(np.arange(runs), 2), np.repeat(order.integers(0, runs, 2), runs)
    else:
        x, y = order.integers(0, runs, (2, draw(st.integers(0, 30))))
    return p, x, y


def sum_signs(x, y):
    return sum((b > a) - (b < a) for a, b in zip(x.tolist(), y.tolist(), strict=True))


def sums(engine, p, x, y):
    return engine.sum_pair_signs(p.ravel(), p.shape, x, y)


@settings(max_examples=examples(25))
@given(data=some_levels(most_runs=6, most_levels=4))
def test_engines_agree_with_the_definition(engine, data):
    p, x, y = data
    expected = [[sum_signs(p[i, q], p[j, q]) for i, j in zip(x, y, strict=True)] for q in range(p.shape[1])]
    actual = sums(engine, p, x, y)
    assert actual.dtype == np.int32
    assert actual.shape == (p.shape[1], len(x))
    assert actual.tolist() == expected


@settings(max_examples=examples(50))
@given(data=some_levels())
def test_core_agrees_with_its_twin(core, twin, data):
    one, other = (sums(engine, *data) for engine in (core, twin))
    assert one.shape == other.shape
    assert one.tolist() == other.tolist()


def test_levels_beyond_what_16_bits_count_are_summed(engine):
    p = np.repeat(np.array([[1], [2]], dtype=np.int32), 70_000, axis=1)[:, None]
    assert sums(engine, p, np.array([0, 1]), np.array([1, 0])).tolist() == [[70_000, -70_000]]


@pytest.mark.parametrize("depth", [10, 40_000])
def test_unretrieved_items_tie_and_are_below_any_retrieved_one(engine, depth):
    p = np.array([[[1, UNRETRIEVED]], [[1, depth]], [[1, UNRETRIEVED]]], dtype=np.int32)
    assert sums(engine, p, np.array([0, 0, 1]), np.array([1, 2, 2])).tolist() == [[-1, 0, 1]]


@pytest.mark.parametrize(
    ("shape", "x", "y"),
    [
        ((2, 3, 3), [0], [1]),
        ((2, 2**62, 2**62), [0], [1]),
        ((2, 12, 0), [0], [1]),
        ((2, 2, 3), [0], [2]),
        ((2, 2, 3), [-1], [0]),
        ((2, 2, 3), [0, 1], [1]),
    ],
)
def test_positions_and_pairs_that_do_not_fit_are_refused(core, shape, x, y):
    with pytest.raises(ValueError, match="do not fit"):
        core.sum_pair_signs(np.zeros(12, dtype=np.int32), shape, *(np.array(runs, dtype=np.int64) for runs in (x, y)))


@pytest.mark.parametrize("dtype", [np.int64, np.float64, np.uint32])
def test_positions_of_another_type_are_refused(core, dtype):
    with pytest.raises(TypeError):
        core.sum_pair_signs(np.zeros(2, dtype=dtype), (2, 1, 1), np.array([0]), np.array([1]))
