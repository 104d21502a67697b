"""Pictures of evaluations: what they show of which rows, for few and for many systems."""

import json
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from cli.running import run
from tiebreak.results.labels import short_names
from tiebreak.results.pair_pictures import DIFFERS, NO_DIFFERENCE, PairPictures, joint_intervals
from tiebreak.results.pictures import (
    MOST_PLACES,
    MOST_REQUESTS,
    bump_chart,
    contribution_bars,
    leaderboard,
    median,
    recall_curve,
    sorted_values,
)
from tiebreak.results.record import Rows
from tiebreak.results.vega_lite import beside, vega_lite


class Pairs(Rows):
    """Pairs with marks of their own, as comparisons and tests have them."""

    columns = ("run", "other", "value", "low", "high", "is_shown")
    mark = "*"

    def is_marked(self, row):
        return row["is_shown"]


def pair_rows(*rows, runs=None):
    return PairPictures(Pairs(rows, ("A note.", "* p < 0.05.")), "RPP", runs)


def pairs_of(number):
    """Run k is better than all after it, by their distance."""
    rows = combinations(range(number), 2)
    return pair_rows(*((f"r{x:02}", f"r{y:02}", (y - x) / 100, 0.0, 1.0, y - x > 1) for x, y in rows))


# a beats b by 0.2 and loses 0.1 to c, b beats c by 0.4: sums a 0.1, b 0.2, c -0.3
CYCLE = pair_rows(("a", "b", 0.2, 0.1, 0.3, True), ("a", "c", -0.1, -0.3, 0.1, False), ("b", "c", 0.4, 0.2, 0.6, True))


def test_rule_for_marks_is_found_in_notes():
    note = "RPP over 3 requests; 5.0% tied; * p < 0.05 by a test, with Holm's correction. It is experimental."
    pairs = PairPictures(Pairs((("a", "b", 0.2, 0.1, 0.3, True),), ("A * b.", note)), "RPP")
    assert pairs.notes == ("* p < 0.05 by a test, with Holm's correction.",)


def test_runs_are_ordered_by_their_preferences_over_the_others():
    assert CYCLE.order() == ["b", "a", "c"]


def test_heat_map_has_both_signs_of_every_pair_and_the_marks_of_the_result():
    drawing = CYCLE.heat_map()
    cells = {(run, other): (value, mark) for run, other, value, mark in drawing.rows}
    assert [row[0] for row in drawing.rows[::3]] == ["b", "a", "c"]
    assert cells["a", "b"] == (0.2, "+0.20*") and cells["b", "a"] == (-0.2, "\N{MINUS SIGN}0.20*")
    assert cells["c", "a"] == (0.1, "+0.10") and cells["a", "a"] == (None, "")
    assert "* p < 0.05." in drawing.picture.notes


def test_heat_map_of_many_runs_has_dots_in_place_of_numbers():
    marks = {mark for *_, mark in pairs_of(37).heat_map().rows}
    assert marks == {"", "\N{BULLET}"}
    assert "\N{BULLET} p < 0.05." in pairs_of(37).heat_map().picture.notes


def test_forest_plot_names_the_better_run_first():
    rows = CYCLE.forest().rows
    assert rows == [
        ("b - c", 0.4, 0.2, 0.6, DIFFERS),
        ("a - c", -0.1, -0.3, 0.1, NO_DIFFERENCE),
        ("b - a", -0.2, -0.3, -0.1, DIFFERS),
    ]


def test_forest_plot_against_a_baseline_names_the_others():
    pairs = pair_rows(("a", "base", 0.2, 0.1, 0.3, True), ("b", "base", 0.4, 0.1, 0.3, False))
    assert [row[0] for row in pairs.forest(("base",)).rows] == ["b", "a"]


def test_forest_plot_of_many_pairs_shows_neighbours_and_says_so():
    drawing = pairs_of(37).forest()
    assert [row[0] for row in drawing.rows] == [f"r{k:02} - r{k + 1:02}" for k in range(36)]
    assert "Every run with the next one in the order: 36 of 666 pairs." in drawing.picture.notes


LONG = "a run with a name that is longer than any picture has room for, "


def test_long_names_keep_what_tells_them_apart():
    assert [len(name) for name in short_names([LONG + "1", LONG + "2"]).values()] == [47, 47]
    pairs = pair_rows((LONG + "1", LONG + "2", 0.2, 0.1, 0.3, True), (LONG + "1", "b", 0.1, 0.1, 0.3, True))
    first, second = (row[0] for row in pairs.forest().rows)
    assert first == "a run with \N{HORIZONTAL ELLIPSIS}room for, 1 - a run with \N{HORIZONTAL ELLIPSIS}room for, 2"
    assert second == "a run with \N{HORIZONTAL ELLIPSIS}room for, 1 - b"


@given(st.lists(st.text("ab", max_size=9), unique=True), st.integers(3, 8))
def test_short_names_differ_and_are_short_unless_they_would_not(names, most):
    short = short_names(names, most)
    assert list(short) == names and len({*short.values()}) == len(names)
    cut = {name: f"{name[: (most - 1) // 2]}\N{HORIZONTAL ELLIPSIS}{name[-((most - 1) // 2) :]}" for name in names}
    for name in names:
        assert len(short[name]) <= most or [*cut.values()].count(cut[name]) > 1


def test_interval_is_named_by_the_alpha_of_a_test():
    test = Pairs((("a", "b", 0.2, 0.1, 0.3, True),), more_settings={"alpha": 0.01})
    assert "99% intervals" in PairPictures(test, "RPP").forest().picture.title


@given(st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.sampled_from(range(n * n))))))
def test_groups_are_the_longest_intervals_without_a_difference(case):
    number, chosen = case
    differ = {frozenset(divmod(k, number)) for k in chosen if len({*divmod(k, number)}) == 2}
    fits = [
        (first, last)
        for first in range(number)
        for last in range(first, number)
        if not any(frozenset(pair) in differ for pair in combinations(range(first, last + 1), 2))
    ]
    longest = [
        (x, y) for x, y in fits if not any(low <= x and y <= high and (low, high) != (x, y) for low, high in fits)
    ]
    assert list(joint_intervals(number, differ)) == longest


def test_group_lines_join_their_first_and_last_run():
    # b and a differ, so do b and c; a and c do not
    assert CYCLE.groups().rows == [("b", "1", "b", "b"), ("a", "2", "a", "c"), ("c", "2", "a", "c")]


def test_groups_say_that_runs_without_a_common_line_need_not_differ():
    note = "Runs without a common line need not differ: heat shows every pair."
    assert note not in CYCLE.groups().picture.notes  # a and c, the only such pair, have a line
    # sums x 0.6, y -0.1, z -0.5: only x and y differ, so that x and z have no line
    pairs = pair_rows(("x", "y", 0.3, 0, 1, True), ("x", "z", 0.3, 0, 1, False), ("y", "z", 0.2, 0, 1, False))
    assert note in pairs.groups().picture.notes


def test_bump_chart_gives_runs_that_tie_places_of_their_own():
    drawing = bump_chart({"AP": {"x": 2, "y": 1, "z": 3}, "RR": {"x": 1, "y": 1, "z": 1}})
    assert [row for row in drawing.rows if row[0] == "AP"] == [
        ("AP", 1, 1, "1  y", 1, 1),
        ("AP", 2, 2, "2  x", 2, 2),
        ("AP", 3, 3, "3  z", 3, 3),
    ]
    assert [row[1:4] for row in drawing.rows if row[0] == "RR"] == [(1, 1, "1=  y"), (2, 2, "1=  x"), (3, 3, "1=  z")]
    assert {row[4:] for row in drawing.rows if row[0] == "RR"} == {(1, 3)}
    assert len(drawing.picture.notes) == 1
    assert bump_chart({"AP": {"x": 2, "y": 1}}).picture.notes == ()


def test_sorted_values_begin_with_the_worst():
    drawing = sorted_values("AP", {"x": [0.5, 0.1], "y": [0.9, 0.2]})
    assert drawing.rows == [("y", 1, 0.2), ("y", 2, 0.9), ("x", 1, 0.1), ("x", 2, 0.5)]


def test_sorted_values_of_many_runs_stand_beside_the_median():
    drawing = sorted_values("AP", {f"r{k:02}": [k / 10, k] for k in range(11)})
    assert drawing.picture.facet == "run"
    first = [row[1:] for row in drawing.rows if row[0] == "r10"]
    assert first == [
        ("this run", 1, 1.0),
        ("this run", 2, 10),
        ("median of the runs", 1, 0.5),
        ("median of the runs", 2, 5),
    ]
    assert median([3, 1, 2, 10]) == (2 + 3) / 2


def test_sorted_values_of_many_requests_keep_both_ends():
    rows = sorted_values("AP", {"x": [float(k) for k in range(10_001)]}).rows
    assert len(rows) == MOST_PLACES and rows[0] == ("x", 1, 0.0) and rows[-1] == ("x", 10_001, 10_000.0)


def test_requests_that_tie_have_no_bars():
    drawing = contribution_bars("RPP", "x", "y", [("q", 0.5), ("r", 0.0), ("s", -0.75)])
    assert drawing.rows == [("q", 0.5, "x better"), ("s", -0.75, "y better")]
    assert drawing.picture.notes == ("The runs tie in 1 of 3 requests.",)
    nothing = contribution_bars("RPP", "x", "y", [("q", 0.0), ("r", 0.0)])
    assert nothing.picture.notes == ("The runs tie in all 2 requests.",)
    many = contribution_bars("RPP", "x", "y", [(str(k), k / 100) for k in range(1, 61)])
    assert len(many.rows) == MOST_REQUESTS and many.picture.notes == ("The 50 largest values, of 60.",)


def test_leaderboard_of_one_measure_names_it_once():
    picture = leaderboard("", [("x", "AP", 0.5, 0.4, 0.6)]).picture
    assert picture.facet is None and dict(picture.titles)["value"] == "AP"
    assert leaderboard("", [("x", "AP", 0.5, None, None), ("x", "RR", 1, None, None)]).picture.facet == "measure"


def test_marks_stand_after_intervals_and_have_room():
    drawing = leaderboard("", [("x", "AP", 0.5, 0.4, 0.6), ("y", "AP", 0.4, 0.3, 0.5)], (), {("x", "AP"): "abc"})
    spec = vega_lite(*drawing)
    text = spec["layer"][-1]
    assert text["mark"]["type"] == "text" and text["encoding"]["x"]["field"] == "high"
    assert [row["mark"] for row in spec["data"]["values"]] == ["abc", ""]
    assert text["encoding"]["x"]["scale"]["padding"] == 6 + 6 * 3


def test_curves_are_as_long_as_the_longest_and_flat_where_nothing_is_found():
    drawing = recall_curve("", {"x": [2, None], "y": [1, 5], "z": [None, None]}, ())
    curves = {run: [row[1:] for row in drawing.rows if row[0] == run] for run in "xyz"}
    assert curves == {"x": [(1, 0), (2, 1), (5, 1)], "y": [(1, 1), (5, 2)], "z": [(1, 0), (5, 0)]}


# Every picture of every result, with few and with many systems


def experiment(systems, requests=12):
    """Rankings of five relevant items among ten, another order in every run and request."""
    items = [f"d{k}" for k in range(10)]
    qrels = {f"q{q}": dict.fromkeys(items[:5], 1) for q in range(requests)}
    runs = {
        f"run {s:02}": {
            q: {item: (k * 7 + s * 3 + int(q[1:]) * (s % 5)) % 11 - k / 100 for k, item in enumerate(items)}
            for q in qrels
        }
        for s in range(systems)
    }
    return tb.Experiment(qrels, [tb.Run(rankings, name=name) for name, rankings in runs.items()])


def results(systems):
    exp = experiment(systems)
    compared, (first, second, *_) = exp.compare("RPP"), exp.positions.runs
    yield exp.evaluate(["AP", "RR", "nDCG"])
    yield from (compared, exp.compare("AP", baseline=first), compared.test(), compared.bootstrap(resamples=9))
    yield from (exp.order("RPP"), exp.explain(first, second), exp.explain(first, second, "q0"), exp.utilities("AP"))
    yield from (exp.utilities("AP").evaluate(["min", "gmean"]), exp.explain(first, request="q0"))
    yield from (exp.explain(first, second, measure="leximin(AP)"), exp.interleave(first, second, "q0"))
    scores = exp.evaluate(["AP", "RR"])
    yield from (scores.against(), scores.against(first), scores.against([first, second]))
    segments = compared.by_group({f"q{q}": "odd" if q % 2 else "even" for q in range(12)})
    yield from (segments.summary(), segments.test(), segments.order())


@pytest.mark.parametrize("systems", [2, 5, *(pytest.param(size, marks=pytest.mark.slow) for size in (37, 60))])
def test_every_picture_has_a_title_its_columns_and_room(systems):
    for result in results(systems):
        for kind in result.pictures:
            picture, names, _ = result.picture(kind)
            assert {*picture.columns} <= {*names}
            whole = result.vega_lite(kind)
            json.dumps(whole, allow_nan=False)
            for spec in whole.get("concat", [whole]):
                assert spec.pop("title")["text"]
                spec.pop("data")
                assert "<" not in json.dumps(spec)  # see `draw`
                inner = spec.get("spec", spec)
                assert inner["height"] / max(systems, 2) >= 12 or kind in ("sorted", "levels", "requests")


@pytest.mark.slow
@pytest.mark.parametrize("systems", [5, 60])
def test_every_picture_is_written(systems):
    converter = pytest.importorskip("vl_convert")
    for result in results(systems):
        for kind in result.pictures:
            assert converter.vegalite_to_svg(result.vega_lite(kind)).startswith("<svg")


@pytest.mark.slow
def test_every_chart_of_altair_is_written():
    converter = pytest.importorskip("vl_convert")
    for result in results(5):
        for kind in result.pictures:
            assert converter.vegalite_to_svg(result.plot(kind).to_dict()).startswith("<svg")


def test_lines_differ_in_more_than_color():
    names = [f"m{k}" for k in range(20)]
    rows = [(name, x, x) for name in names for x in range(3)]
    from tiebreak.results.plots import Picture

    for kind in ("line", "step"):
        encoding = vega_lite(Picture(kind, "x", "y", color="name"), ("name", "x", "y"), rows)["layer"][0]["encoding"]
        ways = [encoding[channel]["scale"]["range"] for channel in ("color", "strokeDash")]
        assert len({(color, tuple(dash)) for color, dash in zip(*ways, strict=True)}) == len(names)


def test_several_measures_are_beside_each_other():
    comparisons = experiment(5).compare(["RPP", "AP"])
    for result in (comparisons, comparisons.summary()):
        titles = [spec["title"]["text"][0] for spec in result.vega_lite("heat")["concat"]]
        assert [title.partition(":")[0] for title in titles] == ["RPP", "AP"]
    table = experiment(5).evaluate(["AP", "RR"]).against("run 00")
    assert [*table.pictures] == ["leaderboard", "forest"]
    assert len(table.vega_lite("forest")["concat"]) == 2 and "concat" not in table.vega_lite()


def test_groups_are_facets_with_the_same_pairs_in_the_same_order():
    compared = experiment(4).compare("RPP")
    groups = compared.by_group({f"q{q}": "odd" if q % 2 else "even" for q in range(12)}).test()
    picture, names, rows = groups.picture("forest")
    assert picture.facet == names[0] == "group of requests"
    pairs = {group: [row[1] for row in rows if row[0] == group] for group in dict.fromkeys(row[0] for row in rows)}
    assert [*pairs] == ["even (6 requests)", "odd (6 requests)", "all (12 requests)"]
    assert pairs["even (6 requests)"] == pairs["odd (6 requests)"] and len(pairs["odd (6 requests)"]) == 6
    values = {(row[0], row[1]): row[2] for row in rows}
    for one in groups.parts["even"].rows():
        name, other = f"{one.run} - {one.other}", f"{one.other} - {one.run}"
        assert values.get(("even (6 requests)", name), -values.get(("even (6 requests)", other), 9)) == one.value


def test_a_note_of_some_groups_names_them():
    compared = experiment(4).compare("RPP")
    groups = compared.by_group({f"q{q}": "odd" if q % 2 else "even" for q in range(12)}).test()
    notes = groups.picture("heat").picture.notes
    rules = [note for note in notes if "Holm" in note]
    assert [rule.partition(": * p < 0.05 by")[0] for rule in rules] == ["even, odd", "all"]
    assert "12 comparisons" in rules[0] and "6 comparisons" in rules[1]
    assert notes[-1] == "Runs are in the same order in every group: by the sum of their preferences."


def test_groups_that_were_not_tested_are_named():
    compared = experiment(3).compare("RPP")
    groups = compared.by_group({f"q{q}": "one" if q == 0 else "others" for q in range(12)}).test()
    assert "Too few requests: one." in groups.picture("forest").picture.notes


def test_letters_of_groups_have_no_picture():
    compared = experiment(3).compare("RPP")
    groups = compared.by_group({f"q{q}": "odd" if q % 2 else "even" for q in range(12)}).test()
    with pytest.raises(tb.InputError, match="no picture"):
        groups.letter_table().plot()


def test_orders_of_groups_have_their_ranks_beside_each_other():
    compared = experiment(4).compare("RPP")
    orders = compared.by_group({f"q{q}": "odd" if q % 2 else "even" for q in range(12)}).order()
    assert [*orders.pictures] == ["scores", "bump"]
    picture, _, rows = orders.picture("scores")
    runs = [row[1] for row in rows if row[0] == "odd (6 requests)"]
    total = {
        run: sum(one.rank for part in orders.parts.values() for one in part.rows() if one.run == run) for run in runs
    }
    assert runs == sorted(runs, key=lambda run: (total[run], run)) and picture.notes == ("Runs by their mean rank.",)
    ranks = {row[0]: {} for row in orders.picture("bump").rows}
    assert [*ranks] == ["even (6 requests)", "odd (6 requests)", "all (12 requests)"]


def test_groups_have_one_scale_by_population_and_the_order_of_all_requests():
    values = {"x": {"q1": 0.1, "q2": 0.2}, "y": {"q1": 0.9, "q2": 0.1}}
    utilities = tb.Utilities(values, groups={"q1": "g", "q2": "h"})
    drawings = utilities.evaluate(["mean", "min"]).drawings()
    assert [one.picture.title.partition(" ")[0] for one in drawings] == ["mean", "min"]
    for drawing in drawings:
        assert drawing.picture.own_scales == () and [row[0] for row in drawing.rows] == ["y", "y", "y", "x", "x", "x"]
        assert [row[1] for row in drawing.rows[:3]] == ["g", "h", "all"]


def test_titles_of_populations_name_the_measure_once():
    utilities = tb.Utilities({"x": {"q": 0.1}, "y": {"q": 0.9}}, measure="AP")
    titles = [utilities.evaluate(spec).picture().picture.title for spec in ("min", "min(AP)")]
    assert titles == ["min of AP; runs by min", "min(AP); runs by min(AP)"]


def test_unknown_kind_is_refused():
    with pytest.raises(tb.InputError, match="bars"):
        experiment(2).compare("RPP").plot("bars")


def test_pictures_beside_each_other_keep_their_own_rows():
    altair = pytest.importorskip("altair")
    exp = experiment(5)
    specs = [exp.compare(measure).vega_lite() for measure in ("RPP", "AP")]
    both = beside(specs)
    assert [both["datasets"][part["data"]["name"]] for part in both["concat"]] == [
        spec["data"]["values"] for spec in specs
    ]
    from tiebreak.results.plots import draw

    assert isinstance(draw(both), altair.TopLevelMixin)


# On the command line


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    tb.simulate(8, systems=["deep", "weak", "balanced"], depth=20, items=50, relevant=4).write(folder)
    return [str(folder / "qrels.txt"), *sorted(map(str, (folder / "runs").iterdir()))]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "-m", "AP", "-m", "RR"),
        ("evaluate", "-m", "AP", "-m", "RR", "--plot-kind", "bump"),
        ("evaluate", "-m", "AP", "--plot-kind", "sorted", "-q"),
        ("evaluate", "-m", "AP", "--population", "min"),
        ("compare", "-m", "RPP", "-m", "AP"),
        ("compare", "-m", "RPP", "--plot-kind", "heat"),
        ("order", "-m", "RPP", "-m", "AP"),
        ("order", "-m", "RPP", "--bootstrap", "9"),
        ("order", "--by", "leximin(AP)"),
        ("test", "-m", "RPP", "--plot-kind", "groups"),
        ("evaluate", "-m", "AP", "-m", "RR", "--baseline", "deep"),
        ("evaluate", "-m", "AP", "-m", "RR", "--letters", "--plot-kind", "heat"),
        ("evaluate", "-m", "AP", "--baseline", "deep", "--plot-kind", "sorted"),
        ("study", "ties"),
    ],
    ids=" ".join,
)
def test_plot_of_every_command(tmp_path, files, command):
    pytest.importorskip("vl_convert")
    path = tmp_path / "plot.svg"
    names = command[:2] if command[0] == "study" else command[:1]
    result = run(*names, *files, *command[len(names) :], "--plot", str(path))
    assert result.returncode == 0, result.stderr
    assert path.read_text().startswith("<svg") and result.stdout


@pytest.mark.parametrize("command", ["evaluate", "compare", "order", "test"])
def test_plot_of_groups(tmp_path, files, command):
    pytest.importorskip("vl_convert")
    (tmp_path / "groups.csv").write_text(
        "request,group\n" + "".join(f"q{k:02},{'odd' if k % 2 else 'even'}\n" for k in range(1, 9))
    )
    path = tmp_path / "plot.svg"
    result = run(command, *files, "-m", "AP", "--groups", str(tmp_path / "groups.csv"), "--plot", str(path))
    assert result.returncode == 0, result.stderr
    drawn = path.read_text()
    assert "even" in drawn and "odd" in drawn


@pytest.mark.parametrize(
    "options",
    [(), ("--request", "q01"), ("--request", "q01", "--interleaved"), ("-m", "leximin(AP)")],
    ids=" ".join,
)
def test_plot_of_an_explanation(tmp_path, files, options):
    pytest.importorskip("vl_convert")
    path = tmp_path / "plot.svg"
    assert run("explain", *files[:3], *options, "--plot", str(path)).returncode == 0
    assert path.read_text().startswith("<svg")


def test_plot_of_one_ranking(tmp_path, files):
    pytest.importorskip("vl_convert")
    path = tmp_path / "plot.svg"
    assert run("explain", *files[:2], "--request", "q01", "--plot", str(path)).returncode == 0
    assert path.read_text().startswith("<svg")


def test_plot_has_the_marks_of_the_test_that_was_asked_for(tmp_path, files):
    pytest.importorskip("vl_convert")
    path = tmp_path / "plot.svg"
    assert run("compare", *files, "-m", "AP", "--test", "wilcoxon", "--plot", str(path)).returncode == 0
    assert "Wilcoxon" in path.read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("compare", "--plot-kind", "heat"), "--plot-kind is for --plot FILE."),
        (("order", "-q", "--plot", "x.png"), "--plot shows all requests: leave out -q."),
        (("evaluate", "--plot", "x.gif"), "unsupported image format. Use one of .png, .svg, .pdf, .html."),
        (("test", "--plot", "x.svg", "-o", "./x.svg", "--format", "csv"), "--plot and --out name the same file."),
    ],
)
def test_plots_that_make_no_sense_are_refused(files, options, message):
    pytest.importorskip("vl_convert")
    command, *rest = options
    result = run(command, *files, *rest)
    assert result.returncode == 2 and message in result.stderr
