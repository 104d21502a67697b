"""``tiebreak study``: experiments about evaluation itself, a command for every entry of their catalogue."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import partial, wraps
from importlib import import_module
from typing import Any, cast

import click
from click.core import ParameterSource

from tiebreak.cli.options import (
    JOBS,
    OWN_FUNCTION,
    Command,
    experiment,
    files_read,
    output_options,
    reading_options,
    with_options,
)
from tiebreak.cli.output import Output, check_output
from tiebreak.cli.test import draws
from tiebreak.studies import CATALOGUE
from tiebreak.studies._catalogue import Option, Study

PLOT = click.option("--plot", metavar="FILE", help="Also draw it, to a .png, .svg, .pdf or .html file.")
SIZES = re.compile(r"([0-9]{1,10})(?:-([0-9]{1,10}))?")
MOST_SIZES = 10_000


class Studies(click.Group):
    """Builds the command of a study when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(CATALOGUE)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return study_command(cmd_name, CATALOGUE[cmd_name]) if cmd_name in CATALOGUE else None


@click.group("study", cls=Studies)
def command() -> None:
    """Study evaluation itself: ties, agreement, power, missing labels, diversity; one command each."""


class StudyCommand(click.Command):
    """Lists the views of a study at the end of its help."""

    views: Mapping[str, str] = {}

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.views:
            with formatter.section("Views"):
                formatter.write_dl(list(self.views.items()))


def study_command(name: str, study: Study) -> click.Command:
    """The command of a study."""
    options: list[Any] = [as_click(option) for option in study.options]
    if study.views:
        views = click.Choice(list(study.views))
        default = next(iter(study.views))
        options.insert(0, click.option("--view", type=views, default=default, show_default=True, help="See below."))
    if study.measures:
        help_ = f"Such as {study.measures}.{OWN_FUNCTION}"
        options.insert(0, click.option("-m", "--measure", "measures", multiple=True, metavar="SPEC", help=help_))
    if study.reads == "ratings":
        options = [click.argument("qrels", metavar="RATINGS"), *options, JOBS]
    run: Callable[..., Any] = with_options(with_output(partial(run_study, name, study)), tuple(options))
    if study.reads.startswith("runs"):
        run = reading_options(run, is_needed=study.reads == "runs")
    made = click.command(name, cls=StudyCommand, help=study.summary)(run)
    made.views = study.views
    return made


def as_click(option: Option) -> Callable[[Any], Any]:
    """An option of the catalogue for the command line."""
    kind, more = option.kind, dict[str, Any]()
    help_ = f"For --view {' or '.join(option.views)}: {option.help}" if option.views else option.help
    if option.kind is bool:
        more["is_flag"] = True
    elif isinstance(kind, tuple):
        more["type"] = click.Choice(kind)
    elif kind is int:
        more["type"] = click.IntRange(option.low, option.high)  # type: ignore[arg-type]
    elif kind == "probability":
        more["type"] = click.FloatRange(0, 1, min_open=True, max_open=True)
    elif kind in READERS:
        more["callback"] = READERS[kind]
    else:
        more["type"] = kind
    flags = (option.flag or "--" + option.name.replace("_", "-")).split("/")
    more |= {"multiple": True} if option.is_repeated else {}
    more |= {} if option.default is None else {"default": option.default}
    return click.option(
        *flags,
        option.name,
        help=help_,
        metavar=option.metavar,
        required=option.is_required,
        show_default=not (option.default is None or option.kind is bool),
        **more,
    )


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


def with_output(command: Command) -> Command:
    """Give a command the options of all output, and ``--plot``; what cannot be drawn is refused before any work."""

    @wraps(command)
    def studying(plot: str | None, output: Output, **options: Any) -> None:
        if plot is not None:
            from tiebreak.results.plots import library, picture_format

            picture_format(plot)
            library("vl_convert")
            if output.path is not None and os.path.realpath(plot) == os.path.realpath(output.path):
                raise click.UsageError("--plot and --out name the same file.")
            check_output(plot, files_read(options))
        result = command(**options)
        if plot is not None:
            result.save(plot)
        output.write([result])

    return output_options(with_options(cast(Command, studying), (PLOT,)))


def run_study(name: str, study: Study, **typed: Any) -> Any:
    """Parse, check, read, call."""
    from tiebreak.cli.progress import progress

    view = typed.get("view")
    refuse_unused(study, view)
    options: dict[str, Any] = {}
    for option in study.options:
        value = typed.pop(option.name)
        if value not in (None, ()) and view in (option.views or (view,)):
            options[option.name] = value
    if study.views:
        options[study.chosen_by] = typed.pop("view")
    measures = tuple(dict.fromkeys(spec.strip() for spec in typed.pop("measures", ()))) or None
    if name in HOOKS:
        return HOOKS[name](measures, typed, **options)
    if measures is not None and study.reads:
        options["measures"] = measures
    module = import_module(f"tiebreak.studies.{study.module}")
    to_read = module.check(**options) if hasattr(module, "check") else ()
    data: tuple[Any, ...] = () if study.reads else (measures,)
    if study.reads:
        options["jobs"] = typed["jobs"]
        data = (typed["qrels"] if study.reads == "ratings" else experiment(measures=to_read, **typed),)
    with progress(*study.progress) as tick:
        return getattr(module, name)(*data, **options, tick=tick)


def refuse_unused(study: Study, view: str | None) -> None:
    """Refuse options that were typed though the view has no use for them."""
    context = click.get_current_context()
    only_for = {option.name: option.views for option in study.options if option.views}
    for name, views in only_for.items():
        if view not in views and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name.replace('_', '-')} is for --view {' or '.join(views)}.")


def needs(is_so: bool, advice: str) -> None:
    if not is_so:
        raise click.UsageError(f"{advice}.")


def study_validity(
    measures: tuple[str, ...] | None,
    typed: dict[str, Any],
    view: str,
    utilities: str | None = None,
    missing: float | None = None,
    lower_is_better: bool = False,
) -> Any:
    """Utilities are read from a table, or those of one measure; several to tell them apart."""
    from tiebreak.metrics import metric
    from tiebreak.studies._validity import PESSIMISTIC, RELATIVES, validity
    from tiebreak.utilities import Utilities

    qrels, runs = typed.pop("qrels"), typed.pop("runs")
    if utilities is not None:
        needs(not (qrels or measures), "--utilities takes the place of QRELS and -m")
        return validity(Utilities(utilities, missing=missing, lower_is_better=lower_is_better), view)
    needs(bool(qrels and runs), "Give QRELS RUN..., or --utilities FILE")
    needs(missing is None and not lower_is_better, "--missing and --lower-is-better are for --utilities")
    metrics = [metric(spec) for spec in measures or ("AP",)]  # a bad name is refused before anything is read
    needs(len(metrics) < 2 or view == "discriminant", "Give one measure, or --view discriminant")
    data = experiment(qrels, runs, metrics, **typed)
    # Success within ten positions is of rankings, whatever the utility (PE eq 8).
    success = data.order("s@10")
    more: dict[str, dict[str, Any]] = {
        "populations": {"populations": (*RELATIVES, success)},
        "discriminant": {"pessimistic": (*PESSIMISTIC, success)},
    }
    return validity([data.utilities(one) for one in metrics], view, **more.get(view, {}))


HOOKS: dict[str, Callable[..., Any]] = {"validity": study_validity}
"""Studies whose data or function depends on what was typed."""
