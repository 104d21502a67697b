"""Where one read ends and the next begins changes nothing; neither does where the longest lines stand."""

import pytest

from engines.comparing import judged_by, projected, rows_read
from engines.strategies import BYTE_ORDER_MARK, gzipped, zstandard
from tiebreak._kernels.interface import COUNTERS, Options

BUFFER = 128 * 1024
"""What the core looks at together."""
LONGEST_LINE = 65_536

ODD_TEXT = (
    b"q1 Q0 d1 1 3.5 t\r\n"
    b"# a comment\n"
    b"q1\t0\td2\t2\t3.5\tt\n"
    b"\n"
    b" q1  0  \xc3\xa9 \t3   1e-2 \t\r\n"
    b"x1 0 d1 1 2\n" + BYTE_ORDER_MARK + b"q1 0 d1 1 2\n"
    b"q2 0 d1 1 1\n"
    b"q2 0 " + b"x" * 70 + b" 2 -1\n"
    b"q1 0 d3 1 7"
)
GRADES = {"q1": {"d1": 1, "d2": 0, "d3": 2, "é": 1}, "q2": {"d1": 1, "x" * 70: 1}}
OPTIONS = Options(top=3, pool=True)


def filler(size):
    """Comment lines of so many bytes in all."""
    lines = []
    while size:
        length = min(size, 50_000) if size != 50_001 else 1000
        lines.append(b"#" * (length - 1) + b"\n")
        size -= length
    return b"".join(lines)


def without_comments(outcome):
    """What does not change where comments are added: neither their number nor the number of a line."""
    fault, result = outcome
    assert fault is None
    *tables, (met, _, example), top, pool = result
    met, example = met[2][0], example[0]
    place = COUNTERS.index("comment")
    return tables, met[:place] + met[place + 1 :], example[place + 1 :], top, pool


@pytest.mark.one_in(3)
@pytest.mark.parametrize("beginning", [b"", BYTE_ORDER_MARK], ids=["plain", "marked"])
@pytest.mark.parametrize("blocks", [1, 2])
def test_block_may_end_after_any_byte(core, twin, beginning, blocks):
    judged = judged_by(GRADES)
    expected = projected(twin, [beginning + ODD_TEXT], judged, OPTIONS)
    for before in range(len(ODD_TEXT) + 2):
        text = beginning + filler(blocks * BUFFER - before - len(beginning)) + ODD_TEXT
        outcome = projected(core, [text], judged, OPTIONS)
        assert without_comments(outcome) == without_comments(expected)
        if before % 16 == 0:
            assert outcome == projected(twin, [text], judged, OPTIONS)


@pytest.mark.parametrize("size", [0, 1, BUFFER - 1, BUFFER, BUFFER + 1, 2 * BUFFER - 1, 2 * BUFFER, 2 * BUFFER + 1])
@pytest.mark.parametrize("end", [b"", b"\n", b"q1 0 d1 1 1", b"q1 0 d1 1 1\r\n", b"q1 0 d1"])
def test_file_of_any_size_ends_alike(core, twin, size, end):
    text = filler(max(size - len(end), 0)) + end
    judged = judged_by(GRADES)
    assert projected(core, [text], judged, OPTIONS) == projected(twin, [text], judged, OPTIONS)


@pytest.mark.slow
@pytest.mark.parametrize("pack", [gzipped, zstandard])
def test_stream_may_be_cut_in_two_after_any_byte(engine, pack):
    judged = judged_by(GRADES)
    expected = projected(engine, [ODD_TEXT], judged, OPTIONS)
    for cut in range(len(ODD_TEXT) + 1):
        assert projected(engine, [pack([ODD_TEXT[:cut], ODD_TEXT[cut:]])], judged, OPTIONS) == expected


@pytest.mark.parametrize("pack", [gzipped, zstandard])
def test_stream_may_be_one_byte_a_piece(engine, pack):
    judged = judged_by(GRADES)
    file = pack([ODD_TEXT[k : k + 1] for k in range(len(ODD_TEXT))])
    assert projected(engine, [file], judged, OPTIONS) == projected(engine, [ODD_TEXT], judged, OPTIONS)


def many_lines(number):
    """A file of many blocks: ties, requests without judgements, and at its end a request that returns."""
    line = "q{} Q0 d{} {} {} é\r\n"
    lines = [line.format(k // 1000, k * 7919 % 1000, k % 1000, 1e9 - k % 1000 // 3) for k in range(number)]
    return "".join([*lines, "q0 Q0 late 1 5000 é\n"]).encode()


def test_file_of_many_blocks_is_read_alike_in_whatever_pieces(core, twin):
    judged = judged_by({f"q{r}": {f"d{k}": k % 3 for k in range(0, 40, 3)} | {"late": 1} for r in range(0, 16, 2)})
    text = many_lines(16_789)
    assert len(text) > 3 * BUFFER
    expected = projected(twin, [text], judged, OPTIONS)
    pieces = [text[k : k + 9973] for k in range(0, len(text), 9973)]
    for file in (text, gzipped([text]), zstandard([text]), gzipped(pieces), zstandard(pieces)):
        assert projected(core, [file], judged, OPTIONS) == expected


def test_judgements_of_many_blocks_are_read_alike_in_whatever_pieces(core, twin):
    lines = [f"q{k // 100}\t{k % 3}  doc{k * 7919 % 5000}é {k % 5 - 1}.50\n" for k in range(12_345)]
    text = "".join([*lines, *lines[:50]]).encode()
    assert len(text) > 2 * BUFFER
    expected = rows_read(twin, text)
    pieces = [text[k : k + 9973] for k in range(0, len(text), 9973)]
    for file in (text, gzipped([text]), zstandard([text]), gzipped(pieces), zstandard(pieces)):
        assert rows_read(core, file) == expected


# Long lines


@pytest.mark.one_in(5)
@pytest.mark.parametrize("over", [-2, -1, 0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
@pytest.mark.parametrize("beginning", [b"", BYTE_ORDER_MARK, b"q1 0 d2 1 1\n", filler(BUFFER - 9)])
@pytest.mark.parametrize("column", ["item", "blanks", "tag"])
def test_line_may_have_65536_bytes_and_no_more(core, twin, over, end, beginning, column):
    length = LONGEST_LINE + over - len(end.removesuffix(b"\n"))
    line = {"item": b"q1 0 %b 1 1", "blanks": b"q1 0 d1 1%b 1", "tag": b"q1 0 d1 1 1 %b"}[column]
    stuff = b" " if column == "blanks" else b"x"
    line = line % (stuff * (length - len(line) + 2))
    text = beginning + line + end
    judged = judged_by(GRADES)
    fault, _ = outcome = projected(core, [text], judged, OPTIONS)
    assert outcome == projected(twin, [text], judged, OPTIONS)
    if over > 0:
        assert fault == ["long_line", 0, 1 + beginning.count(b"\n"), LONGEST_LINE, b"", b"", b""]
    else:
        assert fault is None


@pytest.mark.parametrize("stuff", [b"x", b" ", b"x ", b"\0", b"\xff", b"\r"])
@pytest.mark.parametrize("pack", [b"".join, gzipped, zstandard])
def test_file_that_is_one_endless_line_is_refused_for_that(engine, stuff, pack):
    text = stuff * (1_000_000 // len(stuff))
    fault, _ = projected(engine, [pack([b"q1 0 d1 1 1\n", text])], judged_by(GRADES))
    assert fault == ["long_line", 0, 2, LONGEST_LINE, b"", b"", b""]
    fault, _ = rows_read(engine, pack([text]))
    assert fault == ["long_line", 0, 1, LONGEST_LINE, b"", b"", b""]


def test_longest_ids_are_compared_to_their_last_byte(core, twin):
    ids = [b"x" * 60_000 + end for end in (b"", b"a", b"b", b"a" * 16)]
    text = b"".join(b"q1 0 %b 1 1\n" % item for item in ids)
    judged = judged_by({"q1": {ids[1].decode(): 1, ids[3].decode(): 1}})
    outcome = projected(core, [text], judged, OPTIONS)
    assert outcome == projected(twin, [text], judged, OPTIONS)
    assert outcome[1][0][2] == [[3, 2]]
