"""The compiled core and its readable twin give identical ranks, counters and faults."""

import gzip
import zlib

import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from engines.comparing import judged_by, plain, projected, rows_read
from engines.strategies import (
    BAD_RANKS,
    BAD_SCORES,
    GRADES,
    ITEMS,
    NUMBERS,
    NUMBERS_OR_NOT,
    OPTIONS,
    RANKS,
    REQUESTS,
    SCORES,
    UNJUDGED,
    damaged,
    files,
    gzip_files,
    gzipped,
    judgement_texts,
    run_texts,
    zstandard,
    zstd_files,
)
from tiebreak._kernels.interface import COUNTERS, Options
from tiebreak.inputs import Ids

SOME_FILES = st.lists(files(run_texts()), min_size=1, max_size=3)
SOUND_TEXT = b"q1 Q0 d1 1 3.5 t\nq1 Q0 d2 2 3 t\nq2 Q0 d1 1 -1e-2 t\n"
SOME_GRADES = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d1": 1}}


def assert_alike(core, twin, files, judged, options):
    assert projected(core, files, judged, options) == projected(twin, files, judged, options)


# Files


@settings(max_examples=3 * settings().max_examples)
@given(files=SOME_FILES, grades=GRADES, nonrelevant=st.booleans(), options=OPTIONS)
def test_runs_are_projected_alike(core, twin, files, grades, nonrelevant, options):
    judged = judged_by(grades, nonrelevant)
    assert_alike(core, twin, files, judged, options)


@settings(max_examples=3 * settings().max_examples)
@given(file=files(judgement_texts()))
def test_judgements_are_read_alike(core, twin, file):
    assert rows_read(core, file) == rows_read(twin, file)


@pytest.mark.parametrize("compressed", [gzip_files, zstd_files])
@given(data=st.data(), grades=GRADES, options=OPTIONS)
def test_cut_or_extended_runs_are_refused_alike(core, twin, compressed, data, grades, options):
    file = data.draw(damaged(run_texts().flatmap(compressed)))
    assert_alike(core, twin, [file], judged_by(grades), options)


@given(file=damaged(judgement_texts().flatmap(gzip_files) | judgement_texts().flatmap(zstd_files)))
def test_cut_or_extended_judgements_are_refused_alike(core, twin, file):
    assert rows_read(core, file) == rows_read(twin, file)


@pytest.mark.parametrize("pack", [gzipped, zstandard])
@pytest.mark.parametrize("damage", [lambda file: file[:-1], lambda file: file + b"x"], ids=["cut", "extended"])
def test_faulty_line_before_the_damage_of_a_stream_is_the_fault(engine, pack, damage):
    file = damage(pack([b"too few columns\n", SOUND_TEXT]))
    fault, _ = projected(engine, [file], judged_by(SOME_GRADES))
    assert fault == ["columns", 0, 1, 3, b"", b"", b"too few columns"]


@pytest.mark.parametrize("path", ["nowhere", "."])
def test_file_that_cannot_be_read_is_refused_alike(core, twin, tmp_path, path):
    source = ("file", str(tmp_path / path))
    judged = judged_by(SOME_GRADES)
    fault, _ = outcome = plain(core.project([source], judged, Options(), None))
    assert fault[0] == "io"
    assert outcome == plain(twin.project([source], judged, Options(), None))
    assert plain(core.read_judgements(source, None)) == plain(twin.read_judgements(source, None))


def test_file_is_read_as_its_bytes_are(engine, tmp_path):
    path = tmp_path / "é.run"
    path.write_bytes(SOUND_TEXT)
    judged = judged_by(SOME_GRADES)
    assert projected(engine, [("file", str(path))], judged) == projected(engine, [SOUND_TEXT], judged)


# How much is tried


@pytest.mark.slow
def test_examples_reach_every_fault_and_every_counter(twin):
    faults, met = set(), np.zeros(len(COUNTERS), dtype=np.int64)
    of_runs = {"compression", "empty", "columns", "control", "encoding", "rank", "score", "duplicate", "memory"}
    every = of_runs | {"grade", "conflict"}

    def record(fault, result):
        if fault:
            faults.add(fault.kind)
        else:
            np.add(met, result.counts.met.sum(axis=0), out=met)

    @settings(max_examples=200, database=None)
    @given(file=files(run_texts()), grades=GRADES, options=OPTIONS)
    def runs(file, grades, options):
        record(*twin.project([("bytes", file)], judged_by(grades), options._replace(audit=True), None))

    @settings(max_examples=50, database=None)
    @given(file=files(judgement_texts()) | damaged(judgement_texts().flatmap(zstd_files)))
    def judgements(file):
        record(*twin.read_judgements(("bytes", file), None))

    for number in range(6):
        if faults != every or not met.all():
            seed(number)(runs)()
            seed(number)(judgements)()
    assert faults == every
    assert [name for name, count in zip(COUNTERS, met, strict=True) if not count] == []


# Numbers


@given(numbers=st.lists(NUMBERS, min_size=1, max_size=10))
def test_numbers_are_read_to_the_last_bit_alike(core, twin, numbers):
    for number in numbers:
        file = f"q 0 d {number}\n".encode()
        assert rows_read(core, file) == rows_read(twin, file)


@given(texts=st.lists(NUMBERS_OR_NOT, min_size=1, max_size=10))
def test_whatever_stands_for_a_number_is_read_or_refused_alike(core, twin, texts):
    for text in texts:
        file = f"q 0 d {text}\n".encode()
        assert rows_read(core, file) == rows_read(twin, file)


@pytest.mark.parametrize("zeros", [1, 22, 23, 300, 400, 5000, 60_000])
def test_long_mantissa_and_exponent_make_up_for_each_other(engine, zeros):
    small, large = f"0.{'0' * zeros}25e{zeros + 1}", f"25{'0' * zeros}e-{zeros + 1}"
    file = f"q 0 d1 {small}\nq 0 d2 {large}\n".encode()
    fault, rows = engine.read_judgements(("bytes", file), None)
    assert fault is None
    assert rows[6].tolist() == [2.5, 2.5]


@pytest.mark.parametrize("digits", [1, 9, 10, 19, 20, 5000, 60_000])
def test_exponent_may_be_of_any_length(core, twin, digits):
    for text in ("1e{}1", "1e-{}1", "0e{}9", "-0.0e-{}9", "12.5E+{}3"):
        for digit in "019":
            file = f"q 0 d {text.format(digit * digits)}\n".encode()
            assert rows_read(core, file) == rows_read(twin, file)


@pytest.mark.parametrize("text", SCORES)
def test_number_is_accepted(engine, text):
    fault, rows = engine.read_judgements(("bytes", f"q 0 d {text}".encode()), None)
    assert fault is None
    grade = rows[6]
    assert grade.tolist() == [float(text)] and not np.signbit(grade[grade == 0]).any()


@pytest.mark.parametrize("text", BAD_SCORES)
def test_what_is_no_finite_number_is_refused(engine, text):
    fault, _ = engine.read_judgements(("bytes", f"q 0 d {text}".encode()), None)
    assert fault == ("grade", 0, 1, 0, b"q", b"d", text.encode())


@pytest.mark.parametrize("text", RANKS)
def test_rank_that_breaks_ties_is_an_integer(engine, text):
    file = f"q1 0 d1 {text} 1\n".encode()
    fault, _ = projected(engine, [file], judged_by(SOME_GRADES), Options(ties="rank"))
    assert fault is None


@pytest.mark.parametrize("text", BAD_RANKS)
def test_rank_that_is_no_integer_is_refused_only_where_it_breaks_ties(engine, text):
    file, judged = f"q1 0 d1 {text} 1\n".encode(), judged_by(SOME_GRADES)
    fault, _ = projected(engine, [file], judged, Options(ties="rank"))
    assert fault == ["rank", 0, 1, 0, b"q1", b"d1", text.encode()]
    assert projected(engine, [file], judged)[0] is None


# Duplicates


@pytest.mark.parametrize(
    ("duplicates", "again", "ranks"),
    [
        ("first", b"q1 0 d1 1 9", [3, 2, 1]),
        ("best", b"q1 0 d1 1 9", [1, 3, 2]),
        ("best", b"q1 0 d1 1 1", [3, 2, 1]),
        ("best", b"q1 0 d1 1 0", [3, 2, 1]),
    ],
)
@pytest.mark.parametrize("between", [[], [b"q2 0 d1 1 1"]], ids=["at once", "after another request"])
def test_item_listed_again_counts_by_its_first_or_its_best_line(engine, duplicates, again, ranks, between):
    """Of lines that tie for the best it is the first, whose rank breaks ties."""
    lines = [b"q1 0 d1 5 1", b"q1 0 d2 4 1", b"q1 0 d3 3 1", *between, again]
    options = Options(duplicates=duplicates, ties="rank")
    judged = judged_by({"q1": {"d1": 1, "d2": 1, "d3": 1}, "q2": {"d9": 0}}, nonrelevant=False)
    fault, result = projected(engine, [b"\n".join(lines)], judged, options)
    assert fault is None
    assert result[0][2] == [ranks]


# Tables

TABLE_ROWS = st.lists(
    st.tuples(
        st.sampled_from([*REQUESTS, *UNJUDGED]),
        st.sampled_from(ITEMS),
        st.sampled_from([0.0, -0.0, 1.0, 2.0, 1e-9, float("nan"), float("inf"), float("-inf")]) | st.floats(),
    ),
    max_size=14,
)


def table_of(rows):
    """Rows of (request, item, score) as the source that a dictionary becomes."""
    requests = sorted({request for request, _, _ in rows}, reverse=True)
    request = np.array([requests.index(request) for request, _, _ in rows], dtype=np.int32)
    scores = np.array([score for _, _, score in rows], dtype=np.float64)
    return "table", Ids.from_names(requests).column, request, Ids.from_names(item for _, item, _ in rows).column, scores


@settings(max_examples=3 * settings().max_examples)
@given(rows=TABLE_ROWS, grades=GRADES, options=OPTIONS)
def test_table_is_projected_as_the_same_lines_of_a_file(core, twin, rows, grades, options):
    options = options._replace(ties="item", audit=False)  # a table is not written in any way
    file = "".join(f"{request} 0 {item} 0 {score!r}\n" for request, item, score in rows).encode()
    judged = judged_by(grades)
    # An empty file is refused; an empty table is a run that retrieves nothing.
    expected = projected(twin, [file if rows else table_of(rows)], judged, options)
    assert projected(twin, [table_of(rows)], judged, options) == expected
    assert_alike(core, twin, [table_of(rows)], judged, options)


@given(rows=TABLE_ROWS, file=run_texts(), grades=GRADES, options=OPTIONS)
def test_tables_and_files_together_are_projected_alike(core, twin, rows, file, grades, options):
    judged = judged_by(grades)
    sources = [table_of(rows), file, table_of(rows)]
    assert_alike(core, twin, sources, judged, options)


def test_empty_id_in_a_table_is_an_id_like_any_other(core, twin):
    rows = [("", "", 1.0), ("", "a", 1.0), ("q1", "", 2.0), ("x", "", 2.0), ("", "b", 1.0)]
    judged = judged_by({"": {"": 1, "b": 1}, "q1": {"": 1}})
    outcome = projected(core, [table_of(rows)], judged, Options(top=3, pool=True))
    assert outcome[0] is None
    assert outcome == projected(twin, [table_of(rows)], judged, Options(top=3, pool=True))


# Compressed streams


def gzip_member(text, flags, fields):
    """A member whose header holds optional fields (RFC 1952)."""
    body = zlib.compressobj(wbits=-15)
    header = b"\x1f\x8b\x08" + bytes([flags]) + b"\0\0\0\0\0\xff" + fields
    if flags & 2:
        header += (zlib.crc32(header) & 0xFFFF).to_bytes(2, "little")
    trailer = zlib.crc32(text).to_bytes(4, "little") + len(text).to_bytes(4, "little")
    return header + body.compress(text) + body.flush() + trailer


@pytest.mark.parametrize(
    ("flags", "fields"),
    [(0, b""), (1, b""), (2, b""), (4, b"\3\0abc"), (8, b"name\0"), (16, b"note\0"), (30, b"\1\0aname\0note\0")],
)
def test_gzip_header_may_hold_any_field(engine, flags, fields):
    member = gzip_member(SOUND_TEXT, flags, fields)
    assert gzip.decompress(member) == SOUND_TEXT
    judged = judged_by(SOME_GRADES)
    assert projected(engine, [member], judged) == projected(engine, [SOUND_TEXT], judged)


@pytest.mark.parametrize("level", [-5, 1, 3, 19])
@pytest.mark.parametrize("checksum", [0, 1])
def test_zstd_level_and_checksum_do_not_matter(engine, twin, level, checksum):
    zstd = twin.zstd_module()
    parameter = zstd.CompressionParameter
    options = {parameter.compression_level: level, parameter.checksum_flag: checksum}
    judged = judged_by(SOME_GRADES)
    file = zstd.compress(SOUND_TEXT, options=options)
    assert projected(engine, [file], judged) == projected(engine, [SOUND_TEXT], judged)


SKIPPABLE_FRAME = b"\x5a\x2a\x4d\x18\x03\0\0\0abc"


def test_skippable_zstd_frame_is_passed_over(engine):
    judged = judged_by(SOME_GRADES)
    file = zstandard([SOUND_TEXT]) + SKIPPABLE_FRAME
    assert projected(engine, [file], judged) == projected(engine, [SOUND_TEXT], judged)


@pytest.mark.parametrize("pack", [gzipped, zstandard])
def test_compressed_stream_that_ends_early_is_refused_wherever_it_ends(core, twin, pack):
    file = pack([SOUND_TEXT])
    judged = judged_by(SOME_GRADES)
    for end in range(4, len(file)):
        fault, _ = outcome = projected(core, [file[:end]], judged)
        assert fault[0] == "compression"
        assert outcome == projected(twin, [file[:end]], judged)


# Limits on memory


@given(file=run_texts(faulty=False), grades=GRADES, options=OPTIONS, memory=st.integers(33, 600))
def test_memory_limit_is_hit_on_the_same_line(core, twin, file, grades, options, memory):
    judged = judged_by(grades)
    assert_alike(core, twin, [file], judged, options._replace(memory=memory))


RETURNING = b"q1 0 d1 1 1\nq2 0 d1 1 1\nq1 0 d2 1 1\nq1 0 d1 1 1\nq2 0 d3 1 1\nq2 0 d1 1 2\n"


@pytest.mark.parametrize("duplicates", ["first", "best", "error"])
def test_every_memory_limit_has_the_same_effect_on_a_file_whose_requests_return(core, twin, duplicates):
    judged = judged_by(SOME_GRADES)
    for memory in range(1, 250):
        assert_alike(core, twin, [RETURNING], judged, Options(duplicates=duplicates, memory=memory))
