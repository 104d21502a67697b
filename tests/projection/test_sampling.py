"""Samples of labels and requests: their sizes, their chances, and what they may not depend on."""

import numpy as np
import pytest

import tiebreak as tb
from tiebreak import InputError, project, sample_labels, sample_requests
from tiebreak.projection.sampling import number_kept

SIMULATION = tb.simulate(30, systems=["deep", "balanced", "weak"], seed=5)


@pytest.fixture(scope="module")
def positions():
    return project(SIMULATION.judgements, list(SIMULATION.runs.values()))


def labels(positions):
    """The set of (request, item) that are labelled."""
    pairs = zip(positions.layout.request.tolist(), positions.item.tolist(), strict=True)
    return {(positions.requests[q], positions.items[i]) for q, i in pairs}


@pytest.mark.parametrize(
    ("m", "share", "kept"),
    [
        (10, 0.7, 7),
        (10, 0.69, 6),
        (3, 0.1, 1),
        (1, 0.0, 1),
        (100, 0.29, 29),
        (7, 1.0, 7),
        (1000, 0.001, 1),
        (20, 1 - 0.9, 2),
    ],
)
def test_number_kept_is_the_floor_but_at_least_one(m, share, kept):
    assert number_kept(np.array([m]), share).tolist() == [kept]


@pytest.mark.parametrize("by", ["uniform", "runs"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
def test_every_request_keeps_its_share_of_labels(positions, share, by):
    kept = sample_labels(positions, share, seed=1, by=by)
    before, after = (np.bincount(p.layout.request, minlength=30) for p in (positions, kept))
    assert after.tolist() == number_kept(before, share).tolist()
    assert labels(kept) <= labels(positions)


def test_labels_below_min_grade_do_not_count_and_stay():
    positions = project(SIMULATION.judgements, list(SIMULATION.runs.values()), min_grade=2)
    kept = sample_labels(positions, 0.5, seed=1)
    assert (kept.grade < 2).sum() == (positions.grade < 2).sum()
    sizes = [np.bincount(p.layout.request[p.grade >= 2], minlength=30) for p in (positions, kept)]
    expected = np.where(sizes[0] > 0, number_kept(sizes[0], 0.5), 0)
    assert sizes[1].tolist() == expected.tolist()


def test_samples_depend_on_the_seed_and_nothing_else(positions):
    assert labels(sample_labels(positions, 0.5, seed=1)) == labels(sample_labels(positions, 0.5, seed=1))
    assert labels(sample_labels(positions, 0.5, seed=1)) != labels(sample_labels(positions, 0.5, seed=2))
    # The same experiment with requests, items and runs in another order.
    shuffled = {q: dict(reversed(grades.items())) for q, grades in reversed(SIMULATION.judgements.items())}
    other = project(shuffled, list(reversed(SIMULATION.runs.values())))
    for by in ("uniform", "runs"):
        assert labels(sample_labels(positions, 0.5, seed=1, by=by)) == labels(sample_labels(other, 0.5, seed=1, by=by))
    assert set(sample_requests(positions, 0.5, seed=1).requests) == set(sample_requests(other, 0.5, seed=1).requests)


def test_larger_samples_contain_smaller_ones(positions):
    small, large = (labels(sample_labels(positions, share, seed=3)) for share in (0.2, 0.6))
    assert small < large


def test_every_label_is_as_likely_as_any_other():
    positions = project({"q": {f"d{k}": 1 for k in range(10)}}, {"q": {"d0": 1.0}})
    kept = [labels(sample_labels(positions, 0.3, seed=seed)) for seed in range(2000)]
    counts = np.array([sum(("q", f"d{k}") in sample for sample in kept) for k in range(10)])
    # Each is kept with probability 0.3: 600 of 2000, standard deviation sqrt(2000 * 0.3 * 0.7) = 20.5.
    assert np.abs(counts - 600).max() < 5 * 20.5


@pytest.mark.slow
def test_labels_retrieved_by_more_runs_are_kept_in_proportion():
    # Retrieved by 3, 1 and 0 runs: the first is kept with probability 3/4, the second 1/4, the third never.
    runs = [{"q": {"a": 1.0, "b": 0.5}}, {"q": {"a": 1.0}}, {"q": {"a": 1.0}}]
    positions = project({"q": {"a": 1, "b": 1, "c": 1}}, runs)
    kept = [labels(sample_labels(positions, 0.34, seed=seed, by="runs")) for seed in range(2000)]
    counts = [sum(("q", item) in sample for sample in kept) for item in "abc"]
    assert counts[2] == 0
    assert abs(counts[0] - 1500) < 5 * (2000 * 0.75 * 0.25) ** 0.5


def test_labels_that_no_run_retrieves_are_drawn_by_the_seed():
    grades = dict.fromkeys("abcdef", 1)
    for order in (grades, dict(reversed(grades.items()))):
        positions = project({"q": order}, {"q": {"x": 1.0}})
        kept = {frozenset(labels(sample_labels(positions, 0.5, seed=seed, by="runs"))) for seed in range(20)}
        assert len(kept) > 5
    other = project({"q": grades}, {"q": {"x": 1.0}})
    assert labels(sample_labels(positions, 0.5, seed=1, by="runs")) == labels(
        sample_labels(other, 0.5, seed=1, by="runs")
    )


def test_requests_keep_their_order(positions):
    kept = sample_requests(positions, 0.4, seed=1)
    names = list(positions.requests)
    places = [names.index(q) for q in kept.requests]
    assert len(places) == 12 and places == sorted(places)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_share_must_be_a_share(positions, share):
    with pytest.raises(InputError, match="Give a number of at least 0 and at most 1"):
        sample_labels(positions, share, seed=1)


def test_unknown_way_of_sampling_is_refused(positions):
    with pytest.raises(InputError, match="Known: uniform, runs"):
        sample_labels(positions, 0.5, seed=1, by="pool")
