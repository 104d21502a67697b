"""Places of position vectors in the orders of lexirecall and lexiprecision: by hand, by enumeration, as a metric."""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from tiebreak import InputError, lexiprecision_index, lexirecall_index
from tiebreak.metrics import metric

INDICES = {
    # From the worst: the last vectors in the order of p, or of p read from its end.
    lexiprecision_index: lambda p: [-k for k in p],
    lexirecall_index: lambda p: [-k for k in reversed(p)],
}
METRICS = {"LP_index": lexiprecision_index, "LR_index": lexirecall_index}
PREFERENCES = {"LP_index": "LexiPrecision", "LR_index": "LexiRecall"}


def test_indices_by_hand():
    # n = 5, m = 2. Below (2, 4): by its first item (3, 4), (3, 5), (4, 5), which is C(3, 2); by its second (2, 5).
    assert lexiprecision_index([2, 4], 5) == comb(3, 2) + comb(1, 1) == 4
    # By its last item (1, 5), (2, 5), (3, 5), (4, 5), which is C(5, 2) - C(4, 2); by its first (3, 4).
    assert lexirecall_index([2, 4], 5) == (comb(5, 2) - comb(4, 2)) + (comb(3, 1) - comb(2, 1)) == 5


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("n", range(1, 9))
def test_index_is_the_place_among_all_vectors(index, n):
    for m in range(1, n + 1):
        from_worst = sorted(combinations(range(1, n + 1), m), key=INDICES[index])
        assert [index(p, n) for p in from_worst] == list(range(comb(n, m)))


vectors = st.tuples(st.integers(1, 5), st.integers(20, 400)).flatmap(
    lambda sizes: st.tuples(
        st.just(sizes[1]),
        st.lists(
            st.sets(st.integers(1, 15), min_size=0, max_size=sizes[0]).map(
                lambda p: [*sorted(p), *[None] * (sizes[0] - len(p))]
            ),
            min_size=2,
            max_size=4,
        ),
    )
)


@pytest.mark.parametrize("name", METRICS)
@given(vectors)
def test_metric_is_the_share_of_the_other_vectors_that_are_worse(name, case):
    n, rows = case
    values = metric(f"{name}(n={n})").evaluate(tb.positions(rows)).ravel().tolist()
    assert values == [float(Fraction(METRICS[name](p, n), comb(n, len(p)) - 1)) for p in rows]


@pytest.mark.parametrize("name", METRICS)
@given(vectors)
def test_metric_orders_rankings_as_the_preference_does(name, case):
    n, rows = case
    positions = tb.positions(rows)
    by_metric = tb.compare(positions, f"sign({name}(n={n}))").values
    assert by_metric.tolist() == tb.compare(positions, PREFERENCES[name]).values.tolist()
    exact = [Fraction(METRICS[name](p, n), comb(n, len(p)) - 1) for p in rows]
    differences = [[float(x - y)] for x, y in combinations(exact, 2)]
    assert tb.compare(positions, f"{name}(n={n})").values.tolist() == differences


DEEP = [60_000, 70_000, 80_000]
CLOSE = {"LP_index": ([1, *DEEP, 90_000], [1, *DEEP, 90_001]), "LR_index": ([1, *DEEP, 90_000], [2, *DEEP, 90_000])}


@pytest.mark.parametrize("name", CLOSE)
def test_metric_separates_what_floats_do_not(name):
    near, far = CLOSE[name]
    positions, n = tb.positions([near, far]), 1_000_000
    values = metric(f"{name}(n={n})").evaluate(positions).ravel()
    assert values[0] == values[1]
    assert METRICS[name](near, n) > METRICS[name](far, n)
    assert tb.compare(positions, f"sign({name}(n={n}))").values.tolist() == [[1.0]]


@pytest.mark.parametrize("name", METRICS)
def test_many_relevant_items_of_a_large_corpus(name):
    n, m = 8_841_823, 300
    rows = [list(range(1, m + 1)), [*range(2, 2 * m, 2), None], [None] * m]
    values = metric(f"{name}(n={n})").evaluate(tb.positions(rows)).ravel().tolist()
    assert values[0] == 1.0 and values[2] == 0.0
    assert values[1] == float(Fraction(METRICS[name](rows[1], n), comb(n, m) - 1))


def test_unretrieved_items_are_at_the_end_of_the_corpus():
    for index in INDICES:
        assert index([3, None, None], 9) == index([3, 8, 9], 9)
        assert index([None, None], 9) == 0
        assert index([1, 2], 9) == comb(9, 2) - 1


def test_single_vector_is_the_best():
    for name in METRICS:
        assert metric(f"{name}(n=2)").evaluate(tb.positions([[1, 2]])).tolist() == [[1.0]]


@pytest.mark.parametrize("name", METRICS)
def test_bad_corpus_sizes_are_refused(name):
    with pytest.raises(InputError, match=f"{name} needs the number of items in the corpus, such as {name}"):
        metric(name)
    with pytest.raises(InputError, match=f"{name}: n=-1. Give a whole number from 1 on"):
        metric(f"{name}(n=-1)")
    with pytest.raises(InputError, match="too few"):
        metric(f"{name}(n=5)").evaluate(tb.positions([[5, None]]))


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize(("p", "n"), [([], 5), ([0], 5), ([6], 5), ([2, 2], 5), ([5, None], 5), ([1], 0)])
def test_what_is_no_position_in_the_corpus_is_refused(index, p, n):
    with pytest.raises(InputError, match="n="):
        index(p, n)


@pytest.mark.parametrize("function", [tb.metric_lexirecall, tb.lexiprecision_index, tb.lexirecall_index])
@pytest.mark.parametrize("p", [[1, float("nan")], (1.5, 2), ("1", 2), [1, float("inf")], None, "12", 3, [], [1.0, 2]])
def test_positions_are_whole_numbers(function, p):
    with pytest.raises(tb.InputError, match="distinct whole numbers, from 1 on"):
        function(p, 5)
    assert function(np.array([1, 2]), 5) == function([1, 2], 5)
