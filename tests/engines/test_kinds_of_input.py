"""Every kind of judgements and runs, beside one of another kind: held at once, in blocks, and divided by size."""

import random

import pytest

import tiebreak as tb
from engines.test_stream_blocks import WAYS, dataset, parquet_file, parquet_folder, relation, rows_of
from tiebreak.engines import spool
from tiebreak.engines.text_blocks import TextBlocks
from tiebreak.errors import LargeTablesWarning
from tiebreak.inputs import streams

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
GRADED = ("user_id", "item_id", "grade")
SCORED = ("user_id", "item_id", "score")
REQUESTS = [f"u{k}" for k in range(60)]
SMALL = 3000
"""Bytes that tables of some twenty rows may take."""
pytestmark = pytest.mark.filterwarnings("ignore::tiebreak.errors.LargeTablesWarning")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(streams, "BATCH", 50)
    monkeypatch.setattr(spool, "PARTITIONS", 24)


def make_rankings(seed):
    """Rankings without ties, some of them missing, whose order is that of their items."""
    rng = random.Random(seed)
    return {
        request: {f"i{k}": 9.0 - rank for rank, k in enumerate(rng.sample(range(9), 4))}
        for request in REQUESTS
        if rng.random() < 0.9
    }


JUDGED = {request: {"i1": 1.0, "i2": 2.0, "i3": 0.0} for request in REQUESTS}
NEW, OLD = make_rankings(1), make_rankings(2)


def in_memory(rows, folder, name, names):
    table = {}
    for request, item, value in rows:
        table.setdefault(request, {})[item] = value
    return table


def csv_file(rows, folder, name, names):
    path = folder / f"{name}.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in [names, *rows]) + "\n")
    return path


def trec_file(rows, folder, name, names):
    lines = [f"{request} 0 {item} {value:.0f}\n" for request, item, value in rows]
    if names == SCORED:
        lines = [f"{request} Q0 {item} 1 {value} run\n" for request, item, value in rows]
    path = folder / f"{name}.txt"
    path.write_text("".join(lines))
    return path


def lists(rows, folder, name, names):
    """A row for every request, with lists of its items and values."""
    columns = {names[0]: [], names[1]: [], names[2]: []}
    for request, one in in_memory(rows, folder, name, names).items():
        for column, cell in zip(columns.values(), (request, [*one], [*one.values()]), strict=True):
            column.append(cell)
    path = folder / f"{name}.parquet"
    parquet.write_table(pyarrow.table(columns), path)
    return path


def run_object(rows, folder, name, names):
    return tb.Run(parquet_file(rows, folder, name, names), name="another name")


def values(exp):
    """The values of every request, whatever their order."""
    result = exp.evaluate(["AP", "nDCG@5", "RR"])
    return dict(zip(result.requests, result.values.transpose(1, 0, 2).tolist(), strict=True))


@pytest.fixture(scope="module")
def expected():
    return values(tb.Experiment(JUDGED, {"new": NEW, "old": OLD}))


KINDS = [in_memory, csv_file, trec_file, lists, *WAYS]


@pytest.mark.parametrize("other", [trec_file, parquet_file, in_memory, lists])
@pytest.mark.parametrize("way", [*KINDS, run_object])
@pytest.mark.parametrize("judged_way", KINDS)
def test_any_kinds_of_input_together(tmp_path, expected, judged_way, way, other):
    judged = judged_way(rows_of(JUDGED, is_shuffled=False), tmp_path, "qrels", GRADED)
    named = {
        "new": way(rows_of(NEW, is_shuffled=False), tmp_path, "new", SCORED),
        "old": other(rows_of(OLD, is_shuffled=False), tmp_path, "old", SCORED),
    }
    for runs in (named, [*named.values()]):
        for options in ({}, {"block_requests": 5}, {"memory": 40_000}):
            assert values(tb.Experiment(judged, runs, **options)) == expected, (options, type(runs))


@pytest.mark.parametrize("way", [trec_file, csv_file, in_memory])
def test_large_judgements_are_divided_beside_runs_of_any_kind(tmp_path, expected, way):
    judged = parquet_file(rows_of(JUDGED), tmp_path, "qrels", GRADED)
    runs = {name: way(rows_of(one), tmp_path, name, SCORED) for name, one in {"new": NEW, "old": OLD}.items()}
    exp = tb.Experiment(judged, runs, memory=20_000)
    with pytest.warns(LargeTablesWarning):
        assert values(exp) == expected
    assert "judgements and positions of one block" in str(exp.plan())


def test_lines_of_files_count_for_the_size_of_blocks(tmp_path, expected):
    judged = parquet_file(rows_of(JUDGED), tmp_path, "qrels", GRADED)
    exp = tb.Experiment(judged, {"new": trec_file(rows_of(NEW), tmp_path, "new", SCORED), "old": OLD}, memory=20_000)
    assert values(exp) == expected
    blocks = exp._elsewhere.blocks(None, None)
    (text,) = (run for run in blocks.runs if isinstance(run, TextBlocks))
    sizes = [len(text[k].kernel[1]) for k in range(len(blocks)) if text[k].kernel[0] == "bytes"]
    assert len(sizes) > 1 and max(sizes) < 20_000


@pytest.mark.parametrize("way", [parquet_file, parquet_folder, dataset, relation])
def test_tables_that_are_too_large_are_divided(tmp_path, expected, way):
    judged = way(rows_of(JUDGED), tmp_path, "qrels", GRADED)
    runs = {name: way(rows_of(one), tmp_path, name, SCORED) for name, one in {"new": NEW, "old": OLD}.items()}
    exp = tb.Experiment(judged, runs, memory=SMALL)
    with pytest.warns(LargeTablesWarning, match=r"The tables have \d+ rows and are not held"):
        assert values(exp) == expected


def some_files(folder):
    folder.mkdir()
    for name, one in {"new": NEW, "old": OLD}.items():
        parquet_file(rows_of(one), folder, name, SCORED)
    return folder


@pytest.mark.parametrize("runs", [lambda folder: folder, lambda folder: f"{folder}/*.parquet", lambda f: f.glob("*")])
def test_runs_of_a_folder_a_pattern_and_a_generator_are_divided(tmp_path, runs):
    judged, folder = parquet_file(rows_of(JUDGED), tmp_path, "qrels", GRADED), some_files(tmp_path / "runs")
    whole = tb.Experiment(judged, runs(folder)).evaluate("AP")
    with pytest.warns(LargeTablesWarning):
        divided = tb.Experiment(judged, runs(folder), memory=SMALL).evaluate("AP")
    assert {*divided.runs} == {"new", "old"} == {*whole.runs}
    assert divided.to_flat_dict() == whole.to_flat_dict()


def test_folder_of_parquet_files_is_one_run_and_held_where_it_fits(tmp_path):
    folder = parquet_folder(rows_of(NEW), tmp_path, "new", SCORED)
    exp = tb.Experiment(JUDGED, [folder, OLD], train=JUDGED)
    assert [row.run for row in exp.audit().runs] == ["new", "run2"]
    assert tb.project(JUDGED, folder).runs == ("new",)


def test_fault_of_held_judgements_comes_before_that_of_a_run(tmp_path):
    rows = [("u1", "i1", 1.0), ("u1", "i1", 2.0)]
    judged = parquet_file(rows, tmp_path, "qrels", GRADED)
    runs = [csv_file([("u1", "i1", "much")], tmp_path, "held", SCORED), parquet_file(rows[:1], tmp_path, "a", SCORED)]
    for size in (None, 5):
        with pytest.raises(tb.InputError, match=r"qrels\.parquet, row 2: .*another grade"):
            tb.Experiment(judged, runs, block_requests=size, exclude={"u1": ["i9"]}).evaluate("AP")


def test_table_that_cannot_be_counted_is_no_reason_to_hold_it(monkeypatch):
    def fail(*_):
        raise OSError("the connection is gone")

    table = relation(rows_of(NEW), None, "new", SCORED)
    stream = streams.open_stream(table, "run", streams.ColumnNames())
    monkeypatch.setattr(streams, "open_stream", lambda *_: streams.replace(stream, count=fail))
    from tiebreak.engines import local_tables

    monkeypatch.setattr(local_tables, "open_stream", streams.open_stream)
    with pytest.raises(tb.InputError, match="the connection is gone"):
        tb.Experiment(JUDGED, [table], memory=SMALL)


def test_file_that_is_gone_beside_divided_tables_is_an_error_that_names_it(tmp_path):
    judged = parquet_file(rows_of(JUDGED), tmp_path, "qrels", GRADED)
    runs = {"new": parquet_file(rows_of(NEW), tmp_path, "new", SCORED)}
    runs["old"] = trec_file(rows_of(OLD), tmp_path, "old", SCORED)
    exp = tb.Experiment(judged, runs, memory=40_000)
    runs["old"].unlink()
    with pytest.raises(tb.InputError, match=r"old\.txt: cannot be read: no such file"):
        exp.evaluate("AP")
