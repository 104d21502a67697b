"""Errors of Spark, and of its workers, as ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module

from tiebreak import __version__
from tiebreak.errors import InputError
from tiebreak.inputs.sources import LONGEST_REASON

RAISED = re.compile(r"(?:[\w.]+(?:Error|Exception)|(?:\w+\.)+[A-Z]\w+)(?:: |$)")
"""The line of a traceback that says what was raised."""
LACKING = re.compile(r"^ModuleNotFoundError: No module named 'tiebreak\b|: tiebreak \S+ is installed on a worker, and ")
"""What is raised by workers that have no tiebreak, or another version: `check_version`."""
CAUSE = re.compile(r"^Caused by: (.*)$", re.MULTILINE)
"""What Java says that an exception comes from."""
STOPPED = "SESSION_OR_CONTEXT_NOT_EXISTS", "stopped SparkContext", "SparkContext was shut down"
"""What Spark says where its session has ended."""


@contextmanager
def translate_spark_errors() -> Iterator[None]:
    """Turn the errors of Spark and of its workers into ours."""
    try:
        yield
    except import_module("pyspark.errors").PythonException as error:
        raise explain_worker(str(error), __version__) from None
    except spark_errors() as error:
        raise explain_spark(str(error)) from None
    except AssertionError as error:
        if str(error):  # which is ours: pyspark says nothing where its context is gone
            raise
        raise explain_spark(STOPPED[0]) from None


@contextmanager
def translate_write_errors(path: str) -> Iterator[None]:
    """Turn the errors of Spark that writes a folder into ours."""
    try:
        yield
    except import_module("pyspark.errors").PythonException:
        raise
    except spark_errors() as error:
        text = str(error)
        problem = "it exists. Give another name" if "PATH_ALREADY_EXISTS" in text else shorten(text)
        raise InputError(f"{path}: cannot be written: {problem}.", kind="output", file=path) from None


def spark_errors() -> tuple[type[Exception], ...]:
    """What Spark raises; a client of Spark Connect may have no py4j."""
    errors: list[type[Exception]] = [import_module("pyspark.errors").PySparkException]
    with suppress(ImportError):
        errors.append(import_module("py4j.protocol").Py4JError)
    return tuple(errors)


def explain_spark(text: str) -> InputError:
    """The error where Spark itself cannot do what it is asked, as by the user's own frames."""
    if any(sign in text for sign in STOPPED):
        return InputError("the Spark session has ended. Make a new one, and the experiment with it.", kind="spark")
    return InputError(f"Spark failed: {shorten(text)}.", kind="spark")


def shorten(text: str) -> str:
    """What was raised, without the calls of Java and the places that follow it."""
    causes = [line for line in CAUSE.findall(text) if ": " in line]
    reason = causes[-1] if causes else re.split(r"\n\s*at |\n+== |\n+(?:Driver stacktrace|JVM stacktrace)", text)[0]
    words = " ".join(re.sub(r"^An error occurred while calling \S+\n: ", "", reason).split())
    return words[:LONGEST_REASON].rstrip(". ")


def explain_worker(text: str, here: str) -> InputError:
    """The error where workers cannot compute: they lack the package, or have another version of it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    last = ([line for line in lines if RAISED.match(line)] or lines or [""])[-1][:LONGEST_REASON].rstrip(". ")
    if not LACKING.search(last):
        return InputError(f"a worker of Spark failed: {last}.", kind="spark")
    return InputError(
        f"the workers of Spark cannot use tiebreak: {last}. Install tiebreak {here} where they run, or ship an "
        "environment with it: spark.archives with one packed by venv-pack or conda-pack, and PYSPARK_PYTHON in it.",
        kind="spark",
    )
