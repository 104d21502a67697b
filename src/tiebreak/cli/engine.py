"""Where the work of a command runs: here, or on Spark."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from tiebreak.cli.options import name_and_path, require, with_options

if TYPE_CHECKING:
    from tiebreak.experiment import Experiment

Command = TypeVar("Command", bound=Callable[..., Any])
STANDARD_ERROR = 2
OPTIONS = (
    click.option(
        "--engine",
        type=click.Choice(("local", "spark")),
        help="Where the work runs; on Spark QRELS and RUN are parquet files or folders.",
    ),
    click.option("--master", metavar="URL", help="With --engine spark: such as local[4], else as Spark is set up."),
)


@dataclass(frozen=True)
class SparkEngine:
    """Spark, on this master."""

    master: str | None

    def experiment(self, qrels: str, runs: tuple[str, ...], measures: Iterable[Any], **options: Any) -> Experiment:
        """The experiment that a command was given, read with all that some measures need."""
        from tiebreak.cli.progress import progress
        from tiebreak.experiment import Experiment

        tables = named_tables(runs)
        start(self.master)
        result = Experiment(qrels, tables, engine="spark", **options)
        with progress("reading on Spark", "tasks") as tick:
            result.read(measures, tick=tick)
        return result


def start(master: str | None) -> None:
    """Start Spark, whose workers run this interpreter if they are here, and which leaves standard error to commands."""
    from tiebreak.engines.spark_tables import session

    is_quiet = os.environ.get("TIEBREAK_TRACEBACK") != "1"
    if is_quiet:
        import logging

        logging.disable()  # pyspark's own lines, as on Ctrl-C
    with quiet_children() if is_quiet else nullcontext():
        context = getattr(session(master), "sparkContext", None)
    if context is None:
        return
    if is_quiet:
        context.setLogLevel("OFF")
    if context.master.startswith("local") and "PYSPARK_PYTHON" not in os.environ:
        context.pythonExec = sys.executable


@contextmanager
def quiet_children() -> Iterator[None]:
    """Discard the standard error of processes that start meanwhile, such as Java."""
    kept = os.dup(STANDARD_ERROR)
    try:
        with open(os.devnull, "wb") as nothing:
            os.dup2(nothing.fileno(), STANDARD_ERROR)
        yield
    finally:
        os.dup2(kept, STANDARD_ERROR)
        os.close(kept)


def named_tables(runs: tuple[str, ...]) -> list[str] | dict[str, str]:
    """The paths of tables that are not held; where one is NAME=PATH, by the names of runs."""
    from tiebreak.inputs.runs import run_name

    several = [*map(name_and_path, runs)]
    if not any(name for name, _ in several):
        return [path for _, path in several]
    tables = {name or run_name(path): path for name, path in several}
    require(len(tables) == len(runs), "two runs are called the same: give NAME=PATH")
    return tables


def engine_options(command: Command) -> Command:
    """Give a command its `engine`, None for work that runs here."""

    @wraps(command)
    def running(engine: str | None, master: str | None, **options: Any) -> Any:
        require(master is None or engine == "spark", "--master is for --engine spark")
        return command(engine=SparkEngine(master) if engine == "spark" else None, **options)

    return with_options(cast(Command, running), OPTIONS)
