"""Offline retrieval evaluation without evaluation metrics: recall-paired preference (RPP)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from cells import Cell, Sheet, Status
from data import WEB, Collection, Data, compared
from script import Figure, Paper, figure, main
from tests_of_pairs import separated, shuffled

import tiebreak as tb

MEASURES = ("RPP", "dcgRPP", "invRPP", "AP", "nDCG", "RR")
TABLE_2A = {
    # RPP Table 2a: Kendall's tau, mean over 16 collections
    ("RR", "invRPP"): "0.61",
    ("RR", "RPP"): "0.45",
    ("RR", "dcgRPP"): "0.49",
    ("RR", "AP"): "0.49",
    ("RR", "nDCG"): "0.50",
    ("invRPP", "RPP"): "0.79",
    ("invRPP", "dcgRPP"): "0.85",
    ("invRPP", "AP"): "0.82",
    ("invRPP", "nDCG"): "0.80",
    ("RPP", "dcgRPP"): "0.93",
    ("RPP", "AP"): "0.86",
    ("RPP", "nDCG"): "0.87",
    ("dcgRPP", "AP"): "0.88",
    ("dcgRPP", "nDCG"): "0.88",
    ("AP", "nDCG"): "0.89",
}
TABLE_3 = {"RPP": "42.34", "dcgRPP": "42.19", "invRPP": "36.34", "AP": "30.03", "nDCG": "26.73", "RR": "6.76"}
TABLE_4 = {"RPP": "43.99", "dcgRPP": "45.05", "invRPP": "42.34", "AP": "24.17", "nDCG": "23.72", "RR": "1.65"}
SUBTOPIC_3 = {"ST-RPP": "44.15", "strec@20": "12.15", "ERR-IA@20": "16.58", "MAP-IA": "25.09"}
SUBTOPIC_4 = {"ST-RPP": "43.71", "strec@20": "7.98", "ERR-IA@20": "12.06", "MAP-IA": "14.45"}


def table_1(data: Data) -> Sheet:
    """RPP Table 1: sizes of data sets."""
    printed = {"requests": "43", "runs": "37", "rel/request": "95.40"}
    cells = compared(data, printed, Collection.sizes)
    if (web := data.find(WEB)) is not None:
        cells += web_sizes(web)
    setting = "Grade >= 1 is relevant; for web (2012) an item counts once for every subtopic it is relevant to."
    return Sheet("RPP Table 1: data", cells, setting, "14 other collections, and the runs of web (2012).", 57)


def web_sizes(web: Collection) -> list[Cell]:
    """What the judgements of web (2012) say; the paper's runs are not here."""
    judgements = tb.read_judgements(web.folder / "qrels.diversity.txt.gz")
    subtopics = judgements.subtopics
    assert subtopics is not None, "the second column names subtopics"
    requests = len(judgements.requests)
    pairs = set(zip(judgements.request[subtopics.judgement].tolist(), subtopics.label.tolist(), strict=True))
    found = {
        "requests": ("50", requests),
        "rel/request": ("187.36", int((subtopics.grade > 0).sum()) / requests),
        "subtopics/request": ("3.90", len(pairs) / requests),
    }
    return [Cell(f"web (2012), {name}", printed, float(value)) for name, (printed, value) in found.items()]


def table_2a(data: Data) -> Sheet:
    """RPP Table 2a: correlation of the orders of runs."""
    rows = [] if data.main is None else tb.studies.agreement(data.main.graded, "order").rows
    taus = {frozenset(pair): tau for *pair, tau in rows}
    cells = [
        Cell(f"{a}, {b}", printed, taus.get(frozenset((a, b))), is_of_other_data=True)
        for (a, b), printed in TABLE_2A.items()
    ]
    of = "" if data.main is None else f" Computed: tau_b on {data.main.printed_as} alone."
    return Sheet("RPP Table 2a: correlation of orders", cells, f"Printed: the mean over 16 collections.{of}")


def table_2b(data: Data) -> Sheet:
    """RPP Table 2b needs the runs of six web tracks."""
    return Sheet(
        "RPP Table 2b: correlation of orders by subtopic measures", elsewhere="all, six web tracks.", n_elsewhere=15
    )


def table_3a(data: Data) -> Sheet:
    """RPP Table 3a: differences detected by Tukey's HSD."""
    return Sheet(
        "RPP Table 3a: differences between runs detected by randomised Tukey HSD, percent",
        shuffled(data, TABLE_3, lambda one: one.graded),
        f"Raw grades, every grade above 0 is relevant; {data.shuffles:,} shuffles, seed 1; p < 0.05.",
        "15 other collections.",
        90,
    )


def table_4a(data: Data) -> Sheet:
    """RPP Table 4a: differences detected by t-tests."""
    return Sheet(
        "RPP Table 4a: differences between runs detected by t-tests with Bonferroni's correction, percent",
        by_t_tests(data, TABLE_4),
        "Raw grades, every grade above 0 is relevant; one-sample t-test of preferences or differences; p < 0.05.",
        "15 other collections.",
        90,
    )


def by_t_tests(data: Data, printed: Mapping[str, str]) -> list[Cell]:
    """Shares by raw grades; where they are not as printed, also with the other reading of what is relevant."""
    cells = compared(data, printed, lambda one: separated(one.graded, printed, "t", correction="bonferroni"))
    if data.main is None or not any(cell.status is Status.OPEN for cell in cells):
        return cells
    other = separated(data.main.binary, printed, "t", correction="bonferroni")
    notes = [f"where grade >= {data.main.relevant_from} is relevant: {other[name]:.2f}" for name in printed]
    pairs = zip(cells, notes, strict=True)
    return [replace(cell, note=note) if cell.status is Status.OPEN else cell for cell, note in pairs]


def table_3b(data: Data) -> Sheet:
    """RPP Table 3b: subtopics, Tukey's HSD."""
    return of_subtopics(data, "3b", SUBTOPIC_3, "hsd", permutations=data.shuffles, seed=1)


def table_4b(data: Data) -> Sheet:
    """RPP Table 4b: subtopics, t-tests."""
    return of_subtopics(data, "4b", SUBTOPIC_4, "t", correction="bonferroni")


def of_subtopics(data: Data, table: str, printed: Mapping[str, str], test: str, **how: object) -> Sheet:
    """The row of web (2012), beside what nine baseline runs of the same year say."""
    web = data.find(WEB)
    shares: Mapping[str, float | None] = dict.fromkeys(printed)
    if web is not None:
        runs = tb.Experiment(web.folder / "qrels.diversity.txt.gz", web.folder / "runs")
        shares = separated(runs, printed, test, **how)
    cells = [Cell(f"web (2012), {name}", value, shares[name], is_of_other_data=True) for name, value in printed.items()]
    setting = "Computed: nine baseline runs, where the paper has the 48 runs submitted." if web else ""
    return Sheet(f"RPP Table {table}: differences by subtopic measures, percent", cells, setting, "5 other tracks.", 20)


def of_levels(data: Data) -> Iterator[Figure]:
    """RPP Figs 2 and 4: what recall levels contribute."""
    for one in filter(None, [data.main]):
        for name, view, title in (
            ("rpp-fig2-surface", "surface", "RPP Fig 2 left, difference at one level by its two positions"),
            ("rpp-fig2-distribution", "difference", "RPP Fig 2 right, distribution of differences at a level"),
        ):
            yield figure(name, title, tb.studies.agreement(one.graded, view, jobs=data.jobs), one)
        yield contributions(one)


def contributions(one: Collection) -> Figure:
    """RPP Fig 4, of the best run and the one in the middle by AP."""
    ranking = one.graded.order("mean(AP)").ranking()
    run, other, request = ranking[0], ranking[len(ranking) // 2], with_few_relevant(one.graded)
    found = tb.studies.agreement(one.graded, "level", run=run, other=other, request=request)
    return figure("rpp-fig4", "RPP Fig 4, contributions of two runs by recall level in one request", found, one)


def with_few_relevant(experiment: tb.Experiment) -> str:
    """The request with the fewest relevant items, of those with six and more, as in the paper's example."""
    positions = experiment.positions
    sized = list(zip(positions.relevant().tolist(), positions.requests, strict=True))
    return min([one for one in sized if one[0] >= 6] or sized)[1]


def of_signs(data: Data) -> Iterator[Figure]:
    """RPP Fig 5: RPP beside differences of metrics."""
    for one in filter(None, [data.main]):
        found = tb.studies.agreement(one.graded, "sign", points=100, jobs=data.jobs)
        yield figure("rpp-fig5", "RPP Fig 5, sizes of preferences beside RPP", found, one)


def without_data(data: Data) -> Iterator[Figure]:
    """RPP Figs 6 and 7: orders of runs as requests or labels are removed."""
    for one in data.drawn():
        for name, remove in (("rpp-fig6", "requests"), ("rpp-fig7", "labels")):
            experiment = one.graded if one.relevant_from != 4 else one.binary
            found = tb.studies.missing(experiment, MEASURES, remove, samples=data.samples, jobs=data.jobs)
            yield figure(name, f"{name[:3].upper()} Fig {name[-1]}, order of runs as {remove} are removed", found, one)


PAPER = Paper(
    "Offline retrieval evaluation without evaluation metrics (recall-paired preference)",
    (table_1, table_2a, table_2b, table_3a, table_3b, table_4a, table_4b),
    (of_levels, of_signs, without_data),
    (
        "The paper draws Fig 2 of deep-docs (2019), Fig 5 of robust (2004), Figs 6 and 7 of robust (2004), deep-pass "
        "(2020) and ml-1M; here they are of the collections at hand.",
        "Figs 1 and 3 are sketches.",
    ),
)

if __name__ == "__main__":
    main(PAPER)
