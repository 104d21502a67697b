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
tb.studies.power(exp, tst="t")
tb.studies.validity(exp.utilities("AP"), foo=1)
tb.studies.agreement(exp, foo=1)
"""
MISSPELT = ("min_grad", "permutation", "tst", "foo", "foo")
"""In the last lines of the script."""


def test_misspelt_option_is_a_type_error(tmp_path):
    pytest.importorskip("mypy")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(script)]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    errors = [line for line in ended.stdout.splitlines() if ": error: " in line]
    for number, (error, name) in enumerate(zip(errors, MISSPELT, strict=True), start=7):
        assert error.startswith(f"script.py:{number}: error: ") and f'Unexpected keyword argument "{name}"' in error


@pytest.mark.parametrize("name", list(tb.studies.CATALOGUE))
def test_studies_spell_out_their_options(name):
    parameters = inspect.signature(getattr(tb.studies, name)).parameters
    assert all(one.kind is not one.VAR_KEYWORD for one in parameters.values())
    of_utilities = (
        {"utilities", "missing", "lower_is_better", "weights", "groups", "trials"} if name == "validity" else set()
    )
    assert {option.name for option in tb.studies.CATALOGUE[name].options} - of_utilities <= {*parameters}


def test_option_of_another_view_is_refused():
    exp = tb.Experiment({"q": {"a": 1}}, [{"q": {"a": 1.0}}, {"q": {"x": 1.0}}])
    with pytest.raises(tb.InputError, match='points is for view="sign"'):
        tb.studies.agreement(exp, points=3)
    with pytest.raises(tb.InputError, match='lags is for view="smoothing"'):
        tb.studies.validity(exp.utilities("AP"), lags=3)


def test_help_lists_every_option():
    text = pydoc.render_doc(tb.Experiment, renderer=pydoc.plaintext)
    options = list(inspect.signature(tb.Experiment).parameters)
    assert "min_grade" in options and "options" not in options
    signature, described = text.split("Parameters\n", 1)
    for name in options:
        assert f"{name}: " in signature and name in described.split("Methods defined here")[0], name
