"""``tiebreak worst`` and ``tiebreak providers``: users and providers who are served worst."""

from fractions import Fraction

import pytest

from cli.test_compare import done, objects, one_line_error, ranking

SMALL = ("--items", "9", "--relevant", "1-4")


@pytest.fixture
def files(tmp_path):
    """Positions of a, b and c in q1, and of a in q2: new (1, 4, -) and (1), old (3, 2, 5) and (2)."""
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 1\nq1 0 c 2\nq2 0 a 1\n")
    (tmp_path / "new.run").write_text(ranking("q1", "a", "x", "y", "b") + ranking("q2", "a"))
    (tmp_path / "old.run").write_text(ranking("q1", "x", "b", "a", "y", "c") + ranking("q2", "x", "a"))
    (tmp_path / "providers.tsv").write_text("item\tprovider\na\tann\nb\tbob\nc\tann\n")
    return tuple(map(str, (tmp_path / "qrels.txt", tmp_path / "new.run", tmp_path / "old.run")))


def providers(files, *options):
    table = files[0].replace("qrels.txt", "providers.tsv")
    return done("providers", *files, "--providers", table, *options)


def test_worst_off_users_are_told_with_their_items(files):
    assert objects(done("worst", *files, "--format", "jsonl").stdout) == [
        {"run": "new", "request": "q1", "utility": 0, "items": ["c"]},
        {"run": "new", "request": "q2", "utility": 1, "items": ["a"]},
        {"run": "old", "request": "q1", "utility": 1 / 5, "items": ["c"]},
        {"run": "old", "request": "q2", "utility": 1 / 2, "items": ["a"]},
    ]
    text = done("worst", *files).stdout
    assert "theorem C.1" in text and "Relevant is a grade above 0" in text


def test_worst_off_users_by_another_metric_and_grade(files):
    rows = objects(done("worst", *files, "-m", "R@2", "--min-grade", "1", "--format", "jsonl").stdout)
    # Of R@2 both b and c are worst off in q1 of the new run, a and c in that of the old one.
    assert [(row["utility"], row["items"]) for row in rows] == [
        (0, ["b", "c"]),
        (1, ["a"]),
        (0, ["a", "c"]),
        (1, ["a"]),
    ]
    rows = objects(done("worst", *files, "-m", "AP(rel=2)", "--format", "jsonl").stdout)
    assert [(row["request"], row["utility"]) for row in rows] == [("q1", 0), ("q1", 1 / 5)]


def test_worst_off_users_by_ones_own_exposure(files, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_exposures.py").write_text(
        "from fractions import Fraction\n"
        "def e(k):\n    return Fraction(1, k)\n"
        "def z(i, m):\n    return Fraction(i, m)\n"
        "def rising(k):\n    return k\n"
        "def negative(k):\n    return 2 - k\n"
    )
    own = "recall_level(exposure='own_exposures:e', normalisation='own_exposures:z')"
    ours, theirs = (done("worst", *files, "-m", spec, "--format", "csv").stdout for spec in (own, "AP"))
    assert ours == theirs
    ours, theirs = (
        [row["value"] for row in objects(done("evaluate", *files, "-q", "-m", spec, "--format", "jsonl").stdout)]
        for spec in (f"TSE({own})", "TSE")
    )
    assert ours == theirs
    ours, theirs = (
        [row["loss"] for row in objects(done("study", "orientation", "-m", spec, *SMALL, "--format", "jsonl").stdout)]
        for spec in (own, "AP")
    )
    assert ours == theirs
    assert "rises" in one_line_error("evaluate", *files, "-m", "recall_level(exposure='own_exposures:rising')")
    assert "Return 0 or more" in one_line_error(
        "evaluate", *files, "-m", "recall_level(exposure='own_exposures:negative')"
    )


def test_metric_that_is_no_sum_over_recall_levels_is_refused_before_reading(files):
    for command in (("worst",), ("providers", "--providers", files[0])):
        assert "not a sum over recall levels" in one_line_error(*command, "nothing.txt", "nothing.run", "-m", "ERR")


@pytest.mark.parametrize("name", ["RPP", "invRPP", "LexiRecall", "RPP(weights='dcg')"])
def test_preference_in_place_of_a_metric_is_named(files, name):
    assert f"{name} is a preference. Give a recall-level metric, such as AP." in one_line_error(
        "worst", *files, "-m", name
    )


def test_exposure_of_providers(files):
    rows = objects(providers(files, "--format", "jsonl").stdout)
    assert [(row["run"], row["request"], row["provider"], row["exposure"], row["is_worst"]) for row in rows] == [
        ("new", "q1", "ann", 1, False),
        ("new", "q1", "bob", 1 / 4, True),
        ("new", "q2", "ann", 1, True),
        ("old", "q1", "ann", float(Fraction(1, 3) + Fraction(1, 5)), False),
        ("old", "q1", "bob", 1 / 2, True),
        ("old", "q2", "ann", 1 / 2, True),
    ]


def test_exposure_per_item_and_summed_over_requests(files):
    rows = objects(providers(files, "--view", "totals", "--per-item", "--format", "jsonl").stdout)
    assert [(row["run"], row["provider"], row["requests"], row["exposure"]) for row in rows] == [
        ("new", "ann", 2, 1 / 2 + 1),
        ("new", "bob", 1, 1 / 4),
        ("old", "ann", 2, float((Fraction(1, 3) + Fraction(1, 5)) / 2 + Fraction(1, 2))),
        ("old", "bob", 1, 1 / 2),
    ]


def test_runs_are_ordered_and_compared_by_leximin_over_providers(files):
    rows = objects(providers(files, "--view", "order", "--format", "jsonl").stdout)
    # Totals: new bob 1/4, old bob 1/2
    assert {row["run"]: row["rank"] for row in rows} == {"old": 1, "new": 2}
    assert "Over 2 providers." in providers(files, "--view", "order").stdout
    (row,) = objects(providers(files, "--view", "pairs", "--format", "jsonl").stdout)
    assert (row["measure"], row["wins"], row["ties"], row["losses"]) == ("ProviderLeximin(AP)", 1, 0, 1)


def test_items_without_a_provider_are_an_error_or_left_out(files, tmp_path):
    (tmp_path / "providers.tsv").write_text("item\tprovider\nb\tbob\n")
    table = ("--providers", tmp_path / "providers.tsv")
    assert "relevant items have no provider" in one_line_error("providers", *files, *table)
    rows = objects(done("providers", *files, *table, "--missing", "skip", "--format", "jsonl").stdout)
    assert [row["exposure"] for row in rows] == [1 / 4, 1 / 2]


def test_output_does_not_overwrite_the_providers(files):
    table = files[0].replace("qrels.txt", "providers.tsv")
    assert "also an input file" in done("providers", *files, "--providers", table, "-o", table, code=2).stderr


def test_top_heaviness_has_a_counterexample():
    asked = ("study", "orientation", "--view", "top-heaviness", "--items", "8", "--relevant", "3", "--format", "jsonl")
    by_measure = {row["measure"]: row for row in objects(done(*asked, "-m", "AP", "-m", "NCP(weights='1,0,5')").stdout)}
    assert by_measure["AP"]["holds"] is True and by_measure["AP"]["case"] is None
    # 1/6 + 15/6 * 1/8 < 1/2: see tests/analysis/test_top_heaviness.py
    assert by_measure["NCP(weights='1,0,5')"]["holds"] is False
    assert "1, 2, 8" in by_measure["NCP(weights='1,0,5')"]["case"]
