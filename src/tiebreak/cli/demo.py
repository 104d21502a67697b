"""``tiebreak demo``: an invented experiment, written, read back and shown."""

from __future__ import annotations

from contextlib import nullcontext
from shlex import quote
from tempfile import TemporaryDirectory

import click


@click.command("demo")
@click.option("--out", metavar="FOLDER", type=click.Path(file_okay=False), help="Keep the files here.")
@click.option("--requests", type=click.IntRange(min=1), default=50, show_default=True, help="How many requests.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Another one, another experiment."
)
def command(out: str | None, requests: int, seed: int) -> None:
    """Invent an experiment with seven systems of known character, and read it."""
    from tiebreak.experiment import Experiment
    from tiebreak.reports.overview import overview
    from tiebreak.simulation import simulate

    with TemporaryDirectory(prefix="tiebreak-demo-") if out is None else nullcontext(out) as folder:
        files = simulate(requests, seed=seed).write(folder)
        click.echo(f"Wrote {files.qrels} and {len(files.runs)} runs; read them back:\n")
        made = Experiment(files.qrels, files.runs)
        overview(made.positions, made.judgements).print()
    if out is None:
        click.echo("\nThe files are gone again. `tiebreak demo --out FOLDER` keeps them.")
    else:
        click.echo(f"\nNext: tiebreak evaluate {quote(str(files.qrels))} {quote(str(files.runs[0].parent))}/*.run")
