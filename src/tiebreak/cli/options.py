"""Arguments and options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from tiebreak.experiment import Experiment
    from tiebreak.inputs import Run

Command = TypeVar("Command", bound=Callable[..., Any])

POSITIVE = click.IntRange(min=1)
READING = (
    click.argument("qrels", metavar="QRELS"),
    click.argument("runs", metavar="RUN...", nargs=-1, required=True),
    click.option("--min-grade", type=float, help="Grade from which an item is relevant; by default any above 0."),
    click.option("--binary", is_flag=True, help="Forget the grades of relevant items."),
    click.option("--depth", type=POSITIVE, help="Cut every ranking after so many items."),
    click.option("--judged-only", is_flag=True, help="Remove unjudged items from every ranking first."),
    click.option(
        "--requests",
        type=click.Choice(["judged", "common"]),
        default="judged",
        show_default=True,
        help="All judged requests, or only those that every run lists.",
    ),
    click.option(
        "--ties",
        type=click.Choice(["item", "rank"]),
        default="item",
        show_default=True,
        help="What decides between equal scores: the item id, or the rank column first.",
    ),
    click.option(
        "--duplicates",
        type=click.Choice(["error", "first", "best"]),
        default="error",
        show_default=True,
        help="What to do with an item listed twice for a request.",
    ),
    click.option(
        "--on-bad-score",
        type=click.Choice(["error", "drop"]),
        default="error",
        show_default=True,
        help="What to do with a line whose score is not a finite number.",
    ),
    click.option("--memory", type=POSITIVE, help="Bytes that may be held of one file; by default 2 GB."),
    click.option("--jobs", type=POSITIVE, help="Files read at the same time; by default one per processor."),
)


OUTPUT = (
    click.option(
        "--format",
        "format_",
        type=click.Choice(["table", "tsv", "csv", "jsonl", "latex", "parquet", "trec"]),
        default="table",
        show_default=True,
        help="How results are written.",
    ),
    click.option("-o", "--out", metavar="FILE", type=click.Path(dir_okay=False), help="Write there, not here."),
)


def output_options(command: Command) -> Command:
    """Give a command the options that say how and where its results are written."""
    return with_options(command, OUTPUT)


def reading_options(command: Command) -> Command:
    """Give a command the arguments QRELS RUN... and the options that say how they are read."""
    return with_options(command, READING)


def with_options(command: Command, options: tuple[Callable[[Command], Command], ...]) -> Command:
    """Decorate a command so that its help lists the options in their order."""
    for option in reversed(options):
        command = option(command)
    return command


def experiment(qrels: str, runs: tuple[str, ...], memory: int | None = None, **options: Any) -> Experiment:
    """The experiment that a command was given, read with a progress bar."""
    from tiebreak.cli.progress import progress
    from tiebreak.experiment import Experiment

    if memory is not None:
        options["memory"] = memory
    with progress("reading") as tick:
        made = Experiment(qrels, [named(run) for run in runs], tick=tick, **options)
        _ = made.positions
    made.options.pop("tick")
    return made


def named(argument: str) -> Run | str:
    """A run's path, or NAME=PATH where no file is called so."""
    from tiebreak.inputs import Run

    name, equals, path = argument.partition("=")
    if equals and name and not os.path.exists(argument):
        return Run(path, name=name)
    return argument
