"""tiebreak's metrics in PyTerrier, and its frames in tiebreak; no Java is started."""

import warnings

import pytest

import tiebreak as tb

pytestmark = pytest.mark.filterwarnings("ignore")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pt = pytest.importorskip("pyterrier")
    import ir_measures
    import pandas

    from tiebreak.ir_measures import TSE, TSL

TOPICS = pandas.DataFrame([("q1", "one"), ("q2", "two"), ("q3", "three")], columns=["qid", "query"])
QRELS = pandas.DataFrame(
    [("q1", "a", 2), ("q1", "b", 1), ("q2", "a", 1), ("q3", "a", 0)], columns=["qid", "docno", "label"]
)
BM25 = pandas.DataFrame(
    [("q1", "a", 2.0, 0), ("q1", "b", 1.0, 1), ("q2", "x", 1.0, 0)], columns=["qid", "docno", "score", "rank"]
)
DENSE = pandas.DataFrame([("q1", "b", 1.0, 0), ("q2", "a", 1.0, 0)], columns=["qid", "docno", "score", "rank"])
MEASURES = [ir_measures.nDCG @ 10, TSE]


def test_own_measures_and_these_side_by_side():
    table = pt.Experiment([BM25, DENSE], TOPICS, QRELS, MEASURES, names=["bm25", "dense"])
    assert list(table.columns) == ["name", "nDCG@10", "TSE"]
    assert table["TSE"].tolist() == pytest.approx([(1 / 2 + 0 + 0) / 3, (0 + 1 + 0) / 3])  # q3 has nothing relevant: 0
    own = pt.Experiment([BM25, DENSE], TOPICS, QRELS, MEASURES[:1], names=["bm25", "dense"])
    assert table["nDCG@10"].tolist() == own["nDCG@10"].tolist()


def test_a_baseline_and_its_tests():
    table = pt.Experiment([BM25, DENSE], TOPICS, QRELS, MEASURES, names=["bm25", "dense"], baseline=0)
    assert table["TSE +"].tolist()[1] == 1 and table["TSE"].tolist() == pytest.approx([1 / 6, 1 / 3])


def test_transformers_in_batches():
    system = pt.Transformer.from_df(BM25)
    whole, batches = (
        pt.Experiment([system], TOPICS[:2], QRELS, [*MEASURES, TSL(n=100)], names=["bm25"], batch_size=size)
        for size in (None, 1)
    )
    columns = ["nDCG@10", "TSE", "TSL(n=100)"]
    assert whole[columns].to_numpy().tolist() == batches[columns].to_numpy().tolist()
    assert whole["TSL(n=100)"].item() == (2 + 100) / 2


def test_measures_without_a_value_for_a_topic_have_no_mean():
    table = pt.Experiment([BM25], TOPICS, QRELS, [TSL(n=100)], names=["bm25"])
    assert table["TSL(n=100)"].isna().all()  # of q3, which has nothing relevant
    table = pt.Experiment([BM25], TOPICS[:2], QRELS, [TSL(n=100)], names=["bm25"])
    assert table["TSL(n=100)"].tolist() == [(2 + 100) / 2]


def test_frames_of_all_queries_are_utilities():
    table = pt.Experiment([BM25, DENSE], TOPICS, QRELS, MEASURES, names=["bm25", "dense"], perquery=True)
    utilities = tb.Utilities(table, measure="TSE")
    assert (utilities.runs, list(utilities.requests)) == (("bm25", "dense"), ["q1", "q2", "q3"])
    assert utilities.values.tolist() == [[1 / 2, 0, 0], [0, 1, 0]]
    assert tb.Utilities(table, measure=TSE).values.tolist() == utilities.values.tolist()
    with pytest.raises(tb.InputError, match=r"several measures: .*Say which: measure="):
        tb.Utilities(table)


def test_no_java_was_started():
    assert not pt.java.started()
