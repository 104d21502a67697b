"""Properties of measures (LR appendix B) as laws, each tried on all small rankings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np

from tiebreak._base.tolerance import TOLERANCE
from tiebreak.errors import InputError
from tiebreak.metrics import Metric
from tiebreak.preferences import Preference
from tiebreak.projection.primitives import Floats
from tiebreak.studies._counterexamples import Domain, Law, search
from tiebreak.studies._position_vectors import all_vectors, evaluate, prefer
from tiebreak.studies.measures import inner_metric

Vector: TypeAlias = tuple[int, ...]
Step: TypeAlias = tuple[Vector, Vector]
"""A ranking, and what it becomes."""
Growth: TypeAlias = tuple[str, list[float]]
Best: TypeAlias = tuple[int, float]
"""A number of relevant items, and the best value."""
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
    def metric(self) -> Metric | None:
        return inner_metric(self.measure)

    def gains(self, steps: Sequence[Step]) -> Floats:
        """How much better every ranking becomes."""
        gains = np.zeros(len(steps))
        for m in {len(before) for before, _ in steps}:
            rows = [k for k, (before, _) in enumerate(steps) if len(before) == m]
            before, after = (np.array([steps[k][way] for k in rows], dtype=np.int32) for way in (0, 1))
            gains[rows] = prefer(self.measure, after, before)
        return gains

    def value(self, p: Sequence[int]) -> float:
        assert self.metric is not None
        return float(evaluate(self.metric, np.array([p], dtype=np.int32))[0])

    def vectors(self) -> Iterator[Vector]:
        """All position vectors."""
        for m in range(1, self.most + 1):
            yield from combinations(range(1, self.n + 1), m)


@dataclass(frozen=True, kw_only=True)
class RankingLaw(Law[Subject, Any]):
    """A law with what lists its cases, one stage after the other, and how to describe one in which it fails."""

    stages: tuple[Callable[[Subject], Sequence[Any]], ...]
    describe: Callable[[Subject, Any], str]
    of_metrics: bool = False


def law_row(law: RankingLaw, subject: Subject) -> tuple[Any, ...]:
    """Measure, law, whether it holds, cases tried, and a counterexample; what only metrics can have is not asked."""
    if law.of_metrics and subject.metric is None:
        return subject.name, law.name, None, 0, None
    holds, tried, case = search(law, subject, Domain([stage(subject) for stage in law.stages]))
    return subject.name, law.name, holds, tried, None if case is None else law.describe(subject, case)


def truncated_rankings(n: int, most: int) -> Iterator[tuple[int, int, Vector]]:
    """Depth, m, and the retrieved relevant positions of every truncated ranking that leaves out more items than m."""
    for m in range(1, most + 1):
        for depth in range(n - m):
            for size in range(min(m, depth) + 1):
                for positions in combinations(range(1, depth + 1), size):
                    yield depth, m, positions


def impute(n: int, m: int, retrieved: Vector) -> Vector:
    """What was not retrieved is ranked at the bottom (LR 2.2)."""
    missing = m - len(retrieved)
    return (*retrieved, *range(n - missing + 1, n + 1))


def append_relevant(subject: Subject) -> list[Step]:
    """Every truncated ranking before and after one more relevant item."""
    n = subject.n
    return [
        (impute(n, m, positions), impute(n, m, (*positions, depth + 1)))
        for depth, m, positions in truncated_rankings(n, subject.most)
        if len(positions) < m
    ]


def append_nonrelevant(subject: Subject) -> list[Step]:
    """Every truncated ranking before and after one more nonrelevant item: positions stay."""
    vectors = (impute(subject.n, m, positions) for _, m, positions in truncated_rankings(subject.n, subject.most))
    return [(p, p) for p in vectors]


def swap_up(subject: Subject) -> list[Step]:
    """Every ranking before and after a relevant item and a nonrelevant one above it are swapped."""
    return [
        (p, tuple(sorted({*p} - {position} | {above})))
        for p in subject.vectors()
        for position in p
        for above in range(1, position)
        if above not in p
    ]


def move_up(p: Vector, level: int) -> Vector | None:
    """A ranking with one relevant item one position higher, if a nonrelevant one is there."""
    above = p[level] - 1
    return None if above < 1 or above in p else (*p[:level], above, *p[level + 1 :])


def format_vector(p: Vector) -> str:
    return f"({','.join(map(str, p))})"


def format_step(step: Step) -> str:
    return f"{format_vector(step[0])} to {format_vector(step[1])}"


def step_law(name: str, step: str, steps: Callable[[Subject], list[Step]], *, is_better: bool) -> RankingLaw:
    """A step makes rankings better, or worse; every one where the name of the law says strictly."""
    strict = name.startswith("strictly")
    direction, good, bad = (1, "better", "worse") if is_better else (-1, "worse", "better")

    def decides(subject: Subject, cases: Sequence[Step]) -> Iterable[Any]:
        gains = direction * subject.gains(cases)
        return gains <= 0 if strict else gains < 0

    def describe(subject: Subject, case: Step) -> str:
        return f"{format_step(case)}: {'a tie' if subject.gains([case])[0] == 0 else bad}"

    statement = f"{step} makes {f'every ranking {good}' if strict else f'no ranking {bad}'}"
    return RankingLaw(name, statement, decides, stages=(steps,), describe=describe)


def concavity_law(name: str, swaps: str, pairs: Callable[[Subject], list[tuple[Step, Step]]]) -> RankingLaw:
    """Of two swaps the higher one gains no less; more where the name of the law says strict."""
    strict = name.startswith("strict")

    def decides(subject: Subject, cases: Sequence[tuple[Step, Step]]) -> Iterable[Any]:
        higher, deeper = (subject.gains([pair[k] for pair in cases]) for k in (0, 1))
        return higher - deeper <= TOLERANCE if strict else higher - deeper < -TOLERANCE

    def describe(subject: Subject, case: tuple[Step, Step]) -> str:
        return "; ".join(f"{format_step(step)}: {subject.gains([step])[0]:+.3g}" for step in case)

    statement = f"of contiguous swaps {swaps} the higher one gains {'more' if strict else 'no less'}"
    return RankingLaw(name, statement, decides, stages=(pairs,), describe=describe, of_metrics=True)


def swaps_in_one_ranking(subject: Subject) -> list[tuple[Step, Step]]:
    """As defined: two contiguous swaps in the same ranking, at any two recall levels (LR B, property 3)."""
    return [
        ((p, up), (p, deep))
        for p in subject.vectors()
        for i, j in combinations(range(len(p)), 2)
        if (up := move_up(p, i)) and (deep := move_up(p, j))
    ]


def swaps_at_one_level(subject: Subject) -> list[tuple[Step, Step]]:
    """As proved: the same recall level of two rankings that differ in nothing else (LR theorem B.5)."""
    return [
        ((p, up), (q, deep))
        for p in subject.vectors()
        for level, position in enumerate(p)
        if (up := move_up(p, level))
        for lower in range(position + 1, p[level + 1] if level + 1 < len(p) else subject.n + 1)
        if (deep := move_up(q := (*p[:level], lower, *p[level + 1 :]), level)) is not None
    ]


def same_in_part(subject: Subject, part: Callable[[Vector, int], Vector]) -> list[Step]:
    """Every ranking beside the first with the same part of length n/2: the same longer part is the same shorter one."""
    leader: dict[tuple[int, Vector], Vector] = {}
    return [(leader.setdefault((len(p), part(p, subject.n)), p), p) for p in subject.vectors()]


def same_top(subject: Subject) -> list[Step]:
    return same_in_part(subject, lambda p, n: tuple(position for position in p if position <= n // 2))


def same_bottom(subject: Subject) -> list[Step]:
    return same_in_part(subject, lambda p, n: tuple(position for position in p if position > n - n // 2))


def differ(subject: Subject, cases: Sequence[Step]) -> list[bool]:
    """Pairs that do not tie; where the number of relevant items differs, by their values."""
    if cases and len(cases[0][0]) != len(cases[0][1]):
        return [abs(subject.value(p) - subject.value(q)) > TOLERANCE for p, q in cases]
    return [gain != 0 for gain in subject.gains(cases)]


def describe_difference(subject: Subject, case: Step) -> str:
    return f"{format_vector(case[0])}, {format_vector(case[1])}: not a tie"


def more_relevant(subject: Subject) -> list[Step]:
    """Every truncated ranking beside itself with one more relevant item that was not retrieved."""
    n = subject.n
    truncated = truncated_rankings(n, subject.most - 1)
    return [(impute(n, m, positions), impute(n, m + 1, positions)) for _, m, positions in truncated]


def growing_values(subject: Subject) -> list[Growth]:
    """The best value as m doubles, and the worst as n does; none for metrics of a corpus of one size."""
    sizes = [2**k for k in range(DOUBLINGS)]
    try:
        best = [subject.value(range(1, size + 1)) for size in sizes]
        worst = [subject.value((size,)) for size in sizes]
    except InputError as error:
        if error.kind != "corpus_size":
            raise
        best = worst = []  # such as linear(n=100): what is finite is bounded
    return [("best", best), ("worst", worst)]


def go_on_growing(subject: Subject, cases: Sequence[Growth]) -> list[bool]:
    """Whether the last step is more than half the largest; an indication, not a proof."""
    steps = [(1 if end == "best" else -1) * np.diff(values) for end, values in cases]
    return [len(step) > 0 and bool(step[-1] > max(step.max() / 2, TOLERANCE)) for step in steps]


def describe_growth(subject: Subject, case: Growth) -> str:
    end, values = case
    last = ", ".join(f"{2**k}: {values[k]:.3g}" for k in (DOUBLINGS - 2, DOUBLINGS - 1))
    return f"{end}, {'m' if end == 'best' else 'n'} = {last}"


def furthest_best(subject: Subject) -> list[tuple[Best, Best]]:
    """The numbers of relevant items whose best value over all rankings is the lowest and the highest."""
    assert subject.metric is not None
    sizes = range(1, subject.most + 1)
    best = [(m, float(evaluate(subject.metric, all_vectors(subject.n, m)).max())) for m in sizes]
    return [(min(best, key=itemgetter(1)), max(best, key=itemgetter(1)))]


def describe_best(subject: Subject, case: tuple[Best, Best]) -> str:
    return f"best, m = {', '.join(f'{m}: {value:.3g}' for m, value in case)}"


SWAP = "a relevant item in the place of a nonrelevant one above it"
ONE_LEVEL = "at one recall level, as LR theorem B.5 proves it,"
ONE_RANKING = "at two recall levels of one ranking"
CONCAVITY = "concavity in contiguous swap depth"
LAWS = (
    step_law(
        "increasing in retrieval size",
        "one more item",
        lambda subject: append_relevant(subject) + append_nonrelevant(subject),
        is_better=True,
    ),
    step_law("decreasing in nonrelevance", "one more nonrelevant item", append_nonrelevant, is_better=False),
    step_law("strictly decreasing in nonrelevance", "one more nonrelevant item", append_nonrelevant, is_better=False),
    step_law("increasing in relevance", "one more relevant item", append_relevant, is_better=True),
    step_law("strictly increasing in relevance", "one more relevant item", append_relevant, is_better=True),
    step_law("increasing in swapping up", SWAP, swap_up, is_better=True),
    step_law("strictly increasing in swapping up", SWAP, swap_up, is_better=True),
    concavity_law(CONCAVITY, ONE_LEVEL, swaps_at_one_level),
    concavity_law(f"{CONCAVITY}, as defined", ONE_RANKING, swaps_in_one_ranking),
    concavity_law(f"strict {CONCAVITY}", ONE_LEVEL, swaps_at_one_level),
    concavity_law(f"strict {CONCAVITY}, as defined", ONE_RANKING, swaps_in_one_ranking),
    RankingLaw(
        "suffix invariance",
        "rankings with the same top, of up to half their length, tie",
        differ,
        stages=(same_top,),
        describe=describe_difference,
    ),
    RankingLaw(
        "prefix invariance",
        "rankings with the same bottom, of up to half their length, tie",
        differ,
        stages=(same_bottom,),
        describe=describe_difference,
    ),
    RankingLaw(
        "boundedness",
        "the best and the worst value do not go on growing as m and n double; an indication, no proof",
        go_on_growing,
        stages=(growing_values,),
        describe=describe_growth,
        of_metrics=True,
    ),
    RankingLaw(
        "localization",
        "suffix invariance, and the same value with one more relevant item that was not retrieved",
        differ,
        stages=(same_top, more_relevant),
        describe=describe_difference,
        of_metrics=True,
    ),
    RankingLaw(
        "completeness",
        "every request has a value; a convention, here those without relevant items have none",
        lambda subject, cases: [True],
        stages=(lambda subject: [0],),
        describe=lambda subject, case: "has no value for m = 0",
        of_metrics=True,
    ),
    RankingLaw(
        "realizability",
        "the best value is the same for every m (from above)",
        lambda subject, cases: [high - low > TOLERANCE for (_, low), (_, high) in cases],
        stages=(furthest_best,),
        describe=describe_best,
        of_metrics=True,
    ),
)
"""LR appendix B, in the order of Table 8; concavity in the reading of theorem B.5 and in that of its definition."""
