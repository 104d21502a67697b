"""What every study returns, and how its tasks run in threads."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, ClassVar, ParamSpec, TypeVar

import numpy as np

from tiebreak._base.checks import LARGEST, check_choice, check_count
from tiebreak._base.text import plural
from tiebreak._kernels.interface import Tick
from tiebreak.errors import InputError
from tiebreak.notes import position_notes
from tiebreak.orderings import Ordering
from tiebreak.projection import Positions
from tiebreak.results.cells import Cell, column
from tiebreak.results.drawable import Drawable
from tiebreak.results.formats import as_plain
from tiebreak.results.plots import Drawing, Picture
from tiebreak.results.record import Result
from tiebreak.studies._catalogue import CATALOGUE, Study

Task = TypeVar("Task")
Part = TypeVar("Part")
Parameters = ParamSpec("Parameters")
AnyFindings = TypeVar("AnyFindings", bound="Findings")


@dataclass(frozen=True, eq=False, repr=False)
class Findings(Drawable, Result):
    """The result of a study: rows, a picture of them or of what is `drawn` instead, and a conclusion in plain words."""

    columns: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    conclusion: str
    details: tuple[str, ...]
    drawn_as: Picture
    drawn: tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]] | None = None
    spread: str | None = None
    average_cells: ClassVar[Mapping[str, Cell]] = {}
    """How averages over collections are written, where not as numbers."""
    average_unit: ClassVar[str] = ""
    """What follows an average in a sentence."""
    _internals: ClassVar[tuple[str, ...]] = ("drawn", "drawn_as", "average_cells", "average_unit")

    @property
    def notes(self) -> tuple[str, ...]:
        return (self.conclusion, *self.details)

    @property
    def spread_cells(self) -> Mapping[str, Cell]:
        return {"": column(self.drawn_as.y)}

    def rows(self) -> tuple[tuple[Any, ...], ...]:
        return self.values

    @property
    def pictures(self) -> Mapping[str, Callable[[], Drawing]]:
        """The one picture of a study."""
        return {"study": self._drawing}

    def _drawing(self) -> Drawing:
        """What is drawn, under what was studied and the conclusion."""
        study = CATALOGUE.get(str(self.more_settings.get("study")))
        what = "" if study is None else study_title(study, self.more_settings.get("view"))
        picture = replace(self.drawn_as, title=self.drawn_as.title or what, notes=(self.conclusion,))
        return Drawing(picture, *(self.drawn or (self.columns, self.values)))


def study_title(study: Study, view: str | None) -> str:
    """What a view of a study shows, without references to papers."""
    summary, text = study.summary.split(". ")[0].strip("."), study.views.get(str(view), "")
    whole = f"{summary.removesuffix(', by measure')}, {text}" if text.startswith(("as ", "by ")) else text or summary
    plain = re.sub(r" *\([A-Z]+ [^)]*\)", "", whole)
    return plain[:1].upper() + plain[1:]


def data_notes(positions: Positions) -> tuple[str, ...]:
    """Which data this is."""
    requests = int((positions.relevant() > 0).sum())
    return (f"{plural(len(positions.runs), 'run')}, {plural(requests, 'request')}.", *position_notes(positions))


def view_options(view: str, views: Mapping[str, Callable[..., Findings]], **options: Any) -> dict[str, Any]:
    """The options that are set; one that the function of the view does not take is refused."""
    chosen = {name: value for name, value in options.items() if value is not None}
    taken = {name: inspect.signature(function).parameters for name, function in views.items()}
    for name in chosen:
        if name not in taken[view]:
            others = " or ".join(f'view="{other}"' for other, names in taken.items() if name in names)
            raise InputError(f"{name} is for {others}. Leave it out.", kind="choice")
    return chosen


def as_setting(value: Any) -> Any:
    """What a parameter was, as plain data; an order by its name."""
    if isinstance(value, (list, tuple)):
        return [as_setting(part) for part in value]
    return f"{value.by}({value.measure})" if isinstance(value, Ordering) else as_plain(value)


def check_options(entry: Study, arguments: dict[str, Any]) -> None:
    """Check the view, the options by the choices and ranges of the catalogue, and the number of threads."""
    if arguments.get("jobs") is not None:
        check_count(arguments["jobs"], "jobs")
    if entry.views:
        check_choice(arguments["view"], "view", entry.views)
    for option in entry.options:
        value = arguments.get(option.name)
        if value is None and option.default is None:
            continue
        if isinstance(option.kind, tuple):
            check_choice(value, option.name, option.kind)
        elif option.kind is int and not option.is_repeated:
            arguments[option.name] = check_count(value, option.name, option.low or 0, option.high or LARGEST)


def study_from_catalogue(
    *data: str,
) -> Callable[[Callable[Parameters, AnyFindings]], Callable[Parameters, AnyFindings]]:
    """Let a study check its options by its entry in the catalogue, and note all of them in the settings.

    Its parameters of these names are `data`: of them, how the first was read is noted.
    """

    def decorate(study: Callable[Parameters, AnyFindings]) -> Callable[Parameters, AnyFindings]:
        signature = inspect.signature(study)
        entry = CATALOGUE[study.__name__]
        views_by_option = {option.name: option.views for option in entry.options if option.views}

        @wraps(study)
        def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> AnyFindings:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            arguments = bound.arguments
            for name, value in arguments.items():
                arguments[name] = list(value) if isinstance(value, Iterator) else value
            check_options(entry, arguments)
            findings = study(*bound.args, **bound.kwargs)
            view = arguments.get("view")
            settings = {
                name: as_setting(value)
                for name, value in arguments.items()
                if name not in (*data, "jobs", "tick") and view in views_by_option.get(name, (view,))
            }
            for name in {"measures", "metric", "methods"} & {*settings}:
                if settings[name] is None and "measure" in findings.columns:  # the study chose
                    settings[name] = list(dict.fromkeys(record["measure"] for record in findings.records()))
            source = arguments[data[0]] if data else None
            first = source[0] if isinstance(source, (list, tuple)) else source
            more = {**settings, **findings.more_settings, **getattr(first, "more_settings", {})}
            chosen = {name: value for name, value in more.items() if value is not None}
            return replace(findings, more_settings={"study": study.__name__, **chosen})

        return run

    return decorate


def run_tasks(
    function: Callable[[Task], Part], tasks: Iterable[Task], jobs: int = 1, tick: Tick | None = None
) -> list[Part]:
    """Call the function with every task, in threads; results are in the order of the tasks."""
    check_count(jobs, "jobs")
    todo, parts = list(tasks), list[Part]()
    pool = ThreadPoolExecutor(jobs)
    try:
        for part in pool.map(function, todo):
            parts.append(part)
            if tick is not None:
                tick(len(parts), len(todo))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # on Ctrl-C, do not wait for running tasks
    return parts


def sample_seeds(seed: int, samples: int) -> list[int]:
    """A seed for every sample; those of the first samples do not depend on how many there are."""
    seeds: list[int] = np.random.SeedSequence(seed).generate_state(samples, np.uint64).tolist()
    return seeds
