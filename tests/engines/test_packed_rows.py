"""Rows that are packed by request come back whole, whatever they hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak._kernels.interface import FrameColumns
from tiebreak.engines.packed_rows import PackedRows, count_rows, unpack
from tiebreak.inputs import Ids
from tiebreak.inputs.ids import code_ids

NAMES = ["", "a", "b", "ab", "é", "日本", "x" * 300]
VALUES = st.one_of(st.integers(-3, 3), st.sampled_from([300, 0.5, 0.1, 1e300, float("nan"), -0.0]))
ROWS = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 2), st.sampled_from(NAMES), VALUES))


def columns(rows):
    requests, request = code_ids(Ids.from_names(row[0] for row in rows))
    items = Ids.from_names(row[2] for row in rows)
    return FrameColumns([(requests.column, request)], items.column, np.array([row[3] for row in rows], dtype=float))


def pack(rows, partitions, before=0):
    run = np.array([row[1] for row in rows], dtype=np.int32)
    return PackedRows.pack(columns(rows), run, partitions, before)


def rows_of(unpacked):
    segment = unpacked.segment_of_row
    requests = [unpacked.requests[int(k)] for k in segment]
    return [*zip(requests, unpacked.run[segment].tolist(), unpacked.items, unpacked.values.tolist(), strict=True)]


def plain(rows):
    """NaN is not equal to itself, and -0.0 is 0.0."""
    return [(request, run, item, repr(value + 0.0)) for request, run, item, value in rows]


@given(ROWS, ROWS, st.integers(1, 9))
def test_rows_come_back_whole(rows, more, partitions):
    chunks = [pack(rows, partitions, 0), pack(more, partitions, len(rows))]
    pieces = [chunk[k] for chunk in chunks for k in range(partitions) if chunk.rows[k]]
    unpacked = unpack(pieces).in_order()
    assert plain(rows_of(unpacked)) == plain([*rows, *more])
    assert unpacked.numbers.tolist() == [*range(1, len(rows) + len(more) + 1)]
    assert sum(map(count_rows, pieces)) == len(rows) + len(more)


@given(ROWS, st.integers(1, 9))
def test_a_request_is_in_one_partition(rows, partitions):
    packed = pack(rows, partitions)
    known = [{row[0] for row in rows_of(unpack([packed[k]]))} for k in range(partitions) if packed.rows[k]]
    assert sum(map(len, known)) == len({row[0] for row in rows})


@given(ROWS)
def test_requests_in_the_order_of_ids_keep_the_order_of_their_rows(rows):
    packed = pack(rows, 1)
    pieces = [packed[0]] if rows else []
    expected = sorted(rows, key=lambda row: row[0].encode())
    assert plain(rows_of(unpack(pieces).by_request())) == plain(expected)


@given(ROWS, st.integers(0, 2))
def test_rows_of_one_run(rows, run):
    pieces = [pack(rows, 1)[0]] if rows else []
    assert plain(rows_of(unpack(pieces).take_run(run))) == plain([row for row in rows if row[1] == run])


@pytest.mark.parametrize("rows", [[], [("a", 0, "b", 1)]], ids=len)
def test_partitions_without_rows_take_no_bytes(rows):
    packed = pack(rows, 5)
    assert (np.diff(packed.begins) > 0).tolist() == (packed.rows > 0).tolist()
