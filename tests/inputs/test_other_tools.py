"""Objects of other tools, the real ones where they are installed."""

import json
from typing import ClassVar

import pytest

import tiebreak as tb
from cli.running import run, run_here
from inputs.places import places
from tiebreak.errors import InputError, MissingExtraError
from tiebreak.inputs import other_tools

QRELS = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1}}
RUN = {"q1": {"b": 3.0, "x": 2.0, "a": 1.0}, "q2": {"c": 1.0}}
RANKS = [{("q1", "a"): 3, ("q1", "b"): 1, ("q2", "c"): 1}]


def rows(values):
    return [(request, item, value) for request, items in values.items() for item, value in items.items()]


def columns(values, names):
    return dict(zip(names, map(list, zip(*rows(values), strict=True)), strict=True))


class LikeDataset:
    """A data set as Hugging Face holds it."""

    column_names, num_rows = ("query-id", "corpus-id", "score"), 4

    def __init__(self, values):
        self.values = values

    def with_format(self, kind):
        assert kind == "arrow"
        return self

    def __getitem__(self, rows):
        return pytest.importorskip("pyarrow").table(columns(self.values, self.column_names))


LikeDataset.__module__ = "datasets.arrow_dataset"


def test_data_sets_are_known_by_their_shape():
    assert places(tb.project(LikeDataset(QRELS), LikeDataset(RUN))) == RANKS


class LikeSplits(dict):
    """Several splits."""

    column_names: ClassVar = {"test": [], "dev": []}


LikeSplits.__module__ = "datasets.dataset_dict"


def test_several_splits_are_refused_with_the_name_of_the_input():
    with pytest.raises(
        InputError, match=r'the judgements: a data set with the splits "test", "dev". Give one, such as'
    ):
        tb.read_judgements(LikeSplits(test=LikeDataset(QRELS), dev=LikeDataset(QRELS)))


# ir_datasets


@pytest.fixture
def local_dataset():
    """A data set registered with ir_datasets: nothing is downloaded."""
    ir_datasets = pytest.importorskip("ir_datasets")
    from ir_datasets.formats import BaseQrels, BaseScoredDocs, TrecQrel

    class Qrels(BaseQrels):
        def qrels_iter(self):
            return (TrecQrel(q, d, g, "0") for q, d, g in rows(QRELS))

    class ScoredDocs(BaseScoredDocs):
        def scoreddocs_iter(self):
            return (ir_datasets.formats.GenericScoredDoc(q, d, s) for q, d, s in rows(RUN))

    ir_datasets.registry.register("tiebreak-test", ir_datasets.Dataset(Qrels(), ScoredDocs()))
    ir_datasets.registry.register("tiebreak-test/judged", ir_datasets.Dataset(Qrels()))
    yield "irds:tiebreak-test"
    for name in ("tiebreak-test", "tiebreak-test/judged"):
        ir_datasets.registry._registered.pop(name)


def test_ids_of_ir_datasets_are_runs_and_judgements(local_dataset):
    positions = tb.project(local_dataset, local_dataset)
    assert (positions.runs, places(positions)) == (("tiebreak-test",), RANKS)
    assert tb.project(local_dataset, {"bm25": local_dataset}).runs == ("bm25",)
    done = run_here(["evaluate", local_dataset, local_dataset, "-m", "RR", "--format", "csv"], {})
    assert done.stdout == "run,measure,value,n_requests\ntiebreak-test,RR,1.0,2\n"


def test_what_ir_datasets_does_not_have_is_refused(local_dataset):
    with pytest.raises(InputError, match="irds:tiebreak-test/judged: this data set has no scoreddocs"):
        tb.Run("irds:tiebreak-test/judged")
    with pytest.raises(InputError, match='irds:no-such-data-set: ir_datasets knows no data set "no-such-data-set"'):
        tb.read_judgements("irds:no-such-data-set")


def test_ir_datasets_that_is_not_installed_is_named(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(other_tools, "import_module", missing)
    with pytest.raises(MissingExtraError, match=r"tiebreak\[ir-datasets\]"):
        tb.read_judgements("irds:vaswani")


# ranx, LensKit, ir_measures


def test_objects_of_ranx():
    ranx = pytest.importorskip("ranx")
    assert tb.project(ranx.Qrels(QRELS), ranx.Run(RUN, name="bm25")).runs == ("bm25",)
    assert places(tb.project(ranx.Qrels(QRELS), {"x": ranx.Run(RUN)})) == RANKS


def test_ordered_lists_of_lenskit():
    lenskit = pytest.importorskip("lenskit.data")
    ordered = lenskit.ItemList(["worst", "best"], scores=[0.1, 0.9], ordered=True)
    plain = lenskit.ItemList(["worst", "best"], scores=[0.1, 0.9])
    lists = lenskit.ItemListCollection.from_dict({"u1": ordered, "u2": plain}, key="user_id")
    scores = tb.Experiment({"u1": {"worst": 1}, "u2": {"worst": 1}}, lists).evaluate("RR")
    assert scores.values.ravel().tolist() == [1.0, 0.5]
    assert [note for note in scores.notes if "keep the order of their lists" in note]


def test_subtopics_of_ir_measures_are_kept():
    ir_measures = pytest.importorskip("ir_measures")
    pandas = pytest.importorskip("pandas")
    tuples = [
        ir_measures.Qrel("q", "a", 1, "1"),
        ir_measures.Qrel("q", "a", 2, "2"),
        ir_measures.Qrel("q", "b", 0, "2"),
    ]
    for held in (tuples, iter(tuples), pandas.DataFrame(tuples)):
        judgements = tb.read_judgements(held)
        assert judgements.to_dict() == {"q": {"a": 2.0, "b": 0.0}}
        assert [*judgements.subtopics.labels] == ["1", "2"]
        assert judgements.subtopics.grade.tolist() == [1.0, 2.0, 0.0]


def test_files_of_recbole_and_movielens(tmp_path):
    (tmp_path / "ml.inter").write_text("user_id:token\titem_id:token\trating:float\n1\t10\t4\n1\t20\t3\n")
    (tmp_path / "ratings.csv").write_text("userId,movieId,rating,timestamp\n1,10,4.0,964982703\n1,20,3.0,964982224\n")
    (tmp_path / "u.data").write_text("1\t10\t4\t964982703\n1\t20\t3\t964982224\n")
    (tmp_path / "ratings.dat").write_text("1::10::4::964982703\n1::20::3::964982224\n")
    for name in ("ml.inter", "ratings.csv", "u.data", "ratings.dat"):
        assert tb.read_judgements(tmp_path / name).to_dict() == {"1": {"10": 4.0, "20": 3.0}}, name
    (tmp_path / "u.data").write_text("1\t10\t4\t964982703\n1\t20\n")
    with pytest.raises(InputError, match=r"u\.data:2: 2 cells found; the first line has 4"):
        tb.read_judgements(tmp_path / "u.data")
    (tmp_path / "u.test").write_text("1\t0\td1\t1\n")
    assert tb.read_judgements(tmp_path / "u.test").to_dict() == {"1": {"d1": 1.0}}


def test_a_json_of_another_tool_is_read_by_the_command_line(tmp_path):
    (tmp_path / "qrels.json").write_text(json.dumps(QRELS))
    (tmp_path / "bm25.json").write_text(json.dumps(RUN))
    done = run("evaluate", tmp_path / "qrels.json", tmp_path / "bm25.json", "-m", "RR", "--format", "csv")
    assert done.stdout == "run,measure,value,n_requests\nbm25,RR,1.0,2\n"
