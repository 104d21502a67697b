"""A page of one's own: results, studies and text, in one HTML file that needs no network."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date as Date  # noqa: N812 - `date` is a parameter
from typing import Any, NamedTuple

from tiebreak import __version__
from tiebreak.errors import InputError, quote
from tiebreak.reports.blocks import (
    bullets,
    chart,
    code,
    component,
    descriptions,
    paragraphs,
    result_table,
    table_block,
    take_heading,
)
from tiebreak.reports.embedding import (
    content_security_policy,
    element,
    escape,
    json_script,
    markup_rules,
    page_script,
    page_style,
    script_source,
    vega_bundle,
)
from tiebreak.results.drawable import Drawable
from tiebreak.results.files import whole_file
from tiebreak.results.record import Result
from tiebreak.results.tables import Table

ID = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
"""Letters, digits and hyphens: a link to a part needs no escapes, and is none to a choice such as ``#pair=x,y``."""
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="tiebreak {version}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="page-header">
<h1>{title}</h1>
{subtitle}</header>
<div class="page-body">
{contents}
<main id="content" tabindex="-1">
{sections}</main>
</div>
<footer class="page-footer"><p>Made with tiebreak {version}{date}.</p></footer>
{data}
{scripts}
</body>
</html>
"""


class Section(NamedTuple):
    """A part of the page with a title, or what is before the first one."""

    title: str
    id: str
    parts: list[str]

    def html(self) -> str:
        content = "\n".join(self.parts)
        if not self.id:
            return element("div", content, class_="section") if content else ""
        head = element("h2", title_link(self.title, self.id))
        return element("section", f"{head}\n{content}", id=self.id, class_="section", aria_label=self.title)


class Report:
    """A page of results, studies and text: one HTML file that opens from a disk and asks no network for anything.

    Tables can be sorted, filtered, downloaded as CSV and copied as LaTeX or Markdown. Names from files are shown as
    text, whatever they contain. The same calls make the same bytes, but for the date.

    Parameters
    ----------
    title : str
    subtitle : str, optional
    date : bool or datetime.date
        The date at the end of the page: today's, none, or another.

    Examples
    --------
    >>> scores = tb.Utilities({"x": {"q1": 0.5, "q2": 1.0}, "y": {"q1": 0.25, "q2": 0.5}}).evaluate("mean")
    >>> page = tb.Report("Two systems", date=False)
    >>> html = page.section("Means").add("Higher is better.").add(scores, pictures=()).to_html()
    >>> "<td>0.7500</td>" in html
    True
    """

    def __init__(self, title: str, *, subtitle: str = "", date: bool | Date = True) -> None:
        self._title, self._subtitle = title, subtitle
        self._date = Date.today() if date is True else date or None
        self._sections = [Section("", "", [])]
        self._ids = {"content"}
        self._data: dict[str, Any] = {}
        self._has_charts = False

    def section(self, title: str, id: str | None = None) -> Report:  # noqa: A002 - as in HTML
        """Begin a section: what is added next belongs to it.

        Parameters
        ----------
        title : str
        id : str, optional
            What links to it have after their ``#``; by default made from the title.
        """
        self._sections.append(Section(title, self._new_id(title, id), []))
        return self

    def add(
        self,
        thing: Result | Drawable | Table | str | Sequence[str] | Mapping[str, str],
        *,
        title: str | None = None,
        id: str | None = None,  # noqa: A002 - as in HTML
        pictures: Iterable[str] | None = None,
        digits: int = 4,
        lead: bool = False,
    ) -> Report:
        """Add a result or a study with its pictures and its table, text, a list of texts, or terms with a text each.

        Parameters
        ----------
        thing : result, study, table, str, sequence of str, or dict of str to str
            Paragraphs of text are separated by blank lines.
        title : str, optional
        id : str, optional
            What links to it have after their ``#``; by default made from the title, if there is one.
        pictures : iterable of str, optional
            Which kinds of its pictures; by default all.
        digits : int
            Decimals in tables.
        lead : bool
            In larger letters: what a reader in a hurry should see.
        """
        file = self._begin(title, id)
        captions = []
        if isinstance(thing, Drawable):
            for kind in thing.pictures if pictures is None else pictures:
                captions.append(self._add_spec(thing.vega_lite(kind)))
        if not isinstance(thing, Drawable) or isinstance(thing, Result):
            part = content(thing, title or "", file, digits, captions)
            self._parts.append(element("div", part, class_="lead") if lead else part)
        return self

    def add_code(self, text: str) -> Report:
        """Add a command or a program, as it is typed, to copy."""
        self._parts.append(code(text))
        return self

    def add_chart(
        self,
        spec: dict[str, Any],
        *,
        title: str | None = None,
        description: str = "",
        id: str | None = None,  # noqa: A002 - as in HTML
    ) -> Report:
        """Add a Vega-Lite specification with its data; the description says in words what is seen."""
        if id is not None:
            self._begin(None, id)
        self._add_spec(spec, title or "", description)
        return self

    def add_component(
        self,
        name: str,
        data: Any = None,
        *,
        title: str | None = None,
        id: str | None = None,  # noqa: A002 - as in HTML
        fallback: Result | Table | str | Sequence[str] | Mapping[str, str] | None = None,
        charts: bool = False,
    ) -> Report:
        """Add an interactive part of the package's scripts, with its own data, and what is shown without scripts."""
        file = self._begin(title, id)
        instead = "" if fallback is None else content(fallback, title or "", file)
        self._parts.append(component(name, data, instead))
        self._has_charts |= charts
        return self

    def add_data(self, name: str, data: Any) -> Report:
        """Add data that several interactive parts read, once."""
        self._data[name] = data
        return self

    def to_html(self) -> str:
        """The whole page."""
        scripts = [*([script_source(vega_bundle())] if self._has_charts else []), script_source(page_script())]
        style = page_style()
        data = {"rules": markup_rules(), **self._data}
        return PAGE.format(
            policy=escape(content_security_policy(scripts, [style])),
            version=__version__,
            title=escape(self._title),
            style=style,
            subtitle=element("p", escape(self._subtitle)) + "\n" if self._subtitle else "",
            contents=self._contents(),
            sections="\n".join(filter(None, (section.html() for section in self._sections))),
            date="" if self._date is None else f", {self._date.isoformat()}",
            data="\n".join(json_script(value, data_name=name) for name, value in data.items()),
            scripts="\n".join(element("script", source) for source in scripts),
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, which is there whole or not at all."""
        page = self.to_html().encode()
        with whole_file(os.fspath(path)) as file:
            file.write(page)

    @property
    def _parts(self) -> list[str]:
        return self._sections[-1].parts

    def _add_spec(self, spec: dict[str, Any], title: str = "", description: str = "") -> str:
        """Add a chart, and return what its caption says."""
        spec, title, description = take_heading(spec, title, description)
        self._parts.append(chart(spec, title, description))
        self._has_charts = True
        return description

    def _begin(self, title: str | None, id_: str | None) -> str:
        """Add a title to link to, and return the name for files of what follows."""
        if title is None and id_ is None:
            return self._sections[-1].id or "table"
        own = self._new_id(title or "", id_)
        self._parts.append(element("h3", title_link(title, own), id=own) if title else element("a", "", id=own))
        return own

    def _new_id(self, title: str, id_: str | None) -> str:
        """The id that was asked for, or one made from the title."""
        if id_ is not None:
            if not ID.fullmatch(id_):
                raise InputError(f"id={quote(id_)}. Give letters, digits and hyphens, a letter first.", kind="id")
            if id_ in self._ids:
                raise InputError(f"id={quote(id_)} is that of another part. Give each its own.", kind="id")
            self._ids.add(id_)
            return id_
        word = "-".join(re.findall("[a-z0-9]+", title.lower()))[:60].strip("-")
        word = word if ID.fullmatch(word) else f"part-{word}".strip("-")
        own = next(
            name for k in range(len(self._ids) + 1) if (name := f"{word}-{k + 1}" if k else word) not in self._ids
        )
        self._ids.add(own)
        return own

    def _contents(self) -> str:
        """Links to all sections."""
        links = "".join(
            element("li", element("a", escape(section.title), href=f"#{section.id}")) for section in self._sections[1:]
        )
        if not links:
            return ""
        return element(
            "nav", element("h2", "Contents") + element("ol", links), class_="contents", aria_label="Contents"
        )


def title_link(title: str, id_: str) -> str:
    """A title with a link to its part."""
    return f"{escape(title)} {element('a', '#', class_='anchor', href=f'#{id_}', aria_label=f'Link to {title}')}"


def content(thing: Any, title: str, file: str, digits: int = 4, captions: Sequence[str] = ()) -> str:
    """A result as a table, a table, or text; notes that `captions` above have are not repeated."""
    if isinstance(thing, Result):
        table, data = result_table(thing.summary(), digits)
        table = replace(table, notes=tuple(note for note in table.notes if note not in captions))
        return table_block(table, title, file, data)
    if isinstance(thing, Table):
        return table_block(thing, title, file)
    if isinstance(thing, str):
        return paragraphs(thing)
    if isinstance(thing, (list, tuple)) and all(isinstance(text, str) for text in thing):
        return bullets(thing)
    if isinstance(thing, Mapping) and all(isinstance(text, str) for item in thing.items() for text in item):
        return descriptions(thing)
    kind = type(thing).__name__
    raise InputError(
        f"a page cannot show {kind}. Give a result, a table, or text, alone or in a list or dict.", kind="choice"
    )
