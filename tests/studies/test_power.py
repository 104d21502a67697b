"""Discriminative power of measures, and what draws leave open."""

from dataclasses import replace

import numpy as np
import pytest

import tiebreak as tb
from tiebreak.studies._power import power, share_interval


@pytest.fixture(scope="module")
def experiment():
    result = tb.simulate(requests=30, seed=3)
    return tb.Experiment(result.judgements, [tb.Run(run, name=name) for name, run in result.runs.items()])


def test_share_is_that_of_the_tests(experiment):
    actual = power(experiment, ["RPP", "AP"], "t", correction="bonferroni")
    for row in actual.rows():
        test = experiment.compare(row.measure).test("t", correction="bonferroni")
        assert (row.pairs, row.separated) == (len(test.pvalue), int((test.pvalue * len(test.pvalue) < 0.05).sum()))
        assert row.share == row.low == row.high == row.separated / row.pairs
    shares = [(row["measure"], row["share"]) for row in actual.to_dict()["rows"]]
    assert shares == [(row.measure, row.share) for row in actual.rows()]


def test_papers_tests_are_used_by_default(experiment):
    rows = {row.measure: row for row in power(experiment).rows()}
    assert {name: row.test for name, row in rows.items()} == {
        "RPP": "t",
        "LexiRecall": "sign",
        "LexiPrecision": "sign",
        "AP": "t",
        "nDCG": "t",
        "RR": "t",
    }
    assert {row.correction for row in rows.values()} == {"holm"}


def test_curve_is_the_sorted_p_values(experiment):
    actual = power(experiment, ["RPP"], "hsd", permutations=99, seed=1)
    expected = sorted(experiment.compare("RPP").test("hsd", permutations=99, seed=1).pvalue.tolist())
    assert actual.curve("RPP").tolist() == expected
    assert list(actual.curves()) == [("RPP", k, p) for k, p in enumerate(expected, start=1)]


def test_interval_of_draws_holds_what_many_more_draws_find(experiment):
    few = power(experiment, ["RPP"], "hsd", permutations=200, seed=1)
    (row,) = few.rows()
    (many,) = power(experiment, ["RPP"], "hsd", permutations=20_000, seed=2).rows()
    assert row.low <= row.share <= row.high
    assert row.low <= many.share <= row.high
    assert many.high - many.low <= row.high - row.low


def test_interval_by_hand(experiment):
    # 1 of 99 draws reached: the 95% interval of p by Clopper and Pearson is 0.00026 to 0.055; 0 of 99: 0 to 0.0366.
    test = experiment.compare("RPP").test("hsd", permutations=99)
    changed = test.outcome._replace(pvalue=np.where(np.arange(len(test.pvalue)) == 0, 0.02, 0.01))
    result = replace(test, correction="none", alpha=0.05, outcome=changed)
    pairs = len(test.pvalue)
    assert share_interval(result) == ((pairs - 1) / pairs, 1.0)


def with_pvalue(test, value):
    return test.outcome._replace(pvalue=np.full_like(test.pvalue, value))


def test_interval_of_a_doubled_share_is_doubled(experiment):
    # p of the bootstrap is twice a share: 0.04 is 1 of 99 draws, whose interval is 0.00026 to 0.055.
    test = experiment.compare("RPP").test("bootstrap", permutations=99, correction="none")
    result = replace(test, outcome=with_pvalue(test, 0.04))
    assert share_interval(result) == (0.0, 1.0)
    result = replace(test, outcome=with_pvalue(test, 0.02))
    assert share_interval(result) == (0.0, 1.0)  # 0 of 99: up to twice 0.0366


def test_what_cannot_be_meant_is_refused(experiment):
    with pytest.raises(tb.InputError, match="no measure was given"):
        power(experiment, [])
    actual = power(experiment, "RPP")
    assert [row.measure for row in actual.rows()] == ["RPP"]
    with pytest.raises(tb.TiebreakError, match="AP"):
        actual.curve("AP")


def test_results_are_tables_and_frames(experiment):
    actual = power(experiment, ["RPP", "AP"])
    assert "percent" in repr(actual) and r"\toprule" in actual.to_latex()
    pytest.importorskip("polars")
    assert actual.to_frame().columns[:3] == ["measure", "test", "correction"]


def test_studies_are_found_by_their_names():
    assert tb.studies.power is power
    assert set(dir(tb.studies)) == set(tb.studies.__all__)
    assert all(callable(getattr(tb.studies, name)) for name in {*tb.studies.__all__} - {"CATALOGUE"})
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = tb.studies.nothing


def test_one_metric_preference_or_function_is_enough(experiment):
    def first(p):
        return 1 / p[0]

    for measure in (tb.metric("AP"), tb.preference("RPP"), first):
        (row,) = power(experiment, measure, "t").rows()
        assert row.measure in ("AP", "RPP", first.__qualname__)


def test_notes_say_how_pairs_were_told_apart(experiment):
    assert any("p < 0.05" in note for note in power(experiment, "AP", "t").notes)
