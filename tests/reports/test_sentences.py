"""The three sentences of a page: none is stronger than its test."""

import re

import numpy as np
import pytest

import tiebreak as tb
from tiebreak.exact.intervals import binomial_interval
from tiebreak.reports.answers import Answer, Claims, claims, joint_pvalues
from tiebreak.reports.pair_numbers import PairNumbers
from tiebreak.reports.ranking_content import USERS
from tiebreak.reports.sentences import listing, three_sentences
from tiebreak.significance import unless_too_few

RUNS = ("a", "b", "c")
ALL_BELOW_A = {("a", "b"), ("a", "c")}


def answer(measure, runs=RUNS, better=(), **more):
    return Answer(measure, USERS.get(measure, ""), tuple(runs), better=frozenset(better), **more)


def sentences(*answers, **more):
    settings = {"n_requests": 40, "n_comparisons": 3 * len(answers), "criteria": ("a t-test",)}
    return three_sentences(Claims(answers, **{**settings, **more}))


def three(*better, runs=(RUNS, RUNS, RUNS)):
    """The answers of the three kinds of users."""
    return [answer(measure, *row) for measure, *row in zip(USERS, runs, better, strict=True)]


def test_a_run_is_best_only_where_it_was_shown_to_be_better_than_every_other():
    best, *_ = sentences(*three(ALL_BELOW_A, {("a", "b")}, ()))
    average, worst, first = best.split("; ")
    assert average == "For the average user (RPP), a is best"
    assert (
        worst == "for users who need every relevant item (LexiRecall), a comes first but was not shown to differ from c"
    )
    assert first.endswith("(LexiPrecision), a comes first, but no two runs were shown to differ.")


def test_a_run_that_is_best_for_all_users_is_said_once():
    best, *_ = sentences(*three(ALL_BELOW_A, ALL_BELOW_A, ALL_BELOW_A))
    assert best.startswith(
        "a is best for every kind of user: the average user (RPP), users who need every relevant item"
    )


def test_different_runs_may_be_best_for_different_users():
    best, *_ = sentences(*three(ALL_BELOW_A, {("b", "a"), ("b", "c")}, (), runs=(RUNS, ("b", "a", "c"), RUNS)))
    assert "(RPP), a is best; " in best and "(LexiRecall), b is best; " in best


def test_without_any_difference_nothing_is_best():
    best, certainty, disagreement = sentences(*three((), (), ()))
    assert best.startswith("No two of the 3 runs were shown to differ for any kind of user: ")
    assert certainty.startswith(
        "Over 40 requests, none of the 3 pairs of runs was shown to differ (p < 0.05 by a t-test, "
    )
    assert "agree on which run comes first, and no pair was shown to differ in opposite ways" in disagreement
    assert not re.search("is best|better|worse", best + disagreement)


def test_runs_that_share_the_first_place_are_all_named():
    best, *_ = sentences(*(answer(measure, better={("a", "c")}, n_first=2) for measure in USERS))
    assert "(RPP), a and b tie for first place; " in best
    best, *_ = sentences(*(answer(measure, n_first=3) for measure in USERS))
    assert "(RPP), all runs tie; " in best


def test_a_first_run_that_loses_to_another_is_not_best():
    best, *_ = sentences(answer("RPP", better={("b", "a"), ("a", "c")}))
    assert best == "For the average user (RPP), a comes first, although b was shown to be better."


def test_contradictions_are_told_where_both_sides_were_shown():
    one, other = answer("RPP", better={("a", "b")}), answer("nDCG@10", ("b", "a", "c"), {("b", "a")})
    *_, disagreement = sentences(one, other)
    shown = "a was shown to be better than b by RPP, but worse by nDCG@10."
    assert disagreement == f"Measures contradict each other on 1 pair of runs: {shown}"
    *_, disagreement = sentences(
        answer("RPP", better=ALL_BELOW_A), answer("nDCG@10", ("b", "c", "a"), {("b", "a"), ("c", "a")})
    )
    assert disagreement == f"Measures contradict each other on 2 pairs of runs: for example, {shown}"
    *_, disagreement = sentences(one, answer("nDCG@10", ("b", "a", "c")))
    assert disagreement == (
        "RPP puts a first; nDCG@10 puts b first, but no pair was shown to differ in opposite ways by two measures."
    )


def test_the_rule_and_what_it_cannot_show_are_told():
    _, certainty, _ = sentences(answer("RPP", better={("a", "b")}, detectable=0.1234), n_comparisons=3)
    assert certainty == (
        "Over 40 requests, 1 of the 3 pairs of runs was shown to differ by RPP (p < 0.05 by a t-test, with Holm's "
        "correction for all 3 comparisons together); other pairs may differ all the same, and a difference in RPP has "
        "to be about 0.12 to be shown with a probability of 80%."
    )
    _, certainty, _ = sentences(answer("RPP", better=ALL_BELOW_A), answer("AP"))
    assert certainty.startswith("Over 40 requests, 2 of the 3 pairs of runs were shown to differ by RPP and 0 by AP (")
    assert certainty.endswith("together); other pairs may differ all the same.")
    _, certainty, _ = sentences(answer("RPP", better={*ALL_BELOW_A, ("b", "c")}))
    assert certainty.startswith("Over 40 requests, all 3 pairs of runs were shown to differ by RPP (")
    assert certainty.endswith("together).")
    _, certainty, _ = sentences(answer("RPP", "ab", {("a", "b")}), answer("AP", "ab"))
    assert certainty.startswith("Over 40 requests, the two runs were shown to differ by RPP, but not by AP (")
    _, certainty, _ = sentences(answer("RPP", "ab"), answer("AP", "ab"))
    assert certainty.startswith("Over 40 requests, the two runs were not shown to differ (")
    assert certainty.endswith("; they may differ all the same.")
    _, certainty, _ = sentences(answer("RPP", is_tested=False), n_requests=1)
    assert certainty == "There are too few requests for a test (1): no difference can be shown."


def test_a_difference_of_the_size_that_is_told_is_shown_with_a_probability_of_80_percent():
    # 30 requests with normal differences: the size is that of a paired t-test with a power of 80%.
    rng = np.random.default_rng(5)
    told, shown, rounds = 0.3, 0, 400
    for _ in range(rounds):
        base = rng.normal(size=30)
        difference = rng.normal(told, told / 0.5302, size=30)  # 0.5302: the effect that 30 pairs show in 80%
        table = {"x": dict(enumerate(base + difference)), "y": dict(enumerate(base))}
        utilities = tb.Utilities({run: {f"q{k}": v for k, v in row.items()} for run, row in table.items()})
        one = claims([numbers(utilities, None)], {})
        shown += one.is_any
    assert abs(one.answers[0].detectable - told) < 0.12
    assert 0.74 < shown / rounds < 0.86


def test_utilities_have_a_mean_and_an_order_without_a_test():
    best, _, disagreement = sentences(answer("acc", better=ALL_BELOW_A), first_by_leximin=("b",))
    mean, worst = best.split("; ")
    assert mean == "By the mean of acc, a is best"
    assert worst == "by its worst requests (leximin, an order without a test), b comes first."
    assert disagreement.startswith("The mean and the worst requests disagree on which run comes first")
    best, _, disagreement = sentences(answer("acc"))
    assert best == "By the mean of acc, a comes first, but no two runs were shown to differ."
    assert disagreement.startswith("Only the mean of acc was looked at")


def test_long_names_are_shortened_and_long_lists_are_cut():
    name = "x" * 300
    best, *_ = sentences(answer("RPP", (name, "b")))
    assert len(best) < 200
    assert listing(["a", "b", "c", "d", "e"]) == "a, b, c, d and e"


def numbers(exp, measure):
    comparison = exp.compare() if measure is None else exp.compare(measure)
    return PairNumbers.from_comparison(comparison, unless_too_few(comparison.test))


def experiment(rows):
    """Two runs and a request for every row of positions of the only relevant item."""
    qrels = {f"q{k}": {"a": 1} for k in range(len(rows))}
    fill = [f"d{k}" for k in range(9)]
    runs = [{f"q{k}": [*fill[: row[r] - 1], "a"] for k, row in enumerate(rows)} for r in range(2)]
    return tb.Experiment(qrels, dict(zip("xy", runs, strict=True)))


def test_equal_differences_prove_no_more_than_their_number():
    # Four requests won by 1: by Student's t p = 0, but all four could point that way by chance in 2 / 2^4 of cases.
    exp = experiment([(1, 2)] * 4)
    one = numbers(exp, "RPP")
    assert one.pvalue.tolist() == [0.0]
    assert joint_pvalues([one])[0].tolist() == [2 / 2**4]
    assert not claims([one], USERS).is_any


def test_pvalues_are_corrected_over_all_measures():
    # A sign test of 9 requests: 2 / 2^9 each, times 2 measures by Holm's correction.
    exp = experiment([(1, 2)] * 9)
    both = [numbers(exp, "LexiRecall"), numbers(exp, "LexiPrecision")]
    assert [one.corrected.tolist() for one in both] == [[2 / 2**9]] * 2
    assert [one.tolist() for one in joint_pvalues(both)] == [[2 * 2 / 2**9]] * 2
    shown = claims(both, USERS)
    assert shown.n_comparisons == 2 and all(one.better == {("x", "y")} for one in shown.answers)
    (second,) = claims([numbers(experiment([(2, 1)] * 9), "RPP")], USERS).answers
    assert second.better == {("y", "x")} and second.runs == ("y", "x")


def test_one_request_is_never_tested():
    one = claims([numbers(experiment([(1, 2)]), measure) for measure in ("RPP", "nDCG@10")], USERS)
    assert not one.is_any and not any(answer.is_tested for answer in one.answers)


def exchangeable_runs(rng):
    """An experiment whose runs do not differ: in every request they draw their rankings from the same distribution."""
    n_runs, n_requests, depth = rng.integers(2, 9), rng.integers(5, 61), 20
    qrels, runs = {}, {f"run{r}": {} for r in range(n_runs)}
    for q in range(n_requests):
        m, ease = int(rng.integers(1, 8)), rng.normal(0.5, 1)
        items = [f"d{k}" for k in range(30)]
        qrels[f"q{q}"] = dict.fromkeys(items[:m], 1)
        for rankings in runs.values():
            scores = rng.normal(size=len(items)) + ease * (np.arange(len(items)) < m)
            rankings[f"q{q}"] = [items[k] for k in np.argsort(-scores)[:depth]]
    return tb.Experiment(qrels, runs)


@pytest.mark.slow
def test_pages_about_runs_that_do_not_differ_seldom_claim_a_difference():
    rng = np.random.default_rng(21)
    experiments, claimed = 200, 0
    for _ in range(experiments):
        exp = exchangeable_runs(rng)
        one = claims([numbers(exp, measure) for measure in (*USERS, "nDCG@10")], USERS)
        text = " ".join(three_sentences(one))
        is_claim = bool(
            re.search(
                r"is best|shown to be better|\b[1-9]\d* by (RPP|Lexi|nDCG)"
                r"|(\b[1-9]\d* of the \d+ pairs of runs (was|were)|the two runs were) shown to differ by",
                text,
            )
        )
        assert is_claim == one.is_any, text
        claimed += is_claim
    low, high = (float(bound[0]) for bound in binomial_interval([claimed], [experiments], 0.05))
    print(
        f"\n{claimed} of {experiments} pages claim a difference: {claimed / experiments:.1%} ({low:.1%} to {high:.1%})"
    )
    assert claimed / experiments <= 0.05
