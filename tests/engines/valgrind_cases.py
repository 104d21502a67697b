"""Everything that crosses memory between Python, Arrow and the core, once; run by `test_valgrind` under valgrind."""

import random
from contextlib import suppress
from decimal import Decimal

import numpy as np
import pyarrow as pa

from engines.arrow_streams import Frame
from engines.test_arrow import DAMAGES
from fuzz import arrow_frames
from tiebreak import _core
from tiebreak._kernels.interface import Judged, Options

ROWS = 2000


def check_frames():
    """Types, encodings, chunks and slices that are sound, some of them refused for what they hold."""
    texts = [f"é{k}" * (k % 9) for k in range(ROWS)]
    integers = [pa.array(range(ROWS), kind) for kind in (pa.int64(), pa.uint16())]
    ids = [pa.array(texts, kind) for kind in (pa.string(), pa.large_string(), pa.string_view())]
    ids = [column[17:-9] for column in (*ids, ids[0].dictionary_encode(), *integers)]
    values = [pa.array(np.arange(ROWS, dtype=kind)) for kind in ("f8", "f4", "f2", "i4")]
    values += [pa.array([Decimal(k) for k in range(ROWS)], kind) for kind in arrow_frames.FIXED[:4]]
    values = [column[3:-23] for column in (*values, arrow_frames.run_ends(values[0], random.Random(1)))]
    for k, value in enumerate(values):
        for j, id_ in enumerate(ids):
            table = pa.table({"q": id_, "d": ids[(j + k) % len(ids)], "s": value})
            fault, columns = _core.read_frame(table[k:], ["q"], "d", "s", None)
            assert fault is None and len(columns[2]) == table.num_rows - k
            columns[2][:] = 0.0
    for damage in DAMAGES.values():
        frame = Frame({"q": ["q1", "q2", "q2"], "d": ["d1", "é", "d3"], "s": [1.0, 2.0, 3.0]})
        damage(frame)
        fault, _ = _core.read_frame(frame, ["q"], "d", "s", None)
        assert fault[0] == "damaged"
    for number in range(150):
        rng = random.Random(number)
        table = arrow_frames.as_table(arrow_frames.batches(rng, True))
        _core.read_frame(table, [table.column_names[0]], table.column_names[1], table.column_names[2], None)


def check_kernels():
    """Arrays in and out, faults, reading ahead, what is refused."""
    empty = np.zeros(0, dtype=np.int32)
    requests, items = (b"q1", np.array([0, 2])), (b"d1d2", np.array([0, 2, 4]))
    codes = np.array([0, 1], dtype=np.int32)
    judged = Judged(requests, items, np.array([0, 2]), codes, codes, 2)
    run = ("bytes", b"q1 0 d1 1 2 t\nq1 0 d2 2 1 t\n")
    table = ("table", requests, np.zeros(2, dtype=np.int32), items, np.array([1.0, 2.0]))
    for sources in ([run], [table], [run, table] * 20, [], [("bytes", b"q1 0\n")]):
        for options in (Options(), Options(top=2, pool=True, audit=True, jobs=2)):
            _core.project(sources, judged, options, None)
    _core.read_judgements(("bytes", b"q1 0 d1 1\nq1 0 d2 0\n"), None)
    for kind, dtype in (("values", np.int64), ("ranks", np.int32), ("preferences", np.int32)):
        rows = np.arange(16, dtype=dtype)
        assert len(_core.largest_differences(kind, rows, 4, (1, 0, 100), 2, None)) == 100
    p = np.arange(12, dtype=np.int32)
    assert _core.sum_pair_signs(p, (3, 2, 2), np.array([0, 1]), np.array([2, 2])).tolist() == [[2, 2], [2, 2]]
    for rows in (empty, np.zeros((4, 4)), None):
        with suppress(TypeError):
            _core.largest_differences("ranks", rows, 4, (1, 0, 1), 1, None)


def check_broken_streams():
    """Capsules that are not what they should be, and streams that fail, end early or were read before."""

    class Twice:
        def __init__(self, table):
            self.capsule = table.__arrow_c_stream__()

        def __arrow_c_stream__(self, requested_schema=None):
            return self.capsule

    def fail():
        yield batch
        raise OSError("gone")

    batch = pa.record_batch({"q": ["q1"], "d": ["d1"], "s": [1.0]})
    again = Twice(pa.table(batch))
    _core.read_frame(again, ["q"], "d", "s", None)
    failing = pa.RecordBatchReader.from_batches(batch.schema, fail())
    unread = Twice(pa.table(batch))
    for frame in (again, failing, Twice.__new__(Twice), unread.capsule, pa.table({"q": ["q1"]})):
        try:
            _core.read_frame(frame, ["q"], "d", "s", None)
        except (ValueError, AttributeError, TypeError):
            continue
        raise AssertionError(frame)


check_frames()
check_kernels()
check_broken_streams()
print("all cases ended")
