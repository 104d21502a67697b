"""Repeated trials of a run at a request: averaged, or kept."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiebreak as tb

# Each run answers q1 and q2 twice, with the seeds 7 and 8.
ROWS = [
    *(("a", "q1", 7, 1.0), ("a", "q1", 8, 0.0), ("a", "q2", 7, 0.5), ("a", "q2", 8, 0.5)),
    *(("b", "q1", 7, 0.5), ("b", "q1", 8, 0.5), ("b", "q2", 7, 0.75), ("b", "q2", 8, 0.0)),
]
NAMES = ("run", "request", "seed", "value")


def table(rows=ROWS, **how):
    return tb.Utilities([dict(zip(NAMES, row, strict=True)) for row in rows], **how)


def test_repeated_trials_are_an_error_that_says_how_to_go_on():
    with pytest.raises(tb.InputError, match=r'run "a", request "q1" appears twice.*trials="mean", --trials mean'):
        table()


def test_the_mean_of_trials_is_the_utility():
    utilities = table(trials="mean")
    assert utilities.values.tolist() == [[0.5, 0.5], [0.5, 0.375]]  # (1 + 0) / 2, (0.5 + 0.5) / 2; (0.75 + 0) / 2
    assert utilities.order("leximin").ranking() == ["a", "b"]
    assert "Repeated trials are averaged." in utilities.order("mean").notes


def test_means_of_thirds_tie_exactly():
    rows = [("a", "q", k, v) for k, v in enumerate((0.1, 0.2, 0.3))] + [("b", "q", 0, 0.2)]
    assert table(rows, trials="mean").order("leximin").groups == (("a", "b"),)


def test_costs_are_averaged_too():
    assert table(trials="mean", lower_is_better=True).values.tolist() == [[-0.5, -0.5], [-0.5, -0.375]]


def test_what_is_missing_counts_as_one_trial():
    assert table(ROWS[:6], trials="mean", missing=0).values.tolist() == [[0.5, 0.5], [0.5, 0.0]]


def test_kept_trials_count_as_requests():
    utilities = table(trials="keep")
    assert list(utilities.requests) == ["q1, trial 7", "q1, trial 8", "q2, trial 7", "q2, trial 8"]
    assert utilities.values.tolist() == [[1, 0, 0.5, 0.5], [0.5, 0.5, 0.75, 0]]
    # Leximin sees the trials 0, 0.5, 0.5, 1 and 0, 0.5, 0.5, 0.75.
    assert utilities.order("leximin").ranking() == ["a", "b"]
    assert "Every trial of a request counts as a request." in utilities.order("mean").notes


def test_weights_and_groups_of_requests_hold_for_their_trials():
    utilities = table(trials="keep", weights={"q1": 3, "q2": 1}, groups={"q1": "x", "q2": "y"})
    assert utilities.groups == ("x", "x", "y", "y")
    assert table(trials="keep", weights={"q1": 3, "q2": 1}).table.weights.tolist() == [3, 3, 1, 1]


def test_tests_of_kept_trials_are_those_of_their_means():
    """Trials of one request are not independent."""
    rng = np.random.default_rng(0)
    rows = [(run, f"q{q}", k, float(rng.integers(10)) / 10) for run in "ab" for q in range(9) for k in range(4)]
    kept, means = table(rows, trials="keep").test("t"), table(rows, trials="mean").test("t")
    assert [record["pvalue"] for record in kept.records()] == [record["pvalue"] for record in means.records()]
    assert [record["n_requests"] for record in kept.records()] == [9]


def test_kept_trials_need_their_names():
    with pytest.raises(tb.InputError, match=r"no column for trial. Known names: trial, repetition"):
        tb.Utilities([{"run": "a", "request": "q", "value": 1}], trials="keep")
    with pytest.raises(tb.InputError, match="column trial"):
        tb.Utilities({"a": {"q": 1}}, trials="keep")
    with pytest.raises(tb.InputError, match="trials"):
        table(trials="median")


def test_a_trial_that_a_run_lacks_is_missing():
    with pytest.raises(tb.InputError, match=r'1 of 8 cells are missing: run "b", request "q2, trial 8"'):
        table(ROWS[:-1], trials="keep")


@settings(deadline=None)
@given(st.permutations(ROWS))
def test_the_order_of_rows_does_not_matter(rows):
    for how in ("mean", "keep"):
        utilities = table(rows, trials=how)
        assert utilities.order("leximin").ranking() == ["a", "b"]
        assert sorted(utilities.order("mean").scores.tolist()) == [0.4375, 0.5]


def repeated(**names):
    """Two models, a question each, answered twice."""
    rows = [("gpt", "q", 0, 1.0), ("gpt", "q", 1, 0.5), ("llama", "q", 0, 0.0), ("llama", "q", 1, 0.25)]
    return [dict(zip((*names.values(), "score"), (*row[:2], row[2], row[3]), strict=True)) for row in rows]


@pytest.mark.parametrize("model", ["model", "system", "name"])
def test_a_run_beside_a_model_may_be_a_trial(model):
    table = repeated(model=model, request="query", trial="run")
    for trials in (None, "mean", "keep"):
        with pytest.raises(tb.InputError, match=rf'"run" and "{model}" may both name the runs.*--columns trial=run'):
            tb.Utilities(table, trials=trials)
    for columns in ({"trial": "run"}, {"run": model}, {"run": model, "trial": "run"}):
        mean = tb.Utilities(table, columns=columns, trials="mean")
        assert mean.runs == ("gpt", "llama")
        assert mean.values.tolist() == [[0.75], [0.125]]  # (1 + 1/2) / 2, (0 + 1/4) / 2
    kept = tb.Utilities(table, columns={"trial": "run"}, trials="keep")
    assert list(kept.requests) == ["q, trial 0", "q, trial 1"]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("part", ["filter", "task", "task_name", "Dataset", "subset", "split"])
@pytest.mark.parametrize("library", ["rows", "pandas", "polars"])
def test_values_of_several_tasks_are_no_trials(part, library):
    table = [{"model": "a", "qid": 1, part: name, "score": v} for name, v in (("x", 1.0), ("y", 0.0))]
    if library != "rows":
        table = pytest.importorskip(library).DataFrame(table)
    words = rf'run "a", request "1" has values of {part} "x" and of "y"\. Keep the rows of one.*--columns trial={part}'
    for trials in (None, "mean"):
        with pytest.raises(tb.InputError, match=words):
            tb.Utilities(table, trials=trials)
    assert tb.Utilities(table, columns={"trial": part}, trials="mean").values.tolist() == [[0.5]]
    assert list(tb.Utilities(table, columns={"trial": part}, trials="keep").requests) == ["1, trial x", "1, trial y"]
    assert tb.Utilities(table, columns={"other": part}, trials="mean").values.tolist() == [[0.5]]


@pytest.mark.parametrize("nothing", [None, float("nan")])
def test_tasks_of_requests_of_their_own_may_be_anything(nothing, tmp_path):
    rows = [{"model": "a", "qid": k, "task": task, "score": k / 2} for k, task in enumerate(("x", nothing, "y"))]
    assert tb.Utilities(rows).values.tolist() == [[0, 0.5, 1]]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows)
    assert tb.Utilities(frame, trials="mean").values.tolist() == [[0, 0.5, 1]]
    pytest.importorskip("pyarrow")
    frame.to_parquet(tmp_path / "t.parquet")
    assert tb.Utilities(tmp_path / "t.parquet").values.tolist() == [[0, 0.5, 1]]
    frame.assign(task=[[1], [2], []]).to_parquet(tmp_path / "lists.parquet")
    assert tb.Utilities(tmp_path / "lists.parquet").values.tolist() == [[0, 0.5, 1]]
    frame.assign(qid=1).to_parquet(tmp_path / "twice.parquet")
    with pytest.raises(tb.InputError, match=r'has values of task "." and of "."'):
        tb.Utilities(tmp_path / "twice.parquet", trials="mean")


def test_values_of_several_metrics_are_no_trials():
    rows = [{"model": "a", "qid": 1, "metric": name, "score": v} for name, v in (("acc", 1.0), ("f1", 0.5))]
    with pytest.raises(tb.InputError, match=r"several measures: acc, f1\. Say which: measure='acc'.*-m acc"):
        tb.Utilities(rows, trials="mean")
    assert tb.Utilities(rows, measure="f1").values.tolist() == [[0.5]]
