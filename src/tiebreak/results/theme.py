"""The look of every picture: colors that colour-blind readers tell apart, sizes, titles."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#222222", "#882255")
"""Okabe and Ito's, without the yellow that is lost on white, and Tol's wine."""
STRONG, FAINT, LINE = COLORS[0], "#9a9a9a", "#888"
"""What is to be seen, what stands behind it, and lines of reference."""
SIGNED, UNSIGNED = "purpleorange", "oranges"
"""Schemes of heat maps: of values on both sides of 0, and on one."""
RANKS = {"name": "viridis", "extent": [0, 0.85]}
"""The scheme of lines by their rank, without the yellow end."""
SOLID, DASHES = [1, 0], ([10, 4], [5, 4], [2, 3], [10, 3, 2, 3], [5, 2, 1, 2], [1, 4])
"""Later lines have gaps, through which those are seen that they lie on."""
WIDEST_LINE, LINE_STEP, THINNEST_LINE = 3.4, 0.35, 1.3
"""Later lines are thinner, too: those under them are seen at both sides."""
SIDE, FACET_SIDE, SMALL_SIDE, CELL, NODE = 340, 240, 140, 34, 56
"""Pixels of a picture, of one of several, of one of many, of one cell with a number, and of a name in a graph."""
ROW, SMALLEST, GROUP = 17, 12, 28
"""Pixels of a row with a name, of a cell without a number, and of a line over a group."""
CELL_NUMBERS = 14
"""In a heat map of more rows or columns, cells have no room for numbers."""
MOST_POINTS = 25
"""Lines through more places have no points."""
NARROWEST_TITLE = 560
"""Pixels that a title may take beside a smaller picture."""
LETTER = 6
"""Pixels of a mark beside an interval."""
PADDING = 6
"""Pixels between the outermost points or lines and the edge, so that none is cut in half."""
FACETS_IN_A_ROW, SMALL_IN_A_ROW = (3, 4, 2), (6, 7, 5, 8)
"""Of these, the first that leaves the fewest places empty."""
PICTURES_IN_A_ROW, NAMES_IN_A_COLUMN = 3, 20
WIDEST_ROW = 1750
"""Pixels of pictures side by side, without the names beside them."""
TICKS = 5
"""About the numbers along the axis of intervals or bars: of more, some would have no room."""
MANY = 9
"""More facets than these are small ones."""
TITLE_SIZE, TEXT_SIZE = 14, 11
LONGEST_LABEL = 420
"""Pixels of a name along an axis or in a legend, which `short_names` seldom exceed."""
CONFIG = {
    "view": {"stroke": "#ddd"},
    "mark": {"color": STRONG},
    "axis": {
        "gridColor": "#eee",
        "labelLimit": LONGEST_LABEL,
        "labelFontSize": TEXT_SIZE,
        "titleFontSize": TEXT_SIZE + 1,
    },
    "axisQuantitative": {"labelOverlap": "parity", "labelSeparation": 6, "labelFlush": False},
    "legend": {"labelFontSize": TEXT_SIZE, "titleFontSize": TEXT_SIZE},
    "headerFacet": {"labelFontSize": 13, "labelFontWeight": "bold"},
    "title": {"anchor": "start", "fontSize": TITLE_SIZE, "subtitleFontSize": TEXT_SIZE + 1, "subtitleColor": "#555"},
}


def heading(title: str, notes: tuple[str, ...], width: int) -> dict[str, Any]:
    """A title with notes under it, in lines of about the width of the picture."""

    def lines(text: str, size: float) -> list[str]:
        return wrap_evenly(text, int(max(width, NARROWEST_TITLE) / size))

    under = [line for note in notes for line in lines(note, 5.8)]
    return (
        {"title": {"text": lines(title, 7.4), "offset": 14} | ({"subtitle": under} if under else {})} if title else {}
    )


def wrap_evenly(text: str, most: int) -> list[str]:
    """Text in as few lines of at most so many characters as it needs, none much shorter than the others.

    Examples
    --------
    >>> wrap_evenly("ranks by every measure, 1 is best", 28)
    ['ranks by every', 'measure, 1 is best']
    """
    lines = wrap(text, most)
    longest = max(map(len, text.split()), default=0)  # narrower, it would be cut
    widths = range(max(len(text) // max(len(lines), 1), longest, 1), most)
    return next((even for width in widths if len(even := wrap(text, width)) == len(lines)), lines)
