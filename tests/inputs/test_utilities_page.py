"""Every line of docs/utilities.md gives the same table."""

import json
import re
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest

import tiebreak as tb
from cli import running
from inputs.test_evaluation_files import result, sample, write_lines
from tiebreak.inputs.columns import NAMES

PAGE = (Path(__file__).parents[2] / "docs" / "utilities.md").read_text(encoding="utf-8")
LINES = re.findall(r"^\| (.+?) \| `(tb\.[^`]+)` \|$", PAGE, re.MULTILINE)
WAYS = re.findall(r"^\| (.+?) \| `(.+?)` \| `tiebreak (.+?)` \|$", PAGE, re.MULTILINE)
VALUES = {"gpt": (1, 0.25), "llama": (0, 0.5)}
FILES = {
    "scores.csv": "model,query_id,score\ngpt,0,1\ngpt,1,0.25\nllama,0,0\nllama,1,0.5\n",
    "wide.csv": "query_id,gpt,llama\n0,1,0\n1,0.25,0.5\n",
    "board.csv": "model,0,1\ngpt,1,0.25\nllama,0,0.5\n",
    "summary.csv": "model,Average,0,1,params_b\ngpt,9,1,0.25,7\nllama,9,0,0.5,8\n",
    "gpt.csv": "query_id,score\n0,1\n1,0.25\n",
    "metrics.csv": "model,query_id,acc,f1\ngpt,0,1,9\ngpt,1,0.25,9\nllama,0,0,9\nllama,1,0.5,9\n",
    "long.csv": "run,request,measure,value\n"
    + "".join(f"{run},{q},{m},{v}\n" for run, of in VALUES.items() for q, v in enumerate(of) for m in ("acc", "f1")),
    "other.csv": "llm,prompt,points\ngpt,0,1\ngpt,1,0.25\nllama,0,0\nllama,1,0.5\n",
    "repeated.csv": "model,request,run,value\ngpt,0,1,1\ngpt,1,1,0\ngpt,1,2,0.5\nllama,0,1,0\nllama,1,1,0.5\n",
    "wide_trials.csv": "qid,trial,gpt,llama\n0,1,1,0\n1,1,0,0.5\n1,2,0.5,0.5\n",
    "trials.csv": "run,request,seed,value\ngpt,0,1,1\ngpt,1,1,0\ngpt,1,2,0.5\nllama,0,1,0\nllama,1,1,0.5\n",
}


class Measure(NamedTuple):
    """Prints as its name, as those of ir_measures do."""

    name: str

    def __str__(self):
        return self.name


class Metric(NamedTuple):
    """What ir_measures yields."""

    query_id: str
    measure: Measure
    value: float


@pytest.fixture
def held(tmp_path, monkeypatch):
    pandas = pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    results = [
        result(q, run, v, namedScores={"accuracy": v}) | {"provider": {"id": run}}
        for run, of in VALUES.items()
        for q, v in enumerate(of)
    ]
    Path("results.json").write_text(json.dumps({"results": {"version": 3, "results": results}}))
    for run, of in VALUES.items():
        Path(f"{run}_samples").mkdir()
        name = "samples_arc_2025-01-31T12-00-00.jsonl"
        write_lines(Path(f"{run}_samples", name), [sample(q, acc=v) for q, v in enumerate(of)])
        write_lines(Path(f"samples_{run}.jsonl"), [sample(q, acc=v, acc_norm=9) for q, v in enumerate(of)])
    ragas = {
        f"ragas_{run}": pandas.DataFrame({"user_input": ["0", "1"], "response": ["", ""], "faithfulness": of})
        for run, of in VALUES.items()
    }
    return {
        "tb": tb,
        "pivoted": pandas.DataFrame(VALUES, index=pandas.Index(["0", "1"], name="query_id")),
        "rows": [{"run": run, "request": q, "value": v} for run, of in VALUES.items() for q, v in enumerate(of)],
        "llama_frame": pandas.DataFrame({"query_id": [0, 1], "score": VALUES["llama"]}),
        **ragas,
        **{f"results_{run}": {str(q): {"map": v, "P_5": 9.0} for q, v in enumerate(of)} for run, of in VALUES.items()},
        **{
            f"values_{run}": [Metric(str(q), Measure(name), v) for q, v in enumerate(of) for name in ("AP", "RR")]
            for run, of in VALUES.items()
        },
    }


@pytest.mark.parametrize(("what", "line"), LINES, ids=[what for what, _ in LINES])
def test_every_line_gives_the_same_table(held, what, line):
    table = eval(line, held)
    assert (table.runs, list(table.requests)) == (("gpt", "llama"), ["0", "1"])
    assert table.values.tolist() == [[1, 0.25], [0, 0.5]]


def test_known_names_of_columns_are_those_of_the_page():
    for role in ("run", "value", "measure", "trial"):
        assert f"| {', '.join(NAMES[role])} |" in PAGE
    assert len(LINES) == 22


@pytest.mark.parametrize(("what", "code", "command"), WAYS, ids=[what for what, *_ in WAYS])
def test_every_way_to_use_a_table_runs(tmp_path, monkeypatch, what, code, command):
    """In Python and on the command line, with the same numbers."""
    monkeypatch.chdir(tmp_path)
    Path("scores.csv").write_text(FILES["scores.csv"])
    names = {"tb": tb, "u": tb.Utilities("scores.csv"), "FILE": "scores.csv"}
    expected = eval(code, names).to_dict()["rows"]
    ended = running.run(*shlex.split(command.replace("FILE", "scores.csv")), "--format", "json")
    assert ended.returncode == 0, ended.stderr
    rows = json.loads(ended.stdout)[0]["rows"]
    for row in (*rows, *expected):
        row.pop("measure", None)  # order has the name that was typed
    assert rows == expected and len(WAYS) == 9
