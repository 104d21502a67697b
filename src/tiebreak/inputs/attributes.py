"""Properties of requests and items: groups, weights, providers and aspects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_number
from tiebreak._base.text import join_names
from tiebreak.errors import InputError, quote
from tiebreak.inputs.columns import Columns
from tiebreak.inputs.evaluation_files import known_column
from tiebreak.inputs.ids import Ids, encode
from tiebreak.inputs.sources import LARGEST_VALUE, Path, Source, check_spelling
from tiebreak.inputs.tables import Table, open_source

MOST_NAMED = 5


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
    return unique_values(id_values(source, "request", "group", columns), "request", "group")


def read_providers(source: Path | Mapping[Any, Any] | Any, *, columns: Columns | None = None) -> dict[str, str]:
    """The provider of every item, such as its author or seller; given as in `read_groups`.

    Examples
    --------
    >>> read_providers({"d1": "ann", "d2": "bob"})
    {'d1': 'ann', 'd2': 'bob'}
    """
    return unique_values(id_values(source, "item", "provider", columns), "item", "provider")


def read_aspects(source: Path | Mapping[Any, Any] | Any, *, columns: Columns | None = None) -> dict[str, list[str]]:
    """The aspects of every item, such as its genres: a row each, or ``{item: [aspect, ...]}``.

    Examples
    --------
    >>> read_aspects({"film": ["comedy", "crime"], "other": ["crime"]})
    {'film': ['comedy', 'crime'], 'other': ['crime']}
    """
    by_item: dict[str, dict[str, None]] = {}
    for item, aspect in id_values(source, "item", "aspect", columns):
        by_item.setdefault(item, {})[aspect] = None
    return {item: list(aspects) for item, aspects in by_item.items()}


def read_weights(source: Path | Mapping[Any, Any] | Any, *, columns: Columns | None = None) -> dict[str, float]:
    """The weight of every request, such as its traffic: finite and not below 0; given as in `read_groups`.

    Examples
    --------
    >>> read_weights({"q1": 10, "q2": 2.5})
    {'q1': 10.0, 'q2': 2.5}
    """
    weights = unique_values(id_values(source, "request", "weight", columns, is_number=True), "request", "weight")
    for request, weight in weights.items():
        check_number(weight, f"request {quote(request)}: weight", low=0, high=LARGEST_VALUE)
    return weights


def unique_values(pairs: Iterator[tuple[str, Any]], key: str, value: str) -> dict[str, Any]:
    """A dictionary of pairs; pairs may be repeated, but two values for one key are an error."""
    values: dict[str, Any] = {}
    for name, content in pairs:
        if values.setdefault(name, content) != content:
            raise InputError(
                f"{key} {quote(name)} has two {value}s, {values[name]} and {content}. Keep one.", kind="conflict"
            )
    if not values:
        raise InputError(f"there is no {key} with a {value}. Give at least one.", kind="empty")
    return values


def id_values(
    source: Any, key: str, value: str, columns: Columns | None, is_number: bool = False
) -> Iterator[tuple[str, Any]]:
    """Pairs of an id and its value: a label, or a number."""
    expected = (
        f"a csv, tsv, JSON lines or parquet file with columns {key} and {value}, a data frame, or {{{key}: {value}}}"
    )
    data = open_source(source, f"the {value}s", columns, expected)
    assert not isinstance(data, Source), "all files hold a table"
    if isinstance(data, Table):
        keys = data.find(key) or known_column(key, data.columns.not_aside(key, data.contents.names)) or data.column(key)
        values = data.column(value, beside=keys)
        read = data.read([keys], keys, values) if is_number else data.read([values], keys, None)
        ((ids, id_of_row),) = read.coded
        if is_number:
            for name, number in zip(Ids(*read.items), read.values.tolist(), strict=True):
                yield name, check_number(number, f"{key} {quote(name)}: {value}")
        else:
            yield from zip(Ids(*read.items), Ids(*ids).take(id_of_row), strict=True)
        return
    check_spelling(data, key, f"the {value}s")
    for name, content in data.items():
        if is_number:
            yield id_text(name), check_number(content, f"{key} {quote(str(name))}: {value}")
            continue
        several = [content] if isinstance(content, (str, bytes)) or not isinstance(content, Iterable) else content
        yield from ((id_text(name), id_text(label)) for label in several)


def id_text(name: Any) -> str:
    return encode(name).decode()


def every_request(requests: Ids, values: Mapping[str, Any], what: str) -> list[Any]:
    """The value of every request; an error where some have none."""
    lacking = [name for name in requests if name not in values]
    check_none_lacking(lacking[:MOST_NAMED], len(lacking), len(requests), what)
    return [values[name] for name in requests]


def check_none_lacking(first: Sequence[str], n_lacking: int, n_requests: int, what: str) -> None:
    """An error where requests, of which the first few are named, have no group, weight or the like."""
    if n_lacking:
        more = f" and {n_lacking - len(first):,} more" if n_lacking > len(first) else ""
        names = f"{', '.join(map(quote, first))}{more}"
        missing = f"{n_lacking:,} of {n_requests:,} requests have no {what}"
        raise InputError(f"{missing}: {names}. Give them one.", kind=what)


def request_weights(requests: Ids, weights: Any, columns: Columns | None) -> NDArray[np.float64]:
    """The weight of every request."""
    values = np.array(every_request(requests, read_weights(weights, columns=columns), "weight"))
    if not values.any():
        raise InputError("all weights are 0. Give at least one request a weight above 0.", kind="weight")
    return values


def group_places(requests: Ids, groups: Mapping[str, str]) -> dict[str, NDArray[np.int64]]:
    """The places of every group's requests, in order of appearance; a group without any is an error."""
    of_request = np.array(every_request(requests, groups, "group"))
    check_no_empty(groups.values(), of_request.tolist())
    return {group: np.flatnonzero(of_request == group) for group in dict.fromkeys(of_request.tolist())}


def check_no_empty(groups: Iterable[str], known: Iterable[str]) -> None:
    """An error where groups have no request that counts."""
    empty = [quote(group) for group in sorted({*groups} - {*known})]
    if empty:
        names = join_names(empty, most=MOST_NAMED)
        raise InputError(f"groups without a request that counts: {names}. Leave them out.", kind="group")
