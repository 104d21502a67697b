"""``tiebreak test``: every format, and what is refused."""

import csv
import io
import json
import re
import subprocess
import sys

import pytest

from cli.running import run
from cli.test_compare import FORMATS, done, objects, ranking, three_runs
from cli.test_untrusted import on_terminal
from tiebreak.significance import CORRECTIONS


@pytest.fixture
def files(tmp_path):
    return three_runs(tmp_path)


@pytest.fixture
def eight(tmp_path):
    """Two runs, of which the first wins in eight requests of eight."""
    (tmp_path / "qrels.txt").write_text("".join(f"q{q} 0 a 1\n" for q in range(8)))
    (tmp_path / "good.run").write_text("".join(ranking(f"q{q}", "a", "x") for q in range(8)))
    (tmp_path / "bad.run").write_text("".join(ranking(f"q{q}", "x", "a") for q in range(8)))
    return [tmp_path / "qrels.txt", tmp_path / "good.run", tmp_path / "bad.run"]


def rows_of(*arguments):
    return list(csv.DictReader(io.StringIO(done("test", *arguments, "--format", "csv").stdout)))


def test_sign_test_of_a_lexicographic_preference(eight):
    (row,) = rows_of(*eight, "-m", "LexiRecall")
    # All eight won: 2 / 2^8.
    assert (row["run"], row["other"], row["test"]) == ("good", "bad", "sign")
    assert float(row["pvalue"]) == float(row["pvalue_corrected"]) == 2 / 2**8
    assert (row["n_requests"], row["n_tied"], float(row["superiority"])) == ("8", "0", 1)


def test_said_in_a_sentence_for_a_paper(eight):
    text = done("test", *eight, "-m", "LexiRecall").stdout
    assert "were tested by an exact two-sided sign test, ties dropped, with Holm's correction: 1 comparison" in text
    assert "+1.0000*" in text


def test_all_permutations_of_signs(eight):
    (row,) = rows_of(*eight, "-m", "RPP", "--test", "permutation", "--permutations", "all")
    assert float(row["pvalue"]) == 2 / 2**8


def test_seed_and_draws_reach_the_test(files):
    asked = ("test", *files, "-m", "RPP", "--test", "hsd", "--permutations", 50, "--format", "json", "--seed")
    (one,), (two,), (other,) = (json.loads(done(*asked, seed).stdout) for seed in (1, 1, 2))
    assert one == two and one["rows"] != other["rows"]
    expected = {"measure": "RPP", "test": "hsd", "permutations": 50, "seed": 1, "correction": "none", "alpha": 0.05}
    assert {name: one["settings"][name] for name in expected} == expected


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_names_the_runs(eight, form):
    assert "good" in done("test", *eight, "-m", "RPP", "-m", "LexiRecall", "--format", form).stdout


def test_json_lines_have_a_line_per_measure_and_pair(eight):
    lines = objects(done("test", *eight, "-m", "RPP", "-m", "LexiRecall", "--format", "jsonl").stdout)
    assert [(line["measure"], line["run"], line["other"]) for line in lines] == [
        ("RPP", "good", "bad"),
        ("LexiRecall", "good", "bad"),
    ]


def test_letters(eight):
    text = done("test", *eight, "-m", "LexiRecall", "--letters").stdout
    assert ["good", "a"] in [line.split() for line in text.splitlines()]
    assert ["bad", "b"] in [line.split() for line in text.splitlines()]


def test_gate_needs_requests_and_mean_to_agree(tmp_path):
    # Of 40 requests new wins 32 narrowly and loses 8 by much: its mean is lower, but it is base that loses requests.
    (tmp_path / "qrels").write_text("".join(f"q{q} 0 a 1\n" for q in range(40)))
    filler = [f"x{k}" for k in range(120)]

    def rankings(place):
        return "".join(ranking(f"q{q}", *filler[: place(q) - 1], "a") for q in range(40))

    (tmp_path / "new.run").write_text(rankings(lambda q: 50 if q < 8 else 100))
    (tmp_path / "base.run").write_text(rankings(lambda q: 1 if q < 8 else 101))
    qrels, new, base = (tmp_path / name for name in ("qrels", "new.run", "base.run"))
    for runs in ((base, new), (new, base)):
        ended = done("compare", qrels, *runs, "--fail-if-worse", "RR", "--test", "sign")
        assert "point to different sides, so neither is taken as better" in ended.stdout
    message = done("test", qrels, new, base, "-m", "RR", "--test", "sign").stdout
    assert "The run with the lower mean wins significantly more requests: new and base." in message


def test_infinite_statistics_are_null_in_json(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("run,request,value\n" + "".join(f"a,q{k},1\nb,q{k},0\n" for k in range(3)))
    (line,) = objects(done("test", "--utilities", path, "--test", "t", "--format", "jsonl").stdout)
    assert line["statistic"] is None and line["effect_size"] is None and line["pvalue"] == 0


def test_latex_holds_all_pairs(tmp_path):
    path = tmp_path / "s.csv"
    rows = (f"r{k:02},q{q},{k * (q + 1) % 7}\n" for k in range(22) for q in range(4))
    path.write_text("run,request,value\n" + "".join(rows))
    assert done("test", "--utilities", path, "--format", "latex").stdout.count("\\\\") == 231 + 1


def test_table_in_a_pipe_or_a_file_is_whole(tmp_path):
    path = tmp_path / "s.csv"
    rows = (f"r{k:02},q{q},{k * (q + 1) % 7}\n" for k in range(22) for q in range(4))
    path.write_text("run,request,value\n" + "".join(rows))
    shown = done("test", "--utilities", path).stdout
    done("test", "--utilities", path, "-o", tmp_path / "out.txt")
    for text in (shown, (tmp_path / "out.txt").read_text()):
        assert len(re.findall(r"^ r\d\d ", text, re.MULTILINE)) == 231
        assert "not shown" not in text
    assert "All 231 pairs" in on_terminal("test", "--utilities", path)[1]


def test_rows_tell_how_pvalues_were_corrected(files):
    (row, *_) = rows_of(*files, "-m", "RPP", "--test", "t", "--correction", "holm", "--alpha", 0.1)
    assert (row["correction"], row["alpha"]) == ("holm", "0.1") and "seed" not in row
    (row, *_) = rows_of(*files, "-m", "RPP", "--test", "permutation", "--permutations", 50, "--seed", 7)
    assert [row[name] for name in ("correction", "alpha", "permutations", "seed")] == ["holm", "0.05", "50", "7"]
    (row, *_) = rows_of(*files, "-m", "RPP", "--test", "permutation", "--permutations", "all")
    assert row["permutations"] == "all"


def test_trec_lines_are_measure_runs_and_corrected_pvalue(eight):
    lines = done("test", *eight, "-m", "LexiRecall", "-m", "RPP", "--test", "sign", "--format", "trec").stdout
    assert lines == "LexiRecall\tgood\tbad\t0.0078125\nRPP\tgood\tbad\t0.0078125\n"
    lines = done("test", *eight, "-m", "LexiRecall", "--letters", "--format", "trec").stdout
    assert lines == "LexiRecall\tgood\ta\nLexiRecall\tbad\tb\n"


def test_json_is_a_list_of_results_whatever_their_number(eight):
    for measures in (["RPP"], ["RPP", "AP"]):
        options = [word for measure in measures for word in ("-m", measure)]
        results = json.loads(done("test", *eight, *options, "--format", "json").stdout)
        assert [result["settings"]["measure"] for result in results] == measures


def test_letters_tell_of_too_few_draws(files):
    text = done("test", *files, "-m", "RPP", "--test", "hsd", "--permutations", 5, "--letters").stdout
    assert "5 draws are too few" in text
    assert "RPP\tone\ta" in done("test", *files, "-m", "RPP", "--letters", "--format", "trec").stdout


def test_baseline(files):
    assert {row["other"] for row in rows_of(*files, "-m", "RPP", "--baseline", "two")} == {"two"}


def test_utilities(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("run,request,value\n" + "".join(f"a,q{k},1\nb,q{k},0\n" for k in range(8)))
    (row,) = rows_of("--utilities", path, "--test", "sign")
    assert float(row["pvalue"]) == 2 / 2**8 and row["measure"] == "utility"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "RPP", "--test", "hds"], 'Did you mean "hsd"?'),
        (["-m", "RPPP"], "RPP"),
        (["-m", "RPP", "--permutations", "some"], "neither a whole number nor 'all'"),
        (["-m", "RPP", "--test", "hsd", "--permutations", "0"], "from 1 to"),
        (["-m", "RPP", "--test", "t", "--permutations", "9"], "t takes no permutations"),
        (["-m", "RPP", "--alpha", "1"], "alpha"),
        (["-m", "RPP", "--test", "tukey"], "Use hsd for preferences"),
        (["-m", "RPP", "--baseline", "nobody"], "nobody"),
        (["-m", "RPP", "--utilities", "x.csv"], "Give QRELS RUN..., or --utilities FILE"),
    ],
)
def test_what_cannot_be_meant_is_refused(eight, arguments, message):
    assert message in done("test", *eight, *arguments, code=2).stderr


def test_test_of_all_pairs_takes_no_baseline(files):
    message = done("test", *files, "-m", "RPP", "--test", "hsd", "--baseline", "two", code=2).stderr
    assert "hsd tests all pairs jointly" in message


def test_nothing_to_test_is_refused():
    assert "Give QRELS RUN..." in done("test", code=2).stderr


@pytest.mark.parametrize("words", [["test"], ["study", "power"]])
def test_help_lists_every_correction(words):
    assert f"--correction [{'|'.join(CORRECTIONS)}]" in run(*words, "--help").stdout


@pytest.mark.parametrize("name", ["order", "test"])
def test_options_import_nothing_heavy(name):
    check = f"import sys, tiebreak.cli.{name}; sys.exit(any(name in sys.modules for name in ('numpy', 'scipy')))"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_one_sided_alternatives(eight):
    asked = (*eight, "-m", "LexiRecall", "--alternative")
    # The first run wins all eight: 1 / 2^8 for being better, 1 for being worse.
    for alternative, p in (("greater", 1 / 2**8), ("less", 1.0), ("two-sided", 2 / 2**8)):
        (row,) = rows_of(*asked, alternative)
        assert float(row["pvalue"]) == p and row.get("alternative", "two-sided") == alternative
    text = done("test", *asked, "greater").stdout
    assert "an exact one-sided sign test, ties dropped, the alternative being that the first run is better" in text


def test_one_sided_against_a_baseline_is_of_the_other_run(eight):
    (row,) = rows_of(*eight, "-m", "LexiRecall", "--baseline", "good", "--alternative", "less")
    assert (row["run"], row["other"], float(row["pvalue"])) == ("bad", "good", 1 / 2**8)


def test_tests_of_all_pairs_have_no_sides(eight):
    said = done("test", *eight, "-m", "AP", "--test", "hsd", "--alternative", "less", code=2).stderr
    assert "hsd has no one-sided form. Leave out alternative, or choose another test, such as t." in said
