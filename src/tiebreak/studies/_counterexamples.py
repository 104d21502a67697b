"""One search for counterexamples: laws, the cases that they are about, and a table of what was found.

A counterexample is a proof. Where none is found the law may still fail elsewhere: the table says how many cases were
tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from tiebreak._base.text import plural
from tiebreak.results.joint_table import check_digits
from tiebreak.results.plots import Picture
from tiebreak.results.tables import Table
from tiebreak.results.theme import COLORS, FAINT
from tiebreak.studies.base import Findings

Subject = TypeVar("Subject")
Case = TypeVar("Case")
COLUMNS = ("measure", "law", "holds", "tried")
"""The first columns of every table of laws; those of the deciding case follow."""
MARKS = {True: "yes", False: "no", None: "-"}
VERDICTS = {True: "holds", False: "violated", None: "not applicable"}
PICTURE = Picture(
    "point",
    "law",
    "measure",
    color="verdict",
    colors=((VERDICTS[True], COLORS[0]), (VERDICTS[False], COLORS[1]), (VERDICTS[None], FAINT)),
    titles=(("law", ""), ("measure", "")),
)


@dataclass(frozen=True)
class Law(Generic[Subject, Case]):
    """A claim about all cases to which it applies: one that `decides` refutes it, or proves it if it `asks_for_one`."""

    name: str
    statement: str
    decides: Callable[[Subject, Sequence[Case]], Iterable[Any]]
    applies: Callable[[Case], bool] = lambda case: True
    asks_for_one: bool = False


@dataclass(frozen=True)
class Domain(Generic[Case]):
    """The cases to try in stages; of those that decide the smallest by `size` is shrunk to one of its `smaller`."""

    stages: Iterable[Sequence[Case]]
    size: Callable[[Case], Any] = lambda case: 0
    smaller: Callable[[Case], Iterable[Iterable[Case]]] = lambda case: ()


class Finding(NamedTuple, Generic[Case]):
    """Whether a law holds on the cases tried, and the case that decides, if any."""

    holds: bool
    tried: int
    case: Case | None


def search(law: Law[Subject, Case], subject: Subject, domain: Domain[Case]) -> Finding[Case]:
    """Try stage after stage until a case decides; it is shrunk as long as it does."""

    def deciding(cases: Sequence[Case]) -> list[Case]:
        return [case for case, decides in zip(cases, law.decides(subject, cases), strict=True) if decides]

    def shrink(case: Case) -> Case:
        for group in domain.smaller(case):
            cases = [other for other in group if law.applies(other) and domain.size(other) < domain.size(case)]
            if smaller := deciding(cases):
                return shrink(min(smaller, key=domain.size))
        return case

    tried = 0
    for stage in domain.stages:
        cases = [case for case in stage if law.applies(case)]
        tried += len(cases)
        if candidates := deciding(cases):
            return Finding(law.asks_for_one, tried, shrink(min(candidates, key=domain.size)))
    return Finding(not law.asks_for_one, tried, None)


@dataclass(frozen=True, eq=False, repr=False)
class LawTable(Findings):
    """Which laws hold: a row per measure and law; `describe` puts the case that decides into words."""

    describe: Callable[[Mapping[str, Any], int], str] = lambda record, digits: str(record)
    _internals: ClassVar[tuple[str, ...]] = ("from_rows",)

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[tuple[Any, ...]],
        case_columns: tuple[str, ...],
        describe: Callable[[Mapping[str, Any], int], str],
        details: tuple[str, ...],
    ) -> LawTable:
        """A table of rows: measure, law, whether it holds, cases tried, and what describes the deciding case."""
        values = tuple(rows)
        verdicts = tuple((measure, law, VERDICTS[holds]) for measure, law, holds, *_ in values)
        return cls(
            (*COLUMNS, *case_columns),
            values,
            conclusion(values),
            details,
            PICTURE,
            (("measure", "law", "verdict"), verdicts),
            describe=describe,
        )

    def table(self, digits: int = 3, most: int | None = None) -> Table:
        """Laws as rows and measures as columns, with the deciding cases under them."""
        check_digits(digits)
        by_law: dict[str, list[Mapping[str, Any]]] = {}
        for record in self.records():
            by_law.setdefault(record["law"], []).append(record)
        rows = tuple(
            (law, *(MARKS[record["holds"]] for record in records), f"{max(record['tried'] for record in records):,}")
            for law, records in by_law.items()
        )
        header = ("law", *dict.fromkeys(record["measure"] for record in self.records()), "tried")
        cases = tuple(filter(None, (self.evidence(record, digits) for record in self.records())))
        return Table(header, rows, (self.conclusion, *cases, *self.details))

    def evidence(self, record: Mapping[str, Any], digits: int) -> str:
        """What decides a cell; nothing where no case does and the law holds."""
        claim = f"{record['law']} of {record['measure']} {'holds' if record['holds'] else 'fails'}"
        if record[self.columns[len(COLUMNS)]] is not None:
            return f"{claim}: {self.describe(record, digits)}."
        return f"{claim}: none of {plural(record['tried'], 'case')} satisfies it." if record["holds"] is False else ""


def conclusion(rows: Sequence[tuple[Any, ...]]) -> str:
    """How many laws each measure satisfies; of a single measure, which."""
    by_measure: dict[str, dict[str, bool]] = {}
    for measure, law, holds, *_ in rows:
        by_measure.setdefault(measure, {})[law] = holds
    if len(by_measure) > 1:
        counts = (f"{measure} {sum(map(bool, laws.values()))}" for measure, laws in by_measure.items())
        number = plural(len(next(iter(by_measure.values()))), "law")
        return f"Satisfied on all cases tried, of {number}: {', '.join(counts)}."
    ((measure, laws),) = by_measure.items()
    satisfied, violated = ([law for law, holds in laws.items() if holds is verdict] for verdict in (True, False))
    return (
        f"{measure} violates {', '.join(violated) or 'no law'}; "
        f"it satisfies {', '.join(satisfied) or 'none'} on all cases tried."
    )


def statements(laws: Iterable[Law[Any, Any]]) -> tuple[str, ...]:
    """Notes that state the laws."""
    return tuple(f"{law.name}: {law.statement}." for law in laws)
