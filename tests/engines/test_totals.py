"""Sums and counts in place of values: what is told of all requests is the same, the rest is refused."""

import os
import pickle
import random
import re
from fractions import Fraction

import numpy as np
import pyarrow as arrow
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from engines.parity import BY_REQUEST, FIGURES, PAIRWISE, experiment, outcome
from tiebreak.engines import tasks
from tiebreak.exact.value_counts import ValueCounts
from tiebreak.inputs.counted_utilities import CountedUtilities
from tiebreak.orderings import CATALOGUE as METHODS
from tiebreak.orderings import Method
from tiebreak.populations import CATALOGUE as POPULATIONS
from tiebreak.significance import size_counts
from tiebreak.significance.classic import Wilcoxon, by_size

WHOLE, BLOCKS = experiment(), experiment(4)
BOTH = pytest.mark.parametrize("exp", [WHOLE, BLOCKS], ids=["whole", "blocks"])
CLOSE = {"rtol": 1e-12, "atol": 1e-300}
pytestmark = pytest.mark.filterwarnings("ignore::tiebreak.errors.TiebreakWarning")


@pytest.mark.one_in(3)
@BOTH
@pytest.mark.parametrize("measure", BY_REQUEST)
def test_means_and_intervals_of_sums(exp, measure):
    kept, _ = outcome(WHOLE.evaluate, measure)
    sums, _ = outcome(lambda: exp.evaluate(measure, per_request=False))
    assert repr(sums.summary().values) == repr(kept.summary().values)
    assert sums.summary().best == kept.summary().best
    assert sums.notes == kept.notes
    for mean, expected in zip(sums.intervals().values, kept.intervals().values, strict=True):
        assert (mean.run, mean.measure, mean.value, mean.n_requests) == (*expected[:3], expected.n_requests)
        np.testing.assert_allclose(mean[3:5], expected[3:5], **CLOSE)


@BOTH
def test_geometric_means_by_value_counts(exp):
    measures = ["gm(AP)", "gm(nDCG@3)", "gm(P@5)", "AP"]
    kept, sums = WHOLE.evaluate(measures), exp.evaluate(measures, per_request=False)
    assert repr(sums.summary().values) == repr(kept.summary().values)
    assert sums.summary().best == kept.summary().best and sums.notes == kept.notes


@BOTH
def test_figures_of_whole_runs_beside_sums(exp):
    measures = [*FIGURES, "nDCG@3"]
    kept, sums = WHOLE.evaluate(measures), exp.evaluate(measures, per_request=False)
    assert repr(sums.summary().values) == repr(kept.summary().values)
    assert sums.figures.keys() == kept.figures.keys() and sums.notes == kept.notes


@pytest.mark.one_in(3)
@BOTH
@pytest.mark.parametrize("baseline", [None, "old"])
@pytest.mark.parametrize("measure", PAIRWISE)
def test_pairs_by_counts(exp, measure, baseline):
    kept, _ = outcome(WHOLE.compare, measure, baseline)
    counts, _ = outcome(lambda: exp.compare(measure, baseline, per_request=False))
    if isinstance(kept, tuple):
        assert counts == kept
        return
    assert counts.mean.tolist() == kept.mean.tolist()
    assert counts.win_tie_loss.tolist() == kept.win_tie_loss.tolist()
    assert counts.share_tied == kept.share_tied and len(counts.requests) == len(kept.requests)
    np.testing.assert_allclose(counts.deviation, kept.deviation, **CLOSE)
    summary, expected = counts.summary(), kept.summary()
    assert summary.notes == expected.notes
    assert [row[:4] for row in summary.values] == [row[:4] for row in expected.values]
    for test in ("t", "sign", "wilcoxon"):
        for alternative in ("two-sided", "greater", "less"):
            result = counts.test(test, alternative=alternative)
            other = kept.test(test, alternative=alternative)
            np.testing.assert_allclose(result.pvalue, other.pvalue, **CLOSE)
            np.testing.assert_allclose(result.statistic, other.statistic, **CLOSE)
    for by in METHODS if baseline is None else ():
        assert repr(counts.order(by).rows()) == repr(kept.order(by).rows())
        assert counts.order(by).cycles == kept.order(by).cycles


@BOTH
@pytest.mark.parametrize("spec", [*POPULATIONS, "leximin(digits=1)", "leximax(digits=1)", "smoothed_leximin(digits=1)"])
def test_populations_of_value_counts(exp, spec):
    for measure in ("nDCG@3", "AP", "TSE", "P@5"):
        expected, _ = outcome(lambda m=measure: WHOLE.utilities(m).order(spec))
        result, _ = outcome(lambda m=measure: exp.utilities(m, per_request=False).order(spec))
        if isinstance(result, tuple):
            compares_requests = result[2]["kind"] == "per_request" and spec in ("georisk", "gain", "urisk", "trisk")
            assert compares_requests or result == expected
            continue
        assert result.notes == tuple(note.replace("request, value", "value") for note in expected.notes)
        assert known_facts(result) == known_facts(expected)


def known_facts(ordering):
    """All but which request decides, which counts do not tell."""
    names = [name for name in ordering.columns if name not in ("request", "next_request")]
    return [
        [repr(value) for name, value in zip(ordering.columns, row, strict=True) if name in names]
        for row in ordering.rows()
    ]


def test_counts_of_a_billion_requests_are_ordered_without_spreading_them():
    counts = np.array([[10**9, 10**9 - 1], [0, 1], [5, 5]])
    counted = ValueCounts([Fraction(0), Fraction(1, 2), Fraction(1)], counts)
    utilities = tb.Utilities.from_table(CountedUtilities.from_counts(("a", "b"), counted, None), "made up")
    order = utilities.order("leximin")
    assert order.ranking() == ["b", "a"] and order.facts["b"].place == 10**9  # the last 0 of a is 1/2 of b
    assert (order.facts["b"].value, order.facts["b"].next_value, order.facts["a"].zeros) == (0.5, 0, 10**9)
    assert utilities.order("leximax").facts["b"].place == 10**9
    assert [row.value for row in utilities.evaluate(["median", "max"]).values] == [0, 0, 1, 1]


class Plurality(Method):
    """A method without a way to add up samples."""

    name = "plurality"

    def scores(self, ballots):
        is_first = ballots.win_rate_codes == ballots.win_rate_codes.max(axis=0)
        return [Fraction(int(wins), ballots.n_requests) for wins in is_first.sum(axis=1)]


NEEDS_VALUES = {
    "bootstrap of one's own": lambda c: c.bootstrap(Plurality()),
    "tukey": lambda c: c.test("tukey"),
    "rows": lambda c: list(c.rows()),
    "between": lambda c: c.between("old", "new"),
    "orders of requests": lambda c: c.order_requests(),
    "one request": lambda c: c.order(request="q0é"),
    "win rates": lambda c: c.win_rate(),
}


@pytest.mark.parametrize("use", NEEDS_VALUES.values(), ids=NEEDS_VALUES)
def test_what_needs_values_says_so(use):
    compared = BLOCKS.compare("diff(nDCG@3)", per_request=False)
    with pytest.raises(tb.InputError, match="per_request=True"):
        use(compared)


@pytest.mark.parametrize(
    "use", [lambda s: s.values, lambda s: s["AP"], lambda s: list(s.rows()), lambda s: s.against()]
)
def test_scores_without_values_say_so(use):
    with pytest.raises(tb.InputError, match="per_request=True"):
        use(BLOCKS.evaluate("AP", per_request=False))


def test_values_are_kept_unless_they_are_too_many(monkeypatch):
    assert BLOCKS.evaluate("AP").values.shape == (3, 17, 1)
    monkeypatch.setattr(tasks, "MOST_HELD", 3 * 20)
    assert not BLOCKS.evaluate("AP").sums and not BLOCKS.evaluate(["AP", "RR"], per_request=True).sums
    scores, compared = BLOCKS.evaluate(["AP", "RR"]), BLOCKS.compare(["RPP", "LexiRecall"])
    assert scores.sums and compared["RPP"].totals is None  # three pairs of runs
    monkeypatch.setattr(tasks, "MOST_HELD", 3 * 20 - 1)
    assert BLOCKS.compare("RPP").totals is not None
    assert not WHOLE.evaluate(["AP", "RR"]).sums, "what was read as a whole is kept"
    assert any("per_request=True" in note for note in scores.notes)
    assert any("per_request=True" in note for note in BLOCKS.order("leximin(AP)").notes)


def test_runs_that_tie_exactly_tie_by_their_sums():
    judged = {f"q{k}": {"a": 1, "b": 2, "c": 1} for k in range(9)}
    ranking = [{"a": 3.0, "x": 2.0, "b": 1.0}, {"b": 3.0, "x": 2.0, "y": 1.0}, {"x": 1.0, "c": 0.5}]
    runs = {
        name: {f"q{k}": ranking[(k + shift) % 3] for k in range(9)} for name, shift in {"x": 0, "y": 1, "z": 2}.items()
    }
    exp = tb.Experiment(judged, runs, block_requests=2)
    scores = exp.evaluate(["nDCG", "AP"], per_request=False)
    assert len(scores.summary().best) == 6
    assert exp.compare("diff(nDCG)", per_request=False).order().ranks.tolist() == [1, 1, 1]


def test_states_can_be_pickled():
    positions = WHOLE.positions
    for task in (
        tasks.MetricValues(tuple(map(tb.metric, ["nDCG@3", "AP"])), per_request=False),
        tasks.UtilityValues((tb.metric("nDCG@3"),), per_request=False),
    ):
        totals = task.fit(0, positions.runs)
        state = totals.partial(positions)
        for copy in (pickle.loads(pickle.dumps(state)), pickle.loads(pickle.dumps(totals.detach(state)))):
            joined = totals.join([totals.attach(copy, lambda state=state: state)])
            assert len(joined.requests) == len(totals.join([state]).requests)
            if joined.sums:
                again = [[sums.sample(r).mean().exact for r in range(3)] for sums in joined.sums]
                assert again == [[sums.sample(r).mean().exact for r in range(3)] for sums in state.sums]


@given(
    st.dictionaries(st.fractions(-2, 2, max_denominator=4), st.integers(1, 12), min_size=1),
    st.sampled_from(["two-sided", "greater", "less"]),
)
def test_wilcoxon_of_counts_is_that_of_all_differences(counts, alternative):
    test = Wilcoxon(alternative=alternative)
    differences = np.array([float(value) for value, n in counts.items() for _ in range(n) if value])
    expected = test.of_differences(differences) if len(differences) else (0.0, 1.0)
    np.testing.assert_allclose(test.of_sizes(by_size(counts)), expected, rtol=1e-11, atol=1e-15)


def test_sizes_of_many_requests_that_share_floats_are_ranked_exactly():
    """Differences of nDCG that tie exactly, with other floats on the way, and more of them than are enumerated."""
    rng = random.Random(5)
    items = "abcdefgh"
    judged = {f"q{k}": {item: rng.choice([1, 2, 3]) for item in rng.sample(items, 3)} for k in range(150)}
    runs = {name: {q: {i: rng.random() for i in rng.sample(items, 5)} for q in judged} for name in "xyz"}
    kept = tb.Experiment(judged, runs).compare("diff(nDCG)")
    assert kept.win_tie_loss[:, 1].max() < 100
    for size in (None, 40, 7):
        counts = tb.Experiment(judged, runs, block_requests=size).compare("diff(nDCG)", per_request=False)
        for alternative in ("two-sided", "greater", "less"):
            result, expected = (one.test("wilcoxon", alternative=alternative) for one in (counts, kept))
            np.testing.assert_allclose(result.pvalue, expected.pvalue, rtol=1e-11)
            assert result.statistic.tolist() == expected.statistic.tolist()


@pytest.mark.parametrize("size", [None, 1])
@pytest.mark.parametrize("measure", ["AP", "RPP"])
def test_runs_that_tie_for_every_request_differ_by_no_test(size, measure):
    judged, runs = {"q": {"a": 1, "b": 1}, "r": {"a": 1}}, {name: {"q": {"a": 1.0}} for name in "xyz"}
    compared = tb.Experiment(judged, runs, block_requests=size).compare(measure, per_request=False)
    parts = compared.by_group({"q": "one", "r": "other"}).parts.values()
    for test in ("t", "sign", "wilcoxon", "permutation", "bootstrap", "hsd"):
        assert compared.test(test).pvalue.tolist() == [1, 1, 1]
    for one in (compared, *parts):
        assert one.test("wilcoxon").pvalue.tolist() == [1, 1, 1]
        assert [row[-1] for row in one.summary("wilcoxon").values] == [1, 1, 1]


@pytest.mark.parametrize("size", [None, 1])
def test_intervals_of_measures_that_have_no_value(size):
    judged, runs = {"q": {"a": 1}, "r": {"a": 2, "b": 1}}, {name: {"q": {"a": 1.0}} for name in "xy"}
    scores = tb.Experiment(judged, runs, block_requests=size).evaluate(["P(rel=3)@5", "AP"], per_request=False)
    kept = tb.Experiment(judged, runs).evaluate(["P(rel=3)@5", "AP"])
    assert repr(scores.intervals().rows()) == repr(kept.intervals().rows())
    in_q = scores.by_group({"q": "one", "r": "other"})["one"]
    assert [row.n_requests for row in in_q.intervals().values] == [0, 1, 0, 1]
    with pytest.raises(tb.InputError, match="per_request=True"):
        scores.against()


def test_too_many_different_sizes_are_refused(monkeypatch):
    monkeypatch.setattr(size_counts, "MOST_HELD", 400)
    with pytest.raises(tb.InputError, match=r"more than .* different ones"):
        BLOCKS.compare("diff(nDCG@3)", per_request=False).test("wilcoxon")


@BOTH
def test_values_of_requests_are_written_in_place_of_being_kept(exp, tmp_path):
    path = tmp_path / "scores.parquet"
    scores = exp.evaluate(["nDCG@3", "AP"], per_request=path)
    assert scores.sums and scores.summary().values == WHOLE.evaluate(["nDCG@3", "AP"]).summary().values
    rows = pq.read_table(path).to_pylist()
    assert sorted(tuple(row.values()) for row in rows) == sorted(map(tuple, WHOLE.evaluate(["nDCG@3", "AP"]).rows()))
    path = tmp_path / "pairs.parquet"
    compared, kept = exp.compare("RPP", per_request=str(path)), WHOLE.compare("RPP")
    assert compared.totals is not None and compared.mean.tolist() == kept.mean.tolist()
    assert sorted(tuple(row.values()) for row in pq.read_table(path).to_pylist()) == sorted(map(tuple, kept.rows()))
    assert sorted(os.listdir(tmp_path)) == ["pairs.parquet", "scores.parquet"], "no draft is left"


@pytest.mark.parametrize("block_requests", [None, 1])
def test_values_are_not_written_over_an_input(tmp_path, monkeypatch, block_requests):
    monkeypatch.chdir(tmp_path)
    for name in ("runs", "folder.parquet"):
        os.mkdir(name)
    rows = {"request": ["1", "2"], "item": ["a", "b"], "score": [1.0, 1.0]}
    inputs = ["judged.parquet", "run.parquet", "runs/b.parquet", "folder.parquet/part.parquet"]
    for path in inputs:
        pq.write_table(arrow.table(rows), path)
    os.symlink("run.parquet", "link.parquet")
    runs = ["run.parquet", "runs", "folder.parquet"]
    exp = tb.Experiment("judged.parquet", runs, block_requests=block_requests)
    for path in (*inputs, "link.parquet", str(tmp_path / "run.parquet")):
        for call in (exp.evaluate, exp.utilities, exp.compare):
            with pytest.raises(tb.InputError, match=r"^\S+ is also an input file\. Choose another"):
                call("AP", per_request=path)
    assert all(pq.read_table(path).to_pydict() == rows for path in inputs)
    exp.evaluate("AP", per_request="runs/new.parquet")


def test_orders_that_compare_requests_keep_their_values(monkeypatch):
    monkeypatch.setattr(tasks, "MOST_HELD", 10)
    for order in ("urisk(AP, baseline='new')", "trisk(AP, baseline='new')", "georisk(AP)", "leximin(AP)"):
        expected = WHOLE.order(order)
        assert known_facts(BLOCKS.order(order)) == known_facts(expected), order


def test_values_are_written_once_where_runs_tie(tmp_path):
    path, judged = tmp_path / "v.parquet", {f"q{k}": {"a": 1, "b": 1} for k in range(6)}
    runs = {name: {q: {"x": 2.0, "a": 1.0} for q in judged} for name in ("same", "alike")}
    scores = tb.Experiment(judged, runs, block_requests=2).evaluate("nDCG", per_request=path)
    assert len(scores.summary().best) == 2, "for which exact sums are asked for"
    assert pq.read_table(path).num_rows == 12


@pytest.mark.parametrize(
    "call",
    [
        lambda folder: BLOCKS.evaluate("AP", per_request=folder / "scores.csv"),
        lambda folder: BLOCKS.evaluate("AP", per_request=""),
        lambda folder: BLOCKS.compare(["RPP", "AP"], per_request=folder / "pairs.parquet"),
        lambda folder: BLOCKS.evaluate("AP", per_request=folder / "absent" / "scores.parquet"),
    ],
)
def test_files_that_cannot_be_written(call, tmp_path):
    with pytest.raises(tb.InputError) as error:
        call(tmp_path)
    assert error.value.kind == "output" and os.listdir(tmp_path) == []


@pytest.mark.parametrize("per_request", [1, 0, 1.5, b"values.parquet", ["values.parquet"]])
@pytest.mark.parametrize(
    "call",
    [
        lambda how: BLOCKS.evaluate("AP", per_request=how),
        lambda how: BLOCKS.compare("RPP", per_request=how),
        lambda how: BLOCKS.compare(["RPP", "AP"], per_request=how),
        lambda how: BLOCKS.utilities("AP", per_request=how),
        lambda how: BLOCKS.utilities("AP", weights={"q0é": 1}, per_request=how),
    ],
)
def test_what_is_neither_true_nor_false_nor_a_path_is_refused(call, per_request):
    words = rf"^per_request={re.escape(str(per_request))}\. Give True, False, or the path of a parquet file\.$"
    with pytest.raises(tb.InputError, match=words):
        call(per_request)


@BOTH
@pytest.mark.parametrize("measure", ["AP", "TSE"])
def test_values_of_utilities_are_written_as_those_of_scores(exp, measure, tmp_path):
    utilities = exp.utilities(measure, per_request=tmp_path / "utilities.parquet")
    exp.evaluate(measure, per_request=tmp_path / "scores.parquet")
    rows, expected = (pq.read_table(tmp_path / name).to_pylist() for name in ("utilities.parquet", "scores.parquet"))
    assert rows == expected and len(rows) > 0
    assert known_facts(utilities.order("leximin")) == known_facts(WHOLE.utilities(measure).order("leximin"))
    with pytest.raises(tb.InputError, match="weights and groups need values that are kept"):
        exp.utilities(measure, groups={"q0é": "a"}, per_request=tmp_path / "groups.parquet")
    assert not (tmp_path / "groups.parquet").exists()


class Named:
    """A path of another library."""

    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return self.path


@pytest.mark.parametrize(
    "path", [str, lambda path: path, lambda path: Named(str(path)), lambda path: Named(bytes(path))]
)
def test_any_path_names_the_file_of_values(path, tmp_path):
    BLOCKS.evaluate("AP", per_request=path(tmp_path / "scores.parquet"))
    assert pq.read_table(tmp_path / "scores.parquet").num_rows > 0
