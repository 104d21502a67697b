"""``--utilities``: a table of numbers in place of QRELS RUN..., and the options that go with it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tiebreak.cli import options
from tiebreak.cli.options import Command, require, with_options

if TYPE_CHECKING:
    from tiebreak.utilities import Utilities

RANKINGS = ("aspects", "profile", "intents")
"""Tables that only measures of rankings need."""


class TableOptions(NamedTuple):
    """How a command was given a table of utilities."""

    table: str | dict[str, str]
    trials: str | None = None
    missing: float | None = None
    lower_is_better: bool = False

    def read(self, measures: Sequence[str], **over: Any) -> Utilities:
        """The utilities of a measure, with columns, weights or groups."""
        from tiebreak.utilities import Utilities

        return Utilities(measure=options.table_measure(measures), **self._asdict(), **over)


def table_options(command: Command) -> Command:
    """Give a command its `utilities`, None where it reads QRELS RUN... instead."""

    @wraps(command)
    def reading(
        qrels: str | None,
        runs: tuple[str, ...],
        utilities: str | dict[str, str] | None,
        trials: str | None,
        missing: float | None,
        lower_is_better: bool,
        **typed: Any,
    ) -> Any:
        require((utilities is None) == bool(qrels and runs), "Give QRELS RUN..., or --utilities FILE")
        if utilities is None:
            is_plain = missing is None and trials is None and not lower_is_better
            require(is_plain, "--missing, --trials and --lower-is-better are for --utilities")
            return command(qrels=qrels, runs=runs, utilities=None, **typed)
        require(not qrels, "--utilities takes the place of QRELS RUN...")
        require(not any(typed.get(name) for name in RANKINGS), "--aspects, --train and --intents are for QRELS RUN...")
        table = TableOptions(utilities, trials, missing, lower_is_better)
        return command(qrels=None, runs=(), utilities=table, **typed)

    kinds = (options.UTILITIES, options.TRIALS, options.MISSING, options.LOWER_IS_BETTER)
    return with_options(cast(Command, reading), kinds)
