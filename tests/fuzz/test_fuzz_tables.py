"""Whatever a table holds - csv, JSON lines, parquet or a frame - reading it ends alike with both engines.

Inputs are made from their number alone, as those of `test_fuzz_python`; ``TIEBREAK_FUZZ`` says how many are tried.
"""

import json
import os
import random
import time
import warnings
from unittest import mock

import pytest

import tiebreak as tb
from engines.comparing import plain
from engines.strategies import gzipped, zstandard
from fuzz.mutations import OF_BYTES, changed, lines_changed
from tiebreak._kernels.interface import MEMORY
from tiebreak.errors import InputError, TiebreakError, TiebreakWarning

pytestmark = pytest.mark.slow  # searches and drawings of many cases

arrow_frames = pytest.importorskip("fuzz.arrow_frames")
pa, parquet = arrow_frames.pa, pytest.importorskip("pyarrow.parquet")

INPUTS = int(os.environ.get("TIEBREAK_FUZZ", "400"))
FIRST = int(os.environ.get("TIEBREAK_FUZZ_FIRST", "0"))
GRADES = {"q1": {"d1": 1, "d2": 0, "é": 2}, "q2": {"d1": 1, "d10": -1}, "é": {"x" * 70: 1}}
ROW_COST = 32

ROWS = [("q1", "d1", 3.5), ("q1", "d2", 3.5), ("q1", "é", 0.01), ("x1", "d1", 2), ("q2", "d1", 1), ("é", "d3", 0.5)]
CELLS = [
    "q1",
    "q2",
    "d1",
    "d2",
    "é",
    "",
    '"',
    '"d1"',
    '"a',
    "1",
    "-1.5",
    "1e5",
    "1e999",
    "nan",
    "inf",
    "1_0",
    " 1",
    "\u0661",
]
CELLS += ["x" * 70, "0" * 400, "null", "true", "[1]", "{}", '"\\ud800"', "1.0", "7"]
WORDS = [cell.encode() for cell in CELLS]
TEXT_LINES = [b"", b"q1,d1,1", b"a,b", b"\xff", b'{"qid": "q1", "docno": "d1", "score": 1}', b"[1]", b"x" * 70_000]
UNCHECKED = [arrow_frames.as_table, arrow_frames.as_reader]
"""Kinds of frames that may be damaged; the others crash by themselves, or were checked by whoever made them."""
LIBRARIES = [arrow_frames.as_table, arrow_frames.as_reader, arrow_frames.as_polars, arrow_frames.as_pandas]


def separated(mark, names):
    return "".join(mark.join(map(str, row)) + "\n" for row in [names, *ROWS]).encode()


def objects(names):
    return "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in ROWS).encode()


TEXTS = {
    ".csv": (b",", lambda names: separated(",", names)),
    ".tsv": (b"\t", lambda names: separated("\t", names)),
    ".jsonl": (b", ", objects),
    ".ndjson": (b": ", objects),
}


def text_file(rng, is_run):
    """The ending of a file, its bytes, and whether it is torn: damage inside a stream may be found sooner or later."""
    ending = rng.choice([*TEXTS])
    mark, result = TEXTS[ending]

    def change_cell(text, rng):
        cells = text.split(mark)
        cells[rng.randrange(len(cells))] = rng.choice(WORDS)
        return mark.join(cells)

    mutations = OF_BYTES + [change_cell, lambda text, rng: lines_changed(text, rng, TEXT_LINES)] * 4
    text = changed(result(("qid", "docno", "score" if is_run else "grade")), rng, mutations)
    packing = rng.randrange(8)
    if packing > 1:
        return ending, text, False
    cut = rng.randrange(len(text) + 1)
    file = (gzipped, zstandard)[packing]([text[:cut], text[cut:]])
    if rng.random() < 0.5:
        return ending + (".gz", ".zst")[packing], file, False
    return ending + (".gz", ".zst")[packing], changed(file, rng, OF_BYTES), True


def parquet_file(rng, is_run):
    """The bytes of a parquet file, and whether some of them were changed."""
    table = arrow_frames.as_table(arrow_frames.batches(rng, is_run))
    sink = pa.BufferOutputStream()
    try:
        parquet.write_table(
            table,
            sink,
            compression=rng.choice(["none", "snappy", "gzip", "zstd"]),
            use_dictionary=rng.random() < 0.5,
            row_group_size=rng.choice([1, 2, 100]),
            data_page_version=rng.choice(["1.0", "2.0"]),
            write_statistics=rng.random() < 0.5,
        )
    except (pa.ArrowException, OSError):
        sink = pa.BufferOutputStream()
        parquet.write_table(pa.table({"qid": ["q1"], "docno": ["d1"], "score" if is_run else "grade": [1.0]}), sink)
    file = sink.getvalue().to_pybytes()
    if rng.random() < 0.4:
        return ".parquet", file, False
    return ".parquet", changed(file, rng, OF_BYTES), True


def source_of(number, folder):
    """What is read, whether it is a run, whether it is torn, and how much memory it may take."""
    rng = random.Random(number)
    is_run = rng.random() < 0.6
    memory = rng.choice([MEMORY, MEMORY, 50, 100, 200, 1000])
    chance = rng.random()
    if chance < 0.4:
        kind = rng.choice(LIBRARIES)
        parts = arrow_frames.batches(rng, is_run, may_be_damaged=kind in UNCHECKED)
        return arrow_frames.frame(parts, kind), is_run, False, memory
    ending, file, is_torn = (text_file if chance < 0.75 else parquet_file)(rng, is_run)
    path = folder / f"a file{ending}"
    path.write_bytes(file)
    return path, is_run, is_torn, memory


def outcome(source, is_run, memory):
    """What reading gives: positions, or the kind and the words of the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TiebreakWarning)
        try:
            if not is_run:
                judgements = tb.read_judgements(source, memory=memory)
                return [judgements.to_dict(), len(judgements)]
            positions = tb.project(GRADES, [source], memory=memory)
        except TiebreakError as error:
            return [type(error).__name__, getattr(error, "kind", ""), getattr(error, "line", None), str(error)]
    audit = positions.audits[0]
    counts = [audit.lines, *((odd.kind, odd.count, odd.first_line) for odd in audit.oddities)]
    return [counts, *plain((positions.ranks, positions.listed, positions.retrieved, positions.tied)), audit.scores]


def is_refusal(result):
    return isinstance(result[0], str)


def check(number, folder):
    """Read one input with both engines; whether it was sound."""
    results = []
    for engine in ("rust", "python"):
        source, is_run, is_torn, memory = source_of(number, folder)
        with mock.patch.dict(os.environ, TIEBREAK_CORE=engine):
            try:
                results.append(outcome(source, is_run, memory))
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # a panic is no Exception
                raise AssertionError(f"input {number}, {engine}: {error!r}") from error
    one, other = results
    # Damage may be found sooner or later than another fault, and what a library says of it is its own.
    is_damaged = is_torn or "damaged" in (one[1], other[1])
    if is_refusal(one) and is_refusal(other) and is_damaged:
        return False
    assert one == other, f"input {number}"
    check_words(number, one, source, is_run)
    if isinstance(source, os.PathLike) and not is_refusal(one):
        rows = one[0][0] if is_run else one[1]
        assert rows * ROW_COST <= memory, f"input {number}"
    return not is_refusal(one)


def check_words(number, result, source, is_run):
    """Every error of ours is one line that begins with the input."""
    if not is_refusal(result) or len(result) < 4:
        return
    label = str(source) if isinstance(source, os.PathLike) else ('run "run1"' if is_run else "the judgements")
    kind, message = result[1], result[3]
    named = message.startswith((label, 'run "', "no request")) or kind in ("disjoint", "empty")
    assert named and message.isprintable() and kind != "panic", f"input {number}: {message!r}"


def test_engines_agree_on_any_table(core, tmp_path):
    numbers = range(FIRST, FIRST + INPUTS)
    begin = time.perf_counter()
    sound = sum(check(number, tmp_path) for number in numbers)
    rate = len(numbers) / (time.perf_counter() - begin)
    print(f"\ntables: {len(numbers):,} inputs, {sound / len(numbers):.0%} sound, {rate:,.0f} a second")
    assert 0.1 < sound / len(numbers) < 0.9


def test_tables_are_made_from_their_number_alone(tmp_path):
    def seen(number):
        source, *rest = source_of(number, tmp_path)
        return source.read_bytes() if isinstance(source, os.PathLike) else str(type(source)), rest

    assert [seen(number) for number in range(50)] == [seen(number) for number in range(50)]


def test_error_of_a_torn_file_names_it(tmp_path):
    path = tmp_path / "r.csv.gz"
    path.write_bytes(gzipped([b"qid,docno,score\nq1,d1,1\n"])[:-5])
    with pytest.raises(InputError, match=r"r\.csv\.gz: cannot be read"):
        tb.project(GRADES, path)
