"""Compare search and recommender systems by what users in different situations would prefer.

Importing this package imports nothing heavy: each name is loaded when it is first used.
"""

from tiebreak._base.lazy import attach_stub

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = attach_stub(__name__)
__all__ += ["__version__"]
