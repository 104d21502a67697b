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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Give QRELS RUN..., or --utilities FILE"),
        (("--view", "nothing"), "'nothing' is not one of"),
        (("FILES", "-m", "AP", "-m", "RR"), "Give one measure, or --view discriminant"),
        (("FILES", "--missing", "0"), "are for --utilities"),
        (("TABLE", "-m", "AP"), "takes the place of QRELS and -m"),
        (("FILES", "-m", "nothing"), "nothing"),
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


def test_several_populations_without_a_measure(tmp_path):
    pytest.importorskip("altair")
    message = done("study", "properties", "--pairs", "5", "--plot", tmp_path / "drawn.svg").stdout
    assert "of 3 laws: min 1, leximin 2, mean 2" in message and "gini" in (tmp_path / "drawn.svg").read_text()


def test_unknown_population_is_refused():
    assert "medain" in one_line_error("study", "properties", "-m", "medain")
