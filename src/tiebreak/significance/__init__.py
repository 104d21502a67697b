"""Is a difference more than chance: tests of pairs of runs, corrected for their number.

`CATALOGUE` lists every test; ``auto`` is the one that the papers use for a preference.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import fields, replace
from fractions import Fraction
from math import floor
from typing import Any

from tiebreak._base.catalogue import Catalogue
from tiebreak._base.spec import expand_alias, parse
from tiebreak._base.text import plural
from tiebreak._kernels.interface import Tick
from tiebreak.errors import InputError
from tiebreak.significance.base import Resampled, Test
from tiebreak.significance.corrections import CORRECTIONS, WORDS, corrected
from tiebreak.significance.paired import Paired
from tiebreak.significance.result import PairTest, Significance

__all__ = [
    "CATALOGUE",
    "CORRECTIONS",
    "PairTest",
    "Paired",
    "Significance",
    "Test",
    "corrected",
    "significance",
    "test_of",
]

CATALOGUE: Catalogue[Test] = Catalogue(
    "test",
    "tiebreak.significance",
    {
        "t": "classic.TTest",
        "sign": "classic.SignTest",
        "wilcoxon": "classic.Wilcoxon",
        "permutation": "resampling.SignFlip",
        "bootstrap": "resampling.BootstrapTest",
        "hsd": "tukey.RandomisedHSD",
        "tukey": "tukey.TukeyHSD",
    },
)
ALIASES = {"binomial": "sign", "signflip": "permutation", "ttest": "t"}


def test_of(spec: str | Test, **parameters: Any) -> Test:
    """The test that a spec names, with parameters set that are given.

    Examples
    --------
    >>> print(test_of("hsd", permutations=100_000), test_of("binomial"))
    hsd(permutations=100000) sign
    """
    if not isinstance(spec, (str, Test)):
        raise InputError(f"{spec!r} is no test. Give its name, such as t or hsd.", kind="spec")
    made = spec if isinstance(spec, Test) else CATALOGUE.make(parse(expand_alias(spec.strip(), ALIASES)))
    given = {name: value for name, value in parameters.items() if value is not None}
    unknown = given.keys() - {parameter.name for parameter in fields(made)}
    if unknown:
        raise InputError(
            f"{made.name} takes no {' and no '.join(sorted(unknown))}: nothing is drawn. Leave it out, or choose a "
            "test by chance, such as hsd.",
            kind="spec",
        )
    return replace(made, **given)


test_of.__test__ = False  # type: ignore[attr-defined]  # not one of pytest's


def significance(
    paired: Paired,
    test: str | Test = "auto",
    *,
    correction: str | None = None,
    alpha: float = 0.05,
    permutations: int | str | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    tick: Tick | None = None,
) -> Significance:
    """Test all pairs; see `Comparison.test`."""
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float)) or not 0 < alpha < 1:
        raise InputError(f"alpha={alpha!r}. Give a number between 0 and 1, such as 0.05.", kind="alpha")
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1):
        raise InputError(f"jobs={jobs!r}. Give a whole number from 1 on.", kind="size")
    papers = "sign" if paired.is_sign else "t"
    auto = isinstance(test, str) and test.strip() == "auto"
    made = test_of(papers if auto else test, permutations=permutations, seed=seed)
    chosen = ("none" if made.is_of_all_pairs else "holm") if correction is None else correction
    corrected(paired.mean[:0], chosen)  # a bad name is refused before anything is tested
    made.check(paired)
    outcome = made.run(paired.by_name(), alpha, jobs or os.cpu_count() or 1, tick)
    return Significance(
        paired, made, chosen, alpha, outcome, tuple(too_few_draws(made, chosen, alpha, len(paired.pairs)))
    )


def too_few_draws(made: Test, correction: str, alpha: float, pairs: int) -> Iterator[str]:
    """Whether a test by chance has too few draws for any corrected p-value to be below alpha."""
    if not isinstance(made, Resampled) or made.permutations == "all":
        return
    times = made.least_reached * (pairs if correction in ("bonferroni", "holm") else 1)
    needed = floor(times / Fraction(str(alpha)))
    if int(made.permutations) < needed:
        yield (
            f"{made.permutations:,} draws are too few for any p-value below {alpha:g}, with {WORDS[correction]} for "
            f"{plural(pairs, 'comparison')}. Give at least {needed:,}."
        )
