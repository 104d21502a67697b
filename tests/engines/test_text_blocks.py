"""Runs in files, read in blocks of requests: the same results and errors, whatever the file looks like."""

import copy
import gc
import gzip
import os
import pickle
import random
import shutil
import signal
import subprocess
import sys
import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest

import tiebreak as tb
from engines.parity import make_input, outcome, scores
from tiebreak.engines import text_blocks
from tiebreak.errors import LargeTablesWarning
from tiebreak.inputs import Ids
from tiebreak.inputs.sources import Source

MARK, FEED = b"\xef\xbb\xbf", b"\n"


def plain(name):
    """An id as a file can have it."""
    return name.replace(" ", "_").replace("\u00a0", "_")


def lines_of(run):
    return [
        f"{plain(request)} Q0 {plain(item)}{k} {k} {score} tag\n".encode()
        for request, ranking in run.items()
        for k, (item, score) in enumerate(ranking.items())
    ]


def odd(lines):
    """Lines as strangers write them."""
    ends = [line.replace(b"\n", b"\r\n") if k % 5 == 0 else line for k, line in enumerate(lines)]
    blanks = [b" \t" + line.replace(b" ", b"\t ", 1) if k % 7 == 0 else line for k, line in enumerate(ends)]
    text = b"\n".join([b"".join(blanks[:9]), b"".join(blanks[9:])])
    return MARK + b"# q0\xc3\xa9 a comment\n\n" + text.rstrip(b"\n")


def shuffle(lines):
    return b"".join(random.Random(1).sample(lines, len(lines)))


def add_long_ids(lines):
    """A byte order mark belongs to an id where a file does not begin with it."""
    return b"".join([*lines, b"x" * 200 + b" 0 a 1 1\n", MARK + b"q0\xc3\xa9 0 unseen 1 1\n"])


WAYS = {"plain": b"".join, "odd": odd, "shuffled": shuffle, "long ids": add_long_ids}


def files(folder, write, change=lambda name, lines: lines, pack=lambda text: text):
    judged, runs = make_input()
    paths = []
    for name, run in runs.items():
        path = folder / f"{name}.run"
        path.write_bytes(pack(write(change(name, lines_of(run)))))
        paths.append(path)
    grades = {
        plain(request): {f"{plain(item)}{k}": grade for item, grade in graded.items() for k in range(2)}
        for request, graded in judged.items()
    }
    return grades, paths


def same(judged, paths, blocks=(1, 3, 1000), **options):
    def run(block_requests):
        exp = tb.Experiment(judged, paths, block_requests=block_requests, **options)
        return scores(exp, ("AP", "nDCG@5", "RR"))

    whole = outcome(run, None)
    for block_requests in blocks:
        assert outcome(run, block_requests) == whole
    return whole[0]


@pytest.mark.parametrize("blocks", [(3,), pytest.param((1, 1000), marks=pytest.mark.slow)])
@pytest.mark.parametrize("chunk", [300, pytest.param(1 << 21, marks=pytest.mark.slow)])
@pytest.mark.parametrize("way", WAYS)
def test_file_is_read_alike_in_blocks(tmp_path, monkeypatch, way, chunk, blocks):
    monkeypatch.setattr(text_blocks, "CHUNK", chunk)
    judged, paths = files(tmp_path, WAYS[way])
    assert len(same(judged, paths, blocks)) == 6
    assert len(same(judged, paths, blocks, ties="rank", depth=3)) == 6


def test_compressed_file_is_read_alike_in_blocks(tmp_path):
    assert len(same(*files(tmp_path, odd, pack=gzip.compress))) == 6


def test_damaged_file_gives_the_same_error_in_blocks(tmp_path):
    judged, paths = files(tmp_path, b"".join, pack=lambda text: gzip.compress(text)[:-20])
    kind, _, where = same(judged, paths)
    assert (kind, where["kind"]) == (tb.InputError, "compression")


def damage(text):
    """Compressed, with some bytes in the middle changed."""
    packed = bytearray(gzip.compress(text))
    packed[len(packed) // 2 :: 7] = bytes(len(packed[len(packed) // 2 :: 7]))
    return bytes(packed)


@pytest.mark.parametrize("pack", [damage, lambda text: gzip.compress(text)[:-20]], ids=["middle", "end"])
def test_damaged_file_is_unpacked_once_and_its_error_comes_in_its_turn(tmp_path, monkeypatch, pack):
    judged, paths = files(tmp_path, b"".join, spoil)
    damaged = tmp_path / "damaged.run.gz"
    damaged.write_bytes(pack(paths[0].read_bytes()))
    unpack, calls = text_blocks.unpack, []
    monkeypatch.setattr(text_blocks, "unpack", lambda *arguments: calls.append(1) or unpack(*arguments))
    for order, kind in ([*paths, damaged], "duplicate"), ([damaged, *paths], "compression"):
        calls.clear()
        (_, message, where) = same(judged, order, (1,))
        assert where["kind"] == kind and len(calls) == 1, message


def count_calls(monkeypatch, owner, name):
    """A list that grows with every call of a method."""
    calls, method = [], getattr(owner, name)

    def count(self, *arguments):
        calls.append(1)
        return method(self, *arguments)

    monkeypatch.setattr(owner, name, count)
    return calls


def spoil(name, lines):
    """In the second file: an item twice in a late request, and after it a bad score of an early one."""
    return [*lines, lines[-40], lines[0].rsplit(b" ", 2)[0] + b" nan tag\n"] if name == "old" else lines


def cut(name, lines):
    return [*lines, b"q0\xc3\xa9 0\n", b"q1\xc3\xa9 0 a\n"] if name == "old" else lines


def remove(name, lines):
    return [] if name == "old" else lines


@pytest.mark.parametrize("chunk", [300, 1 << 21])
@pytest.mark.parametrize(("change", "kind"), [(spoil, "duplicate"), (cut, "columns"), (remove, "empty")])
def test_error_names_the_line_of_the_file(tmp_path, monkeypatch, change, kind, chunk):
    monkeypatch.setattr(text_blocks, "CHUNK", chunk)
    error, message, where = same(*files(tmp_path, b"".join, change))
    assert (error, where["kind"]) == (tb.InputError, kind)
    assert "old.run" in message


def test_blocks_of_sorted_lines_are_held_within_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(text_blocks, "CHUNK", 300)
    monkeypatch.setattr(text_blocks, "MOST_SEGMENTS", 3)
    judged, paths = files(tmp_path, shuffle)
    with pytest.raises(tb.InputError, match=r"takes more than memory=600 bytes"):
        tb.Experiment(judged, paths, block_requests=1, memory=600).evaluate("AP")


@pytest.mark.parametrize("chunk", [300, 1 << 21])
@pytest.mark.parametrize("way", WAYS)
def test_lines_in_no_order_are_read_from_a_sorted_copy(tmp_path, monkeypatch, way, chunk):
    monkeypatch.setattr(text_blocks, "CHUNK", chunk)
    monkeypatch.setattr(text_blocks, "MOST_SEGMENTS", 3)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    judged, paths = files(tmp_path, WAYS[way])
    sorted_copies = count_calls(monkeypatch, text_blocks.Chunk, "write")
    assert len(same(judged, paths, (2,))) == 6
    assert sorted_copies
    assert len(same(judged, paths, (2,), ties="rank", depth=3)) == 6
    assert len(same(*files(tmp_path, WAYS[way], pack=gzip.compress), (2,))) == 6
    gc.collect()
    assert not [*tmp_path.glob("tiebreak-*")]


def add_unjudged(lines):
    """Requests without judgements, whose lines are in many places."""
    others = [f"u{k % 50} 0 d{k} 1 {k}\n".encode() for k in range(400)]
    return shuffle([*lines, *others])


@pytest.mark.parametrize("most_segments", [3, 1 << 20])
def test_requests_without_judgements_are_counted_once(tmp_path, monkeypatch, most_segments):
    monkeypatch.setattr(text_blocks, "CHUNK", 300)
    monkeypatch.setattr(text_blocks, "MOST_SEGMENTS", most_segments)
    *_, notes, _ = same(*files(tmp_path, add_unjudged), (1, 4))
    assert "Rankings of requests without judgements, ignored: 156." in notes  # 3 x 50, and 6 of make_input


def test_progress_of_finding_blocks_is_in_bytes_of_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(text_blocks, "CHUNK", 1 << 14)
    path = tmp_path / "run"
    path.write_bytes(b"q 0 d 1 1\n" * 5000)  # 50,000 bytes; chunks of 16,384 end within a line
    blocks = text_blocks.TextBlocks(
        Source("run", ("file", str(path))), text_blocks.JudgedBlocks(Ids.from_names("q"), np.zeros(1, int), 1), 1 << 30
    )
    ticks = []
    blocks.prepare(lambda *tick: ticks.append(tick))
    assert ticks == [(16_380, 50_000), (32_760, 50_000), (49_150, 50_000), (50_000, 50_000)]


def test_memory_does_not_grow_with_requests_without_judgements(tmp_path, monkeypatch):
    monkeypatch.setattr(text_blocks, "CHUNK", 1 << 14)
    monkeypatch.setattr(text_blocks, "MOST_SEGMENTS", 100)
    path = tmp_path / "run"
    path.write_bytes(b"".join(b"u%d 0 d 1 1\n" % k for k in range(60_000)))
    blocks = text_blocks.TextBlocks(
        Source("run", ("file", str(path))), text_blocks.JudgedBlocks(Ids.from_names("abc"), np.arange(3), 3), 1 << 30
    )
    tracemalloc.start()
    try:
        blocks.prepare()
        assert tracemalloc.get_traced_memory()[1] < 2_000_000  # by name they take 5 MB
    finally:
        tracemalloc.stop()


def repeat(name, lines):
    return [*lines, lines[-40], lines[9]] if name == "old" else lines


@pytest.mark.parametrize("chunk", [300, 1 << 21])
@pytest.mark.parametrize(("change", "kind"), [(spoil, "score"), (repeat, "duplicate"), (cut, "columns")])
def test_error_of_a_sorted_copy_names_the_line_of_the_file(tmp_path, monkeypatch, change, kind, chunk):
    monkeypatch.setattr(text_blocks, "CHUNK", chunk)
    monkeypatch.setattr(text_blocks, "MOST_SEGMENTS", 3)
    error, message, where = same(*files(tmp_path, shuffle, change), (1, 2))
    assert (error, where["kind"]) == (tb.InputError, kind)
    assert "old.run:" in message


def refuse_to_write(chunk, copy):
    raise OSError(28, "No space left on device")


def test_sorting_says_where_there_is_no_room(tmp_path, monkeypatch):
    monkeypatch.setattr(text_blocks, "MOST_SEGMENTS", 3)
    monkeypatch.setattr(text_blocks.Chunk, "write", refuse_to_write)
    judged, paths = files(tmp_path, shuffle)
    with pytest.raises(tb.InputError, match=r"lines cannot be sorted in .*no space left.*TMPDIR"):
        tb.Experiment(judged, paths, block_requests=2).evaluate("AP")


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_unpacking_says_once_where_there_is_no_room_and_is_tried_again(tmp_path, monkeypatch):
    judged, paths = files(tmp_path, shuffle, pack=gzip.compress)
    exp = tb.Experiment(judged, paths, block_requests=2)
    with monkeypatch.context() as full:
        full.setattr(text_blocks.ScratchFile, "write", refuse_to_write)
        copies = count_calls(full, text_blocks.ScratchFile, "__init__")
        with pytest.raises(tb.InputError, match=r"new.run: it cannot be unpacked in .*no space left.*TMPDIR"):
            exp.evaluate("AP")
        assert len(copies) == 1
    assert exp.evaluate("AP").mean.tolist() == tb.Experiment(judged, paths).evaluate("AP").mean.tolist()


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda exp: pickle.loads(pickle.dumps(exp))])
def test_copy_of_an_experiment_makes_its_own_files(tmp_path, monkeypatch, copied, pack):
    monkeypatch.setattr(text_blocks, "MOST_SEGMENTS", 3)
    judged, paths = files(tmp_path, shuffle, pack=pack)
    exp = tb.Experiment(judged, paths, block_requests=2)
    expected = exp.evaluate("AP").mean.tolist()
    other = copied(exp)
    del exp
    gc.collect()
    assert other.evaluate("AP").mean.tolist() == expected


KILLED = """
import os, signal, sys
import tiebreak as tb
from tiebreak.engines import text_blocks
text_blocks.MOST_SEGMENTS = 3
judged = {f"q{r}": {f"d{d}": d % 3 for d in range(0, 100, 5)} for r in range(40)}
exp = tb.Experiment(judged, sys.argv[1:], block_requests=2)
exp.evaluate("AP")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name != "posix", reason="an open file needs its name elsewhere")
def test_no_temporary_file_is_left_by_a_process_that_is_killed(tmp_path):
    _, paths = large_files(tmp_path)
    paths[1].write_bytes(gzip.compress(paths[1].read_bytes()))
    (tmp_path / "temporary").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    ended = subprocess.run([sys.executable, "-W", "ignore", "-c", KILLED, *paths], env=environment, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert [*(tmp_path / "temporary").iterdir()] == []


def large_files(tmp_path, **how):
    """Two runs of 40 requests whose lines are in no order, and take 200 kB each."""
    judged = {f"q{r}": {f"d{d}": d % 3 for d in range(0, 100, 5)} for r in range(40)}
    chance = random.Random(3)
    for name in ("new", "old"):
        rows = [f"q{r} 0 d{d} 0 {chance.random():.4f} {name}\n".encode() for r in range(40) for d in range(100)]
        (tmp_path / f"{name}.run").write_bytes(b"".join(chance.sample(rows, len(rows))))
    return judged, [tmp_path / "new.run", tmp_path / "old.run"]


def test_files_in_no_order_that_are_too_large_to_hold_are_divided(tmp_path, monkeypatch):
    monkeypatch.setattr(text_blocks, "MOST_SEGMENTS", 100)
    judged, paths = large_files(tmp_path)
    held = tb.Experiment(judged, paths)
    exp = tb.Experiment(judged, paths, memory=60_000)
    with pytest.warns(LargeTablesWarning, match=r"in no order, and too large to hold.*temporary files of up to"):
        scores = exp.evaluate(["AP", "nDCG@10", "RR"])
    assert scores.values.tobytes() == held.evaluate(["AP", "nDCG@10", "RR"]).values.tobytes()
    assert any("too large to hold" in note for note in scores.notes)
    assert exp.compare("RPP").win_tie_loss.tolist() == held.compare("RPP").win_tie_loss.tolist()
    assert "blocks of up to" in str(exp.plan())


def test_room_for_files_in_no_order_is_not_guessed(tmp_path, monkeypatch):
    """Those in order take none: what is written may be less than is announced."""
    monkeypatch.setattr(text_blocks, "MOST_SEGMENTS", 100)
    judged, paths = large_files(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=1000))
    with pytest.warns(LargeTablesWarning, match=r"temporary files of up to [\d.]+ kB"):
        tb.Experiment(judged, paths, memory=60_000).evaluate("AP")


def test_command_divides_files_in_no_order(tmp_path, monkeypatch):
    monkeypatch.setattr(text_blocks, "MOST_SEGMENTS", 100)
    judged, paths = large_files(tmp_path)
    exp = tb.Experiment(judged, paths, memory=60_000)
    seen = []
    with pytest.warns(LargeTablesWarning):
        exp.read(["AP"], tick=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1] > 0
    assert exp.evaluate("AP").mean.tolist() == tb.Experiment(judged, paths).evaluate("AP").mean.tolist()


def test_error_of_divided_files_is_that_of_the_first_line(tmp_path):
    judged, paths = large_files(tmp_path)
    lines = paths[1].read_bytes().splitlines(keepends=True)
    paths[1].write_bytes(b"".join([*lines, lines[7], lines[3]]))
    with pytest.raises(tb.InputError) as whole:
        tb.Experiment(judged, paths).evaluate("AP")
    with pytest.warns(LargeTablesWarning), pytest.raises(tb.InputError) as divided:
        tb.Experiment(judged, paths, memory=60_000).evaluate("AP")
    assert str(divided.value) == str(whole.value)
    assert divided.value.line == 4001


def test_request_that_is_too_large_to_hold_is_an_error(tmp_path):
    (tmp_path / "run").write_bytes(b"".join(f"q 0 d{d} 0 {d}\n".encode() for d in range(5000)))
    with pytest.raises(tb.InputError, match=r"takes more than memory=20,000 bytes"):
        tb.Experiment({"q": {"d1": 1}}, tmp_path / "run", memory=20_000).evaluate("AP")


def test_what_looks_at_all_rankings_says_how_to_sort_a_file(tmp_path):
    judged, paths = large_files(tmp_path)
    with pytest.raises(tb.InputError, match=r"Sort the file by request"):
        tb.Experiment(judged, paths, memory=60_000).audit()


def test_byte_order_mark_inside_a_file_belongs_to_an_id(tmp_path):
    (tmp_path / "run").write_bytes(b"q1 0 a 1 1\n" + MARK + b"q2 0 b 1 2\n" + MARK + b"q2 0 a 2 1\n")
    judged = {"q1": {"a": 1}, "\ufeffq2": {"a": 1}}
    values = tb.Experiment(judged, tmp_path / "run", block_requests=1).evaluate("RR").values
    assert values.ravel().tolist() == [1, 1 / 2]


def first_ranks(tmp_path, text, judged, **options):
    """The reciprocal ranks of a file, one request at a time."""
    (tmp_path / "run").write_bytes(text)
    return tb.Experiment(judged, tmp_path / "run", block_requests=1, **options).evaluate("RR").values.ravel().tolist()


def test_neighbours_that_begin_with_blanks_have_their_own_requests(tmp_path):
    text = b"q1 0 b 1 2\n q2 0 a 1 1\n\tq1 0 a 2 1\n"
    assert first_ranks(tmp_path, text, {"q1": {"a": 1}, "q2": {"a": 1}}) == [1 / 2, 1]


def test_byte_order_mark_of_a_file_is_no_part_of_its_first_id(tmp_path):
    text = MARK + b"q1 0 b 1 2\n" + MARK + b"q1 0 a 1 3\nq1 0 a 2 1\n"
    assert first_ranks(tmp_path, text, {"q1": {"a": 1}, "\ufeffq1": {"a": 1}}) == [1 / 2, 1]


@pytest.mark.parametrize("chunk", [16, 1 << 21])
@pytest.mark.parametrize("most_segments", [0, 9])
@pytest.mark.parametrize("before", [b"# the best run\n", b"\n \t\n", b"\r\n", MARK + b"\n", b"u 0 a 1 1\n"])
def test_lines_before_those_of_judged_requests_are_no_empty_file(tmp_path, monkeypatch, before, most_segments, chunk):
    monkeypatch.setattr(text_blocks, "CHUNK", chunk)
    monkeypatch.setattr(text_blocks, "MOST_SEGMENTS", most_segments)
    judged = {"q1": {"a": 1}, "q2": {"a": 1}}
    assert first_ranks(tmp_path, before + b"q2 0 b 1 2\nq2 0 a 1 1", judged) == [0, 1 / 2]
    with pytest.raises(tb.InputError, match=rf"run:{before.count(FEED) + 3}: the control byte 0x01"):
        first_ranks(tmp_path, before + b"q2 0 b 1 2\n\n# \x01\n\0\n", judged)
