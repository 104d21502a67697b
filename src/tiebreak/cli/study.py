"""``tiebreak study``: experiments about evaluation itself."""

from __future__ import annotations

import click

from tiebreak.cli.lazy import LazyGroup

STUDIES = ("ties", "agreement", "power", "missing", "validity", "orientation", "axioms", "ideal", "properties")


@click.group("study", cls=LazyGroup, package="tiebreak.cli.studies", commands_in_order=STUDIES)
def command() -> None:
    """Study evaluation itself: ties, agreement, power, missing labels, diversity; one command each."""
