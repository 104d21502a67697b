"""Judgements with subtopics in tables that are divided by request: the same results and errors as held at once."""

import random
from functools import cache

import pytest

import tiebreak as tb
from engines.parity import BY_REQUEST, comparison, make_input, outcome, scores
from engines.test_stream_blocks import WAYS, parquet_file, rows_of, table
from tiebreak.engines import partitions, spool
from tiebreak.errors import LargeTablesWarning
from tiebreak.inputs import streams

pytest.importorskip("pyarrow.parquet")
JUDGED = ("user_id", "item_id", "grade", "subtopic")
STRANGE = {"q0é": "", "q1é": "001", "q2é": "é" * 200}
SUBTOPICS = {"s": "Q0", "t": "", "u": "日本"}
MEASURES = ["alpha_nDCG@5", "ERR-IA(r_max=4)@5", "S-Recall@3", "nDCG", "P(rel=2)@5"]
SIZES = (1, 2, 7)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(streams, "BATCH", 7)
    monkeypatch.setattr(spool, "PARTITIONS", 24)
    monkeypatch.setattr(partitions, "ROWS_AT_ONCE", 30)


def make_rows(low=0.0):
    """Rows in no order. Items have other grades for other subtopics; Q0 and 0 are one, and some ids are empty."""
    judged, runs = make_input()
    rows = [
        (STRANGE.get(request, request), item, max(float(grade - k), low), SUBTOPICS[subtopic])
        for request, listed in judged.items()
        for item, grades in listed.items()
        for k, (subtopic, grade) in enumerate(grades.items())
    ]
    rows = [(*row[:3], "0") if row[3] == "Q0" and n % 3 else row for n, row in enumerate(rows)]
    renamed = {
        name: {STRANGE.get(request, request): ranking for request, ranking in run.items()} for name, run in runs.items()
    }
    return random.Random(5).sample(rows, len(rows)), {name: rows_of(run) for name, run in renamed.items()}


def store(folder, judged, runs, way=parquet_file):
    several = {name: way(rows, folder, name) for name, rows in runs.items()}
    return way(judged, folder, "qrels", JUDGED), several


@pytest.fixture
def tables(tmp_path):
    return store(tmp_path, *make_rows())


def divided(judged, runs, **options):
    exp = tb.Experiment(judged, runs, **options)
    assert exp._elsewhere.judged is not None and not len(exp.judgements)
    return exp


def same(function, tables, *args, sizes=SIZES, **options):
    """The outcome of tables that are held, which is that of divided ones."""
    whole = outcome(lambda: function(tb.Experiment(*tables, **options), *args))
    assert not isinstance(whole[0][0], type), whole[0]
    for size in sizes:
        assert outcome(lambda size=size: function(divided(*tables, block_requests=size, **options), *args)) == whole
    return whole


@cache
def is_of_subtopics(measure):
    """Whether a measure is computed of judgements with subtopics only."""
    judged, runs = make_input()
    plain = {request: {item: max(grades.values()) for item, grades in of.items()} for request, of in judged.items()}
    results = [outcome(lambda one=one: tb.Experiment(one, runs).evaluate(measure))[0] for one in (judged, plain)]
    return [isinstance(result, tb.Scores) for result in results] == [True, False]


def test_every_measure_of_subtopics_is_the_same(tables):
    measures = [measure for measure in BY_REQUEST if is_of_subtopics(measure)]
    assert len(measures) > 8
    for measure in measures:
        same(scores, tables, measure)


@pytest.mark.parametrize("measure", ["ST-RPP", "ST-RPP(background=0.25)", "RPP", "diff(alpha_nDCG@3)", "LexiRecall"])
def test_preference_is_the_same(tables, measure):
    (parts, *_), _ = same(comparison, tables, measure)
    assert parts


OPTIONS = [
    {"min_grade": 2},
    {"min_grade": 2, "binary": True},
    {"binary": True},
    {"depth": 4},
    {"judged_only": True},
    {"requests": "common"},
    {"requests": "common", "min_grade": 2, "binary": True},
    {"imputation": "optimistic"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_whatever_is_read_is_the_same(tables, options):
    (values, *_), _ = same(scores, tables, [*MEASURES, "alpha_beta_nDCG@5", "Novelty@3"], **options)
    assert values
    same(comparison, tables, "ST-RPP", sizes=(2,), **options)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.filterwarnings("ignore::tiebreak.errors.TiebreakWarning")
def test_subtopics_are_read_from_whatever_holds_a_large_table(tmp_path, way):
    judged, runs = make_rows()
    measures = [*MEASURES, "alpha_beta_nDCG@5"]
    held = scores(tb.Experiment(table(judged, JUDGED), {name: table(rows) for name, rows in runs.items()}), measures)
    sources = store(tmp_path, judged, runs, way)
    for size in SIZES:
        assert scores(divided(*sources, block_requests=size), measures)[:5] == held[:5]


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_tables_that_memory_does_not_hold_are_divided_with_their_subtopics(tables):
    whole = scores(tb.Experiment(*tables), MEASURES)
    exp = divided(*tables, memory=20_000)
    with pytest.warns(LargeTablesWarning):
        exp.read(MEASURES)
    assert len(exp._elsewhere.blocks(None, None)) > 3
    found = scores(exp, MEASURES)
    assert found[:4] == whole[:4]
    assert [note for note in found[4] if "temporary files" not in note] == [*whole[4]]


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_blocks_have_about_as_many_requests_as_are_asked_for(tables):
    exp = divided(*tables, block_requests=1000)
    exp.evaluate("AP")
    assert len(exp._elsewhere.blocks(None, None)) == 1
    exp = divided(*tables, block_requests=40)  # of 17, which have 60 segments of one subtopic
    exp.evaluate("AP")
    assert exp._elsewhere.blocks(None, None).n_requests <= 3 * 17


def test_grades_of_all_items_decide_not_those_of_rows(tmp_path):
    """The largest grade of every item is 3, so that nDCG counts none below min_grade, and takes its binary form."""
    judged, runs = make_rows()
    judged = [(*row[:2], 1.0, "a") for row in judged] + [(*row[:2], 3.0, "b") for row in judged]
    tables = store(tmp_path, list(dict.fromkeys(judged)), runs)
    same(scores, tables, ["nDCG", "nDCG@5", "P(rel=3)@5"])
    _, warned = same(scores, tables, ["nDCG"], min_grade=2)
    assert not any(kind is tb.errors.GradesWarning for kind, _ in warned)
    same(scores, tables, ["nDCG"], requests="common")


def test_what_looks_at_all_ratings_is_refused_of_several_blocks(tables):
    measure = "alpha_beta_nDCG(alpha_by='popularity')@3"
    same(scores, tables, measure, sizes=(1000,))
    (error, message, _), _ = outcome(lambda: divided(*tables, block_requests=2).evaluate(measure))
    assert error is tb.InputError and "looks at the ratings of all users" in message


def test_ratings_are_noted_alike(tmp_path):
    judged, runs = make_rows()
    rated = [
        (*row[:2], float(n % 5 + 1), row[3])
        for n, row in enumerate(dict.fromkeys((r, i, 0, s) for r, i, _, s in judged))
    ]
    tables = store(tmp_path, rated, runs)
    (*_, notes, _), _ = same(scores, tables, ["S-Recall@3"])
    assert any("Grades look like ratings, from 1 to 5" in note for note in notes)
    same(scores, tables, ["S-Recall@3"], min_grade=4, binary=True, requests="common")


def test_subtopics_without_grades_and_with_booleans(tmp_path):
    judged, runs = make_rows()
    _, paths = store(tmp_path, judged, runs)
    ungraded = [(request, item, subtopic) for request, item, _, subtopic in judged]
    path = parquet_file(ungraded, tmp_path, "qrels", ("user_id", "item_id", "subtopic"))
    (*_, notes, _), _ = same(scores, (path, paths), ["S-Recall@3"], columns={"grade": None})
    assert "The judgements have no grades: every listed item is relevant." in notes
    same(
        scores, (parquet_file([(r, i, g > 1, s) for r, i, g, s in judged], tmp_path, "qrels", JUDGED), paths), MEASURES
    )


@pytest.mark.filterwarnings("ignore::tiebreak.errors.TiebreakWarning")
@pytest.mark.parametrize(
    "options", [{"intents": {"0": 0.5, "": 0.25, "日本": 0.25}}, {"aspects": {"d1": ["x"], "é": ["y"]}}], ids=str
)
def test_other_tables_are_held_and_so_are_judgements(tables, options):
    whole = scores(tb.Experiment(*tables, **options), ["alpha_nDCG@5", "S-Recall@5"])
    exp = tb.Experiment(*tables, block_requests=3, **options)
    assert len(exp.judgements) and scores(exp, ["alpha_nDCG@5", "S-Recall@5"]) == whole


def contradict(judged, runs):
    judged += [(*judged[3][:2], 7.0, judged[3][3]), (*judged[0][:2], 8.0, judged[0][3])]


def spoil_a_grade(judged, runs):
    judged += [("q12é", "new", float("inf"), "0"), ("", "new", float("nan"), "0")]


def contradict_before_a_bad_grade(judged, runs):
    contradict(judged, runs)
    spoil_a_grade(judged, runs)


def spoil_a_grade_before_others(judged, runs):
    spoil_a_grade(judged, runs)
    contradict(judged, runs)


def contradict_before_a_run_without_an_item(judged, runs):
    contradict(judged, runs)
    runs["new"] = [("q1é", None, 1.0), *runs["new"]]


def leave_out_a_subtopic(judged, runs):
    judged += [("q9é", "new", 1.0, None), (None, "new", 1.0, "0")]


def leave_out_a_request_before_a_subtopic(judged, runs):
    judged += [(None, "new", 1.0, "0"), ("q9é", "new", 1.0, None)]


def leave_out_a_grade_before_a_subtopic(judged, runs):
    judged += [("q9é", "new", None, "0"), ("q9é", "newer", 1.0, None)]


def repeat_items(judged, runs):
    late = next(row for row in runs["old"] if row[0] == "q16é")
    runs["old"] = [*runs["old"], late, runs["old"][0]]


def judge_nothing_relevant(judged, runs):
    judged[:] = [(*row[:2], 0.0, row[3]) for row in judged]


FAULTS = {
    contradict: "conflict",
    spoil_a_grade: "grade",
    contradict_before_a_bad_grade: "conflict",
    spoil_a_grade_before_others: "grade",
    contradict_before_a_run_without_an_item: "conflict",
    leave_out_a_subtopic: "null",
    leave_out_a_request_before_a_subtopic: "null",
    leave_out_a_grade_before_a_subtopic: "null",
    repeat_items: "duplicate",
    judge_nothing_relevant: "empty",
}


@pytest.mark.parametrize("measure", ["S-Recall@3", "Novelty@3"])
@pytest.mark.parametrize("change", FAULTS, ids=lambda change: change.__name__)
def test_error_is_that_of_the_whole(tmp_path, change, measure):
    judged, runs = make_rows()
    rows = len(judged)
    change(judged, runs)
    (error, message, where), _ = same_error(store(tmp_path, judged, runs), measure)
    assert issubclass(error, tb.InputError) and where["kind"] == FAULTS[change]
    if change is leave_out_a_grade_before_a_subtopic:
        rows += 1
    if change not in (repeat_items, judge_nothing_relevant):
        assert f"row {rows + 1}:" in message and where["line"] == rows + 1


@pytest.mark.parametrize("measure", ["alpha_nDCG(r_max=2)@5", "ERR-IA(r_max=2)"])
def test_grade_above_the_scale_is_refused_alike(tables, measure):
    (error, *_), _ = same_error(tables, measure)
    assert issubclass(error, tb.InputError)


def same_error(tables, measure):
    whole = outcome(lambda: tb.Experiment(*tables).evaluate(measure))
    for size in SIZES:
        assert outcome(lambda size=size: tb.Experiment(*tables, block_requests=size).evaluate(measure)) == whole
    return whole


def test_repeated_rows_with_the_same_grade_count_once(tmp_path):
    judged, runs = make_rows()
    same(scores, store(tmp_path, [*judged, *judged[::2]], runs), MEASURES)


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_the_plan_says_that_grades_are_looked_at_once_more(tables):
    steps = [row.what for row in divided(*tables, block_requests=3).plan().values]
    assert steps[0] == "judgements and 3 runs in batches, written to temporary files by request"
    assert steps[1] == "the grades of items over their subtopics, in one pass over the judgements"
