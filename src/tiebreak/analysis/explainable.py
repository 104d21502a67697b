"""``explain()`` and ``interleave()`` of experiments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tiebreak._base.checks import check_count
from tiebreak.projection.needs import Needs

if TYPE_CHECKING:
    from tiebreak.analysis.explanation import Contributions, Explanation
    from tiebreak.analysis.interleaved import InterleavedList
    from tiebreak.analysis.rank_gains import RankGains
    from tiebreak.analysis.ranking import RankingPositions
    from tiebreak.analysis.sorted_utilities import SortedUtilities
    from tiebreak.metrics import Metric
    from tiebreak.populations import Population
    from tiebreak.preferences import Preference
    from tiebreak.projection import Positions


class ExplainableExperiment:
    """An experiment whose rankings can be looked at."""

    more_settings: Any

    if TYPE_CHECKING:

        def _positions(self, needs: Needs) -> Positions: ...

    def explain(
        self,
        run: str,
        other: str | None = None,
        request: str | int | None = None,
        *,
        measure: str | Preference | Metric | Population | None = None,
    ) -> Explanation | Contributions | RankGains | RankingPositions | SortedUtilities:
        """Show why one run is preferred to another, or what one ranking is worth.

        Parameters
        ----------
        run : str
        other : str, optional
            With it, two runs are compared; without it, the positions of the relevant items of `request` in `run`.
        request : str, optional
            Show the recall levels of this request; by default the requests that contribute most.
        measure : str, Preference, Metric or Population, optional
            The preference by whose size requests are sorted, by default RPP; a population such as ``"leximin(AP)"``;
            or of one run a measure such as ``"alpha_beta_nDCG@10"``, to see what every rank gains.
        """
        from tiebreak.analysis.explain import explain

        return explain(self, run, other, None if request is None else str(request), measure)

    def interleave(
        self, run: str, other: str, request: str | int, *, depth: int = 10, first: str | None = None
    ) -> InterleavedList:
        """The list that balanced interleaving makes of two rankings, and what a user who clicks prefers (RPP 5.5).

        Parameters
        ----------
        run, other, request : str
        depth : int
            How long the list is.
        first : str, optional
            The run that begins; by default `run`.

        Examples
        --------
        >>> import tiebreak as tb
        >>> runs = {"x": {"q": {"a": 3.0, "b": 2.0}}, "y": {"q": {"b": 3.0, "c": 2.0}}}
        >>> [row.item for row in tb.Experiment({"q": {"b": 1}}, runs).interleave("x", "y", "q").rows()]
        ['a', 'b', 'c']
        """
        from tiebreak.analysis.interleaved import interleaved_list

        check_count(depth, "depth")
        positions = self._positions(Needs(aspects=depth))
        listed = interleaved_list(positions, run, other, str(request), depth, first)
        return replace(listed, more_settings={**listed.settings, **self.more_settings})
