"""The names of corrections for multiple comparisons, which the command line knows without importing numpy."""

CORRECTIONS = {
    "none": "no correction",
    "bonferroni": "Bonferroni's correction",
    "holm": "Holm's correction",
    "bh": "the correction of Benjamini and Hochberg",
}
"""For every name what it is called in a sentence; `significance.corrections` has the functions."""
