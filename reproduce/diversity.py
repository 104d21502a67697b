"""Towards unified metrics for accuracy and diversity for recommender systems: alpha-beta-nDCG (AB)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from cells import Cell, Sheet
from data import MOVIES, Data
from script import Figure, Paper, figure, main

import tiebreak as tb

YES_OR_NO = {True: "yes", False: "no"}
BETAS = (0.1, 0.5, 0.9)
PAPERS_DATA, DATA_HERE = "MovieLens 20M", "MovieLens latest-small"
FIGURE_2 = {
    # AB 5.2.4, in words: "perfectly correlated", "negatively correlated", "more poorly", "behaves worse"
    ("bottom to top", "alpha_beta_nDCG"): "1",
    ("bottom to top", "NRBP"): "1",
    ("bottom to top", "EU"): "1",
    ("bottom to top", "RBU"): "1",
    ("bottom to top", "S-Recall"): "negative",
    ("bottom to top", "S-RR"): "negative",
    ("redundant aspect", "EU"): "below 1",
    ("redundant aspect", "RBU"): "below 1",
    ("swapped aspects", "NRBP"): "below the others",
}


def table_1(data: Data) -> Sheet:
    """AB Table 1: axioms."""
    found = tb.studies.axioms(lists=100, jobs=data.jobs) if data.quick else tb.studies.axioms(jobs=data.jobs)
    rows: Iterable[Any] = found.rows
    cells = [
        Cell(f"{row.metric}, {row.axiom}", YES_OR_NO[row.printed], YES_OR_NO[row.holds], reason=reason_for(row))
        for row in rows
        if row.printed is not None
    ]
    setting = "By search: a counterexample is a proof, its absence is not. Rankings are written rating:aspects."
    return Sheet("AB Table 1: axioms", cells, setting)


def reason_for(row: Any) -> str:
    """A counterexample; or that none was found where the paper says the axiom fails."""
    if row.agrees:
        return ""
    if row.order is None:
        return f"none of {row.searched:,} pairs of rankings breaks it"
    better, worse = told_apart(row.value_better, row.value_worse)
    return f"{row.better} {better} {row.order} {row.worse} {worse}, interests {row.interests}"


def told_apart(one: float, other: float) -> tuple[str, str]:
    """Both numbers, with as many digits as it takes to see that they differ."""
    written = [(f"{one:.{digits}f}", f"{other:.{digits}f}") for digits in range(4, 17)]
    return next((pair for pair in written if pair[0] != pair[1]), written[0])


def figure_2_words(data: Data) -> Sheet:
    """What AB says of Fig 2, beside the films at hand."""
    films = ratings_and_genres(data)
    taus = {} if films is None else correlations(tb.studies.ideal(*films, jobs=data.jobs))
    cells = [
        Cell(f"{perturbation}, {measure}", said, taus.get((perturbation, measure)), is_of_other_data=True)
        for (perturbation, measure), said in FIGURE_2.items()
    ]
    setting = f"Printed: in words, of {PAPERS_DATA}. Computed: tau_b on {DATA_HERE}, the same users at every step."
    return Sheet("AB Fig 2: order of perturbed systems beside the true one", cells, setting)


def correlations(found: Any) -> dict[tuple[str, str], str]:
    """tau_b by perturbation and measure, without the measure's parameters."""
    rows = found.to_dict()
    return {
        (row["perturbation"], re.split(r"[(@]", row["measure"])[0]): "-" if row["tau"] is None else f"{row['tau']:.3f}"
        for row in rows
    }


def ratings_and_genres(data: Data) -> tuple[Path, Path] | None:
    """The films at hand, if any."""
    films = data.find(MOVIES)
    return None if films is None else (films.qrels, films.folder / "item_genres.tsv")


def of_ideal(data: Data) -> Iterator[Figure]:
    """AB Figs 1 to 4."""
    if (films := ratings_and_genres(data)) is None:
        return
    at_10 = [f"alpha_beta_nDCG(beta={beta})@10" for beta in BETAS]
    few = {"removals": 2, "systems": 10} if data.quick else {}
    for name, title, how in (
        ("ab-fig1", "AB Fig 1, values by number of swaps", {"experiment": "values", "measures": at_10, "cutoff": 10}),
        ("ab-fig2", "AB Fig 2, order of perturbed systems", {"experiment": "correlation"}),
        ("ab-fig3", "AB Fig 3, p-values of ever worse systems", {"experiment": "significance"}),
        ("ab-fig4", "AB Fig 4, order of systems as ratings are removed", {"experiment": "robustness", **few}),
    ):
        yield figure(name, title, tb.studies.ideal(*films, jobs=data.jobs, **how), data.find(MOVIES))


PAPER = Paper(
    "Unified metrics for accuracy and diversity (alpha-beta-nDCG)",
    (table_1, figure_2_words),
    (of_ideal,),
    (
        f"The paper draws its figures of {PAPERS_DATA}; here they are of {DATA_HERE}, with the same users at every "
        "point. docs/ideal.md holds its words against what is found.",
    ),
)

if __name__ == "__main__":
    main(PAPER)
