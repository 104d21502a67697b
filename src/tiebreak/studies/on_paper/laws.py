"""Properties of measures (LR appendix B), each tried on all small cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np

from tiebreak.errors import InputError
from tiebreak.metrics import metric as metric_of
from tiebreak.metrics import recall_level_form
from tiebreak.preferences import Preference
from tiebreak.preferences.from_metric import MetricDifference
from tiebreak.projection.primitives import Floats
from tiebreak.studies.on_paper.asked import all_vectors, prefer, values

Vector: TypeAlias = tuple[int, ...]
Step: TypeAlias = "tuple[Vector, Vector]"
"""A ranking, and what it becomes."""
TOLERANCE = 1e-12
DOUBLINGS = 12
"""How often m or n is doubled to see whether values go on growing."""


@dataclass(frozen=True)
class Subject:
    """A measure on all rankings of n items with up to `most` relevant ones."""

    name: str
    measure: Preference
    n: int
    most: int

    @property
    def is_metric(self) -> bool:
        return isinstance(self.measure, MetricDifference)

    @cached_property
    def is_convex(self) -> bool:
        """Whether it is a sum over recall levels whose exposure has positive second differences."""
        try:
            assert isinstance(self.measure, MetricDifference)
            form = recall_level_form(metric_of(self.measure.metric))
        except InputError:
            return False
        e = form.exposure_to_cutoff(np.arange(1.0, self.n + 1), self.most)
        return bool((np.diff(e, 2) > TOLERANCE).all())

    def gains(self, steps: Sequence[Step]) -> Floats:
        """How much better every ranking becomes."""
        found = np.zeros(len(steps))
        for m in {len(before) for before, _ in steps}:
            rows = [k for k, (before, _) in enumerate(steps) if len(before) == m]
            before, after = (np.array([steps[k][way] for k in rows], dtype=np.int32) for way in (0, 1))
            found[rows] = prefer(self.measure, after, before)
        return found

    def vectors(self) -> Iterator[Vector]:
        """All position vectors."""
        for m in range(1, self.most + 1):
            yield from combinations(range(1, self.n + 1), m)


class Law(NamedTuple):
    """A property: `violation` describes a case in which it fails, or is None where all cases were fine."""

    name: str
    violation: Callable[[Subject], str | None]
    of_metrics: bool = False


def cut_rankings(n: int, most: int) -> Iterator[tuple[int, int, Vector]]:
    """Depth, m, and the retrieved relevant positions of every cut ranking that leaves out more items than m."""
    for m in range(1, most + 1):
        for depth in range(n - m):
            for found in range(min(m, depth) + 1):
                for positions in combinations(range(1, depth + 1), found):
                    yield depth, m, positions


def imputed(n: int, m: int, found: Vector) -> Vector:
    """What was not retrieved stands at the bottom (LR 2.2)."""
    missing = m - len(found)
    return (*found, *range(n - missing + 1, n + 1))


def appended(subject: Subject, *, relevant: bool) -> list[Step]:
    """Every cut ranking before and after one more item."""
    n = subject.n
    return [
        (imputed(n, m, found), imputed(n, m, (*found, depth + 1) if relevant else found))
        for depth, m, found in cut_rankings(n, subject.most)
        if not relevant or len(found) < m
    ]


def appended_any(subject: Subject) -> list[Step]:
    return appended(subject, relevant=True) + appended(subject, relevant=False)


def swapped_up(subject: Subject) -> list[Step]:
    """Every ranking before and after a relevant item and a nonrelevant one above it change places."""
    return [
        (p, tuple(sorted({*p} - {place} | {above})))
        for p in subject.vectors()
        for place in p
        for above in range(1, place)
        if above not in p
    ]


def short(p: Vector) -> str:
    return f"({','.join(map(str, p))})"


def moved_up(p: Vector, level: int) -> Vector | None:
    """The same with one relevant item one position higher, if a nonrelevant one stands there."""
    above = p[level] - 1
    return None if above < 1 or above in p else (*p[:level], above, *p[level + 1 :])


def step_law(name: str, steps: Callable[[Subject], list[Step]], direction: int, *, strict: bool) -> Law:
    """Every step makes a ranking better (1) or worse (-1), strictly or not."""

    def violation(subject: Subject) -> str | None:
        tried = steps(subject)
        gains = direction * subject.gains(tried)
        broken = np.flatnonzero(gains <= 0 if strict else gains < 0)
        if not len(broken):
            return None
        before, after = tried[broken[0]]
        verdict = "a tie" if gains[broken[0]] == 0 else "worse" if direction > 0 else "better"
        return f"{short(before)} to {short(after)}: {verdict}"

    return Law(name, violation)


def concavity(name: str, pairs: Callable[[Subject], list[tuple[Step, Step]]], *, strict: bool) -> Law:
    """Of two steps, the first gains at least as much as the second, or more."""

    def violation(subject: Subject) -> str | None:
        tried = pairs(subject)
        higher, deeper = (subject.gains([pair[k] for pair in tried]) for k in (0, 1))
        more = higher - deeper
        broken = np.flatnonzero(more <= TOLERANCE if strict else more < -TOLERANCE)
        if not len(broken):
            return None
        (before, after), (other, becomes) = tried[broken[0]]
        said = f"{short(before)} to {short(after)}: {higher[broken[0]]:+.3g}"
        return f"{said}; {short(other)} to {short(becomes)}: {deeper[broken[0]]:+.3g}"

    return Law(name, violation, of_metrics=True)


def swaps_in_one_ranking(subject: Subject) -> list[tuple[Step, Step]]:
    """As defined: two contiguous swaps in the same ranking, at any two recall levels (LR B, property 3)."""
    return [
        ((p, up), (p, deep))
        for p in subject.vectors()
        for i, j in combinations(range(len(p)), 2)
        if (up := moved_up(p, i)) and (deep := moved_up(p, j))
    ]


def swaps_at_one_level(subject: Subject) -> list[tuple[Step, Step]]:
    """As proved: the same recall level of two rankings that differ in nothing else (LR theorem B.5)."""
    return [
        ((p, up), (q, deep))
        for p in subject.vectors()
        for level, place in enumerate(p)
        if (up := moved_up(p, level))
        for lower in range(place + 1, p[level + 1] if level + 1 < len(p) else subject.n + 1)
        if (deep := moved_up(q := (*p[:level], lower, *p[level + 1 :]), level)) is not None
    ]


def invariance(name: str, part: Callable[[Vector, int, int], Vector]) -> Law:
    """For some length up to n/2, rankings that are the same in that part have the same value."""

    def violation(subject: Subject) -> str | None:
        said = None
        for length in range(1, subject.n // 2 + 1):
            leader: dict[tuple[int, Vector], Vector] = {}
            tried = [(leader.setdefault((len(p), part(p, length, subject.n)), p), p) for p in subject.vectors()]
            broken = np.flatnonzero(subject.gains(tried))
            if not len(broken):
                return None
            p, q = tried[broken[0]]
            said = f"{short(p)}, {short(q)}: not a tie"
        return said

    return Law(name, violation)


def top(p: Vector, length: int, n: int) -> Vector:
    return tuple(place for place in p if place <= length)


def bottom(p: Vector, length: int, n: int) -> Vector:
    return tuple(place for place in p if place > n - length)


def growth(subject: Subject) -> str | None:
    """Whether the best and the worst value go on growing as m and n double; an indication, not a proof."""
    try:
        best = [value_at(subject, range(1, 2**k + 1)) for k in range(DOUBLINGS)]
        worst = [value_at(subject, (2**k,)) for k in range(DOUBLINGS)]
    except InputError as error:
        if error.kind != "corpus_size":
            raise
        return None  # made for a corpus of one size, such as linear(n=100): what is finite is bounded
    for values_of, outward, what in ((best, 1, "best, m"), (worst, -1, "worst, n")):
        steps = outward * np.diff(values_of)
        if steps[-1] > max(steps.max() / 2, TOLERANCE):
            at = [f"{2**k}: {values_of[k]:.3g}" for k in (DOUBLINGS - 2, DOUBLINGS - 1)]
            return f"{what} = {', '.join(at)}"
    return None


def value_at(subject: Subject, p: Sequence[int]) -> float:
    return float(values(subject.measure, np.array([p], dtype=np.int32))[0])


def unreached(subject: Subject) -> str | None:
    """The largest value over all rankings is the same whatever m is (realizable above)."""
    best = [float(values(subject.measure, all_vectors(subject.n, m)).max()) for m in range(1, subject.most + 1)]
    low, high = min(best), max(best)
    if high - low <= TOLERANCE:
        return None
    return f"best, m = {best.index(low) + 1}: {low:.3g}, {best.index(high) + 1}: {high:.3g}"


SUFFIX = invariance("suffix invariance", top)


def not_local(subject: Subject) -> str | None:
    """Suffix invariant, and the same value with one more relevant item that was not retrieved."""
    broken = SUFFIX.violation(subject)
    if broken is not None or subject.most < 2:
        return broken
    for _, m, found in cut_rankings(subject.n, subject.most - 1):
        fewer, more = (imputed(subject.n, size, found) for size in (m, m + 1))
        if abs(value_at(subject, fewer) - value_at(subject, more)) > TOLERANCE:
            return f"{short(fewer)}, {short(more)}: not a tie"
    return None


def always(said: str) -> Callable[[Subject], str | None]:
    return lambda subject: said


CONCAVITY = "concavity in contiguous swap depth"
COMPLETENESS = "completeness"
LAWS = (
    step_law("increasing in retrieval size", appended_any, 1, strict=False),
    step_law("decreasing in nonrelevance", lambda s: appended(s, relevant=False), -1, strict=False),
    step_law("strictly decreasing in nonrelevance", lambda s: appended(s, relevant=False), -1, strict=True),
    step_law("increasing in relevance", lambda s: appended(s, relevant=True), 1, strict=False),
    step_law("strictly increasing in relevance", lambda s: appended(s, relevant=True), 1, strict=True),
    step_law("increasing in swapping up", swapped_up, 1, strict=False),
    step_law("strictly increasing in swapping up", swapped_up, 1, strict=True),
    concavity(CONCAVITY, swaps_at_one_level, strict=False),
    concavity(f"{CONCAVITY}, as defined", swaps_in_one_ranking, strict=False),
    concavity(f"strict {CONCAVITY}", swaps_at_one_level, strict=True),
    concavity(f"strict {CONCAVITY}, as defined", swaps_in_one_ranking, strict=True),
    SUFFIX,
    invariance("prefix invariance", bottom),
    Law("boundedness", growth, of_metrics=True),
    Law("localization", not_local, of_metrics=True),
    Law(COMPLETENESS, always("has no value for m = 0"), of_metrics=True),
    Law("realizability", unreached, of_metrics=True),
)
"""LR appendix B, in the order of Table 8; concavity in the reading of theorem B.5 and in that of its definition."""
