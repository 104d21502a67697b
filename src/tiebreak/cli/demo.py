"""``tiebreak demo``: a simulated experiment, and what preferences show of it that reciprocal rank does not."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from shlex import quote
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from tiebreak.cli.options import SEED

if TYPE_CHECKING:
    from tiebreak.comparison import PairSummary
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
def command(out: str | None, requests: int, seed: int) -> None:
    """Simulate seven systems with known behaviour, and compare them."""
    from tiebreak._base.text import escape_controls
    from tiebreak.experiment import Experiment
    from tiebreak.simulation import simulate

    with TemporaryDirectory(prefix="tiebreak-demo-") if out is None else nullcontext(out) as folder:
        simulation = simulate(requests, seed=seed)
        if existing := [path for path in simulation.paths(folder).all if path.exists()]:
            raise click.UsageError(f"{existing[0]} exists already. Give another folder.")
        files = simulation.write(folder)
        exp = Experiment(files.qrels, files.runs)
        exp.read()
        tell_story(exp, seed)
    if out is None:
        click.echo("\nThe files were temporary. `tiebreak demo --out FOLDER` keeps them.")
    else:
        arguments = f"{quote(str(files.qrels))} {quote(str(files.runs[0].parent))}/*.run"
        click.echo(f"\nNext: tiebreak compare {escape_controls(arguments)}")


def tell_story(exp: Experiment, seed: int) -> None:
    """From ties to orders."""
    from tiebreak._base.text import plural
    from tiebreak.results.joint_table import joint_table

    size = plural(len(exp.positions.requests), "request")
    click.echo(f"{len(exp.runs)} simulated systems, {size} (seed {seed}).\n")
    summaries = {measure: exp.compare(measure, baseline=PAIR[1]).summary() for measure in ("RR", *CASES)}
    rows = {measure: next(r for r in s.rows() if r.run == PAIR[0]) for measure, s in summaries.items()}
    click.echo(f"1. Which is better, {PAIR[0]} or {PAIR[1]}? Reciprocal rank looks at the first relevant item only.\n")
    click.echo(f"   {verdict('RR', rows['RR'])}\n")
    click.echo("2. Preferences compare the positions of all relevant items, so they rarely tie.\n")
    for measure, users in CASES.items():
        click.echo(f"   {verdict(measure, rows[measure])}\n      ({users})")
    click.echo("\n3. Which system is best depends on the user model: the orders differ.\n")
    orders = [replace(exp.order(measure), notes=()) for measure in ("RR", *CASES)]
    joint_table(orders).print()
    click.echo("4. One request, in which reciprocal rank ties and the users of LexiRecall do not.\n")
    exp.explain(*PAIR, request=telling_request(exp)).table().print()


def verdict(measure: str, row: PairSummary) -> str:
    """What one measure shows of the two systems."""
    n = row.wins + row.ties + row.losses
    result = f"{row.run if row.value > 0 else row.other} is better" if row.is_clear else "no difference shown"
    interval = f"{row.value:+.3f}, 95% interval {row.low:+.3f} to {row.high:+.3f}"
    return f"{measure}: {result} ({interval}); {row.ties} of {n} requests tie."


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
