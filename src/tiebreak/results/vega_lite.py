"""Pictures of rows in Vega-Lite: marks, axes, colors and sizes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

from tiebreak.results.tables import printable

if TYPE_CHECKING:
    from tiebreak.results.plots import Picture

VEGA_EMBED_OPTIONS = {
    "renderer": "svg",
    "actions": {"export": True, "source": False, "compiled": False, "editor": False},
}
"""What Vega's menu offers: it shows the source as HTML, in which names could run, and sends it to an editor online."""
MARKS: dict[str, dict[str, Any]] = {
    "line": {"type": "line", "point": {"size": 25, "clip": False}, "clip": True},
    "step": {"type": "line", "interpolate": "step-after", "clip": True},
    "bar": {"type": "bar"},
    "point": {"type": "point", "filled": True, "size": 40, "opacity": 0.8},
    "heat": {"type": "rect"},
    "graph": {"type": "point", "shape": "circle", "size": 900, "fill": "white", "opacity": 1, "stroke": "#888"},
}
SIDE, FACET_SIDE, CELL, NODE = 340, 240, 34, 56
"""Pixels of a picture, of one of several, of one row, bar or cell, and of a name in a graph."""
PADDING = 6
"""Pixels between the outermost points or lines and the edge, so that none is cut in half."""
FACETS_IN_A_ROW, NAMES_IN_A_COLUMN = 3, 20


def vega_lite(picture: Picture, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> dict[str, Any]:
    """The rows and how they are drawn, as Vega-Lite writes it."""
    indices = [list(names).index(name) for name in picture.columns]
    records = [{names[k]: drawable(row[k]) for k in indices} for row in rows]
    spec: dict[str, Any] = {"layer": layers(picture, records)} | sizes(picture, records)
    if picture.facet is not None:
        header = {"title": None, "labelFontSize": 12, "labelFontWeight": "bold", "labelLimit": FACET_SIDE}
        order = list(dict.fromkeys(record[picture.facet] for record in records))  # "sort": None is ignored here
        facet = {"field": picture.facet, "type": "nominal", "sort": order, "header": header}
        spec = {"spec": spec, "facet": facet, "columns": FACETS_IN_A_ROW}
        if picture.own_scales:
            spec["resolve"] = {"scale": {"x": "independent", "y": "independent"}}
    config = {
        "view": {"stroke": "#ddd"},
        "axis": {"gridColor": "#eee", "labelLimit": 260},
        "axisQuantitative": {"labelOverlap": "greedy", "labelSeparation": 6},
    }
    spec |= {"data": {"values": records}, "background": "white", "padding": 12, "config": config}
    return spec | {"usermeta": {"embedOptions": VEGA_EMBED_OPTIONS}}


def layers(picture: Picture, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    encoding = {"x": axis(picture, picture.x, records), "y": axis(picture, picture.y, records)}
    if picture.kind == "graph":
        return graph(picture, records, encoding)
    if picture.kind == "heat":
        return heat(picture, records, encoding)
    if picture.is_log:
        encoding["x"]["scale"] |= {"type": "log"}
    if picture.color is not None:
        encoding["color"] = color_scale(picture, records)
        if bars_beside(picture, records) > 1:
            encoding["yOffset"] = {"field": picture.color, "type": "nominal", "sort": None}
    marks = [{"mark": MARKS[picture.kind], "encoding": encoding}]
    if picture.band is not None:
        low, high = picture.band
        bounds = {"y": encoding["y"] | {"field": low}, "y2": {"field": high}}
        lines = 1 if picture.color is None else len({record[picture.color] for record in records})
        area = {"type": "area", "opacity": min(0.15, 0.5 / lines), "clip": True}  # many bands overlap
        marks.insert(0, {"mark": area, "encoding": encoding | bounds})
    return marks


def heat(picture: Picture, records: list[dict[str, Any]], encoding: dict[str, Any]) -> list[dict[str, Any]]:
    """Cells colored by their value, which is written on them."""
    assert picture.color is not None, "a heat map has a column of values"
    field = {"field": picture.color, "type": "quantitative"}
    known = [record[picture.color] for record in records if record[picture.color] is not None]
    widest = max(map(abs, known), default=1.0) or 1.0
    is_signed = min(known, default=0.0) < 0
    scale = {"scheme": "purpleorange" if is_signed else "oranges", "domain": [-widest if is_signed else 0, widest]}
    text = {"condition": {"test": f"abs(datum[{picture.color!r}]) > {0.6 * widest}", "value": "white"}, "value": "#222"}
    return [
        {
            "mark": MARKS["heat"],
            "encoding": encoding | {"color": field | {"scale": scale, "title": title(picture, picture.color)}},
        },
        {
            "mark": {"type": "text", "fontSize": 10},
            "encoding": encoding | {"text": field | {"format": ".2~f"}, "color": text},
        },
    ]


def graph(picture: Picture, records: list[dict[str, Any]], encoding: dict[str, Any]) -> list[dict[str, Any]]:
    """Lines between places, and names in circles over them; without axes."""
    assert picture.band is not None and picture.text is not None, "a graph has lines and names"
    encoding = {
        name: one | {"axis": None, "scale": {"zero": False, "padding": NODE // 2}} for name, one in encoding.items()
    }
    x2, y2 = picture.band
    lines = {"x2": {"field": x2}, "y2": {"field": y2}}
    circle, names = MARKS["graph"], [{"filter": f"isValid(datum[{picture.text!r}])"}]
    color = {}
    if picture.color is not None:
        parts = [record for record in records if record[picture.color] is not None]
        color = {"color": color_scale(picture, parts)}
        circle = {key: value for key, value in circle.items() if key != "stroke"} | {"strokeWidth": 3}
    return [
        {
            "mark": {"type": "rule", "color": "#bbb"},
            "transform": [{"filter": f"isValid(datum[{x2!r}])"}],
            "encoding": encoding | lines,
        },
        {"mark": circle, "transform": names, "encoding": encoding | color},
        {
            "mark": {"type": "text", "fontSize": 10},
            "transform": names,
            "encoding": encoding | {"text": {"field": picture.text}},
        },
    ]


def axis(picture: Picture, name: str, records: list[dict[str, Any]]) -> dict[str, Any]:
    """A column along an axis: numbers on a scale, text in the order of the rows."""
    if not is_number(name, records) or picture.kind == "heat":
        return {"field": name, "type": "nominal", "sort": None, "title": title(picture, name)}
    # Shares end at 1 and positions begin at 1: only bars have round ends.
    is_bar = picture.kind == "bar"
    scale = {"zero": is_bar, "nice": is_bar} | ({} if is_bar else {"padding": PADDING})
    spec = {"field": name, "type": "quantitative", "title": title(picture, name), "scale": scale}
    return spec | ({"axis": {"tickMinStep": 1}} if is_whole(name, records) else {})


def color_scale(picture: Picture, records: list[dict[str, Any]]) -> dict[str, Any]:
    """As distinct colors as their number allows, and a legend with room for all names."""
    number = len({record[str(picture.color)] for record in records})
    scheme = "tableau10" if number <= 10 else "tableau20" if number <= 20 else "turbo"
    columns = math.ceil(number / NAMES_IN_A_COLUMN)
    legend = {"symbolLimit": 0, "symbolOpacity": 1, "labelLimit": 240, "columns": columns}
    return {
        "field": picture.color,
        "type": "nominal",
        "sort": None,
        "title": title(picture, str(picture.color)),
        "scale": {"scheme": scheme},
        "legend": legend,
    }


def sizes(picture: Picture, records: list[dict[str, Any]]) -> dict[str, Any]:
    """Room for every name along an axis."""
    side = SIDE if picture.facet is None else FACET_SIDE
    room: dict[str, Any] = {"width": side, "height": side}
    if picture.kind == "graph":
        heights = [record[picture.y] for record in records if record[str(picture.text)] is not None]
        return {"width": NODE * max(map(heights.count, heights)), "height": NODE * len({*heights})}
    for name, way in ((picture.x, "width"), (picture.y, "height")):
        if picture.kind == "heat" or not is_number(name, records):
            cell = CELL if picture.kind == "heat" else CELL // 2
            beside = max(cell * bars_beside(picture, records), 12)
            room[way] = beside * max(len({record[name] for record in records}), 3)
    return room


def bars_beside(picture: Picture, records: list[dict[str, Any]]) -> int:
    """How many bars are side by side in one row: as many as there are colors, where any row has several."""
    if picture.kind != "bar" or picture.color in (None, picture.y):
        return 1
    places = {(record.get(str(picture.facet)), record[picture.y]) for record in records}
    bars = {(record.get(str(picture.facet)), record[picture.y], record[str(picture.color)]) for record in records}
    return len({record[str(picture.color)] for record in records}) if len(bars) > len(places) else 1


def is_whole(name: str, records: list[dict[str, Any]]) -> bool:
    """Whether a column counts something."""
    return all(record[name] is None or float(record[name]).is_integer() for record in records)


def is_number(name: str, records: list[dict[str, Any]]) -> bool:
    return all(record[name] is None or isinstance(record[name], (int, float)) for record in records)


def title(picture: Picture, name: str) -> str:
    return dict(picture.titles).get(name, name)


def drawable(cell: Any) -> str | float | None:
    """A finite number, None for any other, or text on one line."""
    if cell is None or isinstance(cell, bool) or not isinstance(cell, Real):
        return None if cell is None else printable(str(cell))
    value = float(cell)
    return value if math.isfinite(value) else None
