"""``tiebreak study ties``: every view, in every format, drawn, and what is refused."""

import pytest

from cli.test_compare import FORMATS, done, objects, one_line_error, three_runs

VIEWS = ("measure", "level", "retrieved", "labels", "depth")


@pytest.fixture
def files(tmp_path):
    return three_runs(tmp_path)


# RR is 1, 1/2, 1 in q1 and 1, 0, 1/2 in q2: one tie among six comparisons. R@9 is 1, 1/2, 1 and 1, 0, 1: two.


def test_ties_by_measure(files):
    actual = objects(done("study", "ties", *files, "-m", "RR", "-m", "R@9", "-m", "RR", "--format", "jsonl").stdout)
    assert actual == [
        {"measure": "RR", "compared": 6, "tied": 1, "share": 1 / 6},
        {"measure": "R@9", "compared": 6, "tied": 2, "share": 2 / 6},
    ]


def test_relevant_items_that_rankings_retrieve(files):
    rows = objects(done("study", "ties", *files, "--view", "retrieved", "--format", "jsonl").stdout)
    # R@9 above: of 2 and 1 relevant items one retrieves 2 and 1, two 1 and 0, three 2 and 1.
    assert [(row["run"], row["mean"]) for row in rows] == [
        ("one", 1.5),
        ("two", 0.5),
        ("three", 1.5),
        ("all runs", 7 / 6),
    ]


@pytest.mark.parametrize("form", FORMATS)
def test_labels_in_every_format(files, form):
    message = done("study", "ties", *files, "--view", "labels", "-m", "RR", "--samples", 2, "--format", form).stdout
    assert "RR" in message and "0.5" in message


@pytest.mark.one_in(2)
@pytest.mark.parametrize("by", VIEWS)
def test_every_view_is_drawn(files, tmp_path, by):
    pytest.importorskip("altair")
    few = ("--samples", 2) if by == "labels" else ()
    done("study", "ties", *files, "--view", by, *few, "--plot", tmp_path / "drawn.svg")
    assert "<svg" in (tmp_path / "drawn.svg").read_text()


def test_samples_are_as_many_as_asked_for(files):
    labels = ("study", "ties", *files, "--view", "labels", "-m", "RR", "--format", "jsonl")
    spread = [{row["sd"] for row in objects(done(*labels, "--samples", n).stdout)} for n in (1, 2)]
    assert spread[0] == {None} and None not in spread[1]  # one sample has no spread


def test_rankings_are_cut_before_they_are_studied(files):
    rows = objects(
        done("study", "ties", *files, "--view", "depth", "-m", "RR", "--depth", 2, "--format", "jsonl").stdout
    )
    assert [row["depth"] for row in rows] == [1, 2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--view", "level", "-m", "RR"], "uses positions only"),
        (["--view", "depth", "-m", "ASL(n='union')"], "needs more than the positions"),
        (["-m", "APP"], "unknown preference"),
    ],
)
def test_what_cannot_be_shown_is_refused_before_files_are_read(tmp_path, options, message):
    assert message in one_line_error("study", "ties", tmp_path / "none.txt", tmp_path / "none.run", *options)


def test_labels_that_few_runs_retrieve_are_removed_first(files):
    asked = ("study", "ties", *files, "-m", "AP", "--samples", "3")
    assert "in proportion to the number of runs" in done(*asked, "--view", "labels", "--remove", "pool").stdout
    assert "--remove is for --view labels" in done(*asked[:-2], "--remove", "pool", code=2).stderr
