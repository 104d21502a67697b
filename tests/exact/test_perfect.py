"""The maximum of a bounded measure is reached exactly, and never passed."""

import numpy as np
import pytest

import tiebreak as tb
from tiebreak.inputs import Ids
from tiebreak.metrics import metric
from tiebreak.projection.levels import Bucket, Levels

BOUNDED = (
    "AP",
    "AP@5000",
    "RR",
    "binary_nDCG",
    "binary_nDCG@100",
    "R",
    "RP",
    "P@1",
    "Success@1",
    "NCP",
    "NCP(weights='inverse')",
    "NCP(weights='dcg')",
    "NCP(weights='0.3,0.2,0.1')",
)
SOME_SIZES = (*range(1, 30), 59, 97, 128, 211, 577, 2000)


def perfect(sizes):
    """One run whose relevant items stand above all others, in a request of every size."""
    buckets = tuple(
        Bucket(m, np.array([place]), np.arange(1, m + 1, dtype=np.int32)[None, None]) for place, m in enumerate(sizes)
    )
    return Levels(("run",), Ids.from_names(map(str, sizes)), np.array([sizes], dtype=np.int32), buckets)


@pytest.mark.parametrize("sizes", [SOME_SIZES, pytest.param(range(1, 2001), marks=pytest.mark.slow)])
@pytest.mark.parametrize("spec", BOUNDED)
def test_a_perfect_ranking_of_up_to_2000_items_is_exactly_1(spec, sizes):
    assert (metric(spec).level_values(perfect(sizes if "dcg" not in spec else SOME_SIZES)).nearest == 1).all()


GRADED = (
    "nDCG",
    "nDCG@10",
    "nDCG(gain='exp')",
    "bpref",
    "alpha_nDCG@2000",
    "nERR_IA@2000",
    "nNRBP",
    "STREC@2000",
)


@pytest.fixture(scope="module", params=[SOME_SIZES[:-2], pytest.param(SOME_SIZES[-2:], marks=pytest.mark.slow)])
def ideal(request):
    """Rankings in the order of grades, the items of which have two of three subtopics in turn."""
    rng = np.random.default_rng(1)
    judged, ranked = {}, {}
    for m in request.param:
        grades = sorted((rng.integers(1, 4, m) * 0.1).round(1).tolist(), reverse=True)
        items = [f"d{place:04}" for place in range(m)]
        judged[f"q{m}"] = {
            item: {"ab"[place % 2]: g} for place, (item, g) in enumerate(zip(items, grades, strict=True))
        }
        judged[f"q{m}"] |= {"x": {"a": 0.0}}
        ranked[f"q{m}"] = {item: float(m - place) for place, item in enumerate(items)}
    return tb.Experiment(judged, ranked)


@pytest.mark.parametrize("spec", GRADED)
def test_an_ideal_order_of_graded_items_is_exactly_1(ideal, spec):
    assert (ideal.evaluate(spec).values == 1).all()


@pytest.mark.parametrize("spec", ["AP", "binary_nDCG", "R@30", "RP", "NCP(weights='inverse')", "RBP(p=0.9)"])
def test_nothing_exceeds_1(spec):
    rng = np.random.default_rng(0)
    for m in SOME_SIZES[:-3]:
        near_perfect = np.sort(rng.permuted(np.tile(np.arange(1, m + 3), (200, 1)), axis=1)[:, :m], axis=1)
        assert metric(spec).score(near_perfect.astype(np.int32)[None]).max() <= 1
