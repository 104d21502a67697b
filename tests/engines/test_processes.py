"""The engines at work in threads and forked processes; how they report progress and how they are stopped."""

import gzip
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from engines.comparing import judged_by, projected
from tiebreak._kernels.interface import Options

GRADES = {f"q{r}": {f"d{k}": 1 + k % 2 for k in range(5)} for r in range(20)}
OPTIONS = Options(top=3, pool=True, jobs=3)


def some_files(number=3):
    line = "q{} 0 d{} 1 {}\n"
    return [
        "".join(line.format(r, k * f % 101, k % 13) for r in range(20) for k in range(100)).encode()
        for f in range(1, number + 1)
    ]


SHORT_RUN = b"q1 0 d1 1 1\n"
LONG_RUN = gzip.compress(b"".join(b"q1 0 d%d 1 %d\n" % (k, k % 13) for k in range(1000)) * 50, mtime=0) * 6000
LONG_JUDGEMENTS = gzip.compress(b"q1 0 d1 1\nq2 0 d1 1\nq1 0 d2 0\n" * 20_000, mtime=0) * 8000
"""Small files that unpack to gigabytes, of lines that repeat: they take many seconds and little memory."""
LENIENT = Options(duplicates="first")


class Halt(Exception):  # noqa: N818 - no error
    pass


# Threads and processes


def test_projecting_in_another_thread_gives_the_same(engine):
    judged, files = judged_by(GRADES), some_files()
    expected = projected(engine, files, judged, OPTIONS)
    actual = []
    thread = threading.Thread(target=lambda: actual.append(projected(engine, files, judged, OPTIONS)))
    thread.start()
    thread.join()
    assert actual == [expected]


@pytest.mark.slow
def test_projecting_in_many_threads_at_once_gives_the_same(engine):
    judged = judged_by(GRADES)
    work = [some_files(7)[k:] for k in range(6)]
    expected = [projected(engine, files, judged, OPTIONS) for files in work]
    with ThreadPoolExecutor(8) as pool:
        actual = list(pool.map(lambda files: projected(engine, files, judged, OPTIONS), work * 2))
    assert actual == expected * 2


def test_other_threads_run_while_the_core_reads(core):
    """Were the interpreter lock held, the counting thread would get its turn only between ticks."""
    counted, ticks = [0], []

    def count():
        while not ticks or ticks[-1] is not None:
            counted[0] += 1
            time.sleep(0.001)

    def tick(done, total):
        ticks.append(counted[0])
        if len(ticks) == 4:
            ticks.append(None)
            raise Halt

    thread = threading.Thread(target=count)
    thread.start()
    with pytest.raises(Halt):
        core.project([("bytes", LONG_RUN)], judged_by(GRADES), LENIENT, tick)
    thread.join()
    assert ticks[3] - ticks[0] > 30


def answer_of_a_child(work, seconds=30):
    """What `work` returns in a forked process; a child that hangs is ended."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking a process that has threads: that is tested
        child = os.fork()
    if child == 0:
        try:
            os.write(writing, pickle.dumps(work()))
        finally:
            os._exit(0)
    os.close(writing)
    try:
        ready, _, _ = select.select([reading], [], [], seconds)
        assert ready, "the child hangs"
        with open(reading, "rb", closefd=False) as answer:
            return pickle.loads(answer.read())
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


@needs_fork
def test_projecting_goes_on_after_a_fork(engine):
    judged, files = judged_by(GRADES), some_files()
    expected = projected(engine, files, judged, OPTIONS)
    assert answer_of_a_child(lambda: hash(str(projected(engine, files, judged, OPTIONS)))) == hash(str(expected))


@needs_fork
def test_projecting_goes_on_after_a_fork_while_another_thread_projects(core):
    judged, files = judged_by(GRADES), some_files()
    expected = projected(core, files, judged, OPTIONS)
    begun, enough = threading.Event(), threading.Event()

    def tick(done, total):
        begun.set()
        if enough.is_set():
            raise Halt

    def project():
        with pytest.raises(Halt):
            core.project([("bytes", LONG_RUN)], judged, LENIENT, tick)

    thread = threading.Thread(target=project)
    thread.start()
    assert begun.wait(30)
    try:
        answer = answer_of_a_child(lambda: hash(str(projected(core, files, judged, OPTIONS))))
    finally:
        enough.set()
        thread.join()
    assert answer == hash(str(expected))


# Progress


def halt_after(number, calls):
    def tick(*call):
        calls.append(call)
        if len(calls) == number:
            raise Halt

    return tick


def project_long_run(engine, tick):
    engine.project([("bytes", SHORT_RUN), ("bytes", LONG_RUN)], judged_by(GRADES), LENIENT, tick)


def read_long_judgements(engine, tick):
    engine.read_judgements(("bytes", LONG_JUDGEMENTS), tick)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("work", "size"), [(project_long_run, len(SHORT_RUN) + len(LONG_RUN)), (read_long_judgements, len(LONG_JUDGEMENTS))]
)
def test_tick_is_told_how_many_of_all_bytes_are_read(engine, work, size):
    calls = []
    with pytest.raises(Halt):
        work(engine, halt_after(4, calls))
    done = [done for done, _ in calls]
    assert len(calls) == 4
    assert all(total == size for _, total in calls)
    assert done == sorted(done) and 0 < done[-1] <= size


@pytest.mark.one_in(2)
def test_progress_ends_at_the_last_byte_even_where_a_file_is_read_twice(engine):
    others = gzip.compress(b"x1 0 d1 1 1\n" * 50_000, mtime=0) * (80 if engine.__name__ == "tiebreak._core" else 2)
    returning = gzip.compress(SHORT_RUN + b"q2 0 d1 1 1\n") + others + gzip.compress(b"q1 0 d2 1 1\n")
    calls = []
    engine.project([("bytes", returning)], judged_by(GRADES), LENIENT, lambda *call: calls.append(call))
    assert calls
    assert all(done <= total == len(returning) for done, total in calls)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("error", [Halt, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("work", [project_long_run, read_long_judgements])
def test_what_a_tick_raises_stops_the_work_and_comes_out(engine, work, error):
    raised = error("enough")

    def tick(done, total):
        raise raised

    begin = time.monotonic()
    with pytest.raises(error) as caught:
        work(engine, tick)
    assert caught.value is raised
    assert time.monotonic() - begin < 1


def test_projecting_works_after_it_was_stopped(engine):
    judged, files = judged_by(GRADES), some_files()
    expected = projected(engine, files, judged, OPTIONS)
    with pytest.raises(Halt):
        project_long_run(engine, halt_after(1, []))
    assert projected(engine, files, judged, OPTIONS) == expected


# Ctrl-C

CHILD = """
import signal, sys, time
import tiebreak

signal.signal(signal.SIGINT, signal.default_int_handler)
work, path, with_tick = sys.argv[1:]
project, read_judgements = tiebreak.project, tiebreak.read_judgements

def begun(*_):
    global begun
    print("begun", flush=True)
    begun = lambda *_: None

tick = (lambda *_: begun()) if with_tick == "True" else None
grades = {f"q{r}": {f"d{k}": 1 for k in range(5)} for r in range(20)}
try:
    if not tick:
        begun()
    if work == "project":
        project(grades, path, duplicates="first", tick=tick)
    else:
        read_judgements(path, tick=tick)
    print("finished")
except KeyboardInterrupt:
    print("interrupted", time.monotonic())
"""


@pytest.mark.slow
@pytest.mark.parametrize("with_tick", [True, False])
@pytest.mark.parametrize("work", ["project", "read_judgements"])
def test_interrupt_from_the_keyboard_ends_the_work_within_a_second(chosen, tmp_path, work, with_tick):
    path = tmp_path / "long.gz"
    path.write_bytes(LONG_RUN if work == "project" else LONG_JUDGEMENTS)
    command = [sys.executable, "-c", CHILD, work, str(path), str(with_tick)]
    environment = os.environ | {"TIEBREAK_CORE": chosen}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as child:
        try:
            assert child.stdout.readline() == "begun\n"
            time.sleep(0.3)
            sent = time.monotonic()
            child.send_signal(signal.SIGINT)
            answer, _ = child.communicate(timeout=30)
        finally:
            child.kill()
    assert answer.startswith("interrupted")
    assert float(answer.split()[1]) - sent < 1
