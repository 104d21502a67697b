"""The limits on input hold for every kind of input: length of lines, memory, and what is copied of a stream."""

import gzip
import io
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

import pytest

import tiebreak as tb
from tiebreak import InputError, _kernels
from tiebreak._kernels.interface import MEMORY, Fault
from tiebreak.inputs import sources

QRELS = {"q": {"d1": 1}}
ID = "x" * 70_000


def refused(path, kind, **options):
    with pytest.raises(InputError) as refusal:
        tb.project(QRELS, path, **options)
    assert refusal.value.kind == kind and str(path) in str(refusal.value), str(refusal.value)
    return refusal.value


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("r.csv", f"qid,docno,score\nq,d1,1\nq,{ID},1\n", 3),
        ("r.csv", f"qid,docno,{ID}\nq,d1,1\n", 1),
        ("r.csv", "qid,docno,score\n" + "q," + "é" * 33_000 + ",1\n", 2),
        ("r.csv", 'qid,docno,score\nq,"' + "a\n" * 70_000 + '",1\n', None),
        ("r.csv", "qid,docno,score\n" + '"\n",' * 70_000, None),
        ("r.tsv", f"qid\tdocno\tscore\nq\t{ID}\t1\n", 2),
        ("r.jsonl", json.dumps({"qid": "q", "docno": ID, "score": 1}) + "\n", 1),
        ("r.ndjson", '{"qid": "q"' + " " * 70_000 + "}\n", 1),
    ],
)
def test_line_of_a_table_is_of_bounded_length(tmp_path, name, text, line, packed):
    path = tmp_path / (name + packed)
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    error = refused(path, "long_line")
    assert "longer than 65,536 bytes" in str(error)
    assert line is None or error.line == line


def rows(count):
    return [("q", f"d{k}", count - k) for k in range(count)]


def table(path, count):
    """A run of so many rows, of the kind that the path says."""
    names = ("qid", "docno", "score")
    if path.suffix == ".csv":
        path.write_text("".join(",".join(map(str, row)) + "\n" for row in [names, *rows(count)]))
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows(count)))
    elif path.suffix == ".parquet":
        pytest.importorskip("polars").DataFrame(rows(count), schema=list(names), orient="row").write_parquet(path)
    else:
        path.write_text("".join(f"{q} 0 {d} 1 {s}\n" for q, d, s in rows(count)))
    return path


@pytest.mark.parametrize("name", ["r.run", "r.csv", "r.jsonl", "r.parquet"])
def test_memory_limits_every_file(tmp_path, name, engine):
    path = table(tmp_path / name, 100)
    assert tb.project(QRELS, path, memory=100 * (32 + 4)).listed.tolist() == [[100]]
    assert "memory=3,000 bytes" in str(refused(path, "memory", memory=3_000))
    assert "memory=3,300 bytes" in str(refused(path, "memory", memory=3_300))
    if name != "r.run":  # which is read later
        with pytest.raises(InputError, match="memory=3,300 bytes"):
            tb.Run(path, memory=3_300)


def test_memory_limits_judgements(tmp_path, engine):
    (tmp_path / "qrels.txt").write_text("".join(f"q 0 d{k} 1\n" for k in range(10)) * 2)
    assert len(tb.read_judgements(tmp_path / "qrels.txt", memory=10 * 34)) == 10
    with pytest.raises(InputError, match=r'qrels.txt:10: .* item "d9" of request "q" takes more than memory=339 bytes'):
        tb.read_judgements(tmp_path / "qrels.txt", memory=339)
    with pytest.raises(InputError, match="memory=339 bytes"):
        tb.project(tmp_path / "qrels.txt", {"q": {"d1": 1.0}}, memory=339)


def test_memory_of_a_frame_is_counted_row_by_row(core, twin):
    frame = pytest.importorskip("polars").DataFrame(rows(100), schema=["qid", "docno", "score"], orient="row")
    if not hasattr(frame, "__arrow_c_stream__"):
        pytest.skip("this version of polars gives no stream of Arrow")
    for engine in (core, twin):
        fault, _ = engine.read_frame(frame, ["qid"], "docno", "score", 10 * 34 + 1)
        assert (Fault(*fault).kind, Fault(*fault).line) == ("memory", 11)


# Not by getrusage: that of a child begins with what its parent holds.
PEAK = r"""
import re, sys
from tiebreak import InputError, project

def peak():
    return int(re.search(r"VmHWM:\s+(\d+) kB", open("/proc/self/status").read())[1])

before = peak()
try:
    project({"q": {"d1": 1}}, sys.argv[1], memory=1_000_000)
except InputError as error:
    print(error.kind, peak() - before)
"""


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("name", "header", "line"),
    [
        ("r.csv.gz", b"qid,docno,score\n", b"q,d1,1\n"),
        ("r.csv.gz", b"qid,docno,score\n", b"q," + b"d" * 60_000 + b",1\n"),
        ("r.jsonl.gz", b"", b'{"qid": "q", "docno": "d1", "score": 1}\n'),
        ("r.csv.gz", b"", b"a"),
    ],
    ids=["rows", "long ids", "objects", "an endless line"],
)
def test_little_that_unpacks_to_much_takes_little_memory(tmp_path, name, header, line):
    path = tmp_path / name
    block = gzip.compress(line * (20_000_000 // len(line)))
    path.write_bytes(gzip.compress(header) + block * 25)  # 500 MB
    done = subprocess.run([sys.executable, "-c", PEAK, path], capture_output=True, text=True, check=True)
    kind, kilobytes = done.stdout.split()
    assert kind in ("memory", "long_line") and int(kilobytes) < 100_000


def test_parquet_of_many_rows_is_refused_before_they_are_unpacked(tmp_path):
    polars = pytest.importorskip("polars")
    path = tmp_path / "r.parquet"
    columns = [polars.lit("q").alias("qid"), polars.lit("d").alias("docno"), polars.lit(1.0).alias("score")]
    frame = polars.select(polars.repeat(0, 2_000_000).alias("k")).select(*columns, "k")
    frame.write_parquet(path)
    assert path.stat().st_size < 100_000
    assert refused(path, "memory", memory=MEMORY // 100)


# What can be read only once is copied, within the same limit


class Endless(io.RawIOBase):
    """A stream that repeats itself; it notes how much was read."""

    def __init__(self, block):
        self.block, self.read_so_far = block, 0

    def readable(self):
        return True

    def read(self, size=-1):
        self.read_so_far += size
        return (self.block * (size // len(self.block) + 1))[:size]


def copies():
    return {name for name in os.listdir(tempfile.gettempdir()) if name.startswith("tiebreak-")}


def test_stream_beyond_memory_is_refused_and_its_copy_removed():
    before, stream = copies(), Endless(b"q 0 d 1 1\n")
    with pytest.raises(InputError, match="pipe: more than memory=5,000,000 bytes") as refusal:
        sources.spool(stream, 5_000_000, "pipe")
    assert refusal.value.kind == "memory" and stream.read_so_far < 10_000_000
    assert copies() == before


@pytest.mark.parametrize(("block", "kind"), [(b"\0", "control"), (b"a", "long_line"), (b"a 0\n\0", "columns")])
def test_stream_that_is_no_text_is_not_copied_to_its_end(block, kind, engine):
    stream = Endless(block)
    copy = sources.spool(stream, MEMORY, "pipe")
    assert stream.read_so_far < 10_000_000
    fault = _kernels.read_judgements(("file", copy))
    assert fault.kind in (kind, "long_line")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs /dev/zero")
def test_device_without_an_end_is_refused(engine):
    refused("/dev/zero", "long_line")
    if os.path.exists("/dev/urandom"):
        with pytest.raises(InputError):
            tb.project(QRELS, "/dev/urandom")


def test_compressed_stream_is_copied_whole():
    text = gzip.compress(os.urandom(3_000_000))
    copy = sources.spool(io.BytesIO(text), MEMORY, "pipe")
    with open(copy, "rb") as stream:
        assert stream.read() == text


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_interrupted_copy_is_removed(interruption):
    class Broken(Endless):
        def read(self, size=-1):
            if self.read_so_far:
                raise interruption
            return super().read(size)

    before = copies()
    with pytest.raises((KeyboardInterrupt, InputError)):
        sources.spool(Broken(b"q 0 d 1 1\n"), MEMORY, "pipe")
    assert copies() == before


@pytest.mark.one_in(2)
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("sent", [b"", b"q 0 d1 1 1\n" * 500_000])
def test_ctrl_c_leaves_no_copy_of_standard_input(tmp_path, sent):
    (tmp_path / "qrels").write_text("q 0 d1 1\n")
    command = [sys.executable, "-m", "tiebreak", "check", "qrels", "-"]
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdin.write(sent)
    process.stdin.flush()
    deadline = time.monotonic() + 30
    while not any(name.startswith("tiebreak-") for name in os.listdir(tmp_path)) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert not [name for name in os.listdir(tmp_path) if name.startswith("tiebreak-")]


@pytest.mark.one_in(2)
@pytest.mark.skipif(not hasattr(resource, "RLIMIT_AS"), reason="needs limits on address space")
@pytest.mark.parametrize("work", ["shuffles", "files"])
def test_more_threads_than_there_is_room_for_run_as_fewer(tmp_path, work, core):
    for k in range(300):
        (tmp_path / f"{k}.run").write_text("q 0 d1 1 1\n" * 1)
    script = f"""
import resource
import numpy as np, tiebreak
from tiebreak import _core
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 150_000_000,) * 2)
if {work == "shuffles"}:
    found = _core.largest_differences("values", np.arange(4_000), 40, (1, 0, 32 * 400), 400, None)
    print(len(found))
else:
    print(len(tiebreak.project({QRELS!r}, {str(tmp_path)!r}, jobs=300).runs))
"""
    # glibc reserves 64 MB of addresses for every thread, if it can: what is left would differ from run to run.
    environment = os.environ | {"MALLOC_ARENA_MAX": "1"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout) == (0, "12800\n" if work == "shuffles" else "300\n"), done.stderr[-500:]
