"""``tiebreak study``: experiments about evaluation itself, a command for every entry of their catalogue."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import click
from click.core import ParameterSource

from tiebreak.cli.advice import AdvisingGroup
from tiebreak.cli.catalogue_help import PAPERS
from tiebreak.cli.opening import experiment
from tiebreak.cli.options import (
    COLUMNS,
    JOBS,
    aspect_options,
    distinct,
    measures_option,
    output_options,
    plot_options,
    reading_options,
    require,
    table_measure,
    utility_tables,
    with_options,
)
from tiebreak.cli.output import Output, say
from tiebreak.cli.testing import draws
from tiebreak.errors import quote
from tiebreak.studies import CATALOGUE
from tiebreak.studies._catalogue import Option, Study

RATINGS = click.argument("qrels", metavar="RATINGS")
COLLECTIONS = (
    click.option(
        "--collections",
        multiple=True,
        metavar="FOLDER",
        help="Instead of QRELS RUN...: a folder with qrels and runs, a folder of such folders, or a TOML file that "
        "lists them; repeatable. A row for each, and means.",
    ),
    click.option(
        "--group-by",
        type=click.Choice(("kind", "depth")),
        multiple=True,
        help="With --collections: means also by kind, as listed, or by depth (shallow, standard, deep); repeatable.",
    ),
    click.option(
        "--qrels-name",
        metavar="NAME",
        help="With --collections: the file of judgements in every folder; by default qrels with any ending.",
    ),
)
OF_TABLES = ("utilities", "trials", "missing", "lower_is_better")
"""Options of studies that also read a table in place of runs."""
SIZES = re.compile(r"([0-9]{1,10})(?:-([0-9]{1,10}))?")
MOST_SIZES = 10_000


class Studies(AdvisingGroup):
    """Builds the command of a study when it is asked for."""

    example = "ties"

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(CATALOGUE)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return study_command(cmd_name, CATALOGUE[cmd_name]) if cmd_name in CATALOGUE else None


@click.group("study", cls=Studies)
def command() -> None:
    """Study evaluation itself: ties, agreement, power, missing labels, diversity; one command each."""


def study_command(name: str, study: Study) -> click.Command:
    """The command of a study."""

    @output_options
    @plot_options()
    def run(output: Output, **typed: Any) -> None:
        result = run_study(name, study, typed)
        output.draw([result])
        output.write([result])
        failures = getattr(result, "failures", {})
        for collection, error in failures.items():
            say(f"Error: collection {quote(collection)}: {error}")
        if failures:
            sys.exit(2)

    run.__doc__ = study.summary
    options: list[Any] = [as_click(option) for option in study.options]
    if study.views:
        run.__doc__ += "\n\n\b\nViews:\n" + "\n".join(f"  {view}: {text}" for view, text in study.views.items())
        options.insert(0, as_click(Option("view", "What to look at.", tuple(study.views), next(iter(study.views)))))
    if study.measures:
        options.insert(0, measures_option(study.measures))
    if study.reads == "ratings":
        options = [RATINGS, *options, COLUMNS, JOBS]
    run = with_options(run, (*options, *(COLLECTIONS if study.averages else ())))
    if study.reads.startswith("runs"):
        run = reading_options(aspect_options(run), is_needed=not study.averages, deep_views=study.deep_views)
    return click.command(name, epilog=PAPERS)(run)


def as_click(option: Option) -> Callable[[Any], Any]:
    """An option of the catalogue for the command line."""
    flags = (option.flag or "--" + option.name.replace("_", "-")).split("/")
    settings: dict[str, Any] = {"metavar": option.metavar, "required": option.is_required, "help": option.help}
    if option.views:
        settings["help"] = f"For --view {' or '.join(option.views)}: {option.help}"
    if option.default is not None:
        settings |= {"default": option.default, "show_default": option.kind is not bool}
    if option.is_repeated:
        settings["multiple"] = True
    if option.kind is bool:
        settings["is_flag"] = True
    elif option.kind in READERS:
        settings["callback"] = READERS[option.kind]
    else:
        settings["type"] = as_click_type(option)
    return click.option(*flags, option.name, **settings)


def as_click_type(option: Option) -> Any:
    if isinstance(option.kind, tuple):
        return click.Choice(option.kind)
    if option.kind == "probability":
        return click.FloatRange(0, 1, min_open=True, max_open=True)
    return click.IntRange(option.low, option.high) if option.kind is int else option.kind


def sizes(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[int] | None:
    """Numbers and ranges of them, such as 10 or 5-50."""
    numbers: list[int] = []
    for text in values:
        match = SIZES.fullmatch(text.strip())
        low, high = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if not 0 <= high - low < MOST_SIZES:
            raise click.BadParameter(f"{text!r}. Give a number, such as 10, or a range, such as 5-50.")
        numbers += range(low, high + 1)
    return numbers or None


READERS: dict[Any, Callable[..., Any]] = {"sizes": sizes, "draws": draws}


def run_study(name: str, study: Study, typed: dict[str, Any]) -> Any:
    """Check what was typed, read the files, run the study."""
    from tiebreak.cli.progress import progress
    from tiebreak.inputs.attributes import read_groups
    from tiebreak.studies.measures import preferences_by_name

    options = study_options(study, typed)
    if typed.get("columns") and options.get("groups"):
        options["groups"] = read_groups(options["groups"], columns=typed["columns"])
    measures = tuple(distinct(typed.pop("measures", ()))) or None
    if study.averages:
        how = {option: typed.pop(option) for option in ("collections", "group_by", "qrels_name")}
        if how["collections"]:
            options |= {} if measures is None else {"measures": measures}
            return run_collections(name, study, options, typed, **how)
        require(not any(how.values()), "--group-by and --qrels-name are for --collections")
        require(bool(typed["runs"]) or study.reads != "runs", "Give QRELS RUN..., or --collections FOLDER")
    if name == "validity":
        return run_validity(measures, typed, **options)
    module = import_module(f"tiebreak.studies._{name}")
    data: Any = measures
    if study.reads:
        options |= {} if measures is None else {"measures": measures}
        if hasattr(module, "check"):
            to_read = module.check(**options)
        else:
            to_read = preferences_by_name(measures or module.MEASURES)
        options["jobs"] = typed["jobs"]
        if study.reads == "ratings":
            data, options["columns"] = typed["qrels"], typed["columns"]
        else:
            data = experiment(measures=to_read, holds_all=True, **typed)
    with progress(*study.progress) as tick:
        return getattr(module, name)(data, **options, tick=tick)


def run_collections(
    name: str,
    study: Study,
    options: dict[str, Any],
    typed: dict[str, Any],
    collections: tuple[str, ...],
    group_by: tuple[str, ...],
    qrels_name: str | None,
) -> Any:
    """One collection after the other, under one progress bar."""
    from tiebreak.cli.progress import progress
    from tiebreak.studies import over_collections

    is_table = [option for option in OF_TABLES if options.pop(option, None)]
    require(typed["qrels"] is None and not is_table, "--collections takes the place of QRELS RUN... and of --utilities")
    reading = {name: value for name, value in typed.items() if name not in ("qrels", "runs", "early", "jobs")}
    how: dict[str, Any] = {"group_by": group_by, "qrels": qrels_name, "reading": reading, "jobs": typed["jobs"]}
    with progress(study.progress[0], "percent") as tick:
        return over_collections(name, collections, **how, tick=tick, **options)


def study_options(study: Study, typed: dict[str, Any]) -> dict[str, Any]:
    """Take the options of a study out of what was typed; those that its view has no use for are an error."""
    context = click.get_current_context()
    options: dict[str, Any] = {}
    if study.views:
        options["view"] = view = typed.pop("view")
    for option in study.options:
        value = typed.pop(option.name)
        if not option.views or view in option.views:
            options |= {} if value in (None, ()) else {option.name: value}
        elif context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE:
            flag = option.flag or f"--{option.name}"
            raise click.UsageError(f"{flag} is for --view {' or '.join(option.views)}.")
    return options


def run_validity(
    measures: tuple[str, ...] | None,
    typed: dict[str, Any],
    view: str,
    utilities: tuple[str, ...] = (),
    trials: str | None = None,
    missing: float | None = None,
    lower_is_better: bool = False,
    **options: Any,
) -> Any:
    """Utilities from a table, or those of a measure; of several measures to compare them."""
    from tiebreak.studies._validity import check, from_runs, utility_metric, validity
    from tiebreak.utilities import Utilities

    if utilities:
        require(not typed["qrels"], "--utilities takes the place of QRELS")
        tables = (typed["aspects"], typed["train"], typed["intents"])
        require(not any(tables), "--aspects, --train and --intents are for QRELS RUN...")
        over = {name: options.pop(name, None) for name in ("weights", "groups")}
        over |= {"columns": typed["columns"], "measure": table_measure(measures or ())}
        source = utility_tables(utilities)
        table = Utilities(source, missing=missing, lower_is_better=lower_is_better, trials=trials, **over)
        return validity(table, view, **options)
    require(bool(typed["runs"]), "Give QRELS RUN..., or --utilities FILE")
    is_plain = missing is None and trials is None and not lower_is_better
    require(is_plain, "--missing, --trials and --lower-is-better are for --utilities")
    metrics = [utility_metric(spec) for spec in measures or ("AP",)]  # a bad name is an error before anything is read
    require(len(metrics) < 2 or view == "discriminant", "Give one measure, or --view discriminant")
    to_read = check(metrics, view, **options)
    return from_runs(experiment(measures=to_read, holds_all=True, **typed), view, measures=metrics, **options)
