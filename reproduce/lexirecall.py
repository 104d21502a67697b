"""Recall, robustness, and lexicographic evaluation (LR)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from cells import Cell, Sheet
from data import Collection, Data
from random_rankings import random_ties
from rows import sizes_table
from script import Figure, Paper, figure, main

import tiebreak as tb

RECALL = ("LexiRecall", "R@1000", "RP", "AP", "nDCG")
"""The measures of LR 6.1.2."""
AS_DEFINED = "as defined"
FOUND = {"holds": "yes", "violated": "no", "NA": "NA"}
PROPERTY_REASONS = {
    ("strictly increasing in swapping up", "LR"): "the proof of theorem B.10 shows it strictly",
    ("boundedness", "TSE"): "bounded for every exposure that was tried; the table speaks of any exposure",
}
READING_REASONS = {
    AS_DEFINED: "theorem B.5 proves it at one recall level; the definition allows swaps at two, which break it",
    "completeness": "a convention: here requests without relevant items have no value",
}
"""Why cells of LR Table 8 differ: single ones, and those of a property."""


def table_2(data: Data) -> Sheet:
    """LR Table 2: agreement with the worst-off user."""
    pairs = 10_000 if data.quick else 100_000
    rows: Iterable[Any] = tb.studies.orientation(by="agreement", pairs=pairs, jobs=data.jobs).rows
    return Sheet(
        "LR Table 2: agreement with the worst case, over random rankings",
        [Cell(f"n = {row.items:,}, {row.measure}", row.printed, row.share, errors=row.apart) for row in rows],
        f"{pairs:,} pairs of rankings, seed 0; the paper drew 10,000. Ties are computed, not drawn.",
    )


def table_3(data: Data) -> Sheet:
    """LR Table 3."""
    return tie_probabilities("Table 3", "m = 10")


def table_4(data: Data) -> Sheet:
    """LR Table 4."""
    return tie_probabilities("Table 4", "n = 1,000,000")


def tie_probabilities(table: str, fixed: str) -> Sheet:
    rows: Iterable[Any] = tb.studies.orientation(by="ties").rows
    printed = {(row.table, row.items, row.relevant, row.measure): row.printed for row in rows}
    other = "Table 4" if table == "Table 3" else "Table 3"
    cells = []
    for row in rows:
        if row.table == table:
            where = f"n = {row.items:,}, m = {row.relevant}, {row.measure}"
            twice = printed.get((other, row.items, row.relevant, row.measure))
            note = "" if row.status == "exact" else remark_on_ties(row.probability, other, twice)
            cells.append(Cell(where, row.printed, row.probability, note=note))
    setting = "By the formulas of appendix E; AP by 10,000 drawn pairs."
    return Sheet(f"LR {table}: probability of a tie between random rankings, {fixed}", cells, setting)


def remark_on_ties(probability: float, other: str, twice: str | None) -> str:
    """What the formula gives, how far a simulation could be from it, and what the other table prints."""
    error = (probability * (1 - probability) / 10_000) ** 0.5
    said = f"the formula gives {probability:.5f}; 10,000 drawn pairs would have a standard error of {error:.4f}"
    return said if twice is None else f"{said}; {other} prints {twice} for the same"


def table_5(data: Data) -> Sheet:
    """LR Table 5: sizes of data sets."""
    return sizes_table(data, "LR Table 5: data", "lr-table5")


def table_8(data: Data) -> Sheet:
    """LR Table 8: properties of classes of measures."""
    rows: Iterable[Any] = tb.studies.orientation(by="properties").rows
    setting = (
        "By trying all rankings of 9 items with up to 3 relevant ones: a violation is a proof, its absence is not. "
        'Concavity is read as theorem B.5 proves it; "as defined" is the other reading, shown where it differs.'
    )
    shown = [row for row in rows if AS_DEFINED not in row.property or row.status == "different"]
    return Sheet("LR Table 8: properties", [property_cell(row) for row in shown], setting)


def property_cell(row: Any) -> Cell:
    """A cell of LR Table 8; what is printed under a condition is compared under it."""
    printed, _, condition = row.printed.partition(" if ")
    where = f"{row.property}, {row.measure}" + (f" (if {condition})" if condition else "")
    case = row.case if row.status == "different" else None
    return Cell(where, printed, FOUND[row.found], reason=reason_for(row.property, row.measure), note=case or "")


def reason_for(law: str, measure: str) -> str:
    if (law, measure) in PROPERTY_REASONS:
        return PROPERTY_REASONS[law, measure]
    return next((reason for part, reason in READING_REASONS.items() if part in law), "")


def on_paper(data: Data) -> Iterator[Figure]:
    """LR Figs 5, 7, 8 and 16, which need no data."""
    for name, view, title in (
        ("lr-fig5", "orientation", "LR Fig 5, precision and recall orientation"),
        ("lr-fig7", "region", "LR Fig 7, where the first and the last relevant item can stand"),
        ("lr-fig16", "stochastic", "LR Fig 16, worst case of optimal rankings, fixed or drawn"),
    ):
        yield figure(name, title, tb.studies.orientation(by=view))
    found = random_ties(samples=data.samples, jobs=data.jobs)
    yield figure("lr-fig8", "LR Fig 8, ties of random rankings by depth", found)


def of_runs(data: Data, one: Collection) -> Iterator[Figure]:
    """LR Figs 10, 11 and 14."""
    agreeing = tb.studies.agreement(one.binary, "preference", jobs=data.jobs)
    yield figure("lr-fig10", "LR Fig 10, agreement of preferences", agreeing, one)
    yield figure("lr-fig11", "LR Fig 11, ties by measure", tb.studies.ties(one.binary, RECALL), one)
    found = tb.studies.ties(one.binary, RECALL, view="labels", samples=data.samples, jobs=data.jobs)
    yield figure("lr-fig14", "LR Fig 14, ties as labels are removed", found, one)


def of_tests(data: Data, one: Collection) -> Iterator[Figure]:
    """LR Figs 12 and 13: what tests tell apart."""
    paired = tb.studies.power(one.binary, RECALL, correction=data.options.correction or "holm")
    yield figure("lr-fig12", "LR Fig 12, corrected p-values of all pairs, paired tests", paired, one)
    how = {"permutations": max(data.shuffles // 10, 1), "seed": data.options.seed}
    shuffled = tb.studies.power(one.binary, RECALL, "hsd", **how)
    yield figure("lr-fig13", "LR Fig 13, p-values of all pairs, randomised Tukey HSD", shuffled, one)


def without_labels(data: Data, one: Collection) -> Iterator[Figure]:
    """LR Fig 15: preferences as labels are removed."""
    found = tb.studies.missing(one.binary, RECALL, "labels", "preferences", samples=data.samples, jobs=data.jobs)
    yield figure("lr-fig15", "LR Fig 15, preferences that stay as labels are removed", found, one)


PAPER = Paper(
    "Recall, robustness, and lexicographic evaluation (lexirecall)",
    (table_2, table_3, table_4, table_5, table_8),
    (on_paper,),
    (of_runs, of_tests, without_labels),
    (
        "The paper prints no numbers for Figs 10 to 15, which are over 36 collections by depth; here they are drawn "
        "for each collection at hand.",
        "Figs 12 and 13: the share of pairs below 0.05 is what the paper draws, said under each picture.",
        "Figs 1 to 4, 6, 9 and 17 to 19 are sketches or count papers; Tables 1, 6 and 7 are lists.",
    ),
)

if __name__ == "__main__":
    main(PAPER)
