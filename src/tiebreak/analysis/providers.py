"""Exposure of the providers of items, and the worst-off provider (LR 2.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_choice
from tiebreak.analysis.provider_totals import ProviderTotals, sum_by_provider
from tiebreak.analysis.sources import Readable, read_positions
from tiebreak.analysis.theory import recall_level_metric
from tiebreak.errors import InputError, quote
from tiebreak.exact import ExactValues, like
from tiebreak.inputs import Ids
from tiebreak.inputs.attributes import read_providers
from tiebreak.inputs.sources import Path
from tiebreak.metrics import Metric, RecallLevelMetric
from tiebreak.preferences import Pairs, PairValues, Preference
from tiebreak.preferences.base import Traits
from tiebreak.preferences.lexicographic import leximin_ranks
from tiebreak.projection import Levels, Positions, pair_signs
from tiebreak.projection.levels import Bucket, Layout
from tiebreak.projection.primitives import Floats, Ranks
from tiebreak.results.cells import Row
from tiebreak.results.record import LazyRows, Result
from tiebreak.utilities import Utilities


class Exposure(NamedTuple):
    """The cumulative positive exposure of one provider in one ranking."""

    run: str
    request: str
    provider: str
    exposure: float
    is_worst: bool


class WorstOffProvider(NamedTuple):
    """The smallest exposure in one ranking, and the providers that have it: several if they tie."""

    run: str
    request: str
    exposure: float
    providers: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class ProviderExposure(Result):
    """Exposure of every provider with a relevant item, by run and request.

    Attributes
    ----------
    runs : tuple of str
    requests : Ids
    providers : tuple of str
        Sorted by name.
    metric : str
    request, provider : arrays [pair]
        The pairs of a request and a provider with an item relevant to it, as places in `requests` and `providers`.
    exposure : array [run, pair]
    is_worst : bool array [run, pair]
        No provider of that request has less; several if they tie.
    n_without_provider : int
        Relevant items left out because their provider is unknown.
    parts : tuple of (array, ExactValues)
        The exact exposures [run, pair] of some pairs, and which pairs these are.
    is_per_item : bool
        Exposures are divided by the number of the provider's relevant items.
    """

    runs: tuple[str, ...]
    requests: Ids
    providers: tuple[str, ...]
    metric: str
    request: NDArray[np.int64]
    provider: NDArray[np.int64]
    exposure: Floats
    is_worst: NDArray[np.bool_]
    n_without_provider: int
    parts: tuple[tuple[NDArray[np.int64], ExactValues], ...]
    is_per_item: bool = False
    notes: tuple[str, ...] = ()
    columns = Exposure._fields
    marked_column = "exposure"

    @property
    def settings(self) -> dict[str, Any]:
        per_item = {"per_item": True} if self.is_per_item else {}
        return {"metric": self.metric, "n_without_provider": self.n_without_provider, **per_item, **self.more_settings}

    def is_marked(self, row: Row) -> bool:
        return bool(row["is_worst"])

    def rows(self) -> Sequence[Exposure]:
        """One row per run, request and provider."""
        return LazyRows(self.exposure.size, self._rows)

    def _rows(self) -> Iterator[Exposure]:
        pairs = [(self.requests[q], self.providers[v]) for q, v in zip(self.request, self.provider, strict=True)]
        for r, run in enumerate(self.runs):
            values, worst = self.exposure[r].tolist(), self.is_worst[r].tolist()
            for pair, value, is_worst in zip(pairs, values, worst, strict=True):
                yield Exposure(run, *pair, value, is_worst)

    def total(self) -> ProviderTotals:
        """Exposure summed over requests; requests without a relevant item of a provider add nothing to it.

        Examples
        --------
        >>> import tiebreak as tb
        >>> runs = [{"q": {"a": 2.0, "b": 1.0}, "r": {"b": 1.0}}, {"q": {"b": 2.0, "a": 1.0}, "r": {"x": 1.0}}]
        >>> positions = tb.project({"q": {"a": 1, "b": 1}, "r": {"b": 1}}, runs)
        >>> totals = tb.provider_exposure(positions, {"a": "ann", "b": "bob"}).total()
        >>> [(row.run, row.provider, row.exposure) for row in totals.rows()]      # bob in run1: 1/2 + 1
        [('run1', 'ann', 1.0), ('run1', 'bob', 1.5), ('run2', 'ann', 0.5), ('run2', 'bob', 1.0)]
        >>> totals.order().ranking()
        ['run1', 'run2']
        """
        table = sum_by_provider(self.runs, self.providers, self.provider, self.parts, self.library)
        n_requests = np.bincount(self.provider, minlength=len(self.providers))
        return ProviderTotals(
            Utilities.from_table(table, f"exposure({self.metric})", self.notes, more_settings=self.settings),
            n_requests,
            library=self.library,
            more_settings=self.settings,
        )

    def worst_off(self) -> Iterator[WorstOffProvider]:
        """One row per run and request that has a provider."""
        for key, group in groupby(self.rows(), key=lambda row: (row.run, row.request)):
            worst = [row for row in group if row.is_worst]
            yield WorstOffProvider(*key, worst[0].exposure, tuple(row.provider for row in worst))


def provider_exposure(
    positions: Positions | Readable,
    providers: Path | Mapping[Any, Any] | Any,
    metric: str | Metric = "AP",
    *,
    per_item: bool = False,
    missing: str = "error",
) -> ProviderExposure:
    r"""Exposure of each provider's relevant items (LR eq 2).

    .. math:: \eta_e(\pi, \mathcal{R}, \mathcal{R}') = \sum_{i=1}^{m} e(p_i) \, \mathbb{I}(\bar{p}_i \in \mathcal{R}')

    The worst-off provider of a request is the one with the least, among those with a relevant item.

    Parameters
    ----------
    positions : Positions or Experiment
    providers : path, dict or frame
        The provider of every item, as `read_providers` reads it.
    metric : str or Metric
        A recall-level metric, whose exposure e is used.
    per_item : bool
        Divide by the number :math:`|\mathcal{R}'|` of the provider's relevant items (footnote 7).
    missing : {"error", "skip"}
        What to do with relevant items that have no provider: raise an error, or leave them out and count them.

    Examples
    --------
    >>> import tiebreak as tb
    >>> shares = provider_exposure(tb.positions([[2, 4, 6], [1, None, 5]]), {"d1": "ann", "d2": "bob", "d3": "bob"})
    >>> [(row.provider, row.exposure) for row in shares.rows() if row.run == "run2"]
    [('ann', 1.0), ('bob', 0.2)]
    >>> [row.providers for row in shares.worst_off()]
    [('bob',), ('bob',)]
    """
    form = recall_level_metric(metric)
    entries = read_positions(positions, form).only_relevant(form.rel)
    names, owner = match_providers(entries, providers, missing)
    known = np.flatnonzero(owner >= 0)
    pair, member = np.unique(entries.layout.request[known] * len(names) + owner[known], return_inverse=True)
    request, provider = np.divmod(pair, len(names))
    sizes = entries.relevant()[request] if form.depends_on_size else np.zeros(len(pair), dtype=np.int64)
    exposure, is_worst = np.empty((len(entries.runs), len(pair))), np.zeros((len(entries.runs), len(pair)), dtype=bool)
    parts = []
    for m in np.unique(sizes).tolist():
        columns, inside = np.flatnonzero(sizes == m), np.flatnonzero(sizes[member.ravel()] == m)
        group = np.searchsorted(columns, member.ravel()[inside])
        values = GroupExposure(form, m, per_item).level_values(group_levels(entries.ranks[:, known[inside]], group))
        parts.append((columns, values))
        exposure[:, columns] = values.nearest
        is_worst[:, columns] = is_least(values.codes(), request[columns])
    return ProviderExposure(
        entries.runs,
        entries.requests,
        names,
        str(metric),
        request,
        provider,
        exposure,
        is_worst,
        len(owner) - len(known),
        tuple(parts),
        per_item,
        library=entries.library,
    )


def match_providers(entries: Positions, providers: Any, missing: str) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """The names of the providers, and whose each entry's item is: -1 if unknown."""
    check_choice(missing, "missing", ("error", "skip"))
    by_item = read_providers(providers)
    codes, place = np.unique(entries.item, return_inverse=True)
    items = [entries.items[code] for code in codes.tolist()]
    unowned = [item for item in items if item not in by_item]
    if unowned and (missing == "error" or len(unowned) == len(items)):
        raise InputError(
            f"{len(unowned)} of {len(items)} relevant items have no provider, {quote(unowned[0])} among them. "
            f'Give them one, or leave them out by missing="skip" if there are others.',
            kind="provider",
            item=unowned[0],
        )
    names = tuple(sorted({by_item[item] for item in items if item in by_item}))
    number = {name: k for k, name in enumerate(names)}
    owner = np.array([number[by_item[item]] if item in by_item else -1 for item in items], dtype=np.int64)
    return names, owner[place.ravel()]


def group_levels(ranks: Ranks, group: NDArray[np.int64]) -> Levels:
    """The increasing positions of groups of entries, one group per request."""
    layout, order = Layout.from_requests(group, int(group.max()) + 1)
    ranks = ranks[:, order]
    blocks = ((m, groups, ranks[:, span].reshape(len(ranks), -1, m)) for m, groups, span in layout.blocks())
    return Levels.from_buckets([Bucket(m, groups, np.sort(p, axis=-1)) for m, groups, p in blocks])


def is_least(codes: NDArray[np.int64], request: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which cells have the smallest code of their request; the columns of a request are neighbours."""
    starts = np.flatnonzero(np.diff(request, prepend=-1))
    least = np.minimum.reduceat(codes, starts, axis=1)
    is_least: NDArray[np.bool_] = codes == np.repeat(least, np.diff(starts, append=len(request)), axis=1)
    return is_least


@dataclass(frozen=True)
class GroupExposure(RecallLevelMetric):
    """The summed exposure of some of a request's m relevant items, by the exposure of another metric; or their mean."""

    form: RecallLevelMetric
    m: int
    is_mean: bool = False
    name: ClassVar[str] = "exposure"

    @property
    def is_rational(self) -> bool:
        return self.form.is_rational

    def exposure(self, k: Any, m: int) -> Any:
        return self.form.exposure_to_cutoff(k, self.m)

    def divisor(self, i: Any, m: int) -> Any:
        return like(m if self.is_mean else 1, i)


@dataclass(frozen=True, eq=False)
class ProviderLeximin(Preference):
    r"""Which ranking is better for the worst-off provider, then for the next one, and so on: 1, 0 or -1 (LR 5.2).

    .. math:: \phi \succ_{\mathrm{leximin}} \phi', \qquad \phi_v = \eta_e(\pi, \mathcal{R}, v)

    Where every item has a provider of its own, it is lexirecall (theorem C.6).

    Parameters
    ----------
    providers, metric, per_item, missing
        As in `provider_exposure`.

    Examples
    --------
    >>> positions = tb.positions([[1, 2, 9], [4, 5, 6]])
    >>> leximin = tb.ProviderLeximin({"d1": "ann", "d2": "bob", "d3": "ann"})
    >>> tb.compare(positions, leximin).values.tolist()      # 1/2 for bob against 1/5 for bob
    [[1.0]]
    """

    providers: Path | Mapping[Any, Any] | Any
    metric: str | Metric = "AP"
    per_item: bool = False
    missing: str = "error"
    name: ClassVar[str] = "ProviderLeximin"
    traits: ClassVar[Traits] = Traits(is_transitive=True, is_sign=True, favours_depth=True)

    def __str__(self) -> str:
        return f"{self.name}({self.metric})"

    @property
    def relevant_from(self) -> float | None:
        return recall_level_metric(self.metric).rel

    def compare(self, positions: Positions, pairs: Pairs) -> PairValues:
        exposure = provider_exposure(
            positions, self.providers, self.metric, per_item=self.per_item, missing=self.missing
        )
        rank = np.zeros((len(positions.runs), len(positions.requests)), dtype=np.int32)
        for columns, values in exposure.parts:
            codes = values.codes()
            starts = np.flatnonzero(np.diff(exposure.request[columns], prepend=-1))
            for begin, end in pairwise([*starts.tolist(), len(columns)]):
                rank[:, exposure.request[columns[begin]]] = leximin_ranks(codes[:, begin:end])
        signs = pair_signs(rank[pairs.x], rank[pairs.y])
        return PairValues.from_counts(positions, pairs, signs, rank.max(axis=0).clip(max=1).astype(np.int64))
