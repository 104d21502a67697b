"""What editors and type checkers see of the package: every option by its name."""

import inspect
import pydoc
import subprocess
import sys

import pytest

import tiebreak as tb

SCRIPT = """
import tiebreak as tb

exp = tb.Experiment("qrels", ["run"], {option}=2)
scores: tb.Means = exp.evaluate("AP").summary()
reveal_type(exp.compare("RPP").test())
"""


def test_misspelt_option_is_a_type_error(tmp_path):
    pytest.importorskip("mypy")
    for option, message in (("min_grade", None), ("min_grad", 'Unexpected keyword argument "min_grad"')):
        script = tmp_path / f"{option}.py"
        script.write_text(SCRIPT.format(option=option))
        command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(script)]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        errors = [line for line in ended.stdout.splitlines() if ": error: " in line]
        assert "tiebreak.significance.result.Significance" in ended.stdout
        assert errors == [] if message is None else len(errors) == 1 and message in errors[0]


def test_help_lists_every_option():
    text = pydoc.render_doc(tb.Experiment, renderer=pydoc.plaintext)
    options = list(inspect.signature(tb.Experiment).parameters)
    assert "min_grade" in options and "options" not in options
    signature, described = text.split("Parameters\n", 1)
    for name in options:
        assert f"{name}: " in signature and name in described.split("Methods defined here")[0], name
