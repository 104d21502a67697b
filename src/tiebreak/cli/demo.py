"""``tiebreak demo``: a simulated experiment, and what preferences show of it that reciprocal rank does not."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import replace
from shlex import quote
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from tiebreak._base.text import plural
from tiebreak.cli.options import SEED
from tiebreak.cli.output import fold
from tiebreak.cli.report import check_page, command_line

if TYPE_CHECKING:
    from tiebreak.comparison import Comparison
    from tiebreak.experiment import Experiment

PAIR = ("top-heavy", "balanced")
BEST, AVERAGE, WORST = "LexiPrecision", "RPP", "LexiRecall"
CASES = {
    BEST: "best case: users who want one relevant item; later ones break ties",
    AVERAGE: "average case: users who want 1, 2, ... relevant items, equally likely",
    WORST: "worst case: users who want every relevant item; earlier ones break ties",
}


@click.command("demo")
@click.option("--out", metavar="FOLDER", type=click.Path(file_okay=False), help="Write the files to this folder.")
@click.option("--requests", type=click.IntRange(min=2), default=50, show_default=True, help="Number of requests.")
@click.option("--seed", type=SEED, default=123, show_default=True, help="Random seed.")
@click.option("--report", metavar="FILE", type=click.Path(dir_okay=False), help="Also write a page about them.")
def command(out: str | None, requests: int, seed: int, report: str | None) -> None:
    """Simulate seven systems with known behaviour, and compare them."""
    from tiebreak._base.text import escape_controls
    from tiebreak.experiment import Experiment
    from tiebreak.simulation import simulate

    if report is not None:
        check_page(report)
    with TemporaryDirectory(prefix="tiebreak-demo-") if out is None else nullcontext(out) as folder:
        simulation = simulate(requests, seed=seed)
        if existing := [path for path in simulation.paths(folder).all if path.exists()]:
            raise click.UsageError(f"{existing[0]} exists already. Give another folder.")
        files = simulation.write(folder)
        exp = Experiment(files.qrels, files.runs)
        exp.read()
        tell_story(exp, seed)
        if report is not None:
            tables: Any = simulation.judgements, simulation.runs
            write_report(exp if out else Experiment(*tables), report)
    if out is None:
        click.echo("\nThe files were temporary. `tiebreak demo --out FOLDER` keeps them.")
    else:
        arguments = f"{quote(str(files.qrels))} {quote(str(files.runs[0].parent))}/*.run"
        click.echo(f"\nNext: tiebreak compare {escape_controls(arguments)}")


def write_report(exp: Experiment, path: str) -> None:
    """A page about the systems; files that are temporary have no place in it."""
    exp.report(path, title="Seven simulated systems", date=False, command=command_line("--report"))
    tell(f"\n{path}: a page about them. Open it in a browser.")


def tell_story(exp: Experiment, seed: int) -> None:
    """From ties to orders."""
    from tiebreak.comparison import compare_pairs
    from tiebreak.preferences import Pairs
    from tiebreak.results.joint_table import joint_table

    size = plural(len(exp.positions.requests), "request")
    tell(f"{len(exp.runs)} simulated systems, {size} (seed {seed}).\n")
    pair = Pairs.one(*(exp.positions.runs.index(name) for name in PAIR))
    compared = {measure: compare_pairs(exp.positions, measure, pair) for measure in ("RR", *CASES)}
    tell(f"1. Which is better, {PAIR[0]} or {PAIR[1]}? Reciprocal rank looks at the first relevant item only.\n")
    tell(f"   {verdict(compared['RR'])}\n")
    tell("2. Preferences compare the positions of all relevant items, so they rarely tie.\n")
    for measure, users in CASES.items():
        tell(f"   {verdict(compared[measure])}\n      ({users})")
    tell("\n3. Which system is best depends on the user model: the orders differ.\n")
    orders = [replace(exp.order(measure), notes=()) for measure in ("RR", *CASES)]
    joint_table(orders).print()
    tell("4. One request, in which reciprocal rank ties and the users of LexiRecall do not.\n")
    exp.explain(*PAIR, request=telling_request(exp)).table().print()


def tell(text: str) -> None:
    """Print text in lines of whole words."""
    click.echo(fold(text, sys.stdout))


def verdict(compared: Comparison) -> str:
    """What one measure shows of the two systems."""
    from tiebreak.significance.result import pvalue_text

    tested = compared.test()
    (row,) = compared.summary(tested).values
    better = f"{row.run if row.value > 0 else row.other} is better"
    interval = f"{row.value:+.3f}, 95% interval {row.low:+.3f} to {row.high:+.3f}"
    by = f"{pvalue_text(row.pvalue_corrected)} by {tested.test.description}"
    result = better if row.pvalue_corrected < tested.alpha else "no difference shown"
    ties = f"{row.ties} of {plural(row.wins + row.ties + row.losses, 'request')} tie"
    return f"{row.measure}: {result} ({interval}; {by}); {ties}."


def telling_request(exp: Experiment) -> str:
    """A request where reciprocal rank ties, with few relevant items, and the clearest preference over all of them."""
    from tiebreak.analysis.explanation import Contributions

    parts = exp.explain(*PAIR, measure="RR")
    assert isinstance(parts, Contributions)
    sizes = {row.request: row.m for row in parts.values}
    values: dict[str, list[float]] = {request: [] for request in sizes}
    for row in parts.values:
        values[row.request].append(row.value)
    tied = [request for request in sizes if values[request][0] == 0 and sizes[request] > 1] or list(sizes)
    shortest = sorted(tied, key=sizes.__getitem__)[:10]
    return max(shortest, key=lambda request: abs(values[request][1]))
