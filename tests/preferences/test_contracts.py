"""One suite over the catalogue, which every preference must pass.

Each is documented, prints and parses back, obeys its traits, leaves empty requests alone, and agrees with its twin.
"""

from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tiebreak as tb
from examples import examples
from preferences import slow
from preferences.slow import TWINS
from tiebreak.errors import InputError
from tiebreak.preferences import ALIASES, CATALOGUE, PairValues, Preference, paired_levels, preference, rpp
from tiebreak.preferences.from_metric import MetricDifference

ITEMS = "abcdefgh"
TOPICS = "stu"

grades_of = st.dictionaries(st.sampled_from(ITEMS), st.sampled_from([-1, 0, 1, 2, 2.5, 3]), min_size=1)
rankings = st.permutations(ITEMS).flatmap(lambda order: st.integers(0, len(order)).map(lambda k: list(order[:k])))
subtopics_of = st.dictionaries(st.sampled_from(ITEMS), st.sets(st.sampled_from(TOPICS), min_size=1))


WITHOUT_SUBTOPICS = [spec for spec in TWINS if not spec.startswith("ST-")]


def judgements(requests):
    """Judgements of ``{request: (grades, subtopics)}``; an item has its grade in each of its subtopics."""
    lines = []
    for request, (grades, subtopics) in requests.items():
        for item, grade in grades.items():
            lines += [f"{request} {topic} {item} {grade}" for topic in sorted(subtopics.get(item, {"none"}))]
    return "\n".join(lines)


def scored(ranking):
    return {item: float(-k) for k, item in enumerate(ranking)}


def compared(spec, requests, runs, folder=None, **options):
    """The comparison by a spec of runs ``{request: ranking}``, with subtopics where a folder is given to write to."""
    if folder is None:
        qrels = {request: grades for request, (grades, _) in requests.items()}
    else:
        qrels = folder / "qrels"
        qrels.write_text(judgements(requests) + "\nlast s x 3\nlast t x 3\n")
    # One more request, which every run answers alike, keeps an experiment from being refused as empty.
    runs = [{q: scored(r) for q, r in run.items()} | {"last": {"x": 1.0}} for run in runs]
    if folder is None:
        qrels = qrels | {"last": {"x": 3}}
    return tb.compare(tb.project(qrels, runs, **options), spec)


one_request = st.tuples(grades_of, subtopics_of)
experiments = st.lists(one_request, min_size=1, max_size=3).flatmap(
    lambda requests: st.tuples(
        st.just({f"q{k}": request for k, request in enumerate(requests)}),
        st.lists(
            st.lists(rankings, min_size=len(requests), max_size=len(requests)).map(
                lambda run: {f"q{k}": ranking for k, ranking in enumerate(run)}
            ),
            min_size=3,
            max_size=3,
        ),
    )
)
quiet = pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")


EVERY = [name + ("(AP)" if "metric" in entry.__dataclass_fields__ else "") for name, entry in CATALOGUE.items()]


def check_prefers_the_best_ranking(measure):
    """All relevant items first against none at all."""
    judged = {"q": {"a": {"1": 1}, "b": {"2": 1}, "x": {"1": 0}}}
    exp = tb.Experiment(judged, [{"q": scored("abx")}, {"q": scored("xyz")}])
    assert exp.compare(measure).values.item() > 0


@pytest.mark.parametrize("spec", EVERY)
def test_every_preference_prefers_the_best_ranking_to_the_worst(spec):
    check_prefers_the_best_ranking(spec)


class Indifferent(Preference):
    name = "Indifferent"

    def compare(self, positions, pairs):
        nothing = np.zeros((len(pairs), len(positions.requests)), dtype=np.int8)
        return PairValues.from_counts(positions, pairs, nothing, np.array([1]))


def test_a_preference_that_always_ties_fails_the_contract():
    with pytest.raises(AssertionError):
        check_prefers_the_best_ranking(Indifferent())


def test_every_preference_has_a_twin():
    assert {preference(spec).name for spec in TWINS} == set(CATALOGUE)


@settings(max_examples=examples(40))
@quiet
@given(experiments, st.sampled_from([None, 2]))
def test_every_preference_equals_its_slow_twin(tmp_path_factory, experiment, rel):
    requests, runs = experiment
    folder = tmp_path_factory.getbasetemp()
    for spec, twin in TWINS.items():
        with_subtopics = folder if spec.startswith("ST-") else None
        actual = compared(spec, requests, runs, with_subtopics, min_grade=rel)
        for request, (grades, subtopics) in requests.items():
            if not slow.relevant_to(grades, rel):
                assert request not in list(actual.requests)
                continue
            everywhere = {item: subtopics.get(item, {"none"}) for item in grades}
            place = list(actual.requests).index(request)
            for row, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
                expected = twin(runs[i][request], runs[j][request], grades, everywhere, rel)
                value, numerator = actual.values[row, place].item(), actual.numerator[row, place].item()
                assert value == pytest.approx(float(expected), rel=0, abs=1e-12), (spec, request)
                assert slow.sign(numerator) == slow.sign(round(Fraction(expected), 12)), spec


@pytest.mark.parametrize("spec", TWINS)
def test_preference_prints_and_parses_back(spec):
    result = preference(spec)
    assert str(result) == spec
    assert preference(str(result)) == result
    assert len({result, preference(str(result))}) == 1


@pytest.mark.parametrize("name", CATALOGUE)
def test_preference_is_documented_by_name_definition_and_parameters(name):
    entry = CATALOGUE[name]
    assert entry.name == name and issubclass(entry, Preference)
    assert entry.__doc__.splitlines()[0].endswith(".")
    assert ">>>" in entry.__doc__
    for parameter in fields(entry):
        assert any(f"{parameter.name} : " in (base.__doc__ or "") for base in entry.__mro__)


@settings(max_examples=examples(40))
@quiet
@given(experiments)
def test_every_preference_is_antisymmetric_bit_by_bit(tmp_path_factory, experiment):
    requests, runs = experiment
    for spec in TWINS:
        folder = tmp_path_factory.getbasetemp() if spec.startswith("ST-") else None
        there, back = (compared(spec, requests, order, folder) for order in (runs[:2], runs[1::-1]))
        assert (there.numerator == -back.numerator).all(), spec


@settings(max_examples=examples(40))
@quiet
@given(experiments)
def test_a_ranking_ties_with_itself_under_every_preference(experiment):
    requests, runs = experiment
    for spec in WITHOUT_SUBTOPICS:
        assert not compared(spec, requests, [runs[0], runs[0]]).numerator.any(), spec


@settings(max_examples=examples(40))
@quiet
@given(experiments, st.permutations(ITEMS))
def test_no_preference_is_moved_by_renaming_items(experiment, names):
    requests, runs = experiment
    new = dict(zip(ITEMS, names, strict=True))
    renamed = {q: ({new[i]: g for i, g in grades.items()}, {}) for q, (grades, _) in requests.items()}
    again = [{q: [new[i] for i in ranking] for q, ranking in run.items()} for run in runs]
    for spec in WITHOUT_SUBTOPICS:
        assert (compared(spec, requests, runs).values == compared(spec, renamed, again).values).all(), spec


def moved_up(ranking, grades, data):
    """The ranking with a relevant item swapped with a non-relevant one above it."""
    swaps = [
        (above, below)
        for below in range(len(ranking))
        for above in range(below)
        if grades.get(ranking[below], 0) > 0 >= grades.get(ranking[above], 0)
    ]
    assume(swaps)
    above, below = data.draw(st.sampled_from(swaps))
    moved = list(ranking)
    moved[above], moved[below] = moved[below], moved[above]
    return moved


@settings(max_examples=examples(40))
@quiet
@given(grades_of, st.permutations(ITEMS), rankings, st.data())
def test_moving_a_relevant_item_up_makes_no_ranking_worse(grades, ranking, other, data):
    x2 = moved_up(ranking, grades, data)
    runs = [{"q": x2}, {"q": list(ranking)}, {"q": other}]
    for spec in WITHOUT_SUBTOPICS:
        actual = compared(spec, {"q": (grades, {})}, runs)
        x2_x, x2_y, x_y = actual.values[:, list(actual.requests).index("q")]
        assert x2_x >= 0 or spec in ("OI", "OI(user='dcg')"), spec
        if preference(spec).traits.rises:
            assert x2_y >= x_y, spec


def test_rising_is_promised_where_semantics_promises_it():
    rising = {spec for spec in TWINS if preference(spec).traits.rises}
    assert rising >= {spec for spec in TWINS if "RPP" in spec or spec.startswith("Lexi")}
    assert not rising & {"rrLP", "OI", "diff(AP)", "sign(AP)", "Interleaving(stops='3,0,1')"}


@quiet
@given(experiments)
def test_transitive_preferences_are_total_orders(experiment):
    requests, runs = experiment
    for spec in TWINS:
        if preference(spec).traits.is_transitive:
            first, both, second = compared(spec, requests, runs).values
            chained = (first > 0) & (second > 0)
            assert (both[chained] > 0).all(), spec


@pytest.mark.parametrize(("alias", "spec"), ALIASES.items())
def test_names_of_the_papers_and_of_pref_eval_are_known(alias, spec):
    assert str(preference(alias)) == spec
    assert preference(spec) == preference(alias)


@pytest.mark.parametrize(("text", "spec"), [("ap", "diff(AP)"), ("r@10", "diff(R@10)"), ("ndcg", "diff(nDCG)")])
def test_a_metric_stands_for_the_difference_of_its_values(text, spec):
    assert str(preference(text)) == spec
    assert preference(tb.metric(text)) == preference(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("RPPP", 'unknown preference "RPPP". Did you mean "RPP"'),
        ("LexiRecal", 'Did you mean "LexiRecall"'),
        ("RPP(weight='dcg')", "no parameter 'weight'. RPP has weights, rel, grades"),
        ("RPP@10", "takes no cutoff"),
        ("RPP(weights='dgc')", 'Did you mean "dcg"'),
        ("RPP(weights='1,-1')", "numbers of 0 and above"),
        ("RPP(rel=0)", "rel=0. Give a number above 0"),
        ("diff(LR(n=10))", "for display only"),
        ("diff(AP, tolerance=-1)", "a number of at least 0"),
        ("diff(APP)", 'unknown metric "APP"'),
        ("Interleaving(stops='0,0')", "not all 0"),
        ("UserLeximin(ERR)", "not a sum over recall levels"),
        ("OI(user='dgc')", 'Did you mean "dcg"'),
        (7, "7 is not a preference"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(text, words):
    with pytest.raises(InputError) as refusal:
        preference(text)
    assert words in str(refusal.value)


def test_a_preference_of_a_metric_where_lower_is_better_prefers_the_lower():
    positions = tb.positions([[1, 2], [3, 4]])
    assert tb.compare(positions, "diff(ISL(n=9))").values.tolist() == [[2.0]]
    assert tb.compare(positions, "sign(ISL(n=9))").values.tolist() == [[1.0]]


def test_the_tolerance_of_a_metric_decides_ties():
    positions = tb.positions([[1, 4], [2, 4]])  # AP: 3/4 and 1/2
    assert tb.compare(positions, "sign(AP, tolerance=0.25)").values.tolist() == [[0.0]]
    assert tb.compare(positions, "sign(AP, tolerance=0.24)").values.tolist() == [[1.0]]
    assert tb.compare(positions, MetricDifference(tb.metric("AP"), 0.24)).values.tolist() == [[0.25]]


def test_st_rpp_without_subtopics_is_refused():
    with pytest.raises(InputError, match="needs subtopics"):
        tb.compare(tb.positions([[1], [2]]), "ST-RPP")


@pytest.mark.one_in(5)
@quiet
@pytest.mark.parametrize("spec", [spec for spec in TWINS if "RPP" in spec])
@pytest.mark.parametrize("baseline", [None, "run2", ["run1", "run3"]])
def test_pairs_compared_together_or_run_by_run_are_alike_bit_by_bit(monkeypatch, tmp_path, spec, baseline):
    simulation = tb.simulate(8, systems=["deep", "weak", "balanced", "random"], seed=2)
    (tmp_path / "qrels").write_text(
        "".join(
            f"{q} {k % 3} {item} {grade}\n"
            for q, grades in simulation.judgements.items()
            for k, (item, grade) in enumerate(grades.items())
        )
    )
    positions = tb.project(tmp_path / "qrels", list(simulation.runs.values()))
    for limit in ("PAIRED_AT_ONCE", "SUMS_AT_ONCE"):
        monkeypatch.setattr(paired_levels, limit, 1 << 60)
    together = tb.compare(positions, spec, baseline)
    for limit in ("PAIRED_AT_ONCE", "SUMS_AT_ONCE"):
        monkeypatch.setattr(paired_levels, limit, 0)
    apart = tb.compare(positions, spec, baseline)
    assert np.ptp(together.numerator) > 0
    assert together.numerator.tobytes() == apart.numerator.tobytes()


def test_weights_can_be_a_list():
    assert preference("RPP(weights='2,1')") == rpp.RecallPairedPreference(weights=[2, 1])
    assert preference("RPP(weights='2,1')") == rpp.RecallPairedPreference(weights=np.array([2, 1]))
    assert hash(rpp.RecallPairedPreference(weights=[2, 1])) == hash(rpp.RecallPairedPreference(weights=(2, 1)))


def test_counts_of_preferences_do_not_overflow_32_bits(monkeypatch):
    # Four grades are four populations: 2^30 users who gain in each are 2^32 together.
    from tiebreak.preferences import paired_levels

    monkeypatch.setattr(paired_levels, "sum_pair_signs", lambda p, x, y: np.full((1, 1), 2**30, dtype=np.int32))
    exp = tb.Experiment({"q": {"a": 1, "b": 2, "c": 3, "d": 4}}, [{"q": {"a": 1.0}}, {"q": {"b": 1.0}}])
    assert exp.compare("RPP").numerator.tolist() == [[4 * 2**30]]
