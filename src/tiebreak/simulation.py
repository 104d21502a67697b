"""A simulated experiment: requests, judgements, aspects, and runs of systems with known characters.

In each request every item has a latent relevance: affinity to the request, plus a little of its popularity. The first
few items are relevant; the next are *hard negatives*. A system sees the signal that its `Character` sets, weaker in
difficult requests, plus its own noise.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import exp
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeAlias
from zlib import crc32

import numpy as np
import numpy.typing as npt

from tiebreak._base.checks import check_count, check_names
from tiebreak.errors import InputError, UnknownNameError, quote
from tiebreak.results.files import whole_file

FloatArray: TypeAlias = npt.NDArray[np.float64]
IndexArray: TypeAlias = npt.NDArray[np.intp]

POPULAR_IS_RELEVANT = 0.17  # latent relevance gained per unit of popularity
SPREAD = 0.9  # standard deviation of the log of the number of relevant items
HARD_NEGATIVES = 12  # in a request of middling difficulty
SECOND_ASPECT = 0.3  # how often a relevant item is offered one
SYSTEM_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")  # safe as a file name and as a run's tag


@dataclass(frozen=True, slots=True)
class Character:
    """How one system scores items. Lifts add to scores; difficult requests shrink those of relevant items."""

    top: float = 0.0  # lift of the most relevant item, falling linearly to nothing along the others
    breadth: float = 0.0  # lift of every relevant item
    reach: float = 1.0  # share of the relevant items it can find at all
    hard_negative_lift: float = 0.0
    popularity: float = 0.0  # lift per unit of an item's popularity, the same in every request
    noise: float = 1.0
    digits: int = 4  # decimals of its scores; with few, many scores tie
    twin_of: str = ""  # the system whose noise and reach it shares
    jitter: float = 0.0  # noise of its own, beside its twin's


BALANCED = Character(top=4.0, breadth=1.3, reach=0.8, hard_negative_lift=3.0)

CHARACTERS: Mapping[str, Character] = MappingProxyType(
    {
        "top-heavy": Character(top=9.0, reach=0.6, hard_negative_lift=4.0),
        "deep": Character(breadth=3.7, hard_negative_lift=5.4),
        "balanced": BALANCED,
        "balanced-twin": replace(BALANCED, twin_of="balanced", jitter=0.01),
        "popular": Character(popularity=1.0, noise=0.0, digits=1),
        "weak": Character(top=1.5, breadth=1.0, reach=0.7, hard_negative_lift=2.5),
        "random": Character(),
    }
)


class Files(NamedTuple):
    """The files that `Simulation.write` writes; `runs` in the order of the simulation's runs."""

    qrels: Path
    aspects: Path
    runs: tuple[Path, ...]

    @property
    def all(self) -> tuple[Path, ...]:
        return self.qrels, self.aspects, *self.runs


@dataclass(frozen=True, slots=True)
class Simulation:
    """A simulated experiment, as plain dictionaries."""

    judgements: dict[str, dict[str, int]] = field(repr=False)  # request -> item -> grade, 0 if not relevant
    aspects: dict[str, dict[str, tuple[str, ...]]] = field(repr=False)  # request -> relevant item -> aspects
    runs: dict[str, dict[str, dict[str, float]]] = field(repr=False)  # run -> request -> item -> score
    seed: int

    def write(self, folder: str | os.PathLike[str]) -> Files:
        """Write ``qrels.txt``, ``qrels.aspects.txt`` and ``runs/NAME.run`` in TREC's formats.

        Reading a printed score gives the identical float. Files of these names are replaced; others stay.
        """
        files = self.paths(folder)
        _write_lines(files.qrels, self._qrels_lines())
        _write_lines(files.aspects, self._aspect_lines())
        for name, path in zip(self.runs, files.runs, strict=True):
            _write_lines(path, self._run_lines(name))
        return files

    def paths(self, folder: str | os.PathLike[str]) -> Files:
        """The files that `write` writes."""
        root = Path(folder)
        runs = tuple(root / "runs" / f"{name}.run" for name in self.runs)
        return Files(root / "qrels.txt", root / "qrels.aspects.txt", runs)

    def _qrels_lines(self) -> Iterator[str]:
        for request, grades in self.judgements.items():
            for item, grade in grades.items():
                yield f"{request} 0 {item} {grade}\n"

    def _aspect_lines(self) -> Iterator[str]:
        for request, members in self.aspects.items():
            for item, aspects in members.items():
                for aspect in aspects:
                    yield f"{request} {aspect} {item} {self.judgements[request][item]}\n"

    def _run_lines(self, name: str) -> Iterator[str]:
        for request, scores in self.runs[name].items():
            ranking = sorted(scores, key=lambda item: (scores[item], item.encode()), reverse=True)
            for rank, item in enumerate(ranking, start=1):
                yield f"{request} Q0 {item} {rank} {scores[item]!r} {name}\n"


def simulate(
    requests: int = 50,
    *,
    systems: Iterable[str] | Mapping[str, Character] = CHARACTERS,
    depth: int = 100,
    items: int = 5000,
    relevant: int = 20,
    grades: int = 3,
    aspects: int = 4,
    judged: int = 40,
    seed: int = 0,
) -> Simulation:
    """Simulate an offline evaluation experiment, reproducible for the same arguments and NumPy.

    A run does not depend on which other systems are simulated, nor a request on how many requests are (except for
    the width of its id); a smaller `depth` truncates the same rankings.

    Parameters
    ----------
    requests, items : int
        Number of requests, and of items in the corpus.
    systems : iterable of str, or mapping of str to Character
        Names from `CHARACTERS`, or characters of your own.
    depth : int
        Items each run retrieves per request.
    relevant : int
        Median number of relevant items of a request; it varies widely, from 1 to half the corpus.
    grades, aspects : int
        Largest grade, and largest number of aspects of a request.
    judged : int
        Items judged not relevant per request, hard negatives first.
    seed : int
        Random seed.

    Examples
    --------
    >>> simulation = simulate(requests=2, systems=["deep", "random"], seed=7)
    >>> list(simulation.judgements), list(simulation.runs), len(simulation.runs["deep"]["q01"])
    (['q01', 'q02'], ['deep', 'random'], 100)
    """
    sizes = {"requests": requests, "depth": depth, "items": items}
    sizes |= {"relevant": relevant, "grades": grades, "aspects": aspects}
    for name, size in sizes.items():
        check_count(size, name)
    check_count(judged, "judged", 0)
    check_count(seed, "seed", 0, 2**128 - 1)  # as much as NumPy draws for one
    characters = _characters(systems)
    popularity = _stream(seed, "world").exponential(size=items)
    names = _ids("d", items, width=5)
    simulation = Simulation({}, {}, {system: {} for system in characters}, int(seed))
    for number, request_id in enumerate(_ids("q", requests, width=2)):
        request = _simulate_request(seed, number, popularity, relevant, grades, aspects)
        simulation.judgements[request_id] = request.grade_by_item(names, judged)
        simulation.aspects[request_id] = request.aspects_by_item(names)
        for system, character in characters.items():
            scores = _score(seed, system, character, request, popularity)
            simulation.runs[system][request_id] = _retrieve(scores, names, depth)
    return simulation


@dataclass(frozen=True, slots=True)
class _Request:
    number: int
    ease: float  # 1 when middling; multiplies the lift of relevant items
    strength: FloatArray  # of each relevant item's signal, from 1 for the most relevant down to 1/m
    relevant: IndexArray  # items, most relevant first
    others: IndexArray  # the remaining items, by falling latent relevance
    hard_negatives: int  # number of the others that resemble relevant items
    grades: IndexArray
    aspects: list[tuple[str, ...]]

    def grade_by_item(self, names: list[str], judged: int) -> dict[str, int]:
        grades = dict(zip(self.relevant.tolist(), self.grades.tolist(), strict=True))
        grades |= dict.fromkeys(self.others[:judged].tolist(), 0)
        return {names[item]: grades[item] for item in sorted(grades)}

    def aspects_by_item(self, names: list[str]) -> dict[str, tuple[str, ...]]:
        return {names[item]: aspects for item, aspects in sorted(zip(self.relevant, self.aspects, strict=True))}


def _simulate_request(
    seed: int, number: int, popularity: FloatArray, relevant: int, grades: int, aspects: int
) -> _Request:
    rng = _stream(seed, "request", number)
    difficulty, size = rng.standard_normal(2)
    m = max(1, min(round(relevant * exp(SPREAD * size)), len(popularity) // 2))
    latent = rng.standard_normal(len(popularity)) + POPULAR_IS_RELEVANT * popularity
    order = np.argsort(-latent, kind="stable")
    strength = 1.0 - np.arange(m) / m
    return _Request(
        number=number,
        ease=exp(-0.35 * difficulty),
        strength=strength,
        relevant=order[:m],
        others=order[m:],
        hard_negatives=round(HARD_NEGATIVES * exp(0.5 * difficulty)),
        grades=1 + (grades * strength * np.sqrt(rng.random(m))).astype(np.intp),  # high grades are rarer
        aspects=_simulate_aspects(rng, strength, int(rng.integers(1, aspects + 1))),
    )


def _simulate_aspects(rng: np.random.Generator, strength: FloatArray, number: int) -> list[tuple[str, ...]]:
    """One or two aspects per relevant item; the most relevant items belong to the leading ones."""
    m = len(strength)
    first = (number * rng.random(m) * (1 - strength / 2)).astype(np.intp)
    second = np.where(rng.random(m) < SECOND_ASPECT, rng.integers(0, number, size=m), first)
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    return [tuple(str(aspect + 1) for aspect in sorted(set(pair))) for pair in pairs]


def _score(seed: int, system: str, character: Character, request: _Request, popularity: FloatArray) -> FloatArray:
    """Score every item; the random stream depends on the system's name only, not on the other systems."""
    rng = _stream(seed, "system", character.twin_of or system, request.number)
    scores = character.noise * rng.standard_normal(len(popularity)) + character.popularity * popularity
    reached = rng.random(len(request.relevant)) < character.reach
    lift = character.top * request.strength + character.breadth
    scores[request.relevant] += request.ease * lift * reached
    scores[request.others[: request.hard_negatives]] += character.hard_negative_lift
    if character.jitter:
        own = _stream(seed, "jitter", system, request.number)
        scores += character.jitter * own.standard_normal(len(popularity))
    return np.round(scores, character.digits) + 0.0  # + 0.0 turns -0.0 into 0.0


def _retrieve(scores: FloatArray, names: list[str], depth: int) -> dict[str, float]:
    """Keep the `depth` best items: score descending, then id descending (`names` ascend)."""
    depth = min(depth, len(scores))
    candidates = np.flatnonzero(scores >= np.partition(scores, -depth)[-depth])[::-1]
    best = candidates[np.argsort(-scores[candidates], kind="stable")][:depth]
    return {names[item]: score for item, score in zip(best.tolist(), scores[best].tolist(), strict=True)}


def _stream(seed: int, *key: str | int) -> np.random.Generator:
    numbers = [crc32(part.encode()) if isinstance(part, str) else part for part in key]
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=numbers))


def _ids(letter: str, count: int, width: int) -> list[str]:
    width = max(width, len(str(count)))
    return [f"{letter}{number:0{width}d}" for number in range(1, count + 1)]


def _characters(systems: Iterable[str] | Mapping[str, Character]) -> dict[str, Character]:
    known = systems if isinstance(systems, Mapping) else CHARACTERS
    names = [systems] if isinstance(systems, str) else list(systems)
    check_names(list(dict.fromkeys(names)), "system", "deep")
    for name in names:
        if name not in known:
            raise UnknownNameError("system", str(name), known)
        if not SYSTEM_NAME.fullmatch(name):
            raise InputError(f"system {quote(name)} cannot name a file. Use letters, digits, and . _ + - inside.")
    return {name: known[name] for name in names}


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(str(path)) as file:
        file.writelines(line.encode() for line in lines)
