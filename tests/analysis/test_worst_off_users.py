"""Worst-off users: the theorem against enumeration in exact arithmetic, and where it fails."""

from fractions import Fraction
from functools import cache
from itertools import combinations
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from analysis.recall_level_twins import QRELS, RUNS, TWINS, N
from exact_logarithms import log2 as exact_log2
from tiebreak import InputError
from tiebreak.analysis.worst_off_users import worst_case
from tiebreak.errors import EmptyRequestsWarning
from tiebreak.exact import like
from tiebreak.metrics import RecallLevelMetric, metric, recall_level_form
from tiebreak.metrics.rank_based import AveragePrecision
from worked_examples import examples_of


def users(result, run):
    """The utility and the items of the worst-off user of every request of a run."""
    return {row.request: (row.utility, row.items) for row in result.rows() if row.run == run}


def subsets(p):
    return [u for size in range(1, len(p) + 1) for u in combinations(p, size)]


VECTORS = [p for m in range(1, 7) for p in combinations(range(1, N + 1), m)]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("spec", TWINS)
def test_worst_user_and_worst_provider_get_total_search_efficiency(spec):
    """LR theorems C.1 and C.2, over all 2^m - 1 users and all as many providers, m up to 6."""
    twin = TWINS[spec]
    user = cache(twin)
    provider = cache(lambda v: sum(twin.e(k) for k in v))
    for p in VECTORS:
        tse = twin.e(p[-1])
        assert min(map(user, subsets(p))) == tse
        assert min(map(provider, subsets(p))) == tse


@pytest.mark.one_in(2)
@pytest.mark.parametrize("spec", TWINS)
def test_worst_case_is_the_minimum_over_all_users(spec):
    for m in (1, 2, 5):
        some = list(combinations(range(1, N + 1), m))
        result = worst_case(tb.positions(some), spec)
        assert result.method == "theorem"
        exact = [min(TWINS[spec](u) for u in subsets(p)) for p in some]
        assert result.utility.ravel() == pytest.approx([float(value) for value in exact], rel=0, abs=1e-15)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("spec", TWINS)
def test_twins_equal_the_metrics(spec):
    for p in VECTORS[::7]:
        value = metric(spec).score(np.array([[p]], dtype=np.int32))[0, 0]
        assert value == pytest.approx(float(TWINS[spec](p)), rel=0, abs=1e-15)


def test_r_precision_gives_its_worst_user_less_than_total_search_efficiency():
    """A step that depends on m is no exposure of the theorem: who wants only the second item looks at one position."""
    result = worst_case(tb.positions([[1, 2]]), "RP")
    assert (result.method, result.utility.item()) == ("enumeration", 0)
    assert metric("TSE(RP)").evaluate(tb.positions([[1, 2]])).item() == 1
    assert [row.items for row in result.rows()] == [("d2",)]


def test_without_a_strict_exposure_several_users_are_worst_off():
    (row,) = worst_case(tb.positions([[1, 3, 4]]), "R@2").rows()
    assert (row.utility, row.items) == (0, ("d2", "d3"))
    (row,) = worst_case(tb.positions([[1, 3, 4]]), "AP").rows()
    assert (row.utility, row.items) == (0.25, ("d3",))


def test_worst_user_by_hand():
    # Users of p = (2, 5) by AP: {2} gets 1/2, {5} 1/5, {2, 5} (1/2 + 2/5) / 2
    (row,) = worst_case(tb.positions([[2, 5]]), "AP").rows()
    assert row == ("run1", "q1", 1 / 5, ("d2",))


def test_unretrieved_items_all_make_worst_off_users():
    rows = list(worst_case(tb.positions([[7, None, None], [None, None, 1], [3, 9, 1]]), "nDCG").rows())
    assert [row.items for row in rows] == [("d2", "d3"), ("d1", "d2"), ("d2",)]
    assert [row.utility for row in rows] == [0, 0, 1 / log2(10)]


def test_utility_of_the_worst_off_user_is_the_nearest_float():
    ranks = list(range(2, 400))
    result = worst_case(tb.positions([[k] for k in ranks]), "nDCG")
    assert result.utility.ravel().tolist() == [float(1 / exact_log2(k + 1)) for k in ranks]
    result = worst_case(tb.positions([[k] for k in ranks]), "RBP(p=0.8)")
    assert result.utility.ravel().tolist() == [float(Fraction(4, 5) ** (k - 1) / 5) for k in ranks]


def test_users_that_are_nearly_as_badly_off_do_not_tie():
    (row,) = worst_case(tb.positions([[3, 4]]), "RBP(p=0.9999999999999)@100").rows()
    assert row.items == ("d2",)


def test_item_is_found_where_exposure_underflows():
    result = worst_case(tb.positions([[5000, 6000]]), "RBP(p=0.5)")
    assert [(row.utility, row.items) for row in result.rows()] == [(0, ("d2",))]


def test_requests_of_several_sizes_keep_their_items():
    result = worst_case(tb.project(QRELS, RUNS), "AP")
    assert users(result, "run1") == {"q1": (0, ("c",)), "q2": (1, ("x",)), "q3": (1 / 3, ("a",))}
    assert users(result, "run2") == {"q1": (1 / 3, ("b",)), "q2": (0, ("x",)), "q3": (0, ("c",))}
    assert result.settings == {"metric": "AP", "method": "theorem"}


def test_grade_that_counts_is_the_metrics_or_the_experiments():
    assert users(worst_case(tb.project(QRELS, RUNS), "AP(rel=2)"), "run2") == {"q1": (1 / 3, ("b",))}
    with pytest.warns(tb.errors.EmptyRequestsWarning):
        positions = tb.project(QRELS, RUNS, min_grade=3)
    assert users(worst_case(positions, "nDCG"), "run2") == {"q1": (1, ("c",))}


many = st.integers(1, 5).flatmap(
    lambda m: st.lists(
        st.permutations([*range(1, 9), None, None]).map(lambda p: p[:m]),
        min_size=1,
        max_size=3,
    )
)


@given(many, st.sampled_from(["R@3", "RP", "P@4", "Success@3", "AP@5", "nDCG@4", "RR(level=2)", "TSE(R@2)"]))
def test_enumeration_finds_the_minimum_over_all_users(vectors, spec):
    result = worst_case(tb.positions(vectors), spec)
    assert result.method == "enumeration"
    score = recall_level_form(metric(spec)).score
    for vector, row in zip(vectors, result.rows(), strict=True):
        p = [tb.UNRETRIEVED if k is None else k for k in vector]
        values = {
            u: score(np.array([[sorted(p[i] for i in u)]], dtype=np.int32)).item() for u in subsets(range(len(p)))
        }
        assert row.utility == min(values.values())
        alone = {f"d{i + 1}" for (i,) in (u for u in values if len(u) == 1) if values[i,] == row.utility}
        assert set(row.items) == alone


@given(many)
def test_enumeration_agrees_with_the_theorem(vectors):
    class Unproven(AveragePrecision):
        has_strict_exposure = False

    known, actual = (worst_case(tb.positions(vectors), m) for m in (AveragePrecision(), Unproven()))
    assert (known.method, actual.method) == ("theorem", "enumeration")
    assert np.array_equal(known.utility, actual.utility)
    assert [row.items for row in known.rows()] == [row.items for row in actual.rows()]


class Shared(RecallLevelMetric):
    """Normalised by more than the ideal ranking, so that whoever wants more gets less."""

    name = "shared"

    def exposure(self, k, m):
        return 1 / k

    def weight(self, i, m):
        return i / i

    def divisor(self, i, m):
        return like(m**3, i)


def test_where_it_takes_several_items_to_be_worst_off_they_are_given_together():
    # {2}: 1/2, {4}: 1/4, {2, 4}: (1/2 + 1/4) / 8
    (row,) = worst_case(tb.positions([[4, 2]]), Shared()).rows()
    assert (row.utility, row.items) == (0.75 / 8, ("d1", "d2"))


def test_too_many_users_are_refused_and_the_theorem_is_not_claimed():
    positions = tb.positions([list(range(1, 17))])
    with pytest.raises(
        InputError, match="up to 15 relevant items per request; the largest request here has 16"
    ) as caught:
        worst_case(positions, "AP@10")
    assert caught.value.kind == "top_heavy"
    assert worst_case(positions, "AP").utility.item() == 1 / 16
    assert worst_case(tb.positions([list(range(1, 16))]), "AP@10").utility.item() == 0


def test_metrics_that_are_no_sums_over_recall_levels_are_refused():
    with pytest.raises(InputError, match="not a sum over recall levels"):
        worst_case(tb.positions([[1]]), "ERR")


def spec_of(name, n=None, gamma="1/2", k=1000):
    """The examples' names of metrics."""
    specs = {"ap": "AP", "rr": "RR", "ndcg": "binary_nDCG", "rbp": f"RBP(p={float(Fraction(gamma))})"}
    return (specs | {"rp": "RP", "rk": f"R@{k}", "lin": f"linear(n={n})", "linear": f"linear(n={n})"})[name]


def wc_user(p, metric):
    return worst_case(tb.positions([p]), spec_of(metric)).utility.item()


def tse(p, base, n):
    return metric(f"TSE({spec_of(base, n)})").evaluate(tb.positions([p])).item()


def recall_level_metric(p, **arguments):
    return metric(spec_of(arguments.pop("metric"), **arguments)).evaluate(tb.positions([p])).item()


@pytest.mark.parametrize("function", [wc_user, tse, recall_level_metric])
def test_worked_examples_hold(function):
    for arguments, expected in examples_of(function.__name__):
        assert function(**arguments) == pytest.approx(float(Fraction(expected)), rel=0, abs=1e-12)


def test_requests_without_a_relevant_item_have_no_worst_off_user():
    qrels = {"q1": {"a": 1}, "q2": {"a": 0}, "q3": {"b": 1}}
    with pytest.warns(EmptyRequestsWarning):
        positions = tb.project(qrels, [{"q1": {"a": 1.0}}, {"q3": {"b": 1.0}}])
    assert [row.request for row in tb.worst_case(positions, "AP").rows()] == ["q1", "q3"] * 2


def test_an_experiment_stands_for_its_positions():
    exp = tb.Experiment({"q": {"a": 1, "b": 1}}, {"q": {"a": 2.0, "x": 1.0, "b": 0.0}})
    assert list(tb.worst_case(exp, "AP").rows()) == list(tb.worst_case(exp.positions, "AP").rows())
    assert [row.utility for row in tb.worst_case(exp).rows()] == [1 / 3]
