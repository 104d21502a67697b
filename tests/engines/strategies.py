"""Byte files as people and programs write them: sound, odd and faulty; plain and compressed."""

import gzip
from itertools import pairwise
from math import prod

from hypothesis import strategies as st

from tiebreak._kernels.interface import Options
from tiebreak._kernels.reference import zstd_module

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

# Some differ in bytes only, or only from the 65th byte on; some hold what other programs take for blanks.
LOOK_ALIKES = ["é", "e\u0301", "a", "\u0430", "A"]
FEW_REQUESTS = ["q1", "q2", "é"]
REQUESTS = [*FEW_REQUESTS, "q10", "7", *LOOK_ALIKES]
UNJUDGED = ["x1", "Q1", "q1\u200b"]
FEW_ITEMS = ["d1", "d2", "d10", "é", "e\u0301", "x" * 70]
ITEMS = [
    *FEW_ITEMS,
    *("D1", "d01", "d1\u200b", "d\u00a01", "\u0085", "\ufeffd1", "\U0001f600", "#1", "1"),
    *LOOK_ALIKES,
    *("x" * size for size in (7, 8, 15, 16, 17)),
    "x" * 69 + "y",
]

FEW_SCORES = ["1", "1.0", "+1", "2", "10e-1", "0", "-0", "1.00000000001"]
SCORES = [
    *FEW_SCORES,
    *(".5", "+.5", "-0.5", "-.5e1", "1e-3", "1E+5", "1e5", "00012", "3.14159", "-1e-999", "0e999999999999"),
    *("123456789012345678901234567890", "9007199254740993", "9007199254740992", "0.1", "0.30000000000000004"),
    *("5e-324", "4.9e-324", "2.4e-324", "2.2250738585072011e-308", "1.7976931348623157e308", "1e0000000000001"),
]
BAD_SCORES = [
    *("nan", "NaN", "-nan", "inf", "-Infinity", "1e999", "-1e999", "1.7976931348623159e308", "1,5", "1_0", "0x1p3"),
    *("0x10", "1.", "1.e5", "e5", "1e", "1e+", "+", "-", ".", "--1", "+-1", "1.5.2", "1e5.0", "1d5", "\uff11", "½"),
]
RANKS = ["1", "2", "3", "3", "0", "-1", "+2", "002", "-0", "9223372036854775807", "-9223372036854775807"]
BAD_RANKS = ["x", "1.0", "+", "1_0", "9223372036854775808", "-9223372036854775808", "000000000000000000001", "\uff11"]

RUN_SPACING = [
    b"%b Q0 %b %b %b tag",
    b"%b\t0\t%b\t%b\t%b\ttag",
    b"%b Q0 %b %b %b tag and more",
    b"%b Q0 %b %b %b",
    b" %b  Q0\t %b \t%b   %b tag \t",
    b"\t%b 0 %b %b %b  ",
    b"%b\t\t\xc3\xa9  %b %b %b \xe2\x80\xa8",
]
JUDGEMENT_SPACING = [b"%b %b %b %b", b"%b\t%b\t%b\t%b", b" %b  %b\t %b \t%b  ", b"%b %b %b %b\t"]

ODD_LINES = [b"", b" ", b"\t \t", b"# a comment", b"  #x y z", b"#", "# é".encode(), b"# 1 2 3 4 5 6 7 8 9"]
FAULTY_LINES = [
    *(b"q1", b"q1 0", b"q1 0 d1", b"q1 0 d1 1", b"q1 0 d1 1 2 t more", b"q1" + b" x" * 40, b"q1,0,d1,1,2,t"),
    *(b"q1 0 d\x001 1 2 t", b"q1 0 d1\x0b1 2 t", b"\x1a", b"\x7f", b"q1\r0 d1 1 2 t", b"\r\r", b"# \x00", b"\x0c"),
    *(b"q1 0 \xff 1 2 t", b"q1 0 d\xc3 1 2 t", b"q1 0 \xc0\xaf 1 2 t", b"q1 0 \xed\xa0\x80 1 2 t", b"# \xfe"),
    *(BYTE_ORDER_MARK + b"q1 0 d1 1 2", BYTE_ORDER_MARK, b"q1 0 \xf4\x90\x80\x80 1", b"q1 0 \x80 1"),
]

NUMBERS = st.one_of(
    st.sampled_from(SCORES),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.from_regex(r"[+-]?([0-9]{1,25}(\.[0-9]{1,25})?|\.[0-9]{1,25})([eE][+-]?[0-9]{1,3})?", fullmatch=True),
)
NUMBERS_OR_NOT = st.one_of(
    NUMBERS,
    st.sampled_from(BAD_SCORES),
    st.text("0123456789+-.eE_,xnaif\u0661", min_size=1, max_size=12),
)


def one_of_each(*choices):
    """A tuple with one of each, encoded; made from one integer, because a draw for each takes thrice the time."""
    choices = [[text.encode() for text in some] for some in choices]

    def decode(number):
        row = []
        for some in choices:
            number, place = divmod(number, len(some))
            row.append(some[place])
        return tuple(row)

    return st.integers(0, prod(map(len, choices)) - 1).map(decode)


def run_rows(requests=(*REQUESTS, *UNJUDGED), items=ITEMS, ranks=RANKS, scores=SCORES):
    """(request, item, rank, score) of a line."""
    return one_of_each(requests, items, ranks, scores)


def request_and_item(row):
    return row[:2]


@st.composite
def row_lists(draw, rows, unique):
    """Lines of a file, each request's together, or in any order."""
    fewest = draw(st.sampled_from([1, 0, 8, 12]))
    drawn = draw(st.lists(rows, min_size=fewest, max_size=16, unique_by=request_and_item if unique else None))
    return sorted(drawn, key=lambda row: row[0]) if draw(st.booleans()) else drawn


@st.composite
def texts(draw, lines, others):
    """A file of these lines with some others among them: any line ends, with or without the last one."""
    lines = list(lines)
    for place, line in draw(st.lists(st.tuples(st.integers(0, 14), others), max_size=2)):
        lines.insert(place, line)
    ends = draw(st.sampled_from([[b"\n"], [b"\n"], [b"\r\n"], [b"\n", b"\r\n"], [b"\r\n", b"\n", b"\n"]]))
    text = b"".join(line + ends[k % len(ends)] for k, line in enumerate(lines))
    if draw(st.booleans()):
        text = text.removesuffix(ends[(len(lines) - 1) % len(ends)])
    return BYTE_ORDER_MARK + text if draw(st.integers(0, 4)) == 4 else text


@st.composite
def run_texts(draw, faulty=True, unique=None):
    unique = draw(st.booleans()) if unique is None else unique
    scores = draw(st.sampled_from([FEW_SCORES, SCORES]))
    few_ids = [*FEW_REQUESTS, UNJUDGED[0]], FEW_ITEMS
    row = run_rows(*few_ids, scores=scores) if draw(st.integers(0, 2)) else run_rows(scores=scores)
    rows = draw(row_lists(row, unique))
    spacing = draw(st.lists(st.sampled_from(RUN_SPACING), min_size=1, max_size=4))
    lines = [spacing[k % len(spacing)] % row for k, row in enumerate(rows)]
    bad_rows = run_rows(scores=BAD_SCORES) | run_rows(ranks=BAD_RANKS)
    faults = [st.sampled_from(FAULTY_LINES), bad_rows.map(lambda row: RUN_SPACING[0] % row)] if faulty else []
    return draw(texts(lines, st.one_of(st.sampled_from(ODD_LINES), *faults)))


@st.composite
def judgement_texts(draw):
    subtopics = draw(st.sampled_from([["0"], ["Q0"], ["0", "Q0"], ["0", "1", "é"]]))
    grades = draw(st.sampled_from([["0", "-0", "0.0"], ["0", "1", "-2", "2"], SCORES]))
    items = draw(st.sampled_from([FEW_ITEMS, ITEMS]))
    drawn = draw(row_lists(one_of_each(FEW_REQUESTS, subtopics, items, grades), unique=False))
    spacing = draw(st.lists(st.sampled_from(JUDGEMENT_SPACING), min_size=1, max_size=3))
    lines = [spacing[k % len(spacing)] % row for k, row in enumerate(drawn)]
    bad_rows = one_of_each(REQUESTS, ["0"], ITEMS, BAD_SCORES)
    faults = st.one_of(st.sampled_from(FAULTY_LINES), bad_rows.map(lambda row: JUDGEMENT_SPACING[0] % row))
    return draw(texts(lines, st.sampled_from(ODD_LINES) | faults))


def pieces_of(text, cuts):
    """The text cut at these places, which may repeat."""
    bounds = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    return [text[a:b] for a, b in pairwise(bounds)]


def gzipped(pieces, padding=b""):
    return b"".join(gzip.compress(piece, 1, mtime=0) + padding for piece in pieces)


def zstandard(pieces):
    return b"".join(zstd_module().compress(piece) for piece in pieces)


@st.composite
def gzip_files(draw, text):
    """One or several members, with or without zeros behind each."""
    pieces = pieces_of(text, draw(st.lists(st.integers(0, 400), max_size=2)))
    return gzipped(pieces, b"\0" * draw(st.sampled_from([0, 0, 1, 600])))


@st.composite
def zstd_files(draw, text):
    """One or several frames."""
    return zstandard(pieces_of(text, draw(st.lists(st.integers(0, 400), max_size=2))))


def files(texts):
    """A text as it is, or compressed."""
    return texts | texts.flatmap(gzip_files) | texts.flatmap(zstd_files)


@st.composite
def damaged(draw, files):
    """A compressed file that was cut off, or that something was appended to."""
    file = draw(files)
    if draw(st.booleans()):
        return file[: draw(st.integers(0, len(file) - 1))]
    return file + draw(
        st.sampled_from([b"x", b"q1 Q0 d1 1 2 t\n", b"\x1f", b"\x1f\x8b", b"\x28\xb5\x2f", b"\0\0\0\0\1"])
    )


FEW_GRADES = one_of_each(*[["", "-1", "0", "1", "2"]] * len(FEW_ITEMS)).map(
    lambda grades: {item: int(grade) for item, grade in zip(FEW_ITEMS, grades, strict=True) if grade}
)
MANY_GRADES = st.dictionaries(st.sampled_from(ITEMS), st.sampled_from([0, 1, 2]), min_size=1, max_size=9)
GRADES = st.dictionaries(
    st.sampled_from([*FEW_REQUESTS * 3, *REQUESTS]), FEW_GRADES.filter(bool) | MANY_GRADES, min_size=1, max_size=4
)

ENOUGH_MEMORY = 2_000_000_000
OPTIONS = st.builds(
    Options,
    depth=st.none() | st.integers(1, 5),
    judged_only=st.booleans(),
    ties=st.sampled_from(["item", "rank"]),
    duplicates=st.sampled_from(["error", "first", "best"]),
    on_bad_score=st.sampled_from(["error", "drop"]),
    top=st.none() | st.integers(1, 5),
    pool=st.booleans(),
    memory=st.just(ENOUGH_MEMORY) | st.integers(1, 500),
    jobs=st.integers(1, 3),
    audit=st.booleans(),
)
