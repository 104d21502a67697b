"""Priority tiers of groups: by hand, against a slow twin, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from populations import slow
from populations.tables import binary_values

# Subscribers (p, q): a and b have a mean of 0.5, c of 0.4. Others (r, s): a 0.2, b 0.3, c 1.
TABLE = {
    "a": {"p": 1.0, "q": 0.0, "r": 0.2, "s": 0.2},
    "b": {"p": 0.5, "q": 0.5, "r": 0.6, "s": 0.0},
    "c": {"p": 0.4, "q": 0.4, "r": 1.0, "s": 1.0},
}
GROUPS = {"p": "paid", "q": "paid", "r": "free", "s": "trial"}


def utilities(**more):
    return tb.Utilities(TABLE, **({"groups": GROUPS} | more))


def test_later_tiers_decide_only_where_earlier_ones_tie():
    result = utilities()
    assert result.order("mean", tiers=["paid"]).ranking() == ["b", "a", "c"]
    # Without tiers c is best: its mean is 0.7, that of the groups (0.4 + 1 + 1) / 3.
    assert result.order("mean").ranking()[0] == "c"
    # The worst of free and trial: a 0.2, b 0, c 1; then of those who pay: a 0.
    assert result.order("min", tiers=["free", "trial", "paid"]).ranking() == ["c", "b", "a"]


def test_scores_are_the_number_of_runs_below_and_notes_name_the_tiers():
    order = utilities().order("mean", tiers=["paid", "trial"])
    assert order.scores.tolist() == [2.0, 1.0, 0.0]
    text = " ".join(order.notes)
    assert "Tiers by priority: paid (2 requests), trial (1 request), all other groups (1 request)." in text


TIERS = st.integers(2, 6).flatmap(
    lambda n: st.tuples(
        st.lists(st.lists(binary_values, min_size=n, max_size=n), min_size=2, max_size=4),
        st.lists(st.sampled_from("xyz"), min_size=n, max_size=n),
    )
)


@given(TIERS, st.permutations("xyz"), st.sampled_from(["mean", "min", "leximin"]))
def test_tiers_are_compared_one_after_another(case, priority, by):
    rows, groups = case
    tiers = [group for group in priority if group in groups]
    table = {f"run{r}": {f"q{q}": float(u) for q, u in enumerate(row)} for r, row in enumerate(rows)}
    order = tb.Utilities(table, groups={f"q{q}": group for q, group in enumerate(groups)}).order(by, tiers=tiers)
    pair = {"mean": slow.by_mean, "min": lambda x, y: slow.sign(min(x) - min(y)), "leximin": slow.leximin}[by]

    def prefers(x, y):
        for tier in tiers:
            places = [q for q, group in enumerate(groups) if group == tier]
            if sign := pair([x[q] for q in places], [y[q] for q in places]):
                return sign
        return 0

    assert order.ranks.tolist() == slow.ranks(rows, prefers)


def test_one_tier_of_all_requests_is_no_tier():
    plain = tb.Utilities(TABLE)
    one = tb.Utilities(TABLE, groups=dict.fromkeys(GROUPS, "all"))
    for by in ("mean", "leximin", "gmean"):
        assert one.order(by, tiers=["all"]).ranks.tolist() == plain.order(by).ranks.tolist()


def test_weights_count_within_a_tier():
    weighted = utilities(weights={"p": 3, "q": 1, "r": 1, "s": 1})
    # 3/4 of a, 1/2 of b: a is first.
    assert weighted.order("mean", tiers=["paid"]).ranking() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("tiers", "message"),
    [
        (["payed"], 'unknown group "payed". Did you mean "paid"'),
        (["paid", "paid"], "the tier paid was given twice"),
        ([], "no tier was given"),
    ],
)
def test_bad_tiers_are_refused(tiers, message):
    with pytest.raises(tb.InputError) as caught:
        utilities().order("mean", tiers=tiers)
    assert message in str(caught.value)


def test_tiers_are_named_as_groups_are():
    """By text or an integer; one alone need not be in a list."""
    result = tb.Utilities(TABLE, groups={request: 1 if request == "q" else 2 for request in TABLE["a"]})
    expected = result.order("mean", tiers=["2"]).ranks.tolist()
    for tiers in ([2], 2, "2", (2,)):
        assert result.order("mean", tiers=tiers).ranks.tolist() == expected
    for tiers in ([None], 1.5, [b"2"]):
        with pytest.raises(tb.InputError, match="Ids are text or integers"):
            result.order("mean", tiers=tiers)


def test_tiers_need_groups():
    with pytest.raises(tb.InputError, match="these utilities have no groups"):
        tb.Utilities(TABLE).order("mean", tiers=["paid"])


def test_population_that_needs_more_requests_than_a_tier_has_is_refused():
    with pytest.raises(tb.InputError, match="At least 4 are needed"):
        utilities().order("auc4", tiers=["paid"])
