"""Providers over requests and between runs: sums, leximin, and exposure per item."""

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from tiebreak import InputError

QRELS = {"q1": {"a": 1, "b": 1, "c": 1}, "q2": {"a": 1, "c": 1}}
RUNS = [
    {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"x": 2.0, "c": 1.0}},
    {"q1": {"b": 3.0, "x": 2.0, "c": 1.0}, "q2": {"a": 2.0, "c": 1.0}},
]
OWNERS = {"a": "A", "b": "B", "c": "A"}


def totals(result):
    return {(row.run, row.provider): row.exposure for row in result.rows()}


def test_exposure_is_summed_over_requests():
    # A in run1: q1 1/1 + 1/3, q2 0 + 1/2; B: q1 1/2. In run2: q1 0 + 1/3, q2 1/1 + 1/2; B 1/1.
    result = tb.provider_exposure(tb.project(QRELS, RUNS), OWNERS).total()
    both = float(1 + Fraction(1, 3) + Fraction(1, 2))
    assert totals(result) == {("run1", "A"): both, ("run1", "B"): 0.5, ("run2", "A"): both, ("run2", "B"): 1}
    assert result.n_requests.tolist() == [2, 1]
    assert [row.provider for row in result.rows() if row.is_worst] == ["B", "B"]


def test_exposure_that_depends_on_the_number_of_relevant_items_is_summed_too():
    # RP looks down to 3 in q1 and to 2 in q2. A in run1: 2 and 1, B 1; in run2: A 1 and 2, B 1.
    result = tb.provider_exposure(tb.project(QRELS, RUNS), OWNERS, "RP").total()
    assert totals(result) == {("run1", "A"): 3, ("run1", "B"): 1, ("run2", "A"): 3, ("run2", "B"): 1}


def test_order_of_runs_is_leximin_over_providers():
    # Sorted totals: run1 (1/2, 11/6), run2 (1, 11/6)
    result = tb.provider_exposure(tb.project(QRELS, RUNS), OWNERS).total()
    assert result.order().ranking() == ["run2", "run1"]
    assert "Over 2 providers." in result.order().notes
    assert result.order("max").ranks.tolist() == [1, 1]
    assert result.utilities.evaluate("min").rows() == (("run1", "min", 0.5), ("run2", "min", 1.0))


def test_exposure_per_item_is_divided_by_the_relevant_items_of_the_provider():
    positions = tb.project(QRELS, RUNS)
    result = tb.provider_exposure(positions, OWNERS, per_item=True)
    shares = {(row.request, row.provider): row.exposure for row in result.rows() if row.run == "run1"}
    assert shares == {("q1", "A"): (1 + 1 / 3) / 2, ("q1", "B"): 1 / 2, ("q2", "A"): 1 / 2 / 2}
    assert result.settings["per_item"] is True
    assert totals(result.total())["run1", "A"] == float(Fraction(2, 3) + Fraction(1, 4))


ranks = st.permutations([*range(1, 12), None, None, None])


@given(st.integers(1, 5).flatmap(lambda m: st.lists(ranks.map(lambda p: p[:m]), min_size=2, max_size=3)))
def test_providers_of_one_item_each_make_it_lexirecall(vectors):
    positions = tb.positions(vectors)
    owners = {f"d{i}": i for i in range(1, len(vectors[0]) + 1)}
    for metric in ("AP", "nDCG", "RBP(p=0.3)"):
        ours = tb.compare(positions, tb.ProviderLeximin(owners, metric)).numerator
        assert (ours == tb.compare(positions, "LexiRecall").numerator).all()


def leximin(x, y):
    worst_first = zip(sorted(x), sorted(y), strict=True)
    return next(((a > b) - (a < b) for a, b in worst_first if a != b), 0)


def exposures(vector, owners, per_item):
    """The exposure 1/k of every provider, in fractions."""
    names = sorted(set(owners))
    own = {
        v: [Fraction(0) if k is None else Fraction(1, k) for k, w in zip(vector, owners, strict=True) if v == w]
        for v in names
    }
    return [sum(own[v]) / (len(own[v]) if per_item else 1) for v in names]


@given(
    st.integers(1, 5).flatmap(
        lambda m: st.tuples(
            st.lists(ranks.map(lambda p: p[:m]), min_size=2, max_size=3),
            st.lists(st.sampled_from("abc"), min_size=m, max_size=m),
        )
    ),
    st.booleans(),
)
def test_leximin_over_providers_equals_its_slow_twin(case, per_item):
    vectors, owners = case
    by_item = {f"d{i}": v for i, v in enumerate(owners, start=1)}
    result = tb.compare(tb.positions(vectors), tb.ProviderLeximin(by_item, per_item=per_item)).numerator[:, 0].tolist()
    pairs = combinations([exposures(vector, owners, per_item) for vector in vectors], 2)
    assert result == [leximin(x, y) for x, y in pairs]


def test_leximin_over_all_possible_providers_is_lexirecall():
    """LR theorem C.6, over every set of relevant items."""
    subsets = [s for size in range(1, 5) for s in combinations(range(4), size)]
    vectors = list(combinations(range(1, 8), 4))[::3]
    phi = {p: [sum(Fraction(1, p[i]) for i in v) for v in subsets] for p in vectors}
    for p, other in combinations(vectors, 2):
        (lexirecall,) = tb.compare(tb.positions([p, other]), "LexiRecall").values[0].tolist()
        assert leximin(phi[p], phi[other]) == lexirecall


def test_leximin_over_providers_is_tested_and_ordered_as_any_preference():
    exp = tb.Experiment(QRELS, RUNS)
    compared = exp.compare(tb.ProviderLeximin(OWNERS))
    # q1: (1/2, 4/3) against (1/3, 1); q2: 1/2 against 3/2
    assert compared.values.tolist() == [[1.0, -1.0]]
    assert compared.order().ranking() and compared.test("sign").pvalue.tolist() == [1.0]
    assert compared.measure == "ProviderLeximin(AP)"


def test_requests_without_a_provider_are_left_out():
    compared = tb.compare(tb.project(QRELS, RUNS), tb.ProviderLeximin({"b": "B"}, missing="skip"))
    assert list(compared.requests) == ["q1"]


def test_items_without_a_provider_are_an_error():
    with pytest.raises(InputError, match="have no provider"):
        tb.compare(tb.project(QRELS, RUNS), tb.ProviderLeximin({"b": "B"}))
