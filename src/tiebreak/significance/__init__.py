"""Significance tests of pairs of runs, corrected for multiple comparisons.

`CATALOGUE` lists every test; ``auto`` is the one that the papers use for a preference.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import Any

from tiebreak._base.catalogue import Catalogue
from tiebreak._base.checks import check_choice, check_count, check_number
from tiebreak._base.corrections import ALPHA, CORRECTIONS
from tiebreak._base.text import plural
from tiebreak._kernels.interface import Tick
from tiebreak.errors import InputError
from tiebreak.preferences import PairValues
from tiebreak.significance.base import RandomisationTest, Test
from tiebreak.significance.corrections import correct_pvalues
from tiebreak.significance.result import PairTest, Significance

__all__ = [
    "CATALOGUE",
    "CORRECTIONS",
    "TOO_FEW",
    "PairTest",
    "Significance",
    "Test",
    "correct_pvalues",
    "significance",
    "statistical_test",
    "unless_too_few",
]

TOO_FEW = "too few requests for a test"

ALIASES = {"binomial": "sign", "signflip": "permutation", "ttest": "t"}

CATALOGUE: Catalogue[Test] = Catalogue(
    "test",
    "tiebreak.significance",
    {
        "t": "classic.TTest",
        "sign": "classic.SignTest",
        "wilcoxon": "classic.Wilcoxon",
        "permutation": "permutation.SignFlip",
        "bootstrap": "bootstrap.BootstrapTest",
        "hsd": "hsd.RandomisedHSD",
        "tukey": "tukey.TukeyHSD",
    },
    others=ALIASES,
)


def statistical_test(
    spec: str | Test,
    *,
    permutations: int | str | None = None,
    seed: int | None = None,
    alternative: str | None = None,
) -> Test:
    """The test that a spec names, with the options that are not None."""
    test = CATALOGUE.find(spec, Test, "t or hsd", ALIASES)
    options: dict[str, Any] = {"permutations": permutations, "seed": seed, "alternative": alternative}
    options = {name: value for name, value in options.items() if value is not None}
    unknown = [name for name in options if not hasattr(test, name)]
    if unknown:
        raise InputError(
            f"{test.name} takes no {' and no '.join(unknown)}: it is not a randomisation test. Remove the option, or "
            "choose a randomisation test, such as hsd.",
            kind="spec",
        )
    return replace(test, **options)


def significance(
    measure: str,
    paired: PairValues,
    test: str | Test = "auto",
    correction: str | None = None,
    alpha: float = ALPHA,
    permutations: int | str | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    tick: Tick | None = None,
    alternative: str | None = None,
    *,
    notes: tuple[str, ...] = (),
    library: str | None = None,
    more_settings: Mapping[str, Any] | None = None,
) -> Significance:
    """Test all pairs; see `Comparison.test`."""
    check_number(alpha, "alpha", above=0, below=1)
    workers = (os.cpu_count() or 1) if jobs is None else check_count(jobs, "jobs")
    if isinstance(test, str) and test.strip() == "auto":
        test = "sign" if paired.is_sign else "t"
    chosen = statistical_test(test, permutations=permutations, seed=seed, alternative=alternative)
    if correction is None:
        correction = "none" if chosen.is_familywise else "holm"
    check_choice(correction, "correction", CORRECTIONS)
    chosen.check(paired)
    outcome = chosen.run_by_name(paired, alpha, workers, tick)
    notes = (*warn_few_draws(chosen, correction, alpha, len(paired.pairs)), *chosen.notes(paired), *notes)
    settings = more_settings or {}
    return Significance(
        measure, paired, chosen, correction, alpha, outcome, notes, library=library, more_settings=settings
    )


def unless_too_few(test: Callable[[], Significance]) -> Significance | None:
    """The result of a test; None where there are too few requests for it."""
    try:
        return test()
    except InputError as error:
        if error.kind != "size":
            raise
        return None


def warn_few_draws(test: Test, correction: str, alpha: float, pairs: int) -> Iterator[str]:
    """A note where a randomisation test has too few draws for any corrected p-value to be below alpha."""
    if not isinstance(test, RandomisationTest) or test.permutations == "all":
        return
    times = test.min_count * (pairs if correction in ("bonferroni", "holm") else 1)
    needed = floor(times / Fraction(str(alpha)))
    if int(test.permutations) < needed:
        correcting = f"{CORRECTIONS[correction]} for {plural(pairs, 'comparison')}"
        yield (
            f"{test.permutations:,} draws are too few for any p-value below {alpha:g}, with {correcting}. "
            f"Give at least {needed:,}."
        )
