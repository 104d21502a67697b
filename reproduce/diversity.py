"""Towards unified metrics for accuracy and diversity for recommender systems: alpha-beta-nDCG (AB)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cells import Cell, Sheet
from data import MOVIES, Data
from script import Figure, Paper, figure, main

import tiebreak as tb

YES_OR_NO = {True: "yes", False: "no"}
BETAS = (0.1, 0.5, 0.9)
OTHER_DATA = "MovieLens 20M."
FIGURE_2 = {
    # AB 5.2.4, in words: perfectly correlated is 1, "below 1" is "do not have perfect correlation"
    ("bottom to top", "alpha_beta_nDCG@100"): "1",
    ("bottom to top", "NRBP(alpha=0.25, beta=0.9, rel=4)"): "1",
    ("bottom to top", "EU@100"): "1",
    ("bottom to top", "RBU@100"): "1",
    ("bottom to top", "S-Recall@100"): "negative",
    ("bottom to top", "S-RR@100"): "negative",
    ("swapped aspects", "alpha_beta_nDCG@100"): "above NRBP, below 1",
    ("swapped aspects", "EU@100"): "above NRBP, below 1",
    ("swapped aspects", "RBU@100"): "above NRBP, below 1",
}


def table_1(data: Data) -> Sheet:
    """AB Table 1: axioms."""
    found = tb.studies.axioms(lists=100, jobs=data.jobs) if data.quick else tb.studies.axioms(jobs=data.jobs)
    cells = [
        Cell(f"{row.metric}, {row.axiom}", YES_OR_NO[row.printed], YES_OR_NO[row.holds], reason=reason_for(row))
        for row in found.rows
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
    better, worse = (f"{value:.6g}" for value in (row.value_better, row.value_worse))
    return f"{row.better} {better} {row.order} {row.worse} {worse}, interests {row.interests}"


def figure_2_words(data: Data) -> Sheet:
    """What AB says of Fig 2, beside MovieLens latest-small."""
    taus = (
        {} if ideal(data) is None else {(row["perturbation"], row["measure"]): row["tau"] for row in correlation(data)}
    )
    cells = [
        Cell(f"{perturbation}, {measure}", said, taus.get((perturbation, measure)), is_of_other_data=True)
        for (perturbation, measure), said in FIGURE_2.items()
    ]
    setting = "The paper says it in words, of MovieLens 20M. Computed: tau_b on MovieLens latest-small, the same users "
    return Sheet("AB Fig 2: correlation of perturbed systems with their true order", cells, f"{setting}at every step.")


def ideal(data: Data) -> Any:
    """The study of ideal rankings with the films at hand, or None where they are not."""
    return None if (films := data.find(MOVIES)) is None else (films.qrels, films.folder / "item_genres.tsv")


def correlation(data: Data) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tb.studies.ideal(*ideal(data), users="common", jobs=data.jobs).to_dict()
    return found


def of_ideal(data: Data) -> Iterator[Figure]:
    """AB Figs 1 to 4."""
    if (films := ideal(data)) is None:
        return
    at_10 = [f"alpha_beta_nDCG(beta={beta})@10" for beta in BETAS]
    few = {"removals": 2, "systems": 10} if data.quick else {"removals": 10}
    for name, title, how in (
        ("ab-fig1", "AB Fig 1, values by number of swaps", {"experiment": "values", "measures": at_10, "cutoff": 10}),
        ("ab-fig2", "AB Fig 2, order of perturbed systems", {"experiment": "correlation"}),
        ("ab-fig3", "AB Fig 3, p-values of ever worse systems", {"experiment": "significance", "users": "reached"}),
        ("ab-fig4", "AB Fig 4, order of systems as ratings are removed", {"experiment": "robustness", **few}),
    ):
        found = tb.studies.ideal(*films, **{"users": "common", "jobs": data.jobs} | how)
        yield figure(name, title, found, data.find(MOVIES))


PAPER = Paper(
    "Unified metrics for accuracy and diversity (alpha-beta-nDCG)",
    (table_1, figure_2_words),
    (of_ideal,),
    (f"The paper draws its figures of {OTHER_DATA[:-1]}; here they are of MovieLens latest-small.",),
)

if __name__ == "__main__":
    main(PAPER)
