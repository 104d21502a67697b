"""How many examples a law of hypothesis is tried with."""

import os

HERE = 3


def examples(most, here=HERE):
    """The number under CI, and at most three elsewhere: all laws together should take a newcomer half a minute."""
    return most if os.environ.get("CI") else min(most, here)
