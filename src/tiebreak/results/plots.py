"""Plots of rows, by Altair: PNG, SVG and PDF without a browser, HTML without a network."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, NamedTuple

from tiebreak.errors import InputError, MissingExtraError
from tiebreak.results.files import whole_file

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


@dataclass(frozen=True)
class Picture:
    """Which columns of the rows go where; one of text is shown in the order of the rows, and bars lie along x.

    `color` is for a heat map the column of its values, on which `text` is written; `band` are columns of a lower and an
    upper bound around every line or point. A graph has names, `text`, at their places, and lines from such places to
    those in `band`; a bump chart has names and the first and the last place of those that tie; groups have a first and
    a last member. The axes in `own_scales` differ between facets; `colors` are of names whose color has a meaning.
    """

    kind: Literal["line", "step", "bar", "point", "interval", "heat", "graph", "bump", "groups"]
    x: str
    y: str
    color: str | None = None
    facet: str | None = None
    band: tuple[str, str] | None = None
    text: str | None = None
    titles: tuple[tuple[str, str], ...] = ()
    is_log: bool = False
    has_zero: bool = False
    own_scales: tuple[str, ...] = ()
    colors: tuple[tuple[str, str], ...] = ()
    title: str = ""
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> list[str]:
        """The columns that are drawn, each once."""
        names = (self.x, self.y, self.color, self.facet, *(self.band or ()), self.text)
        return list(dict.fromkeys(name for name in names if name is not None))


class Drawing(NamedTuple):
    """A picture, and the columns and rows that it is of."""

    picture: Picture
    names: Sequence[str]
    rows: Iterable[Sequence[Any]]


def draw(plot: dict[str, Any]) -> Any:
    """An Altair chart.

    Altair writes text into scripts as it is: an invisible word joiner after every ``<`` keeps names from ending one.
    No expression may therefore have a ``<``.
    """
    alt = library("altair")
    spec = json.loads(json.dumps(plot).replace("<", r"<\u2060"))
    # Rows are added last: Altair would check every one against its schema, which takes minutes for many.
    if "datasets" in spec:
        chart = alt.Chart.from_dict(spec | {"datasets": {}})
        chart.datasets = spec["datasets"]
        return chart
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
