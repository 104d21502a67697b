"""Ratings all of which count as relevant are noted."""

import pytest

import tiebreak as tb
from cli.running import run

STARS = [0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5]


def notes(grades, **options):
    rated = {"u": {f"i{k}": grade for k, grade in enumerate(grades)}}
    return " ".join(tb.Experiment(rated, {"u": {"i0": 1.0}}, **options).evaluate("AP").notes)


@pytest.mark.parametrize(
    ("grades", "options", "low", "high"),
    [
        (STARS, {}, "0.5", "4"),
        (STARS, {"binary": True}, "0.5", "4"),
        (STARS, {"min_grade": 0.5}, "0.5", "4"),
        (STARS, {"min_grade": 1}, "1", "4"),
        ([1, 2, 3, 4, 5], {}, "1", "4"),
        ([1, 2, 3, 4], {}, "1", "3"),
        (range(1, 11), {}, "1", "8"),
        ([20, 40, 60, 80, 100], {}, "20", "80"),
    ],
)
def test_low_ratings_that_are_relevant_are_noted(grades, options, low, high):
    assert f"and all from {low} on count as relevant. To count only high ones give --min-grade {high} " in notes(
        grades, **options
    )


@pytest.mark.parametrize(
    ("grades", "options"),
    [
        (STARS, {"min_grade": 4}),
        (STARS, {"min_grade": 1.5}),
        ([0, *STARS], {}),  # 0 is not relevant: these are judgements
        ([-2, 0, 1, 2, 3, 4], {}),
        ([1, 2, 3], {}),
        ([1], {}),
        ([5, 4, 4.5], {}),  # a scale of which only the high end was kept
    ],
)
def test_judgements_and_high_ratings_are_not(grades, options):
    assert "look like ratings" not in notes(grades, **options)


def test_a_measure_with_its_own_threshold_has_no_such_note():
    rated = {"u": {f"i{k}": grade for k, grade in enumerate(STARS)}}
    exp = tb.Experiment(rated, {"x": {"u": {"i0": 1.0}}, "y": {"u": {"i9": 1.0}}})
    assert "look like ratings" in " ".join(exp.compare("RPP").notes)
    assert "look like ratings" not in " ".join(exp.compare("RPP(rel=4)").notes)


def test_check_and_evaluate_say_so(tmp_path):
    (tmp_path / "ratings.txt").write_text("".join(f"u 0 i{k} {grade}\n" for k, grade in enumerate(STARS)))
    (tmp_path / "a.run").write_text("u Q0 i0 1 1.0 a\n")
    for command in ("check", "evaluate"):
        words = (command, tmp_path / "ratings.txt", tmp_path / "a.run")
        assert "give --min-grade 4 (min_grade=4)" in run(*words).stdout
        assert "look like ratings" not in run(*words, "--min-grade", "4").stdout
