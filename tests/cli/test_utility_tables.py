"""``--utilities``: a table of numbers in place of QRELS RUN..., in every command that takes one."""

import json

import pytest

import tiebreak as tb
from cli.test_populations import done, rows_of

VALUES = {
    "old": [0.5, 0.4, 0.3, 0.9, 0.2, 0.8],
    "new": [0.6, 0.4, 0.1, 0.9, 0.3, 1.0],
    "other": [0.2, 0.1, 0.3, 0.7, 0.2, 0.5],
}
GROUPS = {f"q{k}": "xyy"[k % 3] for k in range(6)}


@pytest.fixture
def folder(tmp_path):
    cells = [f"{run},q{k},{value}" for run, values in VALUES.items() for k, value in enumerate(values)]
    (tmp_path / "scores.csv").write_text("\n".join(["run,request,value", *cells, ""]))
    (tmp_path / "groups.csv").write_text("".join(["request,group\n", *(f"{q},{g}\n" for q, g in GROUPS.items())]))
    for run, values in VALUES.items():
        lines = [
            {"doc": f"q{k}", "seed": s, "acc": v + s / 8, "f1": 1 - v} for k, v in enumerate(values) for s in (0, 1)
        ]
        (tmp_path / f"{run}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


def table(**how):
    return tb.Utilities({run: {f"q{k}": v for k, v in enumerate(several)} for run, several in VALUES.items()}, **how)


def files(folder, *runs):
    """A file for every run, with trials and two measures."""
    return [word for run in runs or VALUES for word in ("--utilities", f"{run}={folder / run}.jsonl")] + [
        *("--columns", "request=doc"),
    ]


def objects(*arguments):
    """The rows that a command writes as JSON."""
    (result,) = json.loads(done(*arguments, "--format", "json").stdout)
    return [tuple(row.values()) for row in result["rows"]]


def plain(rows):
    """Rows as JSON has them: without infinities and NaN."""
    return [
        tuple(None if value != value or value in (float("inf"), -float("inf")) else value for value in row)
        for row in rows
    ]


@pytest.mark.parametrize("more", [(), ("--baseline", "old"), ("--baseline", "old", "--baseline", "new")])
@pytest.mark.parametrize("groups", [None, GROUPS])
@pytest.mark.parametrize("command", ["compare", "test"])
def test_pairs_are_those_of_python(folder, command, groups, more):
    compared = table(groups=groups).compare(more[1::2])
    expected = compared.summary() if command == "compare" else compared.test()
    words = [*more, *(("--groups", folder / "groups.csv") if groups else ())]
    if command == "test" and len(more) > 2:
        words, expected = words[2:], table(groups=groups).compare("new").test()
    assert objects(command, "--utilities", folder / "scores.csv", *words) == plain(expected.rows())


def test_values_of_every_request(folder):
    rows = objects("compare", "--utilities", folder / "scores.csv", "--baseline", "old", "-q")
    assert rows == plain(table().compare("old").rows())
    assert rows[:2] == [("new", "old", "q0", "utility", 0.1), ("other", "old", "q0", "utility", -0.3)]


def test_pictures_of_pairs(folder):
    pytest.importorskip("vl_convert")
    for command in ("compare", "test"):
        done(command, "--utilities", folder / "scores.csv", "--plot", folder / "pairs.svg")
        assert "old" in (folder / "pairs.svg").read_text()


def test_pref_eval_writes_pairs(folder):
    text = done("compare", "--utilities", folder / "scores.csv", "--format", "pref_eval").stdout
    assert json.loads(text.splitlines()[0]) == {
        "qid": "all",
        "runi": "old",
        "runj": "new",
        "type": "preference",
        "utility": pytest.approx(-0.2 / 6),
    }


@pytest.mark.parametrize("command", ["compare", "test"])
def test_files_trials_and_measures(folder, command):
    rows = rows_of(done(command, *files(folder), "-m", "acc", "--trials", "mean", "--format", "csv").stdout)
    assert [float(row["value"]) for row in rows] == table().compare().mean.tolist()
    rows = rows_of(done(command, *files(folder), "-m", "f1", "--trials", "mean", "--format", "csv").stdout)
    assert [float(row["value"]) for row in rows] == pytest.approx((-table().compare().mean).tolist())
    lower = (*files(folder), "-m", "f1", "--trials", "mean", "--lower-is-better")
    rows = rows_of(done(command, *lower, "--format", "csv").stdout)
    assert [float(row["value"]) for row in rows] == pytest.approx(table().compare().mean.tolist())


@pytest.mark.parametrize("command", ["compare", "test"])
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--utilities", "x.csv", "qrels", "run"], "Give QRELS RUN..., or --utilities FILE"),
        (["--utilities", "x.csv", "qrels"], "--utilities takes the place of QRELS RUN..."),
        (["qrels", "run", "--missing", "0"], "--missing, --trials and --lower-is-better are for --utilities"),
        (["--utilities", "x.csv", "--aspects", "genres.csv"], "--aspects, --train and --intents are for QRELS RUN..."),
        (["--utilities", "x.csv", "-m", "acc f1"], "give -m once"),
        (["--utilities", "x.csv"], "x.csv: no such file"),
        (["--utilities", "x.csv", "-o", "x.csv"], "x.csv: no such file"),
    ],
)
def test_what_cannot_be_meant_is_refused(command, words, message):
    assert message in done(command, *words, code=2).stderr


def test_tables_are_not_overwritten(folder):
    for words in (("-o", "scores.csv"), ("--plot", "scores.csv"), ("--junit", "scores.csv", "--fail-if-worse", "mean")):
        path = [folder / word if word == "scores.csv" else word for word in words]
        ended = done("compare", "--utilities", folder / "scores.csv", *path, code=2)
        assert "is also an input file" in ended.stderr or "unsupported image format" in ended.stderr


def test_means_and_values_of_requests(folder):
    rows = objects("evaluate", "--utilities", folder / "scores.csv")
    assert [row[0] for row in rows] == ["new", "old", "other"]  # the best first
    assert [row[2] for row in rows] == pytest.approx([3.3 / 6, 3.1 / 6, 2 / 6])
    assert rows == plain(table().scores().summary("utility").rows())
    rows = objects("evaluate", "--utilities", folder / "scores.csv", "-q")
    assert rows == plain(table().scores().rows())
    unsorted = objects("evaluate", "--utilities", folder / "scores.csv", "--sort", "none")
    assert [row[0] for row in unsorted] == ["old", "new", "other"]


@pytest.mark.parametrize(
    "words", [("--baseline", "old"), ("--letters",), ("--baseline", "old", "--test", "permutation")]
)
def test_tables_for_papers(folder, words):
    how = {"test": words[3]} if len(words) > 2 else {}
    expected = table().scores().against(*words[1:2], **how)
    assert objects("evaluate", "--utilities", folder / "scores.csv", *words) == plain(expected.rows())


@pytest.mark.parametrize("groups", [None, GROUPS])
@pytest.mark.parametrize("populations", [[], ["mean", "cvar(share=0.5)"], ["min", "gini"]])
def test_populations_are_those_of_python(folder, groups, populations):
    words = [word for spec in populations for word in ("--population", spec)]
    words += ["--groups", folder / "groups.csv"] if groups else []
    expected = table(groups=groups).evaluate(populations or "mean").rows()
    if words:  # else means, with the number of requests
        rows = objects("evaluate", "--utilities", folder / "scores.csv", *words, "--sort", "none")
        assert rows == plain(expected)


def test_populations_of_weighted_requests(folder):
    (folder / "weights.csv").write_text("request,weight\n" + "".join(f"q{k},{k}\n" for k in range(6)))
    words = ("--weights", folder / "weights.csv", "--sort", "none")
    rows = objects("evaluate", "--utilities", folder / "scores.csv", *words)
    assert rows == plain(table(weights={f"q{k}": k for k in range(6)}).evaluate().rows())


def test_evaluation_of_files_with_trials(folder):
    rows = objects("evaluate", *files(folder), "-m", "acc", "--trials", "keep")
    assert [(row[0], row[2]) for row in rows] == [
        (row.run, pytest.approx(row.value + 1 / 16)) for row in table().scores().summary("utility").rows()
    ]
    text = done("evaluate", "--utilities", folder / "scores.csv", "--population", "leximin", code=2).stderr
    assert "leximin orders runs and has no number for each" in text
    pytest.importorskip("vl_convert")
    done("evaluate", "--utilities", folder / "scores.csv", "--plot", folder / "runs.svg", "--plot-kind", "sorted")


def test_explanations_are_those_of_python(folder):
    words = ("explain", "--utilities", folder / "scores.csv")
    assert "3 were given. Choose two: --run NAME --run NAME." in done(*words, code=2).stderr
    both = (*words, "--run", "new", "--run", "old")
    assert objects(*both) == plain(table().explain("new", "old").rows())
    assert objects(*both, "--by", "leximin") == plain(table().explain("new", "old", "leximin").rows())
    assert "Place 1 from the worst decides" in done(*both, "--by", "leximin").stdout
    for by in ((), ("leximin",)):
        rows = objects(*both, "--groups", folder / "groups.csv", *(("--by", *by) if by else ()))
        assert rows == plain(table(groups=GROUPS).explain("new", "old", *by).rows())
    assert "decides: without" in done(*both).stdout
    two = objects("explain", *files(folder, "new", "old"), "-m", "f1", "--trials", "mean")
    assert [row[0] for row in two] == [row.request for row in table().explain("new", "old").values]
    pytest.importorskip("vl_convert")
    done(*both, "--plot", folder / "requests.svg")
    assert "new better" in (folder / "requests.svg").read_text()


def test_checks_are_those_of_python(folder):
    assert objects("check", "--utilities", folder / "scores.csv") == plain(table().audit(folder / "scores.csv").rows())
    text = done("check", *files(folder), "-m", "acc").stdout
    assert "Warning: 18 cells appear several times" in text and "--trials mean" in text
    assert "several times" not in done("check", *files(folder), "-m", "acc", "--trials", "mean").stdout
    (folder / "scores.csv").write_text("run,request,value\na,q,1\nb,r,\n")
    assert "Warning: 3 of 4 cells are missing" in done("check", "--utilities", folder / "scores.csv").stdout
    assert "cells are missing" in done("evaluate", "--utilities", folder / "scores.csv", code=2).stderr
    done("evaluate", "--utilities", folder / "scores.csv", "--missing", "0")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["explain", "qrels", "a", "b", "--by", "leximin"], "--by, --run and --groups are for --utilities"),
        (["explain", "--utilities", "x.csv", "--request", "q"], "--request is for rankings"),
        (["check", "qrels", "run", "-m", "acc"], "-m is for --utilities"),
        (["check"], "Give QRELS RUN..., or --utilities FILE"),
        (["check", "qrels"], "Give QRELS RUN..., or --utilities FILE"),
        (["evaluate"], "Give QRELS RUN..., or --utilities FILE"),
        (["explain"], "Give QRELS RUN..., or --utilities FILE"),
        (["evaluate", "--utilities", "x.csv", "--baseline", "a", "--weights", "g"], "go with means only"),
    ],
)
def test_what_other_commands_refuse(words, message):
    assert message in done(*words, code=2).stderr
