"""``tiebreak study``: every study in every format, drawn, and what is refused."""

import pytest

from cli.test_compare import FORMATS, done, one_line_error, three_runs
from tiebreak.studies import CATALOGUE


@pytest.fixture
def files(tmp_path):
    return three_runs(tmp_path)


@pytest.mark.parametrize("form", FORMATS)
def test_power_in_every_format(files, form):
    assert "LexiRecall" in done("study", "power", *files, "-m", "LexiRecall", "--format", form).stdout


def test_studies_are_listed():
    help_ = done("study", "--help").stdout
    assert all(f"\n  {name} " in help_ for name in CATALOGUE)


@pytest.mark.parametrize("name", CATALOGUE)
def test_help_tells_views_and_options(name):
    study, help_ = CATALOGUE[name], done("study", name, "--help").stdout
    assert all(f"{view}: {text}" in help_ for view, text in study.views.items())
    assert all((option.flag or f"--{option.name.replace('_', '-')}") in help_ for option in study.options)


def test_picture_is_drawn(files, tmp_path):
    pytest.importorskip("altair")
    done("study", "power", *files, "-m", "LexiRecall", "--plot", tmp_path / "drawn.svg")
    assert "<svg" in (tmp_path / "drawn.svg").read_text()


def test_picture_that_cannot_be_drawn_is_refused_before_any_work(files, tmp_path):
    message = one_line_error("study", "power", *files, "--plot", tmp_path / "drawn.gif")
    assert ".png, .svg, .pdf, .html" in message


def test_picture_and_table_in_one_file_are_refused_however_it_is_named(files, tmp_path, monkeypatch):
    pytest.importorskip("altair")
    monkeypatch.chdir(tmp_path)
    message = done("study", "power", *files, "--plot", "a.png", "-o", "./a.png", "--format", "csv", code=2).stderr
    assert "name the same file" in message


def test_missing_folder_is_told_before_any_work(files, tmp_path):
    message = done("study", "power", *files, "-o", tmp_path / "none" / "x.csv", code=2).stderr
    assert "there is no folder" in message


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (("ties", "QRELS", "--samples", "5"), "--samples is for --view labels"),
        (("agreement", "QRELS", "--seed", "3"), "--seed is for --view sign"),
        (("orientation", "--view", "properties", "--pairs", "4"), "--pairs is for --view ties"),
        (("ideal", "RATINGS", "--aspects", "none", "--systems", "7"), "--systems is for --view robustness"),
    ],
)
def test_options_that_a_view_has_no_use_for_are_refused(files, typed, message):
    inputs = [part for word in typed for part in (files if word == "QRELS" else [word])]
    assert message in done("study", *inputs, code=2).stderr
