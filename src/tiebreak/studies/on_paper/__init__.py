"""What measures are by themselves, without any data: where they look, when they tie, what they promise (LR, LP)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tiebreak._kernels.interface import Tick
from tiebreak.errors import UnknownNameError
from tiebreak.metrics import Metric
from tiebreak.preferences import Preference
from tiebreak.studies.base import Findings
from tiebreak.studies.measures import Measure
from tiebreak.studies.on_paper.agreement import AGREEMENT
from tiebreak.studies.on_paper.asked import View, ask
from tiebreak.studies.on_paper.order import DIAGRAM, REGION
from tiebreak.studies.on_paper.promises import PROPERTIES
from tiebreak.studies.on_paper.sensitivity import ORIENTATION, STOCHASTIC
from tiebreak.studies.on_paper.ties import FIRST, TIES

__all__ = ["VIEWS", "Measure", "orientation"]

VIEWS: dict[str, View] = {
    "orientation": ORIENTATION,
    "region": REGION,
    "agreement": AGREEMENT,
    "ties": TIES,
    "first": FIRST,
    "stochastic": STOCHASTIC,
    "diagram": DIAGRAM,
    "properties": PROPERTIES,
}


def orientation(
    measures: str | Metric | Preference | Callable[[tuple[float, ...]], float] | Iterable[Measure] | None = None,
    *,
    by: str = "orientation",
    items: int | Iterable[int] | None = None,
    relevant: int | Iterable[int] | None = None,
    pairs: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    tick: Tick | None = None,
) -> Findings:
    r"""What measures are by themselves: no judgements and no runs are needed (LR 3-5, 7.2.4, appendix B; LP 2-3).

    Parameters
    ----------
    measures : str, Metric, Preference or function, or several, optional
        By default those of the paper's table or figure. A function takes the increasing positions of relevant items.
    by : str
        What is looked at.

        - ``"orientation"``: what a metric loses when the first relevant item falls to just above the others, and when
          the last one falls to the bottom (LR 3.1, Fig 5).
        - ``"region"``: where the first and the last relevant item can stand, and how likely (LR Fig 7).
        - ``"agreement"``: how often a measure prefers the ranking whose worst-off user has more (LR Table 2).
        - ``"ties"``: how often a measure ties two random rankings (LR Tables 3 and 4).
        - ``"first"``: how likely RR ties with a random ranking, by the position of the first relevant item (LP Fig 2).
        - ``"stochastic"``: the worst-off user of an optimal ranking, in one fixed order or in one drawn anew each time
          (LR Fig 16).
        - ``"diagram"``: all rankings from the worst to the best, tied ones side by side (LP Fig 1).
        - ``"properties"``: which properties hold, by trying all small cases (LR Table 8).
    items : int or several, optional
        Number of items in the corpus, n.
    relevant : int or several, optional
        Number of relevant items, m; for ``"agreement"`` those that are drawn from, for ``"properties"`` the largest.
    pairs : int
        How many pairs of rankings are drawn, where not all can be gone through.
    seed : int
        Of what is drawn.
    jobs : int
        Threads.
    tick : callable, optional
        Hears (done, all).

    Examples
    --------
    >>> for row in orientation(["RR", "AP"], items=10, relevant=2).rows():
    ...     print(*row)
    RR 2 precision 0.8888888888888888
    AP 2 precision 0.4444444444444444
    RR 2 recall 0.0
    AP 2 recall 0.4
    """
    if by not in VIEWS:
        raise UnknownNameError("view", by, VIEWS)
    view = VIEWS[by]
    return view.study(ask(by, view, measures, items, relevant, pairs, seed, jobs, tick))
