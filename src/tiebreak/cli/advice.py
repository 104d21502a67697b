"""What an unknown command, study or option may have meant."""

from __future__ import annotations

import click

from tiebreak.errors import quote

MEANINGS = {
    "check": ("audit", "validate", "lint", "inspect", "info"),
    "evaluate": ("eval", "score", "scores", "measure", "trec_eval"),
    "compare": ("diff", "preference", "prefer", "pref_eval"),
    "order": ("rank", "sort", "leaderboard", "rerank"),
    "explain": ("why", "show", "debug"),
    "test": ("significance", "ttest", "pvalue", "p-value"),
    "study": ("studies", "experiment"),
    "measures": ("metrics", "preferences", "populations", "orderings", "tests", "list"),
    "doctor": ("version", "versions", "env"),
}
"""Other words for commands."""
MEASURE_OPTIONS = ("-p", "--preference", "--preferences", "--metric", "--metrics", "--measures")
"""What others call the option of measures."""
TREC_EVAL = {
    "-l": "Relevance levels are given by --min-grade, such as --min-grade 2 for trec_eval's -l 2.",
    "-c": "Leave it out: judged requests that a run misses count, as by trec_eval's -c; else --requests common.",
    "-M": "Rankings are truncated by --depth, such as --depth 100 for trec_eval's -M 100.",
    "-J": "Unjudged items are removed by --judged-only, as by trec_eval's -J.",
}
"""What options of trec_eval are called here."""
CLEARLY = 0.75
"""The similarity from which a word is taken for a mistyped command, whatever else it may mean."""


class AdvisingGroup(click.Group):
    """Commands, of which an unknown one is an error that says what may be meant."""

    example = "evaluate"
    """A command, to be written before files."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        commands = tuple(self.list_commands(ctx))
        if args[0] not in commands and not ctx.resilient_parsing:
            advice = command_advice(args[0], commands, f"{ctx.command_path} {self.example}")
            ctx.fail(f"No such command {quote(args[0])}. {advice}")
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None and ctx.resilient_parsing:
            from tiebreak.cli.completion import add_completion

            add_completion(command)
        return name, command, rest


def command_advice(name: str, commands: tuple[str, ...], example: str) -> str:
    """What to write in place of an unknown command."""
    from difflib import get_close_matches
    from os.path import exists

    from tiebreak._base.purposes import purpose

    if exists(name):
        return f"Name a command first, such as {example} {name}."
    by_meaning = [command for command in commands if name.lower() in MEANINGS.get(command, ())]
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
    elif error.option_name in TREC_EVAL and "--min-grade" in flags:
        advice = TREC_EVAL[error.option_name]
    else:
        return error
    return click.UsageError(f"{error.message} {advice}", error.ctx)
