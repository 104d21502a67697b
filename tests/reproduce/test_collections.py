"""Folders of several collections: each has its own settings and printed rows, whatever happens to the others."""

import lexiprecision
import lexirecall
import numpy as np
import page
import pessimistic
import pytest
import recall_paired
from cells import Status
from data import Collection, Data, Options
from script import Figure, arguments, failed_cells, options
from tests_of_pairs import factors, one_direction, separated
from tracks import SIZES, columns, printed, track

import diversity
from reproduce.made_up import make_collection

pytestmark = pytest.mark.slow  # searches and drawings of many cases

FOLDERS = {
    "dl20-passage": {},
    "dl19-doc": {"seed": 2},
    "web2010": {"subtopics": True, "seed": 3},
    "ml-1m": {"grades": 5, "seed": 4},
    "mine": {"seed": 5},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Several collections, none of them the one that was once known by heart."""
    result = tmp_path_factory.mktemp("collections")
    for name, how in FOLDERS.items():
        make_collection(result / name, **how)
    return result


def data_of(*folders, **changed):
    return Data.of(folders, Options(**{"quick": True, "shuffles": 50, "samples": 1} | changed))


def row(sheet, name):
    return [cell for cell in sheet.cells if cell.where.startswith(f"{name}, ")]


@pytest.mark.parametrize(
    ("name", "printed_as", "min_grade", "depth"),
    [
        ("dl19-passage", "deep-pass (2019)", 2, None),
        ("dl23-passage", "deep-pass (2023)", 2, None),
        ("DL21-Passage", "deep-pass (2021)", 2, None),
        ("dl19-doc", "deep-docs (2019)", 1, None),
        ("dl22-docs", "deep-docs (2022)", 1, None),
        ("robust", "robust (2004)", 1, None),
        ("robust04", "robust (2004)", 1, None),
        ("web2009", "web (2009)", 1, None),
        ("core2018", "core (2018)", 1, None),
        ("legal2006", "legal (2006)", 1, None),
        ("podcasts2021", "podcasts (2021)", 1, None),
        ("tot2023", "tot (2023)", 1, None),
        ("ml-1m", "ml-1M", 4, None),
        ("movielens", "ml-1M", 4, None),
        ("libraryThing", "libraryThing", 4, None),
        ("beeradvocate", "beerAdvocate", 4, None),
        ("amzn-cds-vinyl-100", "amzn-cds-vinyl-100", 4, 100),
        ("ml-small", "ml-small", 4, None),
        ("anything", "anything", None, None),
    ],
)
def test_a_folder_is_known_by_its_name(name, printed_as, min_grade, depth):
    known = track(name)
    assert (known.printed_as, known.min_grade, known.depth) == (printed_as, min_grade, depth)


TABLES = {
    "lp-table1": (18, 2),
    "lp-table2": (18, 2),
    "lp-table3a": (18, 3),
    "lp-table3b": (18, 3),
    "lr-table5": (36, 4),
    "pe-table2": (27, 14),
    "pe-table3": (8, 14),
    "pe-table4": (27, 4),
    "rpp-table1": (16, 4),
    "rpp-table3a": (16, 6),
    "rpp-table3b": (6, 4),
    "rpp-table4a": (16, 6),
    "rpp-table4b": (6, 4),
}


@pytest.mark.parametrize(("table", "size"), TABLES.items())
def test_printed_tables_are_whole(table, size):
    rows = printed(table)
    assert (len(rows), len(columns(table))) == size
    if table != "pe-table3":
        assert {key for key in rows if track(key).key != key} == set()


def test_what_is_printed_twice_is_the_same_twice():
    """PE Table 3 repeats a row of Table 2; tables of data differ where the papers do."""
    assert printed("pe-table3")["AP"] == printed("pe-table2")["robust"]
    sizes = {}
    for table in SIZES:
        for key, cells in printed(table).items():
            sizes.setdefault(key, set()).add((cells["requests"], cells["runs"]))
    assert {key for key, actual in sizes.items() if len(actual) > 1} == {"web2011"}  # 61 runs, in RPP 62


def test_every_collection_of_a_folder_has_its_own_settings_and_printed_row(folder):
    data = data_of(folder)
    sheet = lexiprecision.table_2(data)
    assert {one.name: one.min_grade for one in data.collections} == {
        "dl19-doc": 1,
        "dl20-passage": 2,
        "mine": None,
        "ml-1m": 4,
        "web2010": 1,
    }
    assert [cell.printed for cell in row(sheet, "deep-pass (2020)")] == ["2.58", "50.30"]
    assert [cell.printed for cell in row(sheet, "deep-docs (2019)")] == ["1.06", "68.45"]
    assert [cell.printed for cell in row(sheet, "web (2010)")] == ["0.61", "25.85"]
    assert [cell.printed for cell in row(sheet, "ml-1M")] == ["3.38", "21.39"]
    assert [cell.printed for cell in row(sheet, "mine")] == [None, None]
    assert sheet.n_elsewhere == 2 * (18 - 4)
    assert "deep-pass (2019)" in sheet.elsewhere and "deep-pass (2020)" not in sheet.elsewhere


def test_passages_are_relevant_from_grade_2_on(folder):
    """What was read from grade 1 on, because the folder has another name than the one that was known."""
    one = Collection(folder / "dl20-passage")
    whole = one.graded.judgements
    assert one.binary.positions.relevant().sum() == (whole.grade >= 2).sum() < (whole.grade >= 1).sum()


def test_ratings_are_relevant_from_4_stars_on_in_every_table(folder):
    one = Collection(folder / "ml-1m")
    assert one.sizes()["rel/request"] * 8 == pytest.approx((one.graded.judgements.grade >= 4).sum())


def test_each_collection_computes_the_same_alone_and_among_others(folder):
    for name in FOLDERS:
        alone = lexiprecision.table_2(data_of(folder / name)).cells
        printed_as = track(name).printed_as
        assert [cell.computed for cell in row(lexiprecision.table_2(data_of(folder)), printed_as)] == [
            cell.computed for cell in alone
        ]


def test_other_runs_than_the_papers_are_not_held_against_its_values(folder):
    cells = row(lexiprecision.table_2(data_of(folder)), "deep-pass (2020)")
    assert {cell.status for cell in cells} == {Status.OTHER}
    assert cells[0].verdict == "other data: 8 requests and 4 runs here, 54 and 59 in the paper"


def test_a_collection_of_the_printed_size_is_held_against_the_printed_values(tmp_path):
    """deep-docs (2023) has 82 requests and 5 runs."""
    systems = ("top-heavy", "deep", "balanced", "weak", "random")
    make_collection(tmp_path / "dl23-doc", 82, systems)
    sheet = pessimistic.table_2(data_of(tmp_path))
    assert Status.OTHER not in sheet.counts()
    assert sheet.counts()[Status.EXACT] >= 1  # leximin is like itself
    assert "Settings tried, deep-docs (2023)" in sheet.text()


def test_several_folders_are_taken_together(folder, tmp_path):
    other = make_collection(tmp_path / "robust")
    data = Data.of([folder / "dl19-doc", other, folder / "dl19-doc"])
    assert [one.name for one in data.collections] == ["dl19-doc", "robust"]


def test_a_link_is_known_by_its_own_name(folder, tmp_path):
    link = tmp_path / "dl21-passage"
    link.symlink_to(folder / "mine")
    assert [one.track.printed_as for one in Data.of([tmp_path]).collections] == ["deep-pass (2021)"]


def test_options_are_of_one_folder_or_of_all(folder):
    asked = arguments("").parse_args(
        [str(folder), "--min-grade", "3", "--min-grade", "dl19-doc=2", "--depth", "web2010=7", "--correction", "holm"]
    )
    data = Data.of(asked.folder, options(asked))
    by_name = {one.name: one for one in data.collections}
    assert (by_name["mine"].min_grade, by_name["dl19-doc"].min_grade) == (3, 2)
    assert by_name["web2010"].graded.positions.retrieved.max() == 7
    assert by_name["mine"].graded.positions.retrieved.max() == 30
    assert "correction: holm" in lexiprecision.table_3b(data).setting


def test_documents_are_counted_in_judged_requests_only(tmp_path):
    """Two judged requests with 3 and 1 documents; 5 documents of a request without judgements do not count."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "qrels.txt").write_text("p 0 a 1\nq 0 a 1\n")
    lines = ["p Q0 a 1 3 t", "p Q0 b 2 2 t", "p Q0 c 3 1 t", "q Q0 a 1 1 t"]
    unjudged = [f"z Q0 d{rank} {rank} {9 - rank} t" for rank in range(1, 6)]
    (tmp_path / "runs" / "one.run").write_text("\n".join([*lines, *unjudged]) + "\n")
    sizes = Collection(tmp_path).sizes()
    assert sizes["requests"] == 2
    assert sizes["docs/request"] == (3 + 1) / 2


@pytest.fixture
def broken(tmp_path):
    """A collection that is whole between two that cannot be read."""
    make_collection(tmp_path / "web2009", subtopics=True)
    make_collection(tmp_path / "robust")
    (tmp_path / "robust" / "runs" / "deep.run").write_text("q01 Q0 d1 1 not-a-number deep\n")
    make_collection(tmp_path / "core2017")
    (tmp_path / "core2017" / "qrels.txt").unlink()
    return tmp_path


OF_DATA = (
    lexirecall.table_5,
    lexiprecision.table_1,
    lexiprecision.table_2,
    lexiprecision.table_3a,
    lexiprecision.table_3b,
    pessimistic.table_2,
    pessimistic.table_4,
    recall_paired.table_1,
    recall_paired.table_3a,
    recall_paired.table_4a,
)


@pytest.mark.parametrize("table", OF_DATA)
def test_a_collection_that_fails_does_not_lose_the_others(broken, table):
    sheet = table(data_of(broken))
    assert {cell.status for cell in row(sheet, "robust (2004)")} == {Status.FAILED}
    assert {cell.status for cell in row(sheet, "core (2017)")} == {Status.FAILED}
    whole = row(sheet, "web (2009)")
    assert len(whole) == len(row(sheet, "robust (2004)"))
    assert Status.FAILED not in {cell.status for cell in whole}
    assert all(cell.computed is not None for cell in whole)
    assert "not-a-number" in sheet.text() and "failed" in sheet.markdown()


def test_tables_of_means_and_of_measures_survive_a_collection_that_fails(broken):
    data = data_of(broken)
    for table in (recall_paired.table_2a, pessimistic.table_3):
        sheet = table(data)
        assert any("robust (2004)" in line for line in failed_cells([sheet]))
        assert any(row[0] == "web (2009)" for grid in sheet.grids for row in grid.rows) or "web (2009)" in sheet.text()


def test_subtopic_tables_are_of_collections_with_subtopics(folder):
    sheet = recall_paired.table_4b(data_of(folder))
    assert [cell.printed for cell in sheet.cells] == ["49.40", "16.94", "14.72", "11.69"]  # web (2010)
    assert sheet.n_elsewhere == 4 * 5
    taus = recall_paired.table_2b(data_of(folder))
    assert len(taus.cells) == 15 and {cell.status for cell in taus.cells} == {Status.ABSENT}
    assert [line[0] for line in taus.grids[0].rows[1:]] == ["web (2010)"]


def test_figures_of_a_collection_that_fails_do_not_lose_the_others(broken, monkeypatch):
    """Two cannot be read, and one figure of the third cannot be drawn."""
    monkeypatch.setattr(Figure, "save", save_all_but("pe-table3-web2009"))
    failures = []
    drawings = list(pessimistic.PAPER.drawings(data_of(broken), broken, failures))
    assert {figure.name for figure, _ in drawings} >= {"pe-fig1-web2009", "pe-fig3b-web2009"}
    assert {failure.partition(",")[0] for failure in failures} == {"robust", "core2017", "web2009"}


def save_all_but(name):
    def save(figure, folder):
        if figure.name == name:
            raise ValueError("nothing to draw")
        return folder / f"{figure.name}.svg"

    return save


def test_the_page_is_made_of_any_folder_and_says_what_failed(folder, broken, tmp_path, monkeypatch):
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    monkeypatch.setattr(page, "PAPERS", (lexiprecision.PAPER, pessimistic.PAPER))  # tables of seconds
    docs = tmp_path / "docs"
    docs.mkdir()
    failures = page.write_page(data_of(folder / "dl20-passage", folder / "mine", broken), docs, docs / "page.html")
    text = (docs / "reproduction.md").read_text("utf-8")
    assert failures and all("robust" in one or "core" in one for one in failures)
    assert "## What failed" in text
    assert "| deep-pass (2020), RR | 28.35 |" in text  # LP Table 3a
    assert "| deep-pass (2020), RR | 28.00 |" in text  # LP Table 3b
    assert (docs / "figures" / "lp-fig3-dl20-passage.svg").exists()
    assert (docs / "figures" / "lp-fig3-web2009.svg").exists()
    html = (docs / "page.html").read_text("utf-8")
    assert "What failed <a" in html and "exact: equal to the printed digits.</li>" in html
    assert '<th class="text" scope="row">deep-pass (2020), RR</th><td>28.35</td>' in html
    assert html.count("<figure") == len([*(docs / "figures").iterdir()])


def test_films_without_genres_are_no_data_for_diversity(folder):
    sheet = diversity.figure_2_words(data_of(folder))
    assert not sheet.cells and sheet.n_elsewhere == 9


def test_factors_that_give_a_printed_share():
    """Of four pairs, half are below 0.05 when 0.01 is and 0.02 is not: factors from 0.05 / 0.02 to 0.05 / 0.01."""
    assert factors(np.array([0.001, 0.02, 0.01, 0.5]), "50.00") == "2.5 to 5"
    assert factors(np.array([0.01, 0.01]), "50.00") == "none"
    assert factors(np.array([0.01, 0.01]), "0.00") == "-"


def test_differences_in_one_direction_are_part_of_all(folder):
    """Of both directions together, all pairs that differ; in either order of names."""
    experiment = Collection(folder / "mine").graded
    both = separated(experiment, ["RR"], "t", correction="bonferroni")["RR"]
    for key in (str.encode, str.lower):
        how = {"is_one_sided": False, "key": key}
        parts = [one_direction(experiment, ["RR"], is_first=first, **how)["RR"] for first in (True, False)]
        assert sum(parts) == pytest.approx(both) and both > 0
