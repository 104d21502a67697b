"""The worst-off of all users who want some of the relevant items (LR 4.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.analysis.sources import Readable, read_positions
from tiebreak.analysis.theory import recall_level_metric, worst_case_is_tse
from tiebreak.errors import InputError
from tiebreak.inputs import Ids
from tiebreak.metrics import Metric, RecallLevelMetric
from tiebreak.metrics.possible_users import MOST_ENUMERATED, possible_users, user_utilities
from tiebreak.projection import Positions
from tiebreak.projection.primitives import UNRETRIEVED, Floats, Ranks
from tiebreak.results.record import LazyRows, Result

METHODS = {
    "theorem": "who wants the last relevant item alone, or one that is not retrieved (LR theorem C.1)",
    "enumeration": "the minimum over all who want some of the relevant items (LR eq 4)",
}


class WorstOffUser(NamedTuple):
    """The utility of the worst-off user of one ranking, and the items that make that user."""

    run: str
    request: str
    utility: float
    items: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class WorstCase(Result):
    """The worst-off user of every run and request.

    Attributes
    ----------
    runs : tuple of str
    requests : Ids
    metric : str
    method : {"theorem", "enumeration"}
        Total search efficiency by LR theorem C.1, or the minimum over all users.
    utility : array [run, request]
        NaN where a request has no relevant item.
    entries : Positions
        The relevant items.
    is_worst : bool array [run, entry]
        Items each of which alone makes a worst-off user. If only several items together do, which happens with no
        metric of the catalogue, the items of one such user.
    """

    runs: tuple[str, ...]
    requests: Ids
    metric: str
    method: str
    utility: Floats
    entries: Positions
    is_worst: NDArray[np.bool_]
    notes: tuple[str, ...] = ()
    columns = WorstOffUser._fields

    @property
    def settings(self) -> dict[str, Any]:
        return {"metric": self.metric, "method": self.method, **self.more_settings}

    def rows(self) -> Sequence[WorstOffUser]:
        """One row per run and request with a relevant item."""
        return LazyRows(int(np.count_nonzero(~np.isnan(self.utility))), self._rows)

    def _rows(self) -> Iterator[WorstOffUser]:
        layout = self.entries.layout
        stored = np.argsort(layout.request_order).tolist()
        requests = list(self.requests)
        for r, run in enumerate(self.runs):
            for q, request in enumerate(requests):
                if np.isnan(self.utility[r, q]):
                    continue
                span = np.arange(layout.starts[stored[q]], layout.starts[stored[q] + 1])
                worst = self.entries.item[span[self.is_worst[r, span]]].tolist()
                items = tuple(self.entries.items[item] for item in worst)
                yield WorstOffUser(run, request, float(self.utility[r, q]), items)


def worst_case(positions: Positions | Readable, metric: str | Metric = "AP") -> WorstCase:
    r"""Utility of the worst-off of all users who want some of the relevant items (LR 4.1).

    .. math:: \mathrm{WC}_\mu = \min_{u \subseteq \mathcal{R},\, u \ne \emptyset} \mu(\pi, u) = e(p_m)

    The worst-off user wants only the item at the last recall level, or only items that were not retrieved. The second
    equality is a theorem for top-heavy metrics whose exposure strictly decreases (`worst_case_is_tse`); for others
    all users are enumerated, if no request has more than 15 relevant items. Relevance is binary here: graded
    nDCG is taken in its binary form.

    Parameters
    ----------
    positions : Positions or Experiment
    metric : str or Metric
        A recall-level metric: the utility of a ranking for a user.

    Examples
    --------
    >>> import tiebreak as tb
    >>> for row in worst_case(tb.positions([[2, 5, 4], [4, None, None]]), "AP").rows():
    ...     print(row.run, row.utility, row.items)
    run1 0.2 ('d2',)
    run2 0.0 ('d2', 'd3')
    """
    form = recall_level_metric(metric)
    entries = read_positions(positions, form).only_relevant(form.rel)
    largest = int(entries.layout.sizes.max(initial=1))
    positions_here = np.unique(entries.ranks[entries.ranks != UNRETRIEVED]).tolist()
    by_theorem = worst_case_is_tse(form, max(largest, 1), positions_here)
    if not by_theorem and largest > MOST_ENUMERATED:
        raise InputError(
            f"{metric}: the worst-off user is known only for top-heavy metrics whose exposure strictly decreases, such "
            f"as AP or nDCG without a cutoff, or by enumerating all users, up to {MOST_ENUMERATED} relevant items "
            f"per request; the largest request here has {largest}.",
            kind="top_heavy",
        )
    find = last_items if by_theorem else enumerate_users
    utility = np.full((len(entries.runs), len(entries.requests)), np.nan)
    is_worst = np.zeros(entries.ranks.shape, dtype=bool)
    for m, requests, span in entries.layout.blocks():
        p = entries.ranks[:, span].reshape(len(entries.runs), -1, m)
        utility[:, requests], worst = find(form, p)
        is_worst[:, span] = worst.reshape(len(entries.runs), -1)
    method = "theorem" if by_theorem else "enumeration"
    return WorstCase(
        entries.runs,
        entries.requests,
        str(metric),
        method,
        utility,
        entries,
        is_worst,
        (f"The worst-off of all users by {metric}: {METHODS[method]}.",),
        library=entries.library,
    )


def last_items(form: RecallLevelMetric, p: Ranks) -> tuple[Floats, NDArray[np.bool_]]:
    """Total search efficiency, as z(1, 1) is 1, and the items at the last recall level: several only if unretrieved."""
    last = p.max(-1, keepdims=True)
    return form.score(last), p == last


def enumerate_users(form: RecallLevelMetric, p: Ranks) -> tuple[Floats, NDArray[np.bool_]]:
    """The smallest utility over all users, and the items that make one, of ``p[run, request, m]`` in any order."""
    order = np.argsort(p, axis=-1, kind="stable")
    increasing = np.take_along_axis(p, order, axis=-1)
    users = possible_users(p.shape[-1])
    utility, of_levels = np.empty(p.shape[:-1]), np.zeros(p.shape, dtype=bool)
    for q in range(p.shape[1]):
        values = user_utilities(form, increasing[:, q])
        utility[:, q] = values.nearest.min(axis=1)
        lowest = np.flatnonzero((values.nearest == utility[:, q, None]).any(axis=0))
        codes = values.take_columns(lowest).codes()
        for run, is_least in enumerate(codes == codes.min(axis=1, keepdims=True)):
            worst = [users[k] for k in lowest[is_least].tolist()]
            alone = [user for user in worst if len(user) == 1]
            of_levels[run, q, [level for user in alone or worst[:1] for level in user]] = True
    is_worst = np.zeros(p.shape, dtype=bool)
    np.put_along_axis(is_worst, order, of_levels, axis=-1)
    return utility, is_worst
