"""The examples of the README run as they stand."""

import glob
import gzip
import re
import shlex
from pathlib import Path

import pytest

from cli.running import run

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
CODE = re.search(r"```python\n(.*?)```", README, re.DOTALL)[1]
CALLS = [line.partition("#")[0] for line in README.splitlines() if line.startswith("tiebreak ")]
QRELS = "".join(f"q{k} 0 d1 2\nq{k} 0 d2 3\n" for k in range(1, 13))
RANKINGS = ("d1 1 3", "d7 2 2", "d2 3 1"), ("d7 1 3", "d2 2 2", "d1 3 1")


@pytest.fixture
def files(tmp_path, monkeypatch):
    (tmp_path / "qrels.txt").write_text(QRELS)
    bm25, dense = ("".join(f"q{k} Q0 {line} t\n" for k in range(1, 13) for line in lines) for lines in RANKINGS)
    (tmp_path / "bm25.run").write_text(bm25)
    (tmp_path / "dense.run.gz").write_bytes(gzip.compress(dense.encode()))
    for name in ("baseline.run", "new.run"):
        (tmp_path / name).write_text(bm25)
    (tmp_path / "scores.csv").write_text("run,request,value\na,q1,1\na,q2,0\nb,q1,0.5\nb,q2,0.5\n")
    (tmp_path / "providers.tsv").write_text("item\tprovider\nd1\tann\nd2\tbob\n")
    (tmp_path / "genres.tsv").write_text("item\tgenre\nd1\twar\nd2\tlove\nd7\twar\n")
    (tmp_path / "train.tsv").write_text("user\titem\trating\n" + "".join(f"q{k}\td7\t4\n" for k in range(1, 13)))
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("files")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_python_examples_run():
    exec(CODE, {"ratings": "qrels.txt", "runs": ["bm25.run"]})


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_commands_run():
    assert len(CALLS) > 10
    for call in CALLS:
        if "--plot" in call:
            pytest.importorskip("altair")
        words = [path for word in shlex.split(call)[1:] for path in sorted(glob.glob(word)) or [word]]
        ended = run(*words)
        assert ended.returncode == 0, (call, ended.stderr)
