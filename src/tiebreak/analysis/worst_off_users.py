"""Who is worst off: users who want only some of the relevant items, and the providers of items (LR 2.3, 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations, groupby, islice
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak.analysis.theory import sizes, worst_case_is_tse
from tiebreak.errors import InputError, quote
from tiebreak.exact import Doubles, ExactValues
from tiebreak.exact.doubles import LOST
from tiebreak.exact.number import tolerance
from tiebreak.exact.sums import sum_fractions
from tiebreak.exact.values import Places
from tiebreak.inputs import Ids, read_providers
from tiebreak.inputs.judgements import is_relevant
from tiebreak.inputs.sources import Path
from tiebreak.metrics import Metric, RecallLevelMetric, recall_level_form
from tiebreak.metrics import metric as metric_of
from tiebreak.metrics.recall_level import exact_exposure
from tiebreak.projection import Levels, Positions
from tiebreak.projection.primitives import Floats, Ranks
from tiebreak.results.record import Result, Row

MOST_ENUMERATED = 15
"""Relevant items of a request up to which all users, 2^m - 1, are gone through."""
AT_ONCE = 2**16

Mask: TypeAlias = NDArray[np.bool_]
Value: TypeAlias = "Fraction | float"


class WorstOffUser(NamedTuple):
    """What the worst-off user of one ranking gets, and the items that make that user."""

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
        Known to be total search efficiency (LR theorem C.1), or found among all users.
    utility : array [run, request]
        NaN where a request has no relevant item.
    entries : Positions
        The relevant items.
    is_worst : bool array [run, entry]
        The items of which each alone makes a worst-off user. Where it takes several to be worst off, which no metric
        of the catalogue does, those of one such user.
    """

    runs: tuple[str, ...]
    requests: Ids
    metric: str
    method: str
    utility: Floats
    entries: Positions
    is_worst: Mask
    notes: tuple[str, ...] = ()
    library: str | None = None
    columns = WorstOffUser._fields

    @property
    def settings(self) -> dict[str, Any]:
        return {"metric": self.metric, "method": self.method}

    def rows(self) -> Iterator[WorstOffUser]:
        """One row per run and request with a relevant item."""
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


def worst_case(positions: Positions, metric: str | Metric = "AP") -> WorstCase:
    r"""What a ranking gives to the worst-off of all users who want some of the relevant items (LR 4.1).

    .. math:: \mathrm{WC}_\mu = \min_{u \subseteq \mathcal{R},\, u \ne \emptyset} \mu(\pi, u) = e(p_m)

    The worst-off user wants only the item at the last recall level, or only items that were not retrieved. The second
    equality is a theorem for top-heavy metrics whose exposure strictly decreases (`worst_case_is_tse`); for others
    all users are gone through, where no request has more than 15 relevant items. Relevance is binary here: graded
    nDCG is taken in its binary form.

    Parameters
    ----------
    positions : Positions
    metric : str or Metric
        A recall-level metric: what users get.

    Examples
    --------
    >>> import tiebreak as tb
    >>> for row in worst_case(tb.positions([[2, 5, 4], [4, None, None]]), "AP").rows():
    ...     print(row.run, row.utility, row.items)
    run1 0.2 ('d2',)
    run2 0.0 ('d2', 'd3')
    """
    form = recall_level_form(metric_of(metric))
    kept = relevant_entries(positions, form)
    largest = int(kept.layout.sizes.max(initial=1))
    by_theorem = worst_case_is_tse(form, max(largest, 1))
    if not by_theorem and largest > MOST_ENUMERATED:
        raise InputError(
            f"{metric}: the worst-off user is known only for top-heavy metrics whose exposure strictly decreases, such "
            f"as AP or nDCG without a cutoff, or by going through all users, up to {MOST_ENUMERATED} relevant items "
            f"a request; here are {largest}.",
            kind="top_heavy",
        )
    utility = np.full((len(kept.runs), len(kept.requests)), np.nan)
    is_worst = np.zeros(kept.ranks.shape, dtype=bool)
    for m, requests, entries in kept.layout.blocks():
        p = kept.ranks[:, entries].reshape(len(kept.runs), -1, m)
        found = last_items(form, p) if by_theorem else worst_of_all_users(form, p)
        utility[:, requests], is_worst[:, entries] = found[0], found[1].reshape(len(kept.runs), -1)
    method = "theorem" if by_theorem else "enumeration"
    return WorstCase(kept.runs, kept.requests, str(metric), method, utility, kept, is_worst, library=kept.library)


def relevant_entries(positions: Positions, form: RecallLevelMetric) -> Positions:
    return positions.keep(is_relevant(positions.grade, positions.min_grade if form.rel is None else form.rel))


def last_items(form: RecallLevelMetric, p: Ranks) -> tuple[Floats, Mask]:
    """Total search efficiency, and which items stand at the last recall level: several only if unretrieved.

    It is what a user gets who wants the last item alone, z(1, 1) being 1.
    """
    last = p.max(-1, keepdims=True)
    return form.score(last), p == last


def worst_of_all_users(form: RecallLevelMetric, p: Ranks) -> tuple[Floats, Mask]:
    """The smallest utility over all users, and which items make one, of ``p[run, request, m]`` in any order."""
    order = np.argsort(p, axis=-1, kind="stable")
    increasing = np.take_along_axis(p, order, axis=-1)
    utility = np.empty(p.shape[:-1])
    is_worst, found = np.zeros(p.shape, dtype=bool), np.zeros(p.shape, dtype=bool)
    for q in range(p.shape[1]):
        utility[:, q], found[:, q] = worst_user(form, increasing[:, q])
    np.put_along_axis(is_worst, order, found, axis=-1)
    return utility, is_worst


def worst_user(form: RecallLevelMetric, p: Ranks) -> tuple[Floats, Mask]:
    """The same for one request, ``p[run, m]`` increasing."""
    m = p.shape[-1]
    users = [np.array(list(combinations(range(m), size))) for size in range(1, m + 1)]
    values = [form.of_levels(Levels.from_vectors(p[:, some])) for some in users]
    are_exact = all(some.is_injective for some in values)
    nearest = np.concatenate([some.nearest for some in values], axis=1)
    members = [tuple(user) for some in users for user in some.tolist()]
    utility, is_worst = nearest.min(axis=1), np.zeros(p.shape, dtype=bool)
    for run, least in enumerate(utility.tolist()):
        tied = [members[user] for user in np.flatnonzero(nearest[run] == least).tolist()]
        worst = tied if are_exact else exactly_worst(form, p[run].tolist(), tied)
        alone = [user for user in worst if len(user) == 1]
        is_worst[run, [item for user in alone or worst[:1] for item in user]] = True
    return utility, is_worst


def exactly_worst(form: RecallLevelMetric, p: list[int], users: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Of users whose utilities share a float those with the smallest exact one; nothing is less than 0."""
    alone = {user: form.exact([p[item] for item in user]) for user in users if len(user) == 1}
    if 0 in alone.values():
        return [user for user, value in alone.items() if value == 0]
    exact = alone | {user: form.exact([p[item] for item in user]) for user in users if len(user) > 1}
    least = min(exact.values())
    return [user for user, value in exact.items() if is_same(form, value, least)]


def is_same(form: RecallLevelMetric, value: Fraction, other: Fraction) -> bool:
    """Whether two exact numbers are equal; to 60 digits where logarithms enter."""
    return abs(value - other) <= tolerance(form.is_rational)


class Exposure(NamedTuple):
    """The cumulative positive exposure of one provider in one ranking."""

    run: str
    request: str
    provider: str
    exposure: float
    is_worst: bool


class WorstOffProvider(NamedTuple):
    """The least exposure in one ranking, and who has it: several where they tie."""

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
        In order of their names.
    metric : str
    request, provider : arrays [pair]
        The pairs of a request and a provider with an item relevant to it, as places in `requests` and `providers`.
    exposure : array [run, pair]
    is_worst : bool array [run, pair]
        No provider of that request has less; several where they tie.
    n_without_provider : int
        Relevant items left out because their provider is not known.
    """

    runs: tuple[str, ...]
    requests: Ids
    providers: tuple[str, ...]
    metric: str
    request: NDArray[np.int64]
    provider: NDArray[np.int64]
    exposure: Floats
    is_worst: Mask
    n_without_provider: int
    notes: tuple[str, ...] = ()
    library: str | None = None
    columns = Exposure._fields
    marked_column = "exposure"

    @property
    def settings(self) -> dict[str, Any]:
        return {"metric": self.metric, "n_without_provider": self.n_without_provider}

    def is_marked(self, row: Row) -> bool:
        return bool(row["is_worst"])

    def rows(self) -> Iterator[Exposure]:
        """One row per run, request and provider."""
        pairs = [(self.requests[q], self.providers[v]) for q, v in zip(self.request, self.provider, strict=True)]
        for r, run in enumerate(self.runs):
            values, worst = self.exposure[r].tolist(), self.is_worst[r].tolist()
            for pair, value, is_worst in zip(pairs, values, worst, strict=True):
                yield Exposure(run, *pair, value, is_worst)

    def worst_off(self) -> Iterator[WorstOffProvider]:
        """One row per run and request that has a provider."""
        for (run, request), rows in grouped(self.rows()):
            worst = tuple(row.provider for row in rows if row.is_worst)
            yield WorstOffProvider(run, request, min(row.exposure for row in rows), worst)


def provider_exposure(
    positions: Positions,
    providers: Path | Mapping[Any, Any] | Any,
    metric: str | Metric = "AP",
    *,
    missing: str = "error",
) -> ProviderExposure:
    r"""How much of the users' attention falls on each provider's relevant items (LR eq 2).

    .. math:: \eta_e(\pi, \mathcal{R}, \mathcal{R}') = \sum_{i=1}^{m} e(p_i) \, \mathbb{I}(\bar{p}_i \in \mathcal{R}')

    The worst-off provider of a request is the one with the least, among those with a relevant item.

    Parameters
    ----------
    positions : Positions
    providers : path, dict or frame
        The provider of every item, as `read_providers` reads it.
    metric : str or Metric
        A recall-level metric, whose exposure e is used.
    missing : {"error", "skip"}
        What to do with relevant items that have no provider: refuse, or leave them out and count them.

    Examples
    --------
    >>> import tiebreak as tb
    >>> made = provider_exposure(tb.positions([[2, 4, 6], [1, None, 5]]), {"d1": "ann", "d2": "bob", "d3": "bob"})
    >>> [(row.provider, row.exposure) for row in made.rows() if row.run == "run2"]
    [('ann', 1.0), ('bob', 0.2)]
    >>> [row.providers for row in made.worst_off()]
    [('bob',), ('bob',)]
    """
    form = recall_level_form(metric_of(metric))
    kept = relevant_entries(positions, form)
    names, owner = owners(kept, providers, missing)
    known = owner >= 0
    request = kept.layout.request[known]
    pair, member = np.unique(request * len(names) + owner[known], return_inverse=True)
    summed = GroupExposures(form, kept, np.flatnonzero(known), member.ravel(), len(pair)).values()
    of_request, of_provider = np.divmod(pair, len(names))
    return ProviderExposure(
        kept.runs,
        kept.requests,
        names,
        str(metric),
        of_request,
        of_provider,
        summed.nearest,
        least_of_request(summed, np.flatnonzero(np.diff(of_request, prepend=-1))),
        int((~known).sum()),
        library=kept.library,
    )


def owners(kept: Positions, providers: Any, missing: str) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """The names of the providers, and whose each entry's item is: -1 where nobody's."""
    if missing not in ("error", "skip"):
        raise InputError(f'missing={missing!r}. Give one of "error", "skip".', kind="choice")
    by_item = read_providers(providers)
    codes, place = np.unique(kept.item, return_inverse=True)
    items = [kept.items[code] for code in codes.tolist()]
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


class GroupExposures:
    """The exact exposure of groups of relevant items; an entry belongs to the group that `member` says."""

    def __init__(
        self,
        form: RecallLevelMetric,
        kept: Positions,
        entries: NDArray[np.int64],
        member: NDArray[np.int64],
        groups: int,
    ) -> None:
        self.form = form
        self.order = np.argsort(member, kind="stable")
        self.ranks = kept.ranks[:, entries]
        self.levels = np.repeat(kept.layout.sizes, kept.layout.sizes)[entries]
        self.sizes = np.bincount(member, minlength=groups)
        self.starts = np.cumsum(self.sizes) - self.sizes

    def values(self) -> ExactValues:
        """Sums [run, group]."""
        e, is_shown = self.of_entries()
        total = Doubles(*np.zeros((2, len(self.ranks), len(self.sizes))))
        has_any = np.zeros(total.shape, dtype=bool)
        for k in range(int(self.sizes.max(initial=0))):
            groups = np.flatnonzero(self.sizes > k)
            entries = self.order[self.starts[groups] + k]
            summed = total[:, groups] + e[:, entries]
            total.high[:, groups], total.low[:, groups] = summed.high, summed.low
            has_any[:, groups] |= is_shown[:, entries]
        error = np.full(total.shape, LOST) * self.sizes
        return ExactValues.from_doubles(total, error, self.exactly, ~has_any, is_rational=self.form.is_rational)

    def of_entries(self) -> tuple[Doubles, Mask]:
        """The exposure of every item [run, entry], and whether it has any."""
        e, is_shown = Doubles(*np.zeros((2, *self.ranks.shape))), np.zeros(self.ranks.shape, dtype=bool)
        sizes_that_matter = self.levels if self.form.depends_on_size else np.zeros_like(self.levels)
        for m in np.unique(sizes_that_matter).tolist():
            columns = np.flatnonzero(sizes_that_matter == m)
            p, place = np.unique(self.ranks[:, columns], return_inverse=True)
            exact = np.array([exact_exposure(self.form, k, m) for k in p.tolist()], dtype=object)
            near, place = Doubles.from_exact(exact), place.reshape(len(self.ranks), -1)
            e.high[:, columns], e.low[:, columns] = near.high[place], near.low[place]
            is_shown[:, columns] = (exact != 0)[place]
        return e, is_shown

    def exactly(self, run: int, groups: Places) -> list[Fraction]:
        return [sum_fractions(self.members(run, group)) for group in groups.tolist()]

    def members(self, run: int, group: int) -> list[Fraction]:
        """The exact exposures of the items of a group."""
        entries = self.order[self.starts[group] : self.starts[group] + self.sizes[group]]
        sizes_of = (self.levels[entries] if self.form.depends_on_size else np.zeros_like(entries)).tolist()
        return [
            exact_exposure(self.form, k, m) for k, m in zip(self.ranks[run, entries].tolist(), sizes_of, strict=True)
        ]


def least_of_request(values: ExactValues, starts: NDArray[np.int64]) -> Mask:
    """Which pairs have the least exact value of their request; the pairs of a request begin at its start."""
    ends = np.append(starts[1:], values.nearest.shape[1])
    least = np.minimum.reduceat(values.nearest, starts, axis=1)
    is_least: Mask = values.nearest == np.repeat(least, ends - starts, axis=1)
    several = np.add.reduceat(is_least, starts, axis=1, dtype=np.int64) > 1
    same = tolerance(values.is_rational)
    for run, request in zip(*(axis.tolist() for axis in np.nonzero(several)), strict=True):
        pairs = starts[request] + np.flatnonzero(is_least[run, starts[request] : ends[request]])
        exact = values.exactly(run, pairs)
        lowest = min(exact)
        is_least[run, pairs] = [number - lowest <= same for number in exact]
    return is_least


@dataclass(frozen=True)
class TopHeaviness:
    """Whether a metric was found top-heavy; true or false as such.

    Attributes
    ----------
    n, m_max : int
        All position vectors within n, of up to m_max items, were tried.
    counterexample : tuple, optional
        Positions p, and a number j of items at their top without which the metric would be higher.
    """

    n: int
    m_max: int
    counterexample: tuple[tuple[int, ...], int] | None

    def __bool__(self) -> bool:
        return self.counterexample is None


def is_top_heavy(metric: str | Metric | Callable[[tuple[int, ...]], Value], n: int, m_max: int) -> TopHeaviness:
    r"""Whether users never do better for wanting fewer of the items at the top (LR def 2.2), by trying all cases.

    .. math:: \sum_{i=1}^{m} e(p_i) z(i, m) \ge \sum_{i=j+1}^{m} e(p_i) z(i - j, m - j), \qquad 0 \le j < m

    Parameters
    ----------
    metric : str, Metric, or function of p
        A recall-level metric, compared by its exact values. The numbers that a function of the increasing positions p
        returns are compared as they are: let it return Fractions.
    n : int
        The last position.
    m_max : int
        The largest number of relevant items; all :math:`\binom{n}{m}` position vectors of each m are tried.

    Examples
    --------
    >>> bool(is_top_heavy("AP", 8, 4))
    True
    >>> from tiebreak.metrics.recall_level import NormalisedCumulativePrecision
    >>> is_top_heavy(NormalisedCumulativePrecision((1, 0, 5)), 20, 3).counterexample
    ((1, 2, 8), 1)
    """
    n, m_max = sizes(n, m_max)
    is_higher = comparison_of(metric)
    for m in range(2, m_max + 1):
        for some in chunks(combinations(range(1, n + 1), m)):
            p = np.array(some, dtype=np.int32)
            for j in range(1, m):
                broken = np.flatnonzero(is_higher(p[:, j:], p))
                if len(broken):
                    return TopHeaviness(n, m_max, (some[broken[0]], j))
    return TopHeaviness(n, m_max, None)


def comparison_of(metric: str | Metric | Callable[[tuple[int, ...]], Value]) -> Callable[[Ranks, Ranks], Mask]:
    """In which cases a metric is higher for the first of two ``p[case, m]``."""
    if isinstance(metric, (str, Metric)):
        return partial(exactly_higher, recall_level_form(metric_of(metric)))
    function = metric
    return lambda x, y: np.array(
        [bool(function(tuple(p)) > function(tuple(q))) for p, q in zip(x.tolist(), y.tolist(), strict=True)]
    )


def exactly_higher(form: RecallLevelMetric, x: Ranks, y: Ranks) -> Mask:
    """Where floats are equal, exact values decide."""
    first, second = (form.of_levels(Levels.from_vectors(p[None])) for p in (x, y))
    higher: Mask = first.nearest[0] > second.nearest[0]
    if not (first.is_injective and second.is_injective):
        for case in np.flatnonzero(first.nearest[0] == second.nearest[0]).tolist():
            a, b = form.exact(x[case].tolist()), form.exact(y[case].tolist())
            higher[case] = a > b and not is_same(form, a, b)
    return higher


def chunks(cases: Iterator[tuple[int, ...]]) -> Iterator[list[tuple[int, ...]]]:
    while some := list(islice(cases, AT_ONCE)):
        yield some


def grouped(rows: Iterable[Exposure]) -> Iterator[tuple[tuple[str, str], list[Exposure]]]:
    """Rows of one run and request, which follow each other."""
    for key, group in groupby(rows, key=lambda row: (row.run, row.request)):
        yield key, list(group)
