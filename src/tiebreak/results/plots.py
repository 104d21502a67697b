"""Plots of rows, by Altair: PNG, SVG and PDF without a browser, HTML without a network."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from numbers import Real
from typing import Any, Literal

from tiebreak.errors import InputError, MissingExtraError
from tiebreak.results.files import whole_file
from tiebreak.results.record import Result
from tiebreak.results.tables import printable

FORMATS = ("png", "svg", "pdf", "html")
WRITE_OPTIONS: dict[str, dict[str, Any]] = {"png": {"scale": 2}}
"""Twice the pixels, for papers."""
PAGE = """<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<title>tiebreak</title>
<script>%s</script>
</head>
<body>
<div id="plot"></div>
<script>vegaEmbed("#plot", %s).catch(console.error);</script>
</body>
</html>
"""
"""A page with all that a browser needs: the libraries, and the picture."""
VEGA_EMBED_OPTIONS = {
    "renderer": "svg",
    "actions": {"export": True, "source": False, "compiled": False, "editor": False},
}
"""What Vega's menu offers: it shows the source as HTML, in which names could run, and sends it to an editor online."""
MARKS = {
    "line": {"type": "line", "point": {"size": 25, "clip": False}, "clip": True},
    "step": {"type": "line", "interpolate": "step-after", "clip": True},
    "bar": {"type": "bar"},
    "point": {"type": "point", "filled": True, "size": 40, "opacity": 0.8},
    "heat": {"type": "rect"},
}
SIDE, FACET_SIDE, CELL = 340, 240, 34
"""Pixels of a picture, of one of several, and of one row, bar or cell."""
PADDING = 6
"""Pixels between the outermost points or lines and the edge, so that none is cut in half."""
FACETS_IN_A_ROW, NAMES_IN_A_COLUMN = 3, 20


@dataclass(frozen=True)
class Picture:
    """Which columns of the rows go where; one of text is shown in the order of the rows, and bars lie along x.

    `color` is for a heat map the column of its values; `band` are columns of a lower and an upper bound around every
    line.
    """

    kind: Literal["line", "step", "bar", "point", "heat"]
    x: str
    y: str
    color: str | None = None
    facet: str | None = None
    band: tuple[str, str] | None = None
    titles: tuple[tuple[str, str], ...] = ()
    is_log: bool = False
    own_scales: bool = False

    @property
    def columns(self) -> list[str]:
        """The columns that are drawn, each once."""
        names = (self.x, self.y, self.color, self.facet, *(self.band or ()))
        return list(dict.fromkeys(name for name in names if name is not None))


class PlottedResult(Result):
    """A result that is also a picture."""

    def picture(self) -> tuple[Picture, Sequence[str], Iterable[Sequence[Any]]]:
        """What is drawn: which columns, their names, and the rows."""
        raise NotImplementedError

    def vega_lite(self) -> dict[str, Any]:
        """The picture as Vega-Lite writes it."""
        return vega_lite(*self.picture())

    def plot(self) -> Any:
        """An Altair chart."""
        return draw(self.vega_lite())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file, whose ending says how: .png, .svg, .pdf or .html."""
        save(self.vega_lite(), path)


def draw(plot: dict[str, Any]) -> Any:
    """An Altair chart.

    Altair writes text into scripts as it is: an invisible word joiner after every ``<`` keeps names from ending one.
    """
    alt = library("altair")
    spec = json.loads(json.dumps(plot).replace("<", r"<\u2060"))
    # Rows are added last: Altair would check every one against its schema, which takes minutes for many.
    chart = alt.Chart.from_dict(spec | {"data": {"values": []}})
    chart.data = alt.Data(values=spec["data"]["values"])
    return chart


def library(name: str) -> Any:
    """A library of the extra, such as Altair."""
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtraError("A plot", "plots") from None


def save(spec: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a plot to a file; nothing is left where the work fails."""
    path = os.fspath(path)
    format_ = picture_format(path)
    converter = library("vl_convert")
    script = json.dumps(spec).replace("<", r"\u003c")  # no text in it ends the script or begins a comment
    content: str | bytes = (
        PAGE % (converter.javascript_bundle(), script)
        if format_ == "html"
        else getattr(converter, f"vegalite_to_{format_}")(spec, **WRITE_OPTIONS.get(format_, {}))
    )
    with whole_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def picture_format(path: str) -> str:
    """The format by the ending of a file's name."""
    ending = os.path.splitext(path)[1].lstrip(".").lower()
    if ending not in FORMATS:
        raise InputError(
            f"{path}: unsupported image format. Use one of .{', .'.join(FORMATS)}.", kind="output", file=path
        )
    return ending


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
