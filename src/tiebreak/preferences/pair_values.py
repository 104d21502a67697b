"""Signed values of pairs of runs in every request: what preferences return, and what orderings and tests take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.distributions import student_quantile
from tiebreak.exact import ExactValues
from tiebreak.exact.held import Places
from tiebreak.exact.sums import row_means
from tiebreak.inputs import Ids
from tiebreak.preferences.pairs import Pairs
from tiebreak.projection.primitives import Floats

if TYPE_CHECKING:
    from tiebreak.preferences.pair_totals import PairTotals

NUMBERS_AT_ONCE = 1 << 18
Labels: TypeAlias = Callable[[], Places]
Values = TypeVar("Values", bound="PairValues")


class RunsAndRequests(Protocol):
    """What values are of."""

    @property
    def runs(self) -> tuple[str, ...]: ...
    @property
    def requests(self) -> Ids: ...


@dataclass(frozen=True, eq=False, repr=False)
class PairValues:
    """Values [pair, request], positive where the first run of a pair is better, 0 exactly where they tie.

    They are ``numerator / denominator``, both whole; or, where they are not quotients of whole numbers, `exact`, with
    the nearest floats as numerators and 1 as denominators.
    """

    runs: tuple[str, ...]
    requests: Ids  # those that count, in the order of the input
    pairs: Pairs
    numerator: NDArray[Any]  # [pair, request]
    denominator: Places  # [request]
    exact: ExactValues | None = None
    by_run: ExactValues | None = None  # numbers [run, request] of which the values are differences
    labels: Labels | None = None  # [run, request]: runs with the same label have the same values in a request
    is_sign: bool = False  # values say only which run is better
    is_difference: bool = False  # values are differences of one number per run
    totals: PairTotals | None = None  # in place of values, where requests are too many to hold
    _internals: ClassVar[tuple[str, ...]] = (
        *("numerator", "denominator", "exact", "by_run", "labels", "is_sign", "is_difference", "is_rational", "square"),
        *(
            "from_counts",
            "from_exact",
            "differences",
            "by_name",
            "sort_by_name",
            "plus",
            "has_all_pairs",
            "exact_values",
        ),
        *(
            "equal_values",
            "student_interval",
            "concatenate",
            "detach",
            "attach",
            "totals",
            "take_pairs",
            "pairs_by_name",
        ),
    )

    @classmethod
    def from_counts(
        cls, source: RunsAndRequests, pairs: Pairs, numerator: NDArray[Any], denominator: Places
    ) -> PairValues:
        """Whole numerators over denominators; requests with denominator 0, without relevant items, do not count."""
        return cls(source.runs, source.requests, pairs, numerator, denominator)._where(denominator > 0)

    @classmethod
    def from_exact(
        cls,
        source: RunsAndRequests,
        pairs: Pairs,
        exact: ExactValues,
        is_counted: NDArray[np.bool_],
        by_run: ExactValues | None = None,
        labels: Labels | None = None,
    ) -> PairValues:
        """Exact values of the requests that count."""
        ones = np.ones(len(is_counted), dtype=np.int64)
        values = cls(source.runs, source.requests, pairs, exact.nearest, ones, exact, by_run, labels)
        return values._where(is_counted)

    @classmethod
    def differences(
        cls, source: RunsAndRequests, pairs: Pairs, by_run: ExactValues, is_counted: NDArray[np.bool_] | None = None
    ) -> PairValues:
        """Differences of one number per run and request; by default of all requests."""
        counted = np.ones(len(source.requests), dtype=bool) if is_counted is None else is_counted
        values = cls.from_exact(source, pairs, by_run.differences(pairs.x, pairs.y), counted, by_run)
        return replace(values, is_difference=True)

    @classmethod
    def concatenate(cls, parts: Sequence[PairValues]) -> PairValues:
        """The requests of several tables of the same pairs, one table after the other."""

        def join_tables(tables: Iterable[ExactValues | None]) -> ExactValues | None:
            known = [table for table in tables if table is not None]
            return ExactValues.concatenate(known) if known else None

        exact = join_tables(part.exact for part in parts)
        return replace(
            parts[0],
            requests=Ids.concatenate([part.requests for part in parts]),
            numerator=np.concatenate([part.numerator for part in parts], axis=1) if exact is None else exact.nearest,
            denominator=np.concatenate([part.denominator for part in parts]),
            exact=exact,
            by_run=join_tables(part.by_run for part in parts),
            labels=None,
        )

    def detach(self) -> PairValues:
        """The same floats and whole numbers without what they were computed from, as `ExactValues.detach`."""
        exact, by_run = (None if table is None else table.detach() for table in (self.exact, self.by_run))
        numerator = narrow(self.numerator) if exact is None else exact.nearest
        return replace(self, numerator=numerator, exact=exact, by_run=by_run, labels=None)

    def attach(self, load: Callable[[], PairValues]) -> PairValues:
        """Detached values whose exact ones are asked of what `load` returns."""
        exact, by_run = self.exact, self.by_run
        return replace(
            self,
            exact=None if exact is None else exact.attach(lambda: cast(ExactValues, load().exact)),
            by_run=None if by_run is None else by_run.attach(lambda: cast(ExactValues, load().by_run)),
        )

    def _where(self, is_counted: NDArray[np.bool_]) -> PairValues:
        return self if is_counted.all() else self.take_requests(np.flatnonzero(is_counted))

    def __getstate__(self) -> dict[str, Any]:
        """For pickles: without labels, which are a function and only save time."""
        return vars(self) | {"labels": None}

    def take_requests(self: Values, places: Places) -> Values:
        """The values of some requests, by their indices; repeated ones count repeatedly."""
        exact, by_run, labels = self.exact, self.by_run, self.labels
        exact = None if exact is None else exact.take_columns(places)
        return replace(
            self,
            requests=self.requests.take(places),
            numerator=np.take(self.numerator, places, axis=1) if exact is None else exact.nearest,
            denominator=self.denominator[places],
            exact=exact,
            by_run=None if by_run is None else by_run.take_columns(places),
            labels=None if labels is None else lambda: labels()[:, places],
        )

    def take_pairs(self: Values, rows: Places) -> Values:
        """The values of some pairs, by their indices."""
        exact = None if self.exact is None else self.exact.take_rows(rows.tolist())
        numerator = self.numerator[rows] if exact is None else exact.nearest
        pairs = Pairs(self.pairs.x[rows], self.pairs.y[rows], ())
        values = replace(self, pairs=pairs, numerator=numerator, exact=exact)
        known = {name: getattr(self, name)[rows] for name in ("mean", "deviation", "win_tie_loss")}
        vars(values).update(known)  # of all pairs at once
        return values

    def plus(self, number: Fraction) -> PairValues:
        """Every value plus a number: 0 is then where the first run is worse by just that."""
        exact = ExactValues.quotients(self.numerator, self.denominator) if self.exact is None else self.exact
        is_counted = np.ones(self.n_requests, dtype=bool)
        return PairValues.from_exact(self, self.pairs, exact.plus(number), is_counted)

    def by_name(self: Values) -> Values:
        """Runs and requests sorted by name, so that random draws do not depend on the order of the input."""
        if self.totals is not None:
            return self
        values = self.sort_by_name()
        # None of these depends on the order.
        vars(values).update(mean=self.mean, deviation=self.deviation, win_tie_loss=self.win_tie_loss)
        return values

    def sort_by_name(self: Values) -> Values:
        """The same as `by_name`, of a block of requests: what is told of all of them is not computed."""
        order = np.argsort(Ids.from_names(self.runs).places_in_order)
        values = self.take_requests(np.argsort(self.requests.places_in_order))
        by_run = None if values.by_run is None else values.by_run.take_rows(order.tolist())
        return replace(values, runs=tuple(sorted(self.runs)), pairs=self.pairs_by_name, by_run=by_run, labels=None)

    @property
    def pairs_by_name(self) -> Pairs:
        """The pairs as they are once runs are sorted by name."""
        places = Ids.from_names(self.runs).places_in_order
        return Pairs(places[self.pairs.x], places[self.pairs.y], ())

    @property
    def n_requests(self) -> int:
        return len(self.denominator)

    @property
    def has_all_pairs(self) -> bool:
        return len(self.pairs) == len(self.runs) * (len(self.runs) - 1) // 2

    @property
    def is_rational(self) -> bool:
        """Whether no logarithm enters: exact values are compared as they are, otherwise to 60 digits."""
        return self.exact is None or self.exact.is_rational

    def names(self) -> Iterator[tuple[str, str]]:
        """The two runs of every pair."""
        for x, y in zip(self.pairs.x.tolist(), self.pairs.y.tolist(), strict=True):
            yield self.runs[x], self.runs[y]

    @cached_property
    def values(self) -> Floats:
        """Every value: [pair, request]."""
        return self._values(slice(None))

    def _values(self, pairs: slice) -> Floats:
        if self.exact is not None:
            return self.exact.nearest[pairs]
        return np.asarray(self.numerator[pairs] / self.denominator)

    def exact_values(self, pair: int, requests: Places) -> list[Fraction]:
        """The exact values of a pair in some requests; to more than 60 digits where logarithms enter."""
        if self.exact is not None:
            return self.exact.exactly(pair, requests)
        quotients = zip(self.numerator[pair, requests].tolist(), self.denominator[requests].tolist(), strict=True)
        return [Fraction(above, below) for above, below in quotients]

    def equal_values(self, pair: int, requests: Places) -> Places:
        """Labels of requests: equal labels mean equal values."""
        if self.by_run is None or not self.by_run.is_injective:
            return np.arange(len(requests))
        x, y = (self.by_run.nearest[int(rows[pair]), requests] for rows in (self.pairs.x, self.pairs.y))
        return np.unique(x + 1j * y, return_inverse=True)[1].ravel()

    @cached_property
    def mean(self) -> Floats:
        """The mean over requests of every pair, exactly rounded."""
        if self.totals is not None:
            return np.array([mean.nearest_difference() for mean in self.totals.means])
        if self.exact is None:
            return np.array(row_means(self.numerator, self.denominator))
        return np.array([self.exact.sample(pair).mean().nearest_difference() for pair in range(len(self.pairs))])

    @cached_property
    def deviation(self) -> Floats:
        """The standard deviation of every pair's values, summed in the order of names; 0 where all are equal."""
        if self.totals is not None:
            return self.totals.deviation
        if self.n_requests < 2:
            return np.zeros(len(self.pairs))
        step = max(1, NUMBERS_AT_ONCE // self.n_requests)
        by_name = np.argsort(self.requests.places_in_order)
        parts = (self._values(slice(begin, begin + step)) for begin in range(0, len(self.pairs), step))
        return np.concatenate([row_deviations(np.take(part, by_name, axis=1)) for part in parts])

    def student_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """The interval of every mean at 1 - alpha, by Student's t."""
        n = self.n_requests
        if n < 2:
            return np.full(len(self.pairs), -inf), np.full(len(self.pairs), inf)
        margin = student_quantile(n - 1, alpha / 2) * self.deviation / np.sqrt(n)
        return self.mean - margin, self.mean + margin

    @cached_property
    def win_tie_loss(self) -> NDArray[np.int64]:
        """Requests that the first run of each pair wins, ties and loses: [pair, 3]."""
        if self.totals is not None:
            return self.totals.win_tie_loss
        wins, losses = (self.numerator > 0).sum(axis=1), (self.numerator < 0).sum(axis=1)
        return np.stack([wins, self.n_requests - wins - losses, losses], axis=1)

    def square(
        self, numbers: NDArray[Any], swapped: NDArray[Any] | None = None, diagonal: float = 0, others: float = 0
    ) -> NDArray[Any]:
        """Numbers [..., pair] as [..., run, run]: minus the number, or `swapped`, for a pair of swapped runs."""
        size = len(self.runs)
        square = np.full((*numbers.shape[:-1], size, size), others, dtype=numbers.dtype)
        square[..., range(size), range(size)] = diagonal
        square[..., self.pairs.x, self.pairs.y] = numbers
        square[..., self.pairs.y, self.pairs.x] = 0 - numbers if swapped is None else swapped
        return square


def narrow(numbers: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers in the smallest type that holds them and their opposites."""
    largest = max(-int(numbers.min(initial=0)), int(numbers.max(initial=0)))
    kinds = (kind for kind in (np.int8, np.int16, np.int32) if largest <= np.iinfo(kind).max)
    return numbers.astype(next(kinds, np.int64), copy=False) if numbers.dtype.kind == "i" else numbers


def largest_sizes(values: Floats) -> Floats:
    """The size of the largest value of every row: [row, 1]."""
    low, high = (end(axis=1, keepdims=True, initial=0.0) for end in (values.min, values.max))
    largest: Floats = np.maximum(high, 0.0 - low)  # not -0 where all are 0
    return largest


def row_deviations(values: Floats) -> Floats:
    """The standard deviation of every row."""
    largest = largest_sizes(values)
    scaled = values / np.where(largest > 0, largest, 1.0)  # squares of tiny numbers would vanish
    deviations: Floats = np.where(np.ptp(scaled, axis=1) == 0, 0.0, scaled.std(axis=1, ddof=1)) * largest[:, 0]
    return deviations
