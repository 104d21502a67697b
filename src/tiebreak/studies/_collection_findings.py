"""The findings of several collections as one table: their rows, means by group and of all, and a picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from statistics import fmean
from typing import Any

from tiebreak._base.text import join_names, plural
from tiebreak.results.cells import Cell, column
from tiebreak.results.plots import Picture
from tiebreak.studies._catalogue import Study
from tiebreak.studies.base import Findings

MEAN, ALL = "mean", "all"
"""What stands for all collections of a group, and for all groups."""


@dataclass(frozen=True, eq=False, repr=False)
class CollectionFindings(Findings):
    """The result of a study over collections: rows of each, then means; `parts` are the findings of every collection.

    `failures` are the errors of collections that could not be studied, by their names.
    """

    parts: Mapping[str, Findings] = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)
    averages: tuple[str, ...] = ()

    @property
    def spread_cells(self) -> Mapping[str, Cell]:
        own = next(iter(self.parts.values())).average_cells
        return {name if k else "": own.get(name, column(name)) for k, name in enumerate(self.averages)}


def join_findings(
    entry: Study,
    parts: Mapping[str, Findings],
    groups: Mapping[str, tuple[str, ...]],
    failures: Mapping[str, str],
    titles: Sequence[str],
) -> CollectionFindings:
    """The rows of every collection, the means of every group, and those of all."""
    first = next(iter(parts.values()))
    keys = tuple(name for name in entry.keys if name in first.columns)
    averages = tuple(name for name in entry.averages if name in first.columns)
    others = tuple(name for name in first.columns if name not in (*keys, *averages))
    nothing = (None,) * len(others)
    rows: list[tuple[Any, ...]] = []
    group_means: dict[str, list[tuple[Any, ...]]] = {}
    for label in dict.fromkeys(groups.values()):
        members = {name: part for name, part in parts.items() if groups[name] == label}
        for name, part in members.items():
            rows += ((*label, name, *(record[c] for c in (*keys, *averages, *others))) for record in part.records())
        if titles:
            group_means[", ".join(label)] = averaged = list(means(members.values(), keys, averages))
            rows += ((*label, MEAN, *row, *nothing) for row in averaged)
    overall = list(means(parts.values(), keys, averages))
    rows += ((*(ALL for _ in titles), MEAN, *row, *nothing) for row in overall)
    spread = keys[-1] if averages and has_names(first, keys[-1]) else None
    hidden = (f"Not in the table: {join_names(others)}; other formats list them.",) if spread and others else ()
    own, columns, _ = first.picture()
    of_means = picture_of_means(first, keys, averages) if titles else None
    if of_means is not None:
        picture, drawn = side_by_side(of_means, (*keys, *averages), group_means, "group")
    else:
        picture, drawn = side_by_side(
            own, columns, {name: part.picture()[2] for name, part in parts.items()}, "collection"
        )
    return CollectionFindings(
        (*titles, "collection", *keys, *averages, *others),
        tuple(rows),
        describe_means(first, overall, len(keys), len(parts), "".join(averages[:1])),
        (*collection_notes(parts, failures), *hidden),
        picture,
        drawn=drawn,
        spread=spread,
        library=first.library,
        more_settings={"collections": [*parts], **first.more_settings},
        parts=parts,
        failures=failures,
        averages=averages,
    )


def has_names(part: Findings, key: str) -> bool:
    """Whether each value of a column can title a column of its own: numbers cannot, there may be many."""
    return all(isinstance(record[key], str) for record in part.records())


def means(parts: Iterable[Findings], keys: Sequence[str], averages: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The mean over the collections that have a value, by the keys of rows; nothing where nothing is averaged."""
    by_key: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for record in (record for part in parts for record in part.records()):
        by_key.setdefault(tuple(record[name] for name in keys), []).append(record)
    for key, records in by_key.items() if averages else ():
        yield (*key, *(mean_or_none(record[name] for record in records) for name in averages))


def mean_or_none(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None and not isnan(value)]
    return fmean(known) if known else None


def describe_means(part: Findings, overall: Sequence[tuple[Any, ...]], keys: int, collections: int, name: str) -> str:
    """The highest and the lowest mean of the first column that is averaged, by its title and as the study writes it."""
    known = [row for row in overall if row[keys] is not None]
    if not known:
        return f"{plural(collections, 'collection')}."
    high, low = (choose(row[keys] for row in known) for choose in (max, min))
    text = f"Over {plural(collections, 'collection')}, mean {dict(part.drawn_as.titles).get(name, name)}: "
    cell = part.average_cells.get(name, column(name))

    def describe(value: float) -> str:
        names = [", ".join(map(str, row[:keys])) for row in known if row[keys] == value]
        if keys > 1 and len(names) > 1:
            names = [f"({one})" for one in names]
        return f"{join_names(names, most=4)} {cell({name: value}, 3)}{part.average_unit}"

    return text + (f"{describe(high)}." if high == low else f"highest {describe(high)}; lowest {describe(low)}.")


def collection_notes(parts: Mapping[str, Findings], failures: Mapping[str, str]) -> Iterator[str]:
    """What failed, what is true of all collections, and what of one."""
    yield from (f"{name} failed: {error.rstrip('.')}." for name, error in failures.items())
    notes = dict.fromkeys(note for part in parts.values() for note in part.details)
    common = [note for note in notes if all(note in part.details for part in parts.values())]
    yield from common
    yield from (f"{name}: {note}" for name, part in parts.items() for note in part.details if note not in common)


def picture_of_means(part: Findings, keys: Sequence[str], averages: Sequence[str]) -> Picture | None:
    """The study's picture where it shows averages, without a band; bars where the study draws more than its rows."""
    if not averages:
        return None
    picture = replace(part.drawn_as, band=None)
    if part.drawn is not None:
        picture = Picture("bar", averages[0], keys[-1], color=keys[0] if len(keys) > 1 else None)
    return picture if {*picture.columns} <= {*keys, *averages} else None


def side_by_side(
    picture: Picture, names: Sequence[str], rows: Mapping[str, Iterable[Sequence[Any]]], title: str
) -> tuple[Picture, tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]]:
    """Pictures of the same kind under their titles, with the rows of each; those that are several stay so."""
    if picture.facet is None:
        drawn = tuple((name, *row) for name, several in rows.items() for row in several)
        return replace(picture, facet=title), ((title, *names), drawn)
    k = list(names).index(picture.facet)
    drawn = tuple((*row[:k], f"{name}: {row[k]}", *row[k + 1 :]) for name, several in rows.items() for row in several)
    return picture, (tuple(names), drawn)
