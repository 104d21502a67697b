"""Offline retrieval evaluation without evaluation metrics: recall-paired preference (RPP)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from statistics import fmean

from cells import Cell, Grid, Sheet
from data import Collection, Data
from recall_levels import difference, surface
from rows import Failure, Values, attempt, over_collections, sizes_table, with_settings_tried
from script import Figure, Paper, figure, main
from tests_of_pairs import (
    CORRECTIONS,
    below,
    factors,
    one_direction,
    paired_p,
    readings,
    separated,
    shuffled,
    unpaired_p,
)
from tracks import columns, printed, track

import tiebreak as tb

MEASURES = ("RPP", "dcgRPP", "invRPP", "AP", "nDCG", "RR")
LEVEL_MEASURES = ("RPP", "AP", "binary_nDCG", "RBP(p=0.8)", "RR")
"""Those of RPP Fig 4."""
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
TABLE_2B = {
    # RPP Table 2b: Kendall's tau, mean over six web tracks
    ("ST-RPP", "ST-dcgRPP"): "0.88",
    ("ST-RPP", "MAP-IA"): "0.73",
    ("ST-RPP", "ST-invRPP"): "0.70",
    ("ST-RPP", "ERR-IA@20"): "0.26",
    ("ST-RPP", "strec@20"): "0.30",
    ("ST-dcgRPP", "MAP-IA"): "0.77",
    ("ST-dcgRPP", "ST-invRPP"): "0.79",
    ("ST-dcgRPP", "ERR-IA@20"): "0.34",
    ("ST-dcgRPP", "strec@20"): "0.36",
    ("MAP-IA", "ST-invRPP"): "0.74",
    ("MAP-IA", "ERR-IA@20"): "0.39",
    ("MAP-IA", "strec@20"): "0.36",
    ("ST-invRPP", "ERR-IA@20"): "0.52",
    ("ST-invRPP", "strec@20"): "0.49",
    ("ERR-IA@20", "strec@20"): "0.66",
}
SUBTOPIC_MEASURES = {
    "ST-RPP": "ST-RPP",
    "ST-dcgRPP": "ST-RPP(weights='dcg')",
    "MAP-IA": "MAP-IA",
    "ST-invRPP": "ST-RPP(weights='inverse')",
    "ERR-IA@20": "ERR-IA@20",
    "strec@20": "strec@20",
}
CORRECTION = "bonferroni"
"""Of RPP Table 4, by its caption."""
METRICS = ("AP", "nDCG", "RR")
ORDERS = {"by name": str.encode, "by name in small letters": str.lower}
RAW = "Raw grades, every grade above 0 is relevant, and ratings from 4 stars"


def table_1(data: Data) -> Sheet:
    """RPP Table 1: sizes of data sets."""
    return sizes_table(data, "RPP Table 1: data", "rpp-table1")


def table_2a(data: Data) -> Sheet:
    """RPP Table 2a: correlation of the orders of runs."""
    title = "RPP Table 2a: correlation of orders"
    measures = dict.fromkeys(measure for pair in TABLE_2A for measure in pair)
    return mean_taus(data.collections, title, "rpp-table3a", TABLE_2A, lambda one: taus(one.graded, measures))


def table_2b(data: Data) -> Sheet:
    """RPP Table 2b: the same by subtopic measures."""
    title = "RPP Table 2b: correlation of orders by subtopic measures"
    result = with_subtopics(data)
    return mean_taus(
        result, title, "rpp-table3b", TABLE_2B, lambda one: taus(one.by_subtopic, SUBTOPIC_MEASURES.values())
    )


def taus(experiment: tb.Experiment, measures: Iterable[str]) -> dict[str, float | None]:
    """tau_b of the orders by all pairs of measures, by the papers' names of both."""
    papers = {spec: name for name, spec in SUBTOPIC_MEASURES.items()}
    rows = tb.studies.agreement(experiment, "order", list(measures)).rows()
    named = [((papers.get(x, x), papers.get(y, y)), tau) for x, y, tau in rows]
    return {", ".join(pair): tau for (a, b), tau in named for pair in ((a, b), (b, a))}


def mean_taus(
    collections: Sequence[Collection],
    title: str,
    over: str,
    table: Mapping[tuple[str, str], str],
    compute: Callable[[Collection], Values],
) -> Sheet:
    """Printed means over the collections of another table, beside means over those of them that are here."""
    actual = {one: attempt(compute, one) for one in collections}
    of_paper = {one.track.key: values for one, values in actual.items() if is_of(one, values, over)}
    papers = list(printed(over))
    missing = len(papers) - len(of_paper)
    other = f"the mean over {len(of_paper)} of the paper's {len(papers)} collections" if missing else ""
    cells = [
        Cell(", ".join(pair), value, mean_of(of_paper.values(), ", ".join(pair)), other_data=other)
        for pair, value in table.items()
    ]
    failed = [Cell(one.track.printed_as, None, None, failure=why) for one, why in actual.items() if is_failure(why)]
    rows = [(one.track.printed_as, *(tau_in(values, pair) for pair in table)) for one, values in actual.items()]
    header = ("collection", *(", ".join(pair) for pair in table))
    names = ", ".join(track(key).printed_as for key in of_paper) or "none"
    setting = f"Printed: the mean over {len(papers)} collections. Computed: the mean over those that are here: {names}."
    return Sheet(
        title, cells + failed, setting, grids=[Grid("tau_b of each collection:", [header, *rows])] if rows else []
    )


def is_failure(values: Values | Failure) -> bool:
    return isinstance(values, Failure)


def is_of(one: Collection, values: Values | Failure, table: str) -> bool:
    """Whether this is one of the paper's collections, whole."""
    return not is_failure(values) and one.track.key in printed(table) and not one.other_data


def mean_of(actual: Iterable[Values], name: str) -> float | None:
    known = [float(values[name]) for values in actual if values[name] is not None]
    return fmean(known) if known else None


def tau_in(values: Values | Failure, pair: tuple[str, str]) -> str:
    if isinstance(values, Failure):
        return "failed"
    tau = values[", ".join(pair)]
    return "-" if tau is None else f"{tau:.2f}"


def table_3a(data: Data) -> Sheet:
    """RPP Table 3a: differences detected by Tukey's HSD."""
    title = "RPP Table 3a: differences between runs detected by randomised Tukey HSD, percent"
    setting = f"{RAW}; {data.shuffles:,} shuffles, seed {data.options.seed}; p < 0.05."
    sheet = shuffled(data, title, "rpp-table3a", lambda one: one.graded, setting)
    return with_settings_tried(sheet, data, "rpp-table3a", lambda one: by_shuffles(data, one))


def by_shuffles(data: Data, one: Collection) -> dict[str, Values]:
    """RPP Table 3a with fewer shuffles, and with runs read in other ways."""
    how = {"permutations": data.shuffles // 10, "seed": data.options.seed}
    ways = {f"{how['permutations']:,} shuffles": one.graded} | readings(one, {})
    return {name: separated(result, MEASURES, "hsd", **how) for name, result in ways.items()}


def table_4a(data: Data) -> Sheet:
    """RPP Table 4a: differences detected by t-tests."""
    correction = data.options.correction or CORRECTION
    title = "RPP Table 4a: differences between runs detected by t-tests with Bonferroni's correction, percent"
    setting = f"{RAW}; one-sample t-test of preferences or differences; correction: {correction}; p < 0.05."
    sheet = over_collections(data, title, "rpp-table4a", lambda one: by_t_tests(one.graded, correction), setting)
    return with_settings_tried(sheet, data, "rpp-table4a", lambda one: other_tests(data, one, correction))


def by_t_tests(experiment: tb.Experiment, correction: str) -> dict[str, float]:
    return separated(experiment, MEASURES, "t", correction=correction)


def other_tests(data: Data, one: Collection, correction: str) -> dict[str, Values]:
    """RPP Table 4a with other corrections and tests, and with runs read in other ways."""
    actual: dict[str, Values] = {
        words: by_t_tests(one.graded, name) for name, words in CORRECTIONS.items() if name != correction
    }
    for test in ("sign",) if data.quick else ("sign", "wilcoxon"):  # signed ranks of RR take a minute
        actual[f"{test} test"] = separated(one.graded, MEASURES, test, correction=correction)
    actual |= {name: by_t_tests(result, correction) for name, result in readings(one, {}).items()}
    return actual | of_metrics(one)


def of_metrics(one: Collection) -> dict[str, Values]:
    """What else was tried for the columns of metrics in RPP Table 4a."""
    actual: dict[str, Values] = {}
    row = printed("rpp-table4a")[one.track.key]
    for words, result in {"": one.graded, ", grade >= 2": one.read(min_grade=2, binary=True)}.items():
        two_sample = {name: unpaired_p(result, name) for name in METRICS}
        welch = {name: below(unpaired_p(result, name, equal_variances=False)) for name in METRICS}
        actual[f"two-sample t-test of metrics{words} (SciPy)"] = {name: below(p) for name, p in two_sample.items()}
        actual[f"Welch's t-test of metrics{words} (SciPy)"] = welch
        for test, p_values in (
            ("t-test", {name: paired_p(result, name) for name in METRICS}),
            ("two-sample", two_sample),
        ):
            needed = {name: factors(p, row[name]) for name, p in p_values.items()}
            actual[f"{test}{words}: factors on p that give the printed share"] = needed
    for is_first, order, is_one_sided in product((True, False), ORDERS, (False, True)):
        how = {"is_first": is_first, "is_one_sided": is_one_sided, "key": ORDERS[order]}
        side, tails = "first" if is_first else "second", "one-sided" if is_one_sided else "two-sided"
        actual[f"only pairs whose {side} run {order} is better, {tails} t-test"] = one_direction(
            one.graded, METRICS, **how
        )
    return actual


def with_subtopics(data: Data) -> list[Collection]:
    return [one for one in data.collections if one.subtopic_qrels is not None]


def table_3b(data: Data) -> Sheet:
    """RPP Table 3b: subtopics, Tukey's HSD."""
    how = {"permutations": data.shuffles, "seed": data.options.seed}
    return of_subtopics(data, "3b", f"Randomised Tukey HSD, {data.shuffles:,} shuffles.", "hsd", **how)


def table_4b(data: Data) -> Sheet:
    """RPP Table 4b: subtopics, t-tests."""
    correction = data.options.correction or CORRECTION
    return of_subtopics(data, "4b", f"t-test; correction: {correction}.", "t", correction=correction)


def of_subtopics(data: Data, table: str, setting: str, test: str, **how: object) -> Sheet:
    """Collections that have judgements by subtopic."""
    name = f"rpp-table{table}"
    return over_collections(
        data,
        f"RPP Table {table}: differences by subtopic measures, percent",
        name,
        lambda one: separated(one.by_subtopic, columns(name), test, **how),
        setting,
        of=with_subtopics(data),
    )


def of_levels(data: Data, one: Collection) -> Iterator[Figure]:
    """RPP Figs 2 and 4: what recall levels contribute."""
    title = "RPP Fig 2 left, difference at one level by its two positions"
    yield figure("rpp-fig2-surface", title, surface(one.graded), one)
    title = "RPP Fig 2 right, distribution of differences at a level"
    yield figure("rpp-fig2-distribution", title, difference(one.graded, jobs=data.jobs), one)
    yield contributions(one)


def contributions(one: Collection) -> Figure:
    """RPP Fig 4, of the best run and the one in the middle by AP."""
    ranking = one.graded.order("mean(AP)").ranking()
    run, other, request = ranking[0], ranking[len(ranking) // 2], with_few_relevant(one.graded)
    actual = tb.studies.disaggregation(one.graded, measures=LEVEL_MEASURES, run=run, other=other, request=request)
    return figure("rpp-fig4", "RPP Fig 4, contributions of two runs by recall level in one request", actual, one)


def with_few_relevant(experiment: tb.Experiment) -> str:
    """The request with the fewest relevant items, of those with six and more, as in the paper's example."""
    positions = experiment.positions
    sized = list(zip(positions.relevant().tolist(), positions.requests, strict=True))
    return min([one for one in sized if one[0] >= 6] or sized)[1]


def of_signs(data: Data, one: Collection) -> Iterator[Figure]:
    """RPP Fig 5: RPP beside differences of metrics."""
    actual = tb.studies.agreement(one.graded, "sign", points=100, jobs=data.jobs)
    yield figure("rpp-fig5", "RPP Fig 5, sizes of preferences beside RPP", actual, one)


def without_data(data: Data, one: Collection) -> Iterator[Figure]:
    """RPP Figs 6 and 7: orders of runs as requests or labels are removed."""
    for name, remove in (("rpp-fig6", "requests"), ("rpp-fig7", "labels")):
        actual = tb.studies.missing(one.graded, MEASURES, remove, samples=data.samples, jobs=data.jobs)
        yield figure(name, f"{name[:3].upper()} Fig {name[-1]}, order of runs as {remove} are removed", actual, one)


PAPER = Paper(
    "Offline retrieval evaluation without evaluation metrics (recall-paired preference)",
    (table_1, table_2a, table_2b, table_3a, table_3b, table_4a, table_4b),
    (),
    (of_levels, of_signs, without_data),
    (
        "The paper draws Fig 2 of deep-docs (2019), Fig 5 of robust (2004), Figs 6 and 7 of robust (2004), deep-pass "
        "(2020) and ml-1M; here they are of the collections at hand.",
        "Figs 1 and 3 are sketches.",
        "Table 4a, metrics: no setting that was tried gives all three columns, and no factor on p-values is common to "
        "them; one of about 60 on two-sample tests would give AP and nDCG, and not RR. Counting only pairs whose first "
        "run by name is better gives the printed RR of deep-pass (2019), as some of many settings may by chance, but "
        "neither AP nor nDCG; and 85.71, which is printed for RR on ml-1M beside 90.48 in LP Table 3b, is far from the "
        "half of all pairs that it would let expect.",
    ),
)

if __name__ == "__main__":
    main(PAPER)
