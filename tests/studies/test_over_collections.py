"""Studies over several collections: the rows of each, means by hand, groups, and what happens where one fails."""

from functools import wraps

import pytest

import tiebreak as tb
from reproduce.made_up import make_collection
from tiebreak.studies import CATALOGUE
from tiebreak.studies._collection_findings import mean_or_none
from tiebreak.studies._over_collections import part_of_whole

over = tb.studies.over_collections
STUDIES = [name for name, study in CATALOGUE.items() if study.averages]
CASES = [(name, view) for name in STUDIES for view in CATALOGUE[name].views or [None]]
FEW = {"samples": 2, "fractions": [0.5]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("collections")
    for seed, name in enumerate(("one", "two", "three")):
        make_collection(root / name, requests=4 + seed, seed=seed)
    return root


def write(folder, qrels, *runs):
    (folder / "runs").mkdir(parents=True)
    (folder / "qrels.txt").write_text("".join(f"{line}\n" for line in qrels))
    for k, items in enumerate(runs):
        lines = (f"q Q0 {item} {rank} {-rank} t\n" for rank, item in enumerate(items.split(), start=1))
        (folder / "runs" / f"run{k}.run").write_text("".join(lines))
    return folder


def few(name, view):
    names = {option.name for option in CATALOGUE[name].options if view in (option.views or (view,))}
    return {key: value for key, value in FEW.items() if key in names} | ({} if view is None else {"view": view})


def test_means_by_hand(tmp_path):
    """RR ties the one pair of the first collection and not that of the second: (1 + 0) / 2."""
    write(tmp_path / "a", ["q 0 x 1", "q 0 y 1"], "x y", "x n y")
    write(tmp_path / "b", ["q 0 x 1", "q 0 y 1"], "x y", "n x y")
    result = over("ties", tmp_path, measures=["RR", "LexiRecall"])
    assert result.columns == ("collection", "measure", "share", "compared", "tied")
    assert result.rows() == (
        ("a", "RR", 1.0, 1, 1),
        ("a", "LexiRecall", 0.0, 1, 0),
        ("b", "RR", 0.0, 1, 0),
        ("b", "LexiRecall", 0.0, 1, 0),
        ("mean", "RR", (1 + 0) / 2, None, None),
        ("mean", "LexiRecall", 0.0, None, None),
    )
    table = result.table()
    assert table.header == ("collection", "RR", "LexiRecall")
    assert table.rows == (("a", "1.0000", "0.0000"), ("b", "0.0000", "0.0000"), ("mean", "0.5000", "0.0000"))
    assert result.conclusion == (
        "Over 2 collections, mean share of comparisons that tie: highest RR 0.500; lowest LexiRecall 0.000."
    )


def test_conclusion_names_all_measures_with_the_highest_mean(tmp_path):
    write(tmp_path / "a", ["q 0 x 1", "q 0 y 1"], "x y", "x n y")
    result = over("ties", tmp_path, measures=["RR", "LexiRecall", "AP"])
    assert result.conclusion.endswith(": highest RR 1.000; lowest LexiRecall, AP 0.000.")
    assert over("ties", tmp_path, measures=["AP", "LexiRecall"]).conclusion.endswith(": AP, LexiRecall 0.000.")
    missing = over("missing", tmp_path, measures=["AP", "LexiRecall"], fractions=[0], samples=1)
    assert missing.conclusion.endswith(": (0.0, AP), (0.0, LexiRecall) 1.000.")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "view"), CASES)
def test_every_view_has_the_rows_of_each_collection_alone(folder, name, view):
    options = few(name, view)
    result = over(name, folder, **options)
    assert list(result.parts) == ["one", "three", "two"]
    records = list(result.records())
    alone = [row for row in over(name, folder / "two", **options).records() if row["collection"] == "two"]
    assert alone and repr(alone) == repr([row for row in records if row["collection"] == "two"])
    means = [row for row in records if row["collection"] == "mean"]
    assert bool(means) == bool(result.averages)
    keys = [key for key in CATALOGUE[name].keys if key in result.columns]
    for row in means:
        for column in result.averages:
            same = [one for one in records if one["collection"] != "mean" and all(one[k] == row[k] for k in keys)]
            assert row[column] == mean_or_none(one[column] for one in same)
    assert all(note.endswith(".") for note in result.notes) and repr(result) and r"\toprule" in result.to_latex()
    picture, columns, drawn = result.picture()
    assert set(picture.columns) <= set(columns) and all(len(row) == len(columns) for row in drawn)
    pytest.importorskip("altair")
    assert result.plot()


def test_numbers_title_no_columns(folder):
    assert over("validity", folder, view="threshold").table().header == ("collection", "threshold", "tau_b", "tied")
    assert over("missing", folder, measures="RR", **FEW).table().header == ("collection", "removed", "RR")


def test_cells_are_written_as_in_the_study_itself(folder):
    """Power in percent."""
    result = over("power", folder, measures="RPP")
    assert [row[1] for row in result.table().rows] == [f"{100 * row['share']:.2f}" for row in result.records()]
    mean = [*result.records()][-1]["share"]
    assert result.conclusion == (f"Over 3 collections, mean share of pairs shown to differ: RPP {100 * mean:.2f}%.")


def test_columns_that_the_table_leaves_out_are_named(folder):
    result = over("power", folder, measures="RPP")
    note = "Not in the table: test, correction, pairs, separated, low, high; other formats list them."
    assert note in result.notes and {"low", "high"} <= {*result.columns}
    assert not any("Not in the table" in note for note in over("validity", folder, view="threshold").notes)


def test_mean_is_over_the_collections_that_have_a_value():
    assert mean_or_none([0.25, None, float("nan"), 0.75]) == (0.25 + 0.75) / 2
    assert mean_or_none([None]) is None


def test_groups_have_their_own_means(tmp_path):
    """Rankings of up to 100 items are shallow, of up to 1000 standard, of more deep (LR 6.1.1)."""
    items = [f"n{k}" for k in range(1001)]
    lists = {"s": "x y", "s2": "n x y", "d": " ".join(["x", *items]), "m": " ".join(["x", *items[:100]])}
    for name, one in lists.items():
        write(tmp_path / name, ["q 0 x 1", "q 0 y 1"], one, one)
    places = {name: {"folder": tmp_path / name, "kind": "long" if name in "dm" else "short"} for name in lists}
    result = over("ties", places, measures="RR", group_by=("kind", "depth"))
    assert [row[:3] for row in result.rows()] == [
        ("short", "shallow", "s"),
        ("short", "shallow", "s2"),
        ("short", "shallow", "mean"),
        ("long", "deep", "d"),
        ("long", "deep", "mean"),
        ("long", "standard", "m"),
        ("long", "standard", "mean"),
        ("all", "all", "mean"),
    ]
    assert result.columns[:4] == ("kind", "depth_class", "collection", "measure")


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("name", "view"), CASES)
def test_groups_are_drawn_by_their_means(folder, name, view):
    """As LR draws Figs 10 to 15; what has no mean is drawn for each collection."""
    result = over(name, folder, group_by="depth", **few(name, view))
    picture, columns, drawn = result.picture()
    assert set(picture.columns) <= set(columns) and all(len(row) == len(columns) for row in drawn)
    if result.averages:
        means = [row for row in result.records() if row["depth_class"] == "shallow" and row["collection"] == "mean"]
        values = [row[list(columns).index(result.averages[0])] for row in drawn]
        assert values == [row[result.averages[0]] for row in means]


def test_collections_are_read_as_their_list_says_and_else_as_all(tmp_path):
    graded = ["q 0 x 1", "q 0 y 4"]
    for name in ("a", "b"):
        write(tmp_path / name, graded, "x y", "y x")
    places = {"a": tmp_path / "a", "b": {"folder": tmp_path / "b", "min_grade": 4}}
    ties = over("ties", places, measures="LexiRecall", reading={"min_grade": 1}).rows()
    assert [row[2] for row in ties] == [1.0, 0.0, 0.5]  # with both relevant they tie


def test_failure_of_one_does_not_lose_the_others(folder, tmp_path):
    places = {name: folder / name for name in ("one", "two")}
    places["bad"] = write(tmp_path / "bad", ["q 0 x 1"], "x")
    (tmp_path / "bad" / "runs" / "run1.run").write_text("q Q0 x 1 not-a-number t\n")
    places["none"] = tmp_path / "none"
    result = over("ties", places, measures="RR")
    assert list(result.parts) == ["one", "two"] and list(result.failures) == ["bad", "none"]
    assert "not-a-number" in result.failures["bad"]
    assert any(note.startswith("bad failed: ") for note in result.notes)
    whole = over("ties", {name: folder / name for name in ("one", "two")}, measures="RR")
    assert result.rows() == whole.rows()


def test_own_errors_are_told_too(folder, monkeypatch):
    ties = tb.studies._ties.ties

    @wraps(ties)
    def fail(experiment, measures=None, **options):
        if len(experiment.judgements.requests) == 4:
            raise ZeroDivisionError("by hand")
        return ties(experiment, measures, **options)

    monkeypatch.setattr("tiebreak.studies._ties.ties", fail)
    assert over("ties", folder, measures="RR").failures == {"one": "ZeroDivisionError: by hand"}


def test_where_all_fail_it_is_an_error(tmp_path):
    (tmp_path / "x" / "runs").mkdir(parents=True)
    with pytest.raises(tb.InputError, match=r"no collection could be studied\. x: .*x: there are no judgements"):
        over("ties", tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"study": "axioms"}, 'unknown value for study "axioms"'),
        ({"view": "measures"}, 'Did you mean "measure"'),
        ({"measures": "no_such"}, "no_such"),
        ({"sample": 3}, 'Did you mean "samples"'),
        ({"study": "validity", "measures": "RPP"}, "RPP is a preference; utilities need a metric"),
        ({"group_by": "size"}, "group_by"),
        ({"group_by": "kind"}, "no collection has a kind"),
        ({"jobs": 0}, "jobs"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_read(folder, options, message):
    with pytest.raises(tb.InputError, match=message):
        over(**{"study": "ties", "collections": folder, **options})


def test_studies_of_runs_take_collections():
    assert {"ties", "agreement", "power", "missing", "validity"} <= {*STUDIES}
    assert all(CATALOGUE[name].reads.startswith("runs") and CATALOGUE[name].keys for name in STUDIES)


def test_progress_is_one_and_never_goes_back(folder):
    ticks = []
    over("power", folder, measures=["RPP", "AP"], test="hsd", permutations=50, tick=lambda *now: ticks.append(now))
    done = [now for now, _ in ticks]
    assert {end for _, end in ticks} == {300} and done == sorted(done) and done[-1] == 300


def test_progress_within_a_collection():
    ticks = []
    part = part_of_whole(lambda *now: ticks.append(now), 1, 4)
    for now in (1, 2, 1):
        part(now, 2)
    assert ticks == [(150, 400), (200, 400), (200, 400)]
    assert part_of_whole(None, 1, 4) is None
