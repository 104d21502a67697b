"""How many examples a law of hypothesis is tried with."""

import os

HERE = 5


def examples(most):
    """The number under CI, and at most five elsewhere: all laws together should take a newcomer a minute."""
    return most if os.environ.get("CI") else min(most, HERE)
