"""How many examples a law of hypothesis is tried with."""

import os

HERE = 10


def examples(most):
    """The number under CI, and at most ten elsewhere: all laws together should take a newcomer few minutes."""
    return most if os.environ.get("CI") else min(most, HERE)
