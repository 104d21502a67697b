"""Best-case retrieval evaluation: reciprocal rank and lexicographic precision (LP)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import comb

from cells import Cell, Sheet, Status
from data import DEEP, Collection, Data, compared
from script import Figure, Paper, figure, main
from tests_of_pairs import separated, shuffled

import tiebreak as tb
from tiebreak.reports.plots import Drawn

OTHERS = "17 other collections."


def table_1(data: Data) -> Sheet:
    """LP Table 1: how often the later recall levels tell what the first one says."""
    return Sheet(
        "LP Table 1: agreement of the later recall levels with the first, percent",
        compared(data, {"sgnLP": "90.45", "RR_2": "88.87"}, agreement_of_suffix),
        "Grade >= 1 is relevant; a tied prediction does not agree, nor does one of requests with one relevant item.",
        OTHERS,
        34,
    )


def agreement_of_suffix(one: Collection) -> dict[str, float]:
    return {name: 100 * share for name, _, _, share in tb.studies.agreement(one.graded, "suffix").rows}


def table_2(data: Data) -> Sheet:
    """LP Table 2: ties between rankings."""
    return Sheet(
        "LP Table 2: ties between rankings, percent",
        compared(data, {"rrLP, sgnLP": "2.63", "RR": "56.89"}, share_of_ties),
        f"{data.relevance}.",
        OTHERS,
        34,
    )


def share_of_ties(one: Collection) -> dict[str, float]:
    """RrLP and sgnLP tie alike: where lexiprecision does."""
    found = {name: 100 * share for name, _, _, share in tb.studies.ties(one.binary, ["LexiPrecision", "RR"]).rows}
    return {"rrLP, sgnLP": found["LexiPrecision"], "RR": found["RR"]}


def table_3a(data: Data) -> Sheet:
    """LP Table 3a: differences detected by Tukey's HSD."""
    return Sheet(
        "LP Table 3a: differences between runs detected by randomised Tukey HSD, percent",
        shuffled(data, {"rrLP": "16.52", "sgnLP": "18.47", "RR": "13.21"}, lambda one: one.binary),
        f"{data.relevance}; {data.shuffles:,} shuffles, seed 1; p < 0.05.",
        OTHERS,
        51,
    )


def table_3b(data: Data) -> Sheet:
    """LP Table 3b: differences detected by a paired test."""
    cells = compared(data, {"rrLP": "15.02", "sgnLP": "17.42", "RR": "10.36"}, by_paired_tests)
    return Sheet(
        "LP Table 3b: differences between runs detected by a paired test with Bonferroni's correction, percent",
        [with_pairs(cell, data.main) for cell in cells],
        f"{data.relevance}; t-test for rrLP and RR, exact binomial test for sgnLP.",
        OTHERS,
        51,
    )


def by_paired_tests(one: Collection) -> dict[str, float]:
    by_t = separated(one.binary, ["rrLP", "RR"], "t", correction="bonferroni")
    return by_t | separated(one.binary, ["sgnLP"], "sign", correction="bonferroni")


def with_pairs(cell: Cell, one: Collection | None) -> Cell:
    """A share of pairs that differs from the printed one, with how many pairs that are."""
    if one is None or cell.status is not Status.OPEN:
        return cell
    pairs = comb(len(one.binary.runs), 2)
    apart = round(abs(float(cell.computed or 0) - float(cell.printed or 0)) * pairs / 100)
    return replace(cell, note=f"{apart} of {pairs} pairs")


def on_paper(data: Data) -> Iterator[Figure]:
    """LP Figs 1 and 2, which need no data."""
    yield figure(
        "lp-fig1",
        "LP Fig 1, all rankings from worst to best (6 items, 3 relevant)",
        tb.studies.orientation(by="diagram"),
    )
    yield figure("lp-fig2", "LP Fig 2, probability of a tie with a random ranking", tb.studies.orientation(by="first"))


def of_runs(data: Data) -> Iterator[Figure]:
    """LP Figs 3, 5, 6, 7 and 9."""
    for one in data.drawn():
        for name, view, title in (
            ("lp-fig3", "first", "LP Fig 3, ties by the position of the first relevant item"),
            ("lp-fig5", "level", "LP Fig 5, ties by recall level"),
            ("lp-fig6", "decided", "LP Fig 6, recall levels needed to tell runs apart"),
        ):
            yield figure(name, title, tb.studies.ties(one.binary, by=view), one)
    if data.main is not None:
        yield figure(
            "lp-fig7",
            "LP Fig 7, locality of differences in reciprocal rank",
            tb.studies.agreement(data.main.graded, "locality"),
            data.main,
        )
    yield from ties_without_labels(data)


def ties_without_labels(data: Data) -> Iterator[Figure]:
    """LP Fig 9."""
    for one in data.drawn():
        found = tb.studies.ties(one.binary, ["RR", "rrLP"], by="labels", samples=data.samples, jobs=data.jobs)
        yield figure("lp-fig9", "LP Fig 9, ties as labels are removed", found, one)


def agreement_without_data(data: Data) -> Iterator[Figure]:
    """LP Fig 8: agreement with RR on complete data."""
    for one in filter(None, [data.main]):
        for remove, of in (("labels", "preferences"), ("labels", "systems"), ("requests", "systems")):
            yield figure(
                f"lp-fig8-{remove}-{of}",
                f"LP Fig 8, {of} that agree with RR on complete data as {remove} are removed",
                agreement_with_rr(data, one, remove, of),
                one,
            )


def agreement_with_rr(data: Data, one: Collection, remove: str, of: str) -> Drawn:
    return tb.studies.missing(
        one.binary, ["RR", "rrLP", "sgnLP"], remove, of, truth="RR", samples=data.samples, jobs=data.jobs
    )


PAPER = Paper(
    "Best-case retrieval evaluation (lexiprecision)",
    (table_1, table_2, table_3a, table_3b),
    (on_paper, of_runs, agreement_without_data),
    (
        f"Figures are drawn on the collections at hand: of the paper's own only {DEEP}.",
        "LP Fig 8 has a fourth panel, preferences as requests are removed: no preference in one request changes then.",
        "LP Fig 4 is an example, and has nothing to compute.",
    ),
)

if __name__ == "__main__":
    main(PAPER)
