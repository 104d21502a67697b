"""Runs in tables: several in one, ranked lists of items, and orders that scores disagree with."""

import json
from collections import namedtuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from inputs.places import places
from tiebreak.errors import InputError

QRELS = {"u1": {"a": 1, "b": 1}, "u2": {"c": 1}}
LISTS = {"u1": ["x", "b", "a"], "u2": ["c"]}
RANKS = [{("u1", "a"): 3, ("u1", "b"): 2, ("u2", "c"): 1}]


def polars_lists(columns):
    return pytest.importorskip("polars").DataFrame(columns)


def polars_lazy(columns):
    return polars_lists(columns).lazy()


def pandas_lists(columns):
    return pytest.importorskip("pandas").DataFrame(columns)


def pandas_arrays(columns):
    pandas = pytest.importorskip("pandas")
    lists = {
        name: [np.array(cell) if isinstance(cell, list) else cell for cell in cells] for name, cells in columns.items()
    }
    return pandas.DataFrame(lists)


def arrow_lists(columns):
    return pytest.importorskip("pyarrow").table(columns)


def arrow_reader(columns):
    return arrow_lists(columns).to_reader(max_chunksize=1)


def duckdb_lists(columns):
    duckdb = pytest.importorskip("duckdb")
    held = arrow_lists(columns)
    return duckdb.from_arrow(held)


def rows(columns):
    names = [*columns]
    return [dict(zip(names, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


FRAMES = {
    "polars": polars_lists,
    "polars, lazy": polars_lazy,
    "pandas": pandas_lists,
    "pandas, arrays": pandas_arrays,
    "pyarrow": arrow_lists,
    "pyarrow, reader": arrow_reader,
    "duckdb": duckdb_lists,
    "rows": rows,
}


@pytest.fixture(params=FRAMES)
def frame(request):
    return FRAMES[request.param]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ["items", "item_id", "docs"])
def test_a_column_of_lists_is_in_ranked_order(frame, name, engine):
    table = frame({"user_id": [*LISTS], name: [*LISTS.values()]})
    positions = tb.project(QRELS, table)
    assert places(positions) == RANKS
    assert positions.listed.tolist() == [[3, 1]] and positions.tied.sum() == 0


def test_a_dictionary_of_lists_is_in_ranked_order(engine):
    for lists in (
        LISTS,
        {user: tuple(items) for user, items in LISTS.items()},
        {u: np.array(i) for u, i in LISTS.items()},
    ):
        assert places(tb.project(QRELS, lists)) == RANKS
    assert tb.project({7: {1: 1}}, {7: [10, 1]}).ranks.tolist() == [[2]]


def test_lists_keep_their_order_where_scores_disagree_and_say_so(frame):
    table = {"user_id": [*LISTS], "items": [*LISTS.values()], "score": [[0.1, 0.2, 0.3], [1.0]]}
    scores = tb.Experiment(QRELS, frame(table)).evaluate("RR")
    assert scores.values.ravel().tolist() == [1 / 2, 1.0]
    assert 'Run "run1": items keep the order of their lists; scores would order 1 of 2 lists otherwise.' in scores.notes
    agreeing = {**table, "score": [[0.3, 0.2, 0.2], [1.0]]}
    assert not [note for note in tb.Experiment(QRELS, frame(agreeing)).evaluate("RR").notes if "lists" in note]


def test_an_empty_list_retrieves_nothing(frame):
    table = frame({"user_id": ["u1", "u0", "u2"], "items": [["x", "b", "a"], [], ["c"]]})
    assert places(tb.project(QRELS, table)) == RANKS
    assert places(tb.project(QRELS, {"u1": ["x", "b", "a"], "u0": [], "u2": ["c"]})) == RANKS


def test_a_table_of_no_lists_retrieves_nothing():
    table = polars_lists({"user_id": ["u1"], "items": [["a"]]}).clear()
    assert tb.project(QRELS, table).listed.tolist() == [[0, 0]]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"user_id": ["u1", "u1"], "items": [["a"], ["b"]]}, 'request "u1" has two lists. Keep one.'),
        ({"user_id": ["u1"], "items": [["a", "a"]]}, 'item "a" is listed twice for request "u1"'),
        ({"user_id": ["u1"], "items": [["a", "b"]], "score": [[1.0]]}, "row 1: a list of 2 items and one of 1 values"),
        ({"user_id": ["u2", "u1"], "items": [["a"], ["b", None]]}, 'row 2: column "items" has no value here'),
    ],
)
def test_lists_that_cannot_be_meant_are_refused(frame, columns, words):
    with pytest.raises(InputError) as refusal:
        tb.project(QRELS, frame(columns))
    assert words in str(refusal.value)


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
def test_a_missing_list_is_refused(kind):
    with pytest.raises(InputError, match="row 2"):
        tb.project(QRELS, FRAMES[kind]({"user_id": ["u1", "u2"], "items": [["a"], None]}))


def test_lists_of_several_runs(frame):
    table = frame({"user_id": ["u1", "u1"], "model": ["A", "B"], "items": [["a", "b"], ["b", "a"]]})
    positions = tb.project(QRELS, table)
    assert positions.runs == ("A", "B")
    assert [(ranks["u1", "a"], ranks["u1", "b"]) for ranks in places(positions)] == [(1, 2), (2, 1)]


def test_lists_without_pyarrow(monkeypatch):
    from tiebreak.inputs import frames

    def missing(*_):
        raise ImportError

    monkeypatch.setattr(frames, "flatten_arrow", missing)
    table = pandas_lists({"user_id": [*LISTS], "items": [*LISTS.values()], "score": [[3.0, 2.0, 1.0], [1.0]]})
    assert places(tb.project(QRELS, table)) == RANKS


def test_lists_in_files(tmp_path):
    lines = [json.dumps({"user_id": user, "items": items}) for user, items in LISTS.items()]
    (tmp_path / "r.jsonl").write_text("\n".join(lines))
    polars_lists({"user_id": [*LISTS], "items": [*LISTS.values()]}).write_parquet(tmp_path / "r.parquet")
    (tmp_path / "r.json").write_text(json.dumps(LISTS))
    for ending in ("jsonl", "parquet", "json"):
        positions = tb.project(QRELS, tmp_path / f"r.{ending}")
        assert (positions.runs, places(positions)) == (("r",), RANKS)
    with pytest.raises(InputError, match="more than memory=20 bytes"):
        tb.Run(tmp_path / "r.parquet", memory=20)


@given(
    st.dictionaries(st.sampled_from("uvw"), st.lists(st.sampled_from("abcdef"), unique=True, min_size=1), min_size=1)
)
def test_lists_rank_as_falling_scores_do(lists):
    qrels = {user: dict.fromkeys("abcdef", 1) for user in lists}
    scores = {user: {item: -float(k) for k, item in enumerate(items)} for user, items in lists.items()}
    columns = {"user_id": [*lists], "items": [*lists.values()]}
    expected = tb.project(qrels, scores).ranks.tolist()
    for held in (lists, rows(columns), polars_lists(columns)):
        assert tb.project(qrels, held).ranks.tolist() == expected


# Several runs in one table

ROWS = [("q", "a", 2.0), ("q", "b", 1.0)]


def scored(names, more):
    polars = pytest.importorskip("polars")
    return polars.DataFrame(
        [(*row, *extra) for row, extra in more], schema=["qid", "docno", "score", *names], orient="row"
    )


@pytest.mark.parametrize("name", ["run", "run_id", "system", "model", "name", "tag", "Model", "System"])
def test_one_table_holds_several_runs(name):
    table = scored([name], [(row, [run]) for run in ("bm25", "dense") for row in ROWS])
    assert tb.Experiment({"q": {"a": 1}}, table).positions.runs == ("bm25", "dense")


@pytest.mark.parametrize("name", ["name", "tag"])
def test_a_column_that_may_describe_items_is_asked_about(name):
    table = scored([name], [(ROWS[0], ["Alien"]), (ROWS[1], ["Brazil"])])
    with pytest.raises(InputError, match=f'column "{name}" may name the runs or the items') as refusal:
        tb.Experiment({"q": {"a": 1}}, table)
    assert f"columns={{'run': '{name}'}}" in str(refusal.value) and "--columns run=." in str(refusal.value)
    assert tb.Experiment({"q": {"a": 1}}, table, columns={"run": None}).positions.runs == ("run1",)
    assert tb.Experiment({"q": {"a": 1}}, table, columns={"run": name}).positions.runs == ("Alien", "Brazil")


def test_one_name_in_all_rows_is_that_of_the_run():
    table = scored(["tag"], [(row, ["bm25"]) for row in ROWS])
    assert tb.Run(table).name == "bm25"
    assert tb.Run(table, name="mine").name == "mine"


# Runs by name


def trec(path):
    path.write_text("".join(f"{q} Q0 {d} 1 {s} tag\n" for q, d, s in ROWS))
    return path


def test_a_dictionary_of_runs_names_them(tmp_path):
    pandas = pytest.importorskip("pandas")
    scored_doc = namedtuple("ScoredDoc", "query_id doc_id score")
    by_item = {"q": {"a": 2.0, "b": 1.0}}
    held = {
        "frame": pandas.DataFrame(ROWS, columns=["qid", "docno", "score"]),
        "path": trec(tmp_path / "x.run"),
        "text": str(trec(tmp_path / "y.run")),
        "generator": (scored_doc(*row) for row in ROWS),
        "tuples": [scored_doc(*row) for row in ROWS],
        "scores": by_item,
        "lists": {"q": ["a", "b"]},
        "run": tb.Run(by_item, name="other"),
        7: by_item,
    }
    positions = tb.project({"q": {"a": 1, "b": 1}}, held)
    assert positions.runs == (*(str(name) for name in held),)
    assert positions.ranks.tolist() == [[1, 2]] * len(held)


def test_rankings_by_request_are_one_run():
    for rankings in ({"q": {"a": 1.0}, "r": {}}, {"q": ["a"], "r": []}):
        assert tb.project({"q": {"a": 1}, "r": {"b": 1}}, rankings).runs == ("run1",)


def test_a_generator_of_runs_is_read(tmp_path):
    paths = [trec(tmp_path / name) for name in ("a.run", "b.run")]
    assert tb.project({"q": {"a": 1}}, (path for path in paths)).runs == ("a", "b")
    assert tb.project({"q": {"a": 1}}, ({"q": {"a": 1.0}} for _ in range(2))).runs == ("run1", "run2")


def test_a_run_that_holds_several_has_no_single_name():
    table = scored(["run"], [(row, [run]) for run in ("x", "y") for row in ROWS])
    with pytest.raises(InputError, match="holds several runs: x, y"):
        tb.Experiment({"q": {"a": 1}}, {"both": table})


# Ranks beside scores


def csv_file(columns, folder):
    polars_lists(columns).write_csv(folder / "r.csv")
    return folder / "r.csv"


def parquet_file(columns, folder):
    polars_lists(columns).write_parquet(folder / "r.parquet")
    return folder / "r.parquet"


HELD = {name: lambda columns, _, make=make: make(columns) for name, make in FRAMES.items()}
HELD |= {"csv": csv_file, "parquet": parquet_file}


@pytest.mark.parametrize("kind", HELD)
def test_ranks_and_scores_that_disagree_are_asked_about(kind, tmp_path):
    columns = {"user_id": ["u1", "u1", "u2"], "item_id": ["x", "a", "c"], "rank": [1, 2, 1], "rating": [3.0, 4.5, 1.0]}
    held = HELD[kind]
    words = 'columns "rank" and "rating" order the items of 1 of 2 lists differently. Say which decides'
    with pytest.raises(InputError, match=words) as refusal:
        tb.project(QRELS, held(columns, tmp_path))
    assert "--columns rank=rank or --columns score=rating." in str(refusal.value)
    for named, rank in (("rank=rank", 2), ("score=rating", 1)):
        assert places(tb.project(QRELS, held(columns, tmp_path), columns=named))[0]["u1", "a"] == rank
    agreeing = columns | {"rating": [4.5, 3.0, 1.0]}
    assert places(tb.project(QRELS, held(agreeing, tmp_path)))[0]["u1", "a"] == 2


@pytest.mark.parametrize(
    ("ranks", "scores"),
    [([1, 1, 1], [1.0, 2.0, 3.0]), ([0, 1, 2], [2.0, 2.0, 1.0]), ([1, 2, 2], [3.0, 1.0, 2.0])],
    ids=["one rank for all", "tied scores", "tied ranks"],
)
def test_ties_of_ranks_and_scores_do_not_disagree(ranks, scores):
    table = pandas_lists({"user_id": ["u1"] * 3, "item_id": ["a", "b", "x"], "rank": ranks, "score": scores})
    assert tb.project(QRELS, table).listed.tolist() == [[3, 0]]


def test_ranks_of_every_run_are_its_own():
    rows = {"user": ["u1"] * 4, "item": ["a", "b", "b", "a"], "rank": [1, 2, 1, 2], "score": [0.2, 0.1, 0.9, 0.8]}
    table = pandas_lists(rows | {"run": ["x", "x", "y", "y"]})
    assert [(ranks["u1", "a"], ranks["u1", "b"]) for ranks in places(tb.project(QRELS, table))] == [(1, 2), (2, 1)]


# What a name holds


def test_a_named_folder_or_pattern_holds_one_run(tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    trec(folder / "a.run")
    for source in (folder, str(folder / "*.run")):
        assert tb.project({"q": {"a": 1}}, {"x": source}).runs == ("x",)
    trec(folder / "b.run")
    for source in (folder, str(folder / "*.run")):
        with pytest.raises(InputError, match=r"holds several runs: a, b\. Give it as runs, without a name"):
            tb.project({"q": {"a": 1}}, {"x": source})


def test_a_list_of_tables_is_no_run():
    table = pandas_lists({"user_id": ["u1"], "item_id": ["a"], "score": [1.0]})
    with pytest.raises(InputError, match='run "x" cannot be read from list of DataFrame'):
        tb.project(QRELS, {"x": [table, table]})


def test_a_set_has_no_order_and_the_run_keeps_its_name():
    with pytest.raises(InputError, match='run "r": request "u1" holds set'):
        tb.project(QRELS, {"r": {"u1": {"b", "a"}}})


def test_runs_that_retrieve_nothing_keep_their_names():
    assert tb.project(QRELS, {"a": {}, "b": {}}).runs == ("a", "b")
    assert tb.Experiment(QRELS, {"a": {}}).positions.runs == ("a",)
    for rankings in ({"u1": {}}, {"u1": {}, "u3": {}}, {}):
        assert tb.project(QRELS, rankings).runs == ("run1",)


def save_parquet(columns, folder):
    polars_lists(columns).write_parquet(folder / "runs.parquet")
    return folder / "runs.parquet", "row 5"


def save_csv(columns, folder):
    polars_lists(columns).write_csv(folder / "runs.csv")
    return folder / "runs.csv", "line 6"


def save_json_lines(columns, folder):
    polars_lists(columns).write_ndjson(folder / "runs.jsonl")
    return folder / "runs.jsonl", "line 5"


def hold(columns, folder):
    return polars_lists(columns), "row 5"


@pytest.mark.parametrize("block_requests", [None, 1])
@pytest.mark.parametrize("save", [save_parquet, save_csv, save_json_lines, hold])
def test_errors_of_several_runs_name_the_row_of_the_table(save, block_requests, tmp_path):
    """As they do where the table has one run, and without its requests in the order of the rows."""
    table = {"user_id": ["u2", "u1", "u1", "u2", "u1"], "items": [*"abxcx"], "score": [5.0, 4.0, 3.0, 2.0, 1.0]}
    for names in ({}, {"run": ["old", "old", "new", "new", "new"]}):
        source, where = save(table | names, tmp_path)
        with pytest.raises(InputError, match='item "x" is listed twice for request "u1"') as error:
            tb.Experiment(QRELS, source, block_requests=block_requests).evaluate("AP")
        assert error.value.line == int(where.split()[1])
        assert (
            str(error.value).partition(": item")[0].endswith(f'run "new", {where}' if names else f"{error.value.line}")
        )


def test_anomalies_of_several_runs_name_the_line_of_the_file(tmp_path):
    table = {"user_id": [*"ababb"], "items": [*"xyxyy"], "score": [1.0, 2.0, 3.0, 4.0, 4.0], "run": [*"oonnn"]}
    source, _ = save_csv(table, tmp_path)
    audits = tb.Experiment({"a": {"x": 1}, "b": {"y": 1}}, source, duplicates="best").positions.audits
    assert [[oddity.first_line for oddity in audit.oddities] for audit in audits] == [[], [6]]
