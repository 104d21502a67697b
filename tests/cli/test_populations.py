"""``tiebreak order --by`` and ``tiebreak evaluate --population``: populations from files of runs or of utilities."""

import csv
import io

import pytest

from cli.test_compare import done, objects, one_line_error, three_runs
from cli.test_untrusted import on_terminal

# AP: one 1 and 5/6, two 1/4 and 0, three 1 and 1/2; see test_compare.
SCORES = "run,request,value\na,q1,1\na,q2,0.1\nb,q1,0.4\nb,q2,0.4\n"


@pytest.fixture
def files(tmp_path):
    return three_runs(tmp_path)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(SCORES)
    return path


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def ranked(*arguments):
    """Runs with their ranks."""
    return {row["run"]: int(row["rank"]) for row in rows_of(done("order", *arguments, "--format", "csv").stdout)}


def test_population_of_a_metric_orders_runs(files):
    values = {
        (row["run"], row["request"]): float(row["value"])
        for row in rows_of(done("evaluate", *files, "-m", "AP", "-q", "--format", "csv").stdout)
    }
    worst = {run: min(values[run, q] for q in ("q1", "q2")) for run in ("one", "two", "three")}
    expected = sorted(worst, key=worst.get, reverse=True)
    assert len(set(worst.values())) == 3
    for asked in (["--by", "leximin(AP)"], ["-m", "leximin(AP)"], ["-m", "AP", "--by", "leximin"]):
        actual = ranked(*files, *asked)
        assert sorted(actual, key=actual.get) == expected


def test_several_populations_stand_side_by_side(files):
    text = done("order", *files, "-m", "leximin(AP)", "-m", "mean(AP)").stdout
    assert text.split()[:3] == ["run", "leximin(AP)", "mean(AP)"]
    assert "Kendall's tau_b of leximin(AP) and mean(AP):" in text
    both = ("-m", "leximin(AP)", "-m", "mean(AP)", "--format")
    lines = objects(done("order", *files, *both, "jsonl").stdout)
    assert [line["measure"] for line in lines] == ["leximin(AP)"] * 3 + ["mean(AP)"] * 3
    (line,) = objects(done("order", *files, *both, "pref_eval").stdout)
    assert list(line) == ["qid", "leximin(AP)", "mean(AP)"] and line["mean(AP)"]["type"] == "population"


def test_order_tells_what_decided_between_neighbours(files):
    # AP sorted: one 5/6 and 1, three 1/2 and 1, two 0 and 1/4.
    rows = rows_of(done("order", *files, "--by", "leximin(AP)", "--format", "csv").stdout)
    told = [[row[name] for name in ("run", "place", "request", "next_request", "zeros", "zeros_tied")] for row in rows]
    assert told == [
        ["one", "1", "q1", "q2", "0", "2"],
        ["three", "1", "q2", "q2", "0", "2"],
        ["two", "", "", "", "1", "1"],
    ]
    values = [[float(row[name]) for name in ("value", "next_value")] for row in rows[:2]]
    assert values == [[pytest.approx(5 / 6), 0.5], [0.5, 0.0]]
    assert [float(row["mean"]) for row in rows] == pytest.approx([11 / 12, 3 / 4, 1 / 8])
    text = done("order", *files, "--by", "leximin(AP)").stdout
    assert "place: from the worst request, the first at which a run and the next one below differ" in text
    for form in ("json", "jsonl", "tsv", "html", "latex", "markdown"):
        assert "zeros" in done("order", *files, "--by", "leximin(AP)", "--format", form).stdout


def test_several_populations_have_the_same_columns_in_files(files):
    several = ("-m", "mean(AP)", "-m", "leximin(AP)", "-m", "smoothed_leximin(AP, lag=2)")
    rows = rows_of(done("order", *files, *several, "--format", "csv").stdout)
    assert len(rows) == 9 and all(None not in row and None not in row.values() for row in rows)
    assert [row["place"] for row in rows] == ["", "", "", "1", "1", "", "1", "1", ""]
    assert "next_request" in rows[0] and "place:" not in done("order", *files, *several).stdout


def test_every_population_is_resampled(files, table):
    for by in ("leximin(AP)", "gmean(AP)", "cvar(AP, share=0.5)", "urisk(AP, baseline='two')"):
        rows = rows_of(done("order", *files, "--by", by, "--bootstrap", 30, "--format", "csv").stdout)
        assert [row["run"] for row in rows] == ["one", "three", "two"]
        assert [(row["low"], row["high"]) for row in rows[2:]] == [("3", "3")]  # two is worse in both requests
        assert rows[1]["support"] == "1.0" and rows[2]["support"] == "nan"
    # Samples q1 q1, q1 q2, q2 q1 and q2 q2: leximin prefers b unless q1 is drawn twice.
    rows = rows_of(done("order", "--utilities", table, "--bootstrap", 1000, "--seed", 3, "--format", "csv").stdout)
    assert rows[0]["run"] == "b" and float(rows[0]["support"]) == pytest.approx(3 / 4, abs=0.05)
    text = done("order", *files, "-m", "leximin(AP)", "-m", "mean(AP)", "--bootstrap", 9).stdout
    assert text.split()[:7] == ["run", "leximin(AP)", "95%", "support", "mean(AP)", "95%", "support"]
    assert "95% intervals of ranks: 9 resamples of requests, seed 0." in text


def test_resampling_shows_its_progress(files):
    code, shown = on_terminal("order", *files, "--by", "leximin(AP)", "--bootstrap", 200)
    assert code == 0 and "resampling" in shown
    code, shown = on_terminal("order", *files, "-m", "RPP", "--bootstrap", 200)
    assert code == 0 and "resampling" in shown


def test_utilities_need_no_rankings(table):
    assert ranked("--utilities", table, "--by", "leximin") == {"b": 1, "a": 2}
    assert ranked("--utilities", table) == {"b": 1, "a": 2}
    assert ranked("--utilities", table, "--by", "mean") == {"a": 1, "b": 2}
    assert ranked("--utilities", table, "--by", "mean", "--lower-is-better") == {"b": 1, "a": 2}


def test_missing_cells_are_refused_or_filled(table):
    table.write_text(SCORES + "c,q1,0.9\n")
    message = one_line_error("order", "--utilities", table)
    assert '1 of 6 cells are missing: run "c", request "q2"' in message and "missing=0" in message
    assert ranked("--utilities", table, "--missing", 0) == {"b": 1, "a": 2, "c": 3}


def test_weights_and_groups(table, tmp_path):
    weights, groups = tmp_path / "w.csv", tmp_path / "g.csv"
    weights.write_text("request,weight\nq1,1\nq2,9\n")
    # a: (1 + 9 x 0.1) / 10 = 0.19, b: 0.4.
    assert ranked("--utilities", table, "--by", "mean", "--weights", weights) == {"b": 1, "a": 2}
    groups.write_text("request,group\nq1,fr\nq2,fr\n")
    # One group: leximin over groups is the mean, 0.55 against 0.4.
    assert ranked("--utilities", table, "--by", "leximin", "--groups", groups) == {"a": 1, "b": 2}


def test_tiers_of_groups_by_priority(table, files, tmp_path):
    groups = tmp_path / "g.csv"
    groups.write_text("request,group\nq1,paid\nq2,free\n")
    # q1: a 1, b 0.4; q2: a 0.1, b 0.4.
    by_tier = {
        tier: ranked("--utilities", table, "--by", "mean", "--groups", groups, "--tier", tier)
        for tier in ("paid", "free")
    }
    assert by_tier == {"paid": {"a": 1, "b": 2}, "free": {"b": 1, "a": 2}}
    # AP in q1: one and three 1, two 1/4; in q2: one 5/6, three 1/2.
    text = done("order", *files, "--by", "mean(AP)", "--groups", groups, "--tier", "free", "--tier", "paid").stdout
    assert "Tiers by priority: free (1 request), paid (1 request)." in text
    assert "give --groups FILE" in done("order", *files, "--by", "mean(AP)", "--tier", "paid", code=2).stderr
    other = ("--groups", groups, "--tier", "paid")
    assert "--tier is for populations" in done("order", *files, "-m", "RPP", *other, code=2).stderr
    assert 'unknown group "payed". Did you mean "paid"' in one_line_error(
        "order", "--utilities", table, "--groups", groups, "--tier", "payed"
    )


def test_mean_of_a_metric_takes_tiers_and_weights(files, tmp_path):
    groups, weights = tmp_path / "g.csv", tmp_path / "w.csv"
    groups.write_text("request,group\nq1,paid\nq2,free\n")
    weights.write_text("request,weight\nq1,9\nq2,1\n")
    for over in (("--groups", groups, "--tier", "paid"), ("--weights", weights)):
        named = ranked(*files, "--by", "mean(AP)", *over)
        assert ranked(*files, "-m", "AP", "--by", "mean", *over) == named
        message = done("order", *files, "-m", "RPP", "--by", "mean", *over, code=2).stderr
        assert "mean needs a metric, such as AP; RPP is not a metric." in message


@pytest.mark.parametrize(
    "spec", ["gmean(shift=0.1)", "owa(weights='2,1')", "gini_welfare(delta=3)", "atkinson_welfare"]
)
def test_populations_between_the_mean_and_the_minimum(files, table, spec):
    number = {
        row["run"]: float(row["value"])
        for row in rows_of(done("evaluate", *files, "-m", "AP", "--population", spec, "--format", "csv").stdout)
    }
    assert number["one"] > number["three"] > number["two"] >= 0
    # a is 1 and 0.1, b 0.4 and 0.4: these weigh the worst request more than the mean does, which prefers a.
    assert ranked("--utilities", table, "--by", "mean") == {"a": 1, "b": 2}
    if spec.startswith("gini"):  # (7 x 0.1 + 1) / 8
        assert ranked("--utilities", table, "--by", spec) == {"b": 1, "a": 2}


def test_groups_of_requests_with_rankings(files, tmp_path):
    groups = tmp_path / "g.csv"
    groups.write_text("request,group\nq1,x\nq2,x\n")
    grouped = ranked(*files, "--by", "leximin(AP)", "--groups", groups)
    assert grouped == ranked(*files, "--by", "mean(AP)")


def test_populations_are_numbers_of_every_run(files):
    text = done(
        "evaluate", *files, "-m", "AP", "-m", "RR", "--population", "mean", "--population", "min", "--format", "csv"
    )
    rows = rows_of(text.stdout)
    assert list(rows[0]) == ["run", "measure", "value"]
    assert [row["measure"] for row in rows[::3]] == ["mean(AP)", "min(AP)", "mean(RR)", "min(RR)"]
    means = rows_of(done("evaluate", *files, "-m", "AP", "--format", "csv").stdout)
    for row, mean in zip(rows[:3], means, strict=True):
        assert (row["run"], float(row["value"])) == (mean["run"], pytest.approx(float(mean["value"])))
    assert "Of AP, over 2 requests." in done("evaluate", *files, "-m", "AP", "--population", "gmean").stdout


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ((), ["b", "c", "a"]),  # min 0.4, 0.3, 0.1 over all requests
        (("--sort", "max"), ["a", "c", "b"]),  # 1, 0.6, 0.4
        (("--sort", "gini"), ["b", "c", "a"]),  # 0, 1/6, ...: the lower the better
        (("--sort", "none"), ["a", "b", "c"]),
    ],
)
@pytest.mark.parametrize("groups", [False, True])
def test_populations_are_sorted_by_the_first_over_all_requests(tmp_path, table, sort, order, groups):
    table.write_text(SCORES + "c,q1,0.3\nc,q2,0.6\n")
    (tmp_path / "groups.csv").write_text("request,group\nq1,x\nq2,y\n")
    words = [word for name in ("min", "max", "gini") for word in ("--population", name)]
    words += ["--groups", tmp_path / "groups.csv"] if groups else []
    rows = rows_of(done("evaluate", "--utilities", table, *words, *sort, "--format", "csv").stdout)
    assert [row["run"] for row in rows] == order * (9 if groups else 3)
    assert [row["measure"] for row in rows[:: len(rows) // 3]] == ["min", "max", "gini"]
    values = {(row["run"], row["measure"], row.get("group")): row["value"] for row in rows}
    assert values["a", "max", "x" if groups else None] == "1.0"


def test_populations_of_metrics_are_sorted_by_their_titles(files):
    words = ("evaluate", *files, "-m", "AP RR", "--population", "min", "--format", "csv")
    assert [row["run"] for row in rows_of(done(*words).stdout)] == ["one", "three", "two"] * 2  # AP 5/6, 1/2, 0
    assert [row["run"] for row in rows_of(done(*words, "--sort", "min(RR)").stdout)][:1] == ["one"]
    assert 'unknown measure "AP". Known: min(AP), min(RR), none.' in done(*words, "--sort", "AP", code=2).stderr


def test_population_of_its_own_metric_needs_no_measure(files):
    rows = rows_of(done("evaluate", *files, "--population", "s@10", "--format", "csv").stdout)
    assert [row["measure"] for row in rows] == ["s@10"] * 3
    text = done(
        "evaluate", *files, "-m", "AP", "--population", "s@10", "--population", "cvar(share=0.5)", "--format", "csv"
    )
    assert [row["measure"] for row in rows_of(text.stdout)] == ["cvar(AP, share=0.5)"] * 3 + ["s@10"] * 3


def test_population_of_one_metric_orders_no_other(files):
    message = done("order", *files, "-m", "AP", "-m", "RR", "--by", "leximin(AP)", code=2).stderr
    assert "RR cannot be ordered by leximin(AP), which names another metric." in message


def test_tables_that_are_read_are_not_overwritten(table, files, tmp_path):
    weights = tmp_path / "w.csv"
    weights.write_text("request,weight\nq1,1\nq2,1\n")
    for arguments, path in (
        (["order", "--utilities", table], table),
        (["evaluate", *files, "-m", "AP", "--weights", weights], weights),
        (["evaluate", *files, "-m", "AP", "--exclude", weights], weights),
    ):
        before = path.read_text()
        assert "is also an input file" in done(*arguments, "-o", path, code=2).stderr
        assert path.read_text() == before


def test_weights_are_told(files, tmp_path):
    weights = tmp_path / "w.csv"
    weights.write_text("request,weight\nq1,1\nq2,2\n")
    assert "Requests are weighted." in done("evaluate", *files, "-m", "AP", "--weights", weights).stdout


def test_populations_of_every_group(files, tmp_path):
    groups = tmp_path / "g.tsv"
    groups.write_text("request\tgroup\nq1\tx\nq2\ty\n")
    text = done("evaluate", *files, "-m", "AP", "--population", "max", "--groups", groups, "--format", "csv").stdout
    values = {(row["run"], row["group"]): float(row["value"]) for row in rows_of(text) if row["group"] != "all"}
    alone = {
        (row["run"], {"q1": "x", "q2": "y"}[row["request"]]): float(row["value"])
        for row in rows_of(done("evaluate", *files, "-m", "AP", "-q", "--format", "csv").stdout)
    }
    assert values == alone
    trec = done("evaluate", *files, "-m", "AP", "--population", "max", "--groups", groups, "--format", "trec").stdout
    assert "one\tmax(AP)\tx\t" in trec


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["order", "{qrels}", "{one}", "{two}", "--by", "leximin"],
            "leximin needs a metric, such as leximin(AP).",
        ),
        (
            ["order", "{qrels}", "{one}", "-m", "RPP", "--by", "leximin"],
            "leximin needs a metric, such as AP; RPP is not a metric.",
        ),
        (["order", "{qrels}", "{one}", "--by", "leximn(AP)"], 'Did you mean "leximin"?'),
        (["order", "{qrels}", "{one}", "-m", "RPP", "-m", "leximin(AP)"], "by populations or by preferences"),
        (["order", "{qrels}", "{one}", "--by", "leximin(AP)", "-q"], "leave out --by"),
        (["order", "{qrels}", "{one}", "--weights", "w.csv"], "--weights is for populations"),
        (["order", "{qrels}", "{one}", "--missing", "0"], "are for --utilities"),
        (["order", "--by", "leximin(AP)"], "Give QRELS RUN..., or --utilities FILE."),
        (["order", "{qrels}", "{one}", "--utilities", "s.csv"], "Give QRELS RUN..., or --utilities FILE."),
        (["order", "--utilities", "nowhere.csv"], "nowhere.csv"),
        (["evaluate", "{qrels}", "{one}", "--population", "leximin"], "tiebreak order --by 'leximin(AP)'"),
        (["evaluate", "{qrels}", "{one}", "-m", "AP", "--population", "auc4"], "less than one request"),
        (["evaluate", "{qrels}", "{one}", "--population", "min", "-q"], "leave out -q"),
    ],
)
def test_what_cannot_be_meant_is_refused(files, arguments, message):
    qrels, one, two, _ = files
    filled = [argument.format(qrels=qrels, one=one, two=two) for argument in arguments]
    assert message in done(*filled, code=2).stderr


def test_utilities_of_every_run_come_from_a_file_each(tmp_path):
    for run, values in {"a": (1, 0), "b": (0.5, 0.25)}.items():
        lines = (f'{{"prompt_id": {k}, "filtered_resps": [], "acc": {value}}}\n' for k, value in enumerate(values))
        (tmp_path / f"{run}.jsonl").write_text("".join(lines))
    both = ["--utilities", f"mine={tmp_path / 'a.jsonl'}", "--utilities", tmp_path / "b.jsonl"]
    assert ranked(*both, "--columns", "request=prompt_id,value=acc", "--by", "leximin") == {"b": 1, "mine": 2}
    assert ranked(*both, "--columns", "request=prompt_id,value=acc", "--by", "mean") == {"mine": 1, "b": 2}
    same = ["--utilities", tmp_path / "b.jsonl", "--utilities", tmp_path / "b.jsonl"]
    assert "NAME=FILE" in done("order", *same, code=2).stderr


def test_one_of_several_measures_is_chosen(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("run,request,acc,f1\na,q1,1,0\na,q2,1,0\nb,q1,0,1\nb,q2,0,1\n")
    assert ranked("--utilities", path, "-m", "acc") == {"a": 1, "b": 2}
    assert ranked("--utilities", path, "-m", "f1", "--by", "mean") == {"b": 1, "a": 2}
    long = tmp_path / "long.csv"
    long.write_text("run,request,metric,value\na,q,acc,1\na,q,f1,0\nb,q,acc,0\nb,q,f1,1\n")
    assert "measure='acc', on the command line -m acc" in one_line_error("order", "--utilities", long)
    assert ranked("--utilities", long, "-m", "f1") == {"b": 1, "a": 2}
    assert "give -m once" in done("order", "--utilities", long, "-m", "f1", "-m", "acc", code=2).stderr
    (row,) = objects(done("test", "--utilities", path, "-m", "f1", "--test", "sign", "--format", "jsonl").stdout)
    assert (row["measure"], row["value"]) == ("f1", -1)
    chosen = done("study", "validity", "--utilities", path, "-m", "f1", "--population", "mean").stdout
    assert "mean" in chosen


def test_columns_are_left_out_of_a_leaderboard(tmp_path):
    path = tmp_path / "board.csv"
    path.write_text("model,Average,x,y,params_b\na,0.5,1,0,7\nb,0.45,0.4,0.5,1\n")
    message = one_line_error("order", "--utilities", path)
    assert "--columns other=Average,other=params_b" in message
    left = ("--columns", "other=Average,other=params_b")
    assert ranked("--utilities", path, "--by", "leximin", *left) == {"b": 1, "a": 2}


def test_files_of_utilities_are_not_overwritten(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("request,value\nq,1\n")
    assert "is also an input file" in done("order", "--utilities", f"a={path}", "-o", path, code=2).stderr
    assert path.read_text() == "request,value\nq,1\n"


def test_wide_tables_and_trials(tmp_path):
    (tmp_path / "wide.csv").write_text("qid,a,b\nq1,1,0.4\nq2,0.1,0.4\n")
    assert ranked("--utilities", tmp_path / "wide.csv") == {"b": 1, "a": 2}
    path = tmp_path / "trials.csv"
    path.write_text("run,request,trial,value\na,q,1,1\na,q,2,0\nb,q,1,0.4\nb,q,2,0.4\n")
    assert "--trials mean" in one_line_error("order", "--utilities", path)
    assert ranked("--utilities", path, "--trials", "mean") == {"a": 1, "b": 2}  # 0.5 and 0.4
    assert ranked("--utilities", path, "--trials", "keep") == {"b": 1, "a": 2}  # 0 and 0.4 are the worst
    for command in ("order", "test"):
        assert "--utilities" in done(command, "qrels", "run", "--trials", "mean", code=2).stderr
