"""Metrics on condensed lists, from which unjudged items are removed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tiebreak._base.checks import check_flag
from tiebreak._base.spec import Spec, format_spec
from tiebreak.errors import InputError
from tiebreak.exact import ExactValues
from tiebreak.metrics.base import Metric
from tiebreak.projection import Positions
from tiebreak.projection.needs import Needs

JUDGED_ONLY = "judged_only"


@dataclass(frozen=True)
class Condensed(Metric):
    """A metric of rankings without their unjudged items (Sakai 2007), such as ``AP(judged_only=true)``.

    Parameters
    ----------
    base : Metric
    """

    base: Metric

    def __post_init__(self) -> None:
        for name in ("cutoff", "rel", "traits", "name"):
            object.__setattr__(self, name, getattr(self.base, name))
        super().__post_init__()
        if self.base.needs != Needs():
            raise InputError(f"{self.base} looks at more than judged items. Leave out judged_only.", kind="spec")

    def __str__(self) -> str:
        return format_spec(self.base.name, (*self.base._set_parameters(), (JUDGED_ONLY, True)), self.cutoff)

    def values(self, positions: Positions) -> ExactValues:
        condensed = positions.condensed_lists
        return self.base.on(condensed).values(condensed)


def split_judged_only(spec: Spec) -> tuple[Spec, bool]:
    """A spec without the parameter ``judged_only``, and its value."""
    flags: list[Any] = [value for key, value in spec.arguments if key == JUDGED_ONLY]
    if len(flags) > 1:
        raise InputError(f"{spec}: {JUDGED_ONLY!r} is given twice.", kind="spec")
    others = tuple(argument for argument in spec.arguments if argument[0] != JUDGED_ONLY)
    return Spec(spec.name, others, spec.cutoff), bool(flags) and check_flag(flags[0], f"{spec.name}: {JUDGED_ONLY}")
