"""The metrics of tiebreak as measures of ir_measures: importing this module registers them, and who computes them.

`ir_measures.calc_aggregate`, `ir_measures.iter_calc` and PyTerrier's `pt.Experiment` then take the objects of this
module, such as `TSE`, beside their own. What ir_measures has already, under any name, is left as it is.

A request without a relevant item gets 0 in ir_measures, by its own measures as by these, so that all means are over
the same requests. Measures for which 0 is not the worst value, such as TSL, have no value there (NaN), and their means
leave it out. tiebreak itself leaves out such requests by all measures.
"""

from __future__ import annotations

from tiebreak.ir_measures.provider import MEASURES, Measure

__all__ = ["MEASURES", *MEASURES]


def __getattr__(name: str) -> Measure:
    if name not in MEASURES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return MEASURES[name]


def __dir__() -> list[str]:
    return [*globals(), *MEASURES]
