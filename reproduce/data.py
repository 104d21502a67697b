"""The data that tables and figures are made from: folders of judgements and runs."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from os.path import abspath
from pathlib import Path
from typing import Any

from tracks import Track, printed_sizes, track

import tiebreak as tb
from tiebreak.results.overview import data_row

JUDGEMENTS = ("qrels.txt", "qrels.stars.txt", "qrels.txt.gz")
SUBTOPICS = ("qrels.diversity.txt", "qrels.diversity.txt.gz", "qrels.aspects.txt")
GENRES = "item_genres.tsv"


@dataclass(frozen=True)
class Options:
    """What is chosen on the command line; what is not, is as the papers have it.

    Attributes
    ----------
    min_grade, depth : dict
        By the name of a folder, or ``""`` for all others.
    correction : str, optional
        Of paired tests, in place of the one that the paper names.
    """

    quick: bool = False
    jobs: int = 2
    seed: int = 1
    shuffles: int | None = None
    samples: int | None = None
    correction: str | None = None
    ties: str | None = None
    min_grade: Mapping[str, float] = field(default_factory=dict)
    depth: Mapping[str, int] = field(default_factory=dict)


class Collection:
    """Judgements and runs of one folder, read when first asked for."""

    def __init__(self, folder: Path, options: Options | None = None) -> None:
        options = options or Options()
        self.folder = folder
        self.name = Path(abspath(folder)).name  # a link keeps its own name
        self.track: Track = track(self.name)
        self.ties = options.ties
        self.min_grade = chosen(options.min_grade, self.name, self.track.min_grade)
        self.depth = chosen(options.depth, self.name, self.track.depth)

    def __str__(self) -> str:
        return self.name

    @property
    def qrels(self) -> Path:
        """The judgements; where none has a known name, what reading the first one says."""
        return self.first(JUDGEMENTS) or self.folder / JUDGEMENTS[0]

    @property
    def subtopic_qrels(self) -> Path | None:
        return self.first(SUBTOPICS)

    @property
    def genres(self) -> Path | None:
        return self.first((GENRES,))

    def first(self, names: Iterable[str]) -> Path | None:
        return next((path for path in (self.folder / name for name in names) if path.exists()), None)

    @cached_property
    def graded(self) -> tb.Experiment:
        """With all grades, every one above 0 is relevant; ratings without them."""
        return self.binary if self.track.has_ratings else self.read()

    @cached_property
    def binary(self) -> tb.Experiment:
        """Relevant or not, from the grade on that the papers take."""
        return self.read(min_grade=self.min_grade, binary=True)

    @cached_property
    def by_subtopic(self) -> tb.Experiment:
        """With the subtopics of items; only where there are such judgements."""
        return self.read(self.subtopic_qrels)

    def read(self, qrels: Path | None = None, **changed: Any) -> tb.Experiment:
        """The experiment as it is set, but for what is changed."""
        options = {"depth": self.depth, "ties": self.ties} | changed
        experiment = tb.Experiment(
            qrels or self.qrels,
            self.folder / "runs",
            **{name: value for name, value in options.items() if value is not None},
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tb.errors.EmptyRequestsWarning)
            experiment.read()
        return experiment

    def sizes(self) -> dict[str, float]:
        """What tables of data sets print; documents are counted in judged requests alone."""
        row = data_row(self.graded.positions)
        actual = {
            "requests": float(row.requests),
            "runs": float(row.runs),
            "rel/request": row.relevant_per_request,
            "docs/request": row.documents_per_request,
            "subtopics/request": 0.0,
        }
        return actual | (self.subtopic_sizes() if self.subtopic_qrels else {})

    def subtopic_sizes(self) -> dict[str, float]:
        """An item counts once for every subtopic that it is relevant to."""
        judgements = tb.read_judgements(self.subtopic_qrels)
        subtopics = judgements.subtopics
        assert subtopics is not None, "the second column names subtopics"
        of_request, is_relevant = judgements.request[subtopics.entry], subtopics.grade > 0
        requests = len(set(of_request[is_relevant].tolist()))
        pairs = set(zip(of_request.tolist(), subtopics.label.tolist(), strict=True))
        return {
            "requests": float(requests),
            "rel/request": int(is_relevant.sum()) / requests,
            "subtopics/request": len(pairs) / requests,
        }

    @cached_property
    def other_data(self) -> str:
        """In what this differs from the papers' collection of its name; nothing where it does not, or there is none."""
        known = printed_sizes(self.track.key)
        positions = self.graded.positions
        here = (int((positions.relevant() > 0).sum()), len(positions.runs))
        if not known or here in known:
            return ""
        return f"{here[0]:,} requests and {here[1]:,} runs here, {known[0][0]:,} and {known[0][1]:,} in the paper"

    @property
    def relevance(self) -> str:
        """What is relevant where grades are forgotten, in words."""
        return "every grade above 0" if self.min_grade is None else f"grade >= {self.min_grade:g}"


def chosen(options: Mapping[str, Any], name: str, default: Any) -> Any:
    """An option of one folder, of all, or of the papers."""
    return options.get(name, options.get("", default))


@dataclass(frozen=True)
class Data:
    """All collections at hand, and how much work may be done with them."""

    collections: tuple[Collection, ...] = ()
    options: Options = field(default_factory=Options)

    @classmethod
    def of(cls, folders: Iterable[Path], options: Options | None = None) -> Data:
        """Folders with judgements and `runs/`, or folders of such folders, in any number."""
        options = options or Options()
        actual = dict.fromkeys(abspath(one) for folder in folders for one in collections_in(folder))
        return cls(tuple(Collection(Path(folder), options) for folder in actual), options)

    @property
    def quick(self) -> bool:
        return self.options.quick

    @property
    def jobs(self) -> int:
        return self.options.jobs

    @property
    def relevance(self) -> str:
        """What is relevant where grades are forgotten, by collection."""
        levels: dict[str, list[str]] = {}
        for one in self.collections:
            levels.setdefault(one.relevance, []).append(one.track.printed_as)
        return "Relevant: " + "; ".join(f"{level} ({', '.join(names)})" for level, names in levels.items())

    @property
    def samples(self) -> int:
        """How often data is removed; the papers say ten."""
        return self.options.samples or (2 if self.quick else 10)

    @property
    def shuffles(self) -> int:
        """Of randomised tests; the papers do not say how many they drew."""
        return self.options.shuffles or (1_000 if self.quick else 100_000)


def collections_in(folder: Path) -> Iterator[Path]:
    """The folder itself, or the folders in it, that have runs."""
    if (folder / "runs").is_dir():
        yield folder
        return
    inside = sorted(path.parent for path in folder.glob("*/runs") if path.is_dir())
    if not inside:
        raise SystemExit(f"{folder}: no runs/ here, nor in the folders in it. Give a folder with qrels.txt and runs/.")
    yield from inside
