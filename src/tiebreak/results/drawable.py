"""Results that can be drawn: ``plot()`` and ``save()``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from tiebreak._base.checks import check_choice
from tiebreak._base.text import join_names
from tiebreak.errors import InputError

if TYPE_CHECKING:
    from tiebreak.results.plots import Drawing
    from tiebreak.results.record import Result


class Drawable:
    """A result with pictures: one or several kinds of them."""

    _internals: ClassVar[tuple[str, ...]] = ("picture", "picture_with", "drawings")

    @property
    def pictures(self) -> Mapping[str, Callable[[], Drawing]]:
        """Every kind of picture that there is of this result; the first is the default."""
        raise NotImplementedError

    def picture(self, kind: str | None = None) -> Drawing:
        """What is drawn: which columns, their names, and the rows."""
        pictures = self.pictures
        if not pictures:
            raise InputError("this result has no picture.", kind="choice")
        if kind is not None:
            check_choice(kind, "kind", pictures)
        return pictures[kind or next(iter(pictures))]()

    def drawings(self, kind: str | None = None) -> Sequence[Drawing]:
        """What is drawn side by side: of most results one."""
        return [self.picture(kind)]

    def vega_lite(self, kind: str | None = None) -> dict[str, Any]:
        """The picture as Vega-Lite writes it."""
        return self.picture_with((), kind)

    def plot(self, kind: str | None = None) -> Any:
        """An Altair chart of one of the `pictures`, by default the first."""
        from tiebreak.results.plots import draw

        return draw(self.vega_lite(kind))

    def save(self, path: str | os.PathLike[str], kind: str | None = None) -> None:
        """Write a picture to a file, whose ending says how: .png, .svg, .pdf or .html."""
        from tiebreak.results.plots import save

        save(self.vega_lite(kind), path)

    def picture_with(self, others: Sequence[Any], kind: str | None) -> dict[str, Any]:
        """One picture of this result and others of the same kind: each beside the other."""
        from tiebreak.results.vega_lite import beside, vega_lite

        return beside([vega_lite(*drawing) for one in (self, *others) for drawing in one.drawings(kind)])


class DrawableValues(Drawable):
    """A number for every run and request, drawn from the worst request to the best."""

    runs: Any
    values: Any
    measure: str

    @property
    def pictures(self) -> Mapping[str, Callable[[], Drawing]]:
        """Values of every run from the worst request to the best."""
        from tiebreak.results.pictures import sorted_values

        return {"sorted": lambda: sorted_values(self.measure, dict(zip(self.runs, self.values.tolist(), strict=True)))}


class DrawablePairs(Drawable):
    """Pairs of runs by one or several measures."""

    values: Any
    settings: Any

    def _pictures(self, measure: str) -> Mapping[str, Callable[[], Drawing]]:
        from tiebreak.results.pair_pictures import pair_pictures

        return pair_pictures(cast("Result", self), measure, self.settings.get("baselines", ()))

    @property
    def pictures(self) -> Mapping[str, Callable[[], Drawing]]:
        """Pairs with their intervals; a heat map of all pairs; groups that were not shown to differ."""
        return self._pictures(self.values[0].measure)

    def drawings(self, kind: str | None = None) -> Sequence[Drawing]:
        """The picture of every measure."""
        first = self.picture(kind)  # refuses an unknown kind
        chosen = kind or next(iter(self.pictures))
        _, *others = dict.fromkeys(row.measure for row in self.values)
        return [first, *(self._pictures(measure)[chosen]() for measure in others)]


class DrawableMeans(Drawable):
    """Rows with a run, a measure and a value, and perhaps a group."""

    settings: Any

    if TYPE_CHECKING:

        def records(self) -> Iterator[Mapping[str, Any]]: ...

    @property
    def pictures(self) -> Mapping[str, Callable[[], Drawing]]:
        """The values of every run by measure, and by group if there are any."""
        return {"leaderboard": lambda: self._leaderboards()[0]}

    def drawings(self, kind: str | None = None) -> Sequence[Drawing]:
        """All measures in one picture; of groups one by measure, in which they have the same scale."""
        self.picture(kind)  # refuses an unknown kind
        return self._leaderboards()

    def _leaderboards(self) -> list[Drawing]:
        from tiebreak.results.pictures import leaderboard

        records = list(self.records())
        measures = list(dict.fromkeys(one["measure"] for one in records))
        first = {
            one["run"]: one["value"] for one in records if one["measure"] == measures[0]
        }  # of groups the last, all
        records.sort(key=lambda one: (-first[one["run"]], one["run"]))
        utility = self.settings.get("measure")
        is_named = not utility or all(f"({utility}" in measure for measure in measures)  # mean(AP) is of AP
        over, by = "" if is_named else f" of {utility}", f"; runs by {measures[0]}"
        if "group" not in records[0]:
            rows = [(one["run"], one["measure"], one["value"], None, None) for one in records]
            return [leaderboard(f"{join_names(measures, most=4)}{over}{by}", rows)]
        return [
            leaderboard(
                f"{measure}{over} in every group of requests{by}",
                [(one["run"], one["group"], one["value"], None, None) for one in records if one["measure"] == measure],
                has_one_scale=True,
            )
            for measure in measures
        ]
