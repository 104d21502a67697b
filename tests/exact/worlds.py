"""Small invented experiments that are built to collide: equal values from different positions, and nearly equal."""

import random
from dataclasses import dataclass

# 1/k of one, two or three of these add up to the same; so do 1/log2(k + 1), where k + 1 are powers of 2, 3 or 5.
COLLIDING = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 18, 20, 24, 26, 30, 31, 36, 63, 80, 124)


@dataclass(frozen=True)
class World:
    """Grades ``{request: {item: grade}}``, subtopics ``{item: labels}``, and rankings ``{run: {request: items}}``."""

    grades: dict
    subtopics: dict
    rankings: dict

    @property
    def judgements(self):
        """As they are given to an experiment."""
        if not self.subtopics:
            return self.grades
        return {
            request: {item: dict.fromkeys(self.subtopics[item], grade) for item, grade in graded.items()}
            for request, graded in self.grades.items()
        }

    @property
    def runs(self):
        """As they are given to an experiment."""
        return [
            {request: {item: float(-k) for k, item in enumerate(ranking)} for request, ranking in of_run.items()}
            for of_run in self.rankings.values()
        ]


def world(seed, with_subtopics=False):
    """The world of a seed."""
    rng = random.Random(seed)
    scale = rng.choice([1, 1, 3])  # grades may be tripled: ratios of gains stay
    grades = {}
    for q in range(rng.randint(1, 4)):
        m = rng.randint(1, 5)
        of_request = {f"q{q}d{k}": scale * rng.choice([1, 1, 1, 2, 3]) for k in range(m)}
        of_request |= {f"q{q}x{k}": 0 for k in range(rng.randint(0, 2))}
        grades[f"q{q}"] = of_request
    items = [item for graded in grades.values() for item in graded]
    subtopics = {item: sorted(rng.sample("abc", rng.randint(1, 2))) for item in items} if with_subtopics else {}
    if with_subtopics:
        subtopics[items[0]] = ["a", "b"]  # several labels at least
    rankings = [{request: ranking(rng, graded) for request, graded in grades.items()} for _ in range(rng.randint(2, 5))]
    if rng.random() < 0.3:  # one run twice
        rankings.append(rng.choice(rankings))
    if rng.random() < 0.4:  # one run with items of the same grade in each other's place
        rankings.append(
            {request: swapped(rng, list(r), grades[request]) for request, r in rng.choice(rankings).items()}
        )
    return World(grades, subtopics, {f"run{k + 1}": rankings[k] for k in range(len(rankings))})


def ranking(rng, graded):
    """Judged items at places that collide; the places between them hold items that nobody judged."""
    there = [item for item in graded if rng.random() < 0.85]
    places = rng.sample(COLLIDING if rng.random() < 0.6 else range(1, 2 * len(graded) + 2), len(there))
    at = dict(zip(places, there, strict=True))
    return [at.get(k, f"n{k}") for k in range(1, max(places, default=1) + 1)]


def swapped(rng, ranked, graded):
    for grade in set(graded.values()):
        places = [k for k, item in enumerate(ranked) if graded.get(item) == grade]
        items = [ranked[k] for k in places]
        rng.shuffle(items)
        for k, item in zip(places, items, strict=True):
            ranked[k] = item
    return ranked


def shuffled(result, seed):
    """The same world with its requests, lines and files in another order."""
    rng = random.Random(seed)

    def mixed(mapping):
        keys = list(mapping)
        rng.shuffle(keys)
        return {key: mapping[key] for key in keys}

    grades = mixed({request: mixed(graded) for request, graded in result.grades.items()})
    subtopics = {item: rng.sample(labels, len(labels)) for item, labels in mixed(result.subtopics).items()}
    return World(grades, subtopics, mixed(result.rankings))
