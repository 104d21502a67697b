"""Data sets of Hugging Face, the real ones."""

import pytest

import tiebreak as tb
from inputs.places import places
from inputs.test_other_tools import QRELS, RANKS, RUN, columns
from tiebreak.errors import InputError

datasets = pytest.importorskip("datasets")
hugging_face = datasets.Dataset.from_dict


def test_data_sets_of_hugging_face_are_runs_and_judgements():
    qrels = hugging_face(columns(QRELS, ("query-id", "corpus-id", "score")))
    ranked = hugging_face(columns(RUN, ("query-id", "corpus-id", "score")))
    assert places(tb.project(qrels, ranked)) == RANKS
    assert tb.project(qrels, {"bm25": ranked}).runs == ("bm25",)
    assert places(tb.project(qrels, ranked.to_iterable_dataset())) == RANKS


def test_rows_that_a_data_set_has_left_out_do_not_count():
    ranked = hugging_face(columns(RUN, ("query-id", "corpus-id", "score"))).filter(lambda row: row["corpus-id"] != "x")
    assert places(tb.project(QRELS, ranked)) == [{("q1", "a"): 2, ("q1", "b"): 1, ("q2", "c"): 1}]


def test_a_data_set_of_several_splits_has_to_be_chosen_from():
    test = hugging_face(columns(QRELS, ("query-id", "corpus-id", "score")))
    assert len(tb.read_judgements(datasets.DatasetDict({"test": test}))) == 3
    with pytest.raises(InputError, match=r'with the splits "train", "test"\. Give one, such as'):
        tb.read_judgements(datasets.DatasetDict({"train": test, "test": test}))
