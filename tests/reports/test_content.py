"""What a page about runs says: every embedded number is the library's."""

import hashlib
import json
import re
from math import ceil

import numpy as np
import pytest

import tiebreak as tb
from tiebreak.errors import InputError
from tiebreak.reports import content as content_module
from tiebreak.reports import details as details_module
from tiebreak.reports import leaders, ranking_content, sections, served, utility_content
from tiebreak.reports.details import deciding_requests, recall_curve, request_details, telling_requests
from tiebreak.reports.left_out import left_out
from tiebreak.reports.page_data import page_data, short_number
from tiebreak.reports.provenance import checksum, input_table
from tiebreak.reports.ranking_content import Rankings
from tiebreak.reports.section_names import SECTION_NAMES, TEMPLATES
from tiebreak.reports.sentences import three_sentences
from tiebreak.reports.utility_content import UtilityPage

SYSTEMS = ("deep", "top-heavy", "balanced", "random")
GROUPS = {f"q{k:02d}": "even" if k % 2 == 0 else "odd" for k in range(1, 13)}
LOWER = "ISL(n=5000)"


@pytest.fixture(scope="module", autouse=True)
def few_resamples():
    """Intervals of ranks take most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaders, "RESAMPLES", 20)
        yield


@pytest.fixture(scope="module")
def experiment():
    simulation = tb.simulate(12, systems=SYSTEMS, depth=40, relevant=6, seed=3)
    return tb.Experiment(simulation.judgements, simulation.runs)


def rankings(exp, *specs, groups=None):
    return Rankings(exp, specs, groups, False, 0, {}, {})


@pytest.fixture(scope="module")
def content(experiment):
    return rankings(experiment, "nDCG@10", LOWER, "dcgRPP", groups=GROUPS).content()


@pytest.fixture(scope="module")
def data(content):
    """As the page has it."""
    return json.loads(json.dumps(page_data(content)))


def short(*values):
    return [short_number(float(value)) for value in values]


def embedded(page, name="content"):
    """The data of a page, by their name."""
    return json.loads(re.search(f'<script[^>]*data-name="{name}"[^>]*>(.*?)</script>', page.to_html(), re.DOTALL)[1])


def test_measures_are_the_three_preferences_and_those_asked_for(data):
    assert [one["name"] for one in data["measures"]] == [
        "RPP",
        "LexiRecall",
        "LexiPrecision",
        "dcgRPP",
        "nDCG@10",
        LOWER,
    ]
    assert [one["kind"] for one in data["measures"]] == ["preference"] * 4 + ["metric"] * 2
    assert [one["better"] for one in data["measures"]][-2:] == ["higher", "lower"]


def test_pairs_are_those_of_the_comparison(experiment, data):
    for one in data["measures"]:
        rows = experiment.compare(one["name"]).summary().values
        pairs = one["pairs"]
        for k, row in enumerate(rows):
            numbers = [pairs[name][k] for name in ("mean", "low", "high", "wins", "ties", "losses", "p")]
            assert numbers == [*short(*row[3:6]), *row[6:9], *short(row.pvalue_corrected)], (one["name"], row)
            assert (pairs["shown"][k] == "1") == (row.pvalue_corrected < 0.05)
        assert len(pairs["mean"]) == len(rows) == 6
        assert one["rule"] in experiment.compare(one["name"]).summary().notes[0]


def test_leaders_by_metric_are_its_means_with_intervals_and_letters(experiment, data):
    one = data["measures"][4]
    scores = experiment.evaluate("nDCG@10")
    rows = scores.against().values
    assert [data["runs"][row[0]] for row in one["leaders"]] == [row.run for row in rows]
    for leader, row in zip(one["leaders"], rows, strict=True):
        assert leader[2:6] == [*short(row.value, row.low, row.high), row.marks]
        groups = scores.by_group(GROUPS)
        means = [dict(zip(scores.runs, groups[g].mean[:, 0], strict=True))[row.run] for g in ("odd", "even")]
        assert leader[6:] == [short(*means), []]
    assert [row[1] for row in one["leaders"]] == [1, 2, 3, 4]
    assert data["groups"] == [{"name": "odd", "requests": 6}, {"name": "even", "requests": 6}]


def test_runs_are_led_by_the_lowest_value_where_lower_is_better(experiment, data):
    values = [row[2] for row in data["measures"][5]["leaders"]]
    assert values == sorted(values)
    assert data["runs"][data["measures"][5]["leaders"][0][0]] == experiment.compare(LOWER).order().ranking()[0]


def test_leaders_by_preference_are_mean_preferences_over_the_other_runs(experiment, data):
    comparison = experiment.compare("RPP")
    matrix, places = comparison.matrix(), {run: k for k, run in enumerate(comparison.runs)}
    mc4 = dict(zip(comparison.runs, comparison.order().ranks.tolist(), strict=True))
    intervals = {row.run: (row.low, row.high) for row in comparison.bootstrap("mc4", resamples=20, seed=0).rows()}
    for place, rank, value, low, high, letters, in_groups, ranks in data["measures"][0]["leaders"]:
        run = data["runs"][place]
        others = [matrix[places[run], k] for other, k in places.items() if other != run]
        assert value == pytest.approx(np.mean(others), abs=1e-5)
        assert low < value < high and value - low == pytest.approx(high - value, abs=2e-5)
        assert ranks == [mc4[run], *intervals[run]]
        assert letters == comparison.test().letters()[run]
        odd = comparison.by_group(GROUPS)["odd"].order("mean")
        assert in_groups[0] == short(dict(zip(odd.runs, odd.scores, strict=True))[run])[0]
        assert rank == 1 + sum(row[2] > value for row in data["measures"][0]["leaders"])


def test_the_interval_of_a_mean_preference_is_students():
    # Two runs: the mean preference over the other one is the preference itself.
    runs = {"x": {q: ["a"] for q in "qrs"}, "y": {"q": ["b", "a"], "r": ["a"]}}
    exp = tb.Experiment({q: {"a": 1} for q in "qrs"}, runs)
    (one, _), interval = rankings(exp).content().measures[0].leaders, exp.compare("RPP").interval[0]
    assert (one.run, one.value, one.low, one.high) == ("x", 2 / 3, *(pytest.approx(bound) for bound in interval))


def test_deciding_requests_are_those_with_the_largest_values_for_each_run(experiment):
    comparison = experiment.compare("RPP")
    for pair in range(len(comparison.pairs)):
        values = dict(zip(comparison.requests, comparison.values[pair].tolist(), strict=True))
        for most in (1, 3, 100):
            wins = sorted((q for q in values if values[q] > 0), key=lambda q: (-values[q], q))[:most]
            losses = sorted((q for q in values if values[q] < 0), key=lambda q: (values[q], q))[:most]
            assert deciding_requests(comparison, pair, most) == [(q, values[q]) for q in wins + losses]


def test_deciding_requests_in_the_page_point_to_their_names(experiment, data):
    comparison = experiment.compare("LexiRecall")
    k = data["measures"][1]["pairs"]["deciding"][0]
    named = [(data["requests"][code], value) for code, value in zip(k[::2], k[1::2], strict=True)]
    assert named == deciding_requests(comparison, 0, 10)


def test_the_curve_is_the_mean_sign_at_recall_levels(experiment, data):
    run, other = data["runs"][0], data["runs"][1]
    signs = {}
    for row in tb.disaggregate(experiment, "RPP", run, other).rows():
        signs.setdefault((row.request, row.m), []).append(row.difference)
    shares = [0, *(k / 10 for k in range(1, 11))]
    expected = [np.mean([of[max(ceil(round(r * m, 9)), 1) - 1] for (_, m), of in signs.items()]) for r in shares]
    assert data["curve"][0] == short(*expected)


def test_curve_by_hand():
    # x at 1, 4 and y at 2, 3: the first item is higher in x, the second in y; half of the two is the first level.
    positions = tb.positions([[1, 4], [2, 3]])
    (curve,) = recall_curve(positions, np.array([0]), np.array([1])).tolist()
    assert curve == [1] + [1] * 5 + [-1] * 5


def test_details_are_the_recall_levels_that_explain_shows(experiment, data):
    assert len(data["details"]) == 12
    run, other = data["runs"][0], data["runs"][2]
    for code, detail in data["details"].items():
        request = data["requests"][int(code)]
        levels = experiment.explain(run, other, request).levels
        assert detail["m"] == len(levels)
        for k, side in ((0, slice(1, 4)), (2, slice(4, 7))):
            places, items = detail["levels"][k]
            rows = [(p, detail["items"][i], detail["grades"][i]) for p, i in zip(places, items, strict=True)]
            assert rows == [level[side] for level in levels if level[side][0] is not None]


def test_details_fit_into_their_bytes_and_levels_are_bounded(experiment, monkeypatch):
    names = list(experiment.positions.requests)
    whole = request_details(experiment.positions, names, 10**9)
    size = len(json.dumps([names[0], whole[names[0]]], separators=(",", ":")))
    assert list(request_details(experiment.positions, names, size)) == names[:1]
    assert request_details(experiment.positions, names, size - 1) == {}
    monkeypatch.setattr(details_module, "MOST_LEVELS", 2)
    cut = request_details(experiment.positions, names[:1], 10**9)[names[0]]
    assert [levels[0] for levels in cut["levels"]] == [levels[0][:2] for levels in whole[names[0]]["levels"]]


def test_requests_that_decide_pairs_of_the_best_runs_tell_most():
    deciding = {(0, 2): [("q1", 1.0)], (0, 1): [("q2", 0.1)], (1, 2): [("q1", 0.5), ("q3", 0.5)]}
    # Weights are 1 / (1 + both places): q1 has 1/3 + 1/4, q2 1/2, q3 1/4.
    assert telling_requests([deciding], {0: 0, 1: 1, 2: 2}) == ["q1", "q2", "q3"]
    assert telling_requests([{(0, 2): [("q1", 1.0)], (0, 1): [("q2", 0.1)]}], {0: 0, 1: 1, 2: 2}) == ["q2", "q1"]


def test_sorted_utilities_and_worst_requests(experiment, content):
    values = experiment.evaluate("nDCG@10")["nDCG@10"]
    names = list(experiment.positions.requests)
    for one in content.served["runs"]:
        row = values[experiment.positions.runs.index(one["run"])].tolist()
        assert one["line"] == sorted(row)
        worst = sorted(zip(names, row, strict=True), key=lambda pair: (pair[1], pair[0]))[: served.MOST_WORST]
        assert one["worst"] == worst
        assert (one["lowest"], one["at_lowest"]) == (min(row), row.count(min(row)))
    lines = [one["line"] for one in content.served["runs"]]
    assert content.served["median"] == [pytest.approx(np.median(place)) for place in zip(*lines, strict=True)]


def test_the_answer_is_of_three_preferences_and_the_first_metric(content):
    assert [answer.measure for answer in content.claims.answers] == ["RPP", "LexiRecall", "LexiPrecision", "nDCG@10"]
    assert content.claims.n_comparisons == 4 * 6
    for one in content.measures:  # never stronger than the marks of the measure by itself
        shown = {pair for pair, is_shown in zip(one.numbers.names(), one.numbers.is_shown, strict=True) if is_shown}
        better = {pair for answer in content.claims.answers if answer.measure == one.name for pair in answer.better}
        assert {frozenset(pair) for pair in better} <= {frozenset(pair) for pair in shown}


def test_measures_that_say_nothing_of_better_runs_are_in_the_leaderboard_only(experiment):
    content = rankings(experiment, "NumRel", "AP", "Coverage(n=5000)@10").content()
    count = content.measures[3]
    assert count.numbers is None and len(count.leaders) == 4
    data = page_data(content)["measures"]
    assert [one["pairs"] is None for one in data] == [False, False, False, True, False, True]
    assert content.claims.answers[-1].measure == content.served["measure"] == "AP"  # the first that does
    content = rankings(experiment, "Coverage(n=5000)@10").content()
    assert [one.name for one in content.measures[3:]] == ["Coverage(n=5000)@10", "nDCG@10"]


def test_large_experiments_are_summarised_and_say_so(experiment, monkeypatch):
    monkeypatch.setattr(content_module, "MOST_PAIRED", 2)
    content = rankings(experiment).content()
    first = [row.run for row in content.measures[0].leaders[:2]]
    assert sorted(content.runs[k] for k in content.paired) == sorted(first)
    assert len(page_data(content)["measures"][0]["pairs"]["mean"]) == 1
    assert content.claims.n_comparisons == 4 * 6  # tests are of all pairs
    assert any("first 2 of 4 runs" in note for note in left_out(content))
    monkeypatch.setattr(content_module, "MOST_VALUES", 36)  # 3 pairs of 12 requests
    content = rankings(experiment).content()
    best = [row.run for row in experiment.evaluate("nDCG@10").summary("nDCG@10").values[:3]]
    assert sorted(row.run for row in content.measures[0].leaders) == sorted(best)
    assert len(content.measures[3].leaders) == 4 and content.claims.n_comparisons == 4 * 3
    assert any("too many to compare all pairs" in note for note in left_out(content))


def test_items_are_left_out_where_they_are_too_many(experiment, monkeypatch):
    monkeypatch.setattr(ranking_content, "DETAIL_BYTES", 1000)
    content = rankings(experiment).content()
    assert 0 < len(content.details) < 12
    (note,) = left_out(content)
    assert f"for {len(content.details)} of 12 requests" in note


def test_letters_are_left_out_where_runs_are_many(experiment, monkeypatch):
    monkeypatch.setattr("tiebreak.reports.leaders.MOST_LETTERED", 3)
    content = rankings(experiment).content()
    assert not any(leader.letters for one in content.measures for leader in one.leaders)
    assert any("no letters" in note for note in left_out(content))


def test_only_the_largest_groups_are_in_the_leaderboard(experiment, monkeypatch):
    monkeypatch.setattr(content_module, "MOST_GROUPS", 1)
    groups = {request: "few" if k < 3 else "many" for k, request in enumerate(GROUPS)}
    content = rankings(experiment, groups=groups).content()
    assert content.groups == {"many": 9}
    assert [*left_out(content)] == ["The leaderboard has the largest of 2 groups of requests."]


def test_what_is_not_computed_for_large_experiments_is_told(experiment, monkeypatch):
    assert [*left_out(rankings(experiment).content())] == []
    monkeypatch.setattr(leaders, "MOST_RESAMPLED", 1)
    monkeypatch.setattr(utility_content, "MOST_ORDERED", 1)
    intervals, leximin = left_out(rankings(experiment).content())
    assert intervals == "Ranks by MC4 have no intervals: a bootstrap of so many pairs and requests takes too long."
    assert leximin.startswith("Runs are not ordered by leximin")
    monkeypatch.setattr(sections, "MOST_DRAWN", 3)
    assert "Ranks of the first 3 runs by LexiPrecision, RPP and LexiRecall" in experiment.report().to_html()


def test_the_answer_says_what_its_measures_are(experiment):
    words = "RPP is recall-paired preference"
    assert words in experiment.report(sections=["answer"]).to_html()
    assert words not in CASES["utilities"]().report(sections=["answer"]).to_html()


def small(runs, requests="qr"):
    return tb.Experiment({q: {"a": 1, "b": 1} for q in requests}, runs)


CASES = {
    "one run": lambda: small({"x": {"q": ["a", "b"], "r": ["b"]}}),
    "one request": lambda: small({"x": {"q": ["a"]}, "y": {"q": ["b", "a"]}}, "q"),
    "nothing retrieved": lambda: small({name: {"q": ["c"], "r": ["d"]} for name in "xyz"}),
    "long names": lambda: small({f"{k}{'x' * 300}{k}": {"q": ["a"], "r": ["b"]} for k in range(3)}),
    "utilities of one run": lambda: tb.Utilities({"x": {"q": 1.0, "r": 0.0}}),
    "utilities of one request": lambda: tb.Utilities({"x": {"q": 1.0}, "y": {"q": 0.5}}),
    "utilities": lambda: tb.Utilities(
        {"x": {"q": 1.0, "r": 0.0}, "y": {"q": 0.5, "r": 0.5}}, groups={"q": "g", "r": "h"}
    ),
}
WORDS = {
    "one run": "There is one run, x, so nothing is compared.",
    "one request": "Over 1 request, the two runs were not shown to differ",
    "nothing retrieved": "all runs tie",
    "long names": "0xxx",
    "utilities of one run": "There is one run, x, so nothing is compared.",
    "utilities of one request": "By the mean of utility, x comes first, but no two runs were shown to differ",
    "utilities": "by its worst requests (leximin, an order without a test), y comes first",
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", CASES)
def test_small_and_odd_experiments_have_a_page(case):
    page = CASES[case]().report(date=False).to_html()
    assert WORDS[case] in page
    assert len(page) < 1_200_000


@pytest.mark.slow
def test_forty_runs_of_250_requests_take_less_than_two_megabytes(monkeypatch):
    monkeypatch.setattr(leaders, "RESAMPLES", 500)
    rng = np.random.default_rng(0)
    qrels = {
        f"q{k}": {f"d{i}": int(g) for i, g in enumerate(rng.integers(1, 3, rng.integers(5, 36)))} for k in range(250)
    }
    runs = {f"run{r}": {q: [f"d{i}" for i in rng.permutation(200)[:100]] for q in qrels} for r in range(40)}
    page = tb.Experiment(qrels, runs).report(date=False).to_html()
    assert len(page.encode()) < 2_000_000
    assert re.search(r"Positions of items are shown for \d+ of 250 requests", page)


def test_the_same_input_makes_the_same_bytes(experiment):
    pages = [experiment.report(date=False).to_html() for _ in range(2)]
    assert pages[0] == pages[1]


def test_the_page_has_the_sections_that_are_asked_for(experiment):
    def ids(**how):
        return re.findall(r'<section id="([\w-]+)"', experiment.report(date=False, **how).to_html())

    assert ids() == [name for name in SECTION_NAMES if name != "diversity"]
    assert ids(template="summary") == list(TEMPLATES["summary"])
    assert ids(sections=["settings", "answer"]) == ["settings", "answer"]
    with pytest.raises(InputError, match="section"):
        experiment.report(sections=["everything"])
    with pytest.raises(InputError, match="template"):
        experiment.report(template="everything")


def test_the_page_says_the_sentences_and_embeds_the_data(experiment, content):
    page = experiment.report(measures=["nDCG@10", LOWER, "dcgRPP"], groups=GROUPS, date=False)
    text = page.to_html()
    assert all(
        sentence.replace("'", "&#x27;").replace("<", "&lt;") in text for sentence in three_sentences(content.claims)
    )
    assert {key: embedded(page)[key] for key in page_data(content)} == json.loads(json.dumps(page_data(content)))


def test_what_was_odd_is_told_before_the_table():
    exp = small({"x": {"q": ["a", "b"], "r": ["a"]}, "y": {"q": ["a"], "r": ["a"]}})
    page = exp.report(sections=["input"], date=False).to_html()
    (warning, *_) = exp.audit().warnings
    assert warning.startswith("Depths differ, from 1 to 2")
    assert page.count(warning) == 1 and page.index("What was odd:") < page.index(warning) < page.index("<table")


def test_diversity_is_there_where_items_have_aspects(experiment):
    simulation = tb.simulate(4, systems=SYSTEMS[:2], depth=20, relevant=5, seed=3)
    aspects = {item: list(kinds) for items in simulation.aspects.values() for item, kinds in items.items()}
    page = tb.Experiment(simulation.judgements, simulation.runs, aspects=aspects).report(date=False).to_html()
    assert 'id="diversity"' in page and "alpha_beta_nDCG@10" in page
    assert 'id="diversity"' not in experiment.report(date=False).to_html()
    assert "Neither items nor judgements have aspects" in experiment.report(sections=["diversity"]).to_html()


def test_inputs_are_told_with_their_checksums(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text("q 0 a 1\n")
    assert checksum(str(path)) == hashlib.sha256(b"q 0 a 1\n").hexdigest()
    exp = tb.Experiment(path, {"x": {"q": ["a"]}, "y": {"q": ["b"]}})
    rows = input_table(exp._inputs({"q": "g"})).rows
    assert rows[0] == ("judgements", str(path), "8", checksum(str(path)))
    assert [row[:2] for row in rows[1:]] == [
        (name, "not a file: in memory, or read from a stream") for name in ("run x", "run y", "groups")
    ]


def test_utilities_have_pairs_without_rankings():
    table = {run: {f"q{k}": (k * step) % 7 / 7 for k in range(20)} for run, step in (("x", 2), ("y", 3), ("z", 5))}
    utilities = tb.Utilities(table, measure="accuracy")
    content = UtilityPage(utilities, {}, {}).content()
    data = page_data(content)
    rows = utilities.compare().summary().values
    assert data["measures"][0]["pairs"]["mean"] == short(*(row.value for row in rows))
    assert data["details"] is None and data["curve"] is None
    assert content.claims.first_by_leximin == tuple(utilities.order("leximin").groups[0])


def test_costs_are_told_where_runs_are_ranked_by_them():
    costs = {"x": {"q": 1.0, "r": 3.0}, "y": {"q": 2.0, "r": 4.0}}
    for lower_is_better in (True, False):
        utilities = tb.Utilities(costs, lower_is_better=lower_is_better)
        (measure,) = page_data(UtilityPage(utilities, {}, {}).content())["measures"]
        assert ("minus the values given" in measure["about"]) == lower_is_better


def test_utilities_of_many_requests_are_not_ordered_exactly(monkeypatch):
    monkeypatch.setattr(utility_content, "MOST_ORDERED", 3)
    content = UtilityPage(CASES["utilities"](), {}, {}).content()
    assert content.claims.first_by_leximin == ()
    assert {row["measure"] for row in content.orders[0].records()} == set(utility_content.CASES)


def test_reports_of_utilities_tell_their_file(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("run,request,value\nx,q,1\ny,q,0.5\nx,r,0\ny,r,1\n")
    assert checksum(str(path)) in tb.Utilities(path).report(sections=["settings"]).to_html()
