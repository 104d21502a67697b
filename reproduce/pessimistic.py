"""Pessimistic evaluation (PE)."""

from __future__ import annotations

from collections.abc import Iterator

from cells import Cell, Sheet
from data import Collection, Data, compared
from script import Figure, Paper, figure, main

import tiebreak as tb

PARTS = ("tau_b", "tied")
YES_OR_NO = {True: "yes", False: "no"}
TABLE_2 = {
    # PE Table 2, deep-pass (2019): tau_b with leximin, and tied systems
    "lmin": ("1.000", "0"),
    "min": ("0.549", "31"),
    "gavg": ("0.628", "0"),
    "s@10": ("0.563", "35"),
    "auc4": ("0.532", "0"),
    "avg": ("0.580", "0"),
    "lmax": ("0.517", "0"),
}
TABLE_3_MEASURES = ("RP", "AP", "nDCG", "nDCG@100", "P@100", "nDCG@10", "P@10", "RR")
POPULATIONS = {"lmin": "leximin", "min": "min", "gavg": "gmean", "auc4": "auc4", "avg": "mean", "lmax": "leximax"}


def table_1(data: Data) -> Sheet:
    """PE Table 1: properties of populations."""
    found = tb.studies.paper_table(pairs=30 if data.quick else 250)
    cells = [
        Cell(
            f"{method}, {short}", YES_OR_NO[printed], YES_OR_NO[holds], note=f"x = {x}, y = {y}: {verdict}" if x else ""
        )
        for method, short, printed, holds, x, y, verdict, _ in found.rows
    ]
    setting = (
        f"{found.summary} By search: a violation is a proof, its absence is not. PP: Pareto; AU: average utility; "
    )
    footnotes = " ".join(f"Not in the table: {note}" for note in found.footnotes)
    return Sheet("PE Table 1: properties", cells, f"{setting}DP: difference principle. {footnotes}")


def table_2(data: Data) -> Sheet:
    """PE Table 2: correlation with leximin, and ties."""
    printed = {f"{name}, {what}": cell for name, row in TABLE_2.items() for what, cell in zip(PARTS, row, strict=True)}
    cells = compared(data, printed, beside_leximin)
    setting = f"{data.relevance}; AP. tau_b with leximin, and the number of systems tied with another."
    return Sheet("PE Table 2: other populations beside leximin", cells, setting, "26 other collections.", 364)


def beside_leximin(one: Collection) -> dict[str, float]:
    """tau_b and ties of every column of PE Table 2."""
    experiment = one.binary
    asked = {name: POPULATIONS.get(name) or experiment.order("s@10") for name in TABLE_2}
    rows = tb.studies.validity(experiment.utilities("AP"), populations=list(asked.values())).rows
    found: dict[str, float] = {}
    for name, (_, tau, tied) in zip(asked, rows, strict=True):
        found |= {f"{name}, tau_b": tau, f"{name}, tied": float(tied)}
    return found


def table_3(data: Data) -> Sheet:
    """PE Table 3 is of another collection; a figure shows the same of those at hand."""
    return Sheet("PE Table 3: by measure", elsewhere="all, robust (2004).", n_elsewhere=112)


def table_4(data: Data) -> Sheet:
    """PE Table 4: sizes of data sets."""
    printed = {"requests": "43", "runs": "37", "rel/request": "95.40", "docs/request": "892.51"}
    cells = compared(data, printed, Collection.sizes)
    return Sheet("PE Table 4: data", cells, "Grade >= 1 is relevant.", "26 other collections.", 104)


def by_measure(data: Data) -> Iterator[Figure]:
    """What PE Table 3 prints, for the collection at hand."""
    for one in filter(None, [data.main]):
        utilities = [one.binary.utilities(measure) for measure in TABLE_3_MEASURES]
        found = tb.studies.validity(utilities, "discriminant")
        yield figure("pe-table3", "PE Table 3, tau_b with leximin by measure", found, one)


def of_runs(data: Data) -> Iterator[Figure]:
    """PE Figs 1 to 3."""
    for one in data.drawn():
        utilities = one.binary.utilities("AP")
        for name, view, title in (
            ("pe-fig1", "movement", "PE Fig 1, ranks by the mean and by leximin"),
            ("pe-fig2", "smoothing", "PE Fig 2, smoothed leximin by lag"),
            ("pe-fig3a", "thresholding", "PE Fig 3a, leximin and the mean with values below a threshold at 0"),
            ("pe-fig3b", "truncation", "PE Fig 3b, leximin and the mean with fewer digits"),
        ):
            yield figure(name, title, tb.studies.validity(utilities, view), one)


PAPER = Paper(
    "Pessimistic evaluation (leximin)",
    (table_1, table_2, table_3, table_4),
    (by_measure, of_runs),
    (
        "The paper draws its figures of three TREC tracks (Fig 1) and of robust (2004); here they are of the "
        "collections at hand.",
    ),
)

if __name__ == "__main__":
    main(PAPER)
