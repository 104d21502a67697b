"""The scripts of examples/ run, and show what they promise."""

import os
import re
import sys
import warnings
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from runpy import run_path
from unittest import mock

import pytest

import tiebreak as tb

EXAMPLES = Path(__file__).parent.parent / "examples"


def run_example(name, *arguments, code=0):
    command, ended = [str(EXAMPLES / name), *map(str, arguments)], 0
    with redirect_stdout(StringIO()) as out, mock.patch.object(sys, "argv", command), warnings.catch_warnings():
        warnings.simplefilter("default")
        try:
            run_path(command[0], run_name="__main__")
        except SystemExit as stop:
            ended = stop.code
    assert ended == code
    return out.getvalue()


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_examples_are_short(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) < 40


def test_worst_off_users():
    text = run_example("worst_off_users.py")
    assert "top-heavy or deep?\nleximin(AP) prefers top-heavy.\nPlace 1 from the worst decides" in text
    assert "top-heavy: fans of genre" in text and "cvar(share=0.1)" in text


def test_language_models(tmp_path):
    text = run_example("language_models.py")
    orders = [line.split()[0] for line in text.splitlines() if line.split()[1:2] in (["1"], ["2"], ["3"])]
    assert orders == ["careful", "small", "large"]  # the large model has the largest mean, and the worst prompts
    # A fourth of the prompts of code fail: 0.05 five times in twenty.
    assert re.search(r"large +code +0\.6565 +- +0\.0500", text) and re.search(r"large +chat +0\.8570 +- +0\.8000", text)
    rows = "prompt,task,a,b\n" + "".join(f"p{k},{'xy'[k % 2]},{k % 3},{k % 4}\n" for k in range(9))
    (tmp_path / "own.csv").write_text(rows)
    assert re.search(r"a +x +", run_example("language_models.py", tmp_path / "own.csv"))


def test_paper_table(tmp_path):
    assert "top-heavy & " in run_example("paper_table.py")  # without files, a simulated experiment
    files = tb.simulate(20, seed=2).write(tmp_path)
    text = run_example("paper_table.py", files.qrels, *files.runs)
    assert r"\bottomrule" in text and "differs from" in text and "without a common letter" in text


def test_release_gate(tmp_path):
    text = run_example("release_gate.py", tmp_path, code=1)
    assert 'by a sign test: pass "new" was not shown to be worse' in text
    assert 'by a t-test: FAIL "new" is worse than "old"' in text and "short" in text
    assert "<failure" in (tmp_path / "gate.xml").read_text() and "Gate failed" in (tmp_path / "gate.md").read_text()


@pytest.mark.skipif("TIEBREAK_DATA" not in os.environ, reason="TIEBREAK_DATA does not name a folder of real data")
def test_stories_of_real_data():
    movielens = Path(os.environ["TIEBREAK_DATA"], "ml-small")
    tables = [movielens / name for name in ("qrels.stars.txt", "item_genres.tsv", "train.tsv.gz")]
    with pytest.warns(tb.errors.EmptyRequestsWarning, match="15 of 671 requests have no relevant item"):
        users = run_example("worst_off_users.py", *tables, *sorted((movielens / "runs").iterdir()))
    assert "ease or als?\nleximin(AP) prefers ease." in users and "ease: fans of Horror, 0.0520" in users
    trec = Path(os.environ["TIEBREAK_DATA"], "dl19-passage")
    runs = [trec / "runs" / f"{name}.run.gz" for name in ("bm25base_p", "bm25base_rm3_p", "p_bert", "idst_bert_p1")]
    table = run_example("paper_table.py", trec / "qrels.txt", *runs)
    assert r"idst\_bert\_p1 & \textbf{0.764\textsuperscript{*}} & $\pm0.058$ & $+51.1$\%" in table
