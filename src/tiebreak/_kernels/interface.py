"""Arguments and results of the kernels: plain data, the same for the compiled core and its Python twin."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from numpy import float64, int32, int64
    from numpy.typing import NDArray

INTERFACE = 10
"""Increased whenever arguments or results of a kernel change; checked when the core is imported."""

MEMORY = 2_000_000_000
"""Default limit on the bytes held in memory per file."""

EXCLUDED = -2
"""Slot of an item that is removed from every ranking."""

CANDIDATE = -3
"""Slot of an item that is not judged, but stays in a ranking of judged items only."""

UNRETRIEVED = 2**31 - 1
"""Rank of an item that a run does not retrieve: below every retrieved one."""

ANOMALIES = {
    "blank": "blank lines",
    "comment": "comment lines",
    "crlf": "lines that end with CR LF",
    "byte_order_mark": "byte order mark",
    "unjudged_lines": "lines of requests without judgements, ignored",
    "unjudged_requests": "requests without judgements, ignored",
    "bad_score": "lines with a bad score, dropped",
    "duplicate": "lines that list an item again, resolved as asked",
    "returning": "times a request returned after another one",
    "repeated": "lines repeated with the same grade",
    "no_final_newline": "last line without a line feed",
    "unsorted": "requests whose lines are not in the order of their scores",
    "tabs": "lines with tabs between columns",
    "blanks": "lines with several blanks together, or at an end",
    "scientific": "numbers with an exponent",
    "q0": "lines with Q0 in the second column, read as 0",
    "rank_zero": "lines of rank 0",
    "no_rank": "lines whose rank is no whole number",
    "rank_disagrees": "requests whose rank column disagrees with the order of their scores",
    "judged_ties": "ties that touch a judged item",
    "float32_ties": "scores that tie with a different one in 32 bits",
}
"""What a reader counts in a file beside its data lines, and what messages call it."""

COUNTERS = ("lines", *ANOMALIES)
"""Everything that a reader counts in a file, in the order of the columns of `Counts`."""

CHOICES = {
    "ties": ("item", "rank"),
    "duplicates": ("error", "first", "best"),
    "on_bad_score": ("error", "drop"),
    "requests": ("judged", "common"),
}
"""The values of options of reading that have names; the first of each is the default."""

GZIP_MAGIC, ZSTD_MAGIC = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
"""The first bytes of compressed files."""

Source = tuple[Any, ...]
"""("file", path) or ("bytes", bytes), both text; or ("table", request ids, request of each row, item ids, values)."""

IdColumn = tuple[bytes, "NDArray[int64]"]
"""Ids as one UTF-8 buffer and the offset of each, with the end of the last."""

Tick = Callable[[int, int], None]
"""Called about ten times a second with (bytes read, total bytes); an exception it raises stops the work."""


class Fault(NamedTuple):
    """The first faulty line of the first faulty file; `tiebreak.inputs.faults` has the sentence for each kind."""

    kind: str
    file: int
    line: int
    number: int
    request: bytes
    item: bytes
    text: bytes


class Counts(NamedTuple):
    """How often each of `COUNTERS` occurs in each file, the line of the first, and an example."""

    met: NDArray[int64]
    first_line: NDArray[int64]
    example: list[list[bytes]]


class JudgedRows(NamedTuple):
    """The lines of a judgements file, ids coded in order of appearance."""

    requests: IdColumn
    subtopics: IdColumn
    items: IdColumn
    request: NDArray[int32]
    subtopic: NDArray[int32]
    item: NDArray[int32]
    grade: NDArray[float64]
    counts: Counts


class FrameColumns(NamedTuple):
    """Columns of a data frame: ids coded in order of appearance, the item of every row, its value."""

    coded: list[tuple[IdColumn, NDArray[int32]]]
    items: IdColumn
    values: NDArray[float64]


class TopItems(NamedTuple):
    """The first items of every ranking of one run: those of request r are entries starts[r] to starts[r + 1]."""

    starts: NDArray[int64]
    items: IdColumn
    judgement: NDArray[int32]


class Projection(NamedTuple):
    """Ranks of the judged items in every run; `scores` are the lowest and the highest of each."""

    ranks: NDArray[int32]
    listed: NDArray[int32]
    retrieved: NDArray[int32]
    tied: NDArray[int32]
    scores: NDArray[float64]
    counts: Counts
    top: list[TopItems] | None
    pool: NDArray[int32] | None


class Judged(NamedTuple):
    """The judgements as the kernels see them: those of request r are entries starts[r] to starts[r + 1].

    `slot` is the column of the ranks that a judgement's rank is written to: -1 for none, `EXCLUDED` and `CANDIDATE`
    for items that are removed from every ranking, or kept without being judged.
    """

    requests: IdColumn
    items: IdColumn
    starts: NDArray[int64]
    item: NDArray[int32]
    slot: NDArray[int32]
    slots: int


class Options(NamedTuple):
    """How runs are read; the core reads these by name. An audit also counts what takes longer to find out."""

    depth: int | None = None
    judged_only: bool = False
    ties: str = "item"
    duplicates: str = "error"
    on_bad_score: str = "error"
    top: int | None = None
    pool: bool = False
    memory: int = MEMORY
    jobs: int = 1
    audit: bool = False
