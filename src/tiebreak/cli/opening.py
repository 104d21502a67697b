"""The experiment that a command was given: its files, opened and read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from tiebreak._kernels.early import EarlyReading
from tiebreak._kernels.interface import MEMORY
from tiebreak.cli.engine import SparkEngine, named_tables
from tiebreak.cli.options import name_and_path

if TYPE_CHECKING:
    from tiebreak.experiment import Experiment
    from tiebreak.inputs.columns import ColumnNames


def experiment(
    qrels: str,
    runs: tuple[str, ...],
    measures: Iterable[Any] = (),
    *,
    early: EarlyReading | None = None,
    columns: ColumnNames | None = None,
    engine: SparkEngine | None = None,
    holds_all: bool = False,
    **options: Any,
) -> Experiment:
    """The experiment that a command was given, read with a progress bar, with all that some measures need.

    With `holds_all` the command looks at all rankings, and refuses runs that are too large to hold.
    """
    from tiebreak.cli.progress import progress
    from tiebreak.engines.placement import large_rows
    from tiebreak.experiment import Experiment
    from tiebreak.inputs import Run, read_judgements
    from tiebreak.inputs.columns import ColumnNames
    from tiebreak.inputs.runs import check_held
    from tiebreak.reading_needs import measure_needs

    several = list(measures)
    for measure in several:
        measure_needs(measure)  # a bad name is an error before anything is read
    if engine is not None:
        return engine.experiment(qrels, runs, several, columns=columns, **options)
    memory, several_runs = options.get("memory", MEMORY), [*map(name_and_path, runs)]
    judgements, named = cast(Any, (qrels, [path for _, path in several_runs]))
    if large_rows(qrels, named, ColumnNames(columns, is_shared=True), memory) is None:
        named = [Run(path, name, columns=columns, memory=memory) if name else path for name, path in several_runs]
        judgements = read_judgements(qrels, columns=columns, memory=memory, early=early)
    else:
        named = named_tables(runs)
    result = Experiment(judgements, named, columns=columns, **options)
    if holds_all:
        check_held(result.runs)
    with progress("reading") as tick:
        result.read(several, tick=tick, early=early)
    return result
