"""``tiebreak order``: systems from the best to the worst."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli.options import PreferencesHelp, experiment, output_options, reading_options
from tiebreak.cli.output import Rows, write

if TYPE_CHECKING:
    from tiebreak.comparison import Comparison
    from tiebreak.orderings import Ordering
    from tiebreak.reports.tables import Table


@click.command("order", cls=PreferencesHelp)
@reading_options
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="SPEC", help="Such as RPP, LexiRecall or AP; repeatable."
)
@click.option("--by", metavar="HOW", help="mc4, borda, copeland, win_rate or mean; by default mc4, for metrics mean.")
@click.option("-q", "--per-request", is_flag=True, help="The order within every request.")
@click.option(
    "--bootstrap", "resamples", type=click.IntRange(1, 1_000_000), help="Rank intervals from so many resamples."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the resamples.")
@output_options
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    by: str | None,
    per_request: bool,
    resamples: int | None,
    seed: int,
    digits: int,
    format_: str,
    out: str | None,
    **options: Any,
) -> None:
    """Order the runs by preferences.

    QRELS and RUN are files in TREC's formats or tables (csv, tsv, JSON lines, parquet), plain or compressed by gzip or
    zstd; a RUN may be a folder of them, or - for standard input. A run can be given as NAME=PATH. A metric
    such as AP stands for the difference of its values.
    """
    from tiebreak.orderings import method
    from tiebreak.preferences import DEFAULTS, preference

    if per_request and (by or resamples):
        raise click.UsageError("-q orders the runs of each request, by win rate. Leave out --by and --bootstrap.")
    asked = tuple(dict.fromkeys(spec.strip() for spec in measures or DEFAULTS))
    for spec in asked:
        preference(spec)  # a bad name is refused before anything is read
    if by is not None:
        method(by)
    made = experiment(qrels, runs, **options)
    found = [made.compare(spec) for spec in asked]
    write(Report(found, by, per_request, resamples, seed, digits), format_, out)


class Report:
    """The orders that several preferences give, in every format."""

    def __init__(
        self, found: list[Comparison], by: str | None, per_request: bool, resamples: int | None, seed: int, digits: int
    ) -> None:
        self.found, self.by, self.per_request, self.digits = found, by, per_request, digits
        self.resamples, self.seed = resamples, seed

    @cached_property
    def orderings(self) -> list[Ordering]:
        return [comparison.order(self.by) for comparison in self.found]

    def table(self) -> Table:
        from itertools import islice

        from tiebreak.comparison import MOST_ROWS, not_shown
        from tiebreak.orderings.base import shown_rank
        from tiebreak.reports.tables import Table
        from tiebreak.words import signed

        if self.per_request:
            ranked = islice(self._requests(), MOST_ROWS)
            rows = ((m, q, shown_rank(k, tied), run, signed(s, self.digits)) for m, q, k, run, s, tied in ranked)
            said = not_shown(sum(len(c.runs) * len(c.requests) for c in self.found), "row")
            return Table(("measure", "request", "rank", "run", "win rate"), tuple(rows), said)
        columns = [self._column(k) for k in range(len(self.found))]
        header = ("run", *(title for k in range(len(self.found)) for title in self._titles(k)))
        cells = [(run, *(cell for column in columns for cell in column[run])) for run in self.orderings[0].ranking()]
        best = (
            (r, c)
            for r, row in enumerate(cells)
            for c, cell in enumerate(row)
            if c and cell in ("1", "1=") and "score" not in header[c]
        )
        return Table(header, tuple(cells), tuple(self._notes()), frozenset(best))

    def _titles(self, k: int) -> tuple[str, ...]:
        score = ("score",) if len(self.found) == 1 else ()
        return (self.orderings[k].measure, *score, *(("95%",) if self.resamples else ()))

    def _column(self, k: int) -> dict[str, tuple[str, ...]]:
        """The rank of every run by one preference, with its interval where asked for."""
        bounds = {row.run: (f"{row.low}-{row.high}",) for row in self._intervals(k)} if self.resamples else {}
        shown = {}
        for row in self.orderings[k].rows():
            score = (f"{row.score:.{self.digits}f}",) if len(self.found) == 1 else ()
            shown[row.run] = (row.shown, *score, *bounds.get(row.run, ()))
        return shown

    def _intervals(self, k: int) -> Any:
        drawn = self.found[k].bootstrap(self.orderings[k].by, resamples=int(self.resamples or 1), seed=self.seed)
        return drawn.rank_intervals()

    def _notes(self) -> Iterator[str]:
        from tiebreak.words import listed

        for ordering in self.orderings:
            tied = f", {ordering.n_tied} tied" if ordering.n_tied else ""
            yield f"{ordering.measure} by {ordering.by}: rank 1 is best{tied}."
            for cycle in ordering.cycles:
                yield f"{ordering.measure}: majorities go round in a circle among {listed(cycle)}."
        first = self.orderings[0]
        for other in self.orderings[1:]:
            alike = other.correlation(first)
            if alike == alike:
                yield f"Kendall's tau_b of {first.measure} and {other.measure}: {alike:.3f}."
        if self.resamples:
            yield f"95% intervals of ranks: {self.resamples:,} resamples of requests, seed {self.seed}."
        yield from dict.fromkeys(note for comparison in self.found for note in comparison.notes)

    def rows(self) -> Rows:
        """Names of columns, and a row per measure and run, or per measure, request and run."""
        if self.per_request:
            return ("measure", "request", "rank", "run", "win_rate", "tied"), self._requests()
        more = ("low", "high") if self.resamples else ()
        return ("measure", "by", "rank", "run", "score", "tied", *more), self._long()

    def _long(self) -> Iterator[tuple[Any, ...]]:
        for k, ordering in enumerate(self.orderings):
            bounds = {row.run: row[1:] for row in self._intervals(k)} if self.resamples else {}
            for row in ordering.rows():
                yield (ordering.measure, ordering.by, *row, *bounds.get(row.run, ()))

    def _requests(self) -> Iterator[tuple[Any, ...]]:
        """Measure, request, rank, run, win rate, and whether it ties; the best of a request first."""
        for comparison in self.found:
            rates = comparison.win_rate().T.tolist()
            for request, ranks, scores in zip(
                comparison.requests, comparison.placings().T.tolist(), rates, strict=True
            ):
                order = sorted(range(len(ranks)), key=ranks.__getitem__)
                for r in order:
                    tied = ranks.count(ranks[r]) > 1
                    yield comparison.measure, request, ranks[r], comparison.runs[r], scores[r], tied

    def jsonl(self) -> Rows:
        """The keys that users of pref_aggregate expect: lists of runs, the best first."""
        if self.per_request:
            return ("qid", *(c.measure for c in self.found)), self._request_lists()
        lists = [{"type": self._type(k), **self._lists(k)} for k in range(len(self.found))]
        if self.resamples:
            for k, known in enumerate(lists):
                known["rank_intervals"] = {row.run: row[1:] for row in self._intervals(k)}
        return ("qid", *(c.measure for c in self.found)), iter([("all", *lists)])

    def _type(self, k: int) -> str:
        from tiebreak.preferences.from_metric import MetricDifference

        return "metric" if isinstance(self.found[k].preference, MetricDifference) else "preference"

    def _lists(self, k: int) -> dict[str, Any]:
        ways = dict.fromkeys(["mc4", "borda", self.orderings[k].by])
        return {by: self.found[k].order(by).ranking() for by in ways}

    def _request_lists(self) -> Iterator[tuple[Any, ...]]:
        lists: dict[str, dict[str, list[str]]] = {}
        for measure, request, _, run, _, _ in self._requests():
            lists.setdefault(request, {}).setdefault(measure, []).append(run)
        for request, known in lists.items():
            yield (request, *(known.get(c.measure) for c in self.found))

    def trec(self) -> Iterator[tuple[Any, ...]]:
        """Measure, request or ``all``, run, rank, score."""
        if self.per_request:
            yield from ((m, q, run, rank, score) for m, q, rank, run, score, _ in self._requests())
            return
        for ordering in self.orderings:
            yield from ((ordering.measure, "all", row.run, row.rank, row.score) for row in ordering.rows())
