"""The array operations, each against a loop."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tiebreak import UNRETRIEVED
from tiebreak.projection import dense_rank, exposure, pair_signs, weighted_sum

ranks = st.sampled_from([1, 2, 3, 7, UNRETRIEVED])
shapes = st.tuples(st.integers(1, 5), st.integers(1, 4), st.integers(1, 4))
p_arrays = shapes.flatmap(lambda shape: arrays(np.int32, shape, elements=ranks)).map(lambda p: np.sort(p, axis=-1))


def test_exposure_of_unretrieved_items_is_zero():
    table = np.array([np.nan, 1.0, 0.5, 0.0])
    p = np.array([1, 2, 3, 99, UNRETRIEVED], dtype=np.int32)
    assert exposure(p, table).tolist() == [1.0, 0.5, 0.0, 0.0, 0.0]


def test_exposure_table_must_end_with_zero():
    with pytest.raises(AssertionError):
        exposure(np.array([1], dtype=np.int32), np.array([0.0, 1.0]))


def test_weighted_sum_has_the_same_bits_however_many_requests_there_are():
    rng = np.random.default_rng(0)
    x, w = rng.random((7, 501, 37)), rng.random(37)
    whole = weighted_sum(x, w)
    parts = np.concatenate([weighted_sum(x[:, k : k + 3], w) for k in range(0, 501, 3)], axis=1)
    assert whole.tobytes() == parts.tobytes()
    single = np.array([[weighted_sum(x[r, q], w) for q in range(501)] for r in range(7)])
    assert whole.tobytes() == single.tobytes()


def test_weighted_sum_of_a_strided_view_has_the_same_bits_as_of_its_copy():
    x = np.random.default_rng(0).random((40, 9, 5)).T
    w = np.random.default_rng(1).random(40)
    assert weighted_sum(x, w).tobytes() == weighted_sum(x.copy(order="C"), w).tobytes()


@given(ranks, ranks)
def test_pair_signs_prefer_the_earlier_and_tie_unretrieved(x, y):
    expected = 0 if x == y else 1 if x < y else -1
    assert pair_signs(np.array([x], dtype=np.int32), np.array([y], dtype=np.int32)).tolist() == [expected]


@given(p_arrays, st.booleans())
def test_dense_rank_orders_runs_lexicographically(p, reverse):
    found = dense_rank(p, reverse)
    for q in range(p.shape[1]):
        vectors = [tuple(v[::-1] if reverse else v) for v in p[:, q].tolist()]
        order = sorted(set(vectors))
        assert found[:, q].tolist() == [order.index(v) + 1 for v in vectors]
