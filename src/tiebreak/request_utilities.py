"""Utilities request by request: scores, comparisons, tests and explanations, also in every group of requests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tiebreak._base.corrections import ALPHA
from tiebreak._kernels.interface import Tick
from tiebreak.analysis.request_differences import RequestDifferences, request_differences
from tiebreak.analysis.sorted_utilities import SortedUtilities, sorted_utilities
from tiebreak.comparison import Comparison, compare_utilities
from tiebreak.inputs.runs import Baselines, baseline_names
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.metrics.base import Metric, Traits
from tiebreak.populations import Population
from tiebreak.results.groups import GroupResults
from tiebreak.scores import Scores
from tiebreak.segments import Segments
from tiebreak.significance import Significance, Test


@dataclass(frozen=True)
class Utility(Metric):
    """Numbers that were given, and that no ranking was measured by."""

    name: ClassVar[str] = "utility"
    traits: ClassVar[Traits] = Traits(low=-np.inf, high=np.inf, cutoff="no", rises=False, sees_relevance=False)


class RequestUtilities:
    """What `Utilities` says of requests; populations are of all of them at once."""

    table: UtilityTable
    groups: tuple[str, ...] | None
    more_settings: dict[str, Any]

    if TYPE_CHECKING:
        _population: Any
        _units: Any
        order: Any

        @property
        def independent_units(self) -> Any: ...

    def scores(self) -> Scores:
        """The values of all requests, with their means and intervals; `Scores.against` has the table for a paper.

        Kept trials of a request count once, by their mean.

        Examples
        --------
        >>> import tiebreak as tb
        >>> utilities = tb.Utilities({"a": {"q": 1, "r": 0.5}, "b": {"q": 0, "r": 0.5}}, measure="acc")
        >>> utilities.scores().summary("acc").to_flat_dict()
        {'a/acc': 0.75, 'b/acc': 0.25}
        """
        units = self.independent_units
        table = units.table_without_weights("a table of means")
        return Scores(
            table.runs,
            table.requests,
            (units.measure,),
            (Utility(),),
            (table.numbers,),
            units.notes,
            library=table.library,
            more_settings=self.more_settings,
        )

    def explain(self, run: str, other: str, by: str | Population | None = None) -> RequestDifferences | SortedUtilities:
        """Show what makes one run better than another.

        Parameters
        ----------
        run, other : str
        by : str or Population, optional
            Such as ``"leximin"``, to see which of the sorted utilities decide, with groups over their means; by default
            the requests with their two values, the largest difference first, and how few of them carry the difference
            of the means.

        Examples
        --------
        >>> import tiebreak as tb
        >>> utilities = tb.Utilities({"a": {"q": 1, "r": 0.1}, "b": {"q": 0.4, "r": 0.3}})
        >>> utilities.explain("a", "b").notes[1]      # 0.6 - 0.2 is positive
        '1 request decides: without q, a would not be better than b.'
        >>> utilities.explain("a", "b", "leximin").notes[1]
        'Place 1 from the worst decides: 0.1000 (r) against 0.3000 (r).'
        """
        if by is None:
            units, groups = self.independent_units, self.group_by_request
            table = units.table_without_weights("an explanation")
            differences = request_differences(table, units.measure, run, other, groups, units.notes)
            return replace(differences, more_settings={**differences.settings, **self.more_settings})
        units, chosen = self._units, self._population(by)
        result = sorted_utilities(units.table, self.order(chosen), chosen, run, other, units.notes)
        return replace(result, more_settings={**result.settings, **self.more_settings})

    def compare(self, baseline: Baselines = None) -> Comparison | Segments[Comparison]:
        """Compare all pairs of runs by the differences of their utilities, or every run with baselines.

        With groups, in every group, as in `Comparison.by_group`. Kept trials of a request count once, by their mean.

        Examples
        --------
        >>> import tiebreak as tb
        >>> utilities = tb.Utilities({"a": {"q": 1, "r": 0.5}, "b": {"q": 0, "r": 0.5}})
        >>> utilities.compare().mean.tolist(), utilities.compare("a").values.tolist()
        ([0.5], [[-1.0, 0.0]])
        """
        units = self.independent_units
        table = units.table_without_weights("a comparison")
        whole = compare_utilities(table, units.measure, baseline_names(baseline), units.notes)
        whole = replace(whole, more_settings=self.more_settings)
        groups = self.group_by_request
        return whole if groups is None else whole.by_group(groups)

    def test(
        self,
        test: str | Test = "auto",
        baseline: Baselines = None,
        *,
        correction: str | None = None,
        alpha: float = ALPHA,
        permutations: int | str | None = None,
        seed: int | None = None,
        jobs: int | None = None,
        tick: Tick | None = None,
        alternative: str | None = None,
    ) -> Significance | GroupResults:
        """Test whether runs differ by more than chance, all pairs or against baselines; see `Comparison.test`.

        With groups every group is tested; `by_group` has their means, and a test of these.
        """
        return self.compare(baseline).test(
            test,
            correction=correction,
            alpha=alpha,
            permutations=permutations,
            seed=seed,
            jobs=jobs,
            tick=tick,
            alternative=alternative,
        )

    @property
    def group_by_request(self) -> dict[str, str] | None:
        """The group of every request, where there are groups."""
        names = self.table.origins or self.table.requests
        return None if self.groups is None else dict(zip(names, self.groups, strict=True))
