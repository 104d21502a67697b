"""``tiebreak study orientation``: no files are needed."""

import json

import pytest

from cli.test_compare import FORMATS, done, objects, one_line_error


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_without_files(form):
    assert "TSE" in done("study", "orientation", "-m", "TSE", "--items", "20", "--format", form).stdout


def test_sizes_are_numbers_and_ranges():
    asked = (
        "--view",
        "ties",
        "-m",
        "RR",
        "--items",
        "10",
        "--items",
        "20-21",
        "--relevant",
        "2-3",
        "--format",
        "jsonl",
    )
    result = objects(done("study", "orientation", *asked).stdout)
    assert [(row["items"], row["relevant"]) for row in result] == [(n, m) for n in (10, 20, 21) for m in (2, 3)]


def test_rankings_are_truncated_within_the_corpus():
    asked = ("study", "orientation", "--view", "depth", "--items", "100", "--relevant", "2")
    assert "depth=200. Give a whole number from 1 to 100." in one_line_error(*asked, "--depth", "200")


def test_users_own_function_is_a_measure(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_last_item.py").write_text("def last(p):\n    return 1 / p[-1]\n")
    asked = ("--view", "properties", "-m", "own_last_item:last", "--items", "6", "--relevant", "2", "--format", "jsonl")
    result = {row["law"]: row for row in objects(done("study", "orientation", *asked).stdout)}
    assert result["strictly increasing in swapping up"]["holds"] is False
    assert result["increasing in swapping up"]["holds"] is True


def test_result_is_written_and_drawn(tmp_path):
    pytest.importorskip("altair")
    files = ("--plot", tmp_path / "drawn.svg", "-o", tmp_path / "found.jsonl")
    done("study", "orientation", "--items", "10", "--relevant", "2", "--format", "jsonl", *files)
    assert "<svg" in (tmp_path / "drawn.svg").read_text()
    assert len([json.loads(line) for line in (tmp_path / "found.jsonl").read_text().splitlines()]) == 2 * 7


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["--relevant", "5-2"], "Give a number, such as 10, or a range, such as 5-50."),
        (["--items", "many"], "Give a number"),
        (["-m", "Recal@5"], "Recal"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(asked, message):
    ended = done("study", "orientation", *asked, code=2)
    assert message in ended.stderr and ended.stdout == ""


def test_picture_and_table_are_not_the_same_file(tmp_path):
    pytest.importorskip("altair")
    same = tmp_path / "same.svg"
    ended = done("study", "orientation", "--plot", same, "-o", same, "--format", "csv", code=2)
    assert "name the same file" in ended.stderr


def test_unknown_view_is_refused():
    assert "'turning'" in done("study", "orientation", "--view", "turning", code=2).stderr
    assert "items=13" in one_line_error("study", "orientation", "--view", "properties", "--items", "13")


def test_ties_of_random_rankings_at_any_size():
    sizes = ("--items", "40", "--relevant", "2-4", "--requests", "5", "--samples", "2", "--depth", "40", "--depth", "5")
    asked = ("study", "orientation", "--view", "depth", *sizes, "-m", "RR", "-m", "LexiRecall")
    rows = objects(done(*asked, "--format", "jsonl").stdout)
    assert [(row["depth"], row["measure"]) for row in rows] == [
        (40, "RR"),
        (40, "LexiRecall"),
        (5, "RR"),
        (5, "LexiRecall"),
    ]
    assert "20 rankings of 40 items for each of 5 requests with 2 to 4 relevant items" in done(*asked).stdout


def test_order_of_possible_users_is_drawn(tmp_path):
    asked = ("study", "orientation", "--view", "users", "--relevant", "3", "--level", "2")
    rows = {row["user"]: row for row in objects(done(*asked, "--format", "jsonl").stdout)}
    assert rows["1 2"] == {"user": "1 2", "height": 3, "part": "ends by then", "below": ["2", "1 3"]}
    pytest.importorskip("altair")
    done(*asked, "--plot", tmp_path / "users.svg")
    drawing = (tmp_path / "users.svg").read_text()
    assert ">123<" in drawing and "deciding" in drawing
