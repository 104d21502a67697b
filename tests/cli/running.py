"""How tests run the command line: in this process where that makes no difference, else in one of its own."""

import os
import subprocess
import sys
import warnings
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from tiebreak.cli import main

PYTHONPATH = os.environ.get("PYTHONPATH")


def run(*arguments, stdin=None, **environment):
    """Run it as a user would; standard input and what Python itself looks at need a process of their own."""
    words = list(map(str, arguments))
    imports = any(":" in word and "/" not in word for word in words) or os.environ.get("PYTHONPATH") != PYTHONPATH
    if stdin is None and "-" not in words and set(environment) <= {"TIEBREAK_CORE"} and not imports:
        return run_here(words, environment)
    return run_apart(words, stdin, **environment)


def run_apart(words, stdin=None, **environment):
    return subprocess.run(
        [sys.executable, "-m", "tiebreak", *words],
        input=stdin,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONWARNINGS": "default"} | environment,
        check=False,
    )


def run_here(words, environment):
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        # Files, not buffers: a command may silence the stream by its number.
        out, err = (stack.enter_context(open(folder / name, "w", encoding="utf-8")) for name in ("out", "err"))
        stack.enter_context(mock.patch.dict(os.environ, environment))
        stack.enter_context(mock.patch.multiple(sys, argv=["tiebreak", *words], stdout=out, stderr=err))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("default")
        try:
            main()
        except SystemExit as stop:
            code = stop.code
        out.flush()
        err.flush()
        texts = [(folder / name).read_text(encoding="utf-8") for name in ("out", "err")]
    return subprocess.CompletedProcess(words, code, *texts)
