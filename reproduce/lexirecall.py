"""Recall, robustness, and lexicographic evaluation (LR)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import hypot
from typing import Any

from cells import Cell, Sheet, Status
from data import Collection, Data
from rows import sizes_table
from script import Figure, Paper, figure, main
from theory_figures import agreement, region, stochastic

import tiebreak as tb

RECALL = ("LexiRecall", "R@1000", "RP", "AP", "nDCG")
"""The measures of LR 6.1.2."""
AS_DEFINED = "as defined"
PROPERTY_REASONS = {
    ("strictly increasing in swapping up", "LR"): "the proof of theorem B.10 shows it strictly",
    ("boundedness", "TSE"): "bounded for every exposure that was tried; the table speaks of any exposure",
}
READING_REASONS = {
    AS_DEFINED: "theorem B.5 proves it at one recall level; the definition allows swaps at two, which break it",
    "completeness": "a convention: here requests without relevant items have no value",
}
"""Why cells of LR Table 8 differ: single ones, and those of a property."""


PRINTED_PAIRS = 10_000
"""How many pairs the paper drew (LR 4.3)."""
TABLE_2 = {
    # LR Table 2: n, then tied, TSE, R@1000, RP, AP, NDCG, random
    10**3: ("0.012", "1.000", "0.000", "0.285", "0.541", "0.535", "0.492"),
    10**4: ("0.001", "1.000", "0.420", "0.077", "0.552", "0.549", "0.497"),
    10**5: ("0.000", "1.000", "0.179", "0.008", "0.554", "0.555", "0.498"),
    10**6: ("0.000", "1.000", "0.026", "0.001", "0.547", "0.554", "0.499"),
}
TABLE_3 = {
    # LR Table 3, m = 10: TSE, R@1000, RP, AP, LR
    (10**3, 10): ("0.005", "1.000", "0.825", "0.000", "0.000"),
    (10**4, 10): ("0.001", "0.313", "0.980", "0.000", "0.000"),
    (10**5, 10): ("0.000", "0.826", "0.998", "0.000", "0.000"),
    (10**6, 10): ("0.000", "0.980", "1.000", "0.000", "0.000"),
}
TABLE_4 = {
    # LR Table 4, n = 10^6
    (10**6, 1): ("0.000", "0.998", "1.000", "0.000", "0.000"),
    (10**6, 5): ("0.000", "0.990", "1.000", "0.000", "0.000"),
    (10**6, 10): ("0.000", "0.981", "1.000", "0.000", "0.000"),
    (10**6, 25): ("0.000", "0.952", "0.999", "0.000", "0.000"),
    (10**6, 50): ("0.000", "0.907", "0.995", "0.000", "0.000"),
}


def table_2(data: Data) -> Sheet:
    """LR Table 2: agreement with the worst-off user."""
    pairs = 10_000 if data.quick else 100_000
    rows = agreement(pairs, data.jobs).rows()
    columns = list(dict.fromkeys(row[0] for row in rows))
    cells = []
    for measure, n, share, error in rows:
        value = TABLE_2[n][columns.index(measure)]
        cells.append(Cell(f"n = {n:,}, {measure}", value, share, errors=errors_apart(share, error, value)))
    return Sheet(
        "LR Table 2: agreement with the worst case, over random rankings",
        cells,
        f"{pairs:,} pairs of rankings, seed 0; the paper drew 10,000. Ties are computed, not drawn.",
    )


def errors_apart(share: float, error: float, value: str) -> float | None:
    """By how many standard errors two estimates differ: the printed one was drawn too. None where neither has one."""
    together = hypot(error, standard_error(float(value)))
    return (share - float(value)) / together if together else None


def standard_error(share: float) -> float:
    return float((share * (1 - share) / PRINTED_PAIRS) ** 0.5)


def table_3(data: Data) -> Sheet:
    """LR Table 3."""
    return tie_probabilities(
        "Table 3: probability of a tie between random rankings, m = 10", TABLE_3, "Table 4", TABLE_4
    )


def table_4(data: Data) -> Sheet:
    """LR Table 4."""
    title = "Table 4: probability of a tie between random rankings, n = 1,000,000"
    return tie_probabilities(title, TABLE_4, "Table 3", TABLE_3)


Probabilities = dict[tuple[int, int], tuple[str, ...]]


def tie_probabilities(title: str, table: Probabilities, other: str, other_table: Probabilities) -> Sheet:
    """Probabilities by formulas; of a cell that differs, what the other table prints for the same."""
    ns, ms = (dict.fromkeys(size[k] for size in table) for k in (0, 1))
    cells = []
    actual = tb.studies.orientation(view="ties", items=ns, relevant=ms)
    columns = list(dict.fromkeys(row["measure"] for row in actual.records()))
    for row in actual.records():
        size, column = (row["items"], row["relevant"]), columns.index(row["measure"])
        cell = Cell(f"n = {size[0]:,}, m = {size[1]}, {row['measure']}", table[size][column], row["probability"])
        if cell.status is not Status.EXACT:
            twice = other_table[size][column] if size in other_table else None
            cell = replace(cell, note=remark_on_ties(row["probability"], other, twice))
        cells.append(cell)
    return Sheet(f"LR {title}", cells, "By the formulas of appendix E; AP by 10,000 drawn pairs.")


def remark_on_ties(probability: float, other: str, twice: str | None) -> str:
    """What the formula gives, how far a simulation could be from it, and what the other table prints."""
    remark = (
        f"the formula gives {probability:.5f}; 10,000 drawn pairs would have a standard error of "
        f"{standard_error(probability):.4f}"
    )
    return remark if twice is None else f"{remark}; {other} prints {twice} for the same"


def table_5(data: Data) -> Sheet:
    """LR Table 5: sizes of data sets."""
    return sizes_table(data, "LR Table 5: data", "lr-table5")


CONVEX = ("AP", "nDCG", "RBP(p=0.8)", "DCG")
POSITIVE = (*CONVEX, "linear(n=12)")
CLASSES: dict[str, tuple[Any, ...]] = {
    "THRL": (*POSITIVE, "RR", "TSE"),
    "THRL z(i, m) > 0": POSITIVE,
    "TSE": ("TSE", "TSE(nDCG)", "TSE(RBP(p=0.8))", "TSE(linear(n=12))"),
    "LR": ("LexiRecall",),
}
"""Columns of LR Table 8 and members that stand for them: a tick must be true of all, a blank takes one that fails."""
YES, NO, NA, IF_CONVEX, IF_DEFINED = "yes", "no", "NA", "yes if e'' > 0", "yes if z(i, 0) exists"
TABLE_8 = {
    # LR Table 8: THRL, THRL with z(i, m) > 0, TSE, LR
    "increasing in retrieval size": (YES, YES, YES, YES),
    "decreasing in nonrelevance": (YES, YES, YES, YES),
    "strictly decreasing in nonrelevance": (NO, NO, NO, NO),
    "increasing in relevance": (YES, YES, YES, YES),
    "strictly increasing in relevance": (NO, YES, NO, YES),
    "increasing in swapping up": (YES, YES, YES, YES),
    "strictly increasing in swapping up": (NO, YES, NO, NO),
    "concavity in contiguous swap depth": (YES, YES, YES, NA),
    "strict concavity in contiguous swap depth": (NO, IF_CONVEX, NO, NA),
    "suffix invariance": (NO, NO, NO, NO),
    "prefix invariance": (NO, NO, NO, NO),
    "boundedness": (NO, NO, NO, NA),
    "localization": (NO, NO, NO, NA),
    "completeness": (IF_DEFINED, IF_DEFINED, IF_DEFINED, NA),
    "realizability": (NO, NO, NO, NA),
}


def table_8(data: Data) -> Sheet:
    """LR Table 8: properties of classes of measures."""
    members = dict.fromkeys(member for of_class in CLASSES.values() for member in of_class)
    actual = tb.studies.orientation(members, view="properties", jobs=data.jobs)
    by_law: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in actual.records():
        by_law.setdefault(row["law"], {})[row["measure"]] = row
    cells = [
        cell
        for law, rows in by_law.items()
        for k, name in enumerate(CLASSES)
        for cell in class_cells(law, name, TABLE_8[law.removesuffix(f", {AS_DEFINED}")][k], rows)
    ]
    setting = (
        "By trying all rankings of 9 items with up to 3 relevant ones: a violation is a proof, its absence is not. "
        'Concavity is read as theorem B.5 proves it; "as defined" is the other reading, shown where it differs.'
    )
    return Sheet("LR Table 8: properties", cells, setting)


def class_cells(law: str, name: str, tick: str, rows: Mapping[str, Mapping[str, Any]]) -> list[Cell]:
    """A cell of LR Table 8, compared under the condition it is printed with; the second reading where it differs."""
    meant = CONVEX if tick == IF_CONVEX else CLASSES[name]
    violated = next((rows[str(member)] for member in meant if rows[str(member)]["holds"] is False), None)
    is_asked = rows[str(meant[0])]["holds"] is not None
    printed, _, condition = tick.partition(" if ")
    computed = NA if not is_asked else NO if violated else YES
    is_different = computed != printed and tick != IF_DEFINED
    if AS_DEFINED in law and not is_different:
        return []
    where = f"{law}, {name}" + (f" (if {condition})" if condition else "")
    note = f"{violated['measure']} {violated['case']}" if is_different and violated else ""
    return [Cell(where, printed, computed, reason=reason_for(law, name), note=note)]


def reason_for(law: str, measure: str) -> str:
    if (law, measure) in PROPERTY_REASONS:
        return PROPERTY_REASONS[law, measure]
    return next((reason for part, reason in READING_REASONS.items() if part in law), "")


def on_paper(data: Data) -> Iterator[Figure]:
    """LR Figs 5, 7, 8 and 16, which need no data."""
    yield figure("lr-fig5", "LR Fig 5, precision and recall orientation", tb.studies.orientation())
    yield figure("lr-fig7", "LR Fig 7, where the first and the last relevant item can stand", region())
    yield figure("lr-fig16", "LR Fig 16, worst case of optimal rankings, fixed or drawn", stochastic())
    actual = tb.studies.orientation(view="depth", samples=data.samples, jobs=data.jobs)
    yield figure("lr-fig8", "LR Fig 8, ties of random rankings by depth", actual)


def of_runs(data: Data, one: Collection) -> Iterator[Figure]:
    """LR Figs 10, 11 and 14."""
    agreeing = tb.studies.agreement(one.binary, "preference", jobs=data.jobs)
    yield figure("lr-fig10", "LR Fig 10, agreement of preferences", agreeing, one)
    yield figure("lr-fig11", "LR Fig 11, ties by measure", tb.studies.ties(one.binary, RECALL), one)
    actual = tb.studies.ties(one.binary, RECALL, view="labels", samples=data.samples, jobs=data.jobs)
    yield figure("lr-fig14", "LR Fig 14, ties as labels are removed", actual, one)


def of_tests(data: Data, one: Collection) -> Iterator[Figure]:
    """LR Figs 12 and 13: what tests tell apart."""
    paired = tb.studies.power(one.binary, RECALL, correction=data.options.correction or "holm")
    yield figure("lr-fig12", "LR Fig 12, corrected p-values of all pairs, paired tests", paired, one)
    how = {"permutations": max(data.shuffles // 10, 1), "seed": data.options.seed}
    shuffled = tb.studies.power(one.binary, RECALL, "hsd", **how)
    yield figure("lr-fig13", "LR Fig 13, p-values of all pairs, randomised Tukey HSD", shuffled, one)


def without_labels(data: Data, one: Collection) -> Iterator[Figure]:
    """LR Fig 15: preferences as labels are removed."""
    actual = tb.studies.missing(one.binary, RECALL, "labels", "preferences", samples=data.samples, jobs=data.jobs)
    yield figure("lr-fig15", "LR Fig 15, preferences that stay as labels are removed", actual, one)


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
