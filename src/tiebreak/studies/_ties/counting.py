"""How often measures tie: the share of all (pair of runs, request) between which they see no difference."""

from __future__ import annotations

from typing import Any

from tiebreak._base.text import plural
from tiebreak.comparison import Comparison, compare
from tiebreak.experiment import Experiment
from tiebreak.notes import reading_notes, warn_about_grades
from tiebreak.projection import Positions
from tiebreak.results.plots import Picture
from tiebreak.studies.base import Findings, run_tasks
from tiebreak.studies.measures import Measures, inner_metric


def tied_shares(positions: Positions, measures: Measures) -> list[float]:
    """The share of (pair of runs, request) that each measure ties."""
    return [share_tied(compare(positions, made)) for made in measures.values()]


def share_tied(compared: Comparison) -> float:
    return int((compared.numerator == 0).sum()) / compared.numerator.size


def notes_on(positions: Positions, measures: Measures) -> tuple[str, ...]:
    """Which data this is, with a warning where measures do not mean the same items."""
    warn_about_grades([inner for made in measures.values() if (inner := inner_metric(made)) is not None], positions)
    counted = int((positions.relevant() > 0).sum())
    return (f"{plural(len(positions.runs), 'run')}, {plural(counted, 'request')}.", *reading_notes(positions))


def by_measure(experiment: Experiment, measures: Measures, jobs: int, tick: Any) -> Findings:
    """LR Fig 11, LP Table 2."""

    def row(name: str) -> tuple[str, int, int, float]:
        compared = experiment.compare(measures[name])
        return name, compared.numerator.size, int((compared.numerator == 0).sum()), share_tied(compared)

    said = notes_on(experiment.positions, {})
    rows = run_tasks(row, measures, jobs, tick)
    shares = ", ".join(f"{name} {share:.1%}" for name, _, _, share in sorted(rows, key=lambda row: -row[-1]))
    return Findings(
        ("measure", "compared", "tied", "share"),
        tuple(rows),
        f"Tied comparisons of two runs in one request: {shares}.",
        said,
        Picture("bar", "share", "measure", titles=(("share", "share of comparisons that tie"),)),
    )
