"""Worst-off users and providers: the theorem against enumeration in exact arithmetic, and where it fails."""

import sys
from fractions import Fraction
from itertools import combinations
from math import log2
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from exact_logarithms import log2 as exact_log2
from tiebreak import InputError
from tiebreak.analysis.providers import provider_exposure
from tiebreak.analysis.top_heaviness import is_top_heavy
from tiebreak.analysis.worst_off_users import worst_case
from tiebreak.errors import EmptyRequestsWarning
from tiebreak.exact import like
from tiebreak.metrics import RecallLevelMetric, metric, recall_level_form
from tiebreak.metrics.rank_based import AveragePrecision, NormalisedCumulativePrecision
from worked_examples import examples_of


def users(result, run):
    """The utility and the items of the worst-off user of every request of a run."""
    return {row.request: (row.utility, row.items) for row in result.rows() if row.run == run}


def exposures(result, run="run1"):
    """``{request: {provider: exposure}}`` of a run."""
    shares = {}
    for row in result.rows():
        if row.run == run:
            shares.setdefault(row.request, {})[row.provider] = row.exposure
    return shares


def subsets(p):
    return [u for size in range(1, len(p) + 1) for u in combinations(p, size)]


class Twin:
    """A recall-level metric in exact arithmetic: exposure e(k), normalisation z(i, m)."""

    def __init__(self, e, z):
        self.e, self.z = e, z

    def __call__(self, p):
        return sum(self.e(k) * self.z(i, len(p)) for i, k in enumerate(p, start=1))


def discount(k):
    """A rational number within 1e-16 of 1/log2(k + 1), and as strictly decreasing."""
    return Fraction(1 / log2(k + 1))


N = 9
TWINS = {
    "AP": Twin(lambda k: Fraction(1, k), lambda i, m: Fraction(i, m)),
    "RR": Twin(lambda k: Fraction(1, k), lambda i, m: Fraction(i == 1)),
    "binary_nDCG": Twin(discount, lambda i, m: 1 / sum(discount(k) for k in range(1, m + 1))),
    "RBP(p=0.5)": Twin(lambda k: Fraction(1, 2**k), lambda i, m: Fraction(1)),
    f"linear(n={N})": Twin(lambda k: 1 - Fraction(k, N), lambda i, m: Fraction(1, m)),
}
VECTORS = [p for m in range(1, 7) for p in combinations(range(1, N + 1), m)]


@pytest.mark.parametrize("spec", TWINS)
def test_worst_user_and_worst_provider_get_total_search_efficiency(spec):
    """LR theorems C.1 and C.2, over all 2^m - 1 users and all as many providers, m up to 6."""
    twin = TWINS[spec]
    for p in VECTORS:
        tse = twin.e(p[-1])
        assert min(twin(u) for u in subsets(p)) == tse
        assert min(sum(twin.e(k) for k in v) for v in subsets(p)) == tse


@pytest.mark.parametrize("spec", TWINS)
def test_worst_case_is_the_minimum_over_all_users(spec):
    for m in (1, 2, 5):
        some = list(combinations(range(1, N + 1), m))
        made = worst_case(tb.positions(some), spec)
        assert made.method == "theorem"
        exact = [min(TWINS[spec](u) for u in subsets(p)) for p in some]
        assert made.utility.ravel() == pytest.approx([float(value) for value in exact], rel=0, abs=1e-15)


@pytest.mark.parametrize("spec", TWINS)
def test_twins_equal_the_metrics(spec):
    for p in VECTORS[::7]:
        value = metric(spec).score(np.array([[p]], dtype=np.int32))[0, 0]
        assert value == pytest.approx(float(TWINS[spec](p)), rel=0, abs=1e-15)


def test_r_precision_gives_its_worst_user_less_than_total_search_efficiency():
    """A step that depends on m is no exposure of the theorem: who wants only the second item looks at one position."""
    made = worst_case(tb.positions([[1, 2]]), "RP")
    assert (made.method, made.utility.item()) == ("enumeration", 0)
    assert metric("TSE(RP)").evaluate(tb.positions([[1, 2]])).item() == 1
    assert [row.items for row in made.rows()] == [("d2",)]


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
    made = worst_case(tb.positions([[k] for k in ranks]), "nDCG")
    assert made.utility.ravel().tolist() == [float(1 / exact_log2(k + 1)) for k in ranks]
    made = worst_case(tb.positions([[k] for k in ranks]), "RBP(p=0.8)")
    assert made.utility.ravel().tolist() == [float(Fraction(4, 5) ** (k - 1) / 5) for k in ranks]


def test_users_that_are_nearly_as_badly_off_do_not_tie():
    (row,) = worst_case(tb.positions([[3, 4]]), "RBP(p=0.9999999999999)@100").rows()
    assert row.items == ("d2",)


def test_item_is_found_where_exposure_underflows():
    made = worst_case(tb.positions([[5000, 6000]]), "RBP(p=0.5)")
    assert [(row.utility, row.items) for row in made.rows()] == [(0, ("d2",))]


QRELS = {"q1": {"a": 1, "b": 2, "c": 3}, "q2": {"x": 1}, "q3": {"a": 1, "c": 1}}
RUNS = [
    {"q1": {"b": 3.0, "x": 2.0, "a": 1.0}, "q2": {"x": 1.0}, "q3": {"c": 2.0, "y": 1.5, "a": 1.0}},
    {"q1": {"c": 3.0, "a": 2.0, "b": 1.0}, "q3": {"a": 1.0}},
]


def test_requests_of_several_sizes_keep_their_items():
    made = worst_case(tb.project(QRELS, RUNS), "AP")
    assert users(made, "run1") == {"q1": (0, ("c",)), "q2": (1, ("x",)), "q3": (1 / 3, ("a",))}
    assert users(made, "run2") == {"q1": (1 / 3, ("b",)), "q2": (0, ("x",)), "q3": (0, ("c",))}
    assert made.settings == {"metric": "AP", "method": "theorem"}


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
    made = worst_case(tb.positions(vectors), spec)
    assert made.method == "enumeration"
    score = recall_level_form(metric(spec)).score
    for vector, row in zip(vectors, made.rows(), strict=True):
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

    known, found = (worst_case(tb.positions(vectors), m) for m in (AveragePrecision(), Unproven()))
    assert (known.method, found.method) == ("theorem", "enumeration")
    assert np.array_equal(known.utility, found.utility)
    assert [row.items for row in known.rows()] == [row.items for row in found.rows()]


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
    with pytest.raises(InputError, match="up to 15 relevant items per request; here are 16") as caught:
        worst_case(positions, "AP@10")
    assert caught.value.kind == "top_heavy"
    assert worst_case(positions, "AP").utility.item() == 1 / 16
    assert worst_case(tb.positions([list(range(1, 16))]), "AP@10").utility.item() == 0


def test_metrics_that_are_no_sums_over_recall_levels_are_refused():
    for function in (worst_case, lambda p, m: provider_exposure(p, {"d1": "v"}, m)):
        with pytest.raises(InputError, match="not a sum over recall levels"):
            function(tb.positions([[1]]), "ERR")


def test_provider_exposure_by_hand():
    positions = tb.positions([[2, 5, 6], [1, None, 4]])
    made = provider_exposure(positions, {"d1": "ann", "d2": "bob", "d3": "ann"})
    assert exposures(made) == {"q1": {"ann": 1 / 6 + 1 / 2, "bob": 1 / 5}}
    assert exposures(made, "run2") == {"q1": {"ann": 1 / 4 + 1, "bob": 0}}
    assert list(made.worst_off()) == [("run1", "q1", 1 / 5, ("bob",)), ("run2", "q1", 0, ("bob",))]
    assert made.providers == ("ann", "bob")
    assert made.settings == {"metric": "AP", "n_without_provider": 0}


def test_providers_are_compared_within_each_request_only():
    providers = {"a": "A", "b": "A", "c": "C", "x": "X"}
    made = provider_exposure(tb.project(QRELS, RUNS), providers, "RR")
    assert exposures(made) == {
        "q1": {"A": 1 / 3 + 1, "C": 0},
        "q2": {"X": 1},
        "q3": {"A": 1 / 3, "C": 1},
    }
    assert [row.providers for row in made.worst_off()] == [("C",), ("X",), ("A",), ("A",), ("X",), ("C",)]
    assert [row.request for row in made.worst_off()] == ["q1", "q2", "q3"] * 2


def test_providers_that_tie_are_all_named():
    made = provider_exposure(tb.positions([[3, None, None]]), {"d1": "a", "d2": "c", "d3": "b"})
    assert list(made.worst_off()) == [("run1", "q1", 0, ("b", "c"))]


def test_exposures_that_are_equal_but_for_rounding_tie():
    # 1/3 + 1/4 = 1/2 + 1/12, which floats miss by a bit.
    positions = tb.positions([[3, 4, 2, 12]])
    owners = {"d1": "a", "d2": "a", "d3": "b", "d4": "b"}
    assert 1 / 4 + 1 / 3 != 1 / 12 + 1 / 2
    assert [row.providers for row in provider_exposure(positions, owners).worst_off()] == [("a", "b")]


def test_exposures_of_logarithms_that_are_equal_tie():
    # 1/log2(4) = 1/log2(8) + 1/log2(64)
    made = provider_exposure(tb.positions([[3, 7, 63]]), {"d1": "a", "d2": "b", "d3": "b"}, "nDCG")
    assert list(made.worst_off()) == [("run1", "q1", 0.5, ("a", "b"))]


def test_exposures_that_nearly_agree_do_not_tie():
    # Powers of 0, 3, 5, 6 and of 1, 2, 4, 7 up to the second have equal sums.
    ranks = [2_000_000 + k for k in (0, 3, 5, 6, 1, 2, 4, 7)]
    first, second = (sum(Fraction(1, k) for k in some) for some in (ranks[:4], ranks[4:]))
    assert 0 < first - second < Fraction(1, 10**18)
    made = provider_exposure(tb.positions([ranks]), {f"d{i}": "a" if i < 5 else "b" for i in range(1, 9)})
    assert [row.providers for row in made.worst_off()] == [("b",)]


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
        made = provider_exposure(tb.positions([ranks]), owners, spec)
        assert exposures(made)["q1"] == {name: float(value) for name, value in exact.items()}
        least = min(exact.values())
        worst = tuple(sorted(name for name, value in exact.items() if value - least < Fraction(1, 10**60)))
        assert [row.providers for row in made.worst_off()] == [worst]


def test_deep_positions_do_not_tie():
    made = provider_exposure(tb.positions([[80, 90]]), {"d1": "a", "d2": "b"}, "RBP(p=0.5)")
    assert [row.providers for row in made.worst_off()] == [("b",)]


def test_every_item_its_own_provider_makes_total_search_efficiency_the_worst():
    positions = tb.positions([[2, 5, 9], [1, 7, None]])
    made = provider_exposure(positions, {f"d{i}": i for i in (1, 2, 3)}, "nDCG")
    worst = worst_case(positions, "nDCG")
    assert [row.exposure for row in made.worst_off()] == worst.utility.ravel().tolist()
    assert [row.providers for row in made.worst_off()] == [("3",), ("3",)]


def test_exposure_of_a_step_uses_all_relevant_items_also_where_some_have_no_provider():
    # RP looks down to m = 3, not to the 2 that have a provider.
    made = provider_exposure(tb.positions([[3, 1, 9]]), {"d1": "a", "d3": "b"}, "RP", missing="skip")
    assert exposures(made)["q1"] == {"a": 1, "b": 0}
    assert made.n_without_provider == 1


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
    made = provider_exposure(positions, {"c": "C", "x": "X"}, missing="skip")
    assert exposures(made) == {"q1": {"C": 0}, "q2": {"X": 1}, "q3": {"C": 1}}
    assert made.n_without_provider == 3
    with pytest.raises(InputError, match="4 of 4 relevant items"):
        provider_exposure(positions, {"elsewhere": "E"}, missing="skip")
    with pytest.raises(InputError, match='for missing "drop"'):
        provider_exposure(positions, {"c": "C"}, missing="drop")


def test_items_and_providers_may_be_integers():
    positions = tb.project({"q": {1: 1, 2: 1}}, {"q": {1: 2.0, 2: 1.0}})
    assert exposures(provider_exposure(positions, {1: 10, 2: 20}))["q"] == {"10": 1, "20": 0.5}
    with pytest.raises(InputError, match="as text and as integer"):
        provider_exposure(positions, {1: 10, "1": 10, 2: 20})


def test_requests_without_a_provider_have_no_row():
    positions = tb.project(QRELS, RUNS)
    made = provider_exposure(positions, {"c": "C"}, missing="skip")
    assert {row.request for row in made.worst_off()} == {"q1", "q3"}


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


@pytest.mark.parametrize("spec", TWINS)
def test_metrics_of_the_paper_are_top_heavy_in_exact_arithmetic(spec):
    assert is_top_heavy(TWINS[spec], N, 6)


def test_equal_sides_are_top_heavy():
    last = Twin(lambda k: Fraction(1, k), lambda i, m: Fraction(i == m))
    assert is_top_heavy(last, N, 6)


@pytest.mark.parametrize("spec", [*TWINS, "R@3", "P@3", "RP", "AP@4", "nDCG@4", "TSE", "NCP(weights='dcg')"])
def test_metrics_are_top_heavy_in_floats(spec):
    assert is_top_heavy(spec, N, 6)


def test_metric_that_is_not_top_heavy_has_a_counterexample():
    # z(., 3) = (1/6, 0, 15/6) and z(., 2) = (1, 0): 1/6 + 15/6 * 1/8 < 1/2, while 1/6 + 15/6 * 1/7 > 1/2
    found = is_top_heavy(NormalisedCumulativePrecision((1, 0, 5)), 20, 3)
    assert not found
    assert found.counterexample == ((1, 2, 8), 1)
    assert Fraction(1, 6) + Fraction(15, 6) / 8 < Fraction(1, 2) < Fraction(1, 6) + Fraction(15, 6) / 7
    assert is_top_heavy(NormalisedCumulativePrecision((1, 0, 5)), 7, 3)


def test_top_heaviness_that_only_just_holds_or_fails_is_decided_exactly():
    # With weights (1, 0, w) and p = (1, 2, 8): (1 + 3w/8) / (1 + w) is 1/2 for w = 4.
    assert is_top_heavy(NormalisedCumulativePrecision((1, 0, 4)), 8, 3)
    assert is_top_heavy(NormalisedCumulativePrecision((1, 0, 4.0000000000001)), 8, 3).counterexample == ((1, 2, 8), 1)
    assert is_top_heavy(NormalisedCumulativePrecision((1, 0, 3.9999999999999)), 8, 3)


def test_counterexample_in_exact_arithmetic_may_be_as_small_as_any():
    nearly = Twin(
        lambda k: Fraction(1, k), lambda i, m: Fraction(1) if m == 1 else Fraction(i == m) - Fraction(1, 10**15)
    )
    assert is_top_heavy(nearly, 5, 2).counterexample == ((1, 2), 1)


def test_sizes_of_the_check_are_checked():
    with pytest.raises(InputError, match="m=6"):
        is_top_heavy("AP", 5, 6)


def spec_of(name, n=None, gamma="1/2", k=1000):
    """The examples' names of metrics."""
    specs = {"ap": "AP", "rr": "RR", "ndcg": "binary_nDCG", "rbp": f"RBP(p={float(Fraction(gamma))})"}
    return (specs | {"rp": "RP", "rk": f"R@{k}", "lin": f"linear(n={n})", "linear": f"linear(n={n})"})[name]


def wc_user(p, metric):
    return worst_case(tb.positions([p]), spec_of(metric)).utility.item()


def eta(p, owned):
    """`owned` are the recall levels of one provider; all others are another's."""
    owners = {f"d{i}": "v" if i in owned else "w" for i in range(1, len(p) + 1)}
    return exposures(provider_exposure(tb.positions([p]), owners))["q1"]["v"]


def tse(p, base, n):
    return metric(f"TSE({spec_of(base, n)})").evaluate(tb.positions([p])).item()


def recall_level_metric(p, **arguments):
    return metric(spec_of(arguments.pop("metric"), **arguments)).evaluate(tb.positions([p])).item()


@pytest.mark.parametrize("function", [wc_user, eta, tse, recall_level_metric])
def test_worked_examples_hold(function):
    for arguments, expected in examples_of(function.__name__):
        assert function(**arguments) == pytest.approx(float(Fraction(expected)), rel=0, abs=1e-12)


def test_requests_without_a_relevant_item_have_no_worst_off_user():
    qrels = {"q1": {"a": 1}, "q2": {"a": 0}, "q3": {"b": 1}}
    with pytest.warns(EmptyRequestsWarning):
        positions = tb.project(qrels, [{"q1": {"a": 1.0}}, {"q3": {"b": 1.0}}])
    assert [row.request for row in tb.worst_case(positions, "AP").rows()] == ["q1", "q3"] * 2
