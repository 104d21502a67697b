"""The significance level and the names of corrections, which the command line knows without importing numpy."""

ALPHA = 0.05
"""The significance level of marks, and of tests by default."""
CORRECTIONS = {
    "none": "no correction",
    "bonferroni": "Bonferroni's correction",
    "holm": "Holm's correction",
    "bh": "the correction of Benjamini and Hochberg",
}
"""For every name what it is called in a sentence; `significance.corrections` has the functions."""
