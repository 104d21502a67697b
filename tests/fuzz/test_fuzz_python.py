"""Whatever bytes a file holds, reading it ends with a result or with an error that names the file.

Files are mutations of a few small ones, each made from its number alone, so a failure names the number that makes it
again. ``TIEBREAK_FUZZ=100000`` tries more of them than the usual 500; ``TIEBREAK_FUZZ_FIRST`` says where to begin.
"""

import os
import random
import time
import warnings
from unittest import mock

import tiebreak
from engines.comparing import judged_by, plain
from engines.strategies import (
    BAD_RANKS,
    BAD_SCORES,
    FAULTY_LINES,
    FEW_ITEMS,
    FEW_REQUESTS,
    ITEMS,
    ODD_LINES,
    RANKS,
    SCORES,
    gzipped,
    zstandard,
)
from fuzz.mutations import OF_BYTES, changed, lines_changed
from tiebreak import _kernels
from tiebreak._kernels.interface import Fault, Options
from tiebreak._kernels.reference import GZIP_MAGIC, ZSTD_MAGIC
from tiebreak.errors import EmptyRequestsWarning, InputError
from tiebreak.inputs import faults
from tiebreak.inputs.audit import FileAudit
from tiebreak.inputs.judgements import group_rows
from tiebreak.inputs.sources import Source

INPUTS = int(os.environ.get("TIEBREAK_FUZZ", "500"))
FIRST = int(os.environ.get("TIEBREAK_FUZZ_FIRST", "0"))

GRADES = {"q1": {"d1": 1, "d2": 0, "é": 2}, "q2": {"d1": 1, "d10": -1}, "é": {"x" * 70: 1}}
JUDGED = judged_by(GRADES)

RUN = b"""\
q1 Q0 d1 1 3.5 t
q1 Q0 d2 2 3.5 t
q1 Q0 \xc3\xa9 3 1e-2 t
# a comment
x1\t0\td1\t1\t2\tt
q2 0 d1 1 1
q2 0 d10 2 -1.5 t\r
\xc3\xa9 0 d3 1 .5
"""
JUDGEMENTS = b"""\
q1 0 d1 1
q1 0 d2 0
q1 0 \xc3\xa9 2

q2\t0\td1\t1
q2 1 d1 2\r
# a comment
q3  Q0  d10  -1.5
"""
WORDS = [
    word.encode() for word in (*SCORES, *BAD_SCORES, *RANKS, *BAD_RANKS, *ITEMS, *FEW_REQUESTS * 5, *FEW_ITEMS * 5)
]
LINES = [*ODD_LINES, *FAULTY_LINES, *RUN.splitlines(), *JUDGEMENTS.splitlines()]
# Mutations


def change_word(text, rng):
    words = text.split(b" ")
    words[rng.randrange(len(words))] = rng.choice(WORDS)
    return b" ".join(words)


def change_lines(text, rng):
    return lines_changed(text, rng, LINES)


MUTATIONS = OF_BYTES + [change_word, change_lines] * 4


def mutated(text, rng):
    return changed(text, rng, MUTATIONS)


def input_of(number):
    """A file, whether it is a run, and whether it is torn: damage inside a stream may be found sooner or later."""
    rng = random.Random(number)
    is_run = rng.random() < 0.6
    text = mutated(RUN if is_run else JUDGEMENTS, rng)
    packing = rng.randrange(8)
    if packing > 1:
        return text, is_run, text.startswith((GZIP_MAGIC, ZSTD_MAGIC))
    cut = rng.randrange(len(text) + 1)
    file = (gzipped, zstandard)[packing]([text[:cut], text[cut:]])
    if rng.random() < 0.5:
        return file, is_run, False
    return mutated(file, rng), is_run, True


def options_of(number):
    rng = random.Random(2**40 + number)
    return Options(
        depth=rng.choice([None, None, 1, 3]),
        judged_only=rng.random() < 0.3,
        ties=rng.choice(["item", "item", "rank"]),
        duplicates=rng.choice(["error", "first", "best"]),
        on_bad_score=rng.choice(["error", "drop"]),
        top=rng.choice([None, 2]),
        pool=rng.random() < 0.3,
        memory=rng.choice([Options().memory, Options().memory, 50, 100, 200]),
        jobs=rng.choice([1, 1, 2]),
    )


# What becomes of them


def read(source, is_run, options):
    """A file read by the chosen kernel, a fault put into words, a result gathered."""
    result = _kernels.project([source.kernel], JUDGED, options) if is_run else _kernels.read_judgements(source.kernel)
    if isinstance(result, Fault):
        faults.raise_input_error(result, source, faults.RUN if is_run else faults.JUDGEMENTS, options.memory)
    audit = FileAudit.from_counts(source.label, result.counts, 0)
    if not is_run:
        group_rows(result, audit)


def read_publicly(path, is_run, options):
    """The same through the public functions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyRequestsWarning)
        if is_run:
            tiebreak.project(GRADES, path, **options._asdict())
        else:
            tiebreak.project(tiebreak.read_judgements(path), {"q1": {"d1": 1.0}, "q2": {"d1": 1.0}})


def check(number, label, work, *arguments):
    """Run `work`; whether it gave a result. Only errors of ours may come out, in one line that begins with the file."""
    try:
        work(*arguments)
    except InputError as error:
        message = str(error)
        known = message.startswith(label) or (error.kind == "empty" and error.file is None) or error.kind == "disjoint"
        assert known and message.isprintable(), f"input {number}: {message!r}"
        return False
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a panic of the core is no Exception
        raise AssertionError(f"input {number}: {error!r}") from error
    return True


def numbers(share=1):
    return range(FIRST, FIRST + max(INPUTS // share, 20))


def test_any_bytes_give_a_result_or_an_error_that_names_the_file(chosen):
    tried = numbers(share=1 if chosen == "rust" else 5)
    begin = time.perf_counter()
    with mock.patch.dict(os.environ, TIEBREAK_CORE=chosen):
        sound = 0
        for number in tried:
            file, is_run, _ = input_of(number)
            source = Source("some file", ("bytes", file))
            sound += check(number, source.label, read, source, is_run, options_of(number))
    rate = len(tried) / (time.perf_counter() - begin)
    print(f"\n{chosen}: {len(tried):,} inputs, {sound / len(tried):.0%} sound, {rate:,.0f} a second")
    assert 0.1 < sound / len(tried) < 0.9


def test_any_bytes_in_a_file_give_a_result_or_an_error_that_names_it(chosen, tmp_path):
    path = tmp_path / "a file.txt"
    with mock.patch.dict(os.environ, TIEBREAK_CORE=chosen):
        for number in numbers(share=5):
            file, is_run, _ = input_of(number)
            path.write_bytes(file)
            check(number, str(path), read_publicly, path, is_run, options_of(number))


def test_engines_agree_on_any_bytes(core, twin):
    for number in numbers():
        file, is_run, is_torn = input_of(number)
        if is_torn:
            continue
        source, options = ("bytes", file), options_of(number)
        if is_run:
            one, other = (plain(engine.project([source], JUDGED, options, None)) for engine in (core, twin))
        else:
            one, other = (plain(engine.read_judgements(source, None, options.memory)) for engine in (core, twin))
        assert one == other, f"input {number}"


def test_inputs_are_made_from_their_number_alone():
    assert [input_of(number) for number in range(50)] == [input_of(number) for number in range(50)]
    assert len({input_of(number) for number in range(100)}) > 80
