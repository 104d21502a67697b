"""Pessimistic evaluation (PE)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import isnan
from typing import Any

from cells import Cell, Grid, Sheet
from data import Collection, Data
from rows import Rows, Values, attempt, over_collections, row_of, side_by_side, sizes_table, with_settings_tried
from script import Figure, Paper, figure, main
from tests_of_pairs import readings
from tracks import columns, printed

import tiebreak as tb
from tiebreak.studies._properties import FROM_0_TO_1

YES_OR_NO = {True: "yes", False: "no"}
COLUMNS = ("lmin", "min", "gavg", "s@10", "auc4", "avg", "lmax")
"""Of PE Tables 2 and 3: tau_b with leximin, and tied systems."""
ROBUST = "robust"
"""Of which PE Table 3 is printed."""
SHIFT = 1e-5
POPULATIONS = {"lmin": "leximin", "min": "min", "gavg": "gmean", "auc4": "auc4", "avg": "mean", "lmax": "leximax"}


TABLE_1 = {
    # PE Table 1: PP, AU, DP; y for a tick
    "min": "nny",
    "lmin": "yny",
    "avg": "yyn",
    "gavg": "ynn",
    "s@10": "nnn",
    "auc4": "nnn",
    "gain": "yyn",
    "gini": "nnn",
}
FLOOR = Fraction("1e-5")
FROM_FLOOR = tuple(max(FLOOR, value) for value in FROM_0_TO_1)
ONE_RELEVANT = tuple(Fraction(1, p) for p in range(1, 21))
"""AP of one relevant item at position p."""


def success_at_ten(x: Sequence[Fraction]) -> Fraction:
    """The share of requests with their one relevant item within ten positions (PE eq 8)."""
    return Fraction(sum(u >= Fraction(1, 10) for u in x), len(x))


def plain_gain(x: Sequence[Fraction], y: Sequence[Fraction]) -> Fraction:
    """T itself with alpha = 1, not its symmetric form: losses count twice."""
    gains = [of_x - of_y for of_x, of_y in zip(x, y, strict=True)]
    return sum((gain if gain > 0 else 2 * gain for gain in gains), Fraction(0))


def table_1(data: Data) -> Sheet:
    """PE Table 1: properties of populations."""
    how: dict[str, dict[str, Any]] = {
        "gavg": {"utilities": FROM_FLOOR},
        "s@10": {"methods": success_at_ten, "utilities": ONE_RELEVANT},
    }
    cells = []
    for method, ticks in TABLE_1.items():
        for printed_tick, row in zip(ticks, laws(data, **({"methods": method} | how.get(method, {}))), strict=True):
            note = f"x = {row['x']}, y = {row['y']}: {row['verdict']}" if row["x"] else ""
            cells.append(
                Cell(f"{method}, {row['law']}", YES_OR_NO[printed_tick == "y"], YES_OR_NO[row["holds"]], note=note)
            )
    equal = sum(cell.printed == cell.computed for cell in cells)
    setting = (
        f"{equal} of {len(cells)} cells are as printed. By search: a violation is a proof, its absence is not. "
        f"PP: Pareto; AU: average utility; DP: difference principle. {footnotes(data)}"
    )
    return Sheet("PE Table 1: properties", cells, setting)


def laws(data: Data, **how: Any) -> list[Mapping[str, Any]]:
    """What was found of each law."""
    return list(tb.studies.properties(**how, pairs=30 if data.quick else 250).records())


def footnotes(data: Data) -> str:
    """Where a tick or a cross of PE Table 1 depends on the utilities, or on the form of the method."""
    cases: tuple[tuple[str, tuple[str, ...], dict[str, Any]], ...] = (
        ("gavg with utilities below its floor", ("PP",), {"methods": "gavg"}),
        ("T itself, alpha = 1, in place of the symmetric form", ("AU",), {"methods": plain_gain}),
        ("s@10 on its own utility, 0 or 1", ("PP", "AU", "DP"), {"methods": "s@10", "utilities": (0, 1)}),
    )
    notes = []
    for claim, names, how in cases:
        actual = (law_words(row) for row in laws(data, **how) if row["law"] in names)
        notes.append(f"Not in the table: {claim}: {'; '.join(actual)}.")
    return " ".join(notes)


def law_words(row: Mapping[str, Any]) -> str:
    if row["holds"]:
        return f"{row['law']} holds on {row['tried']:,} pairs"
    return f"{row['law']} fails: x = {row['x']}, y = {row['y']}, {row['verdict']}"


def table_2(data: Data) -> Sheet:
    """PE Table 2: correlation with leximin, and ties."""
    setting = f"{data.relevance}; AP. tau_b with leximin, and the number of systems tied with another."
    title = "PE Table 2: other populations beside leximin"
    sheet = over_collections(data, title, "pe-table2", lambda one: beside_leximin(one.binary, "AP"), setting)
    return with_settings_tried(sheet, data, "pe-table2", other_utilities)


def beside_leximin(experiment: tb.Experiment, measure: str, **others: str) -> dict[str, float | str]:
    """tau_b and ties of every column of PE Tables 2 and 3, some of them by other populations."""
    return columns_of(experiment, experiment.utilities(measure), **others)


def columns_of(experiment: tb.Experiment, utilities: tb.Utilities, **others: str) -> dict[str, float | str]:
    """Success at ten is of the runs, whatever the utility is; a dash where all systems tie."""
    asked = {name: (POPULATIONS | others).get(name) or experiment.order("s@10") for name in COLUMNS}
    rows = tb.studies.validity(utilities, populations=list(asked.values())).rows()
    actual: dict[str, float | str] = {}
    for name, (_, tau, tied) in zip(asked, rows, strict=True):
        actual |= {f"{name}, tau_b": "-" if tau is None or isnan(tau) else tau, f"{name}, tied": float(tied)}
    return actual


def other_utilities(one: Collection) -> dict[str, Values]:
    """PE Table 2 with runs read in other ways, with trec_eval's four digits, and with another geometric mean."""
    actual: dict[str, Values] = {
        "AP with 4 digits, as trec_eval prints it": changed(one.binary, lambda value: round(value, 4)),
        f"AP + {SHIFT:g} in place of the floor {SHIFT:g} of gavg": beside_leximin(
            one.binary, "AP", gavg=f"gmean(shift={SHIFT})"
        ),
    }
    ways = readings(one, {"min_grade": one.min_grade, "binary": True})
    return actual | {name: beside_leximin(result, "AP") for name, result in ways.items()}


def changed(experiment: tb.Experiment, change: Callable[[float], float]) -> dict[str, float | str]:
    """The columns of PE Table 2 with changed values of AP."""
    table = experiment.utilities("AP").table
    rows = zip(table.runs, table.values.tolist(), strict=True)
    values = {run: dict(zip(table.requests, map(change, row), strict=True)) for run, row in rows}
    return columns_of(experiment, tb.Utilities(values))


def table_3(data: Data) -> Sheet:
    """PE Table 3, of one collection by measure; here of every one at hand."""
    rows = printed("pe-table3")
    cells, grids = [], []
    for one in data.collections:
        of_one = measure_cells(one, rows if one.track.key == ROBUST else {})
        cells += of_one
        grids.append(Grid(f"Computed (printed), {one.track.printed_as}:", measure_rows(of_one)))
    is_here = any(one.track.key == ROBUST for one in data.collections)
    missing = 0 if is_here else sum(map(len, rows.values()))
    setting = f"{data.relevance}. tau_b with leximin of the same measure, and the number of tied systems."
    return Sheet("PE Table 3: by measure", cells, setting, "robust (2004)." * bool(missing), missing, grids)


def measure_cells(one: Collection, rows: Rows) -> list[Cell]:
    """All measures of one collection."""
    return [
        replace(cell, where=f"{one.track.printed_as}, {measure}{cell.where.removeprefix(one.track.printed_as)}")
        for measure in printed("pe-table3")
        for cell in row_of(
            one,
            attempt(lambda of, measure=measure: beside_leximin(of.binary, measure), one),
            rows.get(measure, {}),
            "pe-table3",
        )
    ]


def measure_rows(cells: list[Cell]) -> list[tuple[str, ...]]:
    names, measures = columns("pe-table3"), list(printed("pe-table3"))
    width = len(names)
    rows = [(measure, *map(side_by_side, cells[k * width : (k + 1) * width])) for k, measure in enumerate(measures)]
    return [("measure", *names), *rows]


def table_4(data: Data) -> Sheet:
    """PE Table 4: sizes of data sets."""
    return sizes_table(data, "PE Table 4: data", "pe-table4")


def by_measure(data: Data, one: Collection) -> Iterator[Figure]:
    """What PE Table 3 prints, drawn."""
    utilities = [one.binary.utilities(measure) for measure in printed("pe-table3")]
    actual = tb.studies.validity(utilities, "discriminant")
    yield figure("pe-table3", "PE Table 3, tau_b with leximin by measure", actual, one)


def of_runs(data: Data, one: Collection) -> Iterator[Figure]:
    """PE Figs 1 to 3."""
    utilities = one.binary.utilities("AP")
    for name, view, title in (
        ("pe-fig1", "movement", "PE Fig 1, ranks by the mean and by leximin"),
        ("pe-fig2", "smoothing", "PE Fig 2, smoothed leximin by lag"),
        ("pe-fig3a", "threshold", "PE Fig 3a, leximin and the mean with values below a threshold at 0"),
        ("pe-fig3b", "truncation", "PE Fig 3b, leximin and the mean with fewer significant digits"),
    ):
        yield figure(name, title, tb.studies.validity(utilities, view), one)


PAPER = Paper(
    "Pessimistic evaluation (leximin)",
    (table_1, table_2, table_3, table_4),
    (),
    (by_measure, of_runs),
    (
        "The paper draws its figures of three TREC tracks (Fig 1) and of robust (2004); here they are of the "
        "collections at hand.",
    ),
)

if __name__ == "__main__":
    main(PAPER)
