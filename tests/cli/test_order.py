"""``tiebreak order``: every method and format."""

import csv
import io
import json

import pytest

from cli.running import run
from cli.test_compare import (
    FORMATS,
    IN_LATEX,
    NASTY,
    closed_pipe,
    done,
    latex_cells,
    objects,
    one_line_error,
    ranking,
    three_runs,
)
from tiebreak.orderings import CATALOGUE

# Win rates by RPP: q1 gives one 1 - 1/2, two -1 - 1, three 1/2 + 1; q2 gives one 1 + 1, two -1 - 1, three -1 + 1.
# MC4: of three runs, only two is left by majorities, with 1/3 to each of the others; 1/3 of the mass began there.
LEFT = 3.0**-11
SCORES = {
    "win_rate": {"one": 1.25, "two": -2, "three": 0.75},
    "mean": {"one": 0.625, "two": -1, "three": 0.375},  # of two others
    "borda": {"one": 1.5, "two": 0, "three": 1.5},  # one is second and first, three first and second
    "copeland": {"one": 1, "two": -2, "three": 1},  # one and three win a request each against the other
    "mc4": {"one": (1 - LEFT) / 2, "two": LEFT, "three": (1 - LEFT) / 2},
}


@pytest.fixture
def files(tmp_path):
    return three_runs(tmp_path)


def ordered(text):
    """The rows of a CSV."""
    return list(csv.DictReader(io.StringIO(text)))


def cells(text):
    return [line.split() for line in text.splitlines() if line.split()]


@pytest.mark.parametrize("by", SCORES)
def test_scores_of_a_hand_worked_experiment(files, by):
    rows = ordered(done("order", *files, "-m", "RPP", "--by", by, "--format", "csv").stdout)
    assert {row["run"]: float(row["score"]) for row in rows} == pytest.approx(SCORES[by])
    assert {(row["measure"], row["by"]) for row in rows} == {("RPP", by)}
    tied = by in ("borda", "copeland", "mc4")
    assert [(row["run"], row["rank"], row["tied"]) for row in rows] == [
        ("one", "1", str(tied)),
        ("three", "1" if tied else "2", str(tied)),
        ("two", "3", "False"),
    ]


def test_ties_are_shown_as_ties(files):
    text = done("order", *files, "-m", "RPP").stdout
    assert cells(text)[0] == ["run", "rank", "score"]
    assert [row[:2] for row in cells(text) if row[0] in ("one", "two", "three")] == [
        ["one", "1="],
        ["three", "1="],
        ["two", "3"],
    ]
    assert "RPP by mc4: rank 1 is best, 2 systems tied." in text


def test_metrics_are_ordered_by_their_means_and_preferences_by_mc4(files):
    text = done("order", *files, "-m", "ap", "-m", "LexiRecall").stdout
    assert "ap by mean" in text and "LexiRecall by mc4" in text
    assert cells(text)[0] == ["run", "ap", "LexiRecall"]
    assert ["three", "2", "1="] in cells(text)


def test_agreement_with_the_first_measure_is_told(files):
    # ap: one, three, two; RPP: one and three tie, then two. tau_b = 2 / sqrt(3 x 2).
    assert "Kendall's tau_b of ap and RPP: 0.816." in done("order", *files, "-m", "ap", "-m", "RPP").stdout


def test_json_lines_have_the_columns_of_csv(files):
    lines = objects(done("order", *files, "-m", "rpp", "-m", "ap", "--format", "jsonl").stdout)
    assert [list(line) for line in lines] == [["run", "measure", "by", "rank", "score", "tied"]] * 6
    assert [(line["measure"], line["by"], line["run"], line["rank"]) for line in lines[3:]] == [
        ("ap", "mean", "one", 1),
        ("ap", "mean", "three", 2),
        ("ap", "mean", "two", 3),
    ]


def test_format_of_pref_eval_has_lists_of_mc4_and_borda(files):
    order, tied = ["one", "three", "two"], [["one", "three"]]
    assert objects(done("order", *files, "-m", "rpp", "--format", "pref_eval").stdout) == [
        {
            "qid": "all",
            "rpp": {"type": "preference", "mc4": order, "borda": order, "tied": {"mc4": tied, "borda": tied}},
        }
    ]


def test_format_of_pref_eval_also_has_the_way_asked_for(files):
    qrels, one, two, three = files
    (line,) = objects(
        done("order", qrels, two, three, one, "-m", "rpp", "-m", "ap", "--by", "mean", "--format", "pref_eval").stdout
    )
    assert list(line) == ["qid", "rpp", "ap"]
    assert list(line["rpp"]) == ["type", "mc4", "borda", "mean", "tied"]
    assert line["rpp"]["mean"] == line["ap"]["mean"] == ["one", "three", "two"]
    assert line["rpp"]["borda"] == ["one", "three", "two"]  # a tie, by name
    assert line["rpp"]["tied"] == {"mc4": [["one", "three"]], "borda": [["one", "three"]], "mean": []}


def test_order_within_every_request(files):
    lines = objects(done("order", *files, "-m", "rpp", "-q", "--format", "pref_eval").stdout)
    assert lines == [
        {"qid": "q1", "rpp": ["three", "one", "two"], "tied": {"rpp": []}},
        {"qid": "q2", "rpp": ["one", "three", "two"], "tied": {"rpp": []}},
    ]
    rows = ordered(done("order", *files, "-m", "rpp", "-q", "--format", "csv").stdout)
    assert [(row["request"], row["rank"], row["run"], float(row["win_rate"])) for row in rows] == [
        ("q1", "1", "three", 1.5),
        ("q1", "2", "one", 0.5),
        ("q1", "3", "two", -2),
        ("q2", "1", "one", 2),
        ("q2", "2", "three", 0),
        ("q2", "3", "two", -2),
    ]
    assert ["q1", "1", "three", "+1.5000"] in cells(done("order", *files, "-m", "rpp", "-q").stdout)


def test_runs_that_tie_within_a_request_share_a_rank(files):
    qrels, one, two, _ = files
    rows = ordered(done("order", qrels, two, one, f"copy={one}", "-m", "RPP", "-q", "--format", "csv").stdout)
    assert [(row["rank"], row["run"]) for row in rows[:3]] == [("1", "copy"), ("1", "one"), ("3", "two")]


def test_trec_format_has_measure_request_run_rank_and_score(files):
    text = done("order", *files, "-m", "ap", "--format", "trec").stdout
    rows = [line.split("\t") for line in text.splitlines()]
    assert [row[:4] for row in rows] == [
        ["ap", "all", "one", "1"],
        ["ap", "all", "three", "2"],
        ["ap", "all", "two", "3"],
    ]
    # AP is 11/12, 3/4 and 1/8 on average, so one is 1/6 and 19/24 better than the others.
    assert float(rows[0][4]) == pytest.approx((1 / 6 + 19 / 24) / 2)


def test_latex_marks_the_best(files):
    text = done("order", *files, "-m", "RPP", "-m", "ap", "--format", "latex").stdout
    assert latex_cells(text) == [
        ["one", r"\textbf{1=}", r"\textbf{1}"],
        ["three", r"\textbf{1=}", "2"],
        ["two", "3", "3"],
    ]


def test_tsv_and_csv_hold_the_same_rows(files):
    for extra in ((), ("-q",), ("--bootstrap", 9)):
        tsv, comma = (
            done("order", *files, "-m", "RPP", *extra, "--format", form).stdout.splitlines() for form in ("tsv", "csv")
        )
        assert [line.split("\t") for line in tsv] == [line.split(",") for line in comma]
        assert len(tsv) == (7 if extra == ("-q",) else 4)


def test_parquet_holds_numbers_and_truths(files, tmp_path):
    polars = pytest.importorskip("polars")
    out = tmp_path / "order.parquet"
    done("order", *files, "-m", "RPP", "--by", "borda", "--format", "parquet", "-o", out)
    assert polars.read_parquet(out).rows() == [
        ("one", "RPP", "borda", 1, 1.5, True),
        ("three", "RPP", "borda", 1, 1.5, True),
        ("two", "RPP", "borda", 3, 0.0, False),
    ]


@pytest.mark.parametrize("form", FORMATS)
def test_output_file_holds_what_would_be_printed(files, tmp_path, form):
    out = tmp_path / "out"
    printed = done("order", *files, "-m", "RPP", "--format", form).stdout
    assert done("order", *files, "-m", "RPP", "--format", form, "-o", out).stdout == ""
    kept = [line.rstrip() for line in out.read_text().splitlines()]
    assert any("three" in line for line in kept)
    assert kept == [line.rstrip() for line in printed.splitlines() if line.strip()]


def test_condorcet_cycles_are_told(tmp_path):
    (tmp_path / "qrels.txt").write_text("".join(f"q{q} 0 a 1\n" for q in range(3)))
    for k, name in enumerate(("rock", "paper", "scissors")):
        lines = (ranking(f"q{q}", *"xy"[: (q + k) % 3], "a") for q in range(3))
        (tmp_path / f"{name}.run").write_text("".join(lines))
    text = done("order", tmp_path / "qrels.txt", *sorted(tmp_path.glob("*.run")), "-m", "RPP").stdout
    assert "RPP: Condorcet cycle among paper, rock, scissors." in text
    assert ["rock", "1=", "0.3333"] in cells(text)


class TestBootstrap:
    @pytest.fixture
    def uncertain(self, tmp_path):
        """Two runs that win four requests and three."""
        (tmp_path / "qrels.txt").write_text("".join(f"q{q} 0 a 1\n" for q in range(7)))
        for name, first in (("more", range(4)), ("less", range(4, 7))):
            lines = (ranking(f"q{q}", *(["a"] if q in first else ["x", "a"])) for q in range(7))
            (tmp_path / f"{name}.run").write_text("".join(lines))
        return ("order", tmp_path / "qrels.txt", tmp_path / "more.run", tmp_path / "less.run", "-m", "RPP")

    def test_intervals_of_ranks_are_shown(self, uncertain):
        text = done(*uncertain, "--bootstrap", 1000).stdout
        assert cells(text)[0] == ["run", "rank", "score", "95%", "support"]
        rows = [[cell for c, cell in enumerate(row) if c != 2] for row in cells(text)]
        # At least four of seven draws, each with a probability of 4/7, prefer the first: 65.3%.
        assert ["more", "1", "1-2"] in [row[:3] for row in rows] and ["less", "2", "1-2", "-"] in rows
        support = next(row[3] for row in rows if row[0] == "more")
        assert 60 <= int(support.rstrip("%")) <= 70
        assert "1,000 resamples of requests, seed 0" in text

    def test_seed_makes_it_repeatable(self, uncertain):
        # One resample: whoever wins more of seven draws is first. Eight seeds see both.
        drawn = [done(*uncertain, "--bootstrap", 1, "--seed", seed, "--format", "csv").stdout for seed in range(8)]
        assert done(*uncertain, "--bootstrap", 1, "--seed", 3, "--format", "csv").stdout == drawn[3]
        assert {ordered(text)[0]["low"] for text in drawn} == {"1", "2"}
        assert all(row["low"] == row["high"] for text in drawn for row in ordered(text))

    def test_run_that_wins_everywhere_is_always_first(self, files):
        qrels, one, two, _ = files
        for by in SCORES:
            rows = ordered(done("order", qrels, two, one, "--by", by, "--bootstrap", 20, "--format", "csv").stdout)
            assert {(row["run"], row["low"], row["high"]) for row in rows} == {
                ("one", "1", "1"),
                ("two", "2", "2"),
            }


@pytest.mark.parametrize("extra", [(), ("-q",)])
def test_nasty_names_do_no_harm_in_any_format(files, extra):
    qrels, one, two, _ = files
    arguments = ("order", qrels, f"{NASTY}={one}", two, "-m", "RPP", *extra)
    got = {form: done(*arguments, "--format", form).stdout for form in FORMATS}
    assert [line["run"] for line in objects(got["jsonl"])[:2]] == [NASTY, "two"]
    (line, *_) = objects(done(*arguments, "--format", "pref_eval").stdout)
    assert (line["RPP"] if extra else line["RPP"]["mc4"]) == [NASTY, "two"]
    assert ordered(got["csv"])[0]["run"] == NASTY
    assert not any("\x1b" in got[form] for form in ("table", "latex"))
    assert "[red]e:v" in got["table"]
    assert {len(line.split("\t")) for line in got["tsv"].splitlines()} == {6}
    assert {len(line.split("\t")) for line in got["trec"].splitlines()} == {5}
    rows = latex_cells(got["latex"])
    assert {len(row) for row in rows} == {4 if extra else 3}
    assert IN_LATEX in rows[0][2 if extra else 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["qrels.txt", "one.run"], "a comparison needs at least two runs"),
        (["qrels.txt", "one.run", "two.run", "--by", "bordo"], 'Did you mean "borda"?'),
        (["qrels.txt", "one.run", "two.run", "--by", "mc4(steps=0)"], "Give a whole number from 1"),
        (["qrels.txt", "one.run", "two.run", "-m", "LexiRecal"], 'Did you mean "LexiRecall"?'),
        (["qrels.txt", "one.run", "two.run", "-m", "AP(rel=9)"], "has no value for any request"),
    ],
)
def test_bad_input_is_one_clear_line(files, monkeypatch, arguments, message):
    monkeypatch.chdir(files[0].parent)
    assert message in one_line_error("order", *arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "parquet"], "--format parquet needs --out FILE"),
        (["--bootstrap", "0"], "0 is not in the range"),
        (["--bootstrap", "3", "--seed", "-1"], "-1 is not in the range"),
    ],
)
def test_bad_option_is_refused(files, arguments, message):
    assert message in done("order", *files, *arguments, code=2).stderr


def test_ways_to_order_are_checked_before_anything_is_read(tmp_path):
    none = tmp_path / "none"
    assert "unknown ordering method" in one_line_error("order", none, none, none, "--by", "zzz")


def test_options_of_a_way_reach_it(files):
    rows = ordered(done("order", *files, "-m", "RPP", "--by", "mc4(steps=1)", "--format", "csv").stdout)
    assert float(rows[-1]["score"]) == pytest.approx(1 / 9)  # a third of a third stays
    assert rows[0]["by"] == "mc4(steps=1)"


@pytest.mark.slow
def test_closed_pipe_ends_quietly(files):
    assert closed_pipe("order", *files) == (0, "")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", ["table", "csv", "pref_eval", "trec"])
@pytest.mark.parametrize("extra", [(), ("--by", "borda"), ("-q",), ("--by", "leximin(AP)")])
def test_tied_systems_are_shown_alike_whatever_the_order_of_files(tmp_path, form, extra):
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 a 1\n")
    for name, items in (("z", "ax"), ("b", "ay"), ("m", "xa")):
        (tmp_path / f"{name}.run").write_text(ranking("q1", *items) + ranking("q2", *items))
    runs = [tmp_path / f"{name}.run" for name in "zbm"]
    measure = () if "leximin(AP)" in extra else ("-m", "RPP")
    printed = [
        done("order", tmp_path / "qrels.txt", *inputs, *measure, *extra, "--format", form).stdout
        for inputs in (runs, runs[::-1])
    ]
    assert printed[0] == printed[1]
    if form == "pref_eval":
        for line in objects(printed[0]):
            tied = line["tied"] if "-q" in extra else line[[*line][1]]["tied"]
            assert all(groups == [["b", "z"]] for groups in tied.values())


def test_help_lists_every_ordering():
    text = run("order", "--help").stdout
    assert all(f"\n  {name} " in text.partition("Orderings:")[2] for name in CATALOGUE)


def test_trec_lines_are_measure_request_run_rank_and_score(files):
    lines = done("order", *files, "-m", "RPP", "--by", "win_rate", "--format", "trec").stdout.splitlines()
    assert lines == ["RPP\tall\tone\t1\t1.25", "RPP\tall\tthree\t2\t0.75", "RPP\tall\ttwo\t3\t-2.0"]
    lines = done("order", *files, "-m", "RPP", "-q", "--format", "trec").stdout.splitlines()
    assert lines[:3] == ["RPP\tq1\tthree\t1\t1.5", "RPP\tq1\tone\t2\t0.5", "RPP\tq1\ttwo\t3\t-2.0"]


def test_json_tells_of_the_resamples(files):
    (result,) = json.loads(done("order", *files, "-m", "RPP", "--bootstrap", 9, "--seed", 3, "--format", "json").stdout)
    assert (result["settings"]["resamples"], result["settings"]["seed"]) == (9, 3)
