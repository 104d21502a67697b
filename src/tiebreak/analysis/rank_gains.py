"""Where alpha-beta-nDCG comes from: the gain of every rank, and what it leaves of a user's interests (AB eqs 4-16)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak._base.checks import find_run
from tiebreak._base.text import join_names
from tiebreak.errors import InputError
from tiebreak.inputs.ids import Ids
from tiebreak.metrics import Metric
from tiebreak.metrics import metric as find_metric
from tiebreak.metrics.diversity.base import Codes
from tiebreak.metrics.diversity.candidates import candidates
from tiebreak.metrics.diversity.noisy_or import NoisyOrDCG, NoisyOrNDCG, discount_divisors
from tiebreak.metrics.diversity.remaining_interest import RemainingInterest
from tiebreak.projection import Positions
from tiebreak.projection.aspect_rankings import NOBODY, AspectRankings
from tiebreak.projection.primitives import Floats
from tiebreak.results.cells import Cell, column, grade_column
from tiebreak.results.drawable import Drawable
from tiebreak.results.record import Rows

if TYPE_CHECKING:
    from tiebreak.results.plots import Drawing

FIXED = ("list", "rank", "item", "rating", "aspects", "gain", "discounted")
IDEAL = "ideal"
MOST_ASPECTS = 6
"""Interests that tables show, the largest first."""


@dataclass(frozen=True, eq=False, repr=False)
class RankGains(Drawable, Rows[tuple[Any, ...]]):
    """The first items of a ranking and of the ideal one, each with its gain and what it leaves of every interest.

    The row of rank 0 has the interests before anything is shown. Columns such as ``left: war`` are those of the user's
    interests, the largest first.

    Attributes
    ----------
    interests : tuple of str
        The aspects that interest the user.
    value : float
        The measure of this ranking.
    """

    interests: tuple[str, ...] = ()
    value: float = 0.0

    @property
    def columns(self) -> tuple[str, ...]:
        return (*FIXED, *(f"left: {name}" for name in self.interests))

    @property
    def table_cells(self) -> Mapping[str, Cell]:
        cells = {name: column(name) for name in self.columns[: len(FIXED) + MOST_ASPECTS]}
        return cells | {"rating": grade_column("rating")}

    @property
    def optional_columns(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("rating", "aspects", *reversed(self.columns[len(FIXED) :]))

    @property
    def pictures(self) -> Mapping[str, Callable[[], Drawing]]:
        """What every rank adds, in this list and in the ideal one."""
        from tiebreak.results.pictures import rank_gain_lines

        measure, run, request = (self.settings[name] for name in ("measure", "run", "request"))
        title = f"Request {request}: what every rank of {run} adds to {measure}"
        rows = [(row[0], row[1], row[6]) for row in self.values if row[1]]
        return {"gains": lambda: rank_gain_lines(title, rows, self.notes[:1])}


def rank_gains(positions: Positions, run: str, request: str, measure: str | Metric) -> RankGains:
    """The gain of every rank of a ranking and of the ideal one.

    Parameters
    ----------
    positions : Positions
        Read with the aspects of items, to the cutoff of the measure.
    run, request : str
    measure : str or Metric
        Such as ``"alpha_beta_nDCG@10"``, or another whose gains are what is left of interests.

    Examples
    --------
    >>> import tiebreak as tb
    >>> exp = tb.Experiment({"u": {"a": 4, "b": 2}}, {"u": {"b": 2.0, "a": 1.0}},
    ...                     aspects={"a": ["war"], "b": ["war", "love"]})
    >>> gains = exp.explain("run1", request="u", measure="alpha_beta_nDCG(beta=1)@2")
    >>> [(row[0], row[2], row[5]) for row in gains.rows() if row[1]]     # interests 6/8 and 2/8; 1 - 5/8 x 7/8, 3/8
    [('run1', 'b', 0.453125), ('run1', 'a', 0.375), ('ideal', 'a', 0.75), ('ideal', 'b', 0.125)]
    """
    chosen = find_metric(measure)
    if not isinstance(chosen, NoisyOrDCG):
        raise InputError(
            f"{measure} has no gains that interests leave. Give alpha_beta_nDCG, alpha_beta_DCG or vargas_nDCG, with a "
            "cutoff such as @10.",
            kind="choice",
        )
    place, row = positions.requests.place(request, "request"), find_run(run, positions.runs)
    value = float(chosen.evaluate(positions)[row, place])
    user = User(chosen, positions, place)
    shown = user.show(run, *user.ranking(row))
    ideal = IDEAL if run != IDEAL else f"{IDEAL} list"
    lists = [shown, user.show(ideal, *user.ideal())] if isinstance(chosen, NoisyOrNDCG) else [shown]
    notes = (
        f"Request {request}: {measure} of {run} is {value:.4f}.",
        "gain: how likely the item serves an interest that is left; discounted: what it adds; left: what is left of an "
        "interest after this rank.",
        *user.notes(lists),
    )
    settings = {"measure": str(measure).strip(), "run": run, "request": request}
    rows = tuple(row for rows in lists for row in rows)
    return RankGains(rows, notes, user.names, value, library=positions.library, more_settings=settings)


class User:
    """One user's interests, and what rankings leave of them."""

    def __init__(self, metric: NoisyOrDCG, positions: Positions, place: int) -> None:
        self.metric, self.positions, self.place = metric, positions, place
        self.rankings: AspectRankings = positions.aspect_rankings
        self.all_interests: Floats = metric.interests(self.rankings)
        own = self.all_interests[place, :-1]
        self.aspects = [k for k in np.argsort(-own, kind="stable").tolist() if own[k] > 0]
        self.names = tuple(self.rankings.table.labels[k] for k in self.aspects)

    def ranking(self, run: int) -> tuple[list[str], Codes, Floats]:
        """Names, items and ratings of a run, to the cutoff; the table may know nothing of some."""
        assert self.positions.top is not None, "rankings were read with their first items"
        item = self.rankings.item[run, self.place, : self.metric.depth]
        item = item[item != NOBODY]
        top = self.positions.top[run]
        begin, names = int(top.starts[self.place]), Ids(*top.items)
        return (
            [names[begin + k] for k in range(len(item))],
            item,
            self.rankings.rating[run, self.place, : len(item)],
        )

    def ideal(self) -> tuple[list[str], Codes, Floats]:
        """Names, items and ratings of the greedy order, without items of which the table knows nothing."""
        assert isinstance(self.metric, NoisyOrNDCG)
        unknown = len(self.rankings.table.items)
        for requests, item, rating in candidates(self.rankings, self.metric.pool, self.metric.depth):
            row = np.flatnonzero(requests == self.place)
            if len(row):
                best, _ = self.metric.greedy(self.rankings, self.all_interests, requests[row], item[row], rating[row])
                # Where nothing gains any more, the greedy order stays where it is: the rest follows by id.
                order = list(dict.fromkeys([*best[0].tolist(), *range(item.shape[1])]))
                known = [k for k in order if item[row[0], k] not in (NOBODY, unknown)][: self.metric.depth]
                items = item[row[0], known]
                return [self.item_name(code) for code in items.tolist()], items, rating[row[0], known]
        return [], np.zeros(0, dtype=np.int64), np.zeros(0)

    def show(self, title: str, names: list[str], item: Codes, rating: Floats) -> list[tuple[Any, ...]]:
        """The rows of a list: what every rank gains and leaves."""
        remaining = RemainingInterest(self.all_interests[[self.place]], self.rankings.table)
        rows: list[tuple[Any, ...]] = [(title, 0, None, None, None, None, None, *self.left(remaining))]
        chance = self.metric.chance(self.rankings, np.array([self.place]), item[None], rating[None])[0]
        divisors = discount_divisors(self.metric.discount, max(len(item), 1))
        for k, name in enumerate(names):
            gain = float(remaining.show(item[[k]], chance[[k]])[0])
            known = None if np.isnan(rating[k]) else float(rating[k])
            about = (name, known, self.aspect_names(self.rankings.table.of_item[item[k]]))
            rows.append((title, k + 1, *about, gain, gain / float(divisors[k]), *self.left(remaining)))
        return rows

    def left(self, remaining: RemainingInterest) -> list[float]:
        return [float(remaining.left[k]) for k in self.aspects]

    def item_name(self, code: int) -> str:
        """The id of an item of the table; where that is of subtopics, its rows are judgements."""
        rankings, judgements = self.rankings, self.positions.judgements
        if rankings.own is None:
            return rankings.table.items[code]
        assert judgements is not None
        return judgements.items[int(judgements.item[code])]

    def aspect_names(self, slots: Codes) -> str:
        labels = self.rankings.table.labels
        return join_names([labels[k] for k in slots.tolist() if k < len(labels)]) or "-"

    def notes(self, lists: Sequence[list[tuple[Any, ...]]]) -> Iterator[str]:
        """The sums of both lists, and interests that tables leave out."""
        sums = [sum(row[6] for row in rows if row[1]) for rows in lists]
        if len(sums) > 1:
            yield f"Discounted gains: {sums[0]:.4f}, over {sums[1]:.4f} of the ideal list."
        if len(self.names) > MOST_ASPECTS:
            yield f"Tables show {MOST_ASPECTS} of {len(self.names)} interests, the largest first."
