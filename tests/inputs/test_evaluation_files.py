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
        tb.InputError, match=r"several measures: acc, acc_norm\. Say which: measure='acc', --columns value=acc"
    ):
        tb.Utilities(samples)


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


@pytest.mark.parametrize("name", ["results.json", "results.jsonl"])
def test_results_of_promptfoo(tmp_path, name):
    records = [one | {"provider": {"id": one["provider"]["id"]}} for one in PROMPTFOO]
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
