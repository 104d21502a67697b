"""Exact arithmetic: a tie is a tie, and every reported number is the float nearest its exact value.

Floats filter what is clearly apart; values that share a float are compared exactly: as fractions where a measure is
rational, to 60 digits where logarithms enter. `Number` is one such value, `ExactValues` a table of them.
"""

from tiebreak.exact.arithmetic import dcg_discount, like
from tiebreak.exact.decimals import decimal
from tiebreak.exact.doubles import Doubles
from tiebreak.exact.number import Number, Real, competition_ranks
from tiebreak.exact.values import ExactValues

__all__ = ["Doubles", "ExactValues", "Number", "Real", "competition_ranks", "dcg_discount", "decimal", "like"]
