"""Chooses between the compiled core and its twin, once, and gives what they return its types."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tiebreak._kernels import early as early_reading
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
    from numpy import int64
    from numpy.typing import NDArray

CHOICES = ("auto", "rust", "python")


def read_judgements(
    source: Source, tick: Tick | None = None, memory: int = MEMORY, early: EarlyReading | None = None
) -> JudgedRows | Fault:
    begun = None if early is None else early.read_judgements(source, tick, memory)
    fault, fields = begun or kernels().read_judgements(source, tick, memory)
    if fault is not None:
        return Fault(*fault)
    rows = JudgedRows(*fields)
    return rows._replace(counts=Counts(*rows.counts))


def read_frame(
    frame: object, coded: list[str], items: str, values: str | None, memory: int | None = None
) -> FrameColumns | Fault:
    """Columns of a data frame, through Arrow where it offers that and there is a core; else through narwhals."""
    twin = import_module("tiebreak._kernels.reference")
    reader = kernels() if hasattr(frame, "__arrow_c_stream__") else twin
    try:
        fault, fields = reader.read_frame(frame, coded, items, values, memory)
    except ValueError:
        if reader is twin or hasattr(frame, "read_all"):  # which is gone once it was read
            raise
        fault, fields = twin.read_frame(frame, coded, items, values, memory)  # some types only their library knows
    return Fault(*fault) if fault is not None else FrameColumns(*fields)


def project(
    sources: list[Source],
    judged: Judged,
    options: Options,
    tick: Tick | None = None,
    early: EarlyReading | None = None,
) -> Projection | Fault:
    begun = None if early is None else early.project(sources, judged, options, tick)
    fault, fields = begun or kernels().project(sources, judged, options, tick)
    if fault is not None:
        return Fault(*fault)
    made = Projection(*fields)
    top = None if made.top is None else [TopItems(*items) for items in made.top]
    return made._replace(counts=Counts(*made.counts), top=top)


def largest_differences(
    kind: str, rows: NDArray[Any], systems: int, draw: tuple[int, int, int], jobs: int, tick: Tick | None = None
) -> NDArray[int64]:
    found: NDArray[int64] = kernels().largest_differences(kind, rows, systems, draw, jobs, tick)
    return found


def read_early(judgements: str, runs: Iterable[str], options: Options) -> EarlyReading | None:
    """Begin to read files that will be asked for, where there is a core to do it."""
    core = compiled()[0] if choice() in ("auto", "rust") else None
    return None if core is None else early_reading.read_early(core, judgements, runs, options)


def kernels() -> ModuleType:
    """The module that does the work: ``TIEBREAK_CORE`` is ``auto`` (the default), ``rust`` or ``python``."""
    return chosen(choice())


def choice() -> str:
    return os.environ.get("TIEBREAK_CORE", "auto")


@cache
def chosen(choice: str) -> ModuleType:
    if choice not in CHOICES:
        raise TiebreakError(f"TIEBREAK_CORE is {choice!r}; it can be {', '.join(CHOICES)}.")
    if choice == "python":
        return import_module("tiebreak._kernels.reference")
    core, why_not = compiled()
    if core is not None:
        return core
    if choice == "rust":
        raise TiebreakError(f"TIEBREAK_CORE=rust, but the compiled core cannot be used: {why_not}.")
    warnings.warn(
        f"the compiled core cannot be used ({why_not}): results are the same, but slower. "
        "Install a Rust compiler and reinstall tiebreak, or set TIEBREAK_CORE=python to be content with it.",
        CoreMissingWarning,
        stacklevel=4,
    )
    return import_module("tiebreak._kernels.reference")


def compiled() -> tuple[ModuleType | None, str]:
    """The compiled core, or None and the reason."""
    try:
        core = import_module("tiebreak._core")
    except ImportError as error:
        return None, "it was not built" if isinstance(error, ModuleNotFoundError) else str(error)
    if core.INTERFACE != INTERFACE:
        return None, f"it was built for interface {core.INTERFACE}, this is {INTERFACE}; reinstall tiebreak"
    return core, ""
