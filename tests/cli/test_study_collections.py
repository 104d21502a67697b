"""``tiebreak study ... --collections``: one table of several folders, groups, failures and the exit code."""

import pytest

from cli.test_compare import FORMATS, done, objects, one_line_error
from reproduce.made_up import make_collection
from tiebreak.studies import CATALOGUE

STUDIES = [name for name, study in CATALOGUE.items() if study.averages]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("collections")
    for seed, name in enumerate(("one", "two")):
        make_collection(root / name, requests=4, seed=seed)
    return root


def ties(*words, **how):
    return done("study", "ties", "-m", "RR", *words, **how)


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_of_runs_takes_collections(folder, name):
    few = {"missing": ("--samples", 1, "--fraction", 0.5)}.get(name, ())
    rows = objects(done("study", name, "--collections", folder, *few, "--format", "jsonl").stdout)
    assert list(dict.fromkeys(row["collection"] for row in rows)) == ["one", "two", "mean"]


@pytest.mark.parametrize("form", FORMATS)
def test_collections_in_every_format(folder, form):
    output = ties("--collections", folder, "--format", form).stdout
    assert "one" in output and "mean" in output


def test_table_has_a_row_for_each_collection_and_the_mean(folder):
    lines = ties("--collections", folder / "two", "--collections", folder / "one").stdout.splitlines()
    assert [line.split()[0] for line in lines if line.startswith(" ") and line.strip(" ─")] == [
        "collection",
        "two",
        "one",
        "mean",
    ]


def test_groups_are_listed_with_their_means(folder, tmp_path):
    tables = {"a": ("one", "web"), "b": ("two", "films")}
    lines = (f'[{name}]\nfolder = "{folder / place}"\nkind = "{kind}"\n' for name, (place, kind) in tables.items())
    (tmp_path / "list.toml").write_text("".join(lines) + "min_grade = 2\n")
    call = ("--collections", tmp_path / "list.toml", "--group-by", "kind", "--group-by", "depth", "--format", "jsonl")
    rows = objects(ties(*call).stdout)
    assert [(row["kind"], row["depth_class"], row["collection"]) for row in rows] == [
        ("web", "shallow", "a"),
        ("web", "shallow", "mean"),
        ("films", "shallow", "b"),
        ("films", "shallow", "mean"),
        ("all", "all", "mean"),
    ]


def test_failure_of_one_is_told_after_the_others_and_by_the_exit_code(folder, tmp_path):
    make_collection(tmp_path / "bad")
    (tmp_path / "bad" / "runs" / "deep.run").write_text("q01 Q0 d1 1 not-a-number deep\n")
    ended = ties("--collections", tmp_path / "bad", "--collections", folder, "--format", "jsonl", code=2)
    assert [row["collection"] for row in objects(ended.stdout)] == ["one", "two", "mean"]
    assert ended.stderr.startswith('Error: collection "bad": ') and "not-a-number" in ended.stderr


def test_folders_without_runs_do_not_lose_the_others(folder, tmp_path):
    (tmp_path / "empty").mkdir()
    places = [word for name in ("empty", "nowhere") for word in ("--collections", tmp_path / name)]
    ended = ties("--collections", folder / "one", *places, "--format", "jsonl", code=2)
    assert [row["collection"] for row in objects(ended.stdout)] == ["one", "mean"]
    empty, nowhere = ended.stderr.splitlines()[-2:]
    assert empty.startswith('Error: collection "empty": ') and "there is no folder called runs here" in empty
    assert nowhere.startswith('Error: collection "nowhere": ') and "No such file or directory" in nowhere
    message = one_line_error("study", "ties", *places)
    assert "no collection could be studied. empty: " in message and " nowhere: " in message


def test_where_all_fail_there_is_one_error(tmp_path):
    (tmp_path / "x" / "runs").mkdir(parents=True)
    assert "no collection could be studied" in one_line_error("study", "ties", "--collections", tmp_path)


def test_judgements_can_be_named(folder, tmp_path):
    make_collection(tmp_path / "x")
    (tmp_path / "x" / "qrels.txt").rename(tmp_path / "x" / "judged.txt")
    assert ties("--collections", tmp_path, "--qrels-name", "judged.txt").stdout
    assert "there are no judgements" in one_line_error("study", "ties", "--collections", tmp_path)


def test_reading_options_are_for_all_collections(folder):
    def counted(*words):
        return [row["tied"] for row in objects(ties("--collections", folder, *words, "--format", "jsonl").stdout)]

    assert counted("--depth", 1) != counted()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "Give QRELS RUN..., or --collections FOLDER"),
        (("--group-by", "depth"), "are for --collections"),
        (("QRELS", "--collections", "FOLDER"), "--collections takes the place of QRELS RUN..."),
        (("--collections", "FOLDER", "--group-by", "kind"), "no collection has a kind"),
    ],
)
def test_what_makes_no_sense_is_refused(folder, words, message):
    places = {"FOLDER": folder, "QRELS": folder / "one" / "qrels.txt"}
    assert message in ties(*(places.get(word, word) for word in words), code=2).stderr


@pytest.mark.parametrize("name", ["qrels.txt", "runs/deep.run"])
def test_no_output_overwrites_a_file_of_a_collection(folder, name):
    before = (folder / "one" / name).read_text()
    output = ties("--collections", folder, "-o", folder / "one" / name, "--format", "csv", code=2).stderr
    assert "is also an input file" in output and (folder / "one" / name).read_text() == before


def test_collections_are_drawn_side_by_side(folder, tmp_path):
    pytest.importorskip("altair")
    ties("--collections", folder, "--plot", tmp_path / "drawn.svg")
    drawn = (tmp_path / "drawn.svg").read_text()
    assert ">one<" in drawn and ">two<" in drawn
