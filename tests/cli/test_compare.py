"""``tiebreak compare``: every format, baselines, and the gate."""

import csv
import io
import json
import math
import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

from cli.running import run

FORMATS = ("table", "tsv", "csv", "jsonl", "latex", "trec")
NASTY = '[red]e:v,i"l\t\x1b[2J&_%$#{}~^\\'
"""A name that markup, terminals, CSV, TSV and LaTeX could each stumble over."""
IN_LATEX = r"\&\_\%\$\#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}"
"""How its last characters are written there."""


# Where the core was not built, its absence is no news here: other tests hold what is said of it.
CONTENT = {} if find_spec("tiebreak._core") else {"TIEBREAK_CORE": "python"}


def done(*arguments, code=0, **options):
    """Run it, and hold it to its exit code and to never showing a traceback."""
    ended = run(*arguments, **CONTENT, **options)
    assert "Traceback" not in ended.stderr
    assert ended.returncode == code, ended.stderr
    return ended


def one_line_error(*arguments, **options):
    """The only line that a refused call leaves behind."""
    ended = done(*arguments, code=2, **options)
    assert ended.stdout == ""
    assert ended.stderr.startswith("Error: ") and ended.stderr.count("\n") == 1
    return ended.stderr


def ranking(request, *items):
    """Lines of a run, the best item first."""
    return "".join(f"{request} Q0 {item} {r} {100 - r} t\n" for r, item in enumerate(items, start=1))


def objects(text):
    return [json.loads(line) for line in text.splitlines()]


def latex_cells(text):
    """The cells of every row between the rules."""
    lines = text.split("\\midrule\n")[1].split("\\bottomrule")[0].splitlines()
    assert all(line.endswith(r" \\") for line in lines)
    return [line.removesuffix(r" \\").split(" & ") for line in lines]


def three_runs(tmp_path):
    """Positions: one (1, 3) and (1), two (2, -) and (-), three (1, 2) and (2)."""
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 1\nq2 0 c 1\n")
    (tmp_path / "one.run").write_text(ranking("q1", "a", "x", "b") + ranking("q2", "c"))
    (tmp_path / "two.run").write_text(ranking("q1", "x", "a"))
    (tmp_path / "three.run").write_text(ranking("q1", "a", "b") + ranking("q2", "x", "c"))
    return tuple(tmp_path / name for name in ("qrels.txt", "one.run", "two.run", "three.run"))


@pytest.fixture
def files(tmp_path):
    return three_runs(tmp_path)


# RPP, one over three: q1 ties at level 1 and loses level 2, -1/2; q2 wins its only level, 1.
# The same by dcg: level 2 of 2 weighs (1/log2 3) / (1 + 1/log2 3).
# AP: one has (1/1 + 2/3) / 2 and 1, two (1/2) / 2 and 0, three 1 and 1/2.
PAIRS = [("one", "two"), ("one", "three"), ("two", "three")]
SECOND = (1 / math.log2(3)) / (1 + 1 / math.log2(3))
RPP = {"q1": [1, -1 / 2, -1], "q2": [1, 1, -1], "all": [1, 1 / 4, -1]}
DCG = {"q1": [1, -SECOND, -1], "q2": [1, 1, -1], "all": [1, (1 - SECOND) / 2, -1]}
AP = {"q1": [5 / 6 - 1 / 4, 5 / 6 - 1, 1 / 4 - 1], "q2": [1, 1 - 1 / 2, -1 / 2]}
AP["all"] = [(a + b) / 2 for a, b in zip(AP["q1"], AP["q2"], strict=True)]


def test_means_and_counts_of_a_hand_worked_experiment(files):
    rows = list(csv.DictReader(io.StringIO(done("compare", *files, "-m", "RPP", "--format", "csv").stdout)))
    assert [(row["run"], row["other"]) for row in rows] == PAIRS
    assert {row["measure"] for row in rows} == {"RPP"}
    assert [float(row["value"]) for row in rows] == RPP["all"]
    assert [(row["wins"], row["ties"], row["losses"]) for row in rows] == [
        ("2", "0", "0"),
        ("1", "0", "1"),
        ("0", "0", "2"),
    ]
    # Values -1/2 and 1: standard error 3/4; the 97.5% point of Student's t with one degree of freedom is 12.7062.
    assert float(rows[1]["low"]) == pytest.approx(1 / 4 - 12.7062 * 3 / 4, abs=1e-4)
    assert float(rows[1]["high"]) == pytest.approx(1 / 4 + 12.7062 * 3 / 4, abs=1e-4)


def test_csv_json_lines_and_frames_have_one_schema(files):
    asked = ("-m", "rpp", "-m", "ap")
    lines = objects(done("compare", *files, *asked, "--format", "jsonl").stdout)
    assert [list(line)[:4] for line in lines] == [["run", "other", "measure", "value"]] * 6
    expected = [(*pair, name) for name in ("rpp", "ap") for pair in PAIRS]
    assert [(line["run"], line["other"], line["measure"]) for line in lines] == expected
    assert [line["value"] for line in lines] == pytest.approx(RPP["all"] + AP["all"])
    lines = objects(done("compare", *files, "-q", *asked, "--format", "jsonl").stdout)
    assert [list(line) for line in lines] == [["run", "other", "request", "measure", "value"]] * 12
    assert [line["value"] for line in lines] == pytest.approx(RPP["q1"] + RPP["q2"] + AP["q1"] + AP["q2"])


def test_format_of_pref_eval_has_its_keys_and_measures_as_typed(files):
    asked = ("-m", "rpp", "-m", "dcgrpp", "-m", "ap")
    lines = objects(done("compare", *files, *asked, "--format", "pref_eval").stdout)
    assert [list(line) for line in lines] == [["qid", "runi", "runj", "type", "rpp", "dcgrpp", "ap"]] * 3
    assert [(line["qid"], line["runi"], line["runj"], line["type"]) for line in lines] == [
        ("all", *pair, "preference") for pair in PAIRS
    ]
    for key, expected in (("rpp", RPP), ("dcgrpp", DCG), ("ap", AP)):
        assert [line[key] for line in lines] == pytest.approx(expected["all"])


def test_format_of_pref_eval_names_each_request(files):
    asked = ("-m", "rpp", "-m", "dcgrpp", "-m", "ap")
    lines = objects(done("compare", *files, "-q", *asked, "--format", "pref_eval").stdout)
    assert [line["qid"] for line in lines] == ["q1"] * 3 + ["q2"] * 3
    for key, expected in (("rpp", RPP), ("dcgrpp", DCG), ("ap", AP)):
        assert [line[key] for line in lines] == pytest.approx(expected["q1"] + expected["q2"])


def test_default_measures_are_the_average_worst_and_best_case(files):
    lines = objects(done("compare", *files, "--format", "jsonl").stdout)
    # one over three: both lexicographic preferences lose q1 by its second level and win q2.
    values = {line["measure"]: line["value"] for line in lines if (line["run"], line["other"]) == ("one", "three")}
    assert values == {"RPP": 1 / 4, "LexiRecall": 0.0, "LexiPrecision": 0.0}


def test_table_of_one_measure_has_mean_interval_and_counts(files):
    text = done("compare", *files, "-m", "RPP").stdout
    rows = [line.split() for line in text.splitlines() if line.split()]
    assert rows[0] == ["run", "other", "value", "low", "95%", "high", "95%", "wins", "ties", "losses"]
    assert ["one", "three", "+0.2500", "-9.2797", "+9.7797", "1", "0", "1"] in rows
    assert "positive where run is better" in text and "0.0% tied" in text
    assert "Intervals are not corrected." in text  # an interval may exclude 0 where there is no star
    assert "corrected" not in done("compare", *files, "-m", "RPP", "-m", "ap").stdout  # there are no intervals


def test_table_of_several_measures_puts_them_side_by_side(files):
    text = done("compare", *files, "-m", "RPP", "-m", "ap", "--digits", 2).stdout
    rows = [line.split() for line in text.splitlines() if line.split()]
    assert rows[0] == ["run", "other", "RPP", "w/t/l", "ap", "w/t/l"]
    assert ["one", "three", "+0.25", "1/0/1", "+0.17", "1/0/1"] in rows


def test_per_request_table_lists_every_request_and_pair(files):
    rows = [line.split() for line in done("compare", *files, "-q", "-m", "RPP").stdout.splitlines()]
    assert ["one", "three", "q1", "-0.5000"] in rows and ["one", "three", "q2", "+1.0000"] in rows


def test_tsv_and_csv_hold_the_same_rows(files):
    for extra in ((), ("-q",)):
        tsv, comma = (
            done("compare", *files, "-m", "ap", *extra, "--format", form).stdout.splitlines() for form in ("tsv", "csv")
        )
        assert [line.split("\t") for line in tsv] == [line.split(",") for line in comma]
        assert len(tsv) == (7 if extra else 4)


def test_trec_format_has_requests_then_all(files):
    lines = [
        line.split("\t")
        for line in done("compare", *files[:3], "-q", "-m", "ap", "--format", "trec").stdout.splitlines()
    ]
    assert [line[:4] for line in lines] == [["one", "two", "ap", request] for request in ("q1", "q2", "all")]
    assert [float(line[4]) for line in lines] == pytest.approx([AP["q1"][0], AP["q2"][0], AP["all"][0]])


def test_trec_lines_of_a_request_and_pair_have_all_measures_one_after_the_other(files):
    measures = ("RPP", "AP")
    text = done("compare", *files, "-q", "-m", "RPP", "-m", "AP", "--format", "trec").stdout
    pairs = [("one", "two"), ("one", "three"), ("two", "three")]
    expected = [(*pair, measure, request) for request in ("q1", "q2") for pair in pairs for measure in measures]
    expected += [(*pair, measure, "all") for measure in measures for pair in pairs]
    assert [tuple(line.split("\t")[:4]) for line in text.splitlines()] == expected


@pytest.mark.parametrize("requests", [6, 5])
def test_a_mean_is_marked_where_the_test_shows_a_difference_also_by_few_requests(tmp_path, requests):
    (tmp_path / "qrels").write_text("".join(f"q{q} 0 a 1\n" for q in range(requests)))
    (tmp_path / "one.run").write_text("".join(f"q{q} 0 a 1 2\nq{q} 0 x 2 1\n" for q in range(requests)))
    (tmp_path / "two.run").write_text("".join(f"q{q} 0 x 1 2\nq{q} 0 a 2 1\n" for q in range(requests)))
    arguments = (tmp_path / "qrels", tmp_path / "one.run", tmp_path / "two.run", "-m", "RPP", "--format", "latex")
    text = done("compare", *arguments).stdout
    assert latex_cells(text)[0][:3] == ["one", "two", r"\textbf{\boldmath$+1.0000$\textsuperscript{*}}"]
    assert "* p < 0.05 by a two-sided paired t-test." in text
    assert ("fewer than 6 requests differ" in text) == (requests < 6)


def test_one_request_has_no_mark_and_a_note(tmp_path):
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "one.run").write_text("q 0 a 1 2\nq 0 x 2 1\n")
    (tmp_path / "two.run").write_text("q 0 x 1 2\nq 0 a 2 1\n")
    arguments = (tmp_path / "qrels", tmp_path / "one.run", tmp_path / "two.run", "-m")
    assert "too few requests for a test" in done("compare", *arguments, "RPP").stdout
    assert "ties dropped" in done("compare", *arguments, "LexiRecall").stdout  # which a sign test takes


def test_parquet_holds_the_rows_of_csv(files, tmp_path):
    polars = pytest.importorskip("polars")
    out = tmp_path / "compared.parquet"
    done("compare", *files, "-m", "RPP", "--format", "parquet", "-o", out)
    frame = polars.read_parquet(out)
    assert frame.columns == [
        "run",
        "other",
        "measure",
        "value",
        "low",
        "high",
        "wins",
        "ties",
        "losses",
        "pvalue_corrected",
    ]
    assert frame["value"].to_list() == RPP["all"]
    done("compare", *files, "-q", "-m", "RPP", "--format", "parquet", "-o", out)
    assert polars.read_parquet(out)["value"].to_list() == RPP["q1"] + RPP["q2"]


@pytest.mark.parametrize("form", FORMATS)
def test_output_file_holds_what_would_be_printed(files, tmp_path, form):
    out = tmp_path / "out"
    printed = done("compare", *files, "-m", "RPP", "--format", form).stdout
    assert done("compare", *files, "-m", "RPP", "--format", form, "-o", out).stdout == ""
    kept = out.read_text()
    assert "three" in kept
    assert [line.rstrip() for line in kept.splitlines()] == [
        line.rstrip() for line in printed.splitlines() if line.strip()
    ]


def test_old_output_survives_a_call_that_fails(files, tmp_path):
    out = tmp_path / "out.csv"
    out.write_text("old")
    one_line_error("compare", *files, "-m", "RPP", "--baseline", "nobody", "--format", "csv", "-o", out)
    assert out.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_baseline_stands_second_and_only_it_is_compared_with(files):
    lines = objects(done("compare", *files, "-m", "RPP", "--baseline", "three", "--format", "jsonl").stdout)
    assert [(line["run"], line["other"], line["value"]) for line in lines] == [
        ("one", "three", 0.25),
        ("two", "three", -1),
    ]


def test_several_baselines_are_each_compared_with_all_others(files):
    both = ("--baseline", "one", "--baseline", "two")
    lines = objects(done("compare", *files, "-m", "RPP", *both, "--format", "jsonl").stdout)
    assert [(line["run"], line["other"], line["value"]) for line in lines] == [
        ("two", "one", -1),
        ("three", "one", -0.25),
        ("three", "two", 1),
    ]


def test_run_names_with_colons_survive(files):
    qrels, one, two, _ = files
    named = done("compare", qrels, f"bm25:k1:b={one}", f"dense:v2={two}", "-m", "rpp", "--format", "pref_eval").stdout
    assert objects(named) == [
        {"qid": "all", "runi": "bm25:k1:b", "runj": "dense:v2", "type": "preference", "rpp": 1.0},
    ]


def test_latex_row_never_begins_with_what_the_end_of_the_row_above_would_take(files):
    # After a line break, TeX looks past spaces and the end of the line for a star or an optional length in brackets.
    qrels, one, two, three = files
    named = (f"[a]={one}", f"*b={two}", f"[c]={three}")
    cells = latex_cells(done("compare", qrels, *named, "-m", "AP", "--format", "latex").stdout)
    assert len(cells) == 3
    assert not any(row[0].startswith(("[", "*")) for row in cells[1:])


@pytest.mark.parametrize("extra", [(), ("-q",)])
def test_nasty_names_do_no_harm_in_any_format(files, extra):
    qrels, one, two, _ = files
    arguments = ("compare", qrels, f"{NASTY}={one}", two, "-m", "RPP", *extra)
    got = {form: done(*arguments, "--format", form).stdout for form in FORMATS}
    assert [line["run"] for line in objects(got["jsonl"])] == [NASTY] * (2 if extra else 1)
    assert [row["run"] for row in csv.DictReader(io.StringIO(got["csv"]))] == [NASTY] * (2 if extra else 1)
    assert not any("\x1b" in got[form] for form in ("table", "latex"))
    assert "[red]e:v" in got["table"]
    assert {len(line.split("\t")) for line in got["tsv"].splitlines()} == {5 if extra else 10}
    assert {len(line.split("\t")) for line in got["trec"].splitlines()} == {5}
    cells = latex_cells(got["latex"])
    assert {len(row) for row in cells} == {4 if extra else 8}
    assert IN_LATEX in cells[0][0]


def test_nasty_requests_do_no_harm_in_any_format(tmp_path):
    request = 'q[b],1"&_'
    (tmp_path / "qrels.txt").write_text(f"{request} 0 a 1\n")
    (tmp_path / "one.run").write_text(ranking(request, "a"))
    (tmp_path / "two.run").write_text(ranking(request, "x"))
    arguments = ("compare", tmp_path / "qrels.txt", tmp_path / "one.run", tmp_path / "two.run", "-m", "RPP", "-q")
    got = {form: done(*arguments, "--format", form).stdout for form in FORMATS}
    assert objects(got["jsonl"])[0]["request"] == request
    assert next(csv.DictReader(io.StringIO(got["csv"])))["request"] == request
    assert request in got["table"] and request in got["tsv"] and request in got["trec"]
    assert latex_cells(got["latex"]) == [["one", "two", r'q[b],1"\&\_', "$+1.0000$"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["qrels.txt", "one.run"], "needs at least two runs"),
        (["qrels.txt", "one.run", "two.run", "--baseline", "tow"], 'unknown run "tow". Did you mean "two"?'),
        (["qrels.txt", "one.run", "two.run", "-m", "LexiRecal"], 'Did you mean "LexiRecall"?'),
        (["qrels.txt", "one.run", "two.run", "--fail-if-worse", "RPPP"], 'Did you mean "RPP"?'),
        (["qrels.txt", "one.run", "two.run", "-m", "RPP(weights='dgc')"], 'unknown weights "dgc". Did you mean "dcg"?'),
        (["qrels.txt", "one.run", "two.run", "-m", ""], '"" cannot be read'),
        (["qrels.txt", "one.run", "two.run", "--fail-if-worse", ""], '"" cannot be read'),
        (["qrels.txt", "one.run", "two.run", "-m", "ST-RPP"], "ST-RPP needs subtopics"),
        (["qrels.txt", "one.run", "two.run", "-m", "AP(rel=9)"], "has no value for any request"),
        (["qrels.txt", "one.run", "one.run"], "two runs are called"),
        (["qrels.txt", "one.run", "missing.run"], "missing.run: no such file"),
        (["qrels.txt", "one.run", "two.run", "-m", "RPP", "-o", "no/such/folder"], "cannot be written"),
    ],
)
def test_bad_input_is_one_clear_line(files, monkeypatch, arguments, message):
    monkeypatch.chdir(files[0].parent)
    assert message in one_line_error("compare", *arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "parquet"], "--format parquet needs --out FILE"),
        (["--format", "xml"], "is not one of"),
        (["--alpha", "1"], "--alpha=1.0. Give a number above 0 and below 1"),
        (["--alpha", "0"], "--alpha=0.0. Give a number above 0 and below 1"),
        (["--alpha", "nan"], "--alpha"),
        (["--digits", "-1"], "not in the range"),
    ],
)
def test_bad_option_is_refused(files, arguments, message):
    assert message in done("compare", *files, *arguments, code=2).stderr


def test_requests_disjoint_between_runs_and_qrels_are_an_error(files):
    qrels, one, two, _ = files
    qrels.write_text("z1 0 a 1\n")
    message = one_line_error("compare", qrels, one, two)
    assert 'lists none of the judged requests. It begins with request "q1", the judgements with "z1"' in message


def test_names_are_checked_before_anything_is_read(tmp_path):
    none = tmp_path / "none"
    assert 'unknown preference "zzz"' in one_line_error("compare", none, none, none, "-m", "zzz")
    gate = ("compare", none, none, none, "--fail-if-worse", "AP")
    assert "Give one of them" in one_line_error(*gate, "--margin", "0.1", "--allow", "0.1")
    assert "a gate takes no hsd" in one_line_error(*gate, "--test", "hsd")


def test_help_lists_every_preference():
    from tiebreak.preferences import CATALOGUE

    text = done("compare", "--help").stdout
    for name in CATALOGUE:
        assert f"\n  {name} " in text


def closed_pipe(*arguments):
    """The exit code and what is said when nobody reads the output; every line is written at once, as long ones are."""
    command = f"{sys.executable} -m tiebreak {' '.join(map(str, arguments))} | true; exit ${{PIPESTATUS[0]}}"
    unbuffered = os.environ | CONTENT | {"PYTHONUNBUFFERED": "1"}
    ended = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, env=unbuffered)
    return ended.returncode, ended.stderr


@pytest.mark.parametrize("form", ["table", pytest.param("jsonl", marks=pytest.mark.slow)])
def test_closed_pipe_ends_quietly_and_is_no_failed_gate(files, form):
    assert closed_pipe("compare", *files, "-q", "--format", form) == (0, "")


def test_request_for_which_one_measure_has_no_value_is_left_out_or_null(tmp_path):
    (tmp_path / "qrels.txt").write_text("q1 0 a 3\nq2 0 c 1\n")
    (tmp_path / "one.run").write_text(ranking("q1", "a") + ranking("q2", "c"))
    (tmp_path / "two.run").write_text(ranking("q1", "x", "a") + ranking("q2", "x", "c"))
    arguments = ("compare", tmp_path / "qrels.txt", tmp_path / "one.run", tmp_path / "two.run")
    asked = ("-m", "rrLP(rel=3)", "-m", "RPP")
    lines = objects(done(*arguments, *asked, "-q", "--format", "pref_eval").stdout)
    assert [(line["qid"], line["rrLP(rel=3)"], line["RPP"]) for line in lines] == [("q1", 0.5, 1), ("q2", None, 1)]
    lines = objects(done(*arguments, *asked, "-q", "--format", "jsonl").stdout)
    assert [(line["request"], line["measure"]) for line in lines] == [("q1", asked[1]), ("q1", "RPP"), ("q2", "RPP")]
    # Each mean is over the requests that have a value.
    (mean,) = objects(done(*arguments, *asked, "--format", "pref_eval").stdout)
    assert (mean["rrLP(rel=3)"], mean["RPP"]) == (0.5, 1)


def test_identical_runs_tie_everywhere(files):
    qrels, one, _, _ = files
    text = done("compare", qrels, one, f"copy={one}", "-m", "RPP").stdout
    assert ["one", "copy", "0.0000", "0.0000", "0.0000", "0", "2", "0"] in [line.split() for line in text.splitlines()]
    assert "100.0% tied" in text


def test_run_from_standard_input(files):
    qrels, one, two, _ = files
    (line,) = objects(done("compare", qrels, one, "-", "-m", "RPP", "--format", "jsonl", stdin=two.read_text()).stdout)
    assert (line["other"], line["value"]) == ("stdin", 1)


def test_requests_common_leaves_out_what_a_run_lacks(files):
    qrels, one, two, _ = files
    ended = done("compare", qrels, one, two, "-m", "AP", "--requests", "common", "--format", "jsonl")
    assert objects(ended.stdout)[0]["value"] == pytest.approx(AP["q1"][0])


def test_depth_cuts_every_ranking(files):
    qrels, one, _, three = files
    (line,) = objects(done("compare", qrels, one, three, "-m", "RPP", "--depth", 2, "--format", "jsonl").stdout)
    assert line["value"] == 0.25  # q1: (1, -) against (1, 2) is still -1/2
    (line,) = objects(done("compare", qrels, one, three, "-m", "RPP", "--depth", 1, "--format", "jsonl").stdout)
    assert line["value"] == 0.5  # q1: (1, -) twice, a tie; q2: (1) against (-)


class TestGate:
    """In every request, `base` has the relevant item at position 1, `low` at 2; so low loses all of them."""

    @pytest.fixture
    def gate(self, tmp_path):
        def runs(n, **standings):
            (tmp_path / "qrels.txt").write_text("".join(f"q{q} 0 a 1\n" for q in range(n)))
            for name, positions in standings.items():
                places = [positions] * n if isinstance(positions, int) else positions
                lines = (ranking(f"q{q}", *"xyzuvw"[: place - 1], "a") for q, place in enumerate(places))
                (tmp_path / f"{name}.run").write_text("".join(lines))
            return ("compare", tmp_path / "qrels.txt", *(tmp_path / f"{name}.run" for name in standings))

        return runs

    def test_significantly_worse_run_is_named_and_exits_1(self, gate):
        arguments = (*gate(6, base=1, low=2), "--fail-if-worse", "RPP", "--test", "sign")
        ended = done(*arguments, "--format", "pref_eval", code=1)
        assert (
            'FAIL "low" is worse than "base" by RPP: -1.0000' in ended.stderr and "p = 0.031" in ended.stderr
        )  # 2 / 2^6
        assert "by an exact two-sided sign test, ties dropped" in ended.stderr
        assert objects(ended.stdout)[0] == {
            "qid": "all",
            "runi": "low",
            "runj": "base",
            "type": "preference",
            "RPP": -1,
        }

    def test_p_values_are_corrected_over_the_runs_tested(self, gate):
        # Holm doubles the smallest of two p-values: 2 x 2/64 = 0.0625.
        arguments = ("--fail-if-worse", "RPP", "--test", "sign")
        ended = done(*gate(6, base=1, low=2, other=1), *arguments)
        assert "is worse" not in ended.stderr
        # 2 x 2/128 = 0.03125.
        ended = done(*gate(7, base=1, low=2, other=1), *arguments, code=1)
        assert '"low" is worse' in ended.stderr and '"other" is worse' not in ended.stderr
        assert "with Holm's correction for 2 comparisons" in ended.stdout

    def test_every_worse_run_is_named(self, gate):
        ended = done(*gate(7, base=1, low=2, lower=3), "--fail-if-worse", "RPP", code=1)
        assert '"low" is worse than "base"' in ended.stderr and '"lower" is worse than "base"' in ended.stderr

    def test_alpha_is_respected_and_strict(self, gate):
        arguments = (*gate(6, base=1, low=2), "--fail-if-worse", "RPP", "--test", "sign", "--alpha")
        done(*arguments, "0.032", code=1)
        done(*arguments, "0.03125")  # p is exactly that, and not below it
        done(*arguments, "0.03")

    def test_significantly_better_run_passes(self, gate):
        ended = done(*gate(8, base=2, high=1), "--fail-if-worse", "RPP")
        assert 'pass "high" was not shown to be worse than "base" by RPP' in ended.stderr

    def test_identical_run_passes(self, gate):
        assert "pass " in done(*gate(8, base=1, same=1), "--fail-if-worse", "RPP").stderr

    def test_losses_that_are_outweighed_pass(self, gate):
        # 9 losses of 1/4 - 1/5 and a win of 1 - 1/4: p = 2 (1 + 10) / 2^10 = 0.021, and the mean is 0.03.
        arguments = gate(10, base=4, odd=[5] * 9 + [1])
        done(*arguments, "--fail-if-worse", "RR")
        done(*arguments, "--fail-if-worse", "RR", "--test", "sign")
        done(*arguments, "--fail-if-worse", "sign(RR)", code=1)

    def test_few_large_losses_fail_though_most_requests_are_won(self, gate):
        # 22 wins of 1/4 - 1/5 and 11 losses of 1 - 1/5: t = -3.3, p = 0.002, but p = 0.08 by the sign test.
        arguments = gate(33, base=[5] * 22 + [1] * 11, new=[4] * 22 + [5] * 11)
        assert "p = 0.002" in done(*arguments, "--fail-if-worse", "RR", code=1).stderr
        done(*arguments, "--fail-if-worse", "RR", "--test", "sign")

    def test_margins(self, gate):
        # Differences of -1/2 + 1/3 and 0 by turns: mean -1/12, standard error 0.0217 of 16 requests.
        arguments = (*gate(16, base=2, new=[3, 2] * 8), "--fail-if-worse", "RR")
        done(*arguments, code=1)
        done(*arguments, "--allow", "0.08")
        done(*arguments, "--allow", "0.03", code=1)
        assert 'pass "new" is no more than 0.15 worse' in done(*arguments, "--margin", "0.15").stderr
        ended = done(*arguments, "--margin", "0.1", code=1)
        assert 'FAIL "new" was not shown to be no more than 0.1 worse than "base" by RR: -0.0833' in ended.stderr
        assert "Give one of them" in done(*arguments, "--margin", "0.1", "--allow", "0.1", code=2).stderr
        assert "margin=-1" in done(*arguments, "--margin", "-1", code=2).stderr

    def test_no_group_may_get_worse(self, gate, tmp_path):
        arguments = gate(20, base=2, new=[1] * 10 + [3] * 10)  # better in ten requests, worse in ten
        (tmp_path / "groups.csv").write_text("request,group\n" + "".join(f"q{q},{'ab'[q // 10]}\n" for q in range(20)))
        done(*arguments, "--fail-if-worse", "RPP")
        ended = done(*arguments, "--fail-if-worse", "RPP", "--groups", tmp_path / "groups.csv", code=1)
        assert 'FAIL "new" is worse than "base" by RPP in group "b"' in ended.stderr
        assert 'pass "new" was not shown to be worse than "base" by RPP in group "a"' in ended.stderr
        note = "with Holm's correction for 2 comparisons in groups; all requests are tested by themselves."
        assert note in ended.stdout

    def test_populations(self, gate):
        arguments = gate(40, base=2, new=[1] * 30 + [6] * 10)
        done(*arguments, "--fail-if-worse", "RR")  # better on average
        ended = done(*arguments, "--fail-if-worse", "cvar(RR, share=0.1)", code=1)
        assert "swaps the two runs in random requests (2,000 draws, seed 0)" in ended.stdout
        assert "cvar" in ended.stdout and "FAIL" in ended.stdout
        done(*arguments, "--fail-if-worse", "leximin(RR)", "--permutations", "500", code=1)
        assert "has no test of two runs" in done(*arguments, "--fail-if-worse", "georisk(RR)", code=2).stderr
        assert "needs a metric" in done(*arguments, "--fail-if-worse", "leximin", code=2).stderr

    def test_utilities(self, tmp_path):
        rows = [f"{run},q{k},{value + k / 100}" for run, value in (("old", 0.5), ("new", 0.4)) for k in range(9)]
        (tmp_path / "scores.csv").write_text("\n".join(["run,request,value", *rows, ""]))
        arguments = ("compare", "--utilities", tmp_path / "scores.csv", "--fail-if-worse")
        ended = done(*arguments, "mean", "--format", "csv", code=1)
        assert ended.stdout.splitlines()[1].startswith("new,old,mean,False,-0.0999")
        done(*arguments, "mean", "--baseline", "new")
        done(*arguments, "mean", "--allow", "0.1")
        done(*arguments, "mean", "--lower-is-better")
        named = ("--utilities", f"old={tmp_path / 'old.csv'}", "--utilities", tmp_path / "new.csv")
        for name, value in (("old", 0.5), ("new", 0.4)):
            lines = [f"q{k},{t},{value + k / 100 + t / 50},{k}" for k in range(9) for t in range(2)]
            (tmp_path / f"{name}.csv").write_text("\n".join(["request,trial,acc,f1", *lines, ""]))
        for trials in ("mean", "keep"):
            how = ("--fail-if-worse", "mean", "--trials", trials, "--format", "csv")
            assert ",9,0,t," in done("compare", *named, "-m", "acc", *how, code=1).stdout  # requests, not trials
            done("compare", *named, "-m", "f1", *how)
        assert "--trials" in done("compare", *named, "-m", "acc", "--fail-if-worse", "mean", code=2).stderr
        assert "give -m once" in done("compare", *named, "-m", "acc f1", "--fail-if-worse", "mean", code=2).stderr
        assert "Give QRELS RUN..., or --utilities" in done("compare", code=2).stderr

    def test_reports(self, gate, tmp_path):
        from xml.etree import ElementTree

        junit, summary, step = (tmp_path / name for name in ("gate.xml", "gate.md", "step.md"))
        step.write_text("before\n")
        arguments = (*gate(8, base=1, low=2, high=1), "--fail-if-worse", "RPP", "--junit", junit, "--summary", summary)
        done(*arguments, code=1, GITHUB_STEP_SUMMARY=str(step))
        suite = ElementTree.parse(junit).getroot()[0]
        assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
        assert [case.get("name") for case in suite] == ["low against base", "high against base"]
        assert [case.find("failure") is not None for case in suite] == [True, False]
        assert summary.read_text().startswith('### Gate failed: "low"\n\n| run | other |')
        assert step.read_text() == "before\n" + summary.read_text() + "\n"
        nowhere = done(
            *arguments, code=1, GITHUB_STEP_SUMMARY=str(tmp_path / "nowhere" / "step.md")
        )  # the verdict stands
        assert "$GITHUB_STEP_SUMMARY cannot be written: No such file" in nowhere.stderr
        assert "are for --fail-if-worse" in done(*arguments[:4], "--junit", junit, code=2).stderr
        clash = (*arguments[:4], "--fail-if-worse", "RPP", "--summary", tmp_path / "qrels.txt")
        assert "is also an input file" in done(*clash, code=2).stderr

    def test_every_gate_counts(self, gate):
        arguments = gate(6, base=1, low=2)
        done(*arguments, "--fail-if-worse", "RPP", "--fail-if-worse", "R@100", code=1)
        done(*arguments, "--fail-if-worse", "R@100", "--fail-if-worse", "RPP", code=1)
        done(*arguments, "--fail-if-worse", "R@100")

    def test_a_gate_without_anything_to_test_is_refused(self, gate):
        arguments = gate(6, base=1, low=2)
        ended = done(*arguments, "--baseline", "base", "--baseline", "low", "--fail-if-worse", "RPP", code=2)
        assert "nothing to test" in ended.stderr

    def test_baselines_are_not_tested_against_each_other(self, gate):
        arguments = gate(6, base=1, low=2, other=1)
        done(*arguments, "--baseline", "base", "--baseline", "low", "--fail-if-worse", "RPP")
        done(*arguments, "--baseline", "base", "--fail-if-worse", "RPP", code=1)

    def test_baseline_can_be_another_run(self, gate):
        arguments = (*gate(6, low=2, base=1), "--fail-if-worse", "RPP")
        done(*arguments)  # the first run is the baseline, and base is better
        assert '"low" is worse than "base"' in done(*arguments, "--baseline", "base", code=1).stderr

    def test_gate_can_differ_from_what_is_shown(self, gate):
        arguments = (*gate(6, base=1, low=2), "-m", "R@1", "-m", "R@5", "--format", "pref_eval")
        ended = done(*arguments, "--fail-if-worse", "R@1", code=1)
        assert objects(ended.stdout)[0]["R@5"] == 0
        assert objects(done(*arguments, "--fail-if-worse", "R@5").stdout)[0]["R@1"] == -1

    def test_worse_run_does_not_exit_1_unless_asked_for(self, gate):
        assert "worse than" not in done(*gate(8, base=1, low=2)).stderr

    def test_output_is_written_before_the_gate_fails(self, gate, tmp_path):
        out = tmp_path / "out.csv"
        done(*gate(6, base=1, low=2), "--fail-if-worse", "RPP", "--format", "csv", "-o", out, code=1)
        assert out.read_text().splitlines()[1].startswith("low,base,RPP,False,-1.0")

    def test_table_is_that_of_the_gate_unless_measures_are_shown(self, gate):
        arguments = (*gate(8, base=1, low=[2] * 7 + [1]), "--fail-if-worse", "RPP")
        rule = "RPP: a run fails where it is shown to be worse"
        ended = done(*arguments, code=1)
        assert (
            "FAIL" in ended.stdout and "detectable" in ended.stdout and "Relevant is a grade above 0." in ended.stdout
        )
        assert rule in ended.stdout and rule not in ended.stderr  # once
        rows = list(csv.DictReader(io.StringIO(done(*arguments, "--format", "csv", code=1).stdout)))
        assert [(row["run"], row["passed"]) for row in rows] == [("low", "False")]
        ended = done(*arguments, "-m", "RPP AP", code=1)
        assert "passed" not in ended.stdout and "AP" in ended.stdout and rule in ended.stderr
        assert len(objects(done(*arguments, "-q", "--format", "jsonl", code=1).stdout)) == 8

    def test_gate_of_an_incomplete_run_says_what_is_missing(self, gate):
        command, qrels, base, low = gate(8, base=1, low=2)
        low.write_text("".join(low.read_text().splitlines(keepends=True)[:4]))  # two of eight rankings
        assert (
            "Missing rankings, evaluated as empty: 6."
            in done(command, qrels, base, low, "--fail-if-worse", "RPP", code=1).stdout
        )

    def test_plots_of_gates_are_those_of_comparisons(self, gate, tmp_path):
        pytest.importorskip("vl_convert")
        (tmp_path / "scores.csv").write_text(
            "request,old,new\n" + "".join(f"q{k},{k},{k + k % 3 + 1}\n" for k in range(8))
        )
        for k, arguments in enumerate(
            [
                (*gate(8, base=1, low=2), "--fail-if-worse", "RPP", "--fail-if-worse", "cvar(RR, share=0.5)"),
                ("compare", "--utilities", tmp_path / "scores.csv", "--fail-if-worse", "mean"),
            ]
        ):
            done(*arguments, "--plot", tmp_path / f"{k}.svg", code=1 - k)
            assert "mean preference over" in (tmp_path / f"{k}.svg").read_text()

    @pytest.mark.parametrize("extra", [("-q",), ("--format", "pref_eval"), ("--plot", "x.svg")], ids=" ".join)
    def test_populations_alone_have_no_preferences_to_show(self, gate, extra):
        ended = done(*gate(8, base=1, low=2), "--fail-if-worse", "leximin(RR)", *extra, code=2)
        assert "need -m, such as -m AP" in ended.stderr

    def test_nasty_name_is_named_safely(self, gate):
        command, qrels, base, low = gate(6, base=1, low=2)
        ended = done(command, qrels, base, f"{NASTY}={low}", "--fail-if-worse", "RPP", code=1)
        assert "\x1b" not in ended.stderr and r"\x1b[2J" in ended.stderr

    @pytest.mark.slow
    @pytest.mark.parametrize("form", ["table", pytest.param("csv", marks=pytest.mark.slow)])
    def test_gate_fails_also_when_nobody_reads_the_output(self, gate, form):
        code, message = closed_pipe(*gate(6, base=1, low=2), "--fail-if-worse", "RPP", "--format", form)
        assert code == 1
        assert '"low" is worse than "base"' in message and "Exception" not in message
