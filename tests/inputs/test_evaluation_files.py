"""Results of evaluation programs are tables of utilities: lm-evaluation-harness, promptfoo, ragas, lists of records."""

import contextlib
import gzip
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tiebreak as tb


def sample(doc_id, **metrics):
    """A line of samples_TASK_TIME.jsonl, as lm-evaluation-harness 0.4 writes it."""
    return {
        "doc_id": doc_id,
        "doc": {"question": "Why?", "answer": "So."},
        "target": "So.",
        "arguments": {"gen_args_0": {"arg_0": "Question: Why?\nAnswer:", "arg_1": {"until": ["\n"]}}},
        "resps": [["So."]],
        "filtered_resps": ["So."],
        "filter": "none",
        "metrics": [*metrics],
        "doc_hash": "a",
        "prompt_hash": "b",
        "target_hash": "c",
        **metrics,
    }


def write_lines(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.fixture
def samples(tmp_path):
    scores = {"gpt": (1.0, 0.0), "llama": (0.0, 0.5)}
    return {
        run: write_lines(tmp_path / f"{run}.jsonl", [sample(k, acc=v, acc_norm=v / 2) for k, v in enumerate(values)])
        for run, values in scores.items()
    }


def test_samples_of_the_harness_by_run(samples):
    table = tb.Utilities(samples, measure="acc")
    assert (table.runs, list(table.requests), table.measure) == (("gpt", "llama"), ["0", "1"], "acc")
    assert table.values.tolist() == [[1, 0], [0, 0.5]]
    assert tb.Utilities(samples, columns={"value": "acc_norm"}).values.tolist() == [[0.5, 0], [0, 0.25]]


def test_a_single_metric_of_the_harness_needs_no_name(tmp_path):
    path = write_lines(tmp_path / "s.jsonl", [sample(0, exact_match=True), sample(1, exact_match=False)])
    assert tb.Utilities({"gpt": path}).values.tolist() == [[1, 0]]


def test_several_metrics_of_the_harness_are_named(samples):
    with pytest.raises(
        tb.InputError, match=r"several measures: acc, acc_norm\. Say which: measure='acc', on the command line -m acc"
    ):
        tb.Utilities(samples)


def test_a_metric_that_samples_do_not_have(samples, tmp_path):
    with pytest.raises(tb.InputError, match=r'unknown measure "f1"\. Known: acc, acc_norm'):
        tb.Utilities(samples, measure="f1")
    path = write_lines(tmp_path / "s.jsonl", [sample(0, exact_match=1.0)])
    with pytest.raises(tb.InputError, match=r'unknown measure "f1"\. Known: exact_match'):
        tb.Utilities({"gpt": path}, measure="f1")


def test_samples_of_different_metrics_are_not_mixed(tmp_path):
    paths = {name: write_lines(tmp_path / f"{name}.jsonl", [sample(0, **{name: 1.0})]) for name in ("acc", "f1")}
    with pytest.raises(tb.InputError, match="several measures: acc, f1"):
        tb.Utilities({"a": paths["acc"], "b": paths["f1"]})
    assert tb.Utilities({"a": paths["acc"], "b": paths["acc"]}).measure == "acc"


def test_filters_of_the_harness_are_no_trials(tmp_path):
    records = [sample(0, acc=v) | {"filter": name} for name, v in (("strict", 0.0), ("flexible", 1.0))]
    path = write_lines(tmp_path / "s.jsonl", records)
    for trials in (None, "mean"):
        with pytest.raises(tb.InputError, match=r'request "0" has values of filter "strict" and of "flexible"'):
            tb.Utilities({"gpt": path}, trials=trials)


def test_the_prompts_of_a_sample_may_be_long(tmp_path):
    long = sample(0, acc=1.0) | {"target": "x" * 200_000}
    path = write_lines(tmp_path / "s.jsonl", [long])
    packed = tmp_path / "s.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert tb.Utilities({"gpt": path}).values.tolist() == tb.Utilities({"gpt": packed}).values.tolist() == [[1]]


def result(test, provider, score, **more):
    """A result of promptfoo's eval --output results.json."""
    return {
        "promptIdx": 0,
        "testIdx": test,
        "provider": {"id": provider, "label": ""},
        "vars": {"query": "Why?"},
        "success": score > 0.5,
        "score": score,
        "latencyMs": 12,
        "namedScores": {"tone": score / 2},
        **more,
    }


PROMPTFOO = [
    result(0, "openai:gpt", 1, cost=0.1),
    result(1, "openai:gpt", 0.25),
    result(0, "llama", 0),
    result(1, "llama", 0.5),
]


def test_prompts_of_promptfoo_are_no_trials(tmp_path):
    records = [result(0, "gpt", 1), result(0, "gpt", 0, promptIdx=1), result(0, "gpt", 0.5, promptIdx=1)]
    path = write_lines(tmp_path / "results.jsonl", records)
    with pytest.raises(tb.InputError, match=r'request "0" has values of promptIdx "0" and of "1"'):
        tb.Utilities(path, trials="mean")
    assert tb.Utilities(path, columns="run=promptIdx", trials="mean").values.tolist() == [[1], [0.25]]


@pytest.mark.parametrize("name", ["results.json", "results.jsonl"])
def test_results_of_promptfoo(tmp_path, name):
    # Labels are given, empty or absent.
    providers = [
        {"id": "x", "label": "openai:gpt"},
        {"id": "openai:gpt"},
        {"id": "llama", "label": ""},
        {"id": "llama"},
    ]
    records = [one | {"provider": provider} for one, provider in zip(PROMPTFOO, providers, strict=True)]
    if name == "results.json":
        (tmp_path / name).write_text(json.dumps({"evalId": "e", "results": {"version": 3, "results": records}}))
    else:
        write_lines(tmp_path / name, records)
    table = tb.Utilities(tmp_path / name)
    assert (table.runs, list(table.requests)) == (("openai:gpt", "llama"), ["0", "1"])
    assert table.values.tolist() == [[1, 0.25], [0, 0.5]]
    tone = tb.Utilities(tmp_path / name, columns="value=namedScores.tone")
    assert tone.values.tolist() == [[0.5, 0.125], [0, 0.25]]
    assert tb.Utilities(tmp_path / name, columns="value=success").values.tolist() == [[1, 0], [0, 0]]


def test_tables_of_ragas_by_run(tmp_path):
    (tmp_path / "a.csv").write_text('user_input,response,faithfulness\n"Why, then?",So.,0.5\nHow?,Thus.,1\n')
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"user_input": ["How?", "Why, then?"], "response": ["", ""], "faithfulness": [0.25, 0.75]})
    table = tb.Utilities({"a": tmp_path / "a.csv", "b": frame}, measure="faithfulness")
    assert list(table.requests) == ["Why, then?", "How?"]
    assert table.values.tolist() == [[0.5, 1], [0.75, 0.25]]


@pytest.mark.parametrize("name", ["user_input", "question"])
def test_tables_of_ragas_with_nothing_but_metrics(tmp_path, name):
    (tmp_path / "a.csv").write_text(f"{name},faithfulness,context_recall\nWhy?,0.5,1\nHow?,,0\n")
    table = tb.Utilities({"a": tmp_path / "a.csv"}, measure="faithfulness", missing=0)
    assert (list(table.requests), table.values.tolist()) == (["Why?", "How?"], [[0.5, 0]])
    with pytest.raises(tb.InputError, match=r"A table of a single run is given by its name.*--columns request=" + name):
        tb.Utilities(tmp_path / "a.csv")  # metrics are no runs
    wide = tb.Utilities(tmp_path / "a.csv", columns={"request": name}, missing=0)
    assert wide.runs == ("faithfulness", "context_recall")


def test_ids_of_questions_come_before_their_text():
    rows = [{"question_id": k, "question": "Why?", "acc": k} for k in (0, 1)]
    assert list(tb.Utilities({"a": rows}, measure="acc").requests) == ["0", "1"]


@pytest.mark.parametrize("name", ["prompt", "prompt_id"])
def test_prompts_are_requests(tmp_path, name):
    path = tmp_path / "wide.csv"
    path.write_text(f"{name},task,large,small\np1,code,1,0\np2,chat,0.5,0.25\n")
    table = tb.Utilities(path, columns="other=task")
    assert (list(table.requests), table.runs) == (["p1", "p2"], ("large", "small"))
    assert tb.read_groups(path, columns="group=task") == {"p1": "code", "p2": "chat"}


def test_a_column_of_text_in_a_wide_table_is_told_how_to_leave_it_out(tmp_path):
    (tmp_path / "wide.csv").write_text("prompt,task,large,small\np1,code,1,0\n")
    advice = r"wide.csv:2: column .task. holds 'code'.*If it is no run, leave it out: .*--columns other=task\."
    with pytest.raises(tb.InputError, match=advice):
        tb.Utilities(tmp_path / "wide.csv")


def test_prompts_are_texts_beside_other_requests():
    rows = [{"qid": k, "prompt": "Why?", "model": "a", "score": k} for k in (0, 1)]
    assert list(tb.Utilities(rows).requests) == ["0", "1"]
    with_ids = [{"prompt_id": k, "prompt": "Why?", "model": "a", "score": k} for k in (0, 1)]
    assert list(tb.Utilities(with_ids).requests) == ["0", "1"]


def test_the_table_of_a_run_may_not_hold_others(tmp_path):
    (tmp_path / "two.csv").write_text("model,qid,score\na,q1,1\nb,q2,0\n")
    with pytest.raises(tb.InputError, match=r"given for one run, and holds several: a, b\..*columns=.\"run\": None."):
        tb.Utilities({"mine": tmp_path / "two.csv"})
    table = tb.Utilities({"mine": tmp_path / "two.csv"}, columns={"run": None})
    assert (table.runs, table.values.tolist()) == (("mine",), [[1, 0]])


def test_a_table_without_runs_is_told_how_to_name_its_run(tmp_path):
    (tmp_path / "one.csv").write_text("qid,score\nq1,1\n")
    with pytest.raises(tb.InputError, match=r"no column for run.*\{name: table\}, --utilities NAME=FILE"):
        tb.Utilities(tmp_path / "one.csv")


def test_a_dictionary_in_a_file(tmp_path):
    (tmp_path / "scores.json").write_text('{"a": {"q": 1, "r": 0.5}, "b": {"q": 0, "r": 1}}')
    assert tb.Utilities(tmp_path / "scores.json").values.tolist() == [[1, 0.5], [0, 1]]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("r.jsonl", "[1]\n", "r.jsonl:1: an object on every line"),
        (
            "r.jsonl",
            '{"run": "a", "request": "q", "value": 1}\n{"run": "a"}\n',
            'r.jsonl:2: column "request" has no value',
        ),
        ("r.jsonl", '{"run": "a", "request": "q", "value": "good"}\n', 'r.jsonl:1: column "value" holds'),
        ("r.json", '{"results": [1]}', "r.json: record 1 is"),
        ("r.json", '{"results": ', "r.json:1: this is not JSON"),
        ("r.json", "[]", "there is no column in it"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(tb.InputError) as error:
        tb.Utilities(tmp_path / name)
    assert message in str(error.value)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60), st.sampled_from([".json", ".jsonl"]), st.integers(0, 400))
def test_any_bytes_are_read_or_refused(tmp_path, noise, ending, place):
    whole = json.dumps(PROMPTFOO[0]).encode()
    (tmp_path / f"noise{ending}").write_bytes(whole[:place] + noise + whole[place:] + b"\n")
    with contextlib.suppress(tb.InputError):
        tb.Utilities(tmp_path / f"noise{ending}")


# Several files for one run


def harness_folder(folder, run, tasks):
    folder.mkdir()
    (folder / "results_2025-01-31T12-00-00.123456.json").write_text("{}")
    for task, values in tasks.items():
        path = folder / f"samples_{task}_2025-01-31T12-00-0{len(run)}.123456.jsonl"
        write_lines(path, [sample(k, acc=v) for k, v in enumerate(values)])
    return folder


def test_folder_of_samples_is_a_run_over_all_its_tasks(tmp_path):
    folders = {
        run: harness_folder(tmp_path / run, run, tasks)
        for run, tasks in {
            "gpt": {"arc_easy": (1, 0), "piqa": (1,)},
            "llama": {"arc_easy": (0, 1), "piqa": (0,)},
        }.items()
    }
    listed = {run: sorted(folder.glob("*.jsonl")) for run, folder in folders.items()}
    for held in (folders, listed, {"gpt": folders["gpt"], "llama": [str(path) for path in listed["llama"]]}):
        table = tb.Utilities(held)
        assert [*table.requests] == ["arc_easy 0", "arc_easy 1", "piqa 0"]
        assert table.values.tolist() == [[1, 0, 1], [0, 1, 0]]
    with pytest.raises(tb.InputError, match="there are no samples of lm-evaluation-harness in this folder"):
        tb.Utilities({"gpt": tmp_path, "llama": folders["llama"]})


def test_files_of_samples_without_a_time_are_tasks_by_their_names(tmp_path):
    files = [write_lines(tmp_path / f"{task}.jsonl", [sample(0, acc=1)]) for task in ("gsm8k", "mmlu")]
    assert [*tb.Utilities({"gpt": files}, trials="mean").requests] == ["gsm8k 0", "mmlu 0"]


def test_several_tables_of_a_run_are_one(tmp_path):
    for name, text in {"a": "qid,score\n1,0.5\n", "b": "qid,score\n2,1\n"}.items():
        (tmp_path / f"{name}.csv").write_text(text)
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    assert tb.Utilities({"gpt": files, "llama": {"1": 0, "2": 1}}).values.tolist() == [[0.5, 1], [0, 1]]
    with pytest.raises(tb.InputError, match='run "gpt", request "1" appears twice'):
        tb.Utilities({"gpt": [files[0], files[0]], "llama": {"1": 0}})
