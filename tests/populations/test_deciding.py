"""What decides between neighbours of an order: by hand, and against slow twins in fractions."""

import pickle
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tiebreak as tb
from populations.tables import binary_values, exact_values, pairs, signed_values, table_of, tables
from populations.test_exactness import SQUARES, utilities
from populations.test_tiers import utilities as tiered
from tiebreak.populations import population
from tiebreak.populations.deciding import Decision, deciding_places

# Sorted: a 0 0.2 0.9, b 0 0.2 0.5, c 0 0 1, d as b.
ROWS = [[0.9, 0, 0.2], [0.5, 0.2, 0], [0, 1, 0], [0.2, 0.5, 0]]


def facts(order, *names):
    """By run some of the columns."""
    return {record["run"]: tuple(record[name] for name in names) for record in order.records()}


def test_order_by_leximin_tells_what_decided_by_hand():
    order = utilities(ROWS).order("leximin")
    assert order.ranking() == ["a", "b", "d", "c"]
    # The worst tie at 0; the second worst of a and b tie at 0.2, the third differ: 0.9 of q0, 0.5 of q0. Of b and c the
    # second worst differ, 0.2 of q1 and 0 of q2. d ties with b, so it is compared with c, too.
    assert facts(order, "place", "request", "value", "next_request", "next_value") == {
        "a": (3, "q0", 0.9, "q0", 0.5),
        "b": (2, "q1", 0.2, "q2", 0.0),
        "d": (2, "q0", 0.2, "q2", 0.0),
        "c": (None,) * 5,
    }
    # One request of a, b and d is 0, two of c; three runs have one.
    assert facts(order, "zeros", "zeros_tied") == {"a": (1, 3), "b": (1, 3), "d": (1, 3), "c": (2, 1)}


def test_mean_and_cvar_stand_beside_every_population_by_hand():
    # The worst 10% of three requests are 0.3 of the worst one, which is 0; of e (0.1 0.2 0.3) it is 0.1.
    for by in ("leximin", "gmean", "georisk"):
        order = utilities([*ROWS[:1], [0.1, 0.2, 0.3]]).order(by)
        expected = {"a": (pytest.approx((0.9 + 0 + 0.2) / 3), 0), "b": (pytest.approx(0.2), 0.1)}
        assert facts(order, "mean", "cvar") == expected
    weighted = utilities(ROWS, weights={"q0": 1, "q1": 0, "q2": 1}).order("mean")
    assert facts(weighted, "mean")["a"] == (0.55,) and "cvar" not in weighted.columns  # which takes no weights


def test_number_of_all_requests_has_no_deciding_request():
    assert utilities(ROWS).order("mean").columns[-4:] == ("mean", "cvar", "zeros", "zeros_tied")
    assert "zeros" not in utilities([[1, 2], [2, 3]]).order("mean").columns


def test_worst_and_best_request_decide_where_they_are_the_number():
    rows = [[0.9, 0.3], [0.5, 0.2]]
    assert facts(utilities(rows).order("min"), "place", "request", "value", "next_value")["a"] == (1, "q1", 0.3, 0.2)
    assert facts(utilities(rows).order("max"), "place", "request", "value", "next_value")["a"] == (2, "q0", 0.9, 0.5)


def test_windows_have_sums_and_no_request():
    # Sorted 0.1 0.4 0.5 and 0.2 0.3 0.7: sums of two 0.5 0.9 and 0.5 1.0.
    order = utilities([[0.4, 0.5, 0.1], [0.7, 0.2, 0.3]]).order("smoothed_leximin(lag=2)")
    assert facts(order, "place", "value", "next_value")["b"] == (2, 1.0, 0.9)
    assert "request" not in order.columns
    # Rounded, 0 0 0 and 0 0 1: the sums are of what was rounded.
    order = utilities([[0.4, 0.5, 0.1], [0.7, 0.2, 0.3]]).order("smoothed_leximin(lag=2, digits=0)")
    assert facts(order, "place", "value", "next_value")["b"] == (2, 1.0, 0.0)


def test_values_that_are_equal_as_real_numbers_decide_nothing():
    assert list(deciding_places(population("leximin"), SQUARES.utilities("nDCG").table, [(0, 1)])) == [None]
    assert "place" not in SQUARES.order("leximin(nDCG)").columns


def test_tier_and_its_numbers_are_told_by_hand():
    # Of those who pay a and b have a mean of 0.5, c of 0.4; of the others a 0.2 and b 0.3.
    order = tiered().order("mean", tiers=["paid"])
    assert facts(order, "tier", "value", "next_value") == {
        "b": ("all other groups", pytest.approx(0.3), pytest.approx(0.2)),
        "a": ("paid", 0.5, 0.4),
        "c": (None, None, None),
    }
    # By leximin the worst who pays decides, q: 0.5 of b, 0.4 of c, 0 of a.
    order = tiered().order("leximin", tiers=["paid", "free"])
    assert facts(order, "tier", "place", "request", "value", "next_value") == {
        "b": ("paid", 1, "p", 0.5, 0.4),
        "c": ("paid", 1, "p", 0.4, 0.0),
        "a": (None,) * 5,
    }
    assert pickle.loads(pickle.dumps(order)).rows() == order.rows()


# Slow twins


def places(row):
    """Utilities in increasing order with their requests, equal ones by name."""
    return sorted((u, f"q{q}") for q, u in enumerate(row))


def first(x, y):
    return next((k for k, (a, b) in enumerate(zip(x, y, strict=True)) if a != b), None)


def leximin_twin(x, y):
    k = first(sorted(x), sorted(y))
    return None if k is None else at(x, y, k)


def leximax_twin(x, y):
    k = first(sorted(x)[::-1], sorted(y)[::-1])
    return None if k is None else at(x, y, len(x) - 1 - k)


def rounded_twin(x, y):
    k = first(*(sorted(round(u * 10) for u in row) for row in (x, y)))
    return None if k is None else at(x, y, k)


def at(x, y, k):
    (a, q), (b, r) = places(x)[k], places(y)[k]
    return Decision(k + 1, q, float(a), r, float(b))


def smoothed_twin(x, y):
    sums = [[sum(pair) for pair in zip(sorted(row), sorted(row)[1:], strict=False)] for row in (x, y)]
    k = first(*sums)
    return None if k is None else Decision(k + 1, None, float(sums[0][k]), None, float(sums[1][k]))


TWINS = {
    "leximin": leximin_twin,
    "leximax": leximax_twin,
    "leximin(digits=1)": rounded_twin,
    "smoothed_leximin(lag=1)": leximin_twin,
    "smoothed_leximin(lag=2)": smoothed_twin,
    "min": lambda x, y: None if min(x) == min(y) else at(x, y, 0),
    "max": lambda x, y: None if max(x) == max(y) else at(x, y, len(x) - 1),
    "mean": lambda x, y: None,
}


@pytest.mark.parametrize("spec", TWINS)
@given(pairs(st.one_of(exact_values, binary_values, signed_values), requests=(2, 9)))
@example([[Fraction(1, 3), Fraction(2, 3)], [Fraction(2, 3), Fraction(1, 3)]])
def test_deciding_places_are_those_of_the_twin(spec, rows):
    actual = deciding_places(population(spec), table_of(rows, exact=True), [(0, 1), (1, 0)])
    assert list(actual) == [TWINS[spec](*rows), TWINS[spec](*rows[::-1])]


@pytest.mark.parametrize("spec", ["leximin", "leximax", "smoothed_leximin(lag=2)", "min", "max"])
@given(tables(binary_values, (2, 5), (2, 7)))
def test_run_above_is_better_where_it_was_decided(spec, rows):
    order = utilities(rows).order(spec)
    last = max(order.ranks)
    for record in order.records():
        if record["rank"] == last:
            assert record.get("place") is None
        else:
            assert record["value"] > record["next_value"]


def test_many_requests_are_followed_to_the_first_difference():
    # 5,000 that tie, in several blocks; then 1 and 2.
    rows = [[0.0] * 5000 + [1.0], [0.0] * 5000 + [2.0]]
    order = utilities(rows).order("leximin")
    assert facts(order, "place", "request", "value", "next_value")["b"] == (5001, "q5000", 2.0, 1.0)


def test_what_decided_is_computed_when_it_is_looked_at_and_pickled_without_the_utilities():
    order = utilities([[0.5] * 20_000, [0.25] * 20_000]).order("leximin")
    assert order.ranking() == ["a", "b"] and "facts" not in vars(order)
    pickled = pickle.dumps(order)
    assert len(pickled) < 10_000 and pickle.loads(pickled).rows() == order.rows()


def test_copy_from_a_pickle_takes_intervals_as_the_order_does():
    table = utilities(ROWS)
    boot, order = table.bootstrap("leximin", resamples=20), table.order("leximin")
    copy = boot.add_to(pickle.loads(pickle.dumps(order)))
    assert str(copy.table()) == str(boot.add_to(order).table())
    assert not {"known_facts", "also", "next_below", "more_values"} & {*dir(order)}


def test_values_that_decide_are_seen_to_differ():
    """As many digits as it takes, also of a sentence."""
    table = utilities([[0.25, 1], [0.250001, 1]])
    first, last = table.order("leximin").table().rows
    assert first[-3:-1] == ("0.250001", "0.250000") and last[-3:-1] == ("-", "-")
    assert "decides: 0.250001 (q0) against 0.250000 (q0)" in table.explain("b", "a", "leximin").notes[1]
    assert "0.6250005 of b against 0.6250000 of a" in table.explain("b", "a", "mean").notes[0]


def test_explain_and_order_tell_the_same():
    qrels = {q: {"x": 1, "y": 1} for q in "qrs"}
    runs = {
        "one": {"q": {"x": 2.0, "y": 1.0}, "r": {"z": 1.0}, "s": {"z": 2.0, "x": 1.0}},
        "two": {"q": {"x": 2.0, "y": 1.0}, "r": {"x": 2.0}, "s": {"z": 1.0}},
    }
    exp = tb.Experiment(qrels, runs)
    record = next(exp.order("leximin(AP)").records())
    assert record["run"] == "two"
    place, q, value, r, other = (record[name] for name in ("place", "request", "value", "next_request", "next_value"))
    sentence = f"Place {place} from the worst decides: {value:.4f} ({q}) against {other:.4f} ({r}); all before it tie."
    assert exp.explain("two", "one", measure="leximin(AP)").notes[1] == sentence
