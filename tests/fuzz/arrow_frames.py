"""Arrow tables of any types, chunks and encodings, some of them damaged; each made from a source of chance alone."""

import datetime
from decimal import Decimal
from functools import cache

import pyarrow as pa

ROWS = 6
REQUESTS = ["q1", "q1", "q1", "q2", "é", "x1", ""]
ITEMS = ["d1", "d2", "é", "d10", "x" * 70, "", "a\nb", "d1\0"]
SCORES = [1.5, 1.5, 0.0, -0.0, 1e-320, 1e308, 2.0**53 + 2, 3.25]
BAD_SCORES = [float("nan"), float("inf")]
DECIMALS = [Decimal("0.0999730676004752580"), Decimal("0.0999730676004752680"), Decimal(7), Decimal("-0.5")]
INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
TEXTS = [pa.string(), pa.string(), pa.large_string(), pa.string_view()]
FLOATS = [pa.float64(), pa.float64(), pa.float32(), pa.float16()]
FIXED = [pa.decimal32(9, 2), pa.decimal64(18, 3), pa.decimal128(38, 19), pa.decimal256(70, 30), pa.decimal128(9, -2)]
STRANGE = [
    (pa.bool_(), [True, False]),
    (pa.binary(), [b"d1", b"\xff"]),
    (pa.timestamp("ns"), [datetime.datetime(2020, 1, 1)]),
    (pa.timestamp("s", "UTC"), [2**55]),
    (pa.date32(), [datetime.date(2020, 1, 1)]),
    (pa.duration("us"), [datetime.timedelta(1)]),
    (pa.list_(pa.int8()), [[1], []]),
    (pa.struct({"a": pa.int8()}), [{"a": 1}]),
]


def cells(rng, few):
    return [rng.choice(few) for _ in range(rng.choice([0, 1, 3, ROWS, ROWS, ROWS]))]


def with_nulls(values, rng):
    share = rng.choice([0, 0, 0, 0, 0.2, 1])
    return [None if rng.random() < share else value for value in values]


def ids(rng, few, rows):
    if rng.random() < 0.75:
        return pa.array(with_nulls([rng.choice(few) for _ in range(rows)], rng), rng.choice(TEXTS))
    if rng.random() < 0.7:
        return pa.array(with_nulls([rng.choice([1, 2, 10, 100]) for _ in range(rows)], rng), rng.choice(INTEGERS))
    return strange(rng, rows)


def values(rng, rows):
    chance = rng.random()
    if chance < 0.45:
        few = SCORES if rng.random() < 0.7 else SCORES + BAD_SCORES
        kind = rng.choice(FLOATS)
        few = [x for x in few if kind == pa.float64() or abs(x) < 100]
        return pa.array(with_nulls([rng.choice(few) for _ in range(rows)], rng), kind)
    if chance < 0.65:
        return pa.array(with_nulls([rng.choice([0, 1, 2, 100]) for _ in range(rows)], rng), rng.choice(INTEGERS))
    if chance < 0.9:
        kind = rng.choice(FIXED)
        few = DECIMALS if kind.scale > 18 else [Decimal(100), Decimal(-500), Decimal(0)]
        return pa.array(with_nulls([rng.choice(few) for _ in range(rows)], rng), kind)
    return strange(rng, rows)


def strange(rng, rows):
    if rng.random() < 0.2:
        return pa.nulls(rows)
    kind, few = rng.choice(STRANGE)
    return pa.array(with_nulls([rng.choice(few) for _ in range(rows)], rng), kind)


def encoded(array, rng):
    """The same by a dictionary, by run ends, or as a slice of something longer."""
    chance = rng.random()
    try:
        if chance < 0.2:
            return array.dictionary_encode()
        if chance < 0.3:
            return run_ends(array, rng)
        if chance < 0.4:
            return pa.concat_arrays([array, array])[len(array) :]
    except (pa.ArrowException, TypeError):
        pass  # not every type can be encoded
    return array


def run_ends(array, rng):
    kind = rng.choice([pa.int16(), pa.int32(), pa.int64()])
    return pa.RunEndEncodedArray.from_arrays(pa.array(range(1, len(array) + 1), kind), array)


def damaged(array, rng):
    """The same with a byte of one of its buffers changed, unless that is refused by pyarrow at once."""
    buffers = array.buffers()
    places = [k for k, buffer in enumerate(buffers) if buffer is not None and buffer.size]
    if not places or pa.types.is_nested(array.type) or hasattr(array, "dictionary"):
        return array
    k = rng.choice(places)
    data = bytearray(buffers[k])
    data[rng.randrange(min(len(data), 40))] = rng.randrange(256)
    buffers[k] = pa.py_buffer(bytes(data))
    try:
        return pa.Array.from_buffers(array.type, len(array), buffers, offset=array.offset)
    except (pa.ArrowException, NotImplementedError):
        return array


def wrong_keys(array, rng):
    """A dictionary whose keys may lie beyond its words."""
    try:
        words = array.unique().drop_null() if rng.random() < 0.5 else array[:0]
    except pa.ArrowException:
        return array  # not every type has distinct values
    keys = pa.array([rng.choice([0, 0, 1, 9]) for _ in range(len(array))], pa.int32())
    return pa.DictionaryArray.from_arrays(keys, words, safe=False)


def batches(rng, is_run, may_be_damaged=False):
    """Record batches of one schema: rows of requests, items and scores or grades."""
    rows = rng.choice([0, 1, 3, ROWS, ROWS, ROWS])
    chances = [encoded] * 10 + ([damaged, damaged, wrong_keys] if may_be_damaged else [])
    columns = {
        "qid": rng.choice(chances)(ids(rng, REQUESTS, rows), rng),
        "docno": rng.choice(chances)(ids(rng, ITEMS, rows), rng),
        "score" if is_run else "grade": rng.choice(chances)(values(rng, rows), rng),
    }
    whole = pa.RecordBatch.from_pydict(columns)
    cuts = sorted(rng.randrange(rows + 1) for _ in range(rng.choice([0, 0, 1, 2])))
    bounds = zip([0, *cuts], [*cuts, rows], strict=True)
    return [whole.slice(a, b - a) for a, b in bounds]


def as_table(parts):
    return pa.Table.from_batches(parts)


def as_reader(parts):
    return pa.RecordBatchReader.from_batches(parts[0].schema, parts)


def as_polars(parts):
    return library("polars").from_arrow(as_table(parts))


def as_pandas(parts):
    if any(pa.types.is_run_end_encoded(kind) for kind in parts[0].schema.types):
        raise TypeError("pyarrow may end the process while it decodes run ends for pandas")
    return as_table(parts).to_pandas()


@cache
def library(name):
    from importlib import import_module

    return import_module(name)


def frame(parts, kind):
    """These rows as a frame of some library; as a table of Arrow where the library does not take them."""
    try:
        return kind(parts)
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException:  # polars panics where it does not know a type
        return (as_reader if kind is as_reader else as_table)(parts)
