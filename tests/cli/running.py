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


def run(*arguments, stdin=None, apart=False, **environment):
    """Run it as a user would; standard input and what Python itself looks at need a process of their own."""
    words = list(map(str, arguments))
    if apart or stdin is not None or "-" in words or any(name.startswith("PYTHON") for name in environment):
        return run_apart(words, stdin, **environment)
    return run_here(words, environment)


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
        streams = [stack.enter_context(open(folder / name, "w", encoding="utf-8")) for name in ("out", "err")]
        code = exit_code(words, environment, *streams)
        texts = [(folder / name).read_text(encoding="utf-8") for name in ("out", "err")]
    return subprocess.CompletedProcess(words, code, *texts)


def exit_code(words, environment, out, err):
    """Run it in this process, with these streams."""
    with (
        mock.patch.dict(os.environ, environment),
        mock.patch.multiple(sys, argv=["tiebreak", *words], stdout=out, stderr=err),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("default")
        try:
            main()
        except SystemExit as stop:
            return stop.code
        finally:
            out.flush()
            err.flush()
