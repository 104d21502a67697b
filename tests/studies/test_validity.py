"""Leximin against the mean and its relatives: rows worked out by hand."""

import math

import pytest

import tiebreak as tb
from tiebreak.studies import validity

# Leximin: c (0.2), a (0.1), b and d (0; then 0.9 against 0.2). Means: b 0.5, a 0.45, c 0.2, d 0.1.
TABLE = {
    "a": {"q1": 0.1, "q2": 0.8},
    "b": {"q1": 0.0, "q2": 1.0},
    "c": {"q1": 0.2, "q2": 0.2},
    "d": {"q1": 0.0, "q2": 0.2},
}
"""There are fewer than four requests."""


@pytest.fixture
def utilities():
    return tb.Utilities(TABLE)


def test_orders_are_as_worked_out(utilities):
    assert utilities.order("leximin").ranking() == ["c", "a", "b", "d"]
    assert utilities.order("mean").ranking() == ["b", "a", "c", "d"]


def test_agreement_with_leximin(utilities):
    actual = validity(utilities, populations=["min", "mean", "leximax", "positive"])
    # min ties b and d: of six pairs five agree and one ties, 5 / sqrt(6 x 5). mean and leximin disagree on the pairs of
    # a, b and c: (3 - 3) / 6. leximax: b, a, then c before d by the second, as the mean. positive: a and c tie, and b
    # and d, below them.
    assert actual.to_dict()["rows"] == [
        {"population": "min", "tau_b": pytest.approx(5 / 30**0.5), "tied": 2},
        {"population": "mean", "tau_b": 0, "tied": 0},
        {"population": "leximax", "tau_b": 0, "tied": 0},
        {"population": "positive", "tau_b": pytest.approx(4 / (6 * 4) ** 0.5), "tied": 4},
    ]


def test_another_order_can_be_put_beside(utilities):
    other = utilities.order("min")
    assert validity(utilities, populations=[other]).rows()[0][0] == "min(utility)"


def test_smoothing_goes_from_leximin_to_the_mean(utilities):
    actual = validity(utilities, view="smoothing")
    assert actual.rows() == ((1, "leximin", 1.0), (1, "mean", 0.0), (2, "leximin", 0.0), (2, "mean", 1.0))
    assert "at lag 2 of 2" in actual.conclusion


def test_lags_are_checked(utilities):
    for lags in ([0], [3], [], [True]):
        with pytest.raises(tb.InputError, match=r"from 1 to 2|no lag was given"):
            validity(utilities, view="smoothing", lags=lags)


def test_movement_is_classed_by_quintiles():
    # Ten runs, a fifth is two ranks. The mean orders r0, r1, ...; leximin puts r9 first, whose worst request is best.
    table = {f"r{k}": {"q1": 0.0 if k < 9 else 0.01, "q2": 1 - k / 10} for k in range(10)}
    rows = {row.run: row for row in validity(tb.Utilities(table), view="movement").rows()}
    assert (rows["r9"].mean, rows["r9"].leximin, rows["r9"].change, rows["r9"].quintiles) == (10, 1, 9, 2)
    assert {rows[f"r{k}"][1:] for k in range(9)} == {(k + 1, k + 2, -1, 0) for k in range(9)}


def test_move_of_a_whole_quintile_is_the_next_class():
    # Five runs, a fifth is one rank: a swap of neighbours moves each by one quintile.
    table = {f"r{k}": {"q1": 0.1 if k == 1 else 0.05 * (k == 0), "q2": 1 - k / 10} for k in range(5)}
    rows = {row.run: row for row in validity(tb.Utilities(table), view="movement").rows()}
    assert rows["r0"].change == -1 and rows["r0"].quintiles == 1
    assert rows["r4"].quintiles == 0


def test_discriminant_validity_by_measure(utilities):
    # min ties b and d: 5 / sqrt(30); the mean: 0, as above. As costs, the worst are a -0.8, b -1, c -0.2 and d -0.2;
    # d is better than c by its other request. min ties c and d; the means, -0.1, -0.2, -0.45, -0.5, order as leximin.
    costs = tb.Utilities(TABLE, lower_is_better=True, measure="cost")
    assert costs.order("leximin").ranking() == ["d", "c", "a", "b"]
    actual = validity([utilities, costs], view="discriminant", pessimistic=["min"], others=["mean"])
    assert actual.columns == ("measure", "validity", "population", "tau_b", "tied")
    assert actual.rows() == (
        ("utility", "convergent", "min", pytest.approx(5 / 30**0.5), 2),
        ("utility", "discriminant", "mean", 0.0, 0),
        ("cost", "convergent", "min", pytest.approx(5 / 30**0.5), 2),
        ("cost", "discriminant", "mean", 1.0, 0),
    )
    assert "is pessimistic for 1 of 2 measures, and the farthest is not for 1." in actual.conclusion


def test_population_that_ties_all_runs_speaks_for_nothing():
    # By min all runs tie, so its tau_b is none; the mean is the nearest and the farthest of those left.
    flat = tb.Utilities({"a": {"p": 0, "q": 1}, "b": {"p": 0, "q": 2}})
    actual = validity(flat, view="discriminant", pessimistic=["min"], others=["mean"])
    assert "is pessimistic for 0 of 1 measure, and the farthest is not for 1." in actual.conclusion
    assert (
        "Nearest to leximin is mean, tau_b 1.000; min ties most, 2 runs."
        in validity(flat, populations=["min", "mean"]).conclusion
    )


def test_conclusions_name_all_that_are_equal():
    # By leximin, the mean, the maximum and the minimum a is better than b, which is better than c.
    chain = tb.Utilities({"a": {"p": 3, "q": 3}, "b": {"p": 2, "q": 2}, "c": {"p": 1, "q": 1}})
    assert (
        validity(chain, populations=["min", "mean", "max"]).conclusion
        == "Nearest to leximin are min, mean, max, tau_b 1.000; none ties any runs."
    )
    actual = validity(chain, view="discriminant", pessimistic=["min"], others=["mean"])
    assert actual.conclusion == (
        "The population closest to leximin is pessimistic for 0 of 1 measure, and the farthest is not for 0. "
        "Pessimistic ones and others are equally close for 1, equally far for 1."
    )
    # The minimum and the maximum tie two runs each, the mean none.
    some = tb.Utilities({"a": {"p": 0, "q": 1}, "b": {"p": 0, "q": 2}, "c": {"p": 1, "q": 2}})
    assert validity(some, populations=["min", "max", "mean"]).conclusion.endswith("; min, max tie most, 2 runs each.")


def test_summary_counts_what_moves():
    table = {f"r{k}": {"q1": 0.0 if k < 9 else 0.01, "q2": 1 - k / 10} for k in range(10)}
    actual = validity(tb.Utilities(table), view="movement")
    assert actual.conclusion == "1 of 10 runs move by a quintile or more, 1 by two or more."


def test_what_cannot_be_meant_is_refused(utilities):
    with pytest.raises(tb.errors.UnknownNameError, match=r"unknown value for view .smooth.*smoothing"):
        validity(utilities, view="smooth")
    with pytest.raises(tb.InputError, match=r"2 utilities. Give one; several only for view='discriminant'."):
        validity([utilities, utilities])
    with pytest.raises(tb.InputError, match="no population was given"):
        validity(utilities, populations=[])


def test_population_that_needs_more_requests_has_no_number():
    result = tb.Utilities({"a": {"p": 0.5, "q": 0.5}, "b": {"p": 1, "q": 0.25}, "c": {"p": 0, "q": 0}})
    by_name = {row[0]: row for row in validity(result).rows()}
    assert math.isnan(by_name["auc4"][1]) and by_name["mean"][1] == pytest.approx(1 / 3)


def test_one_run_is_refused():
    with pytest.raises(tb.InputError, match="at least two runs"):
        validity(tb.Utilities({"a": {"p": 0.5, "q": 0.5}}))


# Weights and groups


def test_weights_are_for_populations_that_take_them():
    weights = {"q1": 9, "q2": 1}
    weighted = tb.Utilities(TABLE, weights=weights)
    study = validity(weighted, populations=["mean", "min"])
    # Means of a 0.9 + 0.8, b 1, c 1.8 + 0.2, d 0.2 of 10: c, a, b, d, as leximin; the minimum takes no weights.
    assert study.rows() == (("mean", 1.0, 0), ("min", pytest.approx(5 / 30**0.5), 2))
    assert any("others, such as leximin, count every request once" in note for note in study.notes)
    ranks = {row.run: (row.mean, row.leximin) for row in validity(weighted, "movement").rows()}
    assert ranks == {"c": (1, 1), "a": (2, 2), "b": (3, 3), "d": (4, 4)}
    # With lag 2 smoothed leximin is the plain mean: b, a, c, d.
    assert validity(weighted, "smoothing", lags=2).rows() == ((2, "leximin", 0.0), (2, "mean", 0.0))


def test_groups_are_ordered_by_their_means():
    table = {run: row | {"q3": row["q1"]} for run, row in TABLE.items()}
    grouped = tb.Utilities(table, groups={"q1": "x", "q3": "x", "q2": "y"})
    # The means of q1 and q3 are those of q1 alone.
    for view in ("populations", "movement", "smoothing"):
        assert validity(grouped, view).rows() == validity(tb.Utilities(TABLE), view).rows()
    study = validity(grouped, "smoothing")
    assert "at lag 2 of 2" in study.conclusion and "Orders are over the means of 2 groups." in study.notes


def test_weights_count_within_groups():
    grouped = tb.Utilities(TABLE, groups={"q1": "x", "q2": "x"}, weights={"q1": 9, "q2": 1})
    # One group: leximin and the minimum are the weighted mean.
    assert validity(grouped, populations=["mean", "min"]).rows() == (("mean", 1.0, 0), ("min", 1.0, 0))


def test_populations_between_the_mean_and_leximin(utilities):
    # Worst and best: a 0.1 0.8, b 0 1, c 0.2 0.2, d 0 0.2. Weighted 9 to 1: 1.7, 1, 2, 0.2 of 10, as leximin;
    # 3 to 1, the Gini welfare: 1.1, 1, 0.8, 0.2 of 4: a, b, c, d, which turns two pairs.
    study = validity(utilities, populations=["owa(weights='9,1')", "gini_welfare"])
    assert study.rows() == (("owa(weights='9,1')", 1.0, 0), ("gini_welfare", pytest.approx((4 - 2) / 6), 0))
