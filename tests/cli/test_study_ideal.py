"""``tiebreak study ideal``: from files, without runs."""

import csv
import io

import pytest

from cli.test_compare import FORMATS, done, one_line_error


@pytest.fixture
def files(tmp_path):
    (tmp_path / "ratings").write_text("u 0 a 5\nu 0 b 1\nu 0 c 3\nv 0 a 2\nv 0 c 4\n")
    (tmp_path / "genres.tsv").write_text("item\tgenre\na\twar\nb\twar\nb\tlove\nc\tlove\n")
    (tmp_path / "train.csv").write_text("user,item,rating\nu,b,3\nv,b,1\n")
    return (tmp_path / "ratings", "--aspects", tmp_path / "genres.tsv")


def rows_of(*args):
    return list(csv.DictReader(io.StringIO(done("study", "ideal", *args, "--format", "csv").stdout)))


@pytest.mark.parametrize("form", FORMATS)
def test_correlations_in_every_format(files, form):
    assert "EU@2" in done("study", "ideal", *files, "-m", "EU@2", "--format", form).stdout


def test_swap_of_two_items_by_hand(files):
    """User v: love has 4/6 of the ratings. Ideal c, a; swapped a, c: 2/6 x 2/5 + 0.99 x 4/6 x 4/5, without effort.

    User u: war has 6 of 10 and love 4: a (war), then b or c for love: c, rated more. Swapped b, c, a: b gives all of
    1/5; c 0.99 x 4/10 x 3/4 x 3/5; a 0.99^2 x 6/10 x 3/4 x 5/5.
    """
    actual = rows_of(*files, "--view", "values", "-m", "EU(e=0)@3", "--cutoff", "3")
    swapped = [row for row in actual if (row["perturbation"], row["perturbed"]) == ("bottom to top", "1")]
    u = 1 / 5 + 0.99 * 0.4 * 0.75 * 0.6 + 0.99**2 * 0.6 * 0.75
    v = 2 / 6 * 2 / 5 + 0.99 * 4 / 6 * 4 / 5
    assert [row["users"] for row in swapped] == ["2"]
    assert float(swapped[0]["mean"]) == pytest.approx((u + v) / 2)


def test_profile_is_read(files, tmp_path):
    assert rows_of(*files, "--view", "values") != rows_of(*files, "--view", "values", "--train", tmp_path / "train.csv")


@pytest.mark.parametrize("experiment", ["values", "significance", "robustness"])
def test_every_experiment_has_its_users(files, experiment):
    few = ("--systems", "3", "--removals", "2") if experiment == "robustness" else ()
    actual = rows_of(*files, "--view", experiment, *few, "--jobs", "2")
    assert actual and all(int(row["users"]) in (1, 2) for row in actual)


def test_picture_is_drawn(files, tmp_path):
    pytest.importorskip("altair")
    done("study", "ideal", *files, "--plot", tmp_path / "drawn.svg")
    assert "<svg" in (tmp_path / "drawn.svg").read_text()


@pytest.mark.parametrize("option", ["--out", "--plot"])
def test_no_table_that_is_read_is_overwritten(files, tmp_path, option):
    pytest.importorskip("altair")
    inputs = tmp_path / "genres.svg"
    inputs.write_text((tmp_path / "genres.tsv").read_text())
    message = done("study", "ideal", files[0], "--aspects", inputs, option, inputs, code=2).stderr
    assert "is also an input file" in message


def test_aspects_and_measures_of_them_are_asked_for(files):
    assert "Missing option '--aspects'" in done("study", "ideal", files[0], code=2).stderr
    assert "AP sees no aspects" in one_line_error("study", "ideal", *files, "-m", "AP")
    assert "--steps" in done("study", "ideal", *files, "--steps", "0", code=2).stderr
