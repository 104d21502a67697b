"""Arguments and options that several commands share."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

import click

from tiebreak._kernels import read_early
from tiebreak._kernels.early import EarlyReading
from tiebreak._kernels.interface import MEMORY, Options
from tiebreak.cli.output import check_output, format_by_ending

if TYPE_CHECKING:
    from tiebreak.experiment import Experiment

Command = TypeVar("Command", bound=Callable[..., Any])

OWN_FUNCTION = (
    " Or your own module:function: the module is run, and found only where Python looks, such as in PYTHONPATH."
)
NEED_MORE = {
    *("EU", "RBU", "S-RR", "S-Recall", "alpha_beta_nDCG", "union", "vargas_nDCG"),
    *("Accuracy", "Compat", "INSQ", "INST", "infAP", "IPrec", "nRBP", "NumQ", "NumRel", "NumRet", "SDCG"),
    *("SetAP", "SetF", "SetP", "SetR"),
}
"""Words in the names of measures that look at more than judged items: known without importing them."""
POSITIVE = click.IntRange(min=1)
FILES = (
    click.argument("qrels", metavar="QRELS"),
    click.argument("runs", metavar="RUN...", nargs=-1, required=True),
)
FILES_OR_NONE = (
    click.argument("qrels", metavar="[QRELS]", required=False),
    click.argument("runs", metavar="[RUN]...", nargs=-1),
)
JOBS = click.option(
    "--jobs",
    type=POSITIVE,
    default=lambda: os.cpu_count() or 1,
    help="Threads: files read at the same time, shuffles; by default one per processor.",
)
READING = (
    click.option("--min-grade", type=float, help="Grade from which an item is relevant; by default any above 0."),
    click.option("--binary", is_flag=True, help="Forget the grades of relevant items."),
    click.option("--depth", type=POSITIVE, help="Cut every ranking after so many items."),
    click.option("--exclude", metavar="FILE", help="Remove these items from the rankings of their request first."),
    click.option("--candidates", metavar="FILE", help="Keep only these items in the rankings of their request."),
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
    click.option(
        "--memory", type=POSITIVE, default=MEMORY, help="Bytes that may be held of one file; by default 2 GB."
    ),
    JOBS,
)


READING_NAMES = (
    *("min_grade", "binary", "depth", "exclude", "candidates", "judged_only", "requests", "ties", "duplicates"),
    *("on_bad_score", "memory"),
)
"""How files are read; threads are for all work."""
ASPECTS = (
    click.option("--aspects", metavar="FILE", help="A table of item and aspect, such as genres, for diversity."),
    click.option("--train", "profile", metavar="FILE", help="Ratings that tell which aspects a user likes."),
    click.option("--intents", metavar="FILE", help="How likely subtopics are meant, as QRELS of subtopics."),
)
OTHER_TABLES = ("exclude", "candidates", "utilities", "weights", "groups", "aspects", "profile", "intents")
FORMATS = ("table", "csv", "tsv", "jsonl", "json", "parquet", "latex", "markdown", "trec")


def output(formats: Sequence[str]) -> tuple[Callable[[Command], Command], ...]:
    """Options that say how and where results are written."""
    return (
        click.option("--digits", type=click.IntRange(0, 17), default=4, show_default=True, help="Decimals in tables."),
        click.option(
            "--format",
            "format_",
            type=click.Choice(formats),
            help="How results are written; by default as the ending of --out says (.csv, .tsv, .jsonl, .json, "
            ".parquet, .tex, .md), else as a table.",
        ),
        click.option(
            "--safe-csv",
            is_flag=True,
            help="In csv, put ' before text that begins with = + - or @, which spreadsheets run as a formula.",
        ),
        click.option("-o", "--out", metavar="FILE", type=click.Path(dir_okay=False), help="Write to this file."),
    )


class CatalogueHelp(click.Command):
    """Lists the entries of catalogues at the end of the help."""

    catalogues: ClassVar[dict[str, str]] = {}

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, package in self.catalogues.items():
            catalogue = import_module(package).CATALOGUE
            with formatter.section(title):
                formatter.write_dl([(name, summary(entry)) for name, entry in catalogue.items()])


def summary(entry: object) -> str:
    """The first line of a docstring as plain text; nothing where Python runs without docstrings."""
    first = (entry.__doc__ or "").strip().partition("\n")[0]
    return re.sub(r":\w+:`([^`]*)`", r"\1", first).replace("`", "")


def aspect_options(command: Command) -> Command:
    """Give a command the tables that measures of diversity need."""
    return with_options(command, ASPECTS)


def output_options(command: Command, *, more: Sequence[str] = ()) -> Command:
    """Give a command the options that say how and where its results are written; some have more formats."""

    @wraps(command)
    def writing(format_: str | None, out: str | None, safe_csv: bool, **options: Any) -> Any:
        out = None if out in ("-", "/dev/stdout") else out
        check_output(out, files_read(options))
        format_ = format_ or format_by_ending(out)
        if format_ == "parquet" and out is None:
            raise click.UsageError("--format parquet needs --out FILE.")
        if safe_csv and format_ != "csv":
            raise click.UsageError("--safe-csv is for csv.")
        return command(format_="safe csv" if safe_csv else format_, out=out, **options)

    return with_options(cast(Command, writing), output((*FORMATS, *more)))


def files_read(options: Mapping[str, Any]) -> list[str]:
    """The files that a command was given to read, and the modules that it runs."""
    tables = filter(None, (options.get(name) for name in ("qrels", *OTHER_TABLES)))
    asked = (*options.get("measures", ()), options.get("measure") or "", *options.get("gates", ()))
    return [*tables, *(name_and_path(run)[1] for run in options.get("runs", ())), *modules_in(asked)]


def modules_in(measures: Iterable[str]) -> Iterator[str]:
    """The files of modules that are named as ``module:function``."""
    from importlib.machinery import PathFinder

    for name in re.findall(r"([A-Za-z_][\w.]*):[A-Za-z_]", " ".join(measures)):
        path: Any = None
        for part in name.split("."):
            found = PathFinder.find_spec(part, path)
            if found is None:
                break
            path = found.submodule_search_locations
            if found.origin is not None:
                yield found.origin


def reading_options(command: Command, *, audit: bool = False, is_needed: bool = True) -> Command:
    """Give a command the arguments QRELS RUN... and the options that say how they are read.

    Reading begins before the command does: what the command imports takes as long. For an audit, more is counted. A
    command that `is_needed` is not true of can do without files.
    """

    @wraps(command)
    def reading(qrels: str | None, runs: tuple[str, ...], **options: Any) -> Any:
        options["audit"] = audit
        how = {name: options[name] for name in Options._fields if name in options}
        early = None
        if qrels is not None and can_read_early(options):
            early = read_early(qrels, [name_and_path(run)[1] for run in runs], Options(**how))
        return command(qrels=qrels, runs=runs, early=early, **options)

    return with_options(cast(Command, reading), (*(FILES if is_needed else FILES_OR_NONE), *READING))


def can_read_early(options: Mapping[str, Any]) -> bool:
    """Whether what has to be read is known before measures are: which items count, and nothing beyond judged ones."""
    if options.get("exclude") or options.get("candidates"):
        return False
    asked = (*options.get("measures", ()), options.get("measure") or "", *options.get("gates", ()))
    return NEED_MORE.isdisjoint(re.findall(r"[\w-]+", " ".join(asked)))


def with_options(command: Command, options: tuple[Callable[[Command], Command], ...]) -> Command:
    """Decorate a command so that its help lists the options in their order."""
    for option in reversed(options):
        command = option(command)
    return command


def experiment(
    qrels: str,
    runs: tuple[str, ...],
    measures: Iterable[Any] = (),
    *,
    early: EarlyReading | None = None,
    **options: Any,
) -> Experiment:
    """The experiment that a command was given, read with a progress bar, with all that some measures need."""
    from tiebreak.cli.progress import progress
    from tiebreak.experiment import Experiment
    from tiebreak.inputs import Run
    from tiebreak.inputs.judgements import read_judgements

    memory = options.get("memory", MEMORY)
    given = [Run(path, name=name, memory=memory) if name else path for name, path in map(name_and_path, runs)]
    made = Experiment(read_judgements(qrels, memory=memory, early=early), given, **options)
    with progress("reading") as tick:
        made.read(measures, tick=tick, early=early)
    return made


def name_and_path(argument: str) -> tuple[str | None, str]:
    """A run's path, or NAME=PATH where no file is called so."""
    name, equals, path = argument.partition("=")
    return (name, path) if equals and name and not os.path.exists(argument) else (None, argument)
