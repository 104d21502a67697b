"""``tiebreak study validity`` and ``tiebreak study properties``."""

import pytest

from cli.test_compare import FORMATS, done, objects, one_line_error, three_runs

# Leximin b, c, a; the mean a, b, c: of three pairs one agrees, (1 - 2) / 3.
SCORES = "run,request,value\na,q1,1\na,q2,0.1\nb,q1,0.4\nb,q2,0.4\nc,q1,0.2\nc,q2,0.3\n"


@pytest.fixture
def files(tmp_path):
    return three_runs(tmp_path)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(SCORES)
    return path


@pytest.mark.parametrize("form", FORMATS)
def test_utilities_in_every_format(table, form):
    assert "-0.333" in done("study", "validity", "--utilities", table, "--view", "smoothing", "--format", form).stdout


def test_runs_move_from_the_mean_to_leximin(files):
    # AP: one 5/6 and 1, two 1/4 and 0, three 1 and 1/2: the mean and leximin agree.
    rows = objects(done("study", "validity", *files, "-m", "AP", "--view", "movement", "--format", "jsonl").stdout)
    assert [(row["run"], row["mean"], row["leximin"]) for row in rows] == [
        ("one", 1, 1),
        ("three", 2, 2),
        ("two", 3, 3),
    ]


def rows(*arguments):
    return [tuple(row.values()) for row in objects(done("study", "validity", *arguments, "--format", "jsonl").stdout)]


def test_chosen_populations(files, table):
    chosen = ("--population", "gmean(shift=0.1)", "--population", "owa(weights='9,1')")
    # By table: leximin b, c, a. (1 + 0.1)(0.1 + 0.1) = 0.22, 0.5^2 = 0.25, 0.3 x 0.4 = 0.12: b, a, c. Weighted 9 to 1:
    # 1.9, 4, 2.1 of 10, as leximin.
    assert rows("--utilities", table, *chosen) == [
        ("gmean(shift=0.1)", pytest.approx(1 / 3), 0),
        ("owa(weights='9,1')", 1.0, 0),
    ]
    assert [row[0] for row in rows(*files, *chosen, "--population", "s@10")] == [
        "gmean(shift=0.1)",
        "owa(weights='9,1')",
        "positive(P@10)",
    ]
    assert [row[0] for row in rows(*files)] == ["min", "gmean", "auc4", "mean", "leximax", "positive(P@10)"]


def test_chosen_populations_by_measure(files):
    both = ("-m", "AP", "-m", "RR", "--view", "discriminant", "--pessimistic", "min", "--pessimistic", "s@10")
    assert [row[:3] for row in rows(*files, *both, "--other", "median")] == [
        (measure, kind, name)
        for measure in ("AP", "RR")
        for kind, name in (("convergent", "min"), ("convergent", "positive(P@10)"), ("discriminant", "median"))
    ]


def test_weights_and_groups(files, table, tmp_path):
    weights, groups = tmp_path / "w.csv", tmp_path / "g.csv"
    weights.write_text("request,weight\nq1,1\nq2,9\n")
    groups.write_text("request,group\nq1,x\nq2,x\n")
    # Weighted means of a 1.9, b 4, c 2.9 of 10, as leximin. In one group leximin is the mean.
    for more in (("--weights", weights), ("--groups", groups)):
        assert rows("--utilities", table, "--population", "mean", *more) == [("mean", 1.0, 0)]
    for more, note in ((("--groups", groups), "over the means of 1 group."), (("--weights", weights), "are weighted.")):
        assert note in done("study", "validity", *files, "--population", "mean", "--population", "s@10", *more).stdout


def test_a_table_for_every_run_and_repeated_trials(tmp_path):
    """The same utilities as above, every value as the mean of two trials that are 0.1 apart from it."""
    named = []
    for run, values in {"a": (1, 0.1), "b": (0.4, 0.4), "c": (0.2, 0.3)}.items():
        trials = (f"q{q},{value + change:.1f}\n" for q, value in enumerate(values) for change in (-0.1, 0.1))
        (tmp_path / f"{run}.csv").write_text("request,value\n" + "".join(trials))
        named += ["--utilities", tmp_path / f"{run}.csv"]
    assert rows(*named, "--trials", "mean", "--view", "smoothing", "--lag", 2)[0][0] == 2
    assert "-0.333" in done("study", "validity", *named, "--trials", "mean", "--view", "smoothing").stdout
    ended = done("study", "validity", "qrels", "run", "--trials", "mean", code=2)
    assert "--trials" in ended.stderr


def test_coarser_utilities(table):
    # With one significant digit nothing changes; without decimals only a's 1 remains, and leximin ties b and c.
    assert rows("--utilities", table, "--view", "truncation", "--keep", 1) == [(1, pytest.approx(-1 / 3), 0)]
    decimals = ("--view", "truncation", "--keep", 1, "--keep", 0, "--truncate", "decimals")
    assert rows("--utilities", table, *decimals) == [(1, pytest.approx(-1 / 3), 0), (0, 1.0, 2)]
    assert rows("--utilities", table, "--view", "threshold", "--threshold", 0.5) == [(0.5, 1.0, 2)]
    assert rows("--utilities", table, "--view", "smoothing", "--lag", 2) == [
        (2, "leximin", pytest.approx(-1 / 3)),
        (2, "mean", 1.0),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Give QRELS RUN..., or --utilities FILE"),
        (("--view", "nothing"), "'nothing' is not one of"),
        (("FILES", "-m", "AP", "-m", "RR"), "Give one measure, or --view discriminant"),
        (("FILES", "--missing", "0"), "are for --utilities"),
        (("TABLE", "-m", "AP"), 'no column is called "AP", and none names measures'),
        (("TABLE", "-m", "AP", "-m", "RR"), "give -m once"),
        (("FILES", "-m", "nothing"), 'unknown metric "nothing"'),
        (("FILES", "-m", "RPP"), "RPP is a preference; utilities need a metric, such as AP."),
        (("FILES", "--population", "medain"), 'unknown population "medain". Did you mean "median"'),
        (("TABLE", "--view", "movement", "--population", "mean"), "--population is for --view populations"),
        (("TABLE", "--population", "s@10"), "these utilities are of utility, not of P@10"),
        (("TABLE", "--view", "truncation", "--truncate", "digits"), "'digits' is not one of"),
        (("TABLE", "--weights", "none.csv"), "none.csv"),
    ],
)
def test_what_cannot_be_meant_is_refused(files, table, arguments, message):
    inputs = {"FILES": files, "TABLE": ["--utilities", table]}
    spelled = [part for argument in arguments for part in inputs.get(argument, [argument])]
    assert message in done("study", "validity", *spelled, code=2).stderr


@pytest.mark.parametrize("form", FORMATS)
def test_properties_in_every_format(form):
    message = done("study", "properties", "-m", "median", "--pairs", "5", "--format", form).stdout
    assert "[3/5, 1/2, 1/2]" in message


def test_properties_of_a_users_function():
    message = done("study", "properties", "-m", "statistics:median", "--pairs", "5").stdout
    assert "statistics:median violates PP, AU, DP; it satisfies none" in message


@pytest.mark.slow
def test_several_populations_without_a_measure(tmp_path):
    pytest.importorskip("altair")
    message = done("study", "properties", "--pairs", "5", "--plot", tmp_path / "drawn.svg").stdout
    assert "of 3 laws: min 1, leximin 2, mean 2" in message and "gini" in (tmp_path / "drawn.svg").read_text()


def test_unknown_population_is_refused():
    assert "medain" in one_line_error("study", "properties", "-m", "medain")
