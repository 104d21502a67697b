"""What a page embeds: text, data, scripts and styles, such that no name from a file is read as markup or code."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

from tiebreak.errors import MissingExtraError
from tiebreak.results.formats import FORMULA, finite
from tiebreak.results.tables import LATEX, LATEX_NUMBER, LOWERED, MARKUP, NUMBER, RAISED, printable

ENDING = re.compile(r"<(?=/script|!--)", re.IGNORECASE)
"""What ends a script or hides its end."""
FIRST = ("report.js", "report.css")
"""Assets that others build on."""


def escape(text: str) -> str:
    """Text for HTML, also within quotes; what is not printable is replaced."""
    return html.escape(printable(text))


def json_script(value: Any, **attributes: str) -> str:
    """A data block that scripts read; ``<``, ``>`` and ``&`` are escaped, so that nothing in it ends the block."""
    text = json.dumps(finite(value), allow_nan=False, separators=(",", ":"))  # ASCII: U+2028 is escaped, too
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return element("script", text, type="application/json", **attributes)


def element(tag: str, content: str, **attributes: str) -> str:
    """An element whose content is HTML; ``class_`` is its attribute ``class``, and ``data_file`` is ``data-file``."""
    start = [tag]
    for name, value in attributes.items():
        start.append(f'{name.removesuffix("_").replace("_", "-")}="{escape(value)}"')
    return f"<{' '.join(start)}>{content}</{tag}>"


def script_source(source: str) -> str:
    """JavaScript as it may stand between tags: its strings have a harmless backslash in what would end it."""
    return ENDING.sub(r"<\\", source)


def source_hash(source: str) -> str:
    """The hash by which a Content-Security-Policy allows a script or a style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def content_security_policy(scripts: Iterable[str], styles: Iterable[str]) -> str:
    """Only these scripts and styles; no request to anywhere, no handlers in attributes, no code from text."""
    return "; ".join(
        [
            "default-src 'none'",
            " ".join(["script-src", *map(source_hash, scripts)]),
            " ".join(["style-src", *map(source_hash, styles)]),
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


@cache
def assets(ending: str) -> tuple[tuple[str, str], ...]:
    """Name and content of the files of the package that a page contains, those first that others build on."""
    folder = files("tiebreak.reports").joinpath("assets")
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(ending))
    names.sort(key=lambda name: name not in FIRST)
    return tuple((name, folder.joinpath(name).read_text("utf-8")) for name in names)


def page_script() -> str:
    """All scripts of the package, each in a block of its own."""
    return '"use strict";\n' + "".join(f"{{ // {name}\n{source}}}\n" for name, source in assets(".js"))


def page_style() -> str:
    return "".join(source for _, source in assets(".css"))


@cache
def vega_bundle() -> str:
    """Vega, Vega-Lite and vega-embed."""
    try:
        converter = import_module("vl_convert")
    except ImportError:
        raise MissingExtraError("A page with charts", "report") from None
    bundle: str = converter.javascript_bundle()
    return bundle


def markup_rules() -> dict[str, Any]:
    """How texts are written in LaTeX, Markdown and CSV: for the scripts, which copy tables as the library does."""
    return {
        "latex": LATEX,
        "latexNumber": LATEX_NUMBER.pattern,
        "number": NUMBER.pattern,
        "raised": RAISED,
        "lowered": {chr(raised): c for raised, c in LOWERED.items()},
        "markup": MARKUP,
        "formula": FORMULA,
    }
