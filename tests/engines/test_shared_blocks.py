"""Threads and forked processes that share an experiment in blocks."""

import copy
import gc
import gzip
import multiprocessing
import os
import pickle
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

import tiebreak as tb
from engines.test_partitions import make_rows, store
from engines.test_processes import answer_of_a_child, needs_fork
from engines.test_text_blocks import files, shuffle
from tiebreak._base.locks import PrivateLock
from tiebreak.engines import scratch_file, spool, text_blocks
from tiebreak.engines.local_tables import LocalTables
from tiebreak.engines.scratch_file import ScratchFile
from tiebreak.inputs import streams

MEASURES = ("AP", "RR", "nDCG@5", "P@5")
pytestmark = pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")


@pytest.fixture
def tables(tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "BATCH", 70)
    monkeypatch.setattr(spool, "PARTITIONS", 24)
    pytest.importorskip("pyarrow.parquet")
    return store(tmp_path, *make_rows())


def means(exp, measure):
    return exp.evaluate(measure).mean.tolist()


@pytest.fixture
def texts(tmp_path, monkeypatch):
    """Lines in no order, plain and compressed."""
    monkeypatch.setattr(text_blocks, "MOST_SEGMENTS", 3)
    judged, (first, *others) = files(tmp_path, shuffle)
    first.write_bytes(gzip.compress(first.read_bytes()))
    return judged, [first, *others]


@pytest.fixture(params=["tables", "texts"])
def several(request):
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("is_read", [False, True])
def test_threads_share_a_divided_experiment(several, is_read):
    expected = [means(tb.Experiment(*several), measure) for measure in MEASURES]
    exp = tb.Experiment(*several, block_requests=1)
    if is_read:
        exp.evaluate("AP")
    with ThreadPoolExecutor(4) as pool:
        for _ in range(10):
            assert [*pool.map(means, [exp] * 4, MEASURES)] == expected


@needs_fork
def test_forked_processes_share_a_divided_experiment(several):
    exp = tb.Experiment(*several, block_requests=1)
    expected = [means(exp, measure) for measure in MEASURES]
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()

    def work():
        try:
            answers.put([[means(exp, measure) for measure in MEASURES] == expected for _ in range(10)])
        except Exception as error:
            answers.put(repr(error))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking a process that has threads
        children = [context.Process(target=work) for _ in range(3)]
        for child in children:
            child.start()
    assert [answers.get() for _ in children] == [[True] * 10] * 3
    for child in children:
        child.join()


@needs_fork
def test_forked_process_leaves_the_positions_of_its_parent_alone(tables):
    exp = tb.Experiment(*tables, block_requests=5)
    expected = means(exp, "AP")
    kept = exp._elsewhere.blocks(None, None).positions._kept
    size = os.fstat(kept.file._file.fileno()).st_size
    kept.places.clear()
    assert answer_of_a_child(lambda: means(exp, "AP")) == expected
    assert os.fstat(kept.file._file.fileno()).st_size == size > 0
    assert means(exp, "AP") == expected


def test_tables_are_divided_once_for_all_threads(tables, monkeypatch):
    divide, calls, both = LocalTables._divide, [], threading.Barrier(2)

    def slow_divide(*arguments):
        calls.append(1)
        threading.Event().wait(0.05)
        return divide(*arguments)

    monkeypatch.setattr(LocalTables, "_divide", slow_divide)
    exp = tb.Experiment(*tables, block_requests=5)

    def work(_):
        both.wait()
        return means(exp, "AP")

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(work, range(2))
    assert first == second and len(calls) == 1


def test_files_are_unpacked_once_for_all_threads(texts, monkeypatch):
    unpack, calls = text_blocks.unpack, []
    monkeypatch.setattr(text_blocks, "unpack", lambda *arguments: calls.append(1) or unpack(*arguments))
    exp = tb.Experiment(*texts, block_requests=5)
    exp.read()
    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(means, [exp] * 4, ["AP"] * 4)
    assert others == [first] * 3 and len(calls) == 1


def test_copy_of_a_divided_experiment_outlives_it(tables):
    exp = tb.Experiment(*tables, block_requests=5)
    expected = [means(exp, measure) for measure in MEASURES]
    other = copy.deepcopy(exp)
    del exp
    gc.collect()
    assert [means(other, measure) for measure in MEASURES] == expected


@pytest.mark.parametrize("has_pread", [True, False])
def test_readers_of_a_file_have_places_of_their_own(monkeypatch, has_pread):
    if not has_pread:
        monkeypatch.delattr(os, "pread", raising=False)
    monkeypatch.setattr(scratch_file, "MOST_AT_ONCE", 1000)
    file, data = ScratchFile(), bytes(range(256)) * 100
    assert [file.write(data), file.write(memoryview(data))] == [0, len(data)]
    with file.open() as first, file.open(len(data)) as second:
        assert first.read(300) == second.read(300) == data[:300]
        assert second.seek(-7, os.SEEK_END) == file.size - 7
        assert second.read() == data[-7:]
        assert first.read() == (data + data)[300:]


def enter_in_a_thread(lock):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lock.__enter__).result(10)


@needs_fork
def test_forked_process_finds_a_lock_open():
    lock = PrivateLock()
    with lock:
        assert answer_of_a_child(lambda: enter_in_a_thread(lock)) is None


def test_copy_of_a_lock_is_open():
    lock = PrivateLock()
    with lock:
        assert enter_in_a_thread(pickle.loads(pickle.dumps(lock))) is None
