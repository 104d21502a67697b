"""Groups of requests whose values are not kept: sums of every group are those of its values, for any blocks."""

from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest

import tiebreak as tb
from engines.parity import BY_REQUEST, PAIRWISE, experiment, make_input, outcome
from tiebreak.engines import MetricValues, group_totals
from tiebreak.engines.totals import MetricSums
from tiebreak.orderings import CATALOGUE as METHODS

EXPERIMENTS = {size: experiment(size) for size in (None, 17, 4, 1)}
WHOLE = EXPERIMENTS[None]
SIZES = pytest.mark.parametrize("size", EXPERIMENTS, ids=["whole", "one block", "several", "of one request"])
GROUPS = {request: ["b", "a", "c"][k % 3] for k, request in enumerate(make_input()[0])}
CLOSE = {"rtol": 1e-12, "atol": 1e-300}
pytestmark = pytest.mark.filterwarnings("ignore::tiebreak.errors.TiebreakWarning")


@lru_cache(1)  # the sizes of blocks follow one another
def kept_scores(measure):
    return outcome(lambda: WHOLE.evaluate([measure, "P@7"]).by_group(GROUPS))[0]


@pytest.mark.one_in(3)
@SIZES
@pytest.mark.parametrize("measure", [*BY_REQUEST, "gm(AP)", "gm(nDCG@3)"])
def test_scores_of_groups_are_those_of_values(size, measure):
    kept = kept_scores(measure)
    sums, _ = outcome(lambda: EXPERIMENTS[size].evaluate([measure, "P@7"], per_request=False).by_group(GROUPS))
    result, expected = sums.summary(), kept.summary()
    assert list(sums.parts) == list(kept.parts) == ["b", "a", "c"]
    assert repr(result.rows()) == repr(expected.rows()) and result.notes == expected.notes
    assert result.sizes == expected.sizes
    for group, part in sums.parts.items():
        assert part.summary().best == kept[group].summary().best
        for mean, known in zip(part.intervals().values, kept[group].intervals().values, strict=True):
            assert mean[:3] == known[:3] and mean.n_requests == known.n_requests
            np.testing.assert_allclose(mean[3:5], known[3:5], **CLOSE)


def test_exact_sums_of_very_many_blocks_are_found():
    """They hold nothing of those that they are made of, one within another."""
    grades = {"q": {"a": 1, "b": 2}}
    positions = tb.Experiment(grades, {"one": {"q": {"x": 3.0, "b": 2.0, "a": 1.0}}}).positions
    task = MetricSums(MetricValues((tb.metric("AP"),)))
    by_group = group_totals.ByGroup(task, {"q": "all"}, is_exact=True)
    part = total = by_group.reduce(task.inner.partial(positions))
    for _ in range(1500):
        total = by_group.add([total, part])
    assert total.totals["all"].sums[0].exactly() == [1501 * (Fraction(1, 2) + Fraction(2, 3)) / 2]


@lru_cache(1)
def kept_comparison(measure):
    return outcome(lambda: WHOLE.compare(measure).by_group(GROUPS))[0]


@pytest.mark.one_in(3)
@SIZES
@pytest.mark.parametrize("measure", [*PAIRWISE, "diff(P@5)"])
def test_comparisons_of_groups_are_those_of_values(size, measure):
    kept = kept_comparison(measure)
    counts, _ = outcome(lambda: EXPERIMENTS[size].compare(measure, per_request=False).by_group(GROUPS))
    if isinstance(kept, tuple):
        assert counts == kept
        return
    result, expected = counts.summary(), kept.summary()
    assert list(counts.parts) == list(kept.parts) and result.notes == expected.notes
    for row, known in zip(result.rows(), expected.rows(), strict=True):
        numbers = [[value for value in one if isinstance(value, float)] for one in (row, known)]
        assert [v for v in row if not isinstance(v, float)] == [v for v in known if not isinstance(v, float)]
        np.testing.assert_allclose(*numbers, rtol=1e-11, atol=1e-300)
    for group, part in counts.parts.items():
        assert part.mean.tolist() == kept[group].mean.tolist() and len(part.requests) == len(kept[group].requests)
        assert part.win_tie_loss.tolist() == kept[group].win_tie_loss.tolist()
        for by in METHODS:
            assert repr(part.order(by).rows()) == repr(kept[group].order(by).rows())
    assert counts.order().notes == kept.order().notes


@SIZES
@pytest.mark.parametrize("measure", ["RPP", "diff(nDCG@3)"])
def test_draws_from_groups_are_those_of_values(size, measure):
    kept, counts = WHOLE.compare(measure), EXPERIMENTS[size].compare(measure, per_request=False)
    kept, counts = (one.by_group(GROUPS) for one in (kept, counts))
    for test in ("permutation", "hsd", "wilcoxon"):
        how = {} if test == "wilcoxon" else {"permutations": 40, "seed": 2}
        result, expected = (one.test(test, **how) for one in (counts, kept))
        for group, part in expected.parts.items():
            np.testing.assert_allclose(result[group].pvalue, part.pvalue, rtol=1e-11)
    expected = EXPERIMENTS[17].compare(measure, per_request=False).by_group(GROUPS)
    for group, part in counts.parts.items():
        assert part.bootstrap(resamples=10).ranks.tolist() == expected[group].bootstrap(resamples=10).ranks.tolist()


def test_groups_of_groups():
    whole = EXPERIMENTS[4].compare("RPP", per_request=False)
    part, expected = (one.by_group(GROUPS)["a"] for one in (whole, WHOLE.compare("RPP")))
    halves = {request: str(k % 2) for k, request in enumerate(sorted(expected.requests))}
    result, known = part.by_group(halves), expected.by_group(halves)
    assert {group: one.mean.tolist() for group, one in result.parts.items()} == {
        group: one.mean.tolist() for group, one in known.parts.items()
    }


def test_runs_that_tie_exactly_tie_in_groups():
    judged = {f"q{k}": {"a": 1, "b": 2, "c": 1} for k in range(18)}
    ranking = [{"a": 3.0, "x": 2.0, "b": 1.0}, {"b": 3.0, "x": 2.0, "y": 1.0}, {"x": 1.0, "c": 0.5}]
    runs = {name: {f"q{k}": ranking[(k + shift) % 3] for k in range(18)} for shift, name in enumerate("xyz")}
    exp, groups = (
        tb.Experiment(judged, runs, block_requests=2),
        {q: "low" if k < 9 else "up" for k, q in enumerate(judged)},
    )
    assert len(exp.evaluate("nDCG", per_request=False).by_group(groups)["low"].summary().best) == 3
    assert exp.compare("diff(nDCG)", per_request=False).by_group(groups)["up"].order().ranks.tolist() == [1, 1, 1]


def lacking(groups):
    return {request: group for k, (request, group) in enumerate(groups.items()) if k not in (0, 3)}


@pytest.mark.parametrize("groups", [lacking(GROUPS), GROUPS | {"unknown": "d", "other": "e"}, {"q0é": "a"}])
@pytest.mark.parametrize(
    "call",
    [lambda exp, groups, **keep: exp.evaluate("AP", **keep).by_group(groups),
     lambda exp, groups, **keep: exp.compare("RPP", **keep).by_group(groups)],
    ids=["scores", "pairs"],
)  # fmt: skip
def test_errors_are_those_of_values(call, groups):
    (_, text, where), _ = outcome(lambda: call(EXPERIMENTS[4], groups, per_request=False))
    (_, known, place), _ = outcome(lambda: call(WHOLE, groups))
    names, expected = (sorted(one.partition(": ")[2].partition(" and ")[0].split(", ")) for one in (text, known))
    assert where == place and text.partition(":")[0] == known.partition(":")[0]
    assert names == expected or len(names) == 5, "of many the first are named, here in the order of names"


def test_too_many_groups_are_refused(monkeypatch):
    monkeypatch.setattr(group_totals, "MOST_GROUPS", 2)
    for result in (EXPERIMENTS[4].compare("RPP", per_request=False), EXPERIMENTS[4].evaluate("AP", per_request=False)):
        with pytest.raises(tb.InputError, match=r"there are 3 groups\. .* at most 2\."):
            result.by_group(GROUPS)


def test_what_looks_at_single_requests_says_so():
    scores = EXPERIMENTS[4].evaluate("AP", per_request=False).by_group(GROUPS)
    for use in (lambda: scores.against(), lambda: scores["a"].values, lambda: list(scores["a"].rows())):
        with pytest.raises(tb.InputError, match="per_request=True"):
            use()
