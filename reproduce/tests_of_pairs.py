"""How many pairs of runs tests tell apart, beside the printed shares; and how many under other settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from cells import Cell, Sheet, Status
from data import Collection, Data
from rows import Values, over_collections
from scipy import stats
from tracks import columns

import tiebreak as tb

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
    return {row.measure: 100 * row.share for row in tb.studies.power(experiment, measures, test, **how).rows}


def shuffled(
    data: Data, title: str, table: str, experiment: Callable[[Collection], tb.Experiment], setting: str
) -> Sheet:
    """Randomised Tukey HSD: shares with what the shuffles leave open, and the range of draws of few shuffles."""
    bounds: dict[Collection, dict[str, tuple[float, float]]] = {}

    def shares(one: Collection) -> Values:
        how = {"permutations": data.shuffles, "seed": data.options.seed}
        rows = tb.studies.power(experiment(one), columns(table), "hsd", **how).rows
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
    found = f"{min(drawn):.2f} to {max(drawn):.2f}, as printed in {as_printed} of {len(drawn)} draws"
    return replace(cell, note=f"with {FEW:,} shuffles {found}")


def readings(one: Collection, kept: Mapping[str, Any]) -> dict[str, tb.Experiment]:
    """The same runs read in other ways; `kept` is how the table reads them."""
    levels = {f"grade >= {grade} relevant": {"min_grade": grade, "binary": True} for grade in (1, 2)}
    cuts = {f"rankings cut at {depth:,}": {**kept, "depth": depth} for depth in DEPTHS}
    order = {"score ties by the rank column": {**kept, "ties": "rank"}}
    judged = {"judged items only": {**kept, "judged_only": True}}
    ways = {name: how for name, how in levels.items() if how != kept} | cuts | order | judged
    return {name: one.read(**how) for name, how in ways.items()}


def unpaired(experiment: tb.Experiment, measures: Iterable[str], *, equal_variances: bool) -> dict[str, float]:
    """Percent of pairs that two-sample t-tests tell apart, by SciPy; with Bonferroni's correction."""
    found = {}
    for measure in measures:
        values = experiment.evaluate([measure]).values[..., 0]
        pairs = list(combinations(values, 2))
        with np.errstate(all="ignore"):
            p = [stats.ttest_ind(x, y, equal_var=equal_variances).pvalue for x, y in pairs]
        found[measure] = 100 * float(np.mean(np.array(p) * len(pairs) < LEVEL))
    return found


def one_direction(experiment: tb.Experiment, measures: Iterable[str]) -> dict[str, float]:
    """Percent of pairs in which the run whose name comes first is better, by t-tests with Bonferroni's correction."""
    found = {}
    for measure in measures:
        comparison = experiment.compare(f"diff({measure})")
        test = comparison.test("t", correction="bonferroni")
        names = np.array([name.encode() for name in comparison.runs])
        is_first = names[comparison.pairs.x] < names[comparison.pairs.y]
        found[measure] = 100 * float(np.mean(test.differs & (is_first == (comparison.mean > 0))))
    return found
