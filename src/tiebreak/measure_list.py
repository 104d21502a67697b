"""Every metric, preference, population, ordering and test by its name, read from the catalogues."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from tiebreak._base.catalogue import Entry
from tiebreak._base.checks import check_choice
from tiebreak._base.text import first_line
from tiebreak.results.cells import Cell, column
from tiebreak.results.record import Rows

KINDS = {
    "metric": "metrics",
    "preference": "preferences",
    "population": "populations",
    "ordering": "orderings",
    "test": "significance",
}
"""The kinds of measures, and the packages whose catalogues list them."""
BETTER = (
    "better: whether higher or lower values are better; a positive preference means that the first run is better. "
    "Counts that describe the input, and tests, have no better values."
)
USES = (
    "Metrics: evaluate, -m. Preferences, and metrics: compare, -m. Populations, such as leximin(AP), and orderings: "
    "order, --by. Tests: test, --test."
)


class MeasureLine(NamedTuple):
    """A name of a catalogue."""

    name: str
    kind: str
    better: str | None
    description: str


class MeasureList(Rows[MeasureLine]):
    """Names with their kinds, whether a higher or a lower value is better, and what each is in a line."""

    columns = MeasureLine._fields

    @property
    def table_cells(self) -> Mapping[str, Cell]:
        """Without the column of kinds where there is one kind."""
        has_kinds = len({line.kind for line in self.values}) > 1
        return {name: column(name) for name in self.columns if has_kinds or name != "kind"}


def measures(kind: str | Iterable[str] | None = None) -> MeasureList:
    """Every metric, preference, population, ordering and test, with a line on each.

    Parameters
    ----------
    kind : {"metric", "preference", "population", "ordering", "test"}, or several, optional
        Only these.

    Examples
    --------
    >>> [line.name for line in measures("test").rows()]
    ['t', 'sign', 'wilcoxon', 'permutation', 'bootstrap', 'hsd', 'tukey']
    """
    kinds = list(KINDS) if kind is None else [kind] if isinstance(kind, str) else list(kind)
    for one in kinds:
        check_choice(one, "kind", tuple(KINDS))
    lines = (line for one in KINDS if one in kinds for line in catalogue_lines(one))
    return MeasureList(tuple(lines), (BETTER, USES), more_settings={"kinds": kinds})


def catalogue_lines(kind: str) -> Iterator[MeasureLine]:
    """The entries of one catalogue."""
    for name, entry in import_module(f"tiebreak.{KINDS[kind]}").CATALOGUE.items():
        yield MeasureLine(name, kind, better_values(kind, entry), first_line(entry.__doc__ or ""))


def better_values(kind: str, entry: type[Entry]) -> str | None:
    """Which values are better: higher, lower or positive ones."""
    if kind == "preference":
        return "positive"
    if kind == "test":
        return None
    traits: Any = getattr(entry, "traits", entry)  # of metrics; populations have no traits
    if not getattr(traits, "has_direction", True):
        return None
    return "lower" if getattr(traits, "lower_is_better", False) else "higher"
