"""The ideal ordering on MovieLens: what the paper on alpha-beta-nDCG finds, confirmed or not.

Nothing here is a printed number; what the tests hold is that findings in `docs/ideal.md` stay what they are.
"""

from itertools import pairwise

import pytest

import tiebreak as tb

BETAS = (0.1, 0.5, 0.9)


@pytest.fixture(scope="module")
def given(data):
    return data / "ml-small" / "qrels.stars.txt", data / "ml-small" / "item_genres.tsv"


def means(actual, perturbation):
    by_measure = {}
    for row in actual.records():
        if row["perturbation"] == perturbation:
            by_measure.setdefault(row["measure"], []).append((row["mean"], row["users"]))
    return by_measure


def test_alpha_beta_ndcg_falls_with_every_swap_of_the_same_users(given):
    """AB Fig 1: of the 446 users with ten ratings, for every beta."""
    specs = [f"alpha_beta_nDCG(beta={beta})@10" for beta in BETAS]
    actual = tb.studies.ideal(*given, None, "values", specs, cutoff=10, jobs=2)
    for points in means(actual, "bottom to top").values():
        assert [users for _, users in points] == [446] * 6
        assert all(before[0] >= after[0] for before, after in pairwise(points))


def test_alpha_beta_ndcg_rises_where_points_differ_in_their_users(given):
    """From 581 users to 510 and 446 the mean rises: those with longer lists lose less by a swap."""
    actual = tb.studies.ideal(*given, None, "values", "alpha_beta_nDCG@10", cutoff=10, users="reached", jobs=2)
    (points,) = means(actual, "bottom to top").values()
    assert [users for _, users in points] == [671, 671, 671, 581, 510, 446]
    assert points[5][0] > points[4][0] > points[3][0]


def test_every_perturbation_of_alpha_beta_ndcg_is_told_apart(given):
    rows = tb.studies.ideal(*given, None, "significance", "alpha_beta_nDCG@10", cutoff=10, jobs=2).records()
    swapped = [row["pvalue"] for row in rows if row["perturbation"] == "swapped aspects"]
    assert len(swapped) == 10 and max(swapped) < 0.001


def test_alpha_beta_ndcg_falls_with_the_training_ratings_as_profile(data, given):
    """AB Fig 1 as docs/ideal.md has it."""
    actual = tb.studies.ideal(
        *given, data / "ml-small" / "train.tsv.gz", "values", "alpha_beta_nDCG@10", cutoff=10, jobs=2
    )
    (points,) = means(actual, "bottom to top").values()
    values = [mean for mean, _ in points]
    assert values == sorted(values, reverse=True) and [round(value, 4) for value in values[:2]] == [0.9471, 0.8405]


def test_order_of_systems_with_the_training_ratings_as_profile(data, given):
    """AB Fig 2 as docs/ideal.md has it: NRBP is weaker on swapped aspects, EU on redundant ones."""
    rows = tb.studies.ideal(*given, data / "ml-small" / "train.tsv.gz", jobs=2).records()
    tau = {(row["perturbation"], row["measure"].partition("(")[0].partition("@")[0]): row["tau"] for row in rows}
    assert tau["swapped aspects", "NRBP"] < 0.9 and tau["swapped aspects", "alpha_beta_nDCG"] == 1
    assert tau["redundant aspect", "EU"] < tau["redundant aspect", "alpha_beta_nDCG"] == 1
    assert all(tau["bottom to top", name] > 0.97 for name in ("alpha_beta_nDCG", "NRBP", "EU", "RBU"))


def test_order_of_systems_stays_where_ratings_are_removed_if_shuffles_are_shared(given):
    """AB Fig 4 as docs/ideal.md has it, with few removals: only permutations of ranks keep their order."""
    how = {"view": "robustness", "measures": "alpha_beta_nDCG@10", "removals": 3, "shares": [0.1, 0.5], "jobs": 2}
    tau = {
        shuffle: [row["tau"] for row in tb.studies.ideal(*given, **how, shuffle=shuffle).records()]
        for shuffle in ("shared", "own")
    }
    assert tau["shared"][0] > 0.85 and tau["shared"][1] > 0.7
    assert tau["own"][0] < 0.6 and tau["own"][1] < 0.35
