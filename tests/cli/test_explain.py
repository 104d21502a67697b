"""``tiebreak explain``: one request level by level, and requests by what they contribute."""

import csv
import io

import pytest

from cli.test_compare import FORMATS, IN_LATEX, NASTY, closed_pipe, done, latex_cells, objects, one_line_error, ranking
from cli.test_untrusted import on_terminal


@pytest.fixture
def files(tmp_path):
    """Positions: new (1, 4, -) and (1), old (2, 3, 5) and (2); q3 has nothing relevant; q4 ties."""
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 1\nq1 0 c 1\nq2 0 d 1\nq3 0 e 0\nq4 0 f 1\n")
    (tmp_path / "new.run").write_text(
        ranking("q1", "a", "x", "y", "b") + ranking("q2", "d") + ranking("q3", "e") + ranking("q4", "f")
    )
    (tmp_path / "old.run").write_text(
        ranking("q1", "x", "b", "a", "y", "c") + ranking("q2", "x", "d") + ranking("q4", "f", "x")
    )
    return tuple(tmp_path / name for name in ("qrels.txt", "new.run", "old.run"))


# AP of q1: new (1/1 + 2/4 + 0) / 3, old (1/2 + 2/3 + 3/5) / 3.
PARTS = [(1 - 1 / 2) / 3, (2 / 4 - 2 / 3) / 3, (0 - 3 / 5) / 3]


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def cells(text):
    return [line.split() for line in text.splitlines() if line.split()]


def test_levels_of_a_request_stand_side_by_side(files):
    text = done("explain", *files, "--request", "q1").stdout
    assert cells(text)[0] == ["level", "new", "item", "grade", "old", "item", "grade", "better", "AP"]
    for row in (
        ["1", "1", "a", "1", "2", "b", "1", "new", "+0.1667"],
        ["2", "4", "b", "1", "3", "a", "1", "old", "-0.0556"],
        ["3", "-", "-", "-", "5", "c", "1", "old", "-0.2000"],
    ):
        assert row in cells(text)


def test_level_that_decided_each_preference_is_told(files):
    text = done("explain", *files, "--request", "q1").stdout
    assert "Request q1." in text
    assert "RPP prefers old (-0.3333): 1 against 2 of 3 recall levels." in text
    assert "LexiRecall prefers old: recall level 3 decides, unretrieved against position 5." in text
    assert "LexiPrecision prefers new: recall level 1 decides, position 1 against position 2." in text
    assert f"diff(AP) prefers old ({sum(PARTS):+.4f})." in text


def test_order_of_the_runs_turns_signs_round(files):
    qrels, new, old = files
    text = done("explain", qrels, old, new, "--request", "q1").stdout
    assert "RPP prefers old (+0.3333)" in text
    assert ["1", "2", "b", "1", "1", "a", "1", "new", "-0.1667"] in cells(text)


def test_request_that_ties_says_so(files):
    text = done("explain", *files, "--request", "q4").stdout
    assert "LexiRecall ties: the relevant items have the same positions." in text
    assert ["1", "1", "f", "1", "1", "f", "1", "=", "0.0000"] in cells(text)


def test_items_that_neither_retrieves_are_counted(files):
    files[0].write_text("q1 0 a 1\nq1 0 none1 1\nq1 0 none2 1\n")
    text = done("explain", *files, "--request", "q1").stdout
    assert "2 relevant items retrieved by neither." in text
    assert len(rows_of(done("explain", *files, "--request", "q1", "--format", "csv").stdout)) == 3


def test_grades_are_shown_and_weighed(files):
    files[0].write_text("q1 0 a 1\nq1 0 b 2\n")
    text = done("explain", *files, "--request", "q1").stdout
    assert ["1", "1", "a", "1", "2", "b", "2", "new", "+0.2500"] in cells(text)
    # Grade 1 and better: (1, 4) against (2, 3), 1 - 1; grade 2: 4 against 2, -1; of 2 + 1 levels.
    assert "1 against 1 of 2 recall levels at grade 1 and above" in text
    assert "0 against 1 of 1 recall level at grade 2 and above" in text
    assert "RPP prefers old (-0.3333)" in text


def test_levels_as_json_lines(files):
    lines = objects(done("explain", *files, "--request", "q1", "--format", "jsonl").stdout)
    assert lines[2] == {
        "level": 3,
        "position": None,
        "item": None,
        "grade": None,
        "other_position": 5,
        "other_item": "c",
        "other_grade": 1.0,
        "preferred": -1,
        "AP": pytest.approx(PARTS[2]),
    }
    assert [line["preferred"] for line in lines] == [1, -1, -1]
    assert [line["AP"] for line in lines] == pytest.approx(PARTS)


def test_requests_are_sorted_by_what_they_contribute(files):
    lines = objects(done("explain", *files, "--format", "jsonl").stdout)
    assert [list(line) for line in lines] == [["request", "m", "measure", "value"]] * 12
    assert [(line["request"], line["m"]) for line in lines[::4]] == [("q2", 1), ("q1", 3), ("q4", 1)]
    values = {line["measure"]: [] for line in lines}
    for line in lines:
        values[line["measure"]].append(line["value"])
    assert list(values) == ["RPP", "LexiRecall", "LexiPrecision", "diff(AP)"]
    assert values["RPP"] == pytest.approx([1, -1 / 3, 0])
    assert values["LexiRecall"] == [1, -1, 0]
    assert values["LexiPrecision"] == [1, 1, 0]
    assert values["diff(AP)"] == pytest.approx([1 / 2, sum(PARTS), 0])


def test_another_measure_sorts_and_comes_first(files):
    lines = objects(done("explain", *files, "-m", "R@5", "--format", "jsonl").stdout)
    assert [line["measure"] for line in lines[:2]] == ["R@5", "RPP"]
    assert [line["request"] for line in lines[::5]] == ["q1", "q2", "q4"]  # new lacks one of three in q1, else they tie
    assert "sorted by the size of R@5" in done("explain", *files, "-m", "R@5").stdout


def test_table_says_which_run_is_better_where_positive(files):
    text = done("explain", *files, "--digits", 2).stdout
    assert ["q1", "3", "-0.33", "-1.00", "+1.00", f"{sum(PARTS):+.2f}"] in cells(text)
    assert "Positive where new is better than old; sorted by the size of RPP." in text


def test_table_of_many_requests_in_a_terminal_ends_after_the_largest(tmp_path):
    requests = [f"q{q:02}" for q in range(25)]
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 a 1\n" for q in requests))
    (tmp_path / "new.run").write_text("".join(ranking(q, "a") for q in requests))
    (tmp_path / "old.run").write_text("".join(ranking(q, "x", "a") for q in requests))
    arguments = ("explain", tmp_path / "qrels.txt", tmp_path / "new.run", tmp_path / "old.run")
    _, text = on_terminal(*arguments)
    assert "5 more rows not shown" in text
    assert sum(row[0] in requests for row in cells(text)) == 20
    assert sum(row[0] in requests for row in cells(done(*arguments).stdout)) == 25
    assert len(done(*arguments, "--format", "csv").stdout.splitlines()) == 1 + 4 * 25


@pytest.mark.parametrize("extra", [(), ("--request", "q1")])
def test_every_format_holds_the_same_rows(files, extra, tmp_path):
    polars = pytest.importorskip("polars")
    got = {form: done("explain", *files, *extra, "--format", form).stdout for form in FORMATS}
    tsv = [line.split("\t") for line in got["tsv"].splitlines()]
    assert tsv == [line.split(",") for line in got["csv"].splitlines()]
    columns = slice(None) if extra else [2, 0, 3]  # as trec_eval prints values: measure, request, value
    rows = [row[columns] if extra else [row[k] for k in columns] for row in tsv[1:]]
    assert rows == [line.split("\t") for line in got["trec"].splitlines()]
    assert tsv[0] == list(objects(got["jsonl"])[0])
    assert len(latex_cells(got["latex"])) == 3 and len(tsv) == 1 + (3 if extra else 3 * 4)
    done("explain", *files, *extra, "--format", "parquet", "-o", tmp_path / "out.parquet")
    frame = polars.read_parquet(tmp_path / "out.parquet")
    assert frame.to_dicts() == objects(got["jsonl"])


@pytest.mark.parametrize("form", FORMATS)
def test_output_file_holds_what_would_be_printed(files, tmp_path, form):
    out = tmp_path / "out"
    printed = done("explain", *files, "--request", "q1", "--format", form).stdout
    assert done("explain", *files, "--request", "q1", "--format", form, "-o", out).stdout == ""
    kept = [line.rstrip() for line in out.read_text().splitlines()]
    assert len(kept) >= 3
    assert kept == [line.rstrip() for line in printed.splitlines() if line.strip()]


def test_nasty_names_do_no_harm_in_any_format(files):
    qrels, new, old = files
    item, request = 'd[b],"&_', 'q[/i],"%'
    qrels.write_text(f"{request} 0 {item} 1\n")
    new.write_text(ranking(request, item))
    for extra in ((), ("--request", request)):
        arguments = ("explain", qrels, f"{NASTY}={new}", old, *extra)
        if not extra:
            old.write_text(ranking(request, "x", item))
        got = {form: done(*arguments, "--format", form).stdout for form in FORMATS}
        assert not any("\x1b" in text for text in got.values())
        shown = item if extra else request
        assert shown in got["table"] and shown in got["tsv"] and shown in got["trec"]
        key = "item" if extra else "request"
        assert objects(got["jsonl"])[0][key] == rows_of(got["csv"])[0][key] == shown
        assert (r'd[b],"\&\_' if extra else r'q[/i],"\%') in latex_cells(got["latex"])[0]
        assert {len(row) for row in latex_cells(got["latex"])} == {9 if extra else 6}
        assert "[red]e:v" in got["table"]
        assert (IN_LATEX in got["latex"].split("\\midrule")[0]) == bool(extra)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["qrels.txt", "new.run"], "explain takes two runs, or one run with --request ID; 1 was given"),
        (
            ["qrels.txt", "new.run", "old.run", "more=old.run"],
            "explain takes two runs, or one run with --request ID; 3 were given",
        ),
        (["qrels.txt", "new.run", "old.run", "--request", "q11"], 'unknown request "q11"'),
        (["qrels.txt", "new.run", "old.run", "--request", "q3"], "request q3 has no relevant item"),
        (["qrels.txt", "new.run", "old.run", "-m", "LexiRecal"], 'Did you mean "LexiRecall"?'),
        (["qrels.txt", "new.run", "new.run"], "two runs are called"),
        (["none.txt", "new.run", "old.run", "-m", "zzz"], 'unknown preference "zzz"'),
    ],
)
def test_bad_input_is_one_clear_line(files, monkeypatch, arguments, message):
    monkeypatch.chdir(files[0].parent)
    ended = done("explain", *arguments, code=2)
    assert ended.stdout == ""
    errors = [line for line in ended.stderr.splitlines() if not line.startswith("Note: ")]
    assert len(errors) == 1 and errors[0].startswith("Error: ")
    assert message in errors[0]


def test_parquet_needs_a_file(files):
    assert "--format parquet needs --out FILE" in done("explain", *files, "--format", "parquet", code=2).stderr


def test_requests_disjoint_between_runs_and_qrels_are_an_error(files):
    qrels, new, old = files
    qrels.write_text("z1 0 a 1\n")
    assert "lists none of the judged requests" in one_line_error("explain", qrels, new, old)


@pytest.mark.slow
def test_closed_pipe_ends_quietly(files):
    assert closed_pipe("explain", *files, "--request", "q1")[0] == 0


def test_positions_of_one_ranking(files):
    qrels, new, _ = files
    rows = rows_of(done("explain", qrels, new, "--request", "q1", "--format", "csv").stdout)
    assert [(row["position"], row["item"]) for row in rows] == [("1", "a"), ("4", "b"), ("", "c")]


def test_place_that_makes_a_population_prefer_a_run(files):
    text = done("explain", *files, "-m", "leximin(RR)").stdout
    # RR of new: 1, 1, 1, of old: 1/2, 1/2, 1
    assert "leximin(RR) prefers new." in text
    assert "Place 1 from the worst decides: 1.0000 (q1) against 0.5000 (q1)." in text


def test_interleaved_list_of_two_rankings(files):
    rows = rows_of(done("explain", *files, "--request", "q1", "--interleaved", "--format", "csv").stdout)
    assert "".join(row["item"] for row in rows) == "axbyc"
    assert [row["preferred"] for row in rows] == ["1", "", "0", "", "-1"]
    assert "--interleaved needs --request ID" in done("explain", *files, "--interleaved", code=2).stderr


def test_gains_of_a_user(files, tmp_path):
    (tmp_path / "aspects.tsv").write_text("item\taspect\na\twar\nb\tlove\nc\twar\n")
    options = ("--request", "q1", "-m", "alpha_beta_nDCG@3", "--aspects", tmp_path / "aspects.tsv")
    rows = rows_of(done("explain", *files[:2], *options, "--format", "csv").stdout)
    assert [row["item"] for row in rows] == ["", "a", "x", "y", "", "a", "b", "c"]
    assert {row["list"] for row in rows} == {"new", "ideal"} and {"left: war", "left: love"} < {*rows[0]}
