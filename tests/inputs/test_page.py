"""Every line of docs/inputs.md, against the real libraries where they are installed."""

import gzip
import json
import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import tiebreak as tb
from inputs.places import places
from tiebreak.inputs.columns import NAMES

PAGE = (Path(__file__).parents[2] / "docs" / "inputs.md").read_text(encoding="utf-8")
LINES = re.findall(r"^\| (.+?) \| `(tb\..+?)` \| (.+?) \|$", PAGE, re.MULTILINE)
LIBRARIES = ("pandas", "polars", "ranx", "ir_measures", "datasets", "lenskit", "lenskit.data")
NEEDED = {f"{name}.": name.partition(".")[0] for name in LIBRARIES} | {
    "_tuples": "ir_measures",
    ".lz4": "lz4",
    ".parquet": "polars",
    "irds:": "ir_datasets",
}
"""What is in a line, and the library that it then needs."""
INSTALLED = [row for row in LINES if all(find_spec(NEEDED[part]) for part in NEEDED if part in row[1])]
"""In continuous integration all of them."""
QRELS = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1}}
RUNS = {
    "bm25": {"q1": {"b": 3.0, "x": 2.0, "a": 1.0}, "q2": {"c": 1.0}},
    "dense": {"q1": {"a": 3.0, "b": 2.0}, "q2": {"y": 2.0, "c": 1.0}},
}
RANKS = {
    "bm25": {("q1", "a"): 3, ("q1", "b"): 1, ("q2", "c"): 1},
    "dense": {("q1", "a"): 1, ("q1", "b"): 2, ("q2", "c"): 2},
}
RUNS["tiebreak-docs"], RANKS["tiebreak-docs"] = RUNS["bm25"], RANKS["bm25"]


def rows(values):
    return [(request, item, value) for request, items in values.items() for item, value in items.items()]


@pytest.fixture
def held(tmp_path, monkeypatch):
    """The names that the lines of the page use, and the files."""
    pandas = pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    names = {
        "tb": tb,
        "qrels_dict": QRELS,
        "qrels_frame": pandas.DataFrame(rows(QRELS), columns=["qid", "docno", "label"]),
    }
    Path("qrels.txt").write_text("".join(f"{q} 0 {d} {g}\n" for q, d, g in rows(QRELS)))
    Path("qrels.json").write_text(json.dumps(QRELS))
    names["qrels_frame"].to_csv("qrels.csv", index=False)
    fields = [("query_id", "U9"), ("doc_id", "U9"), ("score", "f8")]
    names["qrels_array"] = np.array(rows(QRELS), dtype=[*fields[:2], ("relevance", "f8")])
    both = []
    for name, values in RUNS.items():
        listed = {request: sorted(items, key=items.get, reverse=True) for request, items in values.items()}
        frame = pandas.DataFrame(rows(values), columns=["qid", "docno", "score"])
        text = "".join(f"{q} Q0 {d} 1 {s} tag\n" for q, d, s in rows(values))
        Path(f"{name}.run").write_text(text)
        Path(f"{name}.run.gz").write_bytes(gzip.compress(text.encode()))
        Path(f"{name}.json").write_text(json.dumps(values))
        ranked = [(request, item, k) for request, items in listed.items() for k, item in enumerate(items, start=1)]
        Path(f"{name}.tsv").write_text("".join(f"{q}\t{d}\t{k}\n" for q, d, k in ranked))
        frame.to_csv(f"{name}.csv", index=False)
        if name != "tiebreak-docs":
            Path("runs", f"{name}.run").write_text(text)
            both.append(frame.assign(system=name))
        names |= {
            f"{name}_dict": values,
            f"{name}_frame": frame,
            f"{name}_lists": listed,
            f"{name}_list_column": pandas.DataFrame({"user_id": [*listed], "items": [*listed.values()]}),
            f"{name}_array": np.array(rows(values), dtype=fields),
            f"{name}_plain_array": np.array(rows(values)),
            f"{name}_triples": rows(values),
            f"{name}_pairs": {
                request: [(item, values[request][item]) for item in listed[request]] for request in listed
            },
            f"{name}_rows": frame.to_dict("records"),
            f"{name}_lenskit": frame.rename(columns={"qid": "user_id", "docno": "item_id"}),
        }
    names["both_frame"] = pandas.concat(both)
    return names


@pytest.mark.parametrize(("what", "line", "runs"), INSTALLED, ids=[what for what, _, _ in INSTALLED])
def test_every_line_gives_the_positions_of_the_files(held, what, line, runs):
    for name in LIBRARIES:
        if f"{name}." in line:
            held[name.partition(".")[0]] = import_module(name.partition(".")[0])
            import_module(name)
    if "_tuples" in line:
        ir_measures = import_module("ir_measures")
        held["qrels_tuples"] = [ir_measures.Qrel(*row) for row in rows(QRELS)]
        held["bm25_tuples"] = [ir_measures.ScoredDoc(*row) for row in rows(RUNS["bm25"])]
    if ".lz4" in line:
        Path("dense.lz4").write_bytes(import_module("lz4.frame").compress(json.dumps(RUNS["dense"]).encode()))
    if ".parquet" in line:
        import_module("polars").from_pandas(held["dense_frame"]).write_parquet("dense.parquet")
    if "irds:" in line:
        register(import_module("ir_datasets"))
    positions = eval(line, held).positions
    assert positions.runs == tuple(runs.split(", "))
    assert places(positions) == [RANKS[run] for run in positions.runs]


def register(ir_datasets):
    """A data set of our own: nothing is downloaded."""
    formats = import_module("ir_datasets.formats")

    class Qrels(formats.BaseQrels):
        def qrels_iter(self):
            return (formats.TrecQrel(*row, "0") for row in rows(QRELS))

    class ScoredDocs(formats.BaseScoredDocs):
        def scoreddocs_iter(self):
            return (formats.GenericScoredDoc(*row) for row in rows(RUNS["bm25"]))

    if "tiebreak-docs" not in ir_datasets.registry._registered:
        ir_datasets.registry.register("tiebreak-docs", ir_datasets.Dataset(Qrels(), ScoredDocs()))


def test_page_lists_the_names_of_columns():
    listed = dict(re.findall(r"^\| (\w+) \| ([a-z_, ]+) \|$", PAGE, re.MULTILINE))
    roles = ("request", "item", "score", "rank", "grade", "subtopic", "run")
    assert {role: listed[role] for role in roles} == {role: ", ".join(NAMES[role]) for role in roles}
