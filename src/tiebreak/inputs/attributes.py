"""What is known of requests and items beside judgements: groups, weights, providers and aspects, by one reader."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from math import inf
from numbers import Real
from typing import Any

from tiebreak._base.text import join_names
from tiebreak.errors import InputError, quote
from tiebreak.inputs.frames import (
    Columns,
    check_no_columns,
    check_roles,
    column,
    columns_of,
    named_columns,
    names_of,
    needed,
)
from tiebreak.inputs.ids import Ids, encode
from tiebreak.inputs.sources import LARGEST, Path, check_spelling


def read_groups(source: Path | Mapping[Any, Any] | Any, *, columns: Columns | None = None) -> dict[str, str]:
    """The group of every request, such as its language or its user's segment.

    Parameters
    ----------
    source : path, dict or frame
        A file (csv, tsv, JSON lines, parquet) or a frame of any library with a column for the request and one for the
        group; or ``{request: group}``.
    columns : dict, optional
        Which column holds what, where its name does not say so: ``{"request": "user", "group": "country"}``.

    Examples
    --------
    >>> read_groups({"q1": "short", "q2": "long", 3: "long"})
    {'q1': 'short', 'q2': 'long', '3': 'long'}
    """
    return one_each(labels(source, "request", "group", columns or {}), "request", "group")


def read_providers(source: Path | Mapping[Any, Any] | Any, *, columns: Columns | None = None) -> dict[str, str]:
    """The provider of every item, such as its author or seller; given as in `read_groups`.

    Examples
    --------
    >>> read_providers({"d1": "ann", "d2": "bob"})
    {'d1': 'ann', 'd2': 'bob'}
    """
    return one_each(labels(source, "item", "provider", columns or {}), "item", "provider")


def read_aspects(source: Path | Mapping[Any, Any] | Any, *, columns: Columns | None = None) -> dict[str, list[str]]:
    """The aspects of every item, such as its genres: a row each, or ``{item: [aspect, ...]}``.

    Examples
    --------
    >>> read_aspects({"film": ["comedy", "crime"], "other": ["crime"]})
    {'film': ['comedy', 'crime'], 'other': ['crime']}
    """
    found: dict[str, dict[str, None]] = {}
    for item, aspect in labels(source, "item", "aspect", columns or {}):
        found.setdefault(item, {})[aspect] = None
    return {item: list(aspects) for item, aspects in found.items()}


def read_weights(source: Path | Mapping[Any, Any] | Any, *, columns: Columns | None = None) -> dict[str, float]:
    """The weight of every request, such as its traffic: finite and not below 0; given as in `read_groups`.

    Examples
    --------
    >>> read_weights({"q1": 10, "q2": 2.5})
    {'q1': 10.0, 'q2': 2.5}
    """
    return one_each(weights(source, columns or {}), "request", "weight")


def weights(source: Any, columns: Columns) -> Iterator[tuple[str, float]]:
    for request, weight in numbers(source, "request", "weight", columns):
        if not 0 <= weight <= LARGEST:
            raise InputError(
                f"request {quote(request)} has weight {weight:g}. Give a finite number, not below 0.",
                kind="weight",
                request=request,
            )
        yield request, weight


def one_each(pairs: Iterator[tuple[str, Any]], key: str, value: str) -> dict[str, Any]:
    """A dictionary of pairs; the same pair may come again, another value for the same key is refused."""
    found: dict[str, Any] = {}
    for name, held in pairs:
        if found.setdefault(name, held) != held:
            raise InputError(
                f"{key} {quote(name)} has two {value}s, {found[name]} and {held}. Keep one.", kind="conflict"
            )
    if not found:
        raise InputError(f"there is no {key} with a {value}. Give at least one.", kind="empty")
    return found


def labels(source: Any, key: str, value: str, given: Columns) -> Iterator[tuple[str, str]]:
    """Pairs of text: ids of requests or items, and their labels."""
    if isinstance(source, Mapping):
        check_no_columns(given)
        check_spelling(source, key, f"the {value}s")
        for name, held in source.items():
            several = [held] if isinstance(held, (str, bytes)) or not isinstance(held, Iterable) else held
            yield from ((text_of(name), text_of(label)) for label in several)
        return
    frame, (names, held_in), label = opened(source, key, value, given)
    (names_of_row, codes), (held_of_row, held_codes) = columns_of(frame, [names, held_in], names, None, label).coded
    texts, held_texts = list(Ids(*names_of_row)), list(Ids(*held_of_row))
    yield from ((texts[n], held_texts[h]) for n, h in zip(codes.tolist(), held_codes.tolist(), strict=True))


def numbers(source: Any, key: str, value: str, given: Columns) -> Iterator[tuple[str, float]]:
    """Pairs of an id and a number."""
    if isinstance(source, Mapping):
        check_no_columns(given)
        check_spelling(source, key, f"the {value}s")
        for name, held in source.items():
            if isinstance(held, bool) or not isinstance(held, Real):
                raise InputError(f"{key} {quote(str(name))}: the {value} is {held!r}. Give a number.", kind=value)
            yield text_of(name), as_float(held)
        return
    frame, (names, held_in), label = opened(source, key, value, given)
    read = columns_of(frame, [names], names, held_in, label)
    yield from zip(Ids(*read.items), read.values.tolist(), strict=True)


def as_float(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:
        return inf


def text_of(name: Any) -> str:
    return encode(name).decode()


def opened(source: Any, key: str, value: str, given: Columns) -> tuple[Any, tuple[str, str], str]:
    """A table, its columns for key and value, and what to call it."""
    label = os.fspath(source) if isinstance(source, (str, os.PathLike)) else f"the {value}s"
    frame = named_columns(source, label, f"{value}s", f"columns {key} and {value}, a data frame, or {{{key}: {value}}}")
    check_roles(given, label)
    names = names_of(frame)
    keys = needed(key, names, given, label)
    return frame, (keys, value_column(value, keys, names, given, label)), label


def value_column(value: str, keys: str, names: list[str], given: Columns, label: str) -> str:
    """The column that holds the values: the one that was named or is called so, or the only one beside the keys."""
    others = [name for name in names if name != keys]
    found = column(value, others, given, label)
    if found is None and len(others) != 1:
        raise InputError(
            f"{label}: no column for {value}. There are {join_names(names)}. Rename it, or say which in Python: "
            f"columns={{{value!r}: ...}}.",
            kind="columns",
        )
    return found or others[0]
