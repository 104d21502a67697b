"""How each kind of picture is drawn in Vega-Lite: its layers of marks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tiebreak.results.theme import (
    COLORS,
    DASHES,
    FAINT,
    LINE,
    LINE_STEP,
    LONGEST_LABEL,
    MOST_POINTS,
    NAMES_IN_A_COLUMN,
    NODE,
    RANKS,
    SIGNED,
    SOLID,
    STRONG,
    THINNEST_LINE,
    UNSIGNED,
    WIDEST_LINE,
)

if TYPE_CHECKING:
    from tiebreak.results.plots import Picture

Records = list[dict[str, Any]]
Layer = dict[str, Any]
MARKS: dict[str, dict[str, Any]] = {
    "line": {"type": "line", "clip": True},
    "step": {"type": "line", "interpolate": "step-after", "clip": True},
    "bar": {"type": "bar"},
    "point": {"type": "point", "filled": True, "size": 40, "opacity": 0.8},
    "heat": {"type": "rect"},
    "graph": {"type": "point", "shape": "circle", "size": 1150, "fill": "white", "opacity": 1, "stroke": LINE},
}
DARK_HIGH, DARK_LOW = 0.8, 0.65
"""From these shares of the largest value on, cells of both signs are too dark for black text."""
POINTS = {"size": 25, "clip": False}
FEW_POWERS = 3
"""Powers of 10 along an axis between which others have room."""
STROKES = {"symbolType": "stroke", "symbolSize": 700, "symbolStrokeWidth": 2.5}
"""Legends of lines show their dashes."""


def plain(picture: Picture, records: Records, encoding: Layer) -> list[Layer]:
    """Lines, bars or points, with a band around every line."""
    if picture.is_log:
        scale = {name: part for name, part in encoding["x"]["scale"].items() if name != "zero"}  # which it cannot have
        encoding["x"]["scale"] = scale | {"type": "log"}
        known = [record[picture.x] for record in records if record[picture.x]]
        ticks = log_ticks(min(known), max(known)) if known else []
        values = {"values": ticks} if len(ticks) > 1 else {}
        encoding["x"]["axis"] = {**encoding["x"].get("axis", {}), "labelOverlap": "greedy", **values}
    if picture.color is not None:
        encoding["color"] = color_scale(picture, records)
        if bars_beside(picture, records) > 1:
            encoding["yOffset"] = {"field": picture.color, "type": "nominal", "sort": None}
        encoding |= dashes_and_widths(picture, records)
    mark = MARKS[picture.kind]
    if picture.kind == "line" and len({record[picture.x] for record in records}) <= MOST_POINTS:
        mark = mark | {"point": POINTS}
    marks = [{"mark": mark, "encoding": encoding}]
    if picture.kind in ("line", "step") and has_both_signs(picture.y, records):
        marks.insert(0, zero_line("y"))
    if picture.band is not None:
        low, high = picture.band
        bounds = {"y": encoding["y"] | {"field": low}, "y2": {"field": high}}
        lines = 1 if picture.color is None else len({record[picture.color] for record in records})
        area = {"type": "area", "opacity": min(0.15, 0.5 / lines), "clip": True}  # many bands overlap
        about = {name: one for name, one in encoding.items() if name not in ("strokeDash", "strokeWidth")}
        marks.insert(0, {"mark": area, "encoding": about | bounds})
    return marks


def interval(picture: Picture, records: Records, encoding: Layer) -> list[Layer]:
    """A point for every row, with a line from its lower to its upper bound."""
    assert picture.band is not None, "an interval has bounds"
    low, high = picture.band
    color = {"value": STRONG} if picture.color is None else color_scale(picture, records)
    encoding = encoding | {"color": color}
    ends = {"x": encoding["x"] | {"field": low}, "x2": {"field": high}}
    rule = {
        "mark": {"type": "rule", "strokeWidth": 2},
        "transform": [{"filter": f"isValid(datum[{low!r}])"}],
        "encoding": encoding | ends,
    }
    point: Layer = {"mark": {"type": "point", "filled": True, "size": 45, "opacity": 1}, "encoding": encoding}
    marks: list[Layer] = [rule, point]
    if picture.text is not None:
        beside = {"x": encoding["x"] | {"field": high}, "y": encoding["y"], "text": {"field": picture.text}}
        marks.append({"mark": {"type": "text", "align": "left", "dx": 5, "fontSize": 11}, "encoding": beside})
    has_zero = picture.has_zero or has_both_signs(picture.x, records, *picture.band)
    return [zero_line("x"), *marks] if has_zero else marks


def heat(picture: Picture, records: Records, encoding: Layer) -> list[Layer]:
    """Cells colored by their value; on them the value, or the text of a column."""
    assert picture.color is not None, "a heat map has a column of values"
    field = {"field": picture.color, "type": "quantitative"}
    known = [record[picture.color] for record in records if record[picture.color] is not None]
    widest = max(map(abs, known), default=1.0) or 1.0
    is_signed = min(known, default=0.0) < 0 or not any(known)
    scale = {"scheme": SIGNED if is_signed else UNSIGNED, "domain": [-widest if is_signed else 0, widest]}
    cell = f"datum[{picture.color!r}]"
    dark = f"{cell} > {DARK_HIGH * widest} || {-DARK_LOW * widest} > {cell}"
    ink = {"condition": {"test": dark, "value": "white"}, "value": "#222"}
    text = field | {"format": ".2f"} if picture.text is None else {"field": picture.text}
    return [
        {
            "mark": MARKS["heat"],
            "encoding": encoding | {"color": field | {"scale": scale, "title": title(picture, picture.color)}},
        },
        {"mark": {"type": "text", "fontSize": 10}, "encoding": encoding | {"text": text, "color": ink}},
    ]


def graph(picture: Picture, records: Records, encoding: Layer) -> list[Layer]:
    """Lines between places, and names in circles over them; without axes."""
    assert picture.band is not None and picture.text is not None, "a graph has lines and names"
    encoding = {
        name: one | {"axis": None, "scale": {"zero": False, "nice": False, "padding": NODE // 2}}
        for name, one in encoding.items()
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


def bump(picture: Picture, records: Records, encoding: Layer) -> list[Layer]:
    """A line for every name through its places, with the name at both ends; ties are joined by a bar."""
    assert picture.band is not None and picture.text is not None, "a bump chart has names, and places of ties"
    low, high = picture.band
    columns = list(dict.fromkeys(record[picture.x] for record in records))
    x = encoding["x"] | {"axis": {"orient": "top", "labelAngle": 0, "grid": True, "title": None}}
    y = encoding["y"] | {"axis": None, "scale": {"reverse": True, "zero": False, "nice": False, "padding": 10}}
    hue = {"field": picture.color, "type": "quantitative", "scale": {"scheme": RANKS}, "legend": None}
    encoding = {"x": x, "y": y, "detail": {"field": picture.color}, "color": hue}
    ends = ((columns[0], "right", -9), (columns[-1], "left", 9)) if len(columns) > 1 else ((columns[0], "left", 9),)
    names = [
        {
            "mark": {"type": "text", "align": align, "dx": shift, "fontSize": 10},
            "transform": [{"filter": {"field": picture.x, "equal": name}}],
            "encoding": {"x": x, "y": y, "text": {"field": picture.text}},
        }
        for name, align, shift in ends
    ]
    ties = {"x": x, "y": y | {"field": low}, "y2": {"field": high}}
    return [
        {
            "mark": {"type": "rule", "strokeWidth": 9, "color": "#ccc", "strokeCap": "round"},
            "transform": [{"filter": f"datum[{high!r}] > datum[{low!r}]"}],
            "encoding": ties,
        },
        {"mark": {"type": "line", "strokeWidth": 2, "point": {"size": 35, "filled": True}}, "encoding": encoding},
        *names,
    ]


def groups(picture: Picture, records: Records, encoding: Layer) -> list[Layer]:
    """A line for every group over the names in it, each with a point."""
    assert picture.band is not None, "a group has a first and a last name"
    first, last = picture.band
    x = encoding["x"] | {"axis": None}
    y = encoding["y"] | {"axis": {"grid": True, "domain": False, "ticks": False}}
    return [
        {
            "mark": {"type": "rule", "strokeWidth": 3, "color": FAINT},
            "transform": [{"filter": f"datum[{first!r}] === datum[{picture.y!r}]"}],
            "encoding": {"x": x, "y": y, "y2": {"field": last}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1, "color": STRONG},
            "encoding": {"x": x, "y": y},
        },
    ]


LAYERS: dict[str, Callable[[Picture, Records, Layer], list[Layer]]] = {
    "line": plain,
    "step": plain,
    "bar": plain,
    "point": plain,
    "interval": interval,
    "heat": heat,
    "graph": graph,
    "bump": bump,
    "groups": groups,
}


def log_ticks(low: float, high: float) -> list[float]:
    """1, 2, 5, 10, 20, 50, ... between two positive numbers; over many powers of 10, only these.

    Examples
    --------
    >>> log_ticks(1, 43)
    [1.0, 2.0, 5.0, 10.0, 20.0]
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1, 2, 5) if last - first <= FEW_POWERS else (1,)
    ticks = (float(f"{step}e{power}") for power in range(first, last + 1) for step in steps)
    return [tick for tick in ticks if low <= tick <= high]


def zero_line(axis: str) -> Layer:
    return {"mark": {"type": "rule", "color": LINE, "strokeDash": [4, 3]}, "encoding": {axis: {"datum": 0}}}


def has_both_signs(*parts: Any) -> bool:
    """Whether 0 lies within the numbers of some columns."""
    name, records, *others = parts
    known = [record[key] for key in (name, *others) for record in records]
    known = [value for value in known if isinstance(value, (int, float))]
    return bool(known) and min(known) < 0 < max(known)


def color_scale(picture: Picture, records: Records) -> dict[str, Any]:
    """As distinct colors as their number allows, and a legend with room for all names."""
    names = list(dict.fromkeys(record[str(picture.color)] for record in records))
    columns = math.ceil(len(names) / NAMES_IN_A_COLUMN)
    legend: dict[str, Any] = {"symbolLimit": 0, "symbolOpacity": 1, "labelLimit": LONGEST_LABEL, "columns": columns}
    legend |= STROKES if picture.kind in ("line", "step") else {}
    scale: dict[str, Any] = {"domain": names, "range": cycle(COLORS, len(names))}
    if picture.colors:
        scale = {"domain": [name for name, _ in picture.colors], "range": [color for _, color in picture.colors]}
    elif len(names) > len(COLORS) and picture.kind not in ("line", "step"):
        scale = {"scheme": "tableau10" if len(names) <= 10 else "tableau20" if len(names) <= 20 else "turbo"}
    return {
        "field": picture.color,
        "type": "nominal",
        "sort": None,
        "title": title(picture, str(picture.color)),
        "scale": scale,
        "legend": legend,
    }


def dashes_and_widths(picture: Picture, records: Records) -> dict[str, Any]:
    """What tells lines apart beside their color: those that coincide are seen through each other's gaps."""
    if picture.kind not in ("line", "step"):
        return {}
    hue = color_scale(picture, records)
    names = list(dict.fromkeys(record[str(picture.color)] for record in records))
    # Shifted in every round of colors, so that no two of many lines look alike; only the first is without gaps.
    dashes = [DASHES[(k - 1 + 3 * (k // len(COLORS))) % len(DASHES)] if k else SOLID for k in range(len(names))]
    dash = hue | {"scale": {"domain": names, "range": dashes}}
    widths = [max(WIDEST_LINE - k * LINE_STEP, THINNEST_LINE) for k in range(len(names))]
    width = hue | {"scale": {"domain": names, "range": widths}, "sort": names}
    return {"strokeDash": dash, "strokeWidth": width}


def cycle(values: tuple[str, ...], number: int) -> list[str]:
    return [values[k % len(values)] for k in range(number)]


def bars_beside(picture: Picture, records: Records) -> int:
    """How many bars are side by side in one row: as many as there are colors, where any row has several."""
    if picture.kind != "bar" or picture.color in (None, picture.y):
        return 1
    places = {(record.get(str(picture.facet)), record[picture.y]) for record in records}
    bars = {(record.get(str(picture.facet)), record[picture.y], record[str(picture.color)]) for record in records}
    return len({record[str(picture.color)] for record in records}) if len(bars) > len(places) else 1


def title(picture: Picture, name: str) -> str:
    return dict(picture.titles).get(name, name)
