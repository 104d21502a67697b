"""How far measures say the same of the same runs (LR 6.2.1; LP 3.6, 5.1; RPP 2, 4.1, 6.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from tiebreak._base.text import plural
from tiebreak._kernels.interface import Tick
from tiebreak.errors import InputError, UnknownNameError
from tiebreak.experiment import Experiment
from tiebreak.metrics import Metric
from tiebreak.notes import reading_notes
from tiebreak.preferences import Preference
from tiebreak.preferences import preference as preference_of
from tiebreak.studies._agreement.differences import difference, surface
from tiebreak.studies._agreement.levels import level, level_measure
from tiebreak.studies._agreement.locality import locality
from tiebreak.studies._agreement.orders import order, orderable
from tiebreak.studies._agreement.pairs import preference, sign
from tiebreak.studies._agreement.suffix import suffix
from tiebreak.studies.base import Findings
from tiebreak.studies.measures import list_measures

__all__ = ["VIEWS", "agreement", "check"]

OF_MEASURES: dict[str, tuple[Callable[..., Findings], tuple[str, ...]]] = {
    "preference": (preference, ("LexiRecall", "R@1000", "RP", "AP", "nDCG", "nDCG@10", "RR")),
    "sign": (sign, ("RPP", "AP", "nDCG", "ASL(n='union')", "RR", "OI", "OI(user='dcg')")),
    "order": (order, ("RR", "invRPP", "RPP", "dcgRPP", "AP", "nDCG")),
    "difference": (difference, ("RBP(p=0.5)", "binary_nDCG", "RPP")),
    "surface": (surface, ("RBP(p=0.5)", "binary_nDCG", "RPP")),
    "level": (level, ("RPP", "AP", "binary_nDCG", "RBP(p=0.8)", "RR")),
}
"""Views of measures, with those that the papers look at."""
BETWEEN_MEASURES: dict[str, Callable[[Any], Any]] = {
    "preference": preference_of,
    "sign": preference_of,
    "order": orderable,
}
"""Views that need two measures, and what makes one of what was given; the others see levels of each."""
OF_POSITIONS: dict[str, Callable[..., Findings]] = {"suffix": suffix, "locality": locality}
"""Views of recall levels, which ask for no measure."""
VIEWS = ("preference", "sign", "order", "suffix", "locality", "difference", "surface", "level")


def agreement(
    experiment: Experiment,
    view: str = "preference",
    measures: str | Preference | Metric | Iterable[str | Preference | Metric] | None = None,
    *,
    jobs: int = 1,
    tick: Tick | None = None,
    **how: Any,
) -> Findings:
    """How far measures agree, over all pairs of runs in all requests.

    Parameters
    ----------
    experiment : Experiment
    view : str
        ``"preference"``: how often one measure agrees where another sees a difference (LR Fig 10). ``"sign"``: Pearson
        correlation of the sizes of preferences and agreement of their signs, ties among them (RPP Fig 5; `points`,
        `seed`). ``"order"``: correlation of the orders of runs (RPP Table 2; `ordering`, `correlation`). ``"suffix"``:
        how often later recall levels tell what the first one says (LP Table 1). ``"locality"``: correlation and
        regression of reciprocal ranks at neighbouring recall levels (LP Fig 7; `levels`, `window`). ``"difference"``:
        what recall levels contribute to differences, as a distribution (RPP Fig 2, right). ``"surface"``: what one
        level would contribute, by its two positions (RPP Fig 2, left; `deepest`). ``"level"``: contributions of two
        runs by recall level (RPP Fig 4; `run`, `other`, `request`).
    measures : specs, preferences or metrics, optional
        By default those that the papers look at. Differences by level need recall-level metrics, or RPP.
    jobs : int
        Threads, which do not change the result.
    tick : callable, optional
        Called with the work done and the work in all.
    **how
        What the view takes, named above.

    Examples
    --------
    >>> runs = [{"q": {"a": 3.0, "x": 2.0, "b": 1.0}}, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}]
    >>> made = Experiment({"q": {"a": 1, "b": 1}}, runs)
    >>> for row in agreement(made, measures=["LexiRecall", "R@5"]).rows():      # recall ties
    ...     print(*row)
    LexiRecall LexiRecall 1 1 1.0
    LexiRecall R@5 1 0 0.0
    R@5 LexiRecall 0 0 None
    R@5 R@5 0 0 None
    """
    chosen = check(view, measures)
    if len(experiment.runs) < 2:
        raise InputError("agreement is over pairs of runs; there is one run.", kind="runs")
    if view in OF_POSITIONS:
        found = OF_POSITIONS[view](experiment, jobs=jobs, tick=tick, **how)
    else:
        found = OF_MEASURES[view][0](experiment, chosen, jobs=jobs, tick=tick, **how)
    positions = experiment.positions
    over = f"Of {plural(len(positions.runs), 'run')} and {plural(int((positions.relevant() > 0).sum()), 'request')}."
    return replace(found, details=(*found.details, over, *reading_notes(positions)), library=positions.library)


def check(view: str, measures: Any = None, **others: Any) -> list[Any]:
    """The measures that a view is to look at; what cannot be meant is refused before anything is read."""
    if view not in VIEWS:
        raise UnknownNameError("view", view, VIEWS)
    if view in OF_POSITIONS:
        if measures is not None:
            raise InputError(f"view={view!r} looks at positions and takes no measures. Leave them out.", kind="choice")
        return []
    chosen = list(OF_MEASURES[view][1]) if measures is None else list_measures(measures)
    if view in BETWEEN_MEASURES and len(chosen) < 2:
        raise InputError("agreement is between measures; there is one. Give at least two.", kind="empty")
    for measure in chosen:
        BETWEEN_MEASURES.get(view, level_measure)(measure)
    return chosen
