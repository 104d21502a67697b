"""Groups, weights, providers and aspects: from files, frames and dictionaries alike."""

import gzip
import json

import pytest

import tiebreak as tb

ROWS = {
    "group": (tb.read_groups, "user_id", "segment", [("u1", "new"), ("001", "NA"), ("u1", "new")]),
    "provider": (tb.read_providers, "item_id", "author", [("d1", "ann"), ("001", "NA"), ("d1", "ann")]),
    "weight": (tb.read_weights, "qid", "weight", [("q1", 2.5), ("001", 0.0), ("q1", 2.5)]),
    "aspect": (tb.read_aspects, "item", "genre", [("1", "Crime"), ("001", "NA"), ("1", "War"), ("1", "Crime")]),
}
EXPECTED = {
    "group": {"u1": "new", "001": "NA"},
    "provider": {"d1": "ann", "001": "NA"},
    "weight": {"q1": 2.5, "001": 0.0},
    "aspect": {"1": ["Crime", "War"], "001": ["NA"]},
}


@pytest.mark.parametrize("what", ROWS)
@pytest.mark.parametrize("kind", ["csv", "tsv", "tsv.gz", "jsonl"])
def test_files_are_read(tmp_path, what, kind):
    read, key, value, rows = ROWS[what]
    separator = "," if kind == "csv" else "\t"
    text = "".join(f"{separator.join(map(str, row))}\n" for row in [(key, value), *rows])
    if kind == "jsonl":
        text = "".join(json.dumps({key: name, value: held}) + "\n" for name, held in rows)
    path = tmp_path / f"table.{kind}"
    path.write_bytes(gzip.compress(text.encode()) if kind.endswith("gz") else text.encode())
    assert read(path) == EXPECTED[what]


@pytest.mark.parametrize("what", ROWS)
@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_frames_and_parquet_are_read(tmp_path, what, library):
    module = pytest.importorskip(library)
    read, key, value, rows = ROWS[what]
    columns = {key: [name for name, _ in rows], value: [held for _, held in rows]}
    frame = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    assert read(frame) == EXPECTED[what]
    if library == "polars":
        frame.write_parquet(tmp_path / "table.parquet")
        assert read(tmp_path / "table.parquet") == EXPECTED[what]


def test_dictionaries_are_read():
    assert tb.read_groups({1: "a", "q2": 7}) == {"1": "a", "q2": "7"}
    assert tb.read_weights({"q": 3}) == {"q": 3.0}
    assert tb.read_aspects({"d": ["x", "y", "x"], "e": "x"}) == {"d": ["x", "y"], "e": ["x"]}


def test_only_other_column_holds_the_values():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"query_id": ["q1"], "country": ["fr"]})
    assert tb.read_groups(frame) == {"q1": "fr"}


def test_columns_can_be_named():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"who": ["q1"], "country": ["fr"], "group": ["g"]})
    assert tb.read_groups(frame, columns={"request": "who", "group": "country"}) == {"q1": "fr"}


@pytest.mark.parametrize(
    ("read", "given", "message"),
    [
        (tb.read_groups, [("q", "a")], "the groups cannot be read from list"),
        (tb.read_groups, {}, "there is no request with a group"),
        (tb.read_groups, {"q": 1.5}, "Ids are text or integers"),
        (tb.read_groups, {7: "a", "7": "b"}, 'request "7" appears both as text and as an integer'),
        (tb.read_providers, {"d": ["a", "b"]}, 'item "d" has two providers, a and b. Keep one.'),
        (tb.read_weights, {"q": -1}, 'request "q": weight=-1.0. Give a number of at least 0'),
        (tb.read_weights, {"q": float("nan")}, 'request "q": weight=nan'),
        (tb.read_weights, {"q": "2"}, "weight='2'. Give a finite number"),
    ],
)
def test_what_cannot_be_meant_is_refused(read, given, message):
    with pytest.raises(tb.InputError) as error:
        read(given)
    assert message in str(error.value)


@pytest.mark.parametrize("weight", ["nan", "inf"])
@pytest.mark.parametrize("lines", [1, 2])
def test_weight_in_a_file_that_is_no_finite_number_is_named(tmp_path, weight, lines):
    (tmp_path / "w.csv").write_text("request,weight\np,1\n" + f"q,{weight}\n" * lines)
    with pytest.raises(tb.InputError) as error:
        tb.read_weights(tmp_path / "w.csv")
    assert f'request "q": weight={weight}. Give a finite number.' in str(error.value)


def test_file_without_the_column_is_refused(tmp_path):
    (tmp_path / "t.csv").write_text("qid,a,b\nq,1,2\n")
    with pytest.raises(tb.InputError) as error:
        tb.read_groups(tmp_path / "t.csv")
    advice = "Add one, or say which: columns={'group': ...}, on the command line --columns group=..."
    assert str(error.value).endswith(
        f"no column for group. Known names: group, segment, language, topic. There are qid, a, b. {advice}"
    )


def test_file_that_is_no_table_is_refused(tmp_path):
    (tmp_path / "t.txt").write_text("q a\n")
    with pytest.raises(tb.InputError, match=r"Give a csv, tsv, JSON lines or parquet file with columns request and gr"):
        tb.read_groups(tmp_path / "t.txt")


def test_null_is_refused_with_its_line(tmp_path):
    (tmp_path / "t.csv").write_text("qid,group\nq,a\nr,\n")
    with pytest.raises(tb.InputError, match=r't\.csv:3: column "group" has no value here'):
        tb.read_groups(tmp_path / "t.csv")


def test_providers_are_read_where_they_are_used(tmp_path):
    (tmp_path / "t.csv").write_text("item,author\nd1,ann\nd2,bob\n")
    positions = tb.positions([[1, 2]])
    from_file = tb.provider_exposure(positions, tmp_path / "t.csv").to_dict()
    assert from_file == tb.provider_exposure(positions, {"d1": "ann", "d2": "bob"}).to_dict()


@pytest.mark.parametrize(
    ("name", "words"), [("-", "no such file"), ("absent.csv", "no such file"), ("t.txt", "not a table")]
)
def test_file_that_holds_no_table_is_refused_unread(tmp_path, monkeypatch, name, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", None)
    (tmp_path / "t.txt").write_text("q a\n")
    with pytest.raises(tb.InputError, match=f"{name}: .*{words}. Give a csv, tsv, JSON lines or parquet file with col"):
        tb.read_groups(name)
