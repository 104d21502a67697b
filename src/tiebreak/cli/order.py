"""``tiebreak order``: systems from the best to the worst."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar

import click

from tiebreak.cli.options import (
    OWN_FUNCTION,
    CatalogueHelp,
    aspect_options,
    experiment,
    output_options,
    reading_options,
)
from tiebreak.cli.output import Rows, write

if TYPE_CHECKING:
    from tiebreak.comparison import Comparison
    from tiebreak.experiment import Experiment
    from tiebreak.orderings import Ordering
    from tiebreak.reports.tables import Table
    from tiebreak.utilities import Utilities


class OrdersHelp(CatalogueHelp):
    """Lists preferences and populations at the end of the help."""

    catalogues: ClassVar = {"Preferences": "tiebreak.preferences", "Populations": "tiebreak.populations"}


@click.command("order", cls=OrdersHelp)
@partial(reading_options, is_needed=False)
@aspect_options
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="SPEC", help="Such as RPP, AP or leximin(AP)." + OWN_FUNCTION
)
@click.option(
    "--by",
    metavar="HOW",
    help="mc4, borda, copeland, win_rate or mean; by default mc4, for metrics mean. Or a population, as leximin(AP).",
)
@click.option("-q", "--per-request", is_flag=True, help="The order within every request.")
@click.option(
    "--bootstrap", "resamples", type=click.IntRange(1, 1_000_000), help="Rank intervals from so many resamples."
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True, help="Of the resamples.")
@click.option("--utilities", metavar="FILE", help="A table of run, request and value, in place of QRELS RUN...")
@click.option("--missing", type=float, help="With --utilities: the value of cells that are missing.")
@click.option("--lower-is-better", is_flag=True, help="With --utilities: values are costs, such as latencies.")
@click.option("--weights", metavar="FILE", help="A table of request and weight, for populations that take them.")
@click.option("--groups", metavar="FILE", help="A table of request and group: populations are over the groups' means.")
@output_options
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    by: str | None,
    per_request: bool,
    resamples: int | None,
    seed: int,
    utilities: str | None,
    missing: float | None,
    lower_is_better: bool,
    weights: str | None,
    groups: str | None,
    digits: int,
    format_: str,
    out: str | None,
    **options: Any,
) -> None:
    """Order the runs by preferences, or by populations over requests.

    QRELS and RUN are files in TREC's formats or tables (csv, tsv, JSON lines, parquet), plain or compressed by gzip or
    zstd; a RUN may be a folder of them, or - for standard input. A run can be given as NAME=PATH. A metric
    such as AP stands for the difference of its values. With --utilities no rankings are needed.
    """
    over = {"weights": weights, "groups": groups}
    if utilities is not None:
        needs(
            not (qrels or measures or per_request or resamples), "--utilities takes the place of QRELS, -m and the rest"
        )
        made = of_file(utilities, missing, lower_is_better, over)
        write(Orders([made.order(by or "leximin")], [by or "leximin"], digits), format_, out)
        return
    asked, way = measures_and_way(measures, by)
    needs(bool(qrels and runs), "Give QRELS RUN..., or --utilities FILE")
    needs(missing is None and not lower_is_better, "--missing and --lower-is-better are for --utilities")
    needs(not (per_request and (by or resamples)), "-q orders each request by win rate: leave out --by and --bootstrap")
    if is_over_requests(asked, way):
        needs(not (per_request or resamples), "populations are over all requests: leave out -q and --bootstrap")
        whole = experiment(str(qrels), runs, **options)
        found = [by_population(whole, spec, way, over) for spec in asked]
        write(Orders(found, asked, digits), format_, out)
        return
    needs(not (weights or groups), "--weights and --groups are for populations, such as --by 'mean(AP)'")
    check_names(asked, way)
    whole = experiment(str(qrels), runs, **options)
    compared = [whole.compare(spec) for spec in asked]
    write(ComparedOrders(compared, asked, way, per_request, resamples, seed, digits), format_, out)


def needs(is_so: bool, advice: str) -> None:
    if not is_so:
        raise click.UsageError(f"{advice}.")


def measures_and_way(measures: tuple[str, ...], by: str | None) -> tuple[list[str], str | None]:
    """What to order by, and how; a population of a metric given as the way is what to order by."""
    from tiebreak.orderings import CATALOGUE as METHODS
    from tiebreak.populations import is_population
    from tiebreak.preferences import DEFAULTS

    asked = list(dict.fromkeys(spec.strip() for spec in measures))
    if by is not None and not asked and by.strip() not in METHODS and is_population(by):
        return [by.strip()], None
    return asked or list(DEFAULTS), by


def is_over_requests(asked: list[str], by: str | None) -> bool:
    """Whether all are ordered by populations; some and others by preferences is refused."""
    from tiebreak.experiment import population_of

    found = [population_of(spec, by) is not None for spec in asked]
    needs(len(set(found)) == 1, "order by populations or by preferences, not by both at once")
    return found[0]


def check_names(asked: list[str], by: str | None) -> None:
    """Refuse a bad name before anything is read."""
    from tiebreak.errors import UnknownNameError
    from tiebreak.orderings import CATALOGUE as METHODS
    from tiebreak.orderings import method
    from tiebreak.populations import CATALOGUE as POPULATIONS
    from tiebreak.preferences import preference
    from tiebreak.spec import parse

    for spec in asked:
        preference(spec)
    if by is None:
        return
    try:
        method(by)
    except UnknownNameError:
        raise UnknownNameError("way to order systems", parse(by).name, [*METHODS, *POPULATIONS]) from None


def of_file(path: str, missing: float | None, lower_is_better: bool, over: dict[str, Any]) -> Utilities:
    from tiebreak.utilities import Utilities

    return Utilities(path, missing=missing, lower_is_better=lower_is_better, **over)


def by_population(made: Experiment, measure: str, by: str | None, over: dict[str, str | None]) -> Ordering:
    from tiebreak.experiment import population_of

    found = population_of(measure, by)
    if found is None or found.metric is None or not any(over.values()):
        return made.order(measure, by)
    return made.utilities(found.metric, **over).order(found)


def lists_of(orderings: Iterable[Ordering]) -> dict[str, Any]:
    """By way of ordering the runs, the best first; under ``tied`` the groups of them that share a rank."""
    ranks = {ordering.by: ordering.to_dict() for ordering in orderings}
    return {**{by: list(known) for by, known in ranks.items()}, "tied": {by: tied_runs(ranks[by]) for by in ranks}}


def tied_runs(ranks: dict[str, int]) -> list[list[str]]:
    """The groups of runs that share a rank."""
    groups = ([run for run, rank in ranks.items() if rank == shared] for shared in dict.fromkeys(ranks.values()))
    return [group for group in groups if len(group) > 1]


class Orders:
    """Several orders of the same runs, in every format."""

    def __init__(self, orderings: list[Ordering], names: list[str], digits: int) -> None:
        self.orderings, self.names, self.digits = orderings, names, digits

    def table(self) -> Table:
        from tiebreak.reports.tables import Table

        columns = [self._column(k) for k in range(len(self.names))]
        header = ("run", *(title for k in range(len(self.names)) for title in self._titles(k)))
        cells = [(run, *(cell for column in columns for cell in column[run])) for run in self.orderings[0].ranking()]
        best = (
            (r, c)
            for r, row in enumerate(cells)
            for c, cell in enumerate(row)
            if c and cell in ("1", "1=") and "score" not in header[c]
        )
        return Table(header, tuple(cells), tuple(self._notes()), frozenset(best))

    def _titles(self, k: int) -> tuple[str, ...]:
        return (self.names[k], *(("score",) if len(self.names) == 1 else ()))

    def _column(self, k: int) -> dict[str, tuple[str, ...]]:
        """The rank of every run, and its score where one order is shown alone."""
        rows = self.orderings[k].rows()
        return {
            row.run: (row.shown, *((f"{row.score:.{self.digits}f}",) if len(self.names) == 1 else ())) for row in rows
        }

    def _notes(self) -> Iterator[str]:
        from tiebreak.words import listed

        for name, ordering in zip(self.names, self.orderings, strict=True):
            tied = f", {ordering.n_tied} tied" if ordering.n_tied else ""
            yield f"{ordering.measure} by {ordering.by}: rank 1 is best{tied}."
            for cycle in ordering.cycles:
                yield f"{name}: majorities go round in a circle among {listed(cycle)}."
        for name, other in zip(self.names[1:], self.orderings[1:], strict=True):
            alike = other.correlation(self.orderings[0])
            if alike == alike:
                yield f"Kendall's tau_b of {self.names[0]} and {name}: {alike:.3f}."
        yield from dict.fromkeys(note for ordering in self.orderings for note in ordering.notes)

    def rows(self) -> Rows:
        """Names of columns, and a row per measure and run."""
        return ("measure", "by", "rank", "run", "score", "tied"), self._long()

    def _long(self) -> Iterator[tuple[Any, ...]]:
        for name, ordering in zip(self.names, self.orderings, strict=True):
            yield from ((name, ordering.by, *row) for row in ordering.rows())

    def jsonl(self) -> Rows:
        """The keys that users of pref_aggregate expect: lists of runs, the best first; and which of them tie."""
        lists = [{"type": "population", **lists_of([ordering])} for ordering in self.orderings]
        return ("qid", *self.names), iter([("all", *lists)])

    def trec(self) -> Iterator[tuple[Any, ...]]:
        """Measure, ``all``, run, rank, score."""
        for name, ordering in zip(self.names, self.orderings, strict=True):
            yield from ((name, "all", row.run, row.rank, row.score) for row in ordering.rows())


class ComparedOrders(Orders):
    """The orders that comparisons give, with rank intervals or by request where asked for."""

    def __init__(
        self,
        found: list[Comparison],
        names: list[str],
        by: str | None,
        per_request: bool,
        resamples: int | None,
        seed: int,
        digits: int,
    ) -> None:
        self.found, self.names, self.by, self.per_request, self.digits = found, names, by, per_request, digits
        self.resamples, self.seed = resamples, seed

    @cached_property
    def orderings(self) -> list[Ordering]:  # type: ignore[override]
        return [comparison.order(self.by) for comparison in self.found]

    def table(self) -> Table:
        return self._request_table() if self.per_request else super().table()

    def _request_table(self) -> Table:
        from itertools import islice

        from tiebreak.comparison import MOST_ROWS, not_shown
        from tiebreak.orderings.base import shown_rank
        from tiebreak.reports.tables import Table
        from tiebreak.words import signed

        ranked = islice(self._requests(), MOST_ROWS)
        rows = ((m, q, shown_rank(k, tied), run, signed(s, self.digits)) for m, q, k, run, s, tied in ranked)
        said = not_shown(sum(len(c.runs) * len(c.requests) for c in self.found), "row")
        return Table(("measure", "request", "rank", "run", "win rate"), tuple(rows), said)

    def _titles(self, k: int) -> tuple[str, ...]:
        return (*super()._titles(k), *(("95%",) if self.resamples else ()))

    def _column(self, k: int) -> dict[str, tuple[str, ...]]:
        """The same with the interval of the rank where asked for."""
        shown = super()._column(k)
        if not self.resamples:
            return shown
        return {row.run: (*shown[row.run], f"{row.low}-{row.high}") for row in self._intervals(k)}

    def _intervals(self, k: int) -> Any:
        drawn = self.found[k].bootstrap(self.orderings[k].by, resamples=int(self.resamples or 1), seed=self.seed)
        return drawn.rank_intervals()

    def _notes(self) -> Iterator[str]:
        from tiebreak.words import many

        yield from super()._notes()
        if self.resamples:
            yield f"95% intervals of ranks: {many(self.resamples, 'resample')} of requests, seed {self.seed}."

    def rows(self) -> Rows:
        """Names of columns, and a row per measure and run, or per measure, request and run."""
        if self.per_request:
            return ("measure", "request", "rank", "run", "win_rate", "tied"), self._requests()
        header, rows = super().rows()
        return (*header, "low", "high") if self.resamples else header, rows

    def _long(self) -> Iterator[tuple[Any, ...]]:
        if not self.resamples:
            yield from super()._long()
            return
        for k, ordering in enumerate(self.orderings):
            bounds = {row.run: row[1:] for row in self._intervals(k)}
            yield from ((self.names[k], ordering.by, *row, *bounds[row.run]) for row in ordering.rows())

    def _requests(self) -> Iterator[tuple[Any, ...]]:
        """Measure, request, rank, run, win rate, and whether it ties; the best of a request first."""
        for comparison in self.found:
            rates = comparison.win_rate().T.tolist()
            for request, ranks, scores in zip(
                comparison.requests, comparison.placings().T.tolist(), rates, strict=True
            ):
                for rank, run, score in sorted(zip(ranks, comparison.runs, scores, strict=True)):
                    yield comparison.measure, request, rank, run, score, ranks.count(rank) > 1

    def jsonl(self) -> Rows:
        """The keys that users of pref_aggregate expect: lists of runs, the best first; and which of them tie."""
        if self.per_request:
            return ("qid", *self.names, "tied"), self._request_lists()
        lists = [{"type": self._type(k), **self._lists(k)} for k in range(len(self.found))]
        if self.resamples:
            for k, known in enumerate(lists):
                known["rank_intervals"] = {row.run: row[1:] for row in self._intervals(k)}
        return ("qid", *self.names), iter([("all", *lists)])

    def _type(self, k: int) -> str:
        from tiebreak.preferences.from_metric import MetricDifference

        return "metric" if isinstance(self.found[k].preference, MetricDifference) else "preference"

    def _lists(self, k: int) -> dict[str, Any]:
        ways = dict.fromkeys(["mc4", "borda", self.orderings[k].by])
        return lists_of([self.found[k].order(by) for by in ways])

    def _request_lists(self) -> Iterator[tuple[Any, ...]]:
        lists: dict[str, dict[str, dict[str, int]]] = {}
        for measure, request, rank, run, _, _ in self._requests():
            lists.setdefault(request, {}).setdefault(measure, {})[run] = rank
        for request, known in lists.items():
            runs = (list(known[name]) if name in known else None for name in self.names)
            yield (request, *runs, {name: tied_runs(ranks) for name, ranks in known.items()})

    def trec(self) -> Iterator[tuple[Any, ...]]:
        """Measure, request or ``all``, run, rank, score."""
        if self.per_request:
            yield from ((m, q, run, rank, score) for m, q, rank, run, score, _ in self._requests())
        else:
            yield from super().trec()
