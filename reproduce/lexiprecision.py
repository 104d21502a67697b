"""Best-case retrieval evaluation: reciprocal rank and lexicographic precision (LP)."""

from __future__ import annotations

from collections.abc import Iterator

from cells import Cell, Sheet
from data import DEEP, Collection, Data, compared
from script import Figure, Paper, figure, main
from tests_of_pairs import separated, shuffled

import tiebreak as tb

OTHERS = "17 other collections."
COLUMNS_2 = {"LexiPrecision": "rrLP, sgnLP", "RR": "RR"}


def table_1(data: Data) -> Sheet:
    """LP Table 1: how often the later recall levels tell what the first one says."""
    found = None if data.main is None else tb.studies.agreement(data.main.graded, "suffix").rows
    shares = None if found is None else {prediction: 100 * share for prediction, _, _, share in found}
    return Sheet(
        "LP Table 1: agreement of the later recall levels with the first, percent",
        compared(data, {"sgnLP": "90.45", "RR_2": "88.87"}, shares),
        "Grade >= 1 is relevant; a tied prediction does not agree, nor does one of requests with one relevant item.",
        OTHERS,
        34,
    )


def table_2(data: Data) -> Sheet:
    """LP Table 2: ties between rankings."""
    found = None if data.main is None else tb.studies.ties(data.main.binary, ["LexiPrecision", "RR"]).rows
    shares = None if found is None else {COLUMNS_2[measure]: 100 * share for measure, _, _, share in found}
    return Sheet(
        "LP Table 2: ties between rankings, percent",
        compared(data, {"rrLP, sgnLP": "2.63", "RR": "56.89"}, shares),
        "Grade >= 2 is relevant.",
        OTHERS,
        34,
    )


def table_3a(data: Data) -> Sheet:
    """LP Table 3a: differences detected by Tukey's HSD."""
    printed = {"rrLP": "16.52", "sgnLP": "18.47", "RR": "13.21"}
    return Sheet(
        "LP Table 3a: differences between runs detected by randomised Tukey HSD, percent",
        shuffled(data, printed, None if data.main is None else data.main.binary),
        f"Grade >= 2 is relevant; {data.shuffles:,} shuffles, seed 1; p < 0.05.",
        OTHERS,
        51,
    )


def table_3b(data: Data) -> Sheet:
    """LP Table 3b: differences detected by a paired test."""
    printed = {"rrLP": "15.02", "sgnLP": "17.42", "RR": "10.36"}
    binary = None if data.main is None else data.main.binary
    shares = None
    if binary is not None:
        by_t = separated(binary, ["rrLP", "RR"], "t", correction="bonferroni")
        shares = by_t | separated(binary, ["sgnLP"], "sign", correction="bonferroni")
    return Sheet(
        "LP Table 3b: differences between runs detected by a paired test with Bonferroni's correction, percent",
        [with_pairs(cell, binary) for cell in compared(data, printed, shares)],
        "Grade >= 2 is relevant; t-test for rrLP and RR, exact binomial test for sgnLP.",
        OTHERS,
        51,
    )


def with_pairs(cell: Cell, experiment: tb.Experiment | None) -> Cell:
    """A share of pairs that differs from the printed one, with how many pairs that are."""
    if experiment is None or cell.printed is None or cell.written == cell.printed:
        return cell
    pairs = len(experiment.runs) * (len(experiment.runs) - 1) // 2
    apart = round(abs(float(cell.computed or 0) - float(cell.printed)) * pairs / 100)
    return Cell(cell.where, cell.printed, cell.computed, note=f"{apart} of {pairs} pairs")


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


def agreement_with_rr(data: Data, one: Collection, remove: str, of: str) -> object:
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
