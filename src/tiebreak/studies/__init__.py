"""Experiments about evaluation itself, one function each; a function is loaded when it is first used.

Those of runs take an `Experiment` first. `seed` is the random seed, `jobs` the number of threads, which changes no
result, and `tick` is called with the number of tasks done and their total.
"""

from tiebreak._base.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__)
