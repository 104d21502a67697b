"""``tiebreak test``: is a difference between runs more than chance."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import click

from tiebreak.cli.options import (
    OWN_FUNCTION,
    CatalogueHelp,
    aspect_options,
    experiment,
    output_options,
    reading_options,
)
from tiebreak.cli.output import write

CORRECTIONS = ("none", "bonferroni", "holm", "bh")


class TestsHelp(CatalogueHelp):
    """Lists tests and preferences at the end of the help."""

    catalogues: ClassVar = {"Tests": "tiebreak.significance", "Preferences": "tiebreak.preferences"}


def draws(context: click.Context, parameter: click.Parameter, value: str | None) -> int | str | None:
    """A whole number, or ``all``."""
    if value is None or value == "all":
        return value
    if not value.isdecimal():
        raise click.BadParameter(f"{value!r} is neither a whole number nor 'all'.")
    return int(value)


@click.command("test", cls=TestsHelp)
@partial(reading_options, is_needed=False)
@aspect_options
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="SPEC", help="Such as RPP, LexiRecall or AP." + OWN_FUNCTION
)
@click.option(
    "--test",
    "test_",
    metavar="SPEC",
    default="auto",
    show_default=True,
    help="The papers' test, or one of those below.",
)
@click.option(
    "--correction",
    type=click.Choice(CORRECTIONS),
    help="For the number of pairs; by default holm, for hsd and tukey none.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Level of significance.",
)
@click.option(
    "--permutations", metavar="NUMBER|all", callback=draws, help="Draws of tests by chance, by default 10000; or all."
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Of tests by chance; by default 0.")
@click.option("--baseline", metavar="NAME", help="Test all others against this run only.")
@click.option("--letters", is_flag=True, help="Runs with letters: those that share one were not shown to differ.")
@click.option("--utilities", metavar="FILE", help="A table of run, request and value, in place of QRELS RUN...")
@output_options
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    test_: str,
    correction: str | None,
    alpha: float,
    permutations: int | str | None,
    seed: int | None,
    baseline: str | None,
    letters: bool,
    utilities: str | None,
    digits: int,
    format_: str,
    out: str | None,
    **options: Any,
) -> None:
    """Test whether runs differ by more than chance.

    QRELS and RUN are files in TREC's formats or tables (csv, tsv, JSON lines, parquet), plain or compressed by gzip or
    zstd; a RUN may be a folder of them, or - for standard input. A run can be given as NAME=PATH. A metric
    such as AP stands for the difference of its values. With --utilities no rankings are needed.
    """
    from tiebreak.cli.progress import progress
    from tiebreak.preferences import DEFAULTS, preference
    from tiebreak.significance import test_of
    from tiebreak.utilities import Utilities

    if test_.strip() != "auto":
        test_of(test_, permutations=permutations, seed=seed)  # a bad name is refused before anything is read
    how: dict[str, Any] = {"correction": correction, "alpha": alpha, "permutations": permutations, "seed": seed}
    how["jobs"] = options["jobs"]
    if (utilities is None) == (qrels is None) or (utilities is not None and measures):
        raise click.UsageError("Give QRELS RUN..., or --utilities FILE without -m.")
    if utilities is not None:
        with progress("testing", "draws") as tick:
            found = [Utilities(utilities).test(test_, baseline, **how, tick=tick)]
        write([one.letter_table() for one in found] if letters else found, format_, digits, out)
        return
    asked = tuple(dict.fromkeys(spec.strip() for spec in measures or DEFAULTS))
    for spec in asked:
        preference(spec)
    made = experiment(str(qrels), runs, asked, **options)
    with progress("testing", "draws") as tick:
        found = [made.compare(spec, baseline).test(test_, **how, tick=tick) for spec in asked]
    write([one.letter_table() for one in found] if letters else found, format_, digits, out)
