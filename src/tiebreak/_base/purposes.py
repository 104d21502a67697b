"""What the names of every catalogue are for: a name in the wrong place is shown to the right one."""

from __future__ import annotations

import re
from contextlib import suppress
from importlib import import_module
from typing import Any

from tiebreak._base.nicknames import NICKNAMES
from tiebreak._base.text import plain_word
from tiebreak.errors import InputError

PURPOSES = {
    "metric": ("metrics", "{0} scores one run: give it by -m, such as tiebreak evaluate ... -m {0}."),
    "preference": ("preferences", "{0} compares two runs: use compare, such as tiebreak compare ... -m {0}."),
    "population": ("populations", "{0} is over requests: use order, such as tiebreak order ... --by '{0}(AP)'."),
    "ordering method": ("orderings", "{0} orders runs: use order, such as tiebreak order ... --by {0}."),
    "test": ("significance", "{0} is a significance test: use test, such as tiebreak test ... --test {0}."),
    "study": ("studies._catalogue", "{0} is a study: use study, such as tiebreak study {0} ..."),
}
"""For every kind of name the package that knows all of them, and what to do with one."""


WORDS = {
    "prec": "P",
    "hr": "Success",
    "hitratio": "Success",
    "meaninvuserfreq": "Novelty",
    "selfinformation": "Novelty",
    "intralistdiversity": "ILD",
    "catalogcoverage": "Coverage",
    "cataloguecoverage": "Coverage",
    "gini": "ExposureGini",
    "giniindex": "ExposureGini",
    **{plain_word(name): name for name in NICKNAMES},
}
"""What metrics are called elsewhere, in lower case and without marks: near enough to ask, not to take for the same."""


def purpose(name: str, *expected: str) -> str | None:
    """What to do with a name that is known, but not as one of the `expected` kinds, or by another word."""
    word = metric_word(name) if "metric" in expected else None
    advice = (word and f'Did you mean "{word}"?', elsewhere(name, *expected))
    return " ".join(filter(None, advice)) or (near_elsewhere(name, *expected) if expected else None)


def metric_word(name: str) -> str | None:
    """The metric that another word stands for; a cutoff may be part of it: map10."""
    metrics = import_module("tiebreak.metrics")
    match = re.fullmatch(r"(.+?)[_-]?(\d+)", name)
    known = known_as(match[1], metrics) if match else None
    if match and known:
        with suppress(InputError):  # it may take no cutoff
            metrics.metric(f"{known}@{match[2]}")
            return f"{known}@{match[2]}"
    return WORDS.get(plain_word(name))


def elsewhere(name: str, *expected: str) -> str | None:
    """What to do with a name of another kind."""
    for kind, (package, advice) in PURPOSES.items():
        known = None if kind in expected else known_as(name, import_module(f"tiebreak.{package}"))
        if known:
            return advice.format(known)
    return None


def near_elsewhere(name: str, *expected: str) -> str | None:
    """What to do with a mistyped name of another kind; none where one of the expected kinds is as near."""
    from difflib import SequenceMatcher, get_close_matches

    word = name.lower()
    kinds: dict[str, tuple[str, str]] = {}
    for kind in sorted(PURPOSES, key=lambda kind: kind in expected):
        module = import_module(f"tiebreak.{PURPOSES[kind][0]}")
        names = (*getattr(module.CATALOGUE, "others", ()), *reversed(known_names(module)))
        kinds |= {other.lower(): (kind, other) for other in names}
    expected_names = [known for known, (kind, _) in kinds.items() if kind in expected]
    nearest, own = (get_close_matches(word, names, n=1) for names in (kinds, expected_names))
    far, near = (
        max((SequenceMatcher(None, known, word).ratio() for known in one), default=0) for one in (nearest, own)
    )
    if far == near:
        return None
    kind, other = kinds[nearest[0]]
    return f'Did you mean "{other}"? {PURPOSES[kind][1].format(other)}'


def known_names(module: Any) -> list[str]:
    """The names of a package's catalogue, and those of papers for them."""
    return [*module.CATALOGUE, *getattr(module, "ALIASES", ())]


def known_as(name: str, module: Any) -> str | None:
    """The spelling under which a package knows a name, in its catalogue or as an alias."""
    names = known_names(module)
    spellings = {other.lower(): other for other in reversed(names)} | {other: other for other in names}
    begins = getattr(module.CATALOGUE, "begins", None)
    return spellings.get(name) or spellings.get(name.lower()) or (name if begins and begins(name) else None)
