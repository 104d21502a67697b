"""The names of the sections of a page, for the command line, which imports nothing heavy."""

SECTION_NAMES = (
    "answer",
    "input",
    "leaderboard",
    "pairs",
    "two-systems",
    "worst-served",
    "cases",
    "diversity",
    "methods",
    "settings",
)
"""In their order; links to sections have these names."""
TEMPLATES = {
    "full": SECTION_NAMES,
    "summary": ("answer", "leaderboard", "settings"),
    "pair": ("answer", "two-systems", "settings"),
}
"""Choices of sections."""
