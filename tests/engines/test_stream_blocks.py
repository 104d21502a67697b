"""Runs that are read in batches of rows: parquet, and what other libraries compute lazily."""

import random

import pytest

import tiebreak as tb
from engines.parity import make_input, outcome, scores
from tiebreak.inputs import streams

pyarrow = pytest.importorskip("pyarrow")
NAMES = ("user_id", "item_id", "score")


def rows_of(run, is_shuffled=True):
    rows = [(request, item, score) for request, ranking in run.items() for item, score in ranking.items()]
    return random.Random(2).sample(rows, len(rows)) if is_shuffled else rows


def table(rows, names=NAMES):
    return pyarrow.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def parquet_file(rows, folder, name, names=NAMES):
    import pyarrow.parquet as parquet

    path = folder / f"{name}.parquet"
    parquet.write_table(table(rows, names), path, row_group_size=11)
    return path


def parquet_folder(rows, folder, name, names=NAMES):
    import pyarrow.parquet as parquet

    path = folder / f"{name}.parquet"
    path.mkdir()
    whole = table(rows, names)
    third = -(-len(rows) // 3)
    for k in range(3):
        parquet.write_table(whole.slice(k * third, third), path / f"part-{k}.parquet")
    (path / "_SUCCESS").touch()
    return path


def dataset(rows, folder, name, names=NAMES):
    import pyarrow.dataset

    return pyarrow.dataset.dataset(parquet_folder(rows, folder, name, names), format="parquet")


def lazy_frame(rows, folder, name, names=NAMES):
    polars = pytest.importorskip("polars")
    return polars.from_arrow(table(rows, names)).lazy()


def relation(rows, folder, name, names=NAMES):
    duckdb = pytest.importorskip("duckdb")
    return duckdb.connect().from_arrow(table(rows, names))


WAYS = [parquet_file, parquet_folder, dataset, lazy_frame, relation]


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(streams, "BATCH", 7)


def values(judged, runs, block_requests=None, **options):
    exp = tb.Experiment(judged, runs, block_requests=block_requests, **options)
    return scores(exp, ("AP", "nDCG@5", "RR", "NumRet"))[:5]  # settings name other runs


@pytest.fixture(scope="module")
def in_memory():
    return outcome(values, *make_input())


@pytest.mark.parametrize("block_requests", [4, *(pytest.param(size, marks=pytest.mark.slow) for size in (1, 1000))])
@pytest.mark.parametrize("way", WAYS)
def test_stream_is_read_as_the_same_rows_in_memory(tmp_path, in_memory, way, block_requests):
    judged, runs = make_input()
    streamed = {name: way(rows_of(run), tmp_path, name) for name, run in runs.items()}
    assert outcome(values, judged, streamed, block_requests) == in_memory


@pytest.mark.parametrize("way", [parquet_file, lazy_frame, relation])
@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_one_stream_may_hold_several_runs(tmp_path, way):
    judged, runs = make_input()
    rows = [(*row, name) for name, run in runs.items() for row in rows_of(run)]
    source = way(random.Random(3).sample(rows, len(rows)), tmp_path, "all", (*NAMES, "run"))
    whole = outcome(values, judged, source)
    assert outcome(values, judged, source, 3) == whole
    assert {*tb.Experiment(judged, source, block_requests=3).evaluate("AP").runs} == {*runs}


def test_ranks_order_items_the_smallest_first(tmp_path):
    judged, runs = make_input()
    rows = [(request, item, k) for request, ranking in runs["new"].items() for k, item in enumerate(ranking, start=1)]
    import pyarrow.parquet as parquet

    parquet.write_table(table(rows, ("user_id", "item_id", "rank")), tmp_path / "new.parquet")
    whole = outcome(values, judged, tmp_path / "new.parquet")
    assert outcome(values, judged, tmp_path / "new.parquet", 3) == whole


def spoil(rows):
    """A repetition, and before it in the file one of a later request."""
    late = next(k for k, row in enumerate(rows) if row[0] == "q16é")
    return [*rows, rows[late], rows[0]]


@pytest.mark.parametrize(
    "change", [spoil, lambda rows: [*rows, ("q3é", None, 1.0)], lambda rows: [*rows, ("q3é", "a", None)]]
)
def test_error_names_the_row_of_the_table(tmp_path, change):
    judged, runs = make_input()
    path = parquet_file(change(rows_of(runs["new"], is_shuffled=False)), tmp_path, "new")
    whole = outcome(values, judged, path)
    assert whole[0][0] is tb.InputError
    assert outcome(values, judged, path, 3) == whole


def test_what_needs_all_rows_at_once_is_refused(tmp_path):
    judged, runs = make_input()
    exp = tb.Experiment(judged, parquet_file(rows_of(runs["new"]), tmp_path, "new"), block_requests=3)
    words = r"Give a larger memory= \(--memory\) and no block_requests= to hold it whole, or take"
    with pytest.raises(tb.InputError, match=words):
        exp.audit()


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_columns_that_may_both_order_items_are_refused(tmp_path):
    import pyarrow.parquet as parquet

    parquet.write_table(table([("q0é", "d1", 1.0, 1)], (*NAMES, "rank")), tmp_path / "a.parquet")
    judged, _ = make_input()
    with pytest.raises(tb.InputError, match=r'columns "rank" and "score" may both order items'):
        tb.Experiment(judged, tmp_path / "a.parquet", block_requests=3)
    exp = tb.Experiment(judged, tmp_path / "a.parquet", block_requests=3, columns={"score": "score"})
    assert len(exp.evaluate("AP").runs) == 1


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_streams_stand_beside_runs_in_memory(tmp_path):
    judged, runs = make_input()
    path = parquet_file(rows_of(runs["new"]), tmp_path, "new")
    several = [runs["old"], path, tb.Run(runs["ünï"], "ünï")]
    assert tb.Experiment(judged, several, block_requests=3).evaluate("AP").runs == ("run1", "new", "ünï")
    by_name = {"a": runs["old"], "b": path}
    exps = [tb.Experiment(judged, by_name, block_requests=size) for size in (None, 3)]
    first, second = (exp.evaluate("AP") for exp in exps)
    assert first.runs == second.runs == ("a", "b")
    assert first.to_flat_dict() == second.to_flat_dict()
