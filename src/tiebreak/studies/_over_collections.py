"""A study over several collections: a row for each, and means (RPP Table 2, PE Table 2, LR Figs 10 to 15)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

from tiebreak._base.checks import check_choice
from tiebreak._kernels.interface import Tick
from tiebreak.errors import InputError, TiebreakError
from tiebreak.experiment import Experiment
from tiebreak.inputs.collections import Collection, Places, find_collections
from tiebreak.projection import Positions
from tiebreak.results.overview import depth_class, documents_per_request
from tiebreak.studies._catalogue import CATALOGUE, Study
from tiebreak.studies._collection_findings import CollectionFindings, join_findings
from tiebreak.studies.base import Findings, check_options
from tiebreak.studies.measures import preferences_by_name

GROUPS = {"kind": "kind", "depth": "depth_class"}
"""What collections can be grouped by, and the column that says it."""


def over_collections(
    study: str,
    collections: Places,
    *,
    group_by: str | Iterable[str] = (),
    qrels: str | None = None,
    reading: Mapping[str, Any] | None = None,
    jobs: int = 1,
    tick: Tick | None = None,
    **options: Any,
) -> CollectionFindings:
    """Run a study of runs on several collections: a row for each of them (and measure), and means.

    One after the other is read and studied; where one fails, the others are studied all the same.

    Parameters
    ----------
    study : {"ties", "agreement", "power", "missing", "validity"}
    collections : path, several paths, or dict
        Folders with judgements (``qrels.txt``) and a folder ``runs``; folders of such folders; or a TOML file with a
        table for each: its `folder`, and where wanted its `kind`, its judgements (`qrels`), and how it is read, such as
        ``min_grade = 4``. Or the same as a dictionary by the names of the collections.
    group_by : {"kind", "depth"} or both, optional
        Means also by kind, as the collections say it, or by depth: shallow rankings have up to 100 items on average,
        standard ones up to 1000, deep ones more (LR 6.1.1).
    qrels : str, optional
        The name of the judgements in every folder; by default ``qrels`` with any ending.
    reading : dict, optional
        How all collections are read, as in `Experiment`, such as ``{"min_grade": 2}``.
    **options
        Those of the study.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     for seed, name in enumerate(("one", "two")):
    ...         written = tb.simulate(8, systems=["deep", "top-heavy"], seed=seed).write(f"{folder}/{name}")
    ...     result = tb.studies.over_collections("ties", folder, measures="RR")
    >>> [row[:2] for row in result.rows()]
    [('one', 'RR'), ('two', 'RR'), ('mean', 'RR')]
    """
    entry = CATALOGUE[check_choice(study, "study", [name for name, one in CATALOGUE.items() if one.averages])]
    by = [check_choice(one, "group_by", GROUPS) for one in ([group_by] if isinstance(group_by, str) else group_by)]
    run = study_of_runs(study, entry, options, jobs)
    places = find_collections(collections, qrels)
    if "kind" in by and not any(one.kind for one in places):
        raise InputError('no collection has a kind. List them in a TOML file with kind = "...".', kind="choice")
    parts: dict[str, Findings] = {}
    groups: dict[str, tuple[str, ...]] = {}
    failures: dict[str, str] = {}
    for done, one in enumerate(places):
        try:
            experiment = Experiment(one.judgements, one.runs, jobs=jobs, **{**(reading or {}), **one.reading})
            parts[one.name] = run(experiment, part_of_whole(tick, done, len(places)))
            groups[one.name] = tuple(group(one, experiment.positions, name) for name in by)
        except Exception as error:  # of any kind: hours of work on other collections are not lost
            failures[one.name] = str(error) if isinstance(error, TiebreakError) else f"{type(error).__name__}: {error}"
        if tick is not None:
            tick(100 * (done + 1), 100 * len(places))
    if not parts:
        lines = " ".join(f"{name}: {error}" for name, error in failures.items())
        raise InputError(f"no collection could be studied. {lines}", kind="collection")
    return join_findings(entry, parts, groups, failures, [GROUPS[name] for name in by])


def study_of_runs(
    study: str, entry: Study, options: Mapping[str, Any], jobs: int
) -> Callable[[Experiment, Tick | None], Findings]:
    """The study as a function of an experiment; what it cannot take is an error before anything is read."""
    module = import_module(f"tiebreak.studies._{study}")
    function = getattr(module, "from_runs", None) or getattr(module, study)
    (_, *parameters) = inspect.signature(function).parameters.values()
    defaults = {one.name: one.default for one in parameters}
    chosen = {name: list(value) if isinstance(value, Iterator) else value for name, value in options.items()}
    for name in chosen:
        check_choice(name, f"an option of {study}", defaults.keys() - {"jobs", "tick"})
    check_options(entry, {**defaults, **chosen, "jobs": jobs})
    if hasattr(module, "check"):
        to_read = module.check(**chosen)
    else:
        to_read = preferences_by_name(chosen.get("measures") or module.MEASURES)

    def run(experiment: Experiment, tick: Tick | None) -> Findings:
        experiment.read(to_read)
        how = {name: value for name, value in (("jobs", jobs), ("tick", tick)) if name in defaults}
        findings: Findings = function(experiment, **chosen, **how)
        return findings

    return run


def part_of_whole(tick: Tick | None, done: int, total: int) -> Tick | None:
    """Progress of one collection as percent of all; a study that counts again from 0 does not go back."""
    if tick is None:
        return None
    furthest = 0

    def part(now: int, end: int) -> None:
        nonlocal furthest
        furthest = max(furthest, 100 * now // max(end, 1))
        tick(100 * done + furthest, 100 * total)

    return part


def group(collection: Collection, positions: Positions, by: str) -> str:
    return collection.kind or "-" if by == "kind" else depth_class(documents_per_request(positions))
