"""Collections: folders of judgements and runs, one by one, in a folder of them, or listed in a file."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from tiebreak._base.checks import check_choice
from tiebreak._base.text import join_names
from tiebreak.errors import InputError, quote
from tiebreak.inputs.runs import run_name
from tiebreak.inputs.sources import Path

RUNS, JUDGEMENTS = "runs", "qrels"
FILES = ("aspects", "train", "intents", "exclude", "candidates")
"""Tables beside the judgements, by the parameters of an experiment."""
OPTIONS = (
    *("min_grade", "binary", "depth", "judged_only", "requests", "ties", "duplicates", "on_bad_score"),
    *("imputation", "columns"),
)
"""How judgements and runs are read, likewise."""
Place: TypeAlias = "Path | Mapping[str, Any]"
Places: TypeAlias = "Path | Iterable[Path] | Mapping[str, Any]"


@dataclass(frozen=True)
class Collection:
    """A folder with judgements, called ``qrels`` with any ending, and a folder ``runs``.

    Attributes
    ----------
    name, folder : str
    kind : str, optional
        What it belongs to, such as retrieval or recommendation.
    qrels : str, optional
        The file of judgements in the folder, where there are several.
    reading : dict
        How it is read, as in `Experiment`.
    problem : InputError, optional
        Why there is nothing to read.
    """

    name: str
    folder: str
    kind: str | None = None
    qrels: str | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    problem: InputError | None = field(default=None, compare=False)

    @property
    def runs(self) -> str:
        return os.path.join(self.folder, RUNS)

    @property
    def judgements(self) -> str:
        """The file of judgements; ``qrels.txt`` is preferred to ``qrels.diversity.txt``."""
        if self.problem is not None:
            raise self.problem
        if self.qrels is not None:
            return os.path.join(self.folder, self.qrels)
        names = [name for name in list_folder(self.folder) if name.split(".")[0] == JUDGEMENTS]
        files = [name for name in names if run_name(name) == JUDGEMENTS] or names
        if len(files) == 1:
            return os.path.join(self.folder, files[0])
        problem = "there are no judgements. Call them qrels.txt"
        if files:
            problem = f"which are the judgements, {join_names(files)}? Name one: qrels={quote(files[0])}"
        raise InputError(f"{self.folder}: {problem}.", kind="collection")


def find_collections(places: Places, qrels: str | None = None) -> list[Collection]:
    """Folders with judgements and runs, folders of such folders, and TOML files that list them; each once, in order.

    A place that has none is an error if it is the only one; among others it is a collection with that `problem`.

    Examples
    --------
    >>> [one.name for one in find_collections({"a": "data/a", "b": {"folder": "data/b", "kind": "web"}})]
    ['a', 'b']
    """
    if isinstance(places, Mapping):
        several = [collection_from_table(name, place, "", qrels) for name, place in places.items()]
    else:
        paths = [places] if isinstance(places, (str, os.PathLike)) else places
        several = [one for path in paths for one in collections_or_problem(os.fspath(path), qrels)]
    by_name: dict[str, Collection] = {}
    for one in several:
        other = by_name.setdefault(one.name, one)
        if replace(other, folder=os.path.realpath(other.folder)) != replace(one, folder=os.path.realpath(one.folder)):
            raise InputError(
                f"two collections are called {quote(one.name)}: {other.folder} and {one.folder}. "
                "Give them names of their own, in a TOML file.",
                kind="names",
            )
    if not by_name:
        raise InputError("no collection was given. Give at least one folder with qrels and runs.", kind="empty")
    problem = several[0].problem
    if problem is not None and len(by_name) == 1:
        raise problem
    return list(by_name.values())


def collections_or_problem(path: str, qrels: str | None) -> list[Collection]:
    """The collections of a place, or one that says why there is none."""
    try:
        return list(collections_at(path, qrels))
    except InputError as problem:
        return [Collection(os.path.basename(os.path.abspath(path)), path, problem=problem)]


def collections_at(path: str, qrels: str | None) -> Iterator[Collection]:
    """The folder itself if it has runs, else those in it that have; or what a TOML file lists."""
    if path.endswith(".toml"):
        folder = os.path.dirname(path)
        yield from (collection_from_table(name, place, folder, qrels) for name, place in read_list(path).items())
        return
    inside = [path] if has_runs(path) else [os.path.join(path, name) for name in list_folder(path)]
    folders = [folder for folder in inside if has_runs(folder)]
    if not folders:
        raise InputError(
            f"{path}: there is no folder called runs here, nor in the folders in it. "
            "Give folders with qrels and runs, or a TOML file that lists them.",
            kind="collection",
            file=path,
        )
    yield from (Collection(os.path.basename(os.path.abspath(folder)), folder, qrels=qrels) for folder in folders)


def has_runs(folder: str) -> bool:
    return os.path.isdir(os.path.join(folder, RUNS))


def list_folder(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}.", kind="file", file=folder) from None


def read_list(path: str) -> dict[str, Any]:
    """Tables by the names of collections."""
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}.", kind="file", file=path) from None
    except ValueError as error:  # of TOML, or of text
        raise InputError(f"{path}: this is no TOML: {error}.", kind="file", file=path) from None


def collection_from_table(name: str, place: Place, base: str, qrels: str | None) -> Collection:
    """A collection by its folder alone, or by a table with its folder, kind, judgements and how it is read."""
    table: Any = {"folder": place} if isinstance(place, (str, os.PathLike)) else place
    if not isinstance(table, Mapping) or "folder" not in table:
        raise InputError(
            f'collection {quote(name)}: give its folder, such as folder = "data/{name}".', kind="collection"
        )
    for key in table:
        check_choice(key, f"collection {quote(name)}", ("folder", "kind", "qrels", *OPTIONS, *FILES))
    folder = os.path.join(base, os.fspath(table["folder"]))
    reading = {key: table[key] for key in OPTIONS if key in table}
    reading |= {key: os.path.join(folder, table[key]) for key in FILES if key in table}
    kind = table.get("kind")
    return Collection(name, folder, None if kind is None else str(kind), table.get("qrels", qrels), reading)
