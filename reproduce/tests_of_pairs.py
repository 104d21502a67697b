"""How many pairs of runs tests tell apart, beside the printed shares; and how many under other settings."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from cells import Cell, Sheet, Status
from data import Collection, Data
from rows import Values, over_collections
from scipy import stats
from tracks import columns

import tiebreak as tb

Floats: TypeAlias = npt.NDArray[np.float64]

FEW = 1_000
SEEDS = range(1, 21)
LEVEL = 0.05
DEPTHS = (10, 100, 1_000)
CORRECTIONS = {
    "bonferroni": "Bonferroni's correction",
    "holm": "Holm's correction",
    "bh": "Benjamini and Hochberg's correction",
}


def separated(experiment: tb.Experiment, measures: Iterable[str], test: str, **how: Any) -> dict[str, float]:
    """Percent of pairs that each measure tells apart."""
    return {row.measure: 100 * row.share for row in tb.studies.power(experiment, measures, test, **how).rows()}


def shuffled(
    data: Data, title: str, table: str, experiment: Callable[[Collection], tb.Experiment], setting: str
) -> Sheet:
    """Randomised Tukey HSD: shares with what the shuffles leave open, and the range of draws of few shuffles."""
    bounds: dict[Collection, dict[str, tuple[float, float]]] = {}

    def shares(one: Collection) -> Values:
        how = {"permutations": data.shuffles, "seed": data.options.seed}
        rows = list(tb.studies.power(experiment(one), columns(table), "hsd", **how).rows())
        bounds[one] = {row.measure: (100 * row.low, 100 * row.high) for row in rows}
        return {row.measure: 100 * row.share for row in rows}

    sheet = over_collections(data, title, table, shares, setting)
    names = [(one, name) for one in data.collections for name in columns(table)]
    cells = [
        replace(cell, interval=bounds[one][name]) if one in bounds else cell
        for cell, (one, name) in zip(sheet.cells, names, strict=True)
    ]
    named = zip(cells, names, strict=True)
    return replace(
        sheet,
        cells=[
            beside_few(cell, experiment(one), name) if cell.status is Status.OPEN else cell
            for cell, (one, name) in named
        ],
    )


def beside_few(cell: Cell, experiment: tb.Experiment, measure: str) -> Cell:
    """A cell that differs, with what fewer shuffles give: the papers do not say how many were drawn."""
    drawn = [separated(experiment, [measure], "hsd", permutations=FEW, seed=seed)[measure] for seed in SEEDS]
    as_printed = sum(f"{share:.2f}" == cell.printed for share in drawn)
    actual = f"{min(drawn):.2f} to {max(drawn):.2f}, as printed in {as_printed} of {len(drawn)} draws"
    return replace(cell, note=f"with {FEW:,} shuffles {actual}")


def readings(one: Collection, kept: Mapping[str, Any]) -> dict[str, tb.Experiment]:
    """The same runs read in other ways; `kept` is how the table reads them."""
    levels = {f"grade >= {grade} relevant": {"min_grade": grade, "binary": True} for grade in (1, 2)}
    cuts = {f"rankings cut at {depth:,}": {**kept, "depth": depth} for depth in DEPTHS}
    order = {"score ties by the rank column": {**kept, "ties": "rank"}}
    judged = {"judged items only": {**kept, "judged_only": True}}
    common = {"requests that all runs list": {**kept, "requests": "common"}}
    ways = {name: how for name, how in levels.items() if how != kept} | cuts | order | judged | common
    return {name: one.read(**how) for name, how in ways.items()}


def paired_p(experiment: tb.Experiment, measure: str, test: str = "t") -> Floats:
    """The p-value of every pair, not corrected."""
    return experiment.compare(measure).test(test, correction="none").pvalue_corrected


def unpaired_p(experiment: tb.Experiment, measure: str, *, equal_variances: bool = True) -> Floats:
    """The p-value of every pair by a two-sample t-test, by SciPy; 1 where both runs are constant."""
    pairs = combinations(experiment.evaluate([measure]).values[..., 0], 2)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        p = [stats.ttest_ind(x, y, equal_var=equal_variances, nan_policy="omit").pvalue for x, y in pairs]
    return np.nan_to_num(np.array(p, dtype=np.float64), nan=1.0)


def below(p: Floats) -> float:
    """Percent of pairs that differ with Bonferroni's correction."""
    return 100 * float(np.mean(p * len(p) < LEVEL))


def factors(p: Floats, share: str) -> str:
    """By what the p-values would have to be multiplied for the printed share of pairs to be below 0.05."""
    count, ordered = round(float(share) * len(p) / 100), np.sort(p)
    if not 0 < count < len(p):
        return "-"
    low, high = LEVEL / np.maximum(ordered[[count, count - 1]], np.finfo(float).tiny)
    return f"{low:.4g} to {high:.4g}" if low < high else "none"


def one_direction(
    experiment: tb.Experiment, measures: Iterable[str], *, is_first: bool, is_one_sided: bool, key: Callable[[str], Any]
) -> dict[str, float]:
    """Percent of all pairs in which the run whose name comes first, or the other, is better; by Bonferroni."""
    actual = {}
    for measure in measures:
        comparison = experiment.compare(f"diff({measure})")
        p = comparison.test("t", correction="none").pvalue_corrected * (0.5 if is_one_sided else 1.0)
        place = {run: k for k, run in enumerate(sorted(comparison.runs, key=key))}
        order = np.array([place[run] for run in comparison.runs])
        x_comes_first = order[comparison.pairs.x] < order[comparison.pairs.y]
        first_is_better = (comparison.mean != 0) & (x_comes_first == (comparison.mean > 0))
        second_is_better = (comparison.mean != 0) & (x_comes_first == (comparison.mean < 0))
        actual[measure] = below(np.where(first_is_better if is_first else second_is_better, p, 1.0))
    return actual
