"""Best-case retrieval evaluation: reciprocal rank and lexicographic precision (LP)."""

from __future__ import annotations

from collections.abc import Iterator

from cells import Sheet
from data import Collection, Data
from level_ties import deciding_levels, ties_by_first_position
from recall_levels import locality, suffix
from rows import Values, over_collections, with_settings_tried
from script import Figure, Paper, figure, main
from tests_of_pairs import CORRECTIONS, factors, paired_p, readings, separated, shuffled
from theory_figures import diagram, first_positions
from tracks import printed

import tiebreak as tb
from tiebreak.studies.base import Findings

MEASURES = ("rrLP", "sgnLP", "RR")
CORRECTION = "bonferroni"
"""Of LP Table 3b, by its caption."""


def table_1(data: Data) -> Sheet:
    """LP Table 1: how often the later recall levels tell what the first one says."""
    return over_collections(
        data,
        "LP Table 1: agreement of the later recall levels with the first, percent",
        "lp-table1",
        agreement_of_suffix,
        "Every grade above 0 is relevant, and ratings from 4 stars; a tied prediction does not agree, nor does one of "
        "requests with one relevant item.",
    )


def agreement_of_suffix(one: Collection) -> dict[str, float | None]:
    rows = suffix(one.graded).rows()
    return {name: None if share is None else 100 * share for name, _, _, share in rows}


def table_2(data: Data) -> Sheet:
    """LP Table 2: ties between rankings."""
    title = "LP Table 2: ties between rankings, percent"
    return over_collections(data, title, "lp-table2", share_of_ties, f"{data.relevance}.")


def share_of_ties(one: Collection) -> dict[str, float]:
    """RrLP and sgnLP tie alike: where lexiprecision does."""
    actual = {name: 100 * share for name, _, _, share in tb.studies.ties(one.binary, ["LexiPrecision", "RR"]).rows()}
    return {"rrLP, sgnLP": actual["LexiPrecision"], "RR": actual["RR"]}


def table_3a(data: Data) -> Sheet:
    """LP Table 3a: differences detected by Tukey's HSD."""
    title = "LP Table 3a: differences between runs detected by randomised Tukey HSD, percent"
    setting = f"{data.relevance}; {data.shuffles:,} shuffles, seed {data.options.seed}; p < 0.05."
    sheet = shuffled(data, title, "lp-table3a", lambda one: one.binary, setting)
    return with_settings_tried(sheet, data, "lp-table3a", lambda one: by_shuffles(data, one))


def by_shuffles(data: Data, one: Collection) -> dict[str, Values]:
    """LP Table 3a with other numbers of shuffles, and with runs read in other ways."""
    how = {"permutations": data.shuffles // 10, "seed": data.options.seed}
    ways = readings(one, {"min_grade": one.min_grade, "binary": True})
    actual = {f"{how['permutations']:,} shuffles": separated(one.binary, MEASURES, "hsd", **how)}
    return actual | {name: separated(result, MEASURES, "hsd", **how) for name, result in ways.items()}


def table_3b(data: Data) -> Sheet:
    """LP Table 3b: differences detected by a paired test."""
    correction = data.options.correction or CORRECTION
    title = "LP Table 3b: differences between runs detected by a paired test with Bonferroni's correction, percent"
    setting = f"{data.relevance}; t-test for rrLP and RR, exact binomial test for sgnLP; correction: {correction}."
    sheet = over_collections(data, title, "lp-table3b", lambda one: by_paired_tests(one.binary, correction), setting)
    return with_settings_tried(sheet, data, "lp-table3b", lambda one: other_paired_tests(data, one, correction))


def by_paired_tests(experiment: tb.Experiment, correction: str) -> dict[str, float]:
    by_t = separated(experiment, ["rrLP", "RR"], "t", correction=correction)
    return by_t | separated(experiment, ["sgnLP"], "sign", correction=correction)


def other_paired_tests(data: Data, one: Collection, correction: str) -> dict[str, Values]:
    """LP Table 3b with other corrections and tests, and with runs read in other ways."""
    actual: dict[str, Values] = {
        words: by_paired_tests(one.binary, name) for name, words in CORRECTIONS.items() if name != correction
    }
    for test in ("t",) if data.quick else ("t", "wilcoxon"):  # signed ranks of RR take a minute
        actual[f"{test} test for all"] = separated(one.binary, MEASURES, test, correction=correction)
    ways = readings(one, {"min_grade": one.min_grade, "binary": True})
    actual |= {name: by_paired_tests(result, correction) for name, result in ways.items()}
    row = printed("lp-table3b")[one.track.key]
    tests = {"rrLP": "t", "sgnLP": "sign", "RR": "t"}
    needed = {name: factors(paired_p(one.binary, name, test), row[name]) for name, test in tests.items()}
    return actual | {"factors on p that give the printed share": needed}


def on_paper(data: Data) -> Iterator[Figure]:
    """LP Figs 1 and 2, which need no data."""
    yield figure(
        "lp-fig1",
        "LP Fig 1, all rankings from worst to best (6 items, 3 relevant)",
        diagram(),
    )
    yield figure("lp-fig2", "LP Fig 2, probability of a tie with a random ranking", first_positions())


def of_runs(data: Data, one: Collection) -> Iterator[Figure]:
    """LP Figs 3, 5, 6, 7 and 9."""
    title = "LP Fig 3, ties by the position of the first relevant item"
    yield figure("lp-fig3", title, ties_by_first_position(one.binary), one)
    yield figure("lp-fig5", "LP Fig 5, ties by recall level", tb.studies.ties(one.binary, view="level"), one)
    title = "LP Fig 6, recall levels needed to tell runs apart"
    yield figure("lp-fig6", title, deciding_levels(one.binary), one)
    local = locality(one.graded)
    yield figure("lp-fig7", "LP Fig 7, locality of differences in reciprocal rank", local, one)


def ties_without_labels(data: Data, one: Collection) -> Iterator[Figure]:
    """LP Fig 9."""
    actual = tb.studies.ties(one.binary, ["RR", "rrLP"], view="labels", samples=data.samples, jobs=data.jobs)
    yield figure("lp-fig9", "LP Fig 9, ties as labels are removed", actual, one)


def agreement_without_data(data: Data, one: Collection) -> Iterator[Figure]:
    """LP Fig 8: agreement with RR on complete data."""
    for remove, of in (("labels", "preferences"), ("labels", "systems"), ("requests", "systems")):
        yield figure(
            f"lp-fig8-{remove}-{of}",
            f"LP Fig 8, {of} that agree with RR on complete data as {remove} are removed",
            agreement_with_rr(data, one, remove, of),
            one,
        )


def agreement_with_rr(data: Data, one: Collection, remove: str, of: str) -> Findings:
    return tb.studies.missing(
        one.binary, ["RR", "rrLP", "sgnLP"], remove, of, truth="RR", samples=data.samples, jobs=data.jobs
    )


PAPER = Paper(
    "Best-case retrieval evaluation (lexiprecision)",
    (table_1, table_2, table_3a, table_3b),
    (on_paper,),
    (of_runs, ties_without_labels, agreement_without_data),
    (
        "Figures are drawn of the collections at hand.",
        "LP Fig 8 has a fourth panel, preferences as requests are removed: no preference in one request changes then.",
        "LP Fig 4 is an example, and has nothing to compute.",
        "Table 3b, by its caption with Bonferroni's correction: it was first asked by what p-values would have to be "
        "multiplied to give the printed shares of deep-pass (2019); Holm's correction was recognised in the answer. "
        "It gives the whole row, but was found after the fact, on one collection of 18: other collections can confirm "
        "it or not (--correction holm).",
    ),
)

if __name__ == "__main__":
    main(PAPER)
