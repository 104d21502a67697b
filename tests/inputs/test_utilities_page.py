"""Every line of docs/utilities.md gives the same table."""

import json
import re
from pathlib import Path

import pytest

import tiebreak as tb
from inputs.test_evaluation_files import result, sample, write_lines
from tiebreak.inputs.columns import NAMES

PAGE = (Path(__file__).parents[2] / "docs" / "utilities.md").read_text(encoding="utf-8")
LINES = re.findall(r"^\| (.+?) \| `(tb\..+)` \|$", PAGE, re.MULTILINE)
VALUES = {"gpt": (1, 0.25), "llama": (0, 0.5)}
FILES = {
    "scores.csv": "model,query_id,score\ngpt,0,1\ngpt,1,0.25\nllama,0,0\nllama,1,0.5\n",
    "wide.csv": "query_id,gpt,llama\n0,1,0\n1,0.25,0.5\n",
    "board.csv": "model,0,1\ngpt,1,0.25\nllama,0,0.5\n",
    "gpt.csv": "query_id,score\n0,1\n1,0.25\n",
    "metrics.csv": "model,query_id,acc,f1\ngpt,0,1,9\ngpt,1,0.25,9\nllama,0,0,9\nllama,1,0.5,9\n",
    "long.csv": "run,request,measure,value\n"
    + "".join(f"{run},{q},{m},{v}\n" for run, of in VALUES.items() for q, v in enumerate(of) for m in ("acc", "f1")),
    "other.csv": "llm,prompt,points\ngpt,0,1\ngpt,1,0.25\nllama,0,0\nllama,1,0.5\n",
    "trials.csv": "run,request,seed,value\ngpt,0,1,1\ngpt,1,1,0\ngpt,1,2,0.5\nllama,0,1,0\nllama,1,1,0.5\n",
}


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
    }


@pytest.mark.parametrize(("what", "line"), LINES, ids=[what for what, _ in LINES])
def test_every_line_gives_the_same_table(held, what, line):
    table = eval(line, held)
    assert (table.runs, list(table.requests)) == (("gpt", "llama"), ["0", "1"])
    assert table.values.tolist() == [[1, 0.25], [0, 0.5]]


def test_known_names_of_columns_are_those_of_the_page():
    for role in ("run", "value", "trial"):
        assert f"| {', '.join(NAMES[role])} |" in PAGE
    assert len(LINES) == 15
