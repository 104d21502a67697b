"""One suite over the catalogue, which every metric must pass.

Each is documented, prints and parses back, obeys its traits, leaves empty requests alone, and agrees with its twin.
"""

import math
import re
from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tiebreak as tb
from examples import examples
from metrics import slow
from metrics.slow import TWINS
from tiebreak.cli.options import JUDGED_ITEMS_SUFFICE
from tiebreak.errors import EmptyRequestsWarning, InputError
from tiebreak.metrics import CATALOGUE, LevelMetric, Metric, RecallLevelMetric, metric
from tiebreak.metrics._shown_items import ShownItems
from tiebreak.metrics.diversity.base import AspectMetric
from tiebreak.metrics.diversity.intent_aware import SubtopicMetric
from tiebreak.projection.needs import Needs

ITEMS = "abcdefgh"
grades = st.dictionaries(st.sampled_from(ITEMS), st.sampled_from([-1, 0, 1, 2, 3]), min_size=1)
rankings = st.permutations(ITEMS).flatmap(lambda order: st.integers(0, len(order)).map(lambda k: list(order[:k])))


def scores_of(ranking):
    return {item: float(-k) for k, item in enumerate(ranking)}


def projected(by_request, rankings_by_request, **options):
    runs = [
        {q: scores_of(r) for q, r in zip(by_request, run, strict=True)} | {"z": {"x": 1.0}}
        for run in rankings_by_request
    ]
    qrels = by_request | {"z": {"x": 3}}
    return tb.project(qrels, runs, nonrelevant=True, pool=True, **options)


ARGUMENTS = {"recall_level": "(exposure='metrics.slow:inverse')", "IPrec": "(recall=0.5)"}
NEEDED = {"n": "(n=50)", "max_rel": "(max_rel=3)"}
EVERY = [
    name
    + ARGUMENTS.get(name, "".join(text for key, text in NEEDED.items() if key in entry.__dataclass_fields__))
    + ("@3" if entry.traits.cutoff == "must" else "")
    for name, entry in CATALOGUE.items()
]


def check_prefers_the_best_ranking(measure):
    """All relevant items first against none at all."""
    judged = {"q": {"a": {"1": 1}, "b": {"2": 1}, "x": {"1": 0}}}
    exp = tb.Experiment(judged, [{"q": scores_of("abx")}, {"q": scores_of("xyz")}])
    best, worst = exp.evaluate(measure).values[:, 0, 0]
    assert best < worst if metric(measure).traits.lower_is_better else best > worst


PREFERRING = [spec for spec in EVERY if metric(spec).traits.has_direction and metric(spec).traits.sees_relevance]


@pytest.mark.parametrize("spec", PREFERRING)
def test_every_metric_prefers_the_best_ranking_to_the_worst(spec):
    check_prefers_the_best_ranking(spec)


@pytest.mark.parametrize("spec", [spec for spec in EVERY if not metric(spec).traits.has_direction])
def test_metric_that_describes_the_input_prefers_no_run(spec):
    exp = tb.Experiment({"q": {"a": 1, "x": 0}}, [{"q": scores_of("ax")}, {"q": scores_of("xyz")}])
    assert not exp.evaluate(spec).summary().best
    for preference in (spec, f"sign({spec})"):
        with pytest.raises(InputError, match=r"describes the input: no value of it is better"):
            exp.compare(preference)


NESTED = {"q": {"a": {"1": 1}, "b": {"2": 1}, "c": {"1": 1}, "d": {"2": 1}, "x": {"1": 0}}}


def check_sees_nothing_beyond_its_cutoff(measure):
    """Its values on whole rankings are those on rankings that end at the cutoff."""
    whole = ["abcdx", "xabcd", "axbcd", "xyabc"]
    values = [
        tb.Experiment(NESTED, [{"q": scores_of(ranking[:end])} for ranking in whole])
        .evaluate([measure, "S-RR@9"])  # which needs more items than the cutoff
        .mean[:, 0]
        .tolist()
        for end in (None, metric(measure).cutoff)
    ]
    assert values[0] == values[1], f"{measure} looks beyond its cutoff. Without one, it has Traits(cutoff='no')."


@pytest.mark.parametrize("cutoff", [2, *(pytest.param(cutoff, marks=pytest.mark.slow) for cutoff in (1, 3))])
@pytest.mark.parametrize("spec", [spec for spec in EVERY if CATALOGUE[re.split("[(@]", spec)[0]].traits.cutoff != "no"])
def test_every_metric_with_a_cutoff_sees_nothing_beyond_it(spec, cutoff):
    check_sees_nothing_beyond_its_cutoff(f"{spec.partition('@')[0]}@{cutoff}")


class IgnoresItsCutoff(LevelMetric):
    name = "IgnoresItsCutoff"

    def score(self, p):
        return 1 / p[..., -1]


class LooksAtAllAspects(CATALOGUE["S-Recall"]):
    depth = 9
    needs = Needs(aspects=2)


@pytest.mark.parametrize("impostor", [IgnoresItsCutoff, LooksAtAllAspects])
def test_a_metric_that_ignores_its_cutoff_fails_the_contract(impostor):
    with pytest.raises(AssertionError, match="looks beyond its cutoff"):
        check_sees_nothing_beyond_its_cutoff(impostor(cutoff=2))


def words_to_list(needs_by_name):
    """The words that `JUDGED_ITEMS_SUFFICE` has to list."""
    return {name for name, needs in needs_by_name.items() if needs == Needs()}


def test_command_line_knows_which_metrics_look_at_judged_items_only():
    needs = {metric(spec).name: metric(spec).needs for spec in EVERY}
    problem = "a metric whose `needs` are Needs() is listed in JUDGED_ITEMS_SUFFICE of cli/options.py, and no other is"
    assert words_to_list(needs) == JUDGED_ITEMS_SUFFICE & {*needs}, problem
    assert JUDGED_ITEMS_SUFFICE.isdisjoint({"union"})


def test_metric_that_needs_more_must_not_be_listed():
    assert words_to_list({"Mine": Needs(pool=True), "AP": Needs()}) == {"AP"}


class Constant(LevelMetric):
    name = "Constant"

    def score(self, p):
        return np.zeros(p.shape[:-1])


def test_a_metric_that_is_always_0_fails_the_contract():
    with pytest.raises(AssertionError):
        check_prefers_the_best_ranking(Constant())


def test_every_metric_has_a_twin():
    elsewhere = {
        name for name, entry in CATALOGUE.items() if issubclass(entry, (SubtopicMetric, AspectMetric, ShownItems))
    }
    assert {metric(spec).name for spec in TWINS} == set(CATALOGUE) - elsewhere


experiments = st.tuples(
    st.lists(grades, min_size=1, max_size=4).map(lambda g: {f"q{k}": v for k, v in enumerate(g)}),
    st.lists(st.lists(rankings, min_size=4, max_size=4), min_size=2, max_size=2),
)


@settings(max_examples=examples(40))
@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
@given(experiments, st.sampled_from([None, 2]))
def test_every_metric_equals_its_slow_twin(experiment, min_grade):
    by_request, runs = experiment
    runs = [run[: len(by_request)] for run in runs]
    positions = projected(by_request, runs, min_grade=min_grade)
    for spec, twin in TWINS.items():
        scores = metric(spec).evaluate(positions)
        for r, run in enumerate(runs):
            for q, (ranking, grade) in enumerate(zip(run, by_request.values(), strict=True)):
                rel = metric(spec).rel or (None if metric(spec).traits.uses_grades else min_grade)
                if not slow.positions(ranking, grade, rel) and not spec.startswith("Judged"):
                    assert math.isnan(scores[r, q]), spec
                else:
                    expected = float(twin(ranking, grade, min_grade))
                    assert scores[r, q] == pytest.approx(expected, rel=1e-12, abs=1e-15), spec


@settings(max_examples=examples(40))
@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
@given(experiments)
def test_every_metric_keeps_within_its_bounds(experiment):
    by_request, runs = experiment
    positions = projected(by_request, [run[: len(by_request)] for run in runs])
    for spec in TWINS:
        traits = metric(spec).traits
        scores = metric(spec).evaluate(positions)
        known = scores[~np.isnan(scores)]
        assert (known >= traits.low - 1e-12).all() and (known <= traits.high + 1e-12).all(), spec


@settings(max_examples=examples(40))
@given(grades.filter(lambda g: max(g.values()) > 0), st.permutations(ITEMS), st.data())
def test_moving_a_relevant_item_up_makes_no_metric_worse(grade, ranking, data):
    moves = [k for k in range(1, len(ITEMS)) if grade.get(ranking[k], 0) > 0 >= grade.get(ranking[k - 1], 0)]
    assume(moves)
    k = data.draw(st.sampled_from(moves))
    up = list(ranking)
    up[k - 1], up[k] = up[k], up[k - 1]
    positions = projected({"q": grade}, [[list(ranking)], [up]])
    for result in map(metric, TWINS):
        if result.traits.rises:
            before, after = result.evaluate(positions)[:, 0]
            gain = before - after if result.traits.lower_is_better else after - before
            assert math.isnan(gain) or gain >= -1e-12, str(result)


@pytest.mark.parametrize("spec", TWINS)
def test_metric_prints_and_parses_back(spec):
    result = metric(spec)
    assert metric(str(result)) == result
    assert str(metric(str(result))) == str(result)
    assert len({result, metric(str(result))}) == 1
    assert spec.replace("RBP(p=0.8)", "RBP") == str(result)


@pytest.mark.parametrize("name", CATALOGUE)
def test_metric_is_documented(name):
    entry = CATALOGUE[name]
    first = entry.__doc__.strip().splitlines()[0]
    assert first.endswith((".", "`.", ")."))
    assert ">>>" in entry.__doc__
    for parameter in fields(entry):
        if parameter.name not in ("cutoff", "rel"):
            assert any(f"{parameter.name} : " in (base.__doc__ or "") for base in entry.__mro__)


def test_moving_a_relevant_item_up_can_lower_expected_reciprocal_rank():
    # Grade 1 overtakes grade 4: the user stops at the worse item more often.
    qrels = {"q": {"a": 4, "b": 1}}
    scores = metric("ERR").evaluate(tb.project(qrels, [{"q": scores_of("xab")}, {"q": scores_of("xba")}]))
    assert scores[1, 0] < scores[0, 0]


@pytest.mark.parametrize("spec", TWINS)
def test_request_without_relevant_items_has_no_value(spec):
    with pytest.warns(EmptyRequestsWarning):
        scores = tb.Experiment({"q1": {"a": 3}, "q2": {"a": 0}}, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}).evaluate(spec)
    assert not math.isnan(scores.values[0, 0, 0]) and math.isnan(scores.values[0, 1, 0])
    (mean,) = scores.summary().rows()
    assert (mean.value, mean.n_requests) == (scores.values[0, 0, 0], 1)


def test_values_do_not_depend_on_which_other_requests_and_runs_are_there():
    simulation = tb.simulate(9, seed=3)
    runs = list(simulation.runs.values())
    whole = tb.project(simulation.judgements, runs, nonrelevant=True, pool=True)
    alone = tb.project({"q07": simulation.judgements["q07"]}, [{"q07": runs[2]["q07"]}], nonrelevant=True, pool=True)
    for spec in TWINS:
        if "n=" not in spec:
            together = metric(spec).evaluate(whole)[2, list(whole.requests).index("q07")]
            assert metric(spec).evaluate(alone)[0, 0].tobytes() == together.tobytes(), spec


def test_union_of_all_runs_is_the_corpus_where_asked_for():
    # Union of both runs and the relevant items: a, x, y and b, which no run retrieves: n = 4.
    positions = tb.project({"q": {"a": 1, "b": 1}}, [{"q": {"a": 1.0, "x": 0.5}}, {"q": {"y": 1.0}}], pool=True)
    assert metric("ASL(n='union')").evaluate(positions).tolist() == [[(1 + 4) / 2], [(3 + 4) / 2]]


@pytest.mark.parametrize("spec", ["ASL", "TSL", "SL3", "RecallError"])
def test_unretrieved_items_need_a_corpus_size(spec):
    assert metric(spec).evaluate(tb.positions([[2, 5]])).shape == (1, 1)
    with pytest.raises(InputError, match=rf"such as {spec}\(n=1000000\)"):
        metric(spec).evaluate(tb.positions([[2, None]]))


def test_recall_level_metrics_are_the_sum_of_their_levels():
    positions = tb.positions([[2, 5, 9], [1, 4, None]])
    for spec in TWINS:
        result = metric(spec)
        if isinstance(result, RecallLevelMetric):
            (bucket,) = positions.levels().buckets()
            x, y = result.score(bucket.p)
            np.testing.assert_allclose(result.level_differences(*bucket.p).sum(-1), x - y, atol=1e-14)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("P", "P needs a cutoff, such as P@10"),
        ("RP@5", "RP takes no cutoff"),
        ("RBP(p=1)", "RBP: p=1. Give a number above 0 and below 1."),
        ("RBP(p='x')", "Give a number"),
        ("RBP(p=0.5, p=0.6)", "'p' is given twice"),
        ("AP(7)", "a cutoff is written AP@7"),
        ("nDCG(dcg='log3')", "there is no parameter 'dcg'. nDCG has rel"),
        ("AP(q=1)@5", "judged_only, and @ for a cutoff."),
        ("RP(q=1)", "multiple, judged_only."),
        ("AP, RR", "it is more than one name. Give each by itself"),
        ("AP(rel=0)", "Give a number above 0"),
        ("AP(q=1)", "there is no parameter 'q'"),
        ("nDCG(gain='cubic')", 'gain "cubic"'),
        ("RR(level=0)", "whole number from 1 on"),
        ("TSE(bpref)", "bpref is not a sum over recall levels"),
        ("TSE(3)", "3 is not a sum over recall levels"),
        ("TSE('bpref')", "bpref is not a sum over recall levels"),
        ("TSE(base='RBPP')", 'Did you mean "RBP"'),
        ("TSE(AP(rel=2))", "Write TSE(AP, rel=...)"),
        ("Judged(rel=1)@10", "leave out rel"),
        ("ERR(max_grade=5000)", "Give a number above 0 and at most 1000"),
        ("NCP(weights='steep')", 'unknown weights "steep"'),
        ("NCP(weights='1,,2')", "Give finite numbers of 0 and above"),
        ("NCP(weights='-1')", "Give finite numbers of 0 and above"),
        ("NCP(weights=3)", "Give the name of a shape"),
        ("linear", "linear needs the number of items in the corpus"),
        ("LR(n=9, epsilon=1)", "LR: epsilon=1. Give a number above 0 and below 1."),
        ("ASL(n='all')", "Give a whole number from 1 on, or 'union'"),
        ("Average", "unknown metric"),
        ("ndgc@10", 'Did you mean "nDCG"'),
    ],
)
def test_bad_spec_is_refused_with_advice(spec, message):
    with pytest.raises(InputError) as caught:
        metric(spec)
    assert message in str(caught.value)


def test_parameters_as_ir_measures_names_them():
    assert str(metric('nDCG(dcg="exp-log2", rel=2)@10')) == "nDCG(rel=2, gain='exp')@10"
    assert str(metric("nDCG(dcg='log2')@10")) == "nDCG@10"
    assert metric("nDCG(dcg=exp-log2)@10") == metric("nDCG(dcg='exp-log2')@10")


@pytest.mark.parametrize("spec", ["TSE('RBP(p=0.9)')", "TSE(base='RBP(p=0.9)')", 'TSE(base="RBP(p=0.9)")'])
def test_metric_inside_may_be_quoted(spec):
    assert metric(spec) == metric("TSE(RBP(p=0.9))") and str(metric(spec)) == "TSE(RBP(p=0.9))"
    assert metric(spec).evaluate(tb.positions([[1, 3]])).item() == float(Fraction(1, 10) * Fraction(9, 10) ** 2)


def test_weights_may_be_numbers():
    assert metric("NCP(weights='2,1')") == CATALOGUE["NCP"](weights=(2, 1))


def test_metric_passes_through():
    result = metric("AP")
    assert metric(result) is result and isinstance(result, Metric)
