"""``tiebreak study``: every study in every format, drawn, and what is refused."""

import pytest

from cli.test_compare import FORMATS, done, one_line_error, three_runs


@pytest.fixture
def files(tmp_path):
    return three_runs(tmp_path)


@pytest.mark.parametrize("form", FORMATS)
def test_power_in_every_format(files, form):
    assert "LexiRecall" in done("study", "power", *files, "-m", "LexiRecall", "--format", form).stdout


def test_studies_are_listed():
    assert "power" in done("study", "--help").stdout


def test_picture_is_drawn(files, tmp_path):
    pytest.importorskip("altair")
    done("study", "power", *files, "-m", "LexiRecall", "--plot", tmp_path / "drawn.svg")
    assert "<svg" in (tmp_path / "drawn.svg").read_text()


def test_picture_that_cannot_be_drawn_is_refused_before_any_work(files, tmp_path):
    said = one_line_error("study", "power", *files, "--plot", tmp_path / "drawn.gif")
    assert ".png, .svg, .pdf, .html" in said
