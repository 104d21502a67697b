"""The entries of catalogues at the end of a command's help, read from their source: importing them imports numpy."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

import tiebreak
from tiebreak._base.text import first_line

if TYPE_CHECKING:
    import ast

PAPERS = (
    "The papers cited: LR on lexirecall, LP on lexiprecision, PE on pessimistic evaluation, RPP on recall-paired "
    "preference, AB on alpha-beta-nDCG."
)


class CatalogueHelp(click.Command):
    """Lists the entries of catalogues at the end of the help: a title and a package each."""

    def __init__(self, *arguments: Any, catalogues: Mapping[str, str], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.catalogues, self.epilog = catalogues, PAPERS

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, package in self.catalogues.items():
            with formatter.section(title):
                formatter.write_dl([(name, first_line(doc)) for name, doc in docstrings(package)])
        super().format_epilog(ctx, formatter)


def docstrings(package: str, begin: str = "") -> Iterator[tuple[str, str]]:
    """The names of a catalogue's entries and their docstrings; only those that begin so, in any case."""
    import ast
    from importlib.metadata import entry_points

    if entry_points(group=f"tiebreak.{package}"):  # entries of other packages have to be imported
        catalogue = import_module(f"tiebreak.{package}").CATALOGUE
        names = [name for name in catalogue if name.lower().startswith(begin.lower())]
        yield from ((name, catalogue[name].__doc__ or "") for name in names)
        return
    assignments = [node for node in source(package, "__init__").body if isinstance(node, ast.AnnAssign)]
    (call,) = (node.value for node in assignments if ast.unparse(node.target) == "CATALOGUE")
    assert isinstance(call, ast.Call)
    for name, home in ast.literal_eval(call.args[-1]).items():
        if not name.lower().startswith(begin.lower()):
            continue
        *modules, entry = home.split(".")
        classes = (node for node in source(package, *modules).body if isinstance(node, ast.ClassDef))
        yield name, next(ast.get_docstring(node) or "" for node in classes if node.name == entry)


@cache
def source(*modules: str) -> ast.Module:
    """The syntax tree of a module of this package."""
    import ast

    with open(os.path.join(tiebreak.__path__[0], *modules) + ".py", encoding="utf-8") as file:
        return ast.parse(file.read())
