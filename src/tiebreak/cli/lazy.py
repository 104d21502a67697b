"""Groups of commands of which each is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """Finds each command in the module of its name."""

    def __init__(self, *arguments: Any, package: str, commands_in_order: tuple[str, ...], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.package, self.commands_in_order = package, commands_in_order

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands_in_order)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands_in_order:
            return None
        command: click.Command = import_module(f"{self.package}.{cmd_name}").command
        return command
