"""JSON files as ranx, BEIR and MTEB write them."""

import gzip
import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from inputs.places import places
from tiebreak.errors import InputError, MissingExtraError
from tiebreak.inputs import json_files

QRELS = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1}}
RUN = {"q1": {"b": 3.0, "x": 2.0, "a": 1.0}, "q2": {"c": 1.0}}
RANKS = [{("q1", "a"): 3, ("q1", "b"): 1, ("q2", "c"): 1}]


def write(path, data):
    text = json.dumps(data).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


@pytest.mark.parametrize("ending", [".json", ".json.gz"])
def test_nested_dictionaries_are_runs_and_judgements(tmp_path, ending):
    qrels, run = write(tmp_path / f"qrels{ending}", QRELS), write(tmp_path / f"bm25{ending}", RUN)
    positions = tb.project(qrels, run)
    assert (positions.runs, places(positions)) == (("bm25",), RANKS)


def test_rows_and_runs_by_name_are_read(tmp_path):
    rows = [{"query-id": q, "corpus-id": d, "score": s} for q, items in RUN.items() for d, s in items.items()]
    assert places(tb.project(QRELS, write(tmp_path / "r.json", rows))) == RANKS
    assert tb.project(QRELS, write(tmp_path / "r.json", {"x": RUN, "y": RUN})).runs == ("x", "y")
    assert len(tb.read_judgements(write(tmp_path / "q.json", {"q1": ["a", "b"]}))) == 2


def test_predictions_of_mteb_are_read(tmp_path):
    predictions = {"mteb_model_meta": {"model_name": "e5", "revision": "1"}, "default": {"test": RUN}}
    positions = tb.project(QRELS, write(tmp_path / "SciFact_predictions.json", predictions))
    assert (positions.runs, places(positions)) == (("e5",), RANKS)
    predictions["default"]["dev"] = RUN
    assert tb.project(QRELS, write(tmp_path / "r.json", predictions)).runs == ("e5 default/test", "e5 default/dev")


def test_files_of_ranx_are_read(tmp_path):
    ranx = pytest.importorskip("ranx")
    for ending in ("json", "lz4", "parquet", "trec"):
        ranx.Run(RUN, name="other").save(str(tmp_path / f"bm25.{ending}"))
        qrels = QRELS
        if ending != "lz4":
            ranx.Qrels(QRELS).save(str(tmp_path / f"qrels.{ending}"))
            qrels = tmp_path / f"qrels.{ending}"
        positions = tb.project(qrels, tmp_path / f"bm25.{ending}")
        assert (positions.runs, places(positions)) == (("bm25",), RANKS), ending


def test_lz4_is_read(tmp_path):
    frame = pytest.importorskip("lz4.frame")
    (tmp_path / "r.lz4").write_bytes(frame.compress(json.dumps(RUN).encode()))
    assert places(tb.project(QRELS, tmp_path / "r.lz4")) == RANKS
    (tmp_path / "r.lz4").write_bytes(frame.compress(json.dumps(RUN).encode())[:-9])
    with pytest.raises(InputError, match=r"r\.lz4: "):
        tb.Run(tmp_path / "r.lz4")


def test_lz4_without_its_library_says_what_to_install(tmp_path, monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(json_files, "import_module", missing)
    (tmp_path / "r.lz4").write_bytes(b"")
    with pytest.raises(MissingExtraError, match=r"tiebreak\[lz4\]"):
        tb.Run(tmp_path / "r.lz4")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "r.json:1: this is not JSON"),
        (b'{"q1": {"a": 1}', "r.json:1: this is not JSON"),
        (b'{"q1": {"a": 1, "a": 2}}', "a key is repeated"),
        (b"[" * 100_000, "this is not JSON"),
        (b"\xff\xfe", "this is not JSON"),
        (b"7", "cannot be read from int"),
        (b'"text"', "cannot be read from str"),
        (b"null", "cannot be read from NoneType"),
        (b"[1, 2]", "cannot be read from list"),
        (b'{"q1": 7}', 'request "q1" holds int'),
        (b'{"q1": {"a": "high"}}', "Give a number"),
        (b'{"q1": {"a": 1e999}}', 'the score "inf"'),
        (b'{"q1": {"a": NaN}}', 'the score "nan"'),
        (b'{"q1": {"a": 1' + b"0" * 5000 + b"}}", "r.json"),
        (b'{"q1": {"\\ud800": 1}}', "not valid Unicode"),
    ],
)
def test_what_is_no_run_is_refused(tmp_path, content, words):
    (tmp_path / "r.json").write_bytes(content)
    with pytest.raises(InputError) as refusal:
        tb.project(QRELS, tmp_path / "r.json")
    assert words in str(refusal.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["q1", "a", "qid", "docno"]), inner),
)


@given(JSON, st.sampled_from([1, 5, 300]))
def test_any_json_is_read_or_refused(tmp_path_factory, data, depth):
    for _ in range(depth - 1):
        data = {"q1": data}
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_text(json.dumps(data))
    for read in (tb.read_judgements, tb.Run, lambda one: tb.project(QRELS, one), tb.read_aspects):
        with suppress(tb.TiebreakError):
            read(path)


def test_size_is_bounded(tmp_path):
    path = write(tmp_path / "r.json", RUN)
    for size, name in ((path.stat().st_size, path), (40, write(tmp_path / "r.json.gz", [0] * 100))):
        with pytest.raises(InputError, match=f"more than memory={16 * size - 1:,} bytes, 16 for each of JSON"):
            tb.Run(name, memory=16 * size - 1)
    assert tb.Run(path, memory=16 * path.stat().st_size).name == "r"
