"""Ties: how often measures see no difference between two runs, and where that comes from (LR 6.2; LP 2-5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_count, check_several, check_share, check_two_runs
from tiebreak._base.text import plural
from tiebreak._kernels.interface import Tick
from tiebreak.comparison import compare
from tiebreak.errors import InputError
from tiebreak.experiment import Experiment
from tiebreak.notes import warn_about_grades
from tiebreak.preferences import Preference
from tiebreak.projection import UNRETRIEVED, Positions
from tiebreak.projection.primitives import Floats
from tiebreak.projection.sampling import sample_labels
from tiebreak.results.plots import Picture
from tiebreak.studies.base import Findings, data_notes, run_tasks, sample_seeds, study_from_catalogue
from tiebreak.studies.measures import (
    Measure,
    Measures,
    check_positions_suffice,
    inner_metric,
    label_notes,
    labels_drawn,
    preferences_by_name,
)

MEASURES = ("LexiRecall", "LexiPrecision", "RPP", "AP", "nDCG", "RR", "R@1000", "RP")
"""Those of LR Figs 11 and 14 and of LP Table 2, and RPP."""
FRACTIONS = tuple(k / 10 for k in range(10, 0, -1))
SAMPLED_BY = {"labels": "uniform", "pool": "runs"}
KEPT = {"labels": "", "pool": "in proportion to the number of runs that retrieve an item, "}
SHARE = ("share", "share of comparisons that tie")
SPREAD = ("measure", "share", "sd", "low", "high")
Counts = NDArray[np.int64]


@study_from_catalogue("experiment")
def ties(
    experiment: Experiment,
    measures: Measure | Iterable[Measure] | None = None,
    *,
    view: str = "measure",
    levels: int = 20,
    remove: str = "labels",
    samples: int = 10,
    fractions: float | Iterable[float] = FRACTIONS,
    depths: int | Iterable[int] | None = None,
    seed: int = 0,
    jobs: int = 1,
    tick: Tick | None = None,
) -> Findings:
    """How often measures tie two runs in one request.

    Parameters
    ----------
    measures : str, Preference, Metric or several, optional
        By default lexirecall, lexiprecision, RPP, AP, nDCG, RR, R@1000 and RP. The views of recall levels and of
        retrieved items take none.
    view : {"measure", "level", "retrieved", "labels", "depth"}
        The share of ties by measure (LR Fig 11, LP Table 2); by recall level (LP Fig 5); how many relevant items
        rankings retrieve (LP 3.6), which limits the levels that can differ; the share of ties as relevance labels are
        removed (LR Fig 14, LP Fig 9); or as rankings are truncated.
    levels : int
        How many recall levels ``view="level"`` shows.
    remove : {"labels", "pool"}
        Whether labels are removed uniformly, or with pooling bias: those of items that few runs retrieve first.
    samples : int
        Random samples of the labels.
    fractions : float or several
        Shares of labels that are kept.
    depths : int or several, optional
        Where rankings are truncated, by default at 1, 2, 5, 10, ... items.

    Examples
    --------
    >>> runs = {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}, {"q": {"a": 2.0, "b": 1.0}}
    >>> exp = Experiment({"q": {"a": 1, "b": 1}}, runs)
    >>> ties(exp, ["RR", "LexiPrecision"]).rows()
    (('RR', 1, 1, 1.0), ('LexiPrecision', 1, 0, 0.0))
    """
    preferences = check(measures, view)
    levels = check_count(levels, "levels")
    kept = check_several(fractions, "fraction", check_share)
    cutoffs = None if depths is None else check_several(depths, "depth", check_count)
    if view in ("labels", "depth"):
        experiment.read(preferences.values())
        metrics = map(inner_metric, preferences.values())
        positions = experiment.positions
        graded = [metric for metric in metrics if metric is not None]
        warn_about_grades(graded, positions.grade_scale.lowest, positions.min_grade)
    if view == "measure":
        study = by_measure(experiment, preferences, jobs, tick)
    elif view == "labels":
        seeds = sample_seeds(seed, samples)
        study = by_labels(experiment.positions, preferences, remove, kept, seeds, seed, jobs, tick)
    elif view == "depth":
        study = by_depth(experiment.positions, preferences, cutoffs, jobs, tick)
    elif view == "retrieved":
        study = retrieved_items(experiment.positions)
    else:
        study = by_level(experiment.positions, levels)
    return replace(study, library=experiment.positions.library)


def check(measures: Any = None, view: str = "measure", **others: Any) -> dict[str, Preference]:
    """Validate before reading; the measures of a view, by their names."""
    if measures is not None and view in ("level", "retrieved"):
        raise InputError(f'view="{view}" uses positions only; it takes no measures.', kind="choice")
    preferences = preferences_by_name(MEASURES if measures is None else measures)
    if view in ("labels", "depth"):
        advice = f'view="{view}" takes measures such as AP.'
        check_positions_suffice(preferences, advice, of_labels=view == "labels")
    return preferences


def by_measure(experiment: Experiment, measures: Measures, jobs: int, tick: Tick | None) -> Findings:
    """LR Fig 11, LP Table 2."""

    def row(name: str) -> tuple[str, int, int, float]:
        numerator = experiment.compare(measures[name]).numerator
        tied = int((numerator == 0).sum())
        return name, numerator.size, tied, tied / numerator.size

    rows = run_tasks(row, measures, jobs, tick)
    shares = ", ".join(f"{name} {share:.1%}" for name, _, _, share in sorted(rows, key=lambda row: -row[-1]))
    return Findings(
        ("measure", "compared", "tied", "share"),
        tuple(rows),
        f"Tied comparisons of two runs in one request: {shares}.",
        data_notes(experiment.positions),
        Picture("bar", "share", "measure", titles=(SHARE,)),
    )


# As data shrink


def by_labels(
    positions: Positions,
    measures: Measures,
    remove: str,
    fractions: Sequence[float],
    seeds: Sequence[int],
    seed: int,
    jobs: int,
    tick: Tick | None,
) -> Findings:
    """LR Fig 14, LP Fig 9."""

    def shares(task: tuple[float, int]) -> list[float]:
        fraction, sample_seed = task
        by = SAMPLED_BY[remove]
        kept = cache(lambda of: sample_labels(positions, fraction, seed=sample_seed, by=by, of=of))
        return [
            share
            for name, one in measures.items()
            for share in tie_shares(kept(labels_drawn(one, positions)), {name: one})
        ]

    tasks = [(fraction, sample_seed) for fraction in fractions for sample_seed in seeds]
    values = np.array(run_tasks(shares, tasks, jobs, tick)).reshape(len(fractions), len(seeds), len(measures))
    titles = (("kept", "share of relevant items kept"), SHARE)
    return Findings(
        ("kept", *SPREAD),
        tuple(spread_rows(fractions, measures, values)),
        compare_ends(measures, values.mean(axis=1), fractions, lambda share: f"{share:.0%} of the labels"),
        (
            f"Of each request a share of the relevant items is kept, at least one, drawn {KEPT[remove]}"
            f"{plural(len(seeds), 'time')} with seed {seed}.",
            *label_notes(measures, positions),
            *spread_notes(measures, values),
            *data_notes(positions),
        ),
        Picture("line", "kept", "share", color="measure", band=("low", "high"), titles=titles),
        spread="measure",
    )


def by_depth(
    positions: Positions, measures: Measures, depths: Sequence[int] | None, jobs: int, tick: Tick | None
) -> Findings:
    """Rankings truncated at one depth after the other."""
    depths = round_depths(int(positions.retrieved.max())) if depths is None else depths
    values = np.array(run_tasks(lambda depth: tie_shares(truncate(positions, depth), measures), depths, jobs, tick))
    return Findings(
        ("depth", "measure", "share"),
        tuple(row[:3] for row in spread_rows(depths, measures, values[:, None])),
        compare_ends(measures, values, depths, lambda depth: plural(int(depth), "item")),
        ("Items below the depth count as not retrieved.", *identical_curves(measures, values), *data_notes(positions)),
        Picture("line", "depth", "share", color="measure", is_log=True, titles=(("depth", "items kept"), SHARE)),
        spread="measure",
    )


def tie_shares(positions: Positions, measures: Measures) -> list[float]:
    """The share of (pair of runs, request) that each measure ties."""
    numerators = (compare(positions, one).numerator for one in measures.values())
    return [int((numerator == 0).sum()) / numerator.size for numerator in numerators]


def round_depths(deepest: int) -> list[int]:
    """1, 2, 5, 10, ... below the deepest, and that one."""
    series = [step * 10**k for k in range(len(str(deepest))) for step in (1, 2, 5)]
    return [*(depth for depth in series if depth < deepest), max(deepest, 1)]


def truncate(positions: Positions, depth: int) -> Positions:
    """All rankings truncated: items below the depth are not retrieved."""
    return replace(
        positions,
        ranks=np.where(positions.ranks > depth, np.int32(UNRETRIEVED), positions.ranks),
        retrieved=np.minimum(positions.retrieved, depth).astype(np.int32),
        nonrelevant=None if positions.nonrelevant is None else truncate(positions.nonrelevant, depth),
        top=None,
        pool=None,
    )


def spread_rows(steps: Iterable[float], measures: Iterable[str], values: Floats) -> Iterator[tuple[Any, ...]]:
    """Mean, deviation and band, within 0 and 1, of ``values[step, sample, measure]``; one sample has no deviation."""
    mean = values.mean(axis=1)
    is_one = values.shape[1] == 1
    deviation = 0 * mean if is_one else values.std(axis=1, ddof=1)
    for step, means, deviations in zip(steps, mean.tolist(), deviation.tolist(), strict=True):
        for name, share, sd in zip(measures, means, deviations, strict=True):
            yield step, name, share, None if is_one else sd, max(share - sd, 0.0), min(share + sd, 1.0)


def spread_notes(measures: Iterable[str], values: Floats) -> Iterator[str]:
    """How far samples spread, of ``values[step, sample, measure]``, and which curves coincide."""
    if values.shape[1] == 1:
        yield "One sample has no spread."
    else:
        yield (
            f"Shares are means over the samples, whose standard deviation is at most "
            f"{values.std(axis=1, ddof=1).max():.3f}; other formats list it (sd), and bounds one sd away (low, high)."
        )
    yield from identical_curves(measures, values.mean(axis=1))


def identical_curves(measures: Iterable[str], shares: Floats) -> Iterator[str]:
    """A note on measures whose curves coincide."""
    curves = sorted(zip(shares.T.tolist(), range(shares.shape[1]), measures, strict=True))
    for _, group in groupby(curves, key=lambda curve: curve[0]):
        names = [name for _, _, name in group]
        if len(names) > 1:
            yield f"The same throughout: {', '.join(names)}."


def compare_ends(
    measures: Iterable[str], shares: Floats, steps: Sequence[float], describe: Callable[[float], str]
) -> str:
    """Which share of comparisons each measure ties at the largest and at the smallest step."""
    most, least = steps.index(max(steps)), steps.index(min(steps))
    ends = ", ".join(
        f"{name} {large:.1%} and {small:.1%}"
        for name, large, small in zip(measures, shares[most].tolist(), shares[least].tolist(), strict=True)
    )
    where = f"with {describe(steps[most])} and with {describe(steps[least])}"
    return f"Tied comparisons of two runs in one request, {where}: {ends}."


# By recall level


def count_equal_runs(values: NDArray[np.integer]) -> Counts:
    """How many of the other runs, along the first axis, have the same value."""
    return np.stack([np.count_nonzero(values == value, axis=0) - 1 for value in values]).astype(np.int64)


def by_level(positions: Positions, most: int) -> Findings:
    """The share of comparisons whose i-th relevant items have the same position, or none (LP Fig 5)."""
    check_two_runs(positions.runs, "a comparison")
    buckets = list(positions.levels().buckets())
    most = min(most, max(bucket.m for bucket in buckets))
    requests, tied, unretrieved = np.zeros((3, most), dtype=np.int64)
    for bucket in buckets:
        p = bucket.p[..., :most]
        equal = count_equal_runs(p)
        here = slice(p.shape[-1])
        requests[here] += p.shape[1]
        tied[here] += equal.sum(axis=(0, 1)) // 2
        unretrieved[here] += np.where(p == UNRETRIEVED, equal, 0).sum(axis=(0, 1)) // 2
    compared = requests * (len(positions.runs) * (len(positions.runs) - 1) // 2)
    rows = tuple(
        (i + 1, kind, int(requests[i]), int(compared[i]), int(count[i]), int(count[i]) / int(compared[i]))
        for kind, count in (("all", tied), ("both unretrieved", unretrieved))
        for i in range(most)
    )
    return Findings(
        ("level", "ties", "requests", "compared", "tied", "share"),
        rows,
        f"Two runs tie at the first recall level in {tied[0] / compared[0]:.1%} of comparisons, at level {most} in "
        f"{tied[-1] / compared[-1]:.1%}, and {unretrieved[-1] / compared[-1]:.1%} because neither retrieves that many.",
        ("For each level, the requests with at least that many relevant items.", *data_notes(positions)),
        Picture("line", "level", "share", color="ties", titles=(("level", "recall level"), SHARE)),
    )


# Retrieved items


def retrieved_items(positions: Positions) -> Findings:
    """How many relevant items rankings retrieve: mean and standard deviation (LP 3.6)."""
    levels = positions.levels()
    retrieved = levels.each(lambda p: np.count_nonzero(p != UNRETRIEVED, axis=-1))[:, levels.sizes > 0]
    rows = tuple(
        (run, counts.size, counts.mean().item(), sample_deviation(counts), int(counts.min()), int(counts.max()))
        for run, counts in [*zip(positions.runs, retrieved, strict=True), ("all runs", retrieved)]
    )
    _, rankings, mean, sd, *_ = rows[-1]
    spread = "" if sd is None else f" \N{PLUS-MINUS SIGN} {sd:.2f}"
    return Findings(
        ("run", "rankings", "mean", "sd", "least", "most"),
        rows,
        f"Relevant items retrieved per ranking: {mean:.2f}{spread}, mean and standard deviation of "
        f"{plural(rankings, 'ranking')}.",
        ("Of every run over its requests, and of all rankings together.", *data_notes(positions)),
        Picture(
            "bar",
            "mean",
            "run",
            titles=(("mean", "relevant items retrieved per ranking"),),
            title="Relevant items that rankings retrieve, on average",
        ),
    )


def sample_deviation(counts: Floats) -> float | None:
    """The standard deviation with n - 1; none of a single number."""
    return counts.std(ddof=1).item() if counts.size > 1 else None
