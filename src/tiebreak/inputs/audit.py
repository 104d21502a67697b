"""Anomalies of an input file, counted while it is read, with the first line as an example."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isnan, nan

from tiebreak._kernels.interface import ANOMALIES, COUNTERS, Counts
from tiebreak.errors import quote


@dataclass(frozen=True, slots=True)
class Oddity:
    """One kind of odd line: how many there are, the first one, and its text."""

    kind: str
    count: int
    first_line: int
    example: str

    @property
    def where(self) -> str:
        """How often, and where first."""
        example = f": {self.example}" if self.example != '""' else ""
        return f"{self.count:,}, first on line {self.first_line:,}{example}"

    def __str__(self) -> str:
        return f"{ANOMALIES[self.kind]}: {self.where}"


@dataclass(frozen=True, slots=True)
class FileAudit:
    """The number of data lines of a file, its oddities, and the lowest and highest score of a run."""

    label: str
    lines: int
    oddities: tuple[Oddity, ...]
    scores: tuple[float, float] = (nan, nan)

    @classmethod
    def from_counts(
        cls,
        label: str,
        counts: Counts,
        file: int,
        scores: tuple[float, float] = (nan, nan),
        original_line: Callable[[int], int] = int,
    ) -> FileAudit:
        """The counts of a file; `original_line` is the number of a line in the whole file."""
        columns = counts.met[file].tolist(), counts.first_line[file].tolist(), counts.example[file]
        met = {kind: rest for kind, *rest in zip(COUNTERS, *columns, strict=True)}
        oddities = tuple(
            Oddity(kind, count, original_line(line), quote(example))
            for kind, (count, line, example) in met.items()
            if count and kind in ANOMALIES
        )
        return cls(label, met["lines"][0], oddities, scores)

    def __add__(self, other: FileAudit) -> FileAudit:
        """The counts of two parts of a file together, with the first line of both."""
        theirs = {oddity.kind: oddity for oddity in other.oddities}
        ours = {oddity.kind: oddity for oddity in self.oddities}
        oddities = tuple(
            replace(
                min(ours[kind], theirs[kind], key=lambda oddity: oddity.first_line),
                count=ours[kind].count + theirs[kind].count,
            )
            if kind in ours and kind in theirs
            else ours.get(kind) or theirs[kind]
            for kind in ANOMALIES
            if kind in ours or kind in theirs
        )
        known = [score for score in (*self.scores, *other.scores) if not isnan(score)]
        scores = (min(known), max(known)) if known else (nan, nan)
        return FileAudit(self.label, self.lines + other.lines, oddities, scores)

    def count(self, kind: str) -> int:
        """How many oddities of this kind there are."""
        return next((oddity.count for oddity in self.oddities if oddity.kind == kind), 0)
