"""The inputs on which tools are compared: each differs from the first by one thing."""

from dataclasses import dataclass, replace
from functools import cache
from random import Random

REQUESTS, RANKED, UNRANKED = 10, 25, 5
GRADES = (0, 0, 1, 1, 2, 3)


@dataclass(frozen=True, eq=False)
class Input:
    """Grades ``{request: {item: {subtopic: grade}}}``, scores ``{request: {item: score}}``, and how they are read."""

    name: str
    what: str
    grades: dict
    scores: dict
    level: int | None = None
    judged_only: bool = False

    @property
    def judgements(self):
        """``{request: {item: grade}}``: the largest over subtopics."""
        return {q: {item: max(by.values()) for item, by in items.items()} for q, items in self.grades.items()}


def with_grades(one, name, what, change):
    """Another input, with `change` applied to every request's grades."""
    return replace(one, name=name, what=what, grades={q: change(q, items) for q, items in one.grades.items()})


def with_scores(one, name, what, change):
    """Another input, with `change` applied to every request's scores, highest first."""
    return replace(one, name=name, what=what, scores={q: change(q, items) for q, items in one.scores.items()})


@cache
def inputs():
    """Every input by its name, the plain one first."""
    plain = Input("plain", "grades 0 to 3, scores that differ, every judged request ranked", *plain_world())
    short = with_scores(
        plain, "short", "rankings of three items, below every cutoff", lambda q, s: dict(list(s.items())[:3])
    )
    negative = with_grades(
        plain, "negative", "a third of the items that are not relevant have grade -1 or -2", negative_grades
    )
    several = [
        plain,
        replace(plain, name="level 2", what="relevant from grade 2 on (`-l 2`, `rel=2`, `min_grade=2`)", level=2),
        with_scores(
            plain, "ties", "scores tied in fours", lambda q, s: {i: float(9 - k // 4) for k, i in enumerate(s)}
        ),
        with_scores(
            plain, "close", "scores 1e-9 apart, near 1", lambda q, s: {i: 1 - k * 1e-9 for k, i in enumerate(s)}
        ),
        short,
        replace(
            plain,
            name="missing",
            what="two judged requests are missing from the run",
            scores={q: items for q, items in plain.scores.items() if q not in ("3", "7")},
        ),
        with_grades(plain, "empty", "two judged requests have no relevant item", no_relevant_items),
        replace(
            plain,
            name="not judged",
            what="the run ranks two requests without judgements",
            grades={q: items for q, items in plain.grades.items() if q not in ("3", "7")},
        ),
        negative,
        replace(
            plain, name="judged only", what="unjudged items are removed (`-J`, `judged_only=True`)", judged_only=True
        ),
        replace(negative, name="judged only, negative", what="both of these", judged_only=True),
    ]
    return {one.name: one for one in several}


def plain_world(seed=7):
    """Rankings of items with ids in no order, most of them judged, and a few judged items that are not ranked."""
    draw = Random(seed)
    grades, scores = {}, {}
    for request in map(str, range(1, REQUESTS + 1)):
        items = [f"d{number}" for number in draw.sample(range(100), RANKED + UNRANKED)]
        scores[request] = {item: float(RANKED - k) for k, item in enumerate(items[:RANKED])}
        judged = [item for item in items if draw.random() < 0.8]
        # Some of each grade in every request, so that no measure is trivial.
        chosen = [*GRADES, *(draw.choice(GRADES) for _ in judged[len(GRADES) :])]
        draw.shuffle(chosen)
        grades[request] = {
            item: dict.fromkeys(draw.sample("1234", 1 + (grade > 1)), grade)
            for item, grade in zip(judged, chosen, strict=True)
        }
    return grades, scores


def negative_grades(request, items):
    irrelevant = [item for item, by in items.items() if not any(by.values())]
    changed = {item: -1 - k % 2 for k, item in enumerate(irrelevant[::3])}
    return {item: dict.fromkeys(by, changed[item]) if item in changed else by for item, by in items.items()}


def no_relevant_items(request, items):
    return {item: dict.fromkeys(by, 0) for item, by in items.items()} if request in ("2", "5") else items
