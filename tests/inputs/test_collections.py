"""Which folders are collections, which file holds their judgements, and what a list of them says."""

from inspect import signature

import pytest

import tiebreak as tb
from tiebreak.inputs.collections import FILES, OPTIONS, find_collections


def test_lists_know_all_that_an_experiment_is_read_with():
    others = {"judgements", "runs", "memory", "jobs", "audit", "block_requests", "engine"}
    assert {*OPTIONS, *FILES} == {*signature(tb.Experiment).parameters} - others


def make(folder, *files):
    (folder / "runs").mkdir(parents=True)
    for name in files or ("qrels.txt",):
        (folder / name).write_text("q 0 a 1\n")
    return folder


def names(places, **how):
    return [one.name for one in find_collections(places, **how)]


def test_folder_with_runs_is_a_collection_and_a_folder_of_such_is_several(tmp_path):
    for name in ("b", "a"):
        make(tmp_path / name)
    (tmp_path / "notes").mkdir()
    assert names(tmp_path / "b") == ["b"]
    assert names(tmp_path) == ["a", "b"]  # by name; what has no runs is none
    assert names([tmp_path / "b", str(tmp_path / "a")]) == ["b", "a"]
    assert names([tmp_path / "b", tmp_path]) == ["b", "a"]


@pytest.mark.parametrize(
    ("files", "chosen"),
    [
        (["qrels"], "qrels"),
        (["qrels.txt.gz"], "qrels.txt.gz"),
        (["qrels.txt", "qrels.diversity.txt.gz"], "qrels.txt"),
        (["qrels.stars.txt", "train.tsv"], "qrels.stars.txt"),
    ],
)
def test_judgements_are_called_qrels(tmp_path, files, chosen):
    (one,) = find_collections(make(tmp_path / "x", *files))
    assert one.judgements == str(tmp_path / "x" / chosen)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (["judged.txt"], "there are no judgements. Call them qrels.txt."),
        (["qrels.a.txt", "qrels.b.txt"], r'qrels.a.txt, qrels.b.txt\? Name one: qrels="qrels.a.txt".'),
    ],
)
def test_judgements_that_cannot_be_told_are_an_error_of_their_collection(tmp_path, files, message):
    (one,) = find_collections(make(tmp_path / "x", *files))
    with pytest.raises(tb.InputError, match=message):
        one.judgements  # noqa: B018


def test_judgements_can_be_named_for_all(tmp_path):
    (one,) = find_collections(make(tmp_path / "x", "qrels.txt", "qrels.diversity.txt"), qrels="qrels.diversity.txt")
    assert one.judgements.endswith("qrels.diversity.txt")


LIST = """
[web]
folder = "a"
kind = "retrieval"

[films]
folder = "b"
kind = "recommendation"
qrels = "qrels.stars.txt"
min_grade = 4
binary = true
aspects = "genres.tsv"
"""


def test_list_names_collections_and_says_how_each_is_read(tmp_path):
    make(tmp_path / "a")
    make(tmp_path / "b", "qrels.stars.txt")
    (tmp_path / "list.toml").write_text(LIST)
    web, films = find_collections(tmp_path / "list.toml")
    assert (web.name, web.kind, web.reading, web.judgements) == ("web", "retrieval", {}, str(tmp_path / "a/qrels.txt"))
    assert films.kind == "recommendation" and films.runs == str(tmp_path / "b" / "runs")
    assert films.reading == {"min_grade": 4, "binary": True, "aspects": str(tmp_path / "b" / "genres.tsv")}


@pytest.mark.parametrize(
    ("places", "message"),
    [
        ({}, "no collection was given"),
        ({"a": {"kind": "web"}}, 'collection "a": give its folder'),
        ({"a": 3}, 'collection "a": give its folder'),
        ({"a": {"folder": "x", "min_grad": 1}}, 'Did you mean "min_grade"'),
        ("nowhere", "nowhere: No such file or directory."),
        ("nowhere.toml", "nowhere.toml: No such file or directory."),
    ],
)
def test_what_is_no_collection_is_refused(places, message):
    with pytest.raises(tb.InputError, match=message):
        find_collections(places)


def test_folder_without_runs_is_told_what_to_give(tmp_path):
    with pytest.raises(tb.InputError, match="no folder called runs here"):
        find_collections(tmp_path)


def test_places_without_a_collection_do_not_lose_the_others(tmp_path):
    make(tmp_path / "a")
    (tmp_path / "empty").mkdir()
    places = [tmp_path / name for name in ("a", "empty", "nowhere", "nowhere.toml", "empty")]
    a, *others = find_collections(places)
    assert a.problem is None and a.judgements
    assert [one.name for one in others] == ["empty", "nowhere", "nowhere.toml"]
    for one, message in zip(others, ("no folder called runs here", "No such file", "No such file"), strict=True):
        with pytest.raises(tb.InputError, match=message):
            one.judgements  # noqa: B018
    with pytest.raises(tb.InputError, match="no folder called runs here"):
        find_collections([tmp_path / "empty"] * 2)


def test_list_that_is_no_toml_is_told_where(tmp_path):
    (tmp_path / "list.toml").write_text("[a\n")
    with pytest.raises(tb.InputError, match=r"list.toml: this is no TOML: .*line 1"):
        find_collections(tmp_path / "list.toml")


def test_collections_of_one_name_are_refused(tmp_path):
    make(tmp_path / "x" / "a")
    make(tmp_path / "y" / "a")
    with pytest.raises(tb.InputError, match='two collections are called "a"'):
        find_collections([tmp_path / "x", tmp_path / "y"])
