"""``tiebreak test``: is a difference between runs more than chance."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from tiebreak._base.alternatives import ALTERNATIVES
from tiebreak._base.corrections import CORRECTIONS
from tiebreak.cli import options
from tiebreak.cli.catalogue_help import CatalogueHelp
from tiebreak.cli.output import Output


def draws(context: click.Context, parameter: click.Parameter, value: str | None) -> int | str | None:
    """A whole number, or ``all``."""
    if value is None or value == "all":
        return value
    if not value.isdecimal():
        raise click.BadParameter(f"{value!r} is neither a whole number nor 'all'.")
    return int(value)


@click.command("test", cls=CatalogueHelp, catalogues={"Tests": "significance", "Preferences": "preferences"})
@partial(options.reading_options, is_needed=False)
@options.aspect_options
@options.measures_option("RPP, LexiRecall or AP")
@click.option(
    "--test",
    "test_",
    metavar="SPEC",
    default="auto",
    show_default=True,
    help="One of those below; auto: sign for preferences that are signs, else t.",
)
@click.option(
    "--alternative",
    type=click.Choice(tuple(ALTERNATIVES)),
    help="The runs differ, the default; or one-sided: the first of two runs is better (greater), or worse (less). With "
    "--baseline, the first is the other run.",
)
@click.option(
    "--correction",
    type=click.Choice(tuple(CORRECTIONS)),
    help="For multiple comparisons; by default holm, for hsd and tukey none.",
)
@options.alpha_option("Significance level.")
@click.option(
    "--permutations", metavar="NUMBER|all", callback=draws, help="Number of permutations, by default 10000; or all."
)
@click.option("--seed", type=options.SEED, help="Random seed of randomised tests; by default 0.")
@click.option("--baseline", metavar="NAME", help="Test all others against this run only.")
@click.option("--letters", is_flag=True, help="Compact letters: runs that share one were not shown to differ.")
@options.groups_option("test in every group")
@options.UTILITIES
@options.TRIALS
@options.output_options
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    test_: str,
    alternative: str | None,
    correction: str | None,
    alpha: float,
    permutations: int | str | None,
    seed: int | None,
    baseline: str | None,
    letters: bool,
    groups: str | None,
    utilities: str | dict[str, str] | None,
    trials: str | None,
    output: Output,
    **reading: Any,
) -> None:
    """Test whether runs differ by more than chance.

    A metric such as AP means the difference of its values. With --utilities no rankings are needed.
    """
    from tiebreak.cli.progress import progress
    from tiebreak.preferences import DEFAULTS
    from tiebreak.significance import statistical_test
    from tiebreak.utilities import Utilities

    if test_.strip() != "auto":
        # A bad name is an error before anything is read.
        statistical_test(test_, permutations=permutations, seed=seed, alternative=alternative)
    how: dict[str, Any] = {"correction": correction, "alpha": alpha, "permutations": permutations, "seed": seed}
    how |= {"alternative": alternative, "jobs": reading["jobs"]}
    is_meant = (utilities is None) != (qrels is None) and not (utilities and measures)
    options.require(is_meant, "Give QRELS RUN..., or --utilities FILE without -m")
    options.require(utilities is not None or trials is None, "--trials is for --utilities")
    options.require(groups is None or not (utilities or letters), "--groups goes without --utilities and --letters")
    if utilities is not None:
        table = Utilities(utilities, trials=trials, columns=reading["columns"])
        with progress("testing", "draws") as tick:
            results = [table.test(test_, baseline, **how, tick=tick)]
    else:
        shown = options.distinct(measures or DEFAULTS)
        exp = options.experiment(str(qrels), runs, shown, **reading)
        with progress("testing", "draws") as tick:
            compared = [exp.compare(spec, baseline) for spec in shown]
            if groups is not None:
                segments = [one.by_group(groups, columns=reading["columns"]) for one in compared]
                output.write([one.test(test_, **how, tick=tick) for one in segments])
                return
            results = [one.test(test_, **how, tick=tick) for one in compared]
    output.write([one.letter_table() for one in results] if letters else results)
