"""Towards unified metrics for accuracy and diversity for recommender systems: alpha-beta-nDCG (AB)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from cells import Cell, Sheet
from data import Collection, Data
from rows import Failure, attempt
from script import Figure, Paper, figure, main

import tiebreak as tb

YES_OR_NO = {True: "yes", False: "no"}
BETAS = (0.1, 0.5, 0.9)
PAPERS_DATA, PAPERS_FOLDER = "MovieLens 20M", "ml-20m"
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


TABLE_1 = {
    # AB Table 1: y for an axiom that holds
    "alpha_nDCG": "yyyyynnn",
    "S-Recall": "nnnnnnnn",
    "S-RR": "nnnnnnnn",
    "NRBP": "yyyyynnn",
    "EU": "yyyyyyyn",
    "RBU": "yyyyyyyn",
    "alpha_beta_nDCG": "yyyyyyyy",
}
AXIOMS = ("Pri", "Deep", "NonPriSatAsp", "TopHeav", "TopHeavComp", "AspRel", "MoreAsp", "MissOverNon")


def table_1(data: Data) -> Sheet:
    """AB Table 1: axioms."""
    actual = tb.studies.axioms(lists=100, jobs=data.jobs) if data.quick else tb.studies.axioms(jobs=data.jobs)
    cells = []
    for row in actual.records():
        if row["law"] in AXIOMS:
            is_printed = TABLE_1[row["measure"].partition("(")[0]][AXIOMS.index(row["law"])] == "y"
            reason = "" if row["holds"] == is_printed else reason_for(row)
            where = f"{row['measure']}, {row['law']}"
            cells.append(Cell(where, YES_OR_NO[is_printed], YES_OR_NO[row["holds"]], reason=reason))
    setting = "By search: a counterexample is a proof, its absence is not. Rankings are written rating:aspects."
    return Sheet("AB Table 1: axioms", cells, setting)


def reason_for(row: Mapping[str, Any]) -> str:
    """A counterexample; or that none was found where the paper says the axiom fails."""
    if row["order"] is None:
        return f"none of {row['tried']:,} pairs of rankings breaks it"
    better, worse = told_apart(row["value_better"], row["value_worse"])
    return f"{row['better']} {better} {row['order']} {row['worse']} {worse}, interests {row['interests']}"


def told_apart(one: float, other: float) -> tuple[str, str]:
    """Both numbers, with as many digits as it takes to see that they differ."""
    written = [(f"{one:.{digits}f}", f"{other:.{digits}f}") for digits in range(4, 17)]
    return next((pair for pair in written if pair[0] != pair[1]), written[0])


def figure_2_words(data: Data) -> Sheet:
    """What AB says of Fig 2, beside the collections at hand that have genres."""
    cells = [cell for one in with_genres(data) for cell in beside_words(data, one)]
    setting = f"Printed: in words, of {PAPERS_DATA}. Computed: tau_b, the same users at every step."
    title = "AB Fig 2: order of perturbed systems beside the true one"
    return Sheet(title, cells, setting) if cells else Sheet(title, (), setting, f"{PAPERS_DATA}.", len(FIGURE_2))


def with_genres(data: Data) -> list[Collection]:
    return [one for one in data.collections if one.genres is not None]


def beside_words(data: Data, one: Collection) -> list[Cell]:
    """What the words say of one collection, and whether it is so."""
    actual = attempt(lambda of: correlations(tb.studies.ideal(of.qrels, of.genres, jobs=data.jobs)), one)
    if isinstance(actual, Failure):
        return [
            Cell(f"{one.track.printed_as}, {', '.join(key)}", FIGURE_2[key], None, failure=actual) for key in FIGURE_2
        ]
    other = "" if one.track.key == PAPERS_FOLDER else f"{one.track.printed_as} here, {PAPERS_DATA} in the paper"
    return [
        Cell(
            f"{one.track.printed_as}, {', '.join(key)}",
            words,
            words if is_so(key, words, actual) else tau_in_words(actual[key]),
            other_data=other,
            note="" if actual[key] is None else f"tau_b {actual[key]:.3f}",
        )
        for key, words in FIGURE_2.items()
    ]


def is_so(key: tuple[str, str], words: str, actual: Mapping[tuple[str, str], float | None]) -> bool:
    """Whether a correlation is what the paper says of it in words."""
    tau = actual[key]
    if tau is None:
        return False
    if words == "1":
        return round(tau, 3) == 1
    if words == "negative":
        return tau < 0
    if words == "below 1":
        return round(tau, 3) < 1
    others = [other for (perturbation, _), other in actual.items() if perturbation == key[0] and other is not None]
    return tau <= min(others)


def tau_in_words(tau: float | None) -> str:
    return "all tied" if tau is None else f"{tau:.3f}"


def correlations(actual: Any) -> dict[tuple[str, str], float | None]:
    """tau_b by perturbation and measure, without the measure's parameters."""
    return {(row["perturbation"], re.split(r"[(@]", row["measure"])[0]): row["tau"] for row in actual.records()}


def of_ideal(data: Data, one: Collection) -> Iterator[Figure]:
    """AB Figs 1 to 4."""
    if one.genres is None:
        return
    at_10 = [f"alpha_beta_nDCG(beta={beta})@10" for beta in BETAS]
    few = {"removals": 2, "systems": 10} if data.quick else {}
    for name, title, how in (
        ("ab-fig1", "AB Fig 1, values by number of swaps", {"view": "values", "measures": at_10, "cutoff": 10}),
        ("ab-fig2", "AB Fig 2, order of perturbed systems", {"view": "correlation"}),
        ("ab-fig3", "AB Fig 3, p-values of ever worse systems", {"view": "significance"}),
        ("ab-fig4", "AB Fig 4, order of systems as ratings are removed", {"view": "robustness", **few}),
    ):
        yield figure(name, title, tb.studies.ideal(one.qrels, one.genres, jobs=data.jobs, **how), one)


PAPER = Paper(
    "Unified metrics for accuracy and diversity (alpha-beta-nDCG)",
    (table_1, figure_2_words),
    (),
    (of_ideal,),
    (
        f"The paper draws its figures of {PAPERS_DATA}; here they are of the collections at hand that have genres, "
        "with the same users at every point. docs/ideal.md holds its words against what is found.",
        "Users' interests are taken from the ratings that are evaluated, as in the paper; the figures of docs/ideal.md "
        "take them from training ratings, so that its numbers differ. In Fig 4 a system is one permutation of ranks, "
        "shared by all users; the paper does not say.",
    ),
)

if __name__ == "__main__":
    main(PAPER)
