"""Results depend on what the files say: not on threads, on the order of files or lines, or on the engine."""

import os
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak
from engines.comparing import judged_by, plain, projected
from engines.strategies import (
    GRADES,
    OPTIONS,
    RUN_SPACING,
    SCORES,
    files,
    gzipped,
    judgement_texts,
    row_lists,
    run_rows,
    run_texts,
    zstandard,
)
from tiebreak._kernels.interface import Options
from tiebreak.errors import EmptyRequestsWarning, RequestsLeftOutWarning, TiebreakError

SOME_FILES = st.lists(run_texts(), min_size=2, max_size=4)


def with_file(outcome, place):
    """The outcome of a file read alone, as that of the file at this place."""
    fault, result = outcome
    return fault and [fault[0], place, *fault[2:]], result


def row(result, run):
    """One run's part of a projection: everything but the pool."""
    *tables, (met, first_line, example), top, _ = result
    *tables, (_, scores) = tables
    parts = [table[2][run] for table in (*tables, met, first_line)]
    return [*parts, scores[2 * run : 2 * run + 2], example[run], top and top[run]]


# Threads and files


@given(files=SOME_FILES, grades=GRADES, options=OPTIONS)
def test_number_of_jobs_changes_nothing(core, files, grades, options):
    judged = judged_by(grades)
    one = projected(core, files, judged, options._replace(jobs=1))
    for jobs in (2, 5):
        assert projected(core, files, judged, options._replace(jobs=jobs)) == one


@pytest.mark.parametrize("pack", [gzipped, zstandard])
@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda lines, file: file(lines), None),
        (lambda lines, file: file([b"too few columns\n", *lines]), "columns"),
        (lambda lines, file: file([*lines, b"too few columns\n"]), "columns"),
        (lambda lines, file: file(lines)[:-1], "compression"),
    ],
    ids=["sound", "first line", "last line", "cut"],
)
def test_thread_that_decompresses_changes_nothing(core, pack, change, fault):
    """Of a run of several megabytes, which is handed over in pieces."""
    lines = [b"q%d Q0 d%d 1 %d t\n" % (k // 100, k % 100, k % 7) for k in range(200_000)]
    file = change(lines, lambda texts: pack([b"".join(texts)]))
    judged = judged_by({f"q{k}": {"d3": 1, "d50": 2} for k in range(0, 2000, 7)})
    one, two = (projected(core, [file], judged, Options(jobs=jobs)) for jobs in (1, 2))
    assert one == two and (one[0] and one[0][0]) == fault


@given(files=SOME_FILES, grades=GRADES, options=OPTIONS)
def test_every_file_is_read_as_if_it_were_alone(engine, files, grades, options):
    judged = judged_by(grades)
    alone = [with_file(projected(engine, [file], judged, options), place) for place, file in enumerate(files)]
    first_fault = next((fault for fault, _ in alone if fault), None)
    fault, result = projected(engine, files, judged, options)
    assert fault == first_fault
    if not fault:
        assert [row(result, run) for run in range(len(files))] == [row(result, 0) for _, result in alone]


@given(data=st.data(), grades=GRADES, options=OPTIONS)
def test_order_of_files_permutes_rows_and_nothing_else(engine, data, grades, options):
    files = data.draw(st.lists(run_texts(faulty=False, unique=True), min_size=2, max_size=3))
    order = data.draw(st.permutations(range(len(files))))
    judged = judged_by(grades)
    fault, result = projected(engine, files, judged, options)
    other_fault, other = projected(engine, [files[k] for k in order], judged, options)
    assert bool(fault) == bool(other_fault)
    if not fault:
        assert [row(other, run) for run in range(len(files))] == [row(result, k) for k in order]
        assert other[-1] == result[-1]


def test_fault_of_the_first_faulty_file_is_reported_however_long_it_takes_to_find(core):
    slow = b"q1 0 d1 1 1\n" + b"x1 0 d1 1 1\n" * 200_000 + b"late fault\n"
    quick = b"early fault\n"
    judged = judged_by({"q1": {"d1": 1}})
    for jobs in (1, 2, 5):
        fault, _ = projected(core, [slow, quick, quick], judged, Options(jobs=jobs))
        assert fault == ["columns", 0, 200_002, 2, b"", b"", b"late fault"]


# Lines


def ranking_of(outcome):
    """All but what is said of line numbers."""
    fault, result = outcome
    assert fault is None
    *tables, _, top, pool = result
    return tables, top, pool


@given(data=st.data(), grades=GRADES, options=OPTIONS)
def test_order_of_lines_changes_no_ranking(engine, data, grades, options):
    rows = data.draw(row_lists(run_rows(scores=SCORES), unique=True).filter(bool))
    shuffled = data.draw(st.permutations(rows))
    by_request = sorted(shuffled, key=lambda row: row[0])
    judged, options = judged_by(grades), options._replace(memory=Options().memory)
    texts = [b"\n".join(RUN_SPACING[0] % row for row in lines) for lines in (rows, shuffled, by_request)]
    one, *others = (ranking_of(projected(engine, [text], judged, options)) for text in texts)
    assert others == [one, one]


def test_many_ties_and_many_orders_give_one_ranking(engine):
    lines = [f"q1 0 d{k * 7919 % 3001:04} {k} {k % 7}\n".encode() for k in range(3001)]
    judged = judged_by({"q1": {f"d{k:04}": 1 for k in range(0, 3001, 10)}})
    orders = [lines, lines[::-1], sorted(lines), sorted(lines, key=lambda line: line[-2:])]
    one, *others = (ranking_of(projected(engine, [b"".join(order)], judged, Options(top=3001))) for order in orders)
    assert others == [one, one, one]


# Through the public functions


def positions_of(result):
    """Everything that `Positions` hold."""
    parts = [
        result.ranks,
        result.item,
        result.grade,
        result.listed,
        result.retrieved,
        result.tied,
        result.pool,
        result.top,
    ]
    layout = [result.layout.request_order, result.layout.sizes]
    ids = [list(result.requests), list(result.items)]
    others = [] if result.nonrelevant is None else [result.nonrelevant.ranks, result.nonrelevant.item]
    return plain([result.runs, *ids, *layout, *parts, *others]), result.audits, result.min_grade, result.ties


def told(error):
    return str(error), error.kind, error.file, error.line, error.request, error.item


def outcome_of(choice, function, *arguments, **options):
    """What a public function returns or raises with this engine."""
    with mock.patch.dict(os.environ, TIEBREAK_CORE=choice):
        try:
            return function(*arguments, **options)
        except TiebreakError as error:
            return told(error)


@pytest.mark.filterwarnings(f"ignore::{EmptyRequestsWarning.__module__}.{EmptyRequestsWarning.__name__}")
@pytest.mark.filterwarnings(f"ignore::{RequestsLeftOutWarning.__module__}.{RequestsLeftOutWarning.__name__}")
@given(
    texts=st.lists(files(run_texts()), min_size=1, max_size=3),
    grades=GRADES,
    options=OPTIONS,
    common=st.booleans(),
    nonrelevant=st.booleans(),
)
def test_engine_changes_neither_positions_nor_messages(
    core, tmp_path_factory, texts, grades, options, common, nonrelevant
):
    folder = tmp_path_factory.getbasetemp()
    paths = [folder / f"{k}.run" for k in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text)

    def project():
        requests = "common" if common else "judged"
        positions = tiebreak.project(grades, paths, requests=requests, nonrelevant=nonrelevant, **options._asdict())
        return positions_of(positions)

    assert outcome_of("rust", project) == outcome_of("python", project)


@given(text=files(judgement_texts()))
def test_engine_changes_neither_judgements_nor_messages(core, tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "qrels.txt"
    path.write_bytes(text)

    def read():
        result = tiebreak.read_judgements(path)
        subtopics = result.subtopics and [list(result.subtopics.labels), result.subtopics.label, result.subtopics.entry]
        grades = [result.grade, result.subtopics and result.subtopics.grade]
        parts = [list(result.requests), list(result.items), result.starts, result.item, *grades, subtopics]
        return plain(parts), result.audit

    assert outcome_of("rust", read) == outcome_of("python", read)
