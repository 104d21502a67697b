"""What a shell completes: measures where an option takes them, and files. Nothing heavy is imported."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

from tiebreak._base.spec import NAMES
from tiebreak._base.text import first_line
from tiebreak.cli.catalogue_help import docstrings

PACKAGES = {
    "measures": ("preferences", "metrics"),
    "measure": ("metrics", "preferences", "populations"),
    "specs": ("preferences", "metrics", "populations"),
    "truth": ("preferences", "metrics"),
    "by": ("orderings", "populations"),
    "ordering": ("orderings",),
    "populations": ("populations",),
    "pessimistic": ("populations",),
    "others": ("populations",),
    "test": ("significance",),
    "sort": ("metrics",),
}
"""Parameters of commands that take specs, and the packages whose names these begin with."""
OF_COMMANDS = {
    ("evaluate", "measures"): ("metrics",),
    ("order", "measures"): ("preferences", "metrics", "populations"),
    ("worst", "measure"): ("metrics",),
    ("providers", "measure"): ("metrics",),
}
"""Where a command takes others than most."""
FILES = ("QRELS", "RUN...", "[QRELS]", "[RUN]...", "RATINGS")


class Paths(StringParamType):
    """A path as it is; the shell completes files, or folders."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        return [CompletionItem(incomplete, type=self.kind)]


class Names(StringParamType):
    """A spec as it is; the shell completes names of catalogues, else those of other tools for metrics."""

    def __init__(self, packages: tuple[str, ...]) -> None:
        self.packages = packages

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        own = [entry for package in self.packages for entry in docstrings(package, incomplete)]
        if own or "metrics" not in self.packages:
            return [CompletionItem(name, help=first_line(doc)) for name, doc in own]
        return [CompletionItem(name, help=NAMES[name]) for name in NAMES if name.startswith(incomplete)]


def add_completion(command: click.Command) -> None:
    """Let a shell complete the parameters of a command."""
    for parameter in command.params:
        name, metavar = str(parameter.name), str(parameter.metavar)
        packages = OF_COMMANDS.get((str(command.name), name)) or PACKAGES.get(name)
        if parameter.type is not click.STRING:  # choices and paths know what to complete
            continue
        if packages and metavar in ("SPEC", "METHOD", "MEASURE"):
            parameter.type = Names(packages)
        elif metavar.endswith("FILE") or metavar in FILES:
            parameter.type = Paths("file")
        elif metavar == "FOLDER":
            parameter.type = Paths("dir")
