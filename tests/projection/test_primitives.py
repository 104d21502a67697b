"""The array operations, each against a loop."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tiebreak import UNRETRIEVED
from tiebreak.projection import dense_rank, pair_signs
from tiebreak.projection.needs import Needs

ranks = st.sampled_from([1, 2, 3, 7, UNRETRIEVED])
shapes = st.tuples(st.integers(1, 5), st.integers(1, 4), st.integers(1, 4))
p_arrays = shapes.flatmap(lambda shape: arrays(np.int32, shape, elements=ranks)).map(lambda p: np.sort(p, axis=-1))


@given(ranks, ranks)
def test_pair_signs_prefer_the_earlier_and_tie_unretrieved(x, y):
    expected = 0 if x == y else 1 if x < y else -1
    assert pair_signs(np.array([x], dtype=np.int32), np.array([y], dtype=np.int32)).tolist() == [expected]


@given(p_arrays, st.booleans())
def test_dense_rank_orders_runs_lexicographically(p, reverse):
    actual = dense_rank(p, reverse)
    for q in range(p.shape[1]):
        vectors = [tuple(v[::-1] if reverse else v) for v in p[:, q].tolist()]
        order = sorted(set(vectors))
        assert actual[:, q].tolist() == [order.index(v) + 1 for v in vectors]


def test_needs_of_several_measures_are_their_union():
    needs = Needs.union([Needs(aspects=10), Needs(pool=True), Needs(aspects=20)])
    assert needs == Needs(pool=True, aspects=20, is_whole=False)
