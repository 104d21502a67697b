"""Comparisons: several preferences between the same pairs of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

from tiebreak._base.checks import check_names
from tiebreak.comparison import Comparison, ComparisonSummary, PairValue
from tiebreak.engines.request_file import is_kept
from tiebreak.errors import InputError, UnknownNameError
from tiebreak.inputs.runs import baseline_names
from tiebreak.preferences.pairs import chosen_pairs
from tiebreak.results.cells import Cell, signed_column
from tiebreak.results.drawable import Drawable
from tiebreak.results.record import LazyRows, Result
from tiebreak.significance import Significance, Test

if TYPE_CHECKING:
    from tiebreak.results.plots import Drawing


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(Drawable, Result):
    """The comparisons of runs by several measures: ``comparisons["AP"]`` is one of them.

    Attributes
    ----------
    parts : dict
        The comparison by every measure.
    """

    parts: Mapping[str, Comparison]
    columns = PairValue._fields
    spread = "measure"
    spread_cells: ClassVar[Mapping[str, Cell]] = {"": signed_column("value")}

    def __getitem__(self, measure: str) -> Comparison:
        if measure not in self.parts:
            raise UnknownNameError("measure", measure, self.parts)
        return self.parts[measure]

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def rows(self) -> Sequence[PairValue]:
        """Every preference, by measure, then request, then pair."""
        parts = [part.rows() for part in self.parts.values()]
        return LazyRows(sum(map(len, parts)), lambda: chain.from_iterable(parts))

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(note for part in self.parts.values() for note in part.notes))

    @property
    def settings(self) -> dict[str, Any]:
        first = next(iter(self.parts.values())).settings
        return {**first, "measure": list(self.parts)}

    def summary(self, test: str | Test = "auto", **how: Any) -> ComparisonSummary:
        """Mean, interval, wins, ties and losses of every pair by every measure, as in `Comparison.summary`."""
        summaries = [part.summary(test, **how) for part in self.parts.values()]
        notes = dict.fromkeys(note for one in summaries for note in one.notes)
        rows = tuple(chain.from_iterable(one.values for one in summaries))
        return ComparisonSummary(
            rows, tuple(notes), summaries[0].alpha, library=self.library, more_settings=self.settings
        )

    @property
    def pictures(self) -> Mapping[str, Callable[[], Drawing]]:
        """Those of a comparison; each shows all measures side by side."""
        return self.summary().pictures

    def drawings(self, kind: str | None = None) -> Sequence[Drawing]:
        """The picture of every measure."""
        return self.summary().drawings(kind)

    def test(self, test: str | Test = "auto", **how: Any) -> dict[str, Significance]:
        """The test of every measure, as in `Comparison.test`; each is corrected for its own comparisons."""
        return {measure: part.test(test, **how) for measure, part in self.parts.items()}


def compare_by_several(experiment: Any, measures: list[Any], baseline: Any, per_request: Any) -> Comparisons:
    """The comparisons of an experiment by several measures, for all of which runs are read once."""
    names = [str(measure).strip() for measure in measures]
    check_names(names, "measure", "RPP")
    if is_kept(per_request) is not per_request:
        raise InputError("per_request= with a file is for one measure. Compare by one after another.", kind="output")
    baselines = baseline_names(baseline)
    chosen_pairs(tuple(run.name for run in experiment.runs), baselines)  # validate before reading
    experiment.read(measures)
    parts = {
        name: experiment.compare(measure, baselines, per_request=per_request)
        for name, measure in zip(names, measures, strict=True)
    }
    return Comparisons(parts, library=next(iter(parts.values())).library)
