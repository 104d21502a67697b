"""What editors and type checkers see of the package: every option by its name."""

import inspect
import pydoc
import subprocess
import sys

import pytest

import tiebreak as tb

SCRIPT = """
import tiebreak as tb

exp = tb.Experiment("qrels", ["run"], min_grade=2)
means: tb.Means = exp.evaluate("AP").summary()
test: tb.Significance = exp.compare("RPP").test()
tb.Experiment("qrels", ["run"], min_grad=2)
tb.Utilities("table").test("hsd", permutation=99)
"""


def test_misspelt_option_is_a_type_error(tmp_path):
    pytest.importorskip("mypy")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(script)]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    errors = [line for line in ended.stdout.splitlines() if ": error: " in line]
    assert len(errors) == 2
    assert errors[0].startswith("script.py:7: error: ") and 'Unexpected keyword argument "min_grad"' in errors[0]
    assert errors[1].startswith("script.py:8: error: ") and 'Unexpected keyword argument "permutation"' in errors[1]


def test_help_lists_every_option():
    text = pydoc.render_doc(tb.Experiment, renderer=pydoc.plaintext)
    options = list(inspect.signature(tb.Experiment).parameters)
    assert "min_grade" in options and "options" not in options
    signature, described = text.split("Parameters\n", 1)
    for name in options:
        assert f"{name}: " in signature and name in described.split("Methods defined here")[0], name
