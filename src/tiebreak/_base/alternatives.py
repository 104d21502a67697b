"""Alternative hypotheses of tests, as SciPy names them."""

ALTERNATIVES = {
    "two-sided": "the runs differ",
    "greater": "the first run is better",
    "less": "the first run is worse",
}
"""Each with what it says of a pair."""
