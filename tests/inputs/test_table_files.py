"""Tables in files: csv, tsv, JSON lines and parquet give what the same lines in TREC's format give."""

import gzip
import json

import numpy as np
import pytest

import tiebreak as tb
from cli.running import run
from tiebreak.errors import InputError, MissingExtraError
from tiebreak.inputs import table_files

QRELS = [("001", "NA", 2), ("001", "b", 1), ("q2", "c", 0), ("q2", "d", 3)]
ROWS = [("001", "b", 3.5), ("001", "x", 2.5), ("001", "NA", 2.5), ("q2", "d", 1e-3), ("q2", "c", -1.0)]


def separated(rows, names, mark):
    return "".join(mark.join(map(str, row)) + "\n" for row in [names, *rows]).encode()


def lines(rows, names):
    return "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows).encode()


def packed_by(module):
    return lambda data: pytest.importorskip(module).compress(data)


PACKED = {"": bytes, ".gz": gzip.compress, ".zst": packed_by("backports.zstd")}
TABLES = {
    ".csv": lambda rows, names: separated(rows, names, ","),
    ".tsv": lambda rows, names: separated(rows, names, "\t"),
    ".jsonl": lines,
    ".ndjson": lines,
}


@pytest.fixture(params=[(kind, packed) for kind in TABLES for packed in PACKED], ids="".join)
def written(request, tmp_path):
    """Write rows as a table of one kind, and return its path."""
    kind, packed = request.param

    def write(name, rows, names):
        path = tmp_path / f"{name}{kind}{packed}"
        path.write_bytes(PACKED[packed](TABLES[kind](rows, names)))
        return path

    return write


def expected(tmp_path):
    (tmp_path / "as-trec.qrels").write_text("".join(f"{q} 0 {i} {g}\n" for q, i, g in QRELS))
    (tmp_path / "as-trec.run").write_text("".join(f"{q} Q0 {i} 1 {s!r}\n" for q, i, s in ROWS))
    return tb.project(tmp_path / "as-trec.qrels", tmp_path / "as-trec.run", nonrelevant=True)


def assert_same(actual, other):
    assert [*actual.requests] == [*other.requests]
    for part in ("ranks", "grade", "listed", "retrieved", "tied"):
        assert np.array_equal(getattr(actual, part), getattr(other, part)), part


def test_tables_give_the_positions_of_trec_files(written, tmp_path):
    qrels = written("qrels", QRELS, ("query_id", "doc_id", "relevance"))
    run = written("bm25", ROWS, ("query_id", "doc_id", "score"))
    positions = tb.project(qrels, run, nonrelevant=True)
    assert positions.runs == ("bm25",)
    assert_same(positions, expected(tmp_path))


def test_parquet_gives_the_positions_of_trec_files(tmp_path):
    polars = pytest.importorskip("polars")
    for name, rows, names in (("q", QRELS, ("qid", "docno", "label")), ("r", ROWS, ("qid", "docno", "score"))):
        polars.DataFrame(rows, schema=list(names), orient="row").write_parquet(tmp_path / f"{name}.parquet")
    assert_same(tb.project(tmp_path / "q.parquet", tmp_path / "r.parquet", nonrelevant=True), expected(tmp_path))


def test_parquet_without_a_library_says_what_to_install(tmp_path, monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(table_files, "import_module", missing)
    (tmp_path / "r.parquet").write_bytes(b"PAR1")
    with pytest.raises(MissingExtraError, match=r"tiebreak\[frames\]"):
        tb.Run(tmp_path / "r.parquet")


def test_damaged_parquet_is_refused(tmp_path):
    pytest.importorskip("polars")
    (tmp_path / "r.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match="cannot be read as parquet"):
        tb.Run(tmp_path / "r.parquet")


def test_a_tsv_without_names_is_in_the_format_of_trec(tmp_path):
    (tmp_path / "r.tsv").write_text("".join(f"{q}\tQ0\t{i}\t1\t{s}\n" for q, i, s in ROWS))
    (tmp_path / "q.tsv").write_text("".join(f"{q}\t0\t{i}\t{g}\n" for q, i, g in QRELS))
    assert_same(tb.project(tmp_path / "q.tsv", tmp_path / "r.tsv", nonrelevant=True), expected(tmp_path))


def test_one_table_may_hold_several_runs(written):
    rows = [(*row, name) for name in ("B", "A") for row in ROWS]
    table = written("runs", rows, ("qid", "docno", "score", "run"))
    assert tb.Experiment({"001": {"b": 1}}, table).positions.runs == ("B", "A")
    with pytest.raises(InputError, match="holds several runs: B, A"):
        tb.Run(table)


def test_an_item_listed_twice_is_named_with_its_line(written):
    table = written("r", [*ROWS, ("001", "b", 0.0)], ("qid", "docno", "score"))
    line = len(ROWS) + (1 if "jsonl" in table.name or "ndjson" in table.name else 2)
    with pytest.raises(InputError, match="listed twice") as refusal:
        tb.project({"001": {"b": 1}}, table)
    assert f'{table}:{line}: item "b" is listed twice for request "001". Keep one' in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("r.csv", "qid,docno,score\nq,a,1\nq,b\n", "r.csv:3: 2 cells found; the first line names 3 columns."),
        ("r.csv", "qid,docno,score\nq,a,high\n", "r.csv:2: column \"score\" holds 'high'. Give numbers"),
        ("r.csv", "qid,docno,score\n,a,1\n", 'r.csv:2: column "qid" has no value here.'),
        ("r.csv", 'qid,docno,score\nq,"a,1\n', "r.csv:"),
        ("r.csv", "a,b\n1,2\n", "no column for request"),
        ("r.jsonl", '{"qid": "q", "docno": "a", "score": 1}\n[1]\n', "r.jsonl:2: an object with the same keys"),
        ("r.jsonl", '{"qid": "q", "docno": "a", "score": 1}\n{"qid": 1}\n', "r.jsonl:2: an object with the same keys"),
        ("r.jsonl", '{"qid": 1.5, "docno": "a", "score": 1}\n', 'r.jsonl:1: column "qid" holds 1.5.'),
        ("r.jsonl", '{"qid": "q", "docno": null, "score": 1}\n', 'r.jsonl:1: column "docno" has no value here.'),
        ("r.jsonl", '{"qid": "q", "docno": "a", "score": true}\n', 'r.jsonl:1: column "score" holds True.'),
        ("r.jsonl", "[" * 60_000, "r.jsonl:1: an object"),
        ("r.csv", "", "there is no column in it: the table is empty."),
        ("r.csv", "qid,docno,score,score\nq,a,1,2\n", 'r.csv:1: there are two columns "score". Keep one.'),
        ("r.jsonl", '{"qid": "q", "docno": "a", "score": 1, "score": 2}\n', "r.jsonl:1: an object with the same keys"),
        ("r.jsonl", '{"qid": "q", "docno": "a", "score": 1' + "0" * 400 + "}\n", "r.jsonl:1: column"),
        ("r.csv", "qid,docno,score\nq,a,\u0661\n", "Give numbers"),
    ],
)
def test_what_is_wrong_is_named_with_file_and_line(tmp_path, name, text, words):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as refusal:
        tb.project({"q": {"a": 1}}, tmp_path / name)
    assert words in str(refusal.value)


@pytest.mark.parametrize("name", ["r.csv", "r.csv.gz", "r.jsonl", "r.tsv"])
def test_bytes_that_are_no_text_are_refused(tmp_path, name):
    data = b"qid,docno,score\nq,\xff\xfe,1\n"
    (tmp_path / name).write_bytes(gzip.compress(data)[:-9] if name.endswith("gz") else data)
    with pytest.raises(InputError):
        tb.project({"q": {"a": 1}}, tmp_path / name)


def test_a_folder_or_a_pattern_stands_for_its_files(tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    for name in ("b.run", "a.run", ".hidden"):
        (folder / name).write_text("q 0 a 1 1\n")
    (folder / "c.csv").write_text("qid,docno,score\nq,a,1\n")
    (folder / "inner").mkdir()
    assert tb.Experiment({"q": {"a": 1}}, folder).positions.runs == ("a", "b", "c")
    assert tb.Experiment({"q": {"a": 1}}, str(folder / "*.run")).positions.runs == ("a", "b")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no file in this folder"):
        tb.Experiment({"q": {"a": 1}}, tmp_path / "empty")


def test_columns_of_a_file_can_be_named(tmp_path):
    (tmp_path / "r.csv").write_text("u,i,p\nq,a,1\n")
    run = tb.Run(tmp_path / "r.csv", columns={"request": "u", "item": "i", "score": "p"})
    assert tb.project({"q": {"a": 1}}, run).ranks.tolist() == [[1]]
    (tmp_path / "r.run").write_text("q 0 a 1 1\n")
    with pytest.raises(InputError, match="columns= is for tables"):
        tb.Run(tmp_path / "r.run", columns={"request": "u"})


def test_the_command_line_reads_tables_and_folders(tmp_path):
    (tmp_path / "q.csv").write_text("qid,docno,label\nq,a,1\n")
    (tmp_path / "runs").mkdir()
    for name in ("x", "y"):
        (tmp_path / "runs" / f"{name}.jsonl").write_text('{"qid": "q", "docno": "a", "score": 1}\n')
    done = run("evaluate", tmp_path / "q.csv", tmp_path / "runs", "-m", "AP", "--format", "csv")
    assert done.stdout == "run,measure,value,n_requests\nx,AP,1.0,1\ny,AP,1.0,1\n"


# A path is a path


NAMES = ["run[1]", "star*", "what?", "{a,b}", "run=1", "~", "s3:", "file://x", "%20", "a#b", "-"]
ENDINGS = [".parquet", ".csv", ".csv.gz", ".jsonl", ".run"]


def write_run(path, item):
    path.parent.mkdir(parents=True, exist_ok=True)
    names = ("qid", "docno", "score")
    if path.suffix == ".parquet":
        pytest.importorskip("polars").DataFrame([("q", item, 1.0)], schema=list(names), orient="row").write_parquet(
            path
        )
    elif path.suffix == ".run":
        path.write_text(f"q 0 {item} 1 1.0\n")
    else:
        text = lines([("q", item, 1.0)], names) if ".jsonl" in path.name else separated([("q", item, 1.0)], names, ",")
        path.write_bytes(PACKED[".gz" if path.suffix == ".gz" else ""](text))


@pytest.fixture(params=["pyarrow.parquet", "polars"])
def parquet_library(request, monkeypatch):
    """Each library that reads parquet, alone."""
    pytest.importorskip(request.param)
    monkeypatch.setattr(table_files, "PARQUET", {request.param: table_files.PARQUET[request.param]})
    return request.param


@pytest.mark.one_in(7)
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", NAMES)
def test_path_is_no_pattern(tmp_path, monkeypatch, name, ending, parquet_library):
    monkeypatch.chdir(tmp_path)
    write_run(tmp_path / (name + ending), "mine")
    for other in ("run1", "stars", "whats", "a", "b"):
        write_run(tmp_path / (other + ending), other)
    for path in (name + ending, tmp_path / (name + ending)):
        positions = tb.project({"q": {"mine": 1}}, path)
        assert positions.ranks.tolist() == [[1]] and positions.listed.tolist() == [[1]]


def test_folders_of_a_path_say_nothing_about_its_columns(tmp_path, parquet_library):
    path = tmp_path / "score=7" / "run=x" / "r.parquet"
    write_run(path, "mine")
    assert tb.project({"q": {"mine": 1}}, path).runs == ("r",)


# Damaged parquet


def parquet_bytes(tmp_path):
    path = tmp_path / "sound.parquet"
    pytest.importorskip("polars").DataFrame(ROWS, schema=["qid", "docno", "score"], orient="row").write_parquet(path)
    return path.read_bytes()


def test_damaged_parquet_ends_the_command_as_bad_input(tmp_path):
    pytest.importorskip("pyarrow")
    sound = parquet_bytes(tmp_path)
    path, qrels = tmp_path / "r.parquet", tmp_path / "q.txt"
    qrels.write_text("001 0 b 1\n")
    for damaged in (sound[:-1], sound[: len(sound) // 2], sound[:60] + b"\xff" * 40 + sound[100:], b""):
        path.write_bytes(damaged)
        done = run("evaluate", qrels, path)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"Error: {path}: cannot be read as parquet: ") and done.stderr.count("\n") == 1


class Panic(BaseException):
    """As libraries in Rust raise it."""


class Panicking:
    """A library that panics wherever it is asked to read."""

    def __getattr__(self, name):
        raise Panic("index out of bounds:\nthe len is 0")


def test_panic_of_a_library_is_an_error_that_names_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(table_files, "import_module", lambda name: Panicking())
    (tmp_path / "r.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError) as refusal:
        tb.Run(tmp_path / "r.parquet")
    assert str(refusal.value) == (
        f"{tmp_path}/r.parquet: cannot be read as parquet: index out of bounds: the len is 0."
    )


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit, MemoryError])
def test_interruption_of_a_library_stays_one(tmp_path, monkeypatch, interruption):
    def interrupted(name):
        raise interruption

    monkeypatch.setattr(Panicking, "__getattr__", lambda self, name: interrupted(name))
    monkeypatch.setattr(table_files, "import_module", lambda name: Panicking())
    (tmp_path / "r.parquet").write_bytes(b"PAR1")
    with pytest.raises(interruption):
        tb.Run(tmp_path / "r.parquet")


def test_only_the_columns_that_are_needed_are_read(tmp_path, parquet_library):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(ROWS, schema=["qid", "docno", "score"], orient="row")
    frame.with_columns(text=polars.lit([{"a": [1]}])).write_parquet(tmp_path / "r.parquet")
    assert tb.project({"001": {"b": 1}}, tmp_path / "r.parquet").ranks.tolist() == [[1]]


def test_csv_with_names_alone_is_a_run_that_retrieves_nothing(tmp_path):
    (tmp_path / "r.csv").write_text("qid,docno,score\n")
    assert tb.project({"q": {"a": 1}}, tmp_path / "r.csv").notes == (
        'run "r" retrieves nothing: every relevant item is unretrieved.',
    )
    (tmp_path / "r.csv").write_text("qid,docno,score,run\n")
    with pytest.raises(InputError, match="holds no run"):
        tb.Run(tmp_path / "r.csv")


def test_tables_are_opened_once(tmp_path, monkeypatch):
    (tmp_path / "q.csv").write_text("qid,docno,label\nq,a,1\n")
    (tmp_path / "r.jsonl").write_text('{"qid": "q", "docno": "a", "score": 1}\n')
    (tmp_path / "g.tsv").write_text("qid\tgroup\nq\tshort\n")
    opened, open_text = [], table_files.open_text
    monkeypatch.setattr(table_files, "open_text", lambda path, packed: opened.append(path) or open_text(path, packed))
    exp = tb.Experiment(tmp_path / "q.csv", tmp_path / "r.jsonl")
    exp.evaluate(["AP", "ASL(n='union')"])
    tb.read_groups(tmp_path / "g.tsv")
    assert opened == [str(tmp_path / name) for name in ("q.csv", "r.jsonl", "g.tsv")]


def test_columns_without_names_have_numbers(tmp_path):
    """MS MARCO's runs: query, passage and rank."""
    (tmp_path / "r.tsv").write_text("q\tx\t1\nq\ta\t2\n")
    (tmp_path / "r.csv").write_text("q,x,1\nq,a,2\n")
    (tmp_path / "r.txt").write_text("q x 1\n\nq a 2\n")
    (tmp_path / "r.dat").write_text("q::x::1\nq::a::2\n")
    (tmp_path / "r.tsv.gz").write_bytes(gzip.compress(b"q\tx\t1\nq\ta\t2\n"))
    (tmp_path / "qrels.txt").write_text("q 0 a 1\n")
    for name in ("r.tsv", "r.csv", "r.txt", "r.dat", "r.tsv.gz"):
        ranked = tb.Experiment(tmp_path / "qrels.txt", tmp_path / name, columns="request=0,item=1,rank=2")
        assert ranked.positions.ranks.tolist() == [[2]]  # the judgements are in TREC's format
        scored = tb.Experiment({"q": {"a": 1}}, tmp_path / name, columns="request=0,item=1,score=2")
        assert scored.positions.ranks.tolist() == [[1]]
        assert tb.read_judgements(tmp_path / name, columns="request=0,item=1,grade=").to_dict() == {
            "q": {"x": 1.0, "a": 1.0}
        }
    for name in ("r.tsv", "r.txt"):
        with pytest.raises(InputError, match="3 columns found") as refusal:
            tb.project({"q": {"a": 1}}, tmp_path / name)
        assert "--columns request=0,item=1,rank=2" in str(refusal.value)
    with pytest.raises(InputError, match="Columns without names are numbered from 0"):
        tb.Run(tmp_path / "r.csv")
    (tmp_path / "r.txt").write_text("q x 1\nq a\n")
    with pytest.raises(InputError, match=r"r\.txt:2: 2 cells found; the first line has 3\."):
        tb.Run(tmp_path / "r.txt", columns="request=0,item=1,rank=2")


def test_ratings_between_colons_say_how_they_are_read(tmp_path):
    (tmp_path / "train.dat").write_text("1::10::5::881250949\n")
    with pytest.raises(InputError, match=r"Columns between :: or commas .*--columns request=0,item=1,grade=2\."):
        tb.read_judgements(tmp_path / "train.dat")
    assert tb.read_judgements(tmp_path / "train.dat", columns="request=0,item=1,grade=2").to_dict() == {"1": {"10": 5}}


def test_lists_of_recbole_are_lists(tmp_path):
    (tmp_path / "r.inter").write_text("user_id:token\titem_id:token_seq\tscore:float_seq\nu\tb a c\t3 2 1\n")
    assert tb.project({"u": {"a": 1, "c": 1}}, tmp_path / "r.inter").ranks.tolist() == [[2, 3]]


def test_semicolons_separate_where_there_is_no_comma(tmp_path):
    (tmp_path / "r.csv").write_text("qid;docno;score\nq;a;1.5\n")
    assert tb.project({"q": {"a": 1}}, tmp_path / "r.csv").ranks.tolist() == [[1]]
    (tmp_path / "r.csv").write_text("qid;docno;score\nq;a;1,5\n")
    with pytest.raises(InputError, match=r"r\.csv:2: column \"score\" holds '1,5'\. Give numbers"):
        tb.Run(tmp_path / "r.csv")
    (tmp_path / "r.csv").write_text("qid\nq,a\n")
    with pytest.raises(InputError, match=r"2 cells found; the first line names 1 column\."):
        tb.Run(tmp_path / "r.csv", columns="request=qid,item=qid,score=qid")
