"""The kernels: the compiled core or its Python twin, chosen once, with typed results."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tiebreak._base.warning import warn
from tiebreak._kernels.early import EarlyReading
from tiebreak._kernels.interface import (
    INTERFACE,
    MEMORY,
    Counts,
    Fault,
    FrameColumns,
    Judged,
    JudgedRows,
    Options,
    Projection,
    Source,
    Tick,
    TopItems,
)
from tiebreak.errors import CoreMissingWarning, TiebreakError

if TYPE_CHECKING:
    from numpy import int32, int64
    from numpy.typing import NDArray

SETTINGS = ("auto", "rust", "python")
TWIN = "tiebreak._kernels.reference"


def read_judgements(
    source: Source, tick: Tick | None = None, memory: int = MEMORY, early: EarlyReading | None = None
) -> JudgedRows | Fault:
    result = None if early is None else early.read_judgements(source, tick, memory)
    fault, fields = result or kernels().read_judgements(source, tick, memory)
    if fault is not None:
        return Fault(*fault)
    rows = JudgedRows(*fields)
    return rows._replace(counts=Counts(*rows.counts))


def read_frame(
    frame: object, coded: list[str], items: str, values: str | None, memory: int | None = None
) -> FrameColumns | Fault:
    """Columns of a data frame: through Arrow if the frame offers it and there is a core, else through narwhals."""
    twin = import_module(TWIN)
    reader = kernels() if hasattr(frame, "__arrow_c_stream__") else twin
    try:
        fault, fields = reader.read_frame(frame, coded, items, values, memory)
    except (ValueError, ImportError):  # the core does not know every type; pandas needs pyarrow to offer a stream
        if reader is twin or hasattr(frame, "read_all"):  # a stream can be read only once
            raise
        fault, fields = twin.read_frame(frame, coded, items, values, memory)
    return Fault(*fault) if fault is not None else FrameColumns(*fields)


def project(
    sources: list[Source],
    judged: Judged,
    options: Options,
    tick: Tick | None = None,
    early: EarlyReading | None = None,
) -> Projection | Fault:
    result = None if early is None else early.project(sources, judged, options, tick)
    fault, fields = result or kernels().project(sources, judged, options, tick)
    if fault is not None:
        return Fault(*fault)
    projection = Projection(*fields)
    top = None if projection.top is None else [TopItems(*items) for items in projection.top]
    return projection._replace(counts=Counts(*projection.counts), top=top)


def largest_differences(
    kind: str, rows: NDArray[Any], systems: int, draw: tuple[int, int, int], jobs: int, tick: Tick | None = None
) -> NDArray[int64]:
    differences: NDArray[int64] = kernels().largest_differences(kind, rows, systems, draw, jobs, tick)
    return differences


def shuffled_sums(
    kind: str,
    rows: NDArray[Any],
    systems: int,
    numbers: NDArray[int64],
    draw: tuple[int, int, int],
    jobs: int,
    tick: Tick | None = None,
) -> NDArray[int64]:
    """Sums [shuffle, system or pair] of requests with these numbers."""
    sums: NDArray[int64] = kernels().shuffled_sums(kind, rows, systems, numbers, draw, jobs, tick)
    return sums


def sum_pair_signs(p: NDArray[int32], x: NDArray[int64], y: NDArray[int64]) -> NDArray[int32]:
    """Sums [request, pair] over recall levels of the sign of y - x, of positions ``p[run, request, level]``."""
    sums: NDArray[int32] = kernels().sum_pair_signs(p.ravel(), p.shape, x, y)
    return sums


def read_early(judgements: str, runs: Iterable[str], options: Options) -> EarlyReading | None:
    """Start to read files in the background; None without a core."""
    core = load_core()[0] if core_setting() in ("auto", "rust") else None
    return None if core is None else EarlyReading.begin(core, judgements, list(runs), options)


def kernels() -> ModuleType:
    """The module that does the work: ``TIEBREAK_CORE`` is ``auto`` (the default), ``rust`` or ``python``."""
    return select_kernels(core_setting())


def core_setting() -> str:
    return os.environ.get("TIEBREAK_CORE", "auto")


@cache
def select_kernels(setting: str) -> ModuleType:
    if setting not in SETTINGS:
        raise TiebreakError(f"TIEBREAK_CORE is {setting!r}; it can be {', '.join(SETTINGS)}.")
    if setting == "python":
        return import_module(TWIN)
    core, problem = load_core()
    if core is not None:
        return core
    if setting == "rust":
        raise TiebreakError(f"TIEBREAK_CORE=rust, but the compiled core cannot be used: {problem}.")
    warn(
        f"the compiled core cannot be used ({problem}): results are the same, but slower. "
        "Install a Rust compiler and reinstall tiebreak, or set TIEBREAK_CORE=python to silence this warning.",
        CoreMissingWarning,
    )
    return import_module(TWIN)


def load_core() -> tuple[ModuleType | None, str]:
    """The compiled core, or None and the reason."""
    try:
        core = import_module("tiebreak._core")
    except ImportError as error:
        return None, "it was not built" if isinstance(error, ModuleNotFoundError) else str(error)
    if core.INTERFACE != INTERFACE:
        return None, f"it was built for interface {core.INTERFACE}, this is {INTERFACE}; reinstall tiebreak"
    return core, ""
