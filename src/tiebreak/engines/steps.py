"""What an engine will do, before it does it: what is read, shuffled and held where, as EXPLAIN says it of a query."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from tiebreak._base.text import plural
from tiebreak.engines.placement import divide_files
from tiebreak.engines.plan import Plan
from tiebreak.engines.request_file import PerRequest, RequestFile, request_file
from tiebreak.errors import InputError
from tiebreak.inputs import Judgements
from tiebreak.inputs.sources import Source
from tiebreak.projection import Positions
from tiebreak.projection.needs import Needs
from tiebreak.projection.popularity import ITEM_BYTES
from tiebreak.results.record import Rows

if TYPE_CHECKING:
    from tiebreak.engines.local_tables import LocalTables
    from tiebreak.engines.spark_tables import SparkTables


class Step(NamedTuple):
    """One thing that is done: where, with how many rows where that is known, and in words."""

    step: str
    where: str
    rows: int | None
    what: str


@dataclass(frozen=True, eq=False, repr=False)
class WorkPlan(Rows[Step]):
    """The steps of an engine, in their order; notes say which options hold."""

    columns: ClassVar[tuple[str, ...]] = Step._fields


WAYS = {
    "file": "as a file in TREC's format",
    "bytes": "as text in TREC's format",
    "table": "as a table in memory",
    "stream": "in batches, written to a temporary file by block",
}
TEXT = ("file", "bytes")
DIVIDED = "lines of files by block; compressed ones are unpacked, and those in no order sorted, in temporary files"
TOTALS = "beyond 8 million, or with per_request=False, sums and counts instead"
MIXED = "by Spark, and by workers from files"
COALESCING = "spark.sql.adaptive.enabled", "spark.sql.adaptive.coalescePartitions.enabled"
"""With both, Spark joins small partitions."""
VALUES = "16 bytes for every request and run of a metric, 1 to 16 for every request and pair of a preference"


def reading_steps(judgements: Judgements, runs: Sequence[Source]) -> Iterator[Step]:
    """What is read on this machine."""
    yield Step(
        "read", "here", len(judgements), f"judgements of {plural(len(judgements.requests), 'request')}, held whole"
    )
    yield from run_steps(runs)


def run_steps(runs: Sequence[Source]) -> Iterator[Step]:
    """How each run is read."""
    for source in runs:
        rows = len(source.kernel[2]) if source.kernel[0] == "table" else None
        yield Step("read", "here", rows, f"{source.label}, {WAYS[source.kernel[0]]}")


def whole_steps(n_runs: int) -> Iterator[Step]:
    """Everything at once."""
    yield Step(
        "hold", "here", None, f"positions of all judged items: 4 bytes for each in each of {plural(n_runs, 'run')}"
    )
    yield Step("hold", "here", None, f"values: {VALUES}")


def block_steps(tables: LocalTables, n_requests: int, runs: Sequence[Source]) -> Iterator[Step]:
    """Block after block, of judgements that are held."""
    if any(source.kernel[0] in TEXT for source in runs):
        yield Step("divide", "here", None, DIVIDED)
    yield Step("compute", "here", None, f"{block_sizes(tables, n_requests, runs)}, one after another")
    yield Step("hold", "here", None, "positions of the judged items of one block")
    yield Step("hold", "here", None, f"values: {VALUES}; {TOTALS}")
    yield Step("compute", "here", None, "blocks once more, where only exact values decide a tie")


def block_sizes(tables: LocalTables, n_requests: int, runs: Sequence[Source]) -> str:
    """How many blocks there are, where that is known, and how large they are."""
    size = tables.block_requests
    if size is None:
        return "blocks of up to about a million rows"
    if tables.judged is not None or any(source.kernel[0] == "stream" for source in runs):
        return f"blocks of about {plural(size, 'request')}"
    return f"{plural(-(-n_requests // size), 'block')} of up to {plural(size, 'request')}"


def partition_steps(tables: LocalTables, runs: Sequence[Source]) -> Iterator[Step]:
    """Tables that are divided by request first, judgements among them."""
    held = [source for source in runs if source.kernel[0] != "stream"]
    yield from run_steps(held)
    several = f"judgements and {plural(len(runs) - len(held), 'run')} in batches, written to temporary files by request"
    yield Step("divide", "here", tables.rows, several)
    if any(source.kernel[0] in TEXT for source in held):
        yield Step("divide", "here", None, DIVIDED)
    if tables.judged is not None and tables.judged.subtopics:
        grades = "the grades of items over their subtopics, in one pass over the judgements"
        yield Step("compute", "here", None, grades)
    sizes = block_sizes(tables, 0, runs)
    yield Step("compute", "here", None, f"{sizes}, one after another, read from these files")
    yield Step("hold", "here", None, "judgements and positions of one block")
    yield Step("hold", "here", None, f"values: {VALUES}; {TOTALS}")


def spark_steps(tables: SparkTables) -> Iterator[Step]:
    """On Spark."""
    several = ["judgements", *tables.pairs, plural(len(tables.runs), "run")]
    files = sum(bool(table.parts) for table in tables.tables)
    read = "by workers, from files" if files == len(tables.tables) else "by Spark" if not files else MIXED
    yield Step("read", "workers", None, f"{', '.join(several)}: request, item and value; {read}")
    settings = tables.session.conf
    number = settings.get("spark.sql.shuffle.partitions")
    few = ", small ones coalesced" if all(settings.get(name) == "true" for name in COALESCING) else ""
    yield Step("shuffle", "workers", None, f"packed rows by a hash of the request into {number} partitions{few}")
    yield Step("compute", "workers", None, "positions in blocks of whole requests, about 260,000 rows each")
    yield Step("hold", "workers", None, "positions of judged items on disk, for all measures until more is asked for")
    yield Step(
        "compute", "workers", None, "each measure from these positions; once more where only exact values decide"
    )
    yield Step("hold", "driver", None, f"ids of requests, and values: {VALUES}; {TOTALS}")


class PlannedExperiment:
    """An experiment that says what its engine will do."""

    judgements: Any
    runs: Any
    more_settings: Any
    _elsewhere: SparkTables | LocalTables | None
    _needs: Needs
    _aspect_source: Any
    _plan: Any
    _positions: Any
    _options: dict[str, Any]
    _inputs: Callable[[Any], dict[str, str | None]]

    def plan(self) -> WorkPlan:
        """What will be read, shuffled and held where, without doing any of it."""
        from tiebreak.engines.spark_tables import SparkTables

        sources = [run.source for run in self.runs]
        if isinstance(self._elsewhere, SparkTables):
            steps = [*spark_steps(self._elsewhere), *self._popularity_steps("driver and workers")]
        elif self._elsewhere is not None and self._elsewhere.judged is not None:
            steps = [*partition_steps(self._elsewhere, sources), *self._popularity_steps("here")]
        else:
            n_requests = len(self.judgements.requests)
            steps = [*reading_steps(self.judgements, sources)]
            steps += (
                whole_steps(len(sources))
                if self._elsewhere is None
                else block_steps(self._elsewhere, n_requests, sources)
            )
        options = self.more_settings["reading"].items()
        held = ", ".join(f"{name}={value!r}" for name, value in options if value not in (None, False))
        return WorkPlan(tuple(steps), (f"Options: {held}.",), more_settings=self.more_settings)

    def _popularity_steps(self, where: str) -> Iterator[Step]:
        """What is known of all judgements before blocks are computed, where a measure asks for it."""
        if self._needs.popularity and self._aspect_source.train is None:
            yield Step("count", where, None, "users who rated each item, in one pass over the judgements")
            yield Step("hold", where, None, f"their numbers: about {ITEM_BYTES} bytes for each item")

    def _writer(
        self, per_request: PerRequest, rows: Callable[[Any], Any], columns: Sequence[str]
    ) -> AbstractContextManager[RequestFile | None]:
        """The file that values of requests are written to, if one is asked for; none that is read."""
        judged = getattr(self._elsewhere, "judged", None)
        inputs = (*self._inputs(None).values(), None if judged is None else judged.label)
        return request_file(per_request, rows, columns, [path for path in inputs if path])

    def _hold(self, needs: Needs, **how: Any) -> Positions | None:
        """The positions; None where the input cannot be held, which may be known only when files were read."""
        if self._elsewhere is None:
            try:
                positions: Positions = self._positions(needs, **how)
                return positions
            except InputError as error:
                self._elsewhere = divide_files(error, self.judgements, self.runs, self._options["memory"])
        return None

    def _grow_plan(self, needs: Needs) -> Plan:
        """How blocks are read with all that was asked for so far, so that they are read again only for more."""
        self._needs = self._needs | needs
        plan: Plan = self._plan(self._needs)
        return plan
