"""Small frozen values that print as the spec that made them, and the catalogues in which a spec finds them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar, Generic, TypeVar

from tiebreak._base.spec import Spec, Value, canonical, format_spec, format_value
from tiebreak.errors import InputError, UnknownNameError

Kind = TypeVar("Kind", bound="Entry")


@dataclass(frozen=True)
class Entry:
    """A value with a name and parameters: a metric, a preference, an ordering."""

    name: ClassVar[str]

    def __str__(self) -> str:
        return format_spec(self.name, tuple(self._set_parameters()), getattr(self, "cutoff", None))

    def _set_parameters(self) -> list[tuple[str | None, object]]:
        """Parameters that differ from their defaults, in order; one that is an entry itself needs no name."""
        given: list[tuple[str | None, object]] = []
        for parameter in fields(self):
            value = getattr(self, parameter.name)
            if parameter.name != "cutoff" and value != parameter.default:
                given.append((None if isinstance(value, Entry) else parameter.name, value))
        return given


class Catalogue(Mapping[str, type[Kind]], Generic[Kind]):
    """Every entry of a package by its name; the file that defines it is imported when it is asked for.

    Parameters
    ----------
    what : str
        What the entries are called in messages.
    package : str
        Where they are defined; also the group of entry points by which other packages add theirs.
    homes : dict
        For every name the module and the class.
    """

    def __init__(self, what: str, package: str, homes: dict[str, str]) -> None:
        self.what, self.package, self.homes = what, package, homes

    def __getitem__(self, name: str) -> type[Kind]:
        if name in self.homes:
            module, _, entry = self.homes[name].rpartition(".")
            found: type[Kind] = getattr(import_module(f"{self.package}.{module}"), entry)
            return found
        return self._loaded(name)

    def __contains__(self, name: object) -> bool:
        return name in self.homes or name in self._from_outside

    def __iter__(self) -> Iterator[str]:
        yield from self.homes
        yield from self._from_outside

    def __len__(self) -> int:
        return len(self.homes) + len(self._from_outside)

    @cached_property
    def _from_outside(self) -> Any:
        """What other packages add under the entry points ``tiebreak.metrics``, ``tiebreak.preferences``, ..."""
        from importlib.metadata import entry_points

        return {point.name: point for point in entry_points(group=self.package) if point.name not in self.homes}

    def _loaded(self, name: str) -> type[Kind]:
        point = self._from_outside[name]
        entry: type[Kind] = point.load()
        if getattr(entry, "name", None) != name:
            raise InputError(
                f"{point.value} is offered as the {self.what} {name!r}, but has another name.", kind="names"
            )
        return entry

    def begins(self, text: str) -> bool:
        """Whether a spec begins with a name of this catalogue, once aliases are read."""
        name = re.match(r"[\w-]*", canonical(text))
        return name is not None and name.group() in self

    def make(
        self, spec: Spec, argument: Callable[[Spec], object] | None = None, spellings: Spellings | None = None
    ) -> Kind:
        """The entry that a spec names.

        Parameters
        ----------
        spec : Spec
        argument : callable, optional
            Makes what a spec among the arguments stands for; without it there can be none.
        spellings : dict, optional
            Arguments as others spell them: (entry, parameter, value) to (parameter, value).
        """
        if spec.name not in self:
            raise UnknownNameError(self.what, spec.name, self)
        kind = self[spec.name]
        given = arguments(kind, spec, argument or no_spec, spellings or {})
        if any(parameter.name == "cutoff" for parameter in fields(kind)):
            given["cutoff"] = spec.cutoff
        elif spec.cutoff is not None:
            raise InputError(f"{spec}: {spec.name} takes no cutoff. Write it without @{spec.cutoff}.", kind="spec")
        return kind(**given)


def no_spec(spec: Spec) -> object:
    raise InputError(f"{spec} is not expected here. Give a number or text.", kind="spec")


Spellings = Mapping[tuple[str, str | None, object], tuple[str, Value]]


def arguments(
    kind: type[Entry], spec: Spec, argument: Callable[[Spec], object], spellings: Spellings
) -> dict[str, Any]:
    """The arguments of a spec by name; those without one go to the entry's own parameters in order."""
    known = [parameter.name for parameter in fields(kind) if parameter.name != "cutoff"]
    own = [parameter.name for parameter in fields(kind) if not parameter.kw_only]
    given: dict[str, Any] = {}
    for place, (key, value) in enumerate(spec.arguments):
        if (spec.name, key, value) in spellings:
            key, value = spellings[spec.name, key, value]
        name = key if key is not None else own[place] if place < len(own) else format_value(value)
        if name not in known or name in given:
            problem = f"{name!r} is given twice" if name in given else f"there is no parameter {name!r}"
            raise InputError(f"{spec}: {problem}. {spec.name} has {having(kind)}.", kind="spec")
        given[name] = of_type(kind, name, value, argument) if isinstance(value, Spec) else value
    return given


def of_type(kind: type[Entry], name: str, value: Spec, argument: Callable[[Spec], object]) -> object:
    """What a spec among the arguments stands for; a bare word where text is wanted is that word."""
    wanted = next(str(parameter.type) for parameter in fields(kind) if parameter.name == name)
    is_word = not value.arguments and value.cutoff is None
    return value.name if is_word and "Metric" not in wanted else argument(value)


def having(kind: type[Entry]) -> str:
    """What can be set, in words."""
    names = [parameter.name for parameter in fields(kind)]
    others = ", ".join(name for name in names if name != "cutoff") or "no parameters"
    return others + (", and @ for a cutoff" if "cutoff" in names else "")
