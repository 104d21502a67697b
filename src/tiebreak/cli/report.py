"""``tiebreak report``: everything about some runs as one HTML page."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable
from functools import partial
from typing import Any

import click

from tiebreak.cli import options
from tiebreak.cli.catalogue_help import CatalogueHelp
from tiebreak.cli.opening import experiment
from tiebreak.cli.output import check_output
from tiebreak.cli.tables import TableOptions, table_options
from tiebreak.reports.section_names import SECTION_NAMES, TEMPLATES

PAGE = "report.html"


@click.command("report", cls=CatalogueHelp, catalogues={"Measures": "metrics", "Preferences": "preferences"})
@partial(options.reading_options, audit=True, is_needed=False)
@options.measures_option("nDCG@10, AP or RPP(weights='dcg'), beside RPP, LexiRecall and LexiPrecision")
@options.aspect_options
@click.option("--groups", metavar="FILE", help="A table of request and group: all numbers also in every group.")
@table_options
@click.option("--title", metavar="TEXT", help="The title of the page.")
@click.option(
    "--template",
    type=click.Choice(tuple(TEMPLATES)),
    default="full",
    show_default=True,
    help="Which sections there are.",
)
@click.option(
    "--section",
    "sections",
    type=click.Choice(SECTION_NAMES),
    multiple=True,
    help="Only this section, whatever the template; repeatable, in the order given.",
)
@click.option("--seed", type=options.SEED, default=0, show_default=True, help="Random seed of intervals of ranks.")
@click.option("--no-date", is_flag=True, help="Leave out the date: the same input then makes the same bytes.")
@click.option(
    "-o",
    "--out",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    default=PAGE,
    show_default=True,
    help="Write the page to this file.",
)
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    groups: str | None,
    utilities: TableOptions | None,
    sections: tuple[str, ...],
    seed: int,
    no_date: bool,
    out: str,
    title: str | None,
    template: str,
    **reading: Any,
) -> None:
    """Write one HTML page about the runs: who is best for whom, how certain this is, why, and who is served worst.

    The page needs no network and no server, and can be sent by mail. With --utilities no rankings are needed.
    """
    check_page(out, options.files_read())
    how: dict[str, Any] = {"title": title, "template": template, "sections": sections, "date": not no_date}
    how["command"] = command_line()
    if utilities is not None:
        utilities.read(measures, columns=reading["columns"], groups=groups).report(out, **how)
    else:
        from tiebreak.reports.ranking_content import WITH_ASPECTS

        needed = (*measures, *(WITH_ASPECTS if reading["aspects"] else ()))  # read once for all of them
        exp = experiment(str(qrels), runs, needed, holds_all=True, **reading)
        exp.report(out, measures, groups=groups, columns=reading["columns"], seed=seed, **how)
    click.echo(f"{out}: {os.path.getsize(out) / 1e6:.1f} MB. Open it in a browser.")


def check_page(out: str, inputs: Iterable[str] = ()) -> None:
    """Validate before any work that the page can be written, and is no input."""
    from tiebreak.reports.embedding import vega_bundle

    check_output(out, inputs)
    vega_bundle()  # where the extra is missing, an error that says so


def command_line(*names: str) -> str:
    """The command as it was typed, but for the name of the page, on which nothing in it depends."""
    words, names = sys.argv[1:], names or ("-o", "--out")
    kept = []
    while words:
        word = words.pop(0)
        if word in names:
            words = words[1:]
        elif not any(word.startswith(f"{name}=" if name.startswith("--") else name) for name in names):
            kept.append(word)
    return shlex.join(["tiebreak", *kept, names[0], PAGE])
