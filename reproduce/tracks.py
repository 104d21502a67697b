"""The papers' collections: how folders name them, how the papers read them, and what they print of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PRINTED = Path(__file__).resolve().parent / "printed"
SIZES = ("lr-table5", "pe-table4", "rpp-table1")
"""Tables that print how many requests and runs a collection has."""
STARS = 4.0
"""Ratings from here on are relevant (LR 6.1.1, RPP 5.1)."""


@dataclass(frozen=True)
class Track:
    """A collection as the papers know it.

    Attributes
    ----------
    key : str
        Its folder's name, under which its rows are found in `printed/`.
    printed_as : str
        What the papers call it.
    min_grade : float, optional
        The grade from which an item is relevant where grades are forgotten; None for every grade above 0.
    has_ratings : bool
        Grades are ratings, and forgotten everywhere.
    depth : int, optional
        Where rankings are cut.
    """

    key: str
    printed_as: str
    min_grade: float | None = None
    has_ratings: bool = False
    depth: int | None = None


def passages(year: str) -> Track:
    """Grade 1 is "related" in passage ranking: LP Table 2 and PE Table 2 come out with grade >= 2 alone."""
    return Track(f"dl{year}-passage", f"deep-pass (20{year})", 2)


def documents(year: str) -> Track:
    """The same RR is printed in LP Table 3a, without grades, and in RPP Table 3a, with every grade above 0."""
    return Track(f"dl{year}-doc", f"deep-docs (20{year})", 1)


def yearly(name: str, year: str) -> Track:
    return Track(f"{name}{year}", f"{name} ({year})", 1)


def shop(name: str, depth: str) -> Track:
    """LR Table 5 has each of these at three depths."""
    return Track(f"{name}-{depth}", f"{name}-{depth}", STARS, has_ratings=True, depth=int(depth))


def rated(key: str, printed_as: str) -> Track:
    return Track(key, printed_as, STARS, has_ratings=True)


KNOWN: dict[str, Callable[..., Track]] = {
    r"dl(?:20)?(\d\d)-pass(?:ages?)?": passages,
    r"dl(?:20)?(\d\d)-docs?": documents,
    r"(web|core|legal|podcasts|tot)-?(\d{4})": yearly,
    r"robust-?(?:20)?(?:04)?": lambda: Track("robust", "robust (2004)", 1),
    r"(amzn-[a-z-]+)-(\d+)": shop,
    r"ml-1m|movielens": lambda: rated("ml-1m", "ml-1M"),
    r"librarything": lambda: rated("librarything", "libraryThing"),
    r"beeradvocate": lambda: rated("beeradvocate", "beerAdvocate"),
    r"(ml-[a-z0-9-]+)": lambda name: rated(name, name),
}
"""Names of folders, in small letters, and the collections they stand for."""


def track(folder: str) -> Track:
    """What a folder of this name holds; a collection that no paper knows keeps every grade above 0.

    Examples
    --------
    >>> track("dl20-passage").printed_as, track("Robust04").key, track("mine").min_grade
    ('deep-pass (2020)', 'robust', None)
    """
    for pattern, make in KNOWN.items():
        if actual := re.fullmatch(pattern, folder.lower()):
            return make(*actual.groups())
    return Track(folder, folder)


@cache
def printed(table: str) -> Mapping[str, Mapping[str, str]]:
    """The rows of a printed table by collection, each by column."""
    lines = (PRINTED / f"{table}.tsv").read_text("utf-8").splitlines()
    (_, *columns), *rows = (line.split("\t") for line in lines)
    return {key: dict(zip(columns, row, strict=True)) for key, *row in rows}


def columns(table: str) -> tuple[str, ...]:
    return tuple(next(iter(printed(table).values())))


@cache
def printed_sizes(key: str) -> tuple[tuple[int, int], ...]:
    """Requests and runs of a collection, in every table that prints them: they do not always agree."""
    rows = [printed(table)[key] for table in SIZES if key in printed(table)]
    return tuple(dict.fromkeys((int(row["requests"]), int(row["runs"])) for row in rows))
