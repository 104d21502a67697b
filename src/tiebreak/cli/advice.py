"""What an unknown command or option may have meant."""

from __future__ import annotations

import click

from tiebreak.errors import quote

MEANINGS = {
    "check": ("audit", "validate", "lint", "inspect", "info"),
    "evaluate": ("eval", "score", "scores", "measure", "metrics", "trec_eval"),
    "compare": ("diff", "preference", "preferences", "prefer", "pref_eval"),
    "order": ("rank", "sort", "leaderboard", "rerank"),
    "explain": ("why", "show", "debug"),
    "test": ("significance", "ttest", "pvalue", "p-value"),
    "study": ("studies", "experiment"),
    "doctor": ("version", "versions", "env"),
}
"""Other words for commands."""
MEASURE_OPTIONS = ("-p", "--preference", "--preferences", "--metric", "--metrics", "--measures")
"""What others call the option of measures."""
CLEARLY = 0.75
"""The similarity from which a word is taken for a mistyped command, whatever else it may mean."""


def command_advice(name: str, commands: tuple[str, ...]) -> str:
    """What to write in place of an unknown command."""
    from difflib import get_close_matches
    from os.path import exists

    from tiebreak._base.purposes import purpose

    if exists(name):
        return f"Name a command first, such as tiebreak evaluate {name}."
    by_meaning = [command for command, words in MEANINGS.items() if name.lower() in words]
    if near := by_meaning or get_close_matches(name.lower(), commands, n=1, cutoff=CLEARLY):
        return f"Did you mean {quote(near[0])}?"
    # "power" is near to "order", and is a study.
    if elsewhere := purpose(name):
        return elsewhere
    near = get_close_matches(name.lower(), commands, n=1)
    return f"Did you mean {quote(near[0])}?" if near else f"There are {', '.join(commands)}."


def add_advice(error: click.ClickException) -> click.ClickException:
    """The error, with what to write in place of an unknown option where that is known."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None:
        return error
    command = error.ctx.command
    flags = [flag for option in command.params for flag in option.opts]
    if isinstance(command, click.Group):
        advice = "Options come after a command, such as tiebreak evaluate QRELS RUN -m AP."
    elif error.option_name in MEASURE_OPTIONS and "-m" in flags:
        advice = "Metrics and preferences are given by -m, such as -m AP."
    else:
        return error
    return click.UsageError(f"{error.message} {advice}", error.ctx)
