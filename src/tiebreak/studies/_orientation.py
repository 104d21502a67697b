"""Properties of measures without data: orientation, ties of random rankings, laws, possible users (LR)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import groupby, pairwise
from math import comb
from typing import Any, NamedTuple

import numpy as np

from tiebreak._base.checks import check_count, check_several
from tiebreak._base.text import join_names, plural
from tiebreak._base.tolerance import TOLERANCE
from tiebreak._kernels.interface import Tick
from tiebreak.analysis.theory import is_strict, precision_orientation, recall_orientation, tie_probability
from tiebreak.analysis.top_heaviness import is_top_heavy
from tiebreak.errors import InputError
from tiebreak.metrics import Metric, recall_level_form
from tiebreak.metrics.function import FunctionMetric
from tiebreak.metrics.rank_based import ReciprocalRank, TotalSearchEfficiency
from tiebreak.metrics.set_based import Recall, RPrecision
from tiebreak.preferences import Preference
from tiebreak.preferences.lexicographic import LexiPrecision, LexiRecall
from tiebreak.results.plots import Picture
from tiebreak.studies._counterexamples import LawTable, statements
from tiebreak.studies._position_vectors import all_vectors, prefer, random_vectors
from tiebreak.studies._possible_users import partial_order
from tiebreak.studies._random_rankings import Corpus, random_ties
from tiebreak.studies._ranking_laws import LAWS, Subject, law_row
from tiebreak.studies.base import Findings, run_tasks, study_from_catalogue
from tiebreak.studies.measures import Measure, inner_metric, preferences_by_name

MOST_ITEMS = 10**7
"""Items in a corpus: exposures are tabulated by position."""
MOST_ITEMS_OF_LAWS = 12
MOST_VECTORS = 1000
"""Position vectors of which all pairs are compared."""
MOST_CASES = 10**6
"""Of positions and items at their top, that are tried for top-heaviness."""
ORIENTATIONS = {"precision": precision_orientation, "recall": recall_orientation}
FORMULA, ALL_PAIRS, SAMPLED = "formula", "all pairs", "drawn"


class Options(NamedTuple):
    """What one view is asked for."""

    measures: dict[str, Preference]
    items: tuple[int, ...]
    relevant: tuple[int, ...]
    pairs: int
    requests: int
    samples: int
    depths: list[int] | None
    level: int | None
    seed: int
    jobs: int
    tick: Tick | None


@study_from_catalogue()
def orientation(
    measures: Measure | Iterable[Measure] | None = None,
    *,
    view: str = "orientation",
    items: int | Iterable[int] | None = None,
    relevant: int | Iterable[int] | None = None,
    pairs: int = 10_000,
    requests: int = 25,
    samples: int = 10,
    depths: int | Iterable[int] | None = None,
    level: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    tick: Tick | None = None,
) -> Findings:
    r"""Properties of measures: no judgements and no runs are needed (LR 3-5, appendices B and C).

    Parameters
    ----------
    measures : str, Metric, Preference or function, or several, optional
        By default those of the paper. A function takes the increasing positions of relevant items.
    view : str
        - ``"orientation"``: what a metric loses when the first relevant item falls to just above the others, and when
          the last one falls to the bottom (LR 3.1, Fig 5).
        - ``"ties"``: how often a measure ties two random rankings (LR Tables 3 and 4).
        - ``"depth"``: how often it ties random rankings that are truncated at some depth (LR Fig 8).
        - ``"properties"``: which properties hold, by trying all small cases (LR Table 8).
        - ``"top-heaviness"``: whether a recall-level metric is top-heavy, by trying all small cases (LR def. 2.2).
        - ``"users"``, ``"providers"``: who of all possible users or providers of a request is better off than whom,
          whatever the ranking (LR Figs 17 and 18). No measures.
    items : int or several, optional
        Number of items in the corpus, n.
    relevant : int or several, optional
        Number of relevant items, m; for ``"properties"`` and ``"top-heaviness"`` the largest; for ``"depth"`` each
        request has one of them, drawn at random.
    pairs : int
        Random pairs of rankings, where there are too many to compare all.
    requests, samples : int
        For ``"depth"``: requests, of which 20 random rankings are compared, and how often all are drawn.
    depths : int or several, optional
        For ``"depth"``: where rankings are truncated, by default at 1, 2, 5, 10, ... items.
    level : int, optional
        For ``"users"`` and ``"providers"``: two rankings last differ at this recall level; adds the parts of LR Fig 18.

    Examples
    --------
    >>> for row in orientation(["RR", "AP"], items=10, relevant=2).rows():
    ...     print(*row)
    RR 2 precision 0.8888888888888888
    AP 2 precision 0.4444444444444444
    RR 2 recall 0.0
    AP 2 recall 0.4
    """
    study, default_measures, default_items, default_relevant = VIEWS[view]
    for name, value, default in (("measures", measures, default_measures), ("items", items, default_items)):
        if value is not None and not default:
            raise InputError(f"view={view!r} takes no {name}. Leave them out.", kind="choice")
    ns = sizes("items", items, default_items or (MOST_ITEMS,), MOST_ITEMS)
    ms = sizes("relevant", relevant, default_relevant, min(ns))
    by_name = {} if not default_measures else preferences_by_name(default_measures if measures is None else measures)
    cutoffs = None if depths is None else check_several(depths, "depth", partial(check_count, high=min(ns)))
    return study(Options(by_name, ns, ms, pairs, requests, samples, cutoffs, level, seed, jobs, tick))


def sizes(name: str, numbers: int | Iterable[int] | None, default: tuple[int, ...], largest: int) -> tuple[int, ...]:
    if numbers is None:
        numbers = tuple(size for size in default if size <= largest) or (largest,)
    return tuple(check_several(numbers, name, lambda size, name: check_count(size, name, 1, largest)))


def single_value(view: str, name: str, numbers: tuple[int, ...]) -> int:
    """The number, where a view takes one."""
    if len(numbers) > 1:
        raise InputError(f"view={view!r} takes one number for {name}; {len(numbers)} were given.", kind="size")
    return numbers[0]


def metrics_by_name(measures: Mapping[str, Preference]) -> dict[str, Metric]:
    """The metrics of which measures are differences; a preference is an error."""
    metrics: dict[str, Metric] = {}
    for name, measure in measures.items():
        metric = inner_metric(measure)
        if metric is None:
            raise InputError(f"{name} is a preference. Give a metric, such as AP.", kind="spec")
        metrics[name] = metric
    return metrics


def orientations(options: Options) -> Findings:
    """Both orientations of every metric for every number of relevant items (LR 3.1)."""
    n = single_value("orientation", "items", options.items)
    metrics = metrics_by_name(options.measures)
    tasks = [(way, name, m) for m in options.relevant for way in ORIENTATIONS for name in metrics]

    def loss(task: tuple[str, str, int]) -> tuple[str, int, str, float]:
        way, name, m = task
        scaled = isinstance(metrics[name], TotalSearchEfficiency) and m < n
        return name, m, way, ORIENTATIONS[way](metrics[name], n, m, scaled=scaled)

    rows = tuple(run_tasks(loss, tasks, options.jobs, options.tick))
    losses = {
        way: {m: {row[0]: row[3] for row in rows if row[1:3] == (m, way)} for m in options.relevant}
        for way in ORIENTATIONS
    }
    notes = [
        f"{n:,} items. Precision: the first relevant item falls from the top to just above the others; recall: the "
        f"last one falls from just below the others to the bottom (LR 3.1).",
    ]
    if any(isinstance(metric, TotalSearchEfficiency) for metric in metrics.values()):
        notes.append("TSE is scaled by its range for each m, as in LR Fig 5; other metrics are not.")
    for way, by_m in losses.items():
        for order, group in groupby(by_m, key=lambda m: format_order(by_m[m])):
            ms = list(group)
            span = f"{ms[0]}" if len(ms) == 1 else f"{ms[0]} to {ms[-1]}"
            notes.append(f"{way.capitalize()}, m = {span}: {order}.")
    conclusion = " ".join(most_oriented(way, by_m) for way, by_m in losses.items())
    titles = (("relevant", "relevant items"), ("loss", "loss of value"))
    picture = Picture("line", "relevant", "loss", color="measure", facet="orientation", titles=titles)
    return Findings(("measure", "relevant", "orientation", "loss"), rows, conclusion, tuple(notes), picture)


def most_oriented(way: str, by_m: dict[int, dict[str, float]]) -> str:
    """The metric that loses most for most numbers of relevant items, ties included, with the exceptions."""
    names = list(next(iter(by_m.values())))
    leads = {
        name: [m for m, losses in by_m.items() if losses[name] >= max(losses.values()) - TOLERANCE] for name in names
    }
    most = max(map(len, leads.values()))
    best = [name for name in names if len(leads[name]) == most]
    exceptions = [
        f"m = {m}, where {join_names([name for name in names if losses[name] > losses[best[0]] + TOLERANCE])} would "
        "lose more"
        for m, losses in by_m.items()
        if m not in leads[best[0]]
    ]
    but = f", except for {'; '.join(exceptions)}" if exceptions else ""
    return f"Most {way}-oriented: {' = '.join(best)}{but}."


def format_order(losses: dict[str, float]) -> str:
    """Names from the largest loss down, with = between equal ones."""
    ordered = sorted(losses, key=lambda name: -losses[name])
    signs = (" = " if losses[before] - losses[name] <= TOLERANCE else " > " for before, name in pairwise(ordered))
    return ordered[0] + "".join(sign + name for sign, name in zip(signs, ordered[1:], strict=True))


def ties(options: Options) -> Findings:
    """The probability that two random rankings tie, by size and measure; exact where it is known (LR 5.3)."""
    tasks = [(n, m, name) for n in options.items for m in options.relevant for name in options.measures]

    def row(task: tuple[int, int, str]) -> tuple[int, int, str, str, float, float, str]:
        n, m, name = task
        return n, m, f"{m} of {n:,}", name, *tie_share(options, n, m, options.measures[name])

    rows = tuple(run_tasks(row, tasks, options.jobs, options.tick))
    mean = {name: np.mean([row[4] for row in rows if row[3] == name]) for name in options.measures}
    shares = ", ".join(f"{name} {100 * mean[name]:.1f}%" for name in sorted(mean, key=lambda name: -mean[name]))
    # Upper end of the 95% interval of a probability when no draw is a tie.
    unseen = 1 - 0.05 ** (1 / options.pairs)
    titles = (("size", "relevant items"), ("probability", "probability of a tie"))
    return Findings(
        ("items", "relevant", "size", "measure", "probability", "error", "method"),
        rows,
        f"Ties of two random rankings, on average over the sizes: {shares}.",
        (
            "Rankings of all items, each equally likely (LR 5.3, appendix E). error: standard error, 0 where exact.",
            f'"{FORMULA}": exact; "{ALL_PAIRS}": of all pairs of position vectors, where there are up to '
            f'{MOST_VECTORS:,} vectors; "{SAMPLED}": {plural(options.pairs, "random pair")}, seed {options.seed}. '
            f"Where none of them ties, the probability is below {unseen:.1g} at 95%.",
        ),
        Picture("point", "probability", "size", color="measure", titles=titles),
    )


def tie_share(options: Options, n: int, m: int, measure: Preference) -> tuple[float, float, str]:
    """The probability of a tie, its standard error, and how it was computed."""
    formula = closed_form(measure)
    if formula is not None:
        return float(tie_probability(formula, n, m)), 0.0, FORMULA
    if comb(n, m) <= MOST_VECTORS:
        every = all_vectors(n, m)
        x, y = np.repeat(every, len(every), axis=0), np.tile(every, (len(every), 1))
        return float((prefer(measure, x, y) == 0).mean()), 0.0, ALL_PAIRS
    rng = np.random.default_rng(np.random.SeedSequence(options.seed, spawn_key=(n, m)))
    x, y = random_vectors(rng, 2 * options.pairs, n, m).reshape(2, options.pairs, m)
    share = float((prefer(measure, x, y) == 0).mean())
    return share, (share * (1 - share) / options.pairs) ** 0.5, SAMPLED


def closed_form(measure: Preference) -> str | None:
    """The measure that `tie_probability` knows and that ties the same rankings."""
    if isinstance(measure, (LexiRecall, LexiPrecision)):
        return "lexirecall"
    metric = inner_metric(measure)
    if isinstance(metric, Recall) and metric.cutoff is not None:
        return f"R@{metric.cutoff}"
    if isinstance(metric, RPrecision):
        return "RP"
    if isinstance(metric, ReciprocalRank) and metric.cutoff is None and metric.level == 1:
        return "RR"
    if isinstance(metric, TotalSearchEfficiency) and is_strict(recall_level_form(metric)):
        return "TSE"
    return None


def properties(options: Options) -> Findings:
    """Search all small cases for violations of the laws of LR appendix B."""
    n = single_value("properties", "items", options.items)
    most = single_value("properties", "relevant", options.relevant)
    if n > MOST_ITEMS_OF_LAWS:
        raise InputError(f"items={n}. All cases are tried for up to {MOST_ITEMS_OF_LAWS} items.", kind="size")
    subjects = [Subject(name, measure, n, most) for name, measure in options.measures.items()]
    tasks = [(law, subject) for law in LAWS for subject in subjects]
    rows = run_tasks(lambda task: law_row(*task), tasks, options.jobs, options.tick)
    searched = f"Searched: all rankings of {n} items with 1 to {most} relevant ones."
    return LawTable.from_rows(rows, ("case",), describe, (searched, *statements(LAWS)))


def ties_by_depth(options: Options) -> Findings:
    """Ties of random rankings as they are truncated (LR Fig 8)."""
    corpus = Corpus(single_value("depth", "items", options.items), options.requests, options.relevant)
    drawing = options.depths, options.samples, options.seed, options.jobs, options.tick
    return random_ties(options.measures, corpus, *drawing)


def top_heaviness(options: Options) -> Findings:
    """Search all small cases for one where items at the top make a metric lower (LR def. 2.2)."""
    n = single_value("top-heaviness", "items", options.items)
    most = single_value("top-heaviness", "relevant", options.relevant)
    tried = sum(comb(n, m) * (m - 1) for m in range(2, most + 1))
    if tried > MOST_CASES:
        raise InputError(f"{tried:,} cases are too many: at most {MOST_CASES:,}. Give fewer items.", kind="size")

    def row(item: tuple[str, Metric]) -> tuple[str, str, bool, int, str | None]:
        name, metric = item
        case = is_top_heavy(metric.value if isinstance(metric, FunctionMetric) else metric, n, most).counterexample
        words = None if case is None else f"without the first {case[1]} of positions {', '.join(map(str, case[0]))}"
        return name, "top-heavy", case is None, tried, words

    rows = run_tasks(row, metrics_by_name(options.measures).items(), options.jobs, options.tick)
    law = "top-heavy: with the relevant items at the top a metric is no lower than without them (LR definition 2.2)."
    searched = f"Searched: all positions within {n} of up to {most} relevant items."
    return LawTable.from_rows(rows, ("case",), describe, (searched, law))


def possible(kind: str) -> Callable[[Options], Findings]:
    """The partial order of all users, or of all providers."""
    return lambda options: partial_order(kind, single_value(kind, "relevant", options.relevant), options.level)


def describe(record: Mapping[str, Any], digits: int) -> str:
    return str(record["case"])


VIEWS: dict[str, tuple[Callable[[Options], Findings], tuple[str, ...], tuple[int, ...], tuple[int, ...]]] = {
    # LR does not print the persistence of its RBP; 0.5 is that of the authors' code.
    "orientation": (
        orientations,
        ("RR", "nDCG", "AP", "R@1000", "RP", "RBP(p=0.5)", "TSE"),
        (10**5,),
        tuple(range(1, 16)),
    ),
    "ties": (ties, ("TSE", "R@1000", "RP", "AP", "LexiRecall"), (10**3, 10**4, 10**5, 10**6), (10,)),
    "depth": (ties_by_depth, ("LexiRecall", "TSE", "AP", "nDCG", "R@1000", "RP"), (250_000,), tuple(range(5, 51))),
    "properties": (properties, ("AP", "nDCG", "RBP(p=0.8)", "RR", "TSE", "LexiRecall"), (9,), (3,)),
    "top-heaviness": (top_heaviness, ("AP", "nDCG", "RBP(p=0.8)", "RR", "TSE"), (9,), (5,)),
    "users": (possible("users"), (), (), (5,)),
    "providers": (possible("providers"), (), (), (5,)),
}
"""A view, and the measures, numbers of items and of relevant items that are its defaults; none where it takes none."""
