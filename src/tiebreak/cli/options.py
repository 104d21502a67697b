"""Arguments and options that several commands share."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from tiebreak._base.checks import LARGEST
from tiebreak._base.nicknames import expand_all
from tiebreak._base.spec import canonical, split_specs
from tiebreak._kernels import read_early
from tiebreak._kernels.interface import CHOICES, MEMORY, Options
from tiebreak.cli.output import EXTENSIONS, FORMATS, Output, check_output, format_by_ending

if TYPE_CHECKING:
    from tiebreak.inputs.columns import ColumnNames

Command = TypeVar("Command", bound=Callable[..., Any])

FILES_HELP = """
QRELS and RUN are files in TREC's formats, tables (csv, tsv, JSON lines, parquet) or JSON, plain or compressed by gzip
or zstd; or irds:ID for ir_datasets. A RUN may be a folder of files, or - for standard input; NAME=PATH gives it a name.
"""
OWN_FUNCTION = " Or module:function for your own measure; the module is imported from sys.path (set PYTHONPATH)."
OWN_EXPOSURE = " Or your own, recall_level(exposure='module:function'), with the module on sys.path (set PYTHONPATH)."
SPECS = ("measures", "measure", "specs", "by", "ordering", "populations", "pessimistic", "others", "truth")
"""Options that hold specs of what has to be read."""
JUDGED_ITEMS_SUFFICE = {
    # Metrics
    *("AP", "RR", "nDCG", "binary_nDCG", "RBP", "R", "RP", "P", "Success", "TSE", "NCP", "linear", "ERR", "bpref"),
    *("DCG", "binary_DCG", "graded_RBP", "RBP_resid", "G", "binG", "nDCG_rel", "RnDCG", "gm", "infAP", "IPrec", "IAP"),
    *("SetP", "SetF", "SetAP", "utility", "Unjudged", "Hits", "F1", "Compat", "Accuracy"),
    *("NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonrelJudgedRet"),
    *("SDCG", "BPM", "INSQ", "INST", "NERR8", "NERR9", "NERR10", "NERR11"),
    *("recall_level", "Judged", "ISL", "TSL", "ASL", "SL3", "RecallError", "LR", "LP", "LR_index", "LP_index"),
    *("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "STREC"),
    # Preferences
    *("RPP", "LexiRecall", "LexiPrecision", "rrLP", "UserLeximin", "diff", "sign", "OI"),
    *("rpp", "invrpp", "dcgrpp", "invRPP", "dcgRPP", "lexirecall", "lexiprecision"),
    *("dcg", "inverse", "exp", "clipped", "true", "false", "True", "False"),
    # Populations and orderings
    *("mean", "median", "gmean", "min", "max", "quantile", "leximin", "leximax", "smoothed_leximin", "lower_area"),
    *("positive", "cvar", "gain", "urisk", "trisk", "georisk", "gini", "owa", "gini_welfare", "atkinson_welfare"),
    *("avg", "lmin", "lmax", "auc4"),
    *("mc4", "borda", "copeland", "win_rate"),
}
"""Words of specs that look at judged items only: known without importing what defines them."""
WRITTEN = ("out", "plot", "junit", "summary")
"""Options that name files to write; other FILEs are read."""


def reading_choice(name: str, help_: str) -> Callable[[Command], Command]:
    """An option of reading with named choices, by default the first."""
    choices = CHOICES[name]
    flag = "--" + name.replace("_", "-")
    return click.option(flag, type=click.Choice(choices), default=choices[0], show_default=True, help=help_)


def measures_option(examples: str) -> Callable[[Command], Command]:
    """The measures of a command."""
    help_ = f"Such as {examples}; repeatable, or several with spaces between them.{OWN_FUNCTION}"
    return click.option("-m", "--measure", "measures", multiple=True, metavar="SPEC", callback=separate, help=help_)


def separate(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Every spec, also where one text has several."""
    return tuple(spec for value in values for spec in split_specs(value))


def utility_option(meaning: str) -> Callable[[Command], Command]:
    """The recall-level metric of a command."""
    help_ = f"{meaning}: a sum over recall levels, such as AP, nDCG or RBP(p=0.9).{OWN_EXPOSURE}"
    return click.option("-m", "--measure", metavar="SPEC", default="AP", show_default=True, help=help_)


def groups_option(what: str) -> Callable[[Command], Command]:
    """A table of groups of requests."""
    help_ = f"A table of request and group: {what}, with the number of requests that show the overall difference."
    return click.option("--groups", metavar="FILE", help=help_)


def column_names(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> ColumnNames | None:
    """Names of columns by what they hold, for all tables of a command."""
    if not values:
        return None
    from tiebreak.inputs.columns import ColumnNames

    return ColumnNames(values, is_shared=True)


def utility_tables(values: tuple[str, ...]) -> str | dict[str, str] | None:
    """The file of all runs, or those of every run by its name."""
    named = [name_and_path(value) for value in values]
    if len(named) < 2 and not any(name for name, _ in named):
        return values[0] if values else None
    tables = {name or os.path.basename(path).partition(".")[0]: path for name, path in named}
    if len(tables) < len(named):
        raise click.UsageError("--utilities: two files are called the same. Give each run its name: NAME=FILE.")
    return tables


def table_measure(measures: Sequence[str]) -> str | None:
    """The measure of a table of utilities."""
    require(len(measures) < 2, "--utilities are of one measure: give -m once")
    return measures[0] if measures else None


POSITIVE = click.IntRange(min=1)
SEED = click.IntRange(0, LARGEST)
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
    help="Number of threads; by default one per processor.",
)
COLUMNS = click.option(
    "--columns",
    multiple=True,
    metavar="WHAT=NAME,...",
    callback=column_names,
    help="Columns of tables whose names do not say what they hold: request=prompt_id,score=pred. What they hold: "
    "request, item, score, rank, grade, subtopic, run, value, measure, trial, group, weight, provider or aspect; other "
    "for columns to leave out, repeatable.",
)
READING = (
    click.option("--min-grade", type=float, help="Minimum grade of a relevant item; by default any above 0."),
    click.option("--binary", is_flag=True, help="Ignore the grades of relevant items."),
    click.option("--depth", type=POSITIVE, help="Truncate rankings at this depth."),
    click.option("--exclude", metavar="FILE", help="Remove these items from the rankings of their request first."),
    click.option("--candidates", metavar="FILE", help="Keep only these items in the rankings of their request."),
    click.option("--judged-only", is_flag=True, help="Remove unjudged items from rankings (condensed lists)."),
    click.option(
        "--imputation",
        type=click.Choice(("pessimistic", "optimistic")),
        default="pessimistic",
        show_default=True,
        help="Where relevant items are that a run misses: below everything, or right after its last item (for study).",
    ),
    reading_choice("requests", "All judged requests, or only those that every run lists."),
    reading_choice("ties", "How tied scores are broken: by item id, or by the rank column first."),
    reading_choice("duplicates", "What to do with an item listed twice for a request."),
    reading_choice("on_bad_score", "What to do with a line whose score is not a finite number."),
    COLUMNS,
    click.option(
        "--memory",
        type=POSITIVE,
        default=MEMORY,
        help="Bytes to hold at once, by default 2 GB; larger input is divided by request, on disk.",
    ),
    JOBS,
)
UTILITIES = click.option(
    "--utilities",
    multiple=True,
    metavar="[NAME=]FILE",
    callback=lambda context, parameter, values: utility_tables(values),
    help="A table of run, request and value, or with a column for every run, in place of QRELS RUN...; or, repeatable, "
    "a table of request and value for every run. Of a table of several measures, -m names one.",
)
TRIALS = click.option(
    "--trials",
    type=click.Choice(("mean", "keep")),
    help="With --utilities: repeated trials of a request are averaged, or kept by their column trial.",
)
MISSING = click.option("--missing", type=float, help="With --utilities: the value of missing cells.")
LOWER_IS_BETTER = click.option(
    "--lower-is-better", is_flag=True, help="With --utilities: values are costs, such as latencies."
)
ASPECTS = (
    click.option("--aspects", metavar="FILE", help="A table of item and aspect, such as genres, for diversity."),
    click.option("--train", metavar="FILE", help="Training ratings, which tell a user's interest in aspects."),
    click.option(
        "--intents", metavar="FILE", help="Intent probabilities, as QRELS with subtopics as items; * for all requests."
    ),
)
OUTPUT = (
    click.option("--digits", type=click.IntRange(0, 17), default=4, show_default=True, help="Decimals in tables."),
    click.option(
        "--safe-csv",
        is_flag=True,
        help="In csv, put ' before text that begins with = + - or @, which spreadsheets run as a formula.",
    ),
    click.option("-o", "--out", metavar="FILE", type=click.Path(dir_okay=False), help="Write to this file."),
)


def with_options(command: Command, options: tuple[Callable[[Command], Command], ...]) -> Command:
    """Decorate a command so that its help lists the options in their order."""
    for option in reversed(options):
        command = option(command)
    return command


def aspect_options(command: Command) -> Command:
    """Give a command the tables that measures of diversity need."""
    return with_options(command, ASPECTS)


def output_options(command: Command, *, formats: Iterable[str] = FORMATS) -> Command:
    """Give a command its `output`: how and where results are written."""

    @wraps(command)
    def writing(format_: str | None, out: str | None, safe_csv: bool, digits: int, **options: Any) -> Any:
        out = None if out in ("-", "/dev/stdout") else out
        check_output(out, files_read())
        format_ = format_ or format_by_ending(out)
        if format_ == "parquet" and out is None:
            raise click.UsageError("--format parquet needs --out FILE.")
        if safe_csv and format_ != "csv":
            raise click.UsageError("--safe-csv is for csv.")
        return command(output=Output("safe csv" if safe_csv else format_, digits, out), **options)

    format_option = click.option(
        "--format",
        "format_",
        type=click.Choice(tuple(formats)),
        help=f"Output format; by default inferred from the extension of --out ({EXTENSIONS}), else as a table.",
    )
    return with_options(cast(Command, writing), (format_option, *OUTPUT))


def plot_options(*kinds: str) -> Callable[[Command], Command]:
    """Give the `output` of a command a plot, of these kinds."""
    options = [click.option("--plot", metavar="FILE", help="Also save a plot: .png, .svg, .pdf or .html.")]
    if kinds:
        default = "by default the first that there is"
        choice = click.option("--plot-kind", type=click.Choice(kinds), help=f"What --plot shows; {default}.")
        options.append(choice)

    def decorate(command: Command) -> Command:
        @wraps(command)
        def plotting(output: Output, plot: str | None, plot_kind: str | None = None, **typed: Any) -> Any:
            require(plot is not None or plot_kind is None, "--plot-kind is for --plot FILE")
            if plot is not None:
                check_plot(plot, output)
            return command(output=replace(output, plot=plot, plot_kind=plot_kind), **typed)

        return with_options(cast(Command, plotting), tuple(options))

    return decorate


def check_plot(plot: str, output: Output) -> None:
    """Validate before any work what is to be plotted."""
    from tiebreak.results.plots import library, picture_format

    picture_format(plot)
    library("vl_convert")
    if output.path is not None and os.path.realpath(plot) == os.path.realpath(output.path):
        raise click.UsageError("--plot and --out name the same file.")
    check_output(plot, files_read())


def files_read() -> list[str]:
    """The files that the current command was given to read, also in specs, and the modules that it runs."""
    context = click.get_current_context()
    options, parameters = context.params, context.command.params
    names = [str(one.name) for one in parameters if str(one.metavar).endswith("FILE") and one.name not in WRITTEN]
    values = [value for value in (options.get(name) for name in ("qrels", *names)) if value]
    several = (utility_tables(value) if isinstance(value, tuple) else value for value in values)
    tables = [str(path) for value in several for path in (value.values() if isinstance(value, dict) else [value])]
    tables += re.findall(r"grades\s*=\s*['\"]([^'\"]+)", " ".join(specs_in(options)))
    runs = (name_and_path(run)[1] for run in options.get("runs", ()))
    return [*tables, *runs, *collection_files(options.get("collections", ())), *modules_in(specs_in(options))]


def collection_files(places: Sequence[str]) -> Iterator[str]:
    """Every file in the folders of collections, and the lists of them."""
    if not places:
        return
    from tiebreak.inputs.collections import find_collections

    yield from (place for place in places if os.path.isfile(place))
    for collection in find_collections(places):
        for folder, _, names in os.walk(collection.folder) if collection.problem is None else ():
            yield from (os.path.join(folder, name) for name in names)


def specs_in(options: Mapping[str, Any]) -> Iterator[str]:
    """All specs of what has to be read that a command was given."""
    for name in SPECS:
        value = options.get(name) or ()
        yield from [value] if isinstance(value, str) else value


def modules_in(specs: Iterable[str]) -> Iterator[str]:
    """The files of modules that are named as ``module:function``."""
    from importlib.machinery import PathFinder

    for name in re.findall(r"([A-Za-z_][\w.]*):[A-Za-z_]", " ".join(specs)):
        path: Any = None
        for part in name.split("."):
            spec = PathFinder.find_spec(part, path)
            if spec is None:
                break
            path = spec.submodule_search_locations
            if spec.origin is not None:
                yield spec.origin


def reading_options(
    command: Command, *, audit: bool = False, is_needed: bool = True, deep_views: Sequence[str] = ()
) -> Command:
    """Give a command QRELS RUN... and the options of reading, which begins while the command imports what it needs."""

    @wraps(command)
    def reading(qrels: str | None, runs: tuple[str, ...], **options: Any) -> Any:
        options["audit"] = audit
        how = {name: options[name] for name in Options._fields if name in options}
        # Views whose default measures look at more than judged items.
        is_deep = options.get("view") in deep_views and not options["measures"]
        paths = [name_and_path(run)[1] for run in runs]
        can_begin = qrels is not None and not is_deep and can_read_early(options, qrels, *paths)
        early = read_early(cast(str, qrels), paths, Options(**how)) if can_begin else None
        return command(qrels=qrels, runs=runs, early=early, **options)

    if reading.__doc__:
        reading.__doc__ = cleandoc(reading.__doc__) + "\n" + FILES_HELP
    return with_options(cast(Command, reading), (*(FILES if is_needed else FILES_OR_NONE), *READING))


def can_read_early(options: Mapping[str, Any], *paths: str) -> bool:
    """Whether what has to be read is known before measures are: which items count, and nothing beyond judged ones."""
    is_parquet = any(path.lower().endswith(".parquet") for path in paths)
    if is_parquet or options.get("exclude") or options.get("candidates") or options.get("engine") == "spark":
        return False
    specs = " ".join(canonical(spec.strip()) for spec in expand_all(specs_in(options)))
    # Names of arguments, as in AP(rel=2), do not matter.
    return JUDGED_ITEMS_SUFFICE.issuperset(re.findall(r"[A-Za-z][\w:-]*(?![\w:-]|\s*=)", specs))


def name_and_path(argument: str) -> tuple[str | None, str]:
    """A run's path, or NAME=PATH where no file is called so."""
    name, equals, path = argument.partition("=")
    return (name, path) if equals and name and not os.path.exists(argument) else (None, argument)


def distinct(specs: Iterable[str]) -> tuple[str, ...]:
    """Each once, without spaces around it."""
    return tuple(dict.fromkeys(spec.strip() for spec in specs))


def require(condition: bool, advice: str) -> None:
    """Reject a combination of options."""
    if not condition:
        raise click.UsageError(f"{advice}.")
