"""Judgements and runs in tables that are divided by request: the same results and errors as held at once."""

import gc
import os
import random
import shutil
import subprocess
import sys
from types import SimpleNamespace as Namespace

import numpy as np
import pytest

import tiebreak as tb
from cli.running import run
from engines.parity import FIGURES, comparison, make_input, outcome, scores
from engines.test_stream_blocks import WAYS, parquet_file, parquet_folder, rows_of, table
from tiebreak.engines import packed_rows, partitions, spool, tasks
from tiebreak.engines.scratch_file import ScratchFile
from tiebreak.errors import LargeTablesWarning
from tiebreak.inputs import Ids, streams

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
MEASURES = ("AP", "nDCG@5", "nDCG", "P(rel=2)@5", "bpref", "ASL(n='union')", "NumRet")
JUDGED = ("user_id", "item_id", "grade")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(streams, "BATCH", 7)
    monkeypatch.setattr(spool, "PARTITIONS", 24)


def make_rows(strange=("NA", "001", "1", "é" * 200)):
    """Rows of judgements and of runs in no order; some requests have strange ids, two batches or no judgement."""
    judged, runs = make_input()
    names = dict(zip(judged, strange, strict=False))
    graded = {
        names.get(request, request): {item: float(max(grades.values())) for item, grades in listed.items()}
        for request, listed in judged.items()
    }
    renamed = {
        name: {names.get(request, request): ranking for request, ranking in one.items()} for name, one in runs.items()
    }
    renamed["ünï"] = {request: ranking for k, (request, ranking) in enumerate(renamed["ünï"].items()) if k > 9}
    return rows_of(graded), {name: rows_of(one) for name, one in renamed.items()}


def write(rows, path, names=JUDGED):
    filled = table(rows or [("", "", 0.0)], names)
    parquet.write_table(filled.slice(0, len(rows)), path, row_group_size=11)
    return path


def store(folder, judged, runs, way=parquet_file):
    paths = {name: way(rows, folder, name) for name, rows in runs.items()}
    return write(judged, folder / "qrels.parquet"), paths


@pytest.fixture
def tables(tmp_path):
    return store(tmp_path, *make_rows())


def same(function, tables, *args, sizes=(1, 3, 1000), **options):
    """The outcome of tables that are held, which is that of divided ones."""
    judged, runs = tables

    def compute(block_requests):
        return function(tb.Experiment(judged, runs, block_requests=block_requests, **options), *args)

    whole = outcome(compute, None)
    for size in sizes:
        assert outcome(compute, size) == whole
    return whole


OPTIONS = [
    {},
    {"min_grade": 2},
    {"min_grade": 2, "binary": True},
    {"depth": 4},
    {"judged_only": True},
    {"requests": "common"},
    {"requests": "common", "min_grade": 3},
    {"imputation": "optimistic"},
    {"exclude": {"NA": ["d1", "d2"], "q9é": ["é"]}},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_divided_tables_have_the_results_of_the_whole(tables, options):
    (values, *_), _ = same(scores, tables, MEASURES, **options)
    assert values
    for preference in ("RPP", "LexiRecall", "diff(nDCG@3)"):
        same(comparison, tables, preference, sizes=(3,), **options)


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_several_measures_and_everything_after_them_are_the_same(tables):
    def look(exp):
        several = exp.compare(["RPP", "LexiPrecision"])
        orders = [repr(exp.order(measure).rows()) for measure in ("leximin(nDCG@5)", "RPP", "AP")]
        return repr(several.summary().values), several.notes, repr(several.test()), orders

    whole, *divided = (look(tb.Experiment(*tables, block_requests=size)) for size in (None, 1, 3, 1000))
    assert [*divided] == [whole] * 3


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_judgements_are_read_from_whatever_holds_a_large_table(tmp_path, way):
    judged, runs = make_rows()
    paths = store(tmp_path, judged, runs)
    whole = tb.Experiment(*paths).evaluate("AP")
    (tmp_path / "more").mkdir()
    rows = [(request, item, grade) for request, item, grade in judged]
    source = way(rows, tmp_path / "more", "qrels")
    exp = tb.Experiment(source, paths[1], block_requests=3, columns={"grade": "score"})
    assert not len(exp.judgements)
    assert {row[:2]: row.value for row in exp.evaluate("AP").rows()} == {row[:2]: row.value for row in whole.rows()}


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_only_a_block_is_held(tables):
    exp = tb.Experiment(*tables, block_requests=3)
    exp.evaluate("AP")
    blocks = exp._elsewhere.blocks(None, None)
    assert len(blocks) > 4 and len(exp.judgements) == 0
    assert repr(exp) == "<Experiment: 3 runs, in tables that are not held>"


@pytest.mark.parametrize("with_subtopics", [False, True])
@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_order_of_judgements_decides_neither_blocks_nor_whether_values_are_kept(tmp_path, monkeypatch, with_subtopics):
    judged, runs = make_rows()
    _, paths = store(tmp_path, judged, runs)
    n_requests, several = len({row[0] for row in judged}), []
    monkeypatch.setattr(tasks, "MOST_HELD", 2 * n_requests * len(runs))
    names = (*JUDGED, "subtopic") if with_subtopics else JUDGED
    cells = [(*row, "st"[k % 2]) if with_subtopics else row for k, row in enumerate(judged)]
    for rows in (sorted(cells), random.Random(2).sample(cells, len(cells))):
        exp = tb.Experiment(write(rows, tmp_path / "qrels.parquet", names), paths, block_requests=5)
        scores = exp.evaluate("AP")
        blocks = exp._elsewhere.blocks(None, None)
        assert blocks.n_requests == n_requests // len(blocks)
        several.append((len(blocks), len(scores.rows())))
    assert several[0] == several[1] and several[0][1]


def test_judgements_without_grades_and_with_booleans(tmp_path):
    judged, runs = make_rows()
    _, paths = store(tmp_path, judged, runs)
    for cells, names in ([row[:2] for row in judged], JUDGED[:2]), ([(*r[:2], r[2] > 1) for r in judged], JUDGED):
        path = write(cells, tmp_path / "qrels.parquet", names)
        assert same(scores, (path, paths), "AP")


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_constant_column_of_iterations_is_no_subtopic(tmp_path):
    judged, runs = make_rows()
    _, paths = store(tmp_path, judged, runs)
    for subtopics, is_several in (("0", "Q0"), False), (("s", "t"), True):
        rows = [(*row, subtopics[k % 2]) for k, row in enumerate(judged)]
        path = write(rows, tmp_path / "qrels.parquet", (*JUDGED, "iteration"))
        same(scores, (path, paths), "AP")
        exp = tb.Experiment(path, paths, block_requests=3)
        assert bool(exp._elsewhere.judged.subtopics) == is_several and not len(exp.judgements)
        assert ("no subtopics" in str(same(scores, (path, paths), "alpha_nDCG@3"))) != is_several


@pytest.mark.parametrize("options", [{}, {"binary": True}, {"binary": True, "requests": "common"}], ids=str)
def test_grades_that_look_like_ratings_are_noted_alike(tmp_path, options):
    """No block of one request has all of them."""
    judged, runs = make_rows()
    rated = [(request, item, float(k % 5 + 1)) for k, (request, item, _) in enumerate(judged)]
    (*_, notes, _), _ = same(scores, store(tmp_path, rated, runs), "AP", **options)
    assert any("Grades look like ratings, from 1 to 5, and all from 1 on" in note for note in notes)


def test_first_request_may_have_an_empty_id(tmp_path):
    judged, runs = make_rows(strange=("",))
    same(scores, store(tmp_path, sorted(judged), runs), "AP")
    runs["old"] = [(f"other {request}", item, score) for request, item, score in runs["old"]]
    assert 'the judgements with ""' in str(same(scores, store(tmp_path, sorted(judged), runs), "AP"))


def test_one_table_may_hold_all_runs(tmp_path):
    judged, runs = make_rows()
    rows = [(*row, name) for name, one in runs.items() for row in one]
    random.Random(4).shuffle(rows)
    path = write(rows, tmp_path / "all.parquet", ("user_id", "item_id", "score", "run"))
    same(scores, (write(judged, tmp_path / "qrels.parquet"), path), MEASURES)


def repeat_items(judged, runs):
    late = next(row for row in runs["old"] if row[0] == "q16é")
    runs["old"] = [*runs["old"], late, runs["old"][0]]


def spoil_scores(judged, runs):
    runs["old"] = [*runs["old"], ("q16é", "bad", float("nan")), ("NA", "worse", float("inf"))]


def spoil_two_runs(judged, runs):
    repeat_items(judged, runs)
    runs["ünï"] = [("q12é", "bad", float("nan")), *runs["ünï"]]


def contradict(judged, runs):
    judged += [(*judged[3][:2], 7.0), (*judged[0][:2], 8.0)]
    spoil_scores(judged, runs)


def contradict_before_a_run_without_an_item(judged, runs):
    judged += [(*judged[3][:2], 7.0), (*judged[0][:2], 8.0)]
    runs["new"] = [("q1é", None, 1.0), *runs["new"]]


def leave_out_an_item(judged, runs):
    runs["new"] = [*runs["new"], ("q1é", None, 1.0)]


def leave_out_a_request(judged, runs):
    judged += [(None, "d1", 1.0)]


def spoil_a_grade(judged, runs):
    judged += [("q1é", "new", float("inf")), ("NA", "new", float("nan"))]


def judge_other_requests(judged, runs):
    runs["old"] = [(f"other {request}", item, score) for request, item, score in runs["old"]]


def judge_nothing_relevant(judged, runs):
    judged[:] = [(request, item, 0.0) for request, item, _ in judged]


def judge_nothing(judged, runs):
    judged.clear()


def retrieve_nothing(judged, runs):
    runs["old"].clear()


FAULTS = {
    repeat_items: "duplicate",
    spoil_scores: "score",
    spoil_two_runs: "duplicate",
    contradict: "conflict",
    contradict_before_a_run_without_an_item: "conflict",
    leave_out_an_item: "null",
    leave_out_a_request: "null",
    spoil_a_grade: "grade",
    judge_other_requests: "disjoint",
    judge_nothing_relevant: "empty",
    judge_nothing: "empty",
}


@pytest.mark.parametrize("change", FAULTS, ids=lambda change: change.__name__)
def test_error_is_that_of_the_whole(tmp_path, change):
    judged, runs = make_rows()
    change(judged, runs)
    (error, _, where), _ = same(scores, store(tmp_path, judged, runs), "AP")
    assert issubclass(error, tb.InputError) and where["kind"] == FAULTS[change]


@pytest.mark.parametrize("options", [{"duplicates": "best"}, {"duplicates": "first"}], ids=str)
def test_repeated_items_are_resolved_alike(tmp_path, options):
    judged, runs = make_rows()
    repeat_items(judged, runs)
    same(scores, store(tmp_path, judged, runs), "AP", **options)


def test_bad_scores_are_dropped_and_empty_runs_noted_alike(tmp_path):
    judged, runs = make_rows()
    spoil_scores(judged, runs)
    (tmp_path / "a").mkdir()
    same(scores, store(tmp_path / "a", judged, runs), "AP", on_bad_score="drop")
    retrieve_nothing(judged, runs)
    (tmp_path / "b").mkdir()
    _, paths = store(tmp_path / "b", judged, runs | {"old": runs["new"]})
    parquet.write_table(table(runs["new"]).slice(0, 0), paths["old"])
    (*_, notes, _), _ = same(scores, (tmp_path / "b" / "qrels.parquet", paths), "AP")
    assert any("retrieves nothing" in note for note in notes)


def test_progress_grows_over_all_tables_to_their_rows(tables):
    judged, runs = tables
    ticks = []
    tb.Experiment(judged, runs, block_requests=3).read("AP", tick=lambda *tick: ticks.append(tick))
    rows = sum(parquet.read_metadata(path).num_rows for path in (judged, *runs.values()))
    assert {total for _, total in ticks} == {rows * partitions.SPOOL_BYTES}
    done = [done for done, _ in ticks]
    assert done == sorted(done)
    assert done[-1] == rows * partitions.SPOOL_BYTES


def test_request_of_many_rows_is_not_divided(tmp_path):
    rng = random.Random(1)
    judged = [("long", f"d{k}", float(k % 3)) for k in range(0, 3000, 7)] + [(f"q{k}", "d1", 1.0) for k in range(30)]
    rows = [("long", f"d{k}", rng.random()) for k in range(3000)] + [(f"q{k}", "d1", 1.0) for k in range(30)]
    rng.shuffle(rows)
    tables = store(tmp_path, judged, {"a": rows, "b": rows[::-1]})
    same(scores, tables, "AP", sizes=(5,))


def test_figures_of_whole_runs_need_no_judgements(tables):
    same(scores, tables, [*FIGURES, "nDCG@3"], sizes=(3,))


def test_users_of_items_are_counted_before_blocks(tables):
    same(scores, tables, ["Novelty@3", "nDCG@3"], sizes=(1, 3, 50))
    same(comparison, tables, "diff(Novelty@2)", sizes=(3,))
    same(scores, tables, ["Novelty@3"], sizes=(3,), requests="common")
    exp = tb.Experiment(*tables, block_requests=3)
    assert "count" not in [row.step for row in exp.plan().values]
    exp.read("Novelty@3")
    assert [row.what for row in exp.plan().values][-2:] == [
        "users who rated each item, in one pass over the judgements",
        "their numbers: about 200 bytes for each item",
    ]


def test_first_fault_of_judgements_comes_first_where_users_are_counted(tmp_path):
    rated = [(f"u{k}", item, 1.0) for k in range(60) for item in "ab"]
    again = [(f"u{k}", "a", 2.0) for k in range(50, 60)]
    files = store(tmp_path, [*rated, *again], {"one": rated})
    assert "u50" in str(same(scores, files, ["Novelty@3"], sizes=(7,)))


def test_items_that_are_too_many_to_count_are_refused(tables):
    exp = tb.Experiment(*tables, block_requests=3, memory=1000)
    with pytest.raises(tb.InputError, match=r"more than \d+ judged items: .* takes more than memory=1,000\."):
        exp.evaluate("Novelty@3")


def test_measures_of_aspects_have_none(tables):
    same(scores, tables, ["alpha_beta_nDCG@3"], sizes=(3,))


# Without being asked


@pytest.fixture
def few_rows_at_once(monkeypatch):
    monkeypatch.setattr(partitions, "ROWS_AT_ONCE", 30)


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_tables_that_memory_does_not_hold_are_divided_and_that_is_announced(tables, few_rows_at_once):
    judged, runs = tables
    whole = scores(tb.Experiment(judged, runs), MEASURES)
    exp = tb.Experiment(judged, runs, memory=20_000)
    with pytest.warns(LargeTablesWarning, match=r"rows and are not held: they are divided by request into temporary"):
        exp.read()
    assert len(exp._elsewhere.blocks(None, None)) > 3
    divided = scores(exp, MEASURES)
    assert divided[:4] == whole[:4]
    assert [note for note in divided[4] if "temporary files" not in note] == [*whole[4]]
    assert len(divided[4]) == len(whole[4]) + 1


def test_too_little_room_for_temporary_files_is_told(tables, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Namespace(free=1000))
    exp = tb.Experiment(*tables, memory=20_000)
    with pytest.raises(tb.InputError, match=r"temporary files of about 4\.62 kB in .*\. It has 1\.00 kB left\. TMPDIR"):
        exp.evaluate("AP")


def refuse_to_write(file, data):
    raise OSError(28, "No space left on device")


def test_full_disk_is_told(tables, monkeypatch):
    monkeypatch.setattr(ScratchFile, "write", refuse_to_write)
    with pytest.raises(tb.InputError, match=r"qrels\.parquet: its rows cannot be written to .*: no space left.*TMPDIR"):
        tb.Experiment(*tables, block_requests=3).evaluate("AP")


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_positions_that_a_full_disk_does_not_take_are_read_again(tables, monkeypatch):
    exp = tb.Experiment(*tables, block_requests=3)
    exp.read()
    monkeypatch.setattr(ScratchFile, "write", refuse_to_write)
    for _ in range(2):
        assert exp.evaluate("AP").mean.tolist() == tb.Experiment(*tables).evaluate("AP").mean.tolist()


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_what_can_be_held_is_not_divided(tables):
    exp = tb.Experiment(*tables)
    assert exp._elsewhere is None and len(exp.judgements)


@pytest.mark.parametrize("lists", [True, False])
@pytest.mark.filterwarnings("ignore::tiebreak.errors.TiebreakWarning")
def test_lists_of_items_are_held(tmp_path, lists):
    judged, runs = make_rows()
    path, paths = store(tmp_path, judged, runs)
    by_request = {}
    for request, item, _ in judged if lists else runs["new"]:
        by_request.setdefault(request, []).append(item)
    listed = pyarrow.table({"user_id": [*by_request], "item_id": [*by_request.values()]})
    parquet.write_table(listed, path if lists else paths["new"])
    whole = scores(tb.Experiment(path, paths), "AP")
    assert scores(tb.Experiment(path, paths, block_requests=3), "AP") == whole


# Files


def files_left(folder):
    return [name for name in os.listdir(folder) if name.startswith("tiebreak-")]


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_temporary_files_go_with_the_experiment(tables, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    exp = tb.Experiment(*tables, block_requests=3)
    result = exp.compare("RPP")
    assert len(files_left(tmp_path)) == (0 if os.name == "posix" else 4)
    opened = exp._elsewhere.blocks(None, None).judged.file._file
    del exp, result
    gc.collect()
    assert opened.closed and files_left(tmp_path) == []


def test_no_temporary_file_is_left_by_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    judged, runs = make_rows()
    leave_out_an_item(judged, runs)
    exp = tb.Experiment(*store(tmp_path, judged, runs), block_requests=3)
    with pytest.raises(tb.InputError):
        exp.compare("RPP")
    gc.collect()
    assert files_left(tmp_path) == []


@pytest.mark.parametrize(
    "words", [("evaluate", "-m", "AP"), ("compare",), ("order", "-m", "AP"), ("test", "-m", "AP"), ("compare", "-q")]
)
def test_commands_divide_large_tables(tables, tmp_path, words):
    judged, runs = tables
    files = (judged, *(f"{name}={path}" for name, path in runs.items()))
    whole, divided = run(*words, *files), run(*words, *files, "--memory", 20_000, TMPDIR=str(tmp_path))
    assert whole.returncode == divided.returncode == 0
    assert divided.stderr.startswith("Note: The tables have ") and f"in {tmp_path}." in divided.stderr
    lines = [line for line in divided.stdout.splitlines() if "temporary files" not in line]
    assert [line for line in whole.stdout.splitlines() if line in lines]
    assert files_left(tmp_path) == []


def test_commands_keep_the_values_that_they_show(tables, monkeypatch):
    """However many there are; here a few are many."""
    arguments = [str(tables[0]), *map(str, tables[1].values())]
    options = ["--memory", "20000", "--format", "csv"]
    shown = {}
    for most in (tasks.MOST_HELD, 10):
        monkeypatch.setattr(tasks, "MOST_HELD", most)
        for command in (
            ["evaluate", "-m", "AP", "-q"],
            ["evaluate", "-m", "AP", "-m", "RR", "--baseline", "new"],
            ["evaluate", "-m", "AP", "--population", "georisk"],
            ["compare", "-m", "RPP", "-q"],
            ["order", "-m", "RPP", "-q"],
            ["order", "-m", "georisk(AP)"],
        ):
            result = run(*command, *options, *arguments)
            assert result.returncode == 0, (command, result.stderr)
            assert result.stdout == shown.setdefault(tuple(command), result.stdout)


def test_command_reads_a_parquet_folder_as_one_table(tmp_path):
    judged, runs = make_rows()
    (tmp_path / "folders").mkdir()
    whole = store(tmp_path, judged, runs)
    folders = [parquet_folder(rows, tmp_path / "folders", name) for name, rows in runs.items()]
    expected = run("evaluate", "-m", "AP", "--format", "csv", whole[0], *whole[1].values())
    assert run("evaluate", "-m", "AP", "--format", "csv", whole[0], *folders).stdout == expected.stdout


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
@pytest.mark.parametrize("block_requests", [None, 2])
def test_folders_in_a_parquet_folder_are_refused(tmp_path, block_requests):
    """As they may name the run of a row, or be left out."""
    judged, runs = make_rows()
    for name, rows in runs.items():
        folder = tmp_path / "runs.parquet" / f"model={name}"
        folder.mkdir(parents=True)
        parquet_file(rows, folder, "part-0")
    (tmp_path / "runs.parquet" / "_delta_log").mkdir()  # what Spark and others pass over
    qrels = write(judged, tmp_path / "qrels.parquet")
    with pytest.raises(tb.InputError, match=r"runs\.parquet: there are folders in it, such as model=.*hive") as error:
        tb.Experiment(qrels, tmp_path / "runs.parquet", block_requests=block_requests).evaluate("AP")
    assert error.value.kind == "directory"
    dataset = pytest.importorskip("pyarrow.dataset").dataset(str(tmp_path / "runs.parquet"), partitioning="hive")
    scores = tb.Experiment(qrels, dataset, block_requests=block_requests).evaluate("AP")
    expected = tb.Experiment(*store(tmp_path, judged, runs)).evaluate("AP")
    assert scores.summary().to_dict()["rows"] == expected.summary().to_dict()["rows"]


# The pieces


def test_partition_of_an_id_depends_on_the_id_only():
    names = ["", "a", "b", "ab", "é", "user 1", "x" * 1000, *(f"u{k}" for k in range(50_000))]
    together = spool.partition_ids(Ids.from_names(names))
    for k in (0, 1, 2, 3, 4, 5, 6, 7, 5000):
        assert spool.partition_ids(Ids.from_names([names[k]]))[0] == together[k]
    counts = np.bincount(together, minlength=spool.PARTITIONS)
    assert counts.min() > 1900 and counts.max() < 2270  # 2,083 on average


@pytest.mark.parametrize(
    ("values", "kind"),
    [([1, 2, -3], np.int8), ([300.0], np.int16), ([0.5], np.float32), ([0.1], float), ([1, np.nan], float)],
)
def test_values_are_kept_in_the_smallest_type_that_holds_them(values, kind):
    numbers = np.array(values, dtype=float)
    narrow = packed_rows.narrow_values(numbers)
    assert narrow.dtype == kind and np.array_equal(narrow.astype(float), numbers, equal_nan=True)


def test_blocks_end_where_they_have_weight_enough():
    assert partitions.block_bounds(np.array([3, 1, 9, 0, 2]), 4) == [0, 2, 3, 5]


PEAK = """
import sys
import tiebreak as tb
folder = sys.argv[1]
exp = tb.Experiment(folder + "/qrels.parquet", [folder + "/a.parquet", folder + "/b.parquet"], block_requests=5000)
exp.compare("RPP")
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
"""


def write_users(path, users, per, name):
    requests = np.repeat(np.arange(users), per)
    items = np.arange(users * per) * 7919 % 40_000 + np.tile(np.arange(per) * 40_000, users)
    columns = {
        "request": requests.astype(str),
        "item": items.astype(str),
        name: np.tile(np.arange(per, 0, -1.0), users),
    }
    parquet.write_table(pyarrow.table(columns), path, row_group_size=1 << 17)


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="peak memory is told by Linux")
def test_peak_memory_hardly_grows_with_requests(tmp_path):
    peaks = []
    for users in (50_000, 200_000):
        write_users(tmp_path / "qrels.parquet", users, 3, "grade")
        for name in "ab":
            write_users(tmp_path / f"{name}.parquet", users, 10, "score")
        ended = subprocess.run([sys.executable, "-c", PEAK, str(tmp_path)], capture_output=True, text=True, check=True)
        peaks.append(int(ended.stdout))
    assert peaks[1] - peaks[0] < 70_000, peaks  # in kB, with 3,450,000 rows more: held, they take six times as much


@pytest.mark.parametrize("command", ["check", "explain", "worst", "report", "study ties", "study agreement"])
def test_commands_that_look_at_all_rankings_refuse_before_they_write(tmp_path, tables, command):
    judged, runs = tables
    ended = run(*command.split(), judged, *runs.values(), "--memory", 20_000, TMPDIR=str(tmp_path))
    assert ended.returncode == 2
    assert "is read in blocks of requests" in ended.stderr and "Give a larger memory= (--memory)" in ended.stderr
    assert "temporary files" not in ended.stderr
