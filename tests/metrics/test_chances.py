"""alpha in proportion to what ratings say of items and users, beta on users' own scales: against functions of users."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiebreak as tb
from examples import examples
from metrics.test_diversity import ASPECTS, ITEMS, scored
from tiebreak.metrics.diversity.alpha_beta_ndcg import AlphaBetaDCG, AlphaBetaNDCG

ratings = st.dictionaries(st.sampled_from(ITEMS), st.integers(1, 5), min_size=1)
tables = st.fixed_dictionaries({item: st.lists(st.sampled_from(ASPECTS), unique=True, min_size=1) for item in ITEMS})
users = st.lists(ratings, min_size=2, max_size=3).map(lambda rated: {f"u{k}": of for k, of in enumerate(rated)})


# Slow twins: of the profile of all users, {user: {item: rating}}


def popularity(profile, user, item):
    counts = {i: sum(i in of for of in profile.values()) for i in ITEMS}
    return counts[item] / max(counts.values())


def mean_rating(profile, user, item):
    given_to = [of[item] for of in profile.values() if item in of]
    return sum(given_to) / len(given_to) / 5 if given_to else 0.0


def profile_size(profile, user, item):
    return len(profile[user]) / max(map(len, profile.values()))


ALPHAS = {"popularity": popularity, "mean_rating": mean_rating, "profile_size": profile_size}


@pytest.mark.parametrize("name", ALPHAS)
@pytest.mark.parametrize("kind", [AlphaBetaDCG, AlphaBetaNDCG])
@settings(max_examples=examples(30))
@given(judged=users, aspects=tables, data=st.data())
def test_alpha_by_an_indicator_is_that_function(name, kind, judged, aspects, data):
    profile = data.draw(st.none() | st.fixed_dictionaries(dict.fromkeys(judged, ratings)))
    runs = [{u: scored(data.draw(st.permutations(ITEMS))[:5]) for u in judged} for _ in range(2)]
    exp = tb.Experiment(judged, runs, aspects=aspects, train=profile)

    def own(user, item):
        return 0.4 * ALPHAS[name](profile or judged, user, item)

    metrics = [kind(0.4, 0.5, 5, alpha_by=name, cutoff=4), kind(own, 0.5, 5, cutoff=4)]
    values = exp.evaluate(metrics).values
    assert values[..., 0].tolist() == [pytest.approx(row, rel=1e-9, abs=1e-12) for row in values[..., 1].tolist()]


@settings(max_examples=examples(50))
@given(judged=users, aspects=tables, data=st.data())
def test_beta_on_a_users_own_scale_is_that_function(judged, aspects, data):
    profile = data.draw(st.none() | st.fixed_dictionaries(dict.fromkeys(judged, ratings)))
    runs = {u: scored(data.draw(st.permutations(ITEMS))[:5]) for u in judged}
    exp = tb.Experiment(judged, runs, aspects=aspects, train=profile)

    def own(user, rating):
        return 0.6 * rating / max([*judged[user].values(), *(profile or judged)[user].values()])

    values = exp.evaluate([AlphaBetaNDCG(0.1, 0.6, beta_by="user", cutoff=4), AlphaBetaNDCG(0.1, own, cutoff=4)]).values
    assert values[0, :, 0].tolist() == pytest.approx(values[0, :, 1].tolist(), rel=1e-9, abs=1e-12)


@settings(max_examples=examples(50))
@given(judged=users, aspects=tables, data=st.data(), factor=st.sampled_from([0.5, 2, 4]))
def test_unit_in_which_a_user_rates_makes_no_difference_on_the_users_own_scale(judged, aspects, data, factor):
    runs = {u: scored(data.draw(st.permutations(ITEMS))[:5]) for u in judged}
    other = judged | {"u0": {item: factor * rating for item, rating in judged["u0"].items()}}
    spec = "alpha_beta_nDCG(beta_by='user')@4"
    before, after = (tb.Experiment(of, runs, aspects=aspects).evaluate(spec).values for of in (judged, other))
    assert before.tolist() == after.tolist()


def test_popular_items_by_hand():
    """C is rated by both users in training, d by one: unrated, they serve war with 0.4 and 0.2."""
    exp = tb.Experiment(
        {"u": {"a": 5}, "v": {"a": 5}},
        [{"u": scored("c"), "v": scored("c")}, {"u": scored("d"), "v": scored("d")}],
        aspects={item: ["war"] for item in "acd"},
        train={"u": {"c": 2}, "v": {"c": 4, "d": 1}},
    )
    values = exp.evaluate("alpha_beta_DCG(alpha=0.4, alpha_by='popularity')@1").values[:, :, 0]
    assert values.tolist() == [[pytest.approx(0.4)] * 2, [pytest.approx(0.2)] * 2]
    # Mean ratings: c (2 + 4) / 2 of 5, d 1 of 5. Sizes: u rated one item, v two.
    values = exp.evaluate("alpha_beta_DCG(alpha=0.5, alpha_by='mean_rating', r_max=5)@1").values[:, :, 0]
    assert values.tolist() == [[pytest.approx(0.5 * 3 / 5)] * 2, [pytest.approx(0.5 * 1 / 5)] * 2]
    values = exp.evaluate("alpha_beta_DCG(alpha=0.5, alpha_by='profile_size')@1").values[:, :, 0]
    assert values.tolist() == [[0.25, 0.5]] * 2


def test_users_own_scale_by_hand():
    """Nobody is more than 4 to this user: an item of 4 serves with all of beta, one of 2 with half of it."""
    exp = tb.Experiment(
        {"u": {"a": 4, "b": 2}}, [{"u": scored("a")}, {"u": scored("b")}], aspects={"a": ["w"], "b": ["w"]}
    )
    values = exp.evaluate(
        ["alpha_beta_DCG(beta=0.8, beta_by='user', r_max=5)@1", "alpha_beta_DCG(beta=0.8, r_max=5)@1"]
    )
    assert values.values[:, 0].tolist() == [pytest.approx([0.8, 0.8 * 4 / 5]), pytest.approx([0.4, 0.8 * 2 / 5])]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"alpha_by": "popular"}, 'Did you mean "popularity"'),
        ({"beta_by": "users"}, 'Did you mean "user"'),
        (
            {"alpha": lambda user, item: 0.1, "alpha_by": "popularity"},
            "alpha_by='popularity' is for a number. Give alpha",
        ),
        ({"beta": "math:pow", "beta_by": "user"}, "beta_by='user' is for a number. Give beta"),
    ],
)
def test_what_cannot_be_meant_is_refused(options, words):
    with pytest.raises(tb.InputError) as refusal:
        AlphaBetaNDCG(**options, cutoff=2)
    assert words in str(refusal.value)
