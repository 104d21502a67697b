"""What the names of every catalogue are for: a name in the wrong place is shown to the right one."""

from __future__ import annotations

from importlib import import_module
from typing import Any

PURPOSES = {
    "metric": ("metrics", "{0} scores one run: give it by -m, such as tiebreak evaluate ... -m {0}."),
    "preference": ("preferences", "{0} compares two runs: use compare, such as tiebreak compare ... -m {0}."),
    "population": ("populations", "{0} is over requests: use order, such as tiebreak order ... --by '{0}(AP)'."),
    "ordering method": ("orderings", "{0} orders runs: use order, such as tiebreak order ... --by {0}."),
    "test": ("significance", "{0} is a significance test: use test, such as tiebreak test ... --test {0}."),
    "study": ("studies._catalogue", "{0} is a study: use study, such as tiebreak study {0} ..."),
}
"""For every kind of name the package that knows all of them, and what to do with one."""


def purpose(name: str, *expected: str) -> str | None:
    """What to do with a name that is known, but not as one of the `expected` kinds."""
    for kind, (package, advice) in PURPOSES.items():
        known = None if kind in expected else known_as(name, import_module(f"tiebreak.{package}"))
        if known:
            return advice.format(known)
    return None


def known_as(name: str, module: Any) -> str | None:
    """The spelling under which a package knows a name, in its catalogue or as an alias."""
    names = [*module.CATALOGUE, *getattr(module, "ALIASES", ())]
    spellings = {other.lower(): other for other in reversed(names)} | {other: other for other in names}
    begins = getattr(module.CATALOGUE, "begins", None)
    return spellings.get(name) or spellings.get(name.lower()) or (name if begins and begins(name) else None)
