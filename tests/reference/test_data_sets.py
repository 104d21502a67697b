"""Real runs and judgements: both engines read them alike, and find the odd things they hold.

Data sets: TREC 2019 Deep Learning (passages), TREC 2012 Web, MovieLens; see the README in the folder that
``TIEBREAK_DATA`` names.
"""

import gzip

import numpy as np
import pytest

import tiebreak
from engines.comparing import plain, projected
from tiebreak._kernels.interface import Options
from tiebreak.errors import EmptyRequestsWarning
from tiebreak.projection.reading import Plan

JUDGEMENTS = [
    ("dl19-passage", "qrels.txt"),
    ("web2012", "qrels.txt"),
    ("web2012", "qrels.diversity.txt.gz"),
    ("ml-small", "qrels.stars.txt"),
]
NUMBER_OF_RUNS = {"dl19-passage": 37, "web2012": 9, "ml-small": 13}


def runs_of(data, name):
    paths = sorted((data / name / "runs").glob("*.run.gz"))
    assert len(paths) == NUMBER_OF_RUNS[name]
    return paths


# Both engines


@pytest.mark.parametrize(("name", "file"), JUDGEMENTS)
def test_judgements_are_read_alike(data, core, twin, name, file):
    source = ("file", str(data / name / file))
    fault, rows = outcome = plain(core.read_judgements(source, None))
    assert fault is None and rows
    assert outcome == plain(twin.read_judgements(source, None))


@pytest.mark.parametrize(("name", "file"), [JUDGEMENTS[0], JUDGEMENTS[1], JUDGEMENTS[3]])
def test_runs_are_projected_alike(data, core, twin, name, file):
    judged = Plan(tiebreak.read_judgements(data / name / file), nonrelevant=True).judged
    sources = [("file", str(path)) for path in runs_of(data, name)[::3]]
    options = Options(top=10, pool=True, jobs=2)
    fault, result = outcome = projected(core, sources, judged, options)
    assert fault is None and result
    assert outcome == projected(twin, sources, judged, options)


# Odd things: each is shown to be in the bytes, then to be read as it should be


def text_of(path):
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def ranked_slowly(path):
    """``{request: [item, ...]}`` by the rule as it is written: score descending, then id descending by bytes."""
    scores = {}
    for line in text_of(path).splitlines():
        request, _, item, _, score, *_ = line.split()
        scores.setdefault(request.decode(), []).append((float(score), item))
    return {request: [item.decode() for _, item in sorted(listed, reverse=True)] for request, listed in scores.items()}


def assert_ranked_right(data, name, file, run):
    path = data / name / "runs" / f"{run}.run.gz"
    positions = tiebreak.project(data / name / file, path, top=1000)
    expected = ranked_slowly(path)
    bounds, items = positions.top[0].starts, tiebreak.inputs.Ids(*positions.top[0].items)
    for place, request in enumerate(positions.requests):
        assert items[bounds[place] : bounds[place + 1]] == expected.get(request, [])
    return positions


def columns(text):
    return list(zip(*(line.split()[:5] for line in text.splitlines()), strict=True))


def test_carriage_returns_are_counted_and_a_missing_last_line_feed_costs_no_line(data):
    run = "dssa-baseline-wt2012"
    text = text_of(data / "web2012" / "runs" / f"{run}.run.gz")
    ends = text.count(b"\r\n")
    assert ends > 10_000 and not text.endswith(b"\n")
    result = assert_ranked_right(data, "web2012", "qrels.txt", run)
    (audit,) = result.audits
    assert (audit.count("crlf"), audit.lines) == (ends, ends + 1)
    assert [(odd.kind, odd.first_line) for odd in audit.oddities] == [("crlf", 1), ("no_final_newline", ends + 1)]


@pytest.mark.parametrize(
    ("run", "kind", "count"),
    [
        ("UNH_bm25", "tabs", lambda text: sum(b"\t" in line for line in text.splitlines())),
        ("TUW19-p1-f", "rank_zero", lambda text: columns(text)[3].count(b"0")),
        ("idst_bert_p1", "scientific", lambda text: sum(b"e" in score for score in columns(text)[4])),
    ],
)
def test_odd_run_is_ranked_right_and_the_audit_says_what_is_odd(data, run, kind, count):
    result = assert_ranked_right(data, "dl19-passage", "qrels.txt", run)
    assert result.audits[0].oddities == ()
    folder = data / "dl19-passage"
    (audit,) = tiebreak.project(folder / "qrels.txt", folder / "runs" / f"{run}.run.gz", audit=True).audits
    assert audit.count(kind) == count(text_of(folder / "runs" / f"{run}.run.gz")) > 0


def test_check_finds_what_is_odd_in_every_folder(data):
    def audit(folder, judgements):
        result = tiebreak.Experiment(data / folder / judgements, data / folder / "runs", min_grade=1).audit()
        return result, {name: {odd.kind: odd.count for odd in met} for name, met in result.oddities.items()}

    actual, odd = audit("dl19-passage", "qrels.txt")
    assert odd["judgements"] == {"q0": 9260}
    assert all(odd[run.run]["tabs"] == run.lines for run in actual.runs)
    assert sum("rank_zero" in odd[run.run] for run in actual.runs) == 6
    assert {run.run for run in actual.runs if run.tied > 0.5} == {"UNH_bm25", "runid5", "test1"}
    assert min(run.score_low for run in actual.runs) < -70
    assert (min(run.depth_min for run in actual.runs), max(run.depth_max for run in actual.runs)) == (5, 1000)
    assert any("lexirecall favours the deeper run" in message for message in actual.warnings)
    assert any("in float32" in message and "runid2 (139)" in message for message in actual.warnings)

    actual, odd = audit("web2012", "qrels.txt")
    assert odd["judgements"] == {"blanks": 16_055}
    assert odd["dssa-baseline-wt2012"] == {"crlf": 13_893, "no_final_newline": 1}
    assert set(actual.judgements.grades) == {"-2", "0", "1", "2", "3", "4"}
    assert audit("web2012", "qrels.diversity.txt.gz")[0].judgements.subtopics_max == 6

    actual, odd = audit("ml-small", "qrels.stars.txt")
    assert {"0.5", "4.5"} < set(actual.judgements.grades)
    assert {run.run for run in actual.runs if run.tied > 0.5} == {"lmf", "pop"}


def test_run_whose_scores_nearly_all_tie_is_ranked_right_and_its_ties_are_counted(data):
    result = assert_ranked_right(data, "dl19-passage", "qrels.txt", "test1")
    assert np.median(result.tied[0] / result.listed[0]) > 0.96
    request, _, _, _, score = columns(text_of(data / "dl19-passage" / "runs" / "test1.run.gz"))
    for place, name in enumerate(result.requests):
        scores = [float(s) for r, s in zip(request, score, strict=True) if r.decode() == name]
        assert result.tied[0, place] == sum(scores.count(s) > 1 for s in scores)


def test_runs_may_be_of_any_depth(data):
    positions = tiebreak.project(data / "dl19-passage" / "qrels.txt", runs_of(data, "dl19-passage"))
    assert (positions.listed.min(), positions.listed.max()) == (5, 1000)
    assert (positions.retrieved == positions.listed).all()


def test_users_who_like_nothing_are_counted(data):
    path = data / "ml-small" / "qrels.stars.txt"
    best = {}
    for line in path.read_text().splitlines():
        user, _, _, stars = line.split()
        best[user] = max(best.get(user, 0), float(stars))
    nothing = [user for user, stars in best.items() if stars < 4]
    assert nothing
    message = (
        f"{len(nothing)} of {len(best)} requests have no relevant item and are left out by all measures but graded"
    )
    with pytest.warns(EmptyRequestsWarning, match=message):
        positions = tiebreak.project(path, runs_of(data, "ml-small"), min_grade=4)
    assert sum(len(bucket.requests) for bucket in positions.levels().buckets()) == len(best) - len(nothing)


def test_second_column_that_is_always_the_same_makes_no_subtopics(data):
    path = data / "dl19-passage" / "qrels.txt"
    assert b" Q0 " in path.read_bytes()
    assert tiebreak.read_judgements(path).subtopics is None


def test_several_spaces_between_columns_and_negative_grades_are_read(data):
    path = data / "web2012" / "qrels.txt"
    text = path.read_bytes()
    assert b"  " in text
    grades = [float(grade) for *_, grade in (line.split() for line in text.splitlines())]
    result = tiebreak.read_judgements(path)
    assert result.grade.min() == min(grades) == -2
    assert (len(result), (result.grade > 0).sum()) == (len(grades), sum(grade > 0 for grade in grades))


def test_fractions_of_stars_are_grades(data):
    result = tiebreak.read_judgements(data / "ml-small" / "qrels.stars.txt")
    assert np.unique(result.grade).tolist() == [k / 2 for k in range(1, 11)]


def test_grade_of_an_item_is_the_largest_of_its_subtopics(data):
    path = data / "web2012" / "qrels.diversity.txt.gz"
    largest = {}
    for line in text_of(path).decode().splitlines():
        request, _, item, grade = line.split()
        of = largest.setdefault(request, {})
        of[item] = max(of.get(item, -np.inf), float(grade))
    result = tiebreak.read_judgements(path)
    assert result.to_dict() == largest
    assert len(result.subtopics.labels) > 2
