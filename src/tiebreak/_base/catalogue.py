"""Small frozen values that print as their spec, and the catalogues in which specs are looked up."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from importlib import import_module
from typing import Any, ClassVar, Generic, TypeVar

from tiebreak._base.purposes import purpose
from tiebreak._base.spec import Spec, Value, canonical, expand_alias, format_spec, format_value, parse
from tiebreak.errors import InputError, UnknownNameError

Kind = TypeVar("Kind", bound="Entry")
LIST = "tiebreak measures (tb.measures())"
"""Where all names are listed."""


def parameter(default: Any, check: Callable[..., Any], *, name: str = "", kw_only: bool = False, **bounds: Any) -> Any:
    """A parameter with its default and a border check, such as `check_share`; a default of None is not checked.

    `name` is what a message begins with, by default the parameter's.
    """
    return field(default=default, kw_only=kw_only, metadata={"check": partial(check, **bounds), "name": name})


@dataclass(frozen=True)
class Entry:
    """A value with a name and parameters: a metric, a preference, an ordering."""

    name: ClassVar[str]
    spec_parameters: ClassVar[tuple[str, ...]] = ()
    """Parameters that every spec of the kind takes beside its fields."""

    def __post_init__(self) -> None:
        for one in fields(self):
            value, check = getattr(self, one.name), one.metadata.get("check")
            if check and not value is one.default is None:
                check(value, one.metadata["name"] or one.name)

    def __str__(self) -> str:
        return format_spec(self.name, tuple(self._set_parameters()), getattr(self, "cutoff", None))

    def _set_parameters(self) -> list[tuple[str | None, object]]:
        """Parameters that differ from their defaults, in order; one that is an entry itself needs no name."""
        values = ((one, getattr(self, one.name)) for one in fields(self))
        return [
            (None if isinstance(value, Entry) else one.name, value)
            for one, value in values
            if one.name != "cutoff" and value != one.default
        ]


class Catalogue(Mapping[str, type[Kind]], Generic[Kind]):
    """Every entry of a package by its name, imported on first use; entry points of the group `package` add more."""

    def __init__(
        self, what: str, package: str, homes: dict[str, str], *, others: Mapping[str, str] | None = None
    ) -> None:
        """`others` are other names, and those of the entries that they mean."""
        self.what, self.package, self.homes, self.others = what, package, homes, others or {}

    def __getitem__(self, name: str) -> type[Kind]:
        if name in self.homes:
            module, _, entry = self.homes[name].rpartition(".")
            kind: type[Kind] = getattr(import_module(f"{self.package}.{module}"), entry)
            return kind
        point = self._from_outside[name]
        kind = point.load()
        if getattr(kind, "name", None) != name:
            raise InputError(
                f"{point.value} is offered as the {self.what} {name!r}, but has another name.", kind="names"
            )
        return kind

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

    def begins(self, text: str) -> bool:
        """Whether a spec begins with a name of this catalogue, once aliases are read."""
        return first_name(text) in self

    def lists(self, text: str) -> bool:
        """Whether it begins with a name of tiebreak's own: other packages are not looked for, which takes long."""
        return first_name(text) in self.homes

    def find(
        self,
        spec: object,
        kind: type[Kind],
        example: str,
        aliases: Mapping[str, str] | None = None,
        argument: Callable[[Any], object] | None = None,
    ) -> Kind:
        """An entry as it is, or the one that a text names, by an alias or by its own name."""
        if isinstance(spec, kind):
            return spec
        if not isinstance(spec, str):
            article = "an" if self.what[0] in "aeiou" else "a"
            raise InputError(f"{spec!r} is not {article} {self.what}. Give its name, such as {example}.", kind="spec")
        return self.make(parse(expand_alias(spec.strip(), aliases or {})), argument)

    def make(
        self, spec: Spec, argument: Callable[[Any], object] | None = None, spellings: Spellings | None = None
    ) -> Kind:
        """The entry that a spec names; `argument` makes what a spec among the arguments stands for.

        `spellings` are arguments as others spell them: (entry, parameter, value) to (parameter, value), or to None for
        what is the case anyway.
        """
        if spec.name not in self:
            advice = purpose(spec.name, self.what)
            raise UnknownNameError(self.what, spec.name, [*self, *self.others], advice, where=LIST)
        kind = self[spec.name]
        values = arguments(kind, spec, argument, spellings or {})
        if any(parameter.name == "cutoff" for parameter in fields(kind)):
            values.setdefault("cutoff", spec.cutoff)
        elif spec.cutoff is not None:
            raise InputError(f"{spec}: {spec.name} takes no cutoff. Write it without @{spec.cutoff}.", kind="spec")
        return kind(**values)


Spellings = Mapping[tuple[str, str | None, object], "tuple[str, Value] | None"]


def arguments(
    kind: type[Entry], spec: Spec, argument: Callable[[Any], object] | None, spellings: Spellings
) -> dict[str, Any]:
    """The arguments of a spec by name; those without a name go to the entry's own parameters in order."""
    types = {parameter.name: str(parameter.type) for parameter in fields(kind)}
    check_cutoff(kind, spec)
    own = [parameter.name for parameter in fields(kind) if not parameter.kw_only]
    values: dict[str, Any] = {}
    for place, (key, value) in enumerate(spec.arguments):
        if (spec.name, key, bare_word(value)) in spellings:
            other = spellings[spec.name, key, bare_word(value)]
            if other is None:
                continue
            key, value = other
        name = key if key is not None else own[place] if place < len(own) else format_value(value)
        is_twice = name in values or (name == "cutoff" and spec.cutoff is not None)
        if name not in types or is_twice:
            problem = f"{name!r} is given twice" if is_twice and name in types else f"there is no parameter {name!r}"
            raise InputError(f"{spec}: {problem}. {spec.name} has {parameter_names(kind)}.", kind="spec")
        if isinstance(value, str) and types[name] == "Metric" and argument is not None:
            values[name] = argument(value)  # a metric in quotes
        elif not isinstance(value, Spec):
            values[name] = value
        elif isinstance(bare_word(value), str) and "Metric" not in types[name]:
            values[name] = bare_word(value)
        elif argument is None:
            raise InputError(f"{value} is not expected here. Give a number or text.", kind="spec")
        else:
            values[name] = argument(value)
    return values


def bare_word(value: Value) -> Value:
    """The text of a word without quotes; any other value as it is."""
    return value.name if isinstance(value, Spec) and not value.arguments and value.cutoff is None else value


def first_name(text: str) -> str:
    """The name that a spec begins with, once aliases are read."""
    name = re.match(r"[\w-]*", canonical(text))
    return "" if name is None else name.group()


def takes_cutoff(kind: type[Entry]) -> bool:
    traits: Any = getattr(kind, "traits", None)
    return any(one.name == "cutoff" for one in fields(kind)) and traits.cutoff != "no"


def check_cutoff(kind: type[Entry], spec: Spec) -> None:
    """Reject a whole number that may be meant as the cutoff, as in LensKit's ``RecipRank(10)``."""
    numbers = [value for key, value in spec.arguments if key is None and type(value) is int and value > 0]
    if numbers and spec.cutoff is None and takes_cutoff(kind):
        raise InputError(
            f"{spec}: a cutoff is written {spec.name}@{numbers[0]}, and a parameter with its name. "
            f"{spec.name} has {parameter_names(kind)}.",
            kind="spec",
        )


def parameter_names(kind: type[Entry]) -> str:
    """The parameters that a spec may name, for a sentence."""
    names = [*(one.name for one in fields(kind) if one.name != "cutoff"), *kind.spec_parameters]
    cutoff = ", and @ for a cutoff" if takes_cutoff(kind) else ""
    return (", ".join(names) or "no parameters") + cutoff
