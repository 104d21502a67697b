"""Which properties classes of measures have, beside LR Table 8."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from tiebreak.errors import InputError
from tiebreak.exact import like, log2
from tiebreak.exact.arithmetic import ones
from tiebreak.metrics import RecallLevelMetric
from tiebreak.preferences import Preference, preference
from tiebreak.results.plots import Picture
from tiebreak.studies.base import Findings, run_tasks
from tiebreak.studies.on_paper.asked import Asked, View
from tiebreak.studies.on_paper.laws import COMPLETENESS, CONCAVITY, LAWS, Law, Subject
from tiebreak.studies.on_paper.printed import DIFFERENT

MOST_ITEMS = 12
AS_PRINTED, CONVENTION = "as printed", "a convention"
HOLDS, VIOLATED, NOT_ASKED = "holds", "violated", "NA"


class DiscountedGain(RecallLevelMetric):
    """DCG: a top-heavy recall-level metric without a bound."""

    name: ClassVar[str] = "DCG"

    @property
    def is_rational(self) -> bool:
        return False

    def exposure(self, k: Any, m: int) -> Any:
        return 1 / log2(k + 1)

    def weight(self, i: Any, m: int) -> Any:
        return ones(m, i)


class ConcaveExposure(RecallLevelMetric):
    """A top-heavy recall-level metric whose exposure falls ever faster, over at most `MOST_ITEMS` items."""

    name: ClassVar[str] = "e(k) = 1 - (k/12)^2"

    def exposure(self, k: Any, m: int) -> Any:
        share = k / like(MOST_ITEMS, k)
        return 1 - share * share

    def weight(self, i: Any, m: int) -> Any:
        return ones(m, i)

    def divisor(self, i: Any, m: int) -> Any:
        return like(m, i)


POSITIVE: tuple[str | RecallLevelMetric, ...] = (
    "AP",
    "nDCG",
    "RBP(p=0.8)",
    DiscountedGain(),
    f"linear(n={MOST_ITEMS})",
)
CLASSES: dict[str, tuple[str | RecallLevelMetric, ...]] = {
    "THRL": (*POSITIVE, "RR", "TSE"),
    "THRL z(i, m) > 0": POSITIVE,
    "TSE": ("TSE", "TSE(nDCG)", "TSE(RBP(p=0.8))", f"TSE(linear(n={MOST_ITEMS}))"),
    "LR": ("LexiRecall",),
}
"""Columns of Table 8 and members that stand for them: a tick must be true of all, a blank takes one that fails."""
YES, NO, IF_CONVEX, IF_DEFINED = "yes", "no", "yes if e'' > 0", "yes if z(i, 0) exists"
TABLE_8 = {
    # LR Table 8: THRL, THRL with z(i, m) > 0, TSE, LR
    "increasing in retrieval size": (YES, YES, YES, YES),
    "decreasing in nonrelevance": (YES, YES, YES, YES),
    "strictly decreasing in nonrelevance": (NO, NO, NO, NO),
    "increasing in relevance": (YES, YES, YES, YES),
    "strictly increasing in relevance": (NO, YES, NO, YES),
    "increasing in swapping up": (YES, YES, YES, YES),
    "strictly increasing in swapping up": (NO, YES, NO, NO),
    "concavity in contiguous swap depth": (YES, YES, YES, NOT_ASKED),
    "strict concavity in contiguous swap depth": (NO, IF_CONVEX, NO, NOT_ASKED),
    "suffix invariance": (NO, NO, NO, NO),
    "prefix invariance": (NO, NO, NO, NO),
    "boundedness": (NO, NO, NO, NOT_ASKED),
    "localization": (NO, NO, NO, NOT_ASKED),
    "completeness": (IF_DEFINED, IF_DEFINED, IF_DEFINED, NOT_ASKED),
    "realizability": (NO, NO, NO, NOT_ASKED),
}


class Promise(NamedTuple):
    """What was found about one property of one measure, or of a class of them.

    `case` is where it fails: the measure and the positions before and after.
    """

    property: str
    measure: str
    printed: str | None
    found: str
    status: str | None
    case: str | None


def properties(asked: Asked) -> Findings:
    """Search all small cases for violations."""
    (n,), (most,) = asked.items, asked.relevant
    if n > MOST_ITEMS:
        raise InputError(f"items={n}. All cases are gone through for up to {MOST_ITEMS} items.", kind="size")
    groups = {name: [Subject(name, measure, n, most)] for name, measure in asked.preferences}
    if not groups:
        groups = {name: [subject(member, n, most) for member in members] for name, members in CLASSES.items()}
    tasks = [(law, name, members, bool(asked.given)) for law in LAWS for name, members in groups.items()]
    rows = tuple(run_tasks(lambda task: promise(*task), tasks, asked.jobs, asked.tick))
    return Findings(Promise._fields, rows, summary(rows), notes(n, most, is_table=not asked.given), MARKS)


def subject(member: str | RecallLevelMetric, n: int, most: int) -> Subject:
    made: Preference = preference(member)
    return Subject(str(member), made, n, most)


def promise(law: Law, name: str, members: list[Subject], is_given: bool) -> Promise:
    """One cell: a class has a property that no member violates."""
    printed = None if is_given else printed_value(law, name)
    if law.of_metrics and not all(member.is_metric for member in members):
        return Promise(law.name, name, printed, NOT_ASKED, status(printed, NOT_ASKED), None)
    meant = [member for member in members if printed != IF_CONVEX or member.is_convex]
    for member in meant:
        case = law.violation(member)
        if case is not None:
            said = case if is_given else f"{member.name} {case}"
            return Promise(law.name, name, printed, VIOLATED, status(printed, VIOLATED), said)
    return Promise(law.name, name, printed, HOLDS, status(printed, HOLDS), None)


def printed_value(law: Law, name: str) -> str:
    """Of Table 8; both readings of concavity stand beside the same tick."""
    return TABLE_8[law.name.removesuffix(", as defined")][[*CLASSES].index(name)]


def status(printed: str | None, found: str) -> str | None:
    if printed is None:
        return None
    if printed == IF_DEFINED:
        return CONVENTION
    expected = {NO: VIOLATED, NOT_ASKED: NOT_ASKED}.get(printed, HOLDS)
    return AS_PRINTED if found == expected else DIFFERENT


def summary(rows: tuple[Promise, ...]) -> str:
    compared = [row for row in rows if row.status is not None]
    if not compared:
        kept = {row.measure: 0 for row in rows}
        for row in rows:
            kept[row.measure] += row.found == HOLDS
        said = ", ".join(f"{name} {number}" for name, number in kept.items())
        return f"Of {len(LAWS)} properties no violation was found for: {said}."
    wrong = [f"{row.property} of {row.measure} {row.found}" for row in compared if row.status == DIFFERENT]
    same = sum(row.status == AS_PRINTED for row in compared)
    return f"{same} of {len(compared)} cells are as printed. Different: {'; '.join(wrong)}."


def notes(n: int, most: int, *, is_table: bool) -> tuple[str, ...]:
    searched = (
        f"All rankings of {n} items with 1 to {most} relevant ones. A violation is a proof; where none is found the "
        f"property may fail elsewhere.",
        'Concavity is read as LR theorem B.5 proves it, at one recall level; "as defined" compares swaps at two levels '
        "of one ranking.",
        "Invariance: for a part of some length, up to half the ranking. Boundedness: whether the best and the worst "
        "value go on growing as m and n double, an indication and no proof. Realizability: from above. "
        f"{COMPLETENESS.capitalize()} is a convention: here a request without relevant items has no value.",
    )
    if not is_table:
        return searched
    members = "; ".join(f"{name}: {', '.join(map(str, of))}" for name, of in CLASSES.items())
    concave = subject(ConcaveExposure(), n, most)
    law = next(law for law in LAWS if law.name == CONCAVITY)
    case = law.violation(concave)
    premise = (
        f"Theorem B.5 takes a convex exposure, which Table 8 does not say of {CONCAVITY}: the top-heavy metric with "
        f"{concave.name}, z = 1/m, {'breaks it, ' + case if case else 'keeps it on these sizes'}.",
    )
    return (*searched, f"Printed: LR Table 8. Tried for {members}.", *premise)


MARKS = Picture(
    "point",
    "measure",
    "property",
    color="found",
    titles=(("measure", ""), ("property", "")),
)
PROPERTIES = View(properties, (9,), (3,), one_n=True, one_m=True)
