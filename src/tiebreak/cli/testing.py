"""Options of tests of pairs of runs, and of gates."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

import click

from tiebreak._base.checks import check_number
from tiebreak._base.corrections import ALPHA, CORRECTIONS
from tiebreak.cli.gate import GateOptions
from tiebreak.cli.options import SEED, Command, files_read, require, separate, with_options
from tiebreak.cli.output import check_output


def alpha_option(help_: str) -> Callable[[Command], Command]:
    """A significance level."""

    def check(context: click.Context, parameter: click.Parameter, value: float) -> float:
        return check_number(value, "--alpha", above=0, below=1)

    return click.option("--alpha", type=float, default=ALPHA, show_default=True, callback=check, help=help_)


def draws(context: click.Context, parameter: click.Parameter, value: str | None) -> int | str | None:
    """A whole number, or ``all``."""
    if value is None or value == "all":
        return value
    if not value.isdecimal():
        raise click.BadParameter(f"{value!r} is neither a whole number nor 'all'.")
    return int(value)


TESTS = (
    click.option(
        "--test",
        metavar="SPEC",
        default="auto",
        show_default=True,
        help="A test of tiebreak test; auto: sign for preferences that are signs, else t.",
    ),
    click.option(
        "--correction",
        type=click.Choice(tuple(CORRECTIONS)),
        help="For multiple comparisons; by default holm, for hsd and tukey none.",
    ),
    alpha_option("Significance level."),
    click.option(
        "--permutations", metavar="NUMBER|all", callback=draws, help="Number of permutations, by default 10000; or all."
    ),
    click.option("--seed", type=SEED, help="Random seed of randomised tests; by default 0."),
)
GATES = (
    click.option(
        "--fail-if-worse",
        "specs",
        multiple=True,
        metavar="SPEC",
        callback=separate,
        help="Exit with 1 if a run is shown to be worse than the baseline, by default the first run: by a measure or a "
        "population, such as AP or cvar(AP, share=0.1). Repeatable.",
    ),
    click.option("--margin", type=float, help="Fail unless a run is shown to be no more than this much worse."),
    click.option("--allow", type=float, help="Fail only if a run is shown to be more than this much worse."),
    click.option("--junit", metavar="FILE", help="Write what --fail-if-worse found as JUnit XML."),
    click.option(
        "--summary",
        metavar="FILE",
        help="Write what --fail-if-worse found as Markdown; it is also appended to $GITHUB_STEP_SUMMARY, where set.",
    ),
)


def test_options(command: Command) -> Command:
    """Give a command the `test` of pairs of runs, a dictionary of how `Comparison.test` is called."""

    @wraps(command)
    def testing(test: str, correction: str | None, alpha: float, **options: Any) -> Any:
        how: dict[str, Any] = {"test": test, "correction": correction, "alpha": alpha, "jobs": options.get("jobs")}
        how |= {name: options.pop(name) for name in ("permutations", "seed")}
        return command(how=how, **options)

    return with_options(cast(Command, testing), TESTS)


def check_test(test: str, **options: Any) -> None:
    """A bad name or option of a test is an error before anything is read."""
    if test.strip() != "auto":
        from tiebreak.significance import statistical_test

        names = ("permutations", "seed", "alternative")
        statistical_test(test, **{name: options[name] for name in names if name in options})


def chooses_test(test: str, alpha: float, jobs: int | None, **options: Any) -> bool:
    """Whether an option of a test is not as by default; `jobs` is one of other work too."""
    return test.strip() != "auto" or alpha != ALPHA or any(value is not None for value in options.values())


def gate_options(command: Command) -> Command:
    """Give a command its `gate`: which runs fail, and where that is reported."""

    @wraps(command)
    def gating(**options: Any) -> Any:
        for name in ("junit", "summary"):
            check_output(options[name], files_read())
        gate = GateOptions(**{name: options.pop(name) for name in GateOptions._fields})
        require(
            bool(gate.specs) or gate == GateOptions(),
            "--margin, --allow, --junit and --summary are for --fail-if-worse",
        )
        return command(gate=gate, **options)

    return with_options(cast(Command, gating), GATES)
