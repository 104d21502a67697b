"""What Spark computes without values of requests is what is computed here of all of them."""

import numpy as np
import pytest

import tiebreak as tb
from engines import spark_session
from engines.parity import FIGURES
from engines.test_spark import frames, make_tables
from tiebreak.engines import spark as engine

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # of py4j's sockets
    pytest.mark.filterwarnings("ignore::tiebreak.errors.TiebreakWarning"),
]
CLOSE = {"rtol": 1e-12, "atol": 1e-12}


@pytest.fixture(scope="module")
def session():
    session = spark_session.start()
    yield session
    session.stop()


@pytest.fixture(params=[1, 2, 7])
def partitions(request, session):
    session.conf.set("spark.sql.shuffle.partitions", str(request.param))
    return request.param


@pytest.fixture
def both(session, partitions, monkeypatch):
    """An experiment on Spark in blocks of few requests, and one here."""
    monkeypatch.setattr(engine, "ROWS_AT_ONCE", 40)
    judged, runs = make_tables()
    return tb.Experiment(*frames(session, judged, runs)), tb.Experiment(judged, runs)


def test_figures_of_whole_runs_are_the_same_on_spark(both):
    """And geometric means."""
    on_spark, local = both
    for per_request in (None, False):
        measures = [*FIGURES, "nDCG@5", "gm(AP)"]
        result, expected = (exp.evaluate(measures, per_request=per_request) for exp in (on_spark, local))
        assert repr(result.summary().values) == repr(expected.summary().values)
        assert result.notes == expected.notes


@pytest.mark.parametrize("measure", ["RPP", "diff(nDCG@5)", "LexiRecall"])
def test_draws_are_the_same_on_spark(both, measure):
    on_spark, local = both
    counts, kept = on_spark.compare(measure, per_request=False), local.compare(measure)
    for test in ("permutation", "hsd"):
        result, expected = (one.test(test, permutations=200, seed=3) for one in (counts, kept))
        assert result.pvalue.tolist() == expected.pvalue.tolist()
        np.testing.assert_allclose(result.outcome.high, expected.outcome.high, **CLOSE)
    in_blocks = local.compare(measure, per_request=False)
    result, expected = (one.test("bootstrap", permutations=200) for one in (counts, in_blocks))
    assert result.pvalue.tolist() == expected.pvalue.tolist()
    assert result.outcome.low.tolist() == expected.outcome.low.tolist()
    samples = [one.bootstrap(resamples=20) for one in (counts, in_blocks)]
    assert (
        samples[0].ranks.tolist() == samples[1].ranks.tolist() and samples[0].wins.tolist() == samples[1].wins.tolist()
    )
    np.testing.assert_allclose(counts.test("wilcoxon").pvalue, kept.test("wilcoxon").pvalue, **CLOSE)


def test_populations_of_draws_are_the_same_on_spark(both):
    for measure in ("nDCG@5", "AP"):
        on_spark, local = (exp.utilities(measure, per_request=False) for exp in both)
        for spec in ("leximin", "mean", "gmean"):
            result, expected = (one.bootstrap(spec, resamples=20, seed=3) for one in (on_spark, local))
            assert result.ranks.tolist() == expected.ranks.tolist() and result.notes == expected.notes


def test_groups_are_the_same_on_spark(both):
    groups = {request: "xy"[k % 2] for k, request in enumerate(both[1].judgements.requests)}
    result, expected = (
        exp.evaluate(["nDCG@5", "gm(AP)"], per_request=keep).by_group(groups).summary()
        for exp, keep in zip(both, (False, True), strict=True)
    )
    assert sorted(result.rows()) == sorted(expected.rows()) and result.sizes == expected.sizes
    for measure in ("RPP", "diff(nDCG@5)"):
        counts, kept = (
            exp.compare(measure, per_request=keep).by_group(groups)
            for exp, keep in zip(both, (False, True), strict=True)
        )
        for group, part in kept.parts.items():
            assert counts[group].mean.tolist() == part.mean.tolist()
            assert counts[group].win_tie_loss.tolist() == part.win_tie_loss.tolist()
            assert counts[group].order().ranks.tolist() == part.order().ranks.tolist()
        tests = [one.test("permutation", permutations=100) for one in (counts, kept)]
        assert all(tests[0][group].pvalue.tolist() == tests[1][group].pvalue.tolist() for group in kept.parts)
