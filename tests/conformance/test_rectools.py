"""The same numbers beside accuracy as RecTools: novelty, catalogue coverage, intra-list diversity."""

import warnings

import numpy as np
import pytest

from metrics.test_shown_items import experiment, random_case

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    rectools = pytest.importorskip("rectools.metrics")
pd = pytest.importorskip("pandas")
pytestmark = pytest.mark.filterwarnings("ignore")


class Jaccard(rectools.PairwiseDistanceCalculator):
    """Jaccard's distance of the aspects of items."""

    def __init__(self, aspects):
        self.aspects = aspects

    def _get_distances_for_item_pairs(self, items_0, items_1):
        sets = [({*self.aspects[x]}, {*self.aspects[y]}) for x, y in zip(items_0, items_1, strict=True)]
        return np.array([1 - len(x & y) / len(x | y) if x | y else 0.0 for x, y in sets])


def frame(rankings):
    rows = [(user, item, k) for user, items in rankings.items() for k, item in enumerate(items, start=1)]
    return pd.DataFrame(rows, columns=["user_id", "item_id", "rank"])


@pytest.mark.parametrize("seed", range(5))
def test_equal_to_rectools(seed):
    train, runs, aspects = random_case(seed)
    scores = experiment(train, runs, aspects).evaluate(["Novelty@4", "ILD@4", "Coverage(n=14)@4"])
    seen = [(user, item) for user, of_user in train.items() for item, rating in of_user.items() if rating > 0]
    seen = pd.DataFrame(seen, columns=["user_id", "item_id"])
    for r, rankings in enumerate(runs):
        shown = frame(rankings)
        novelty = rectools.MeanInvUserFreq(k=4).calc_per_user(shown, seen)
        distance = rectools.IntraListDiversity(k=4, distance_calculator=Jaccard(aspects)).calc_per_user(shown)
        for q, user in enumerate(scores.requests):
            assert scores.values[r, q, 0] == pytest.approx(novelty[user], abs=1e-9)
            assert scores.values[r, q, 1] == pytest.approx(distance[user], abs=1e-9)
        share = rectools.CatalogCoverage(k=4, normalize=True).calc(shown, range(14))
        assert scores.mean[r, 2] == pytest.approx(share, abs=1e-9)
