"""Pictures of rows in Vega-Lite: axes, facets, sizes and titles."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

from tiebreak.results.marks import LAYERS, Records, bars_beside, title
from tiebreak.results.tables import printable
from tiebreak.results.theme import (
    CELL,
    CELL_NUMBERS,
    CONFIG,
    FACET_SIDE,
    FACETS_IN_A_ROW,
    GROUP,
    LETTER,
    MANY,
    NODE,
    PADDING,
    PICTURES_IN_A_ROW,
    ROW,
    SIDE,
    SMALL_IN_A_ROW,
    SMALL_SIDE,
    SMALLEST,
    TICKS,
    WIDEST_ROW,
    heading,
)

if TYPE_CHECKING:
    from tiebreak.results.plots import Picture

VEGA_EMBED_OPTIONS = {
    "renderer": "svg",
    "actions": {"export": True, "source": False, "compiled": False, "editor": False},
}
"""What Vega's menu offers: it shows the source as HTML, in which names could run, and sends it to an editor online."""
PAGE = {"background": "white", "padding": 12, "config": CONFIG, "usermeta": {"embedOptions": VEGA_EMBED_OPTIONS}}


def vega_lite(picture: Picture, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> dict[str, Any]:
    """The rows and how they are drawn, as Vega-Lite writes it."""
    indices = [list(names).index(name) for name in picture.columns]
    records = [{names[k]: drawable(row[k]) for k in indices} for row in rows]
    size = sizes(picture, records)
    spec: dict[str, Any] = {"layer": layers(picture, records)} | size
    width, per_row = size["width"], 1
    if picture.kind in ("bump", "graph"):
        spec["view"] = {"stroke": None}
    if picture.facet is not None:
        facets = list(dict.fromkeys(record[picture.facet] for record in records))  # "sort": None is ignored here
        per_row = facets_in_a_row(len(facets), width)
        header = {"title": None, "labelLimit": width + 20} | ({"labelFontSize": 11} if len(facets) > MANY else {})
        facet = {"field": picture.facet, "type": "nominal", "sort": facets, "header": header}
        spec = {"spec": spec, "facet": facet, "columns": per_row}
        spec["resolve"] = {"scale": dict.fromkeys(picture.own_scales, "independent")}
        if len(facets) % per_row:  # else axes would stand below the empty places of the last row
            spec["resolve"]["axis"] = {"x": "independent"}
    head = heading(
        printable(picture.title), tuple(map(printable, picture.notes)), width * per_row + label_width(picture, records)
    )
    return spec | head | {"data": {"values": records}} | PAGE


def facets_in_a_row(number: int, width: int) -> int:
    """As many as leave the fewest places empty, among those that are not too wide together."""
    sizes = SMALL_IN_A_ROW if number > MANY else FACETS_IN_A_ROW
    choices = [size for size in sizes if size * width <= WIDEST_ROW] or [max(WIDEST_ROW // width, 1)]
    return number if number <= min(choices) else min(choices, key=lambda size: -number % size)


def label_width(picture: Picture, records: Records) -> int:
    """About the pixels of the names beside a picture."""
    names = () if is_number(picture.y, records) else {str(record[picture.y]) for record in records}
    return min(260, 6 * max(map(len, names), default=0)) + (100 if picture.color is not None else 0)


def beside(specs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Several pictures as one, each with its own title and scales."""
    if len(specs) == 1:
        return specs[0]
    data = {f"rows {k}": spec["data"]["values"] for k, spec in enumerate(specs, 1)}
    parts = [
        {key: value for key, value in spec.items() if key not in PAGE} | {"data": {"name": name}}
        for name, spec in zip(data, specs, strict=True)
    ]
    own = {"scale": dict.fromkeys(("color", "strokeDash"), "independent")}
    columns = max(min(PICTURES_IN_A_ROW, WIDEST_ROW // max(map(row_width, specs))), 1)
    return {"concat": parts, "columns": columns, "resolve": own, "spacing": 40, "datasets": data} | PAGE


def row_width(spec: dict[str, Any]) -> int:
    """Pixels of a picture, of facets all in a row."""
    return int(spec["columns"] * spec["spec"]["width"] if "spec" in spec else spec["width"])


def layers(picture: Picture, records: Records) -> list[dict[str, Any]]:
    encoding = {"x": axis(picture, picture.x, records), "y": axis(picture, picture.y, records)}
    return LAYERS[picture.kind](picture, records, encoding)


def axis(picture: Picture, name: str, records: Records) -> dict[str, Any]:
    """A column along an axis: numbers on a scale, text in the order of the rows."""
    if is_nominal(picture, name, records):
        names = list(dict.fromkeys(record[name] for record in records))
        way = "x" if name == picture.x else "y"
        # Without them, Vega-Lite orders names by where the first layer has something to draw.
        order = {"sort": names} if way in picture.own_scales else {"sort": None, "scale": {"domain": names}}
        return {"field": name, "type": "nominal", "title": title(picture, name)} | order
    # Shares end at 1 and positions begin at 1: only bars have round ends.
    is_bar = picture.kind == "bar"
    marks = max((len(record[str(picture.text)] or "") for record in records), default=0) if has_marks(picture) else 0
    padding = PADDING + (LETTER * marks if name == picture.x else 0)
    scale = {"zero": is_bar or picture.has_zero, "nice": is_bar} | ({} if is_bar else {"padding": padding})
    spec = {"field": name, "type": "quantitative", "title": title(picture, name), "scale": scale}
    ticks = {"tickCount": TICKS} if name == picture.x and picture.kind in ("interval", "bar") else {}
    ticks |= whole_axis(name, records) if is_whole(name, records) else {}
    return spec | ({"axis": ticks} if ticks else {})


def whole_axis(name: str, records: Records) -> dict[str, Any]:
    """Whole ticks; none at 0 where counting begins at 1, as with ranks."""
    least = min((record[name] for record in records if record[name] is not None), default=0)
    if least < 1:
        return {"tickMinStep": 1}
    hidden = {"condition": {"test": "1 > datum.value", "value": 0}, "value": 1}
    return {
        "tickMinStep": 1,
        "labelExpr": "1 > datum.value ? '' : datum.label",
        "tickOpacity": hidden,
        "gridOpacity": hidden,
    }


def sizes(picture: Picture, records: Records) -> dict[str, Any]:
    """Room for every name along an axis."""
    facets = {record[picture.facet] for record in records} if picture.facet is not None else set()
    side = SMALL_SIDE if len(facets) > MANY else FACET_SIDE if facets else SIDE
    room: dict[str, Any] = {"width": side, "height": side}
    if picture.kind == "graph":
        heights = [record[picture.y] for record in records if record[str(picture.text)] is not None]
        return {"width": NODE * max(map(heights.count, heights)), "height": NODE * len({*heights})}
    for name, way in ((picture.x, "width"), (picture.y, "height")):
        number = max(len({record[name] for record in records}), 3)
        if picture.kind == "bump":
            room[way] = (ROW if way == "height" else SMALL_SIDE) * number
        elif picture.kind == "groups" and way == "width":
            room[way] = max(GROUP * number, SMALL_SIDE if facets else 0)
        elif is_nominal(picture, name, records):
            room[way] = max(cell_side(picture, number) * bars_beside(picture, records), SMALLEST) * number
    return room


def has_marks(picture: Picture) -> bool:
    """Whether marks follow intervals."""
    return picture.kind == "interval" and picture.text is not None


def is_nominal(picture: Picture, name: str, records: Records) -> bool:
    """Whether values along an axis are names: cells and bars have a row for each, also of numbers such as grades."""
    is_row = picture.kind == "heat" or (picture.kind == "bar" and name == picture.y)
    return is_row or not is_number(name, records)


def cell_side(picture: Picture, number: int) -> int:
    """Pixels of one row or column: cells of heat maps are large enough for numbers, where there are few."""
    if picture.kind != "heat":
        return ROW
    return CELL if number <= CELL_NUMBERS else max(SMALLEST, CELL * CELL_NUMBERS // number)


def is_whole(name: str, records: Records) -> bool:
    """Whether a column counts something."""
    return all(record[name] is None or float(record[name]).is_integer() for record in records)


def is_number(name: str, records: Records) -> bool:
    return all(record[name] is None or isinstance(record[name], (int, float)) for record in records)


def drawable(cell: Any) -> str | float | None:
    """A finite number, None for any other, or text on one line."""
    if cell is None or isinstance(cell, bool) or not isinstance(cell, Real):
        return None if cell is None else printable(str(cell))
    value = float(cell)
    return value if math.isfinite(value) else None
