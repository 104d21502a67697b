"""Orders of utilities by populations, and how they change with the requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from tiebreak._base.checks import check_names
from tiebreak._base.text import join_names, plural
from tiebreak._kernels.interface import Tick
from tiebreak.comparison import Comparison
from tiebreak.errors import InputError, UnknownNameError
from tiebreak.exact.held import Places
from tiebreak.inputs.attributes import id_text
from tiebreak.inputs.counted_utilities import CountedUtilities
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.orderings import Method, Ordering, is_method
from tiebreak.orderings.bootstrap import Bootstrap, check_resamples
from tiebreak.orderings.poisson import NOTE
from tiebreak.populations import Population, check_order_name, is_population
from tiebreak.populations.block_bootstrap import draw_ranks
from tiebreak.populations.bootstrap import bootstrap_ranks, requests_to_draw, samples
from tiebreak.populations.deciding import DECIDED_BY_PLACE
from tiebreak.populations.lexicographic import scores_by_tier
from tiebreak.populations.ordering import (
    BESIDE,
    BESIDE_GROUPS,
    BESIDE_WEIGHTED,
    DECIDED,
    DECIDED_BY_COUNTS,
    DECIDED_BY_GROUP,
    GROUPS,
    TIER,
    PopulationOrdering,
)

REST = "all other groups"
"""The last tier: groups that were not named."""


class UtilityOrders:
    """How `Utilities` orders runs."""

    table: UtilityTable
    measure: str
    notes: tuple[str, ...]
    groups: tuple[str, ...] | None
    more_settings: dict[str, Any]

    if TYPE_CHECKING:
        _is_of_groups: bool

        @classmethod
        def from_table(cls, table: UtilityTable, measure: str) -> Any: ...
        @property
        def _units(self) -> Any: ...
        def _population(self, by: Any) -> Population: ...
        def _check_groups(self) -> tuple[str, ...]: ...
        def _parts(self, labels: Sequence[str] | None = None) -> Iterator[tuple[str, UtilityTable]]: ...

    def order(
        self, by: str | Population | Method = "leximin", *, tiers: str | int | Iterable[str | int] | None = None
    ) -> Ordering:
        """Order the runs by a population, such as ``"leximin"`` or ``"cvar(share=0.1)"``, or by votes of requests.

        Parameters
        ----------
        by : str, Population or Method
            A population; or one of `orderings.CATALOGUE` that compares runs in every request, such as ``"mc4"``,
            ``"borda"`` or ``"copeland"``, as ``compare().order(by)`` does.
        tiers : str or int, or several, optional
            Groups by priority, the first one first: a population of the requests of each, of which a later one decides
            only where all before it tie. Groups that are not named are the last tier, together.

        Examples
        --------
        >>> utilities = tb.Utilities({"a": {"q": 0.5, "r": 0, "s": 1}, "b": {"q": 0.5, "r": 1, "s": 0.5}},
        ...                          groups={"q": "paid", "r": "free", "s": "free"})
        >>> utilities.order("mean", tiers=["paid"]).ranking()      # 0.5 and 0.5; then (0 + 1) / 2 and (1 + 0.5) / 2
        ['b', 'a']
        >>> utilities = tb.Utilities({"a": {"q": 1, "r": 0.2, "s": 0.2}, "b": {"q": 0, "r": 0.3, "s": 0.3}})
        >>> utilities.order("copeland").ranking(), utilities.order("mean").ranking()      # b wins two of three requests
        (['b', 'a'], ['a', 'b'])
        """
        check_order_name(by)
        if is_method(by) and not is_population(by):
            return self._comparison(by, tiers).order(cast("str | Method", by))
        chosen = self._population(by)
        if tiers is not None:
            several = [tiers] if isinstance(tiers, str) or not isinstance(tiers, Iterable) else tiers
            return self._order_by_tier(chosen, [id_text(name) for name in several])
        units = self._units
        chosen.check(units.table)
        more = () if chosen.is_number else ("The score is the number of runs below; equal utilities tie.",)
        groups = () if self.groups is None else (GROUPS,)
        scores = chosen.scores(units.table)
        ordering = PopulationOrdering.from_scores(
            units.measure,
            str(chosen.bare),
            self.table.runs,
            scores,
            reported=[chosen.number(score) for score in scores],
            notes=(f"Over {units._size}.", *more, *units.notes, *groups, *self._column_notes(chosen)),
            library=self.table.library,
            more_settings=self.more_settings,
        )
        requests = None if self.groups is None else self.table
        return replace(ordering, population=chosen, utilities=units.table, requests=requests)

    def _column_notes(self, chosen: Population, is_by_group: bool = True) -> Iterator[str]:
        """What columns beside the ranks mean; a place decides only for some populations."""
        beside = BESIDE_GROUPS if self._is_of_groups else BESIDE
        yield beside if self.table.weights is None else BESIDE_WEIGHTED
        if isinstance(chosen, DECIDED_BY_PLACE):
            by_group = self._is_of_groups or (self.groups is not None and is_by_group)
            is_counted = isinstance(self.table, CountedUtilities)
            yield DECIDED_BY_GROUP if by_group else DECIDED_BY_COUNTS if is_counted else DECIDED

    def _comparison(self, by: Any, tiers: object) -> Comparison:
        """All pairs of runs, for a method that compares them in every request."""
        if tiers is not None:
            raise InputError(f"tiers are for populations, such as leximin; {by} is none.", kind="choice")
        if self.groups is not None:
            advice = f"Use compare().order({str(by)!r}); or by_group().order({str(by)!r}), by the means of groups"
            raise InputError(f"{by} orders the runs in every group. {advice}.", kind="groups")
        comparison: Comparison = cast(Any, self).compare()
        return comparison

    def _order_by_tier(self, chosen: Population, names: list[str]) -> Ordering:
        """Order the runs by a population of the first group, then of the next and so on."""
        check_names(names, "tier", "subscribers")
        groups = self._check_groups()
        for name in names:
            if name not in groups:
                raise UnknownNameError("group", name, dict.fromkeys(groups))
        parts = dict(self._parts([group if group in names else REST for group in groups]))
        tiers = {name: parts[name] for name in (*names, REST) if name in parts}
        sizes = join_names([f"{name} ({plural(len(table.requests), 'request')})" for name, table in tiers.items()])
        how = f"Tiers by priority: {sizes}. A later one decides only where all before it tie."
        ordering = PopulationOrdering.from_scores(
            self.measure,
            str(chosen.bare),
            self.table.runs,
            scores_by_tier(chosen, tiers.values()),
            notes=(
                how,
                "The score is the number of runs below.",
                *self.notes,
                TIER,
                *self._column_notes(chosen, is_by_group=False),
            ),
            library=self.table.library,
            more_settings={"tiers": names, **self.more_settings},
        )
        return replace(ordering, population=chosen, utilities=self.table, tiers=tiers)

    def bootstrap(
        self,
        by: str | Population | Method = "leximin",
        *,
        tiers: str | int | Iterable[str | int] | None = None,
        resamples: int = 1000,
        seed: int = 0,
        tick: Tick | None = None,
    ) -> Bootstrap:
        """Bootstrap over requests: rank intervals of an order, and in how many samples a run is above another.

        Requests are drawn with replacement, each with all its trials, and within their groups if there are any. Where
        values of requests are not kept, each is drawn as often as Poisson's distribution says, by its name.

        Parameters
        ----------
        by, tiers
            As in `order`.
        resamples, seed : int
        tick : callable, optional
            Called with the samples done and all of them.

        Examples
        --------
        >>> utilities = tb.Utilities({"a": {"q": 1, "r": 0.4}, "b": {"q": 0, "r": 0.5}})
        >>> utilities.bootstrap("min", resamples=1000).shares("a", "b").first      # about 3/4: unless r is drawn twice
        0.774
        """
        if is_method(by) and not is_population(by):
            comparison = self._comparison(by, tiers)
            return comparison.bootstrap(cast("str | Method", by), resamples=resamples, seed=seed, tick=tick)
        check_resamples(resamples, seed)
        ordering = self.order(by, tiers=tiers)
        ranks = self._sample_ranks(by, tiers, resamples, seed)
        result = bootstrap_ranks(ordering.by, self.table.runs, ranks, resamples, seed, tick)
        notes = (NOTE,) if isinstance(self.table, CountedUtilities) else ()
        return replace(result, library=self.table.library, more_settings=ordering.settings, more_notes=notes)

    def _sample_ranks(self, by: Any, tiers: Any, resamples: int, seed: int) -> Iterator[Places]:
        """The ranks of the runs in every sample of the requests."""
        if isinstance(self.table, CountedUtilities):
            return draw_ranks(self._population(by), self.table, resamples, seed)
        table = self.table.remember()
        drawn = samples(requests_to_draw(table, self.groups), resamples, seed)
        if self.groups is None:
            return self._population(by).sample_ranks(table, drawn)
        return (self._take(table, places).order(by, tiers=tiers).ranks for places in drawn)

    def _take(self, table: UtilityTable, places: Places) -> Any:
        """Some of the requests, in their groups; repeated ones count repeatedly."""
        utilities = self.from_table(table.take(places), self.measure)
        utilities.groups = None if self.groups is None else tuple(self.groups[place] for place in places.tolist())
        return utilities
