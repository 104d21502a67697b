"""Arrow data through the C data interface: sliced, nested and empty arrays are read, malformed ones are refused."""

import ctypes
from decimal import Decimal

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")

from engines.arrow_streams import Frame, Schema  # noqa: E402 - needs pyarrow
from engines.comparing import plain  # noqa: E402

COLUMNS = {"q": ["q1", "q2", "q2"], "d": ["d1", "é", "d3"], "s": [1.0, 2.0, 3.0]}
TEXTS = ["a", "", "é" * 20, None, "b" * 13, "b" * 12, "c"]


def read(core, frame, values="s"):
    return core.read_frame(frame, ["q"], "d", values, None)


def kind_of_fault(core, frame):
    fault, _ = read(core, frame)
    return fault and fault[0]


# What is read


def encodings(array):
    words = array.dictionary_encode()
    yield from (array, words, pa.RunEndEncodedArray.from_arrays(range(1, len(array) + 1), array))
    yield pa.DictionaryArray.from_arrays(pa.array(range(len(array)), pa.uint8()), words)
    yield pa.RunEndEncodedArray.from_arrays(pa.array(range(1, len(array) + 1), pa.int16()), words)


@pytest.mark.parametrize("text", [pa.string(), pa.large_string(), pa.string_view()])
@pytest.mark.parametrize("first", [0, 1, 4])
def test_slices_of_every_encoding_hold_the_same_ids(core, text, first):
    texts = [cell for cell in TEXTS if cell is not None]
    for ids in encodings(pa.array(texts, pa.string())):
        if not pa.types.is_run_end_encoded(ids.type) and not pa.types.is_dictionary(ids.type):
            ids = ids.cast(text)
        frame = Frame({"q": ids[first:], "d": ids[first:], "s": np.arange(len(texts), dtype=float)[first:]})
        fault, (((names, _),), items, values) = read(core, frame)
        assert fault is None
        assert items[0].decode() == "".join(texts[first:]) == names[0].decode()
        assert values.tolist() == list(map(float, range(first, len(texts))))


@pytest.mark.parametrize(
    "kind", [pa.int8(), pa.uint64(), pa.float16(), pa.float32(), pa.decimal32(5, 2), pa.decimal256(60, 20)]
)
def test_slices_of_every_encoding_hold_the_same_numbers(core, kind):
    numbers = [1, None, 3, 3, None, 7]
    as_kind = Decimal if pa.types.is_decimal(kind) else np.float16 if kind == pa.float16() else int
    array = pa.array([None if number is None else as_kind(number) for number in numbers], kind)
    ids = pa.array(["a"] * len(numbers))
    try:
        every = list(encodings(array))
    except pa.ArrowException:
        every = [array]
    for values in every:
        _, (_, _, floats) = read(core, Frame({"q": ids[1:], "d": ids[1:], "s": values[1:]}))
        assert plain(floats) == plain(np.array([np.nan if x is None else float(x) for x in numbers[1:]]))


def test_floats_of_16_bits_are_read_as_numpy_does(core):
    half = np.arange(2**16, dtype=np.uint16).view(np.float16)
    ids = pa.array(["a"] * len(half))
    _, (_, _, floats) = read(core, Frame({"q": ids, "d": ids, "s": pa.array(half)}))
    assert np.array_equal(floats, half.astype(np.float64), equal_nan=True)
    assert np.array_equal(np.signbit(floats), np.signbit(half))


@pytest.mark.parametrize("number", ["0", "-1", "1e50", "-98765432109876543210987654321098765432109876543210", "1e-20"])
def test_decimals_of_256_bits_are_rounded_once(core, number):
    values = pa.array([Decimal(number)], pa.decimal256(76, 25))
    _, (_, _, floats) = read(core, Frame({"q": ["a"], "d": ["a"], "s": values}))
    assert floats.tolist() == [float(number)]


def test_batch_with_an_offset_of_its_own_is_read_from_there(core):
    frame = Frame(COLUMNS)
    frame.array.offset, frame.array.length = 1, 2
    _, (_, items, values) = read(core, frame)
    assert items[0].decode() == "éd3" and values.tolist() == [2.0, 3.0]


def test_empty_batch_needs_no_buffers(core):
    frame = Frame({name: cells[:0] for name, cells in COLUMNS.items()} | {"s": np.zeros(0)})
    for k in range(3):
        frame.column(k).n_buffers = 0
    fault, (_, items, values) = read(core, frame)
    assert fault is None and items[0] == b"" and len(values) == 0


def test_numbers_that_are_not_aligned_are_read(core):
    raw = pa.py_buffer(b"\0" + np.array([1.5, 2.5, 3.5]).tobytes()).slice(1)
    values = pa.Array.from_buffers(pa.float64(), 3, [None, raw])
    _, (_, _, floats) = read(core, Frame(COLUMNS | {"s": values}))
    assert floats.tolist() == [1.5, 2.5, 3.5]


def test_stream_is_released_once_whatever_happens(core):
    for name in ("s", "nowhere"):
        frame = Frame(COLUMNS)
        if name == "nowhere":
            with pytest.raises(ValueError, match="no column"):
                read(core, frame, name)
        else:
            read(core, frame, name)
        assert frame.releases == 1
        with pytest.raises(ValueError, match="read before"):
            read(core, frame, name)
        assert frame.releases == 1


# What is refused


def set_field(name, value, k=None):
    def damage(frame):
        setattr(frame.array if k is None else frame.column(k), name, value)

    return damage


def set_buffer(k, buffer, address):
    def damage(frame):
        frame.column(k).buffers[buffer] = address

    return damage


def set_offset(place, value):
    def damage(frame):
        ctypes.cast(frame.column(1).buffers[1], ctypes.POINTER(ctypes.c_int32))[place] = value

    return damage


DAMAGES = {
    "a batch of negative length": set_field("length", -1),
    "a batch with a negative offset": set_field("offset", -1),
    "a batch longer than its columns": set_field("length", 2**40),
    "a batch behind its columns": set_field("offset", 2**62),
    "a batch with nulls": set_field("null_count", 1),
    "a batch without children": set_field("n_children", 0),
    "a column of negative length": set_field("length", -3, 1),
    "a column that is too short": set_field("length", 2, 2),
    "a column with a negative offset": set_field("offset", -1, 0),
    "an offset that overflows": set_field("offset", 2**63 - 1, 2),
    "nulls without bits": set_field("null_count", 1, 2),
    "text without buffers": set_field("n_buffers", 0, 1),
    "text without data": set_field("n_buffers", 2, 1),
    "text whose data are null": set_buffer(1, 2, None),
    "text whose offsets are null": set_buffer(1, 1, None),
    "numbers that are null": set_buffer(2, 1, None),
    "a negative number of buffers": set_field("n_buffers", -1, 2),
    "an offset that falls": set_offset(1, 5),
    "a negative first offset": set_offset(0, -1),
    "a negative last offset": set_offset(3, -5),
    "an offset inside a letter": set_offset(2, 3),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_malformed_array_is_damaged(core, damage):
    frame = Frame(COLUMNS)
    damage(frame)
    assert kind_of_fault(core, frame) == "damaged"
    assert frame.releases == 1


def test_wrong_number_of_nulls_is_damaged(core):
    frame = Frame(COLUMNS | {"s": [1.0, None, 2.0]})
    frame.column(2).null_count = 2
    assert kind_of_fault(core, frame) == "damaged"


@pytest.mark.parametrize("key", [-1, 2, 127])
def test_key_beyond_the_dictionary_is_damaged(core, key):
    keys = pa.array([0, 1, key], pa.int8())
    ids = pa.DictionaryArray.from_arrays(keys, ["a", "b"], safe=False)
    assert kind_of_fault(core, Frame(COLUMNS | {"d": ids})) == "damaged"


def test_null_key_of_an_empty_dictionary_is_no_number(core):
    values = pa.DictionaryArray.from_arrays(pa.array([None] * 3, pa.int8()), pa.array([], pa.float64()))
    _, (_, _, floats) = read(core, Frame(COLUMNS | {"s": values}))
    assert np.isnan(floats).all()


def test_dictionary_without_words_is_damaged(core):
    frame = Frame(COLUMNS | {"d": pa.array(["a", "b", "a"]).dictionary_encode()})
    frame.column(1).dictionary = None
    assert kind_of_fault(core, frame) == "damaged"


@pytest.mark.parametrize("ends", [[1, 1, 3], [2, 1, 3], [0, 1, 3], [-1, 2, 3], [1, 2, 2]])
def test_run_ends_that_do_not_rise_to_the_last_row_are_damaged(core, ends):
    values = pa.RunEndEncodedArray.from_arrays(pa.array([1, 2, 3], pa.int32()), pa.array([1.0, 2.0, 3.0]))
    frame = Frame(COLUMNS | {"s": values})
    run_ends = frame.column(2).children[0].contents
    for k, end in enumerate(ends):
        ctypes.cast(run_ends.buffers[1], ctypes.POINTER(ctypes.c_int32))[k] = end
    assert kind_of_fault(core, frame) == "damaged"


@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_view_that_points_outside_its_buffers_is_damaged(core, place):
    frame = Frame(COLUMNS | {"d": pa.array(["a" * 20, "b" * 20, "c"], pa.string_view())})
    views = ctypes.cast(frame.column(1).buffers[1], ctypes.POINTER(ctypes.c_int32))
    views[place] = -1 if place == 0 else 1000
    assert kind_of_fault(core, frame) == "damaged"


def test_decimal_with_more_digits_than_its_type_is_damaged(core):
    frame = Frame(COLUMNS | {"s": pa.array([Decimal(1)] * 3, pa.decimal128(5, 2))})
    ctypes.cast(frame.column(2).buffers[1], ctypes.POINTER(ctypes.c_int64))[0] = 100_000
    assert kind_of_fault(core, frame) == "damaged"


@pytest.mark.parametrize("name", [b"", b"?", b"d:x,1", b"d:3,1,512", b"+r", b"\xff", b"vx", b"+", b"t"])
def test_type_that_is_not_known_is_left_to_its_library(core, name):
    frame = Frame(COLUMNS)
    frame.kind(2).format = name
    with pytest.raises(ValueError, match="Arrow type"):
        read(core, frame)


def test_column_that_is_not_read_may_be_of_any_type(core):
    frame = Frame(COLUMNS | {"x": [1, 2, 3]})
    frame.kind(3).format = b"?"
    assert kind_of_fault(core, frame) is None


def test_error_of_the_producer_is_raised(core):
    frame = Frame(COLUMNS)
    frame.error = 5
    with pytest.raises(ValueError, match="the producer failed"):
        read(core, frame)
    assert frame.releases == 1


def test_schema_that_names_itself_as_its_dictionary_is_refused(core):
    frame = Frame(COLUMNS | {"d": pa.array(["a", "b", "a"]).dictionary_encode()})
    words = Schema(format=b"i")
    words.dictionary = frame.kind(1).dictionary = ctypes.pointer(words)
    with pytest.raises(ValueError, match="too many"):
        read(core, frame)
