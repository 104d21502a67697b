"""``report()`` of experiments and of utilities: everything about them as one page."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tiebreak._base.checks import check_seed
from tiebreak._base.nicknames import expand_all

if TYPE_CHECKING:
    from tiebreak.reports.content import Content
    from tiebreak.reports.report import Report

Path = str | os.PathLike[str]


class ReportableExperiment:
    """An experiment with a page about it."""

    judgements: Any
    runs: Any
    more_settings: Any
    _aspect_source: Any
    _tables: Mapping[str, str | None]

    def report(
        self,
        path: Path | None = None,
        measures: Any = (),
        *,
        groups: Any = None,
        columns: Any = None,
        title: str | None = None,
        template: str = "full",
        sections: Iterable[str] = (),
        seed: int = 0,
        date: bool = True,
        command: str = "",
    ) -> Report:
        """Everything about the runs as one HTML page, which needs no network and no server.

        Parameters
        ----------
        path : path, optional
            Where the page is written; it is returned as well, and more can be added to it.
        measures : str, Metric or Preference, or several, optional
            Beside RPP, LexiRecall and LexiPrecision; the first metric among them is that of the answer and of the
            worst-served requests. By default nDCG@10, AP and RR.
        groups : path, dict or frame, optional
            The group of every request, as `read_groups` reads it.
        columns : dict or str, optional
            Which column of the table of groups holds what, where its name does not say so.
        title : str, optional
        template : {"full", "summary", "pair"}
            Which sections the page has.
        sections : iterable of str, optional
            Only these, in this order: answer, input, leaderboard, pairs, two-systems, worst-served, cases, diversity,
            methods, settings.
        seed : int
            Of the bootstrap of ranks.
        date : bool
            Whether the page tells its date; without it, the same input makes the same bytes.
        command : str
            What makes the page again, told at its end.

        Examples
        --------
        >>> exp = tb.Experiment({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0}}})
        >>> "too few requests" in exp.report(sections=["answer"]).to_html()
        True
        """
        from tiebreak.inputs.attributes import read_groups
        from tiebreak.reports.ranking_content import Rankings
        from tiebreak.reports.sections import chosen_sections

        several = measures if isinstance(measures, Iterable) and not isinstance(measures, str) else [measures]
        names = chosen_sections(template, sections)
        check_seed(seed)
        rankings = Rankings(
            self,
            tuple(dict.fromkeys(str(spec).strip() for spec in expand_all(several))),
            None if groups is None else read_groups(groups, columns=columns),
            self._aspect_source.aspects is not None,
            seed,
            self._inputs(groups),
            {"seed": seed, **self.more_settings},
        )
        return write_page(rankings.content(), names, path, title, date, command)

    def _inputs(self, groups: Any) -> dict[str, str | None]:
        """The files that were read, by what they were read for; None of what is no file."""
        audit = self.judgements.audit
        runs = {f"run {run.name}": run.source.label for run in self.runs}
        label = "" if audit is None else audit.label
        return {**file_paths({"judgements": label, **runs}), **self._tables, **file_paths({"groups": groups})}


class ReportableUtilities:
    """Utilities with a page about them."""

    more_settings: Any
    measure: str
    _tables: Mapping[str, str | None]

    def report(
        self,
        path: Path | None = None,
        *,
        title: str | None = None,
        template: str = "full",
        sections: Iterable[str] = (),
        date: bool = True,
        command: str = "",
    ) -> Report:
        """Everything about the runs as one HTML page, as `Experiment.report` has it; rankings are not needed.

        Parameters
        ----------
        path, title, template, sections, date, command
            As in `Experiment.report`.

        Examples
        --------
        >>> utilities = tb.Utilities({"a": {"q": 1, "r": 0.5}, "b": {"q": 0, "r": 0.5}})
        >>> "were shown to differ" in utilities.report(sections=["answer"]).to_html()
        True
        """
        from tiebreak.reports.sections import chosen_sections
        from tiebreak.reports.utility_content import UtilityPage

        names = chosen_sections(template, sections)
        settings = {"measure": self.measure, **self.more_settings}
        content = UtilityPage(self, self._tables, settings).content()
        return write_page(content, names, path, title, date, command)


def file_paths(tables: Mapping[str, Any]) -> dict[str, str | None]:
    """The paths of files among what was read, also of files by name; None of other things.

    Examples
    --------
    >>> file_paths({"judgements": "qrels.txt", "groups": {"q": "g"}, "train": None})
    {'judgements': 'qrels.txt', 'groups': None}
    """
    paths: dict[str, str | None] = {}
    for what, table in tables.items():
        if isinstance(table, (str, os.PathLike)):
            paths[what] = os.fspath(table)
        elif isinstance(table, Mapping) and all(is_file(one) for one in table.values()):
            paths |= {f"{what} of {name}": os.fspath(one) for name, one in table.items()}
        elif table is not None:
            paths[what] = None
    return paths


def is_file(table: Any) -> bool:
    return isinstance(table, (str, os.PathLike)) and os.path.isfile(table)


def write_page(
    content: Content, sections: tuple[str, ...], path: Path | None, title: str | None, date: bool, command: str
) -> Report:
    """The page with some sections, written to a file if one is named."""
    from tiebreak.reports.sections import build_page

    page = build_page(replace(content, command=command), sections, title=title, date=date)
    if path is not None:
        page.save(path)
    return page
