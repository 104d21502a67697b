"""Runs in files, read in blocks of requests: the same results and errors, whatever the file looks like."""

import gzip
import random

import pytest

import tiebreak as tb
from engines.parity import make_input, outcome, scores
from tiebreak.engines import text_blocks

MARK = b"\xef\xbb\xbf"


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


def spoil(name, lines):
    """In the second file: an item twice in a late request, and after it a bad score of an early one."""
    return [*lines, lines[-40], lines[0].rsplit(b" ", 2)[0] + b" nan tag\n"] if name == "old" else lines


def cut(name, lines):
    return [*lines, b"q0\xc3\xa9 0\n", b"q1\xc3\xa9 0 a\n"] if name == "old" else lines


def remove(name, lines):
    return [] if name == "old" else lines


@pytest.mark.parametrize(("change", "kind"), [(spoil, "duplicate"), (cut, "columns"), (remove, "empty")])
def test_error_names_the_line_of_the_file(tmp_path, change, kind):
    error, message, where = same(*files(tmp_path, b"".join, change))
    assert (error, where["kind"]) == (tb.InputError, kind)
    assert "old.run" in message


def test_lines_in_no_order_are_held_within_memory(tmp_path):
    judged, paths = files(tmp_path, shuffle)
    with pytest.raises(tb.InputError, match=r"Sort the file by request"):
        tb.Experiment(judged, paths, block_requests=1, memory=700).evaluate("AP")


def test_byte_order_mark_inside_a_file_belongs_to_an_id(tmp_path):
    (tmp_path / "run").write_bytes(b"q1 0 a 1 1\n" + MARK + b"q2 0 b 1 2\n" + MARK + b"q2 0 a 2 1\n")
    judged = {"q1": {"a": 1}, "\ufeffq2": {"a": 1}}
    values = tb.Experiment(judged, tmp_path / "run", block_requests=1).evaluate("RR").values
    assert values.ravel().tolist() == [1, 1 / 2]
