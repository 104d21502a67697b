"""``tiebreak study agreement``: every view, every format, and what is refused."""

import pytest

from cli.test_compare import done, objects, one_line_error, three_runs
from tiebreak.studies import CATALOGUE

VIEWS = tuple(CATALOGUE["agreement"].views)


@pytest.fixture
def files(tmp_path):
    return three_runs(tmp_path)


@pytest.mark.parametrize("view", VIEWS)
def test_every_view(files, tmp_path, view):
    pytest.importorskip("altair")
    done("study", "agreement", *files, "--view", view, "--plot", tmp_path / "drawn.svg")
    assert "<svg" in (tmp_path / "drawn.svg").read_text()


def test_numbers_are_those_of_the_library(files):
    # Positions: one (1, 3) and (1), two (2, -) and (-), three (1, 2) and (2). RR differs for two pairs in q1, all three
    # in q2. LexiRecall agrees with each.
    rows = objects(done("study", "agreement", *files, "-m", "LexiRecall", "-m", "RR", "--format", "jsonl").stdout)
    (row,) = (row for row in rows if (row["given"], row["measure"]) == ("RR", "LexiRecall"))
    assert (row["differ"], row["agree"], row["share"]) == (5, 5, 1.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--ordering", "mc4"), "--ordering is for --view order"),
        (("--view", "nothing"), "'nothing' is not one of"),
    ],
)
def test_options_of_other_views_are_refused(files, arguments, message):
    assert message in done("study", "agreement", *files, *arguments, code=2).stderr


def test_bad_name_is_refused_before_anything_is_read(files, tmp_path):
    assert "nothing" in one_line_error(
        "study", "agreement", tmp_path / "no.txt", *files[1:], "-m", "AP", "-m", "nothing"
    )
    assert "at least two" in one_line_error("study", "agreement", tmp_path / "no.txt", *files[1:], "-m", "AP")
