"""Where the work of a command runs: here, or on Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from tiebreak.cli.options import name_and_path, require, with_options

if TYPE_CHECKING:
    from tiebreak.experiment import Experiment

Command = TypeVar("Command", bound=Callable[..., Any])
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
        from tiebreak.engines.spark_tables import session
        from tiebreak.experiment import Experiment

        tables = named_tables(runs)
        session(self.master)
        result = Experiment(qrels, tables, engine="spark", **options)
        with progress("reading on Spark", "tasks") as tick:
            result.read(measures, tick=tick)
        return result


def named_tables(runs: tuple[str, ...]) -> dict[str, str]:
    """The paths of tables that are not held, by the names of runs."""
    from tiebreak.inputs.runs import run_name

    tables = {name or run_name(path): path for name, path in map(name_and_path, runs)}
    require(len(tables) == len(runs), "two runs are called the same: give NAME=PATH")
    return tables


def engine_options(command: Command) -> Command:
    """Give a command its `engine`, None for work that runs here."""

    @wraps(command)
    def running(engine: str | None, master: str | None, **options: Any) -> Any:
        require(master is None or engine == "spark", "--master is for --engine spark")
        return command(engine=SparkEngine(master) if engine == "spark" else None, **options)

    return with_options(cast(Command, running), OPTIONS)
