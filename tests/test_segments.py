"""Comparisons, tests, orders and power in groups of requests, in Python and on the command line."""

import csv
import io
import math

import numpy as np
import pytest

import tiebreak as tb
from cli.running import run
from tiebreak.significance.sample_size import requests_needed


@pytest.fixture(scope="module")
def simulation():
    return tb.simulate(requests=30, seed=5)


@pytest.fixture(scope="module")
def experiment(simulation):
    return tb.Experiment(simulation.judgements, [tb.Run(one, name=name) for name, one in simulation.runs.items()])


@pytest.fixture(scope="module")
def groups(simulation):
    """A third of the requests are long."""
    return {q: "long" if k % 3 == 0 else "short" for k, q in enumerate(simulation.judgements)}


@pytest.fixture(scope="module")
def files(simulation, groups, tmp_path_factory):
    folder = tmp_path_factory.mktemp("segments")
    judged = ((q, item, grade) for q, grades in simulation.judgements.items() for item, grade in grades.items())
    (folder / "qrels").write_text("".join(f"{q} 0 {item} {grade}\n" for q, item, grade in judged))
    for name, one in simulation.runs.items():
        lines = (f"{q} 0 {item} 0 {score} {name}\n" for q, scores in one.items() for item, score in scores.items())
        (folder / f"{name}.run").write_text("".join(lines))
    (folder / "groups.csv").write_text("request,group\n" + "".join(f"{q},{g}\n" for q, g in groups.items()))
    return folder


def without(simulation, groups, group):
    """The experiment with only the requests of a group."""
    kept = {q: grades for q, grades in simulation.judgements.items() if groups[q] == group}
    return tb.Experiment(kept, [tb.Run(one, name=name) for name, one in simulation.runs.items()])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("measure", ["RPP", "AP", "LexiRecall", "nDCG"])
def test_a_group_is_an_experiment_with_its_requests_only(simulation, experiment, groups, measure):
    segments = experiment.compare(measure).by_group(groups)
    assert list(segments.parts) == ["long", "short"]
    for group, part in segments.parts.items():
        alone = without(simulation, groups, group).compare(measure)
        assert part.values.tobytes() == alone.values.tobytes()
        assert part.mean.tolist() == alone.mean.tolist()
        assert segments.order()[group].ranks.tolist() == alone.order().ranks.tolist()
        assert segments.test()[group].pvalue.tolist() == alone.test().pvalue.tolist()


def test_rows_say_how_many_requests_a_group_has_and_needs(experiment, groups):
    whole = experiment.compare("RPP")
    table = whole.by_group(groups).summary()
    pairs = len(whole.pairs)
    assert table.columns[:4] == ("group", "requests", "run", "other") and table.columns[-1] == "needed_overall"
    rows = table.rows()
    sizes = {"long": 10, "short": 20, "all": 30}
    assert [row[:2] for row in rows] == [row for row in sizes.items() for _ in range(pairs)]
    level = 0.05 / (2 * pairs)  # that of the marks: Holm's for the pairs of two groups, at its strictest
    expected = requests_needed(whole.mean, whole.values.std(axis=1, ddof=1), alpha=level).tolist()
    assert [row[-1] for row in rows] == 3 * expected == [row[-1] for row in whole.by_group(groups).test().rows()]
    alone = whole.by_group(groups).summary(correction="none")
    assert alone.needed == requests_needed(whole.mean, whole.values.std(axis=1, ddof=1)).tolist()
    assert any("needed_overall: the requests" in note and "30 requests" in note for note in table.notes)


def test_tests_are_corrected_over_all_groups_and_need_more(experiment, groups):
    whole = experiment.compare("AP")
    pairs = len(whole.pairs)
    both = 2 * pairs  # comparisons in two groups
    corrected = whole.by_group(groups).test("t", correction="bonferroni")
    plain = whole.by_group(groups).test("t", correction="none")
    for group in ("long", "short"):
        assert corrected[group].pvalue_corrected.tolist() == np.minimum(plain[group].pvalue * both, 1).tolist()
        assert f"with Bonferroni's correction for {both} comparisons" in corrected[group].criterion
    expected = requests_needed(whole.mean, whole.deviation, alpha=0.05 / both).tolist()
    assert [row[-1] for row in corrected.rows()[:pairs]] == expected
    assert all(a > b for a, b in zip(corrected.needed, plain.needed, strict=True) if math.isfinite(a))


def test_marks_in_groups_are_those_of_the_test_in_groups(experiment, groups):
    segments = experiment.compare("AP").by_group(groups)
    tested, summary = segments.test(), segments.summary()
    assert [row[-2] for row in summary.rows()] == [p for part in tested.parts.values() for p in part.pvalue_corrected]


def test_orders_of_groups_are_correlated_with_that_of_all_requests(experiment, groups):
    whole = experiment.compare("AP")
    orders = whole.by_group(groups).order("mean")
    taus = [orders[group].correlation(whole.order("mean")) for group in ("long", "short")]
    assert f"tau_b with the order over all requests: long {taus[0]:.3f}, short {taus[1]:.3f}." in orders.notes[0]


def test_power_in_groups(experiment, groups):
    study = tb.studies.power(experiment, ["RPP", "AP"], "t", groups=groups)
    assert [(row.group, row.requests, row.measure) for row in study.rows()] == [
        ("long", 10, "RPP"),
        ("long", 10, "AP"),
        ("short", 20, "RPP"),
        ("short", 20, "AP"),
        ("all", 30, "RPP"),
        ("all", 30, "AP"),
    ]
    assert "of 4 cases (group, measure)" in study.conclusion
    for row in study.rows():
        test = experiment.compare(row.measure).by_group(groups).test("t")
        assert row.share == test[row.group].share
        # Half of the pairs need no more than this.
        enough = [n <= row.needed_overall for n in test.needed]
        fewer = [n < row.needed_overall for n in test.needed]
        assert sum(enough) >= len(enough) / 2 > sum(fewer)
    assert "needed_overall" in repr(study)


def test_all_requests_in_one_group_is_the_whole(experiment, groups):
    one = dict.fromkeys(groups, "all")
    whole = experiment.compare("RPP")
    rows = whole.by_group(one).summary().rows()
    assert [row[2:-1] for row in rows] == 2 * [tuple(r) for r in whole.summary().rows()]
    assert {row[0] for row in rows} == {"all", "(all)"}  # the group, and all requests


def test_the_last_rows_are_over_all_requests(experiment, groups):
    """As without groups: corrected for its own pairs."""
    whole = experiment.compare("AP")
    segments = whole.by_group(groups)
    assert [row[2:-1] for row in segments.summary().rows() if row[0] == "all"] == [*map(tuple, whole.summary().rows())]
    assert [row[2:-1] for row in segments.test().rows() if row[0] == "all"] == [*map(tuple, whole.test().rows())]
    assert segments.test().settings["groups"] == ["long", "short"]


def test_letters_of_every_group(experiment, groups):
    groups = groups | {next(iter(groups)): "alone"}
    tests = experiment.compare("AP").by_group(groups).test("t")
    table = tests.letter_table()
    assert table.columns == ("group", "requests", "run", "measure", "letters")
    for group in ("long", "short", "all"):
        letters = {row[2]: row[4] for row in table.rows() if row[0] == group}
        assert letters == tests[group].letters()
    assert "alone" not in {row[0] for row in table.rows()}  # one request cannot be tested
    assert any(note.startswith('group "alone": ') for note in table.notes)
    assert not any("needed_overall" in note for note in table.notes)


def test_what_names_a_row_comes_before_numbers(experiment, groups):
    """So that a narrow terminal, which shows columns in blocks, repeats it."""
    segments = experiment.compare("AP").by_group(groups)
    for result in (segments.summary(), segments.test()):
        assert result.table().header[:4] == ("group", "run", "other", "requests")
        assert result.columns[:4] == ("group", "requests", "run", "other")


def test_segments_print_as_their_summary(experiment, groups):
    segments = experiment.compare("AP").by_group(groups)
    assert repr(segments) == repr(segments.summary())


def test_gaps_between_groups_are_the_furthest_means(experiment, groups):
    segments = experiment.compare("AP").by_group(groups)
    long, short = (segments[group].mean.tolist() for group in ("long", "short"))
    gaps = [(abs(x - y), sorted([(x, "long"), (y, "short")])) for x, y in zip(long, short, strict=True)]
    widest = max(range(len(gaps)), key=lambda k: gaps[k][0])
    gap, ((low, worst), (high, best)) = gaps[widest]
    run, other = list(segments.whole.names())[widest]
    ends = f"from {low:+.4f} in {worst} to {high:+.4f} in {best}"
    notes = [note for note in segments.summary().notes if note.startswith("Gap between groups")]
    assert notes[0] == f"Gap between groups, {run} against {other}: {gap:.4f}, {ends}." and len(notes) == 3
    assert f"These are the largest gaps of {len(gaps)} pairs." in segments.test().notes


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda groups: groups | {"nobody": "empty"}, 'groups without a request that counts: "empty"'),
        (lambda groups: dict(list(groups.items())[1:]), "1 of 30 requests have no group"),
        (lambda groups: {}, "no request with a group"),
    ],
)
def test_groups_that_do_not_fit_are_refused(experiment, groups, change, words):
    with pytest.raises(tb.InputError, match=words):
        experiment.compare("RPP").by_group(change(groups))


def test_a_group_too_small_for_a_test_has_rows_without_numbers(experiment, groups):
    whole, with_alone = experiment.compare("AP"), groups | {next(iter(groups)): "alone"}
    result = whole.by_group(with_alone).test("t")
    columns, pairs = result.columns, len(whole.pairs)
    alone = [dict(zip(columns, row, strict=True)) for row in result.rows() if row[0] == "alone"]
    others = [row for row in result.rows() if row[0] == "short"]
    assert [(row["run"], row["other"]) for row in alone] == [row[2:4] for row in others] and len(alone) == pairs
    assert {(row["requests"], row["measure"], row["value"], row["pvalue"]) for row in alone} == {(1, "AP", None, None)}
    (note,) = [note for note in result.notes if note.startswith('group "alone": ')]
    assert "needs at least 2 requests; there is 1." in note and note.endswith("Join it to another group.")
    assert " - " in next(line for line in repr(result).splitlines() if "alone" in line)
    study = tb.studies.power(experiment, ["RPP", "AP"], "t", groups=with_alone)
    assert [(row.measure, row.pairs, row.share) for row in study.rows() if row.group == "alone"] == [
        ("RPP", None, None),
        ("AP", None, None),
    ]
    assert note in study.notes and "alone" in repr(study)


def test_groups_that_are_all_too_small_are_refused(experiment, groups):
    with pytest.raises(tb.InputError, match=r"needs at least 2 requests; there is 1.*Join it"):
        experiment.compare("AP").by_group({q: q for q in groups}).test("t")


# On the command line


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def done(files, command, *options):
    runs = sorted(files.glob("*.run"))[:3]
    words = [*command.split(), files / "qrels", *runs, "--groups", files / "groups.csv", *options]
    ended = run(*words)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.mark.one_in(2)
@pytest.mark.parametrize("command", ["compare", "test", "order", "study power"])
def test_every_command_has_a_row_for_every_group(files, command):
    text = done(files, command, "-m", "RPP", "-m", "AP", "--format", "csv")
    rows = rows_of(text)
    assert {(row["group"], row["requests"], row["measure"]) for row in rows} == {
        (group, size, measure)
        for group, size in (("long", "10"), ("short", "20"), ("all", "30"))
        for measure in ("RPP", "AP")
    }
    assert ("needed_overall" in rows[0]) == (command != "order")
    for form in ("table", "latex", "markdown", "json", "trec"):
        assert "short" in done(files, command, "-m", "RPP", "--format", form)


def test_tables_put_measures_side_by_side(files):
    header = done(files, "compare", "-m", "RPP", "-m", "AP").split("\n ─")[0].split()
    assert header == [
        "group",
        "requests",
        "run",
        "other",
        "RPP",
        "w/t/l",
        "needed_overall",
        "AP",
        "w/t/l",
        "needed_overall",
    ]
    assert "tau_b with the order over all requests" in done(files, "order", "-m", "RPP", "--bootstrap", "20")


@pytest.mark.parametrize(
    ("command", "options", "words"),
    [
        ("compare", ("-q",), "--groups goes without -q"),
        ("compare", ("--format", "pref_eval"), "--groups goes without"),
        ("order", ("-q",), "--groups goes without -q"),
    ],
)
def test_what_does_not_go_with_groups_is_refused(files, command, options, words):
    runs = sorted(files.glob("*.run"))[:2]
    ended = run(command, files / "qrels", *runs, "--groups", files / "groups.csv", *options)
    assert ended.returncode == 2 and words in ended.stderr
