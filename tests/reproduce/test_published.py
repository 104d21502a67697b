"""What the papers print for TREC 2019 Deep Learning, passages, through the scripts; with few shuffles."""

import json
import os
import re
from functools import cache
from pathlib import Path

import lexiprecision
import pessimistic
import pytest
import recall_paired
from cells import Cell, Status
from data import Data, Options

from reproduce.made_up import make_collection

DEEP = "dl19-passage"
TABLES = {
    "LP paper Table 1": lexiprecision.table_1,
    "LP paper Table 2": lexiprecision.table_2,
    "LP paper Table 3a": lexiprecision.table_3a,
    "LP paper Table 3b": lexiprecision.table_3b,
    "PE paper Table 2": pessimistic.table_2,
    "RPP paper Table 3": recall_paired.table_3a,
    "RPP paper Table 4": recall_paired.table_4a,
}
NAMES = {
    "lexiprecision": "rrLP, sgnLP",
    "reciprocal rank": "RR",
    "NDCG": "nDCG",
    "gmean": "gavg",
    "mean": "avg",
    "leximax": "lmax",
    "leximin ties": "lmin, tied",
}
"""What is called otherwise in the scripts."""


@cache
def data():
    if not (path := os.environ.get("TIEBREAK_DATA")):
        pytest.skip("TIEBREAK_DATA does not name a folder of runs and judgements")
    return Data.of([Path(path) / DEEP], Options(quick=True))


@cache
def cells(table) -> dict[str, Cell]:
    return {cell.where.partition(", ")[2]: cell for cell in TABLES[table](data()).cells}


def published():
    """Table, name of the cell, printed number and whether it is known to come out again."""
    entries = json.loads((data().collections[0].folder / "published.json").read_text("utf-8"))
    for title, entry in entries.items():
        if title == "data":
            continue
        table = re.search(r"\[(.*)\]", title)[1]
        for key, value in entry.items():
            if key not in ("setting", "status"):
                for name, number in named(NAMES.get(key, key), value):
                    yield table, name, number, "exactly" in entry["status"]


def named(name, value):
    """Cells of a value: PE Table 2 has tau_b and ties in one."""
    return [(f"{name}, tau_b", value[0]), (f"{name}, tied", value[1])] if isinstance(value, list) else [(name, value)]


def test_every_published_number_is_in_the_scripts():
    numbers = list(published())
    assert len(numbers) == 35  # 2 + 3 + 1 + 2 + 6 + 3 + 2 + 13 + 3
    assert [float(cells(table)[name].printed) for table, name, _, _ in numbers] == [number for *_, number, _ in numbers]


def test_numbers_known_to_reproduce_are_exact():
    known = [(table, name) for table, name, _, reproduces in published() if reproduces]
    assert len(known) == 21
    assert {cells(table)[name].status for table, name in known} == {Status.EXACT}


def test_numbers_known_to_differ_are_not_called_exact():
    """AP, nDCG and RR of RPP Table 4a, and rrLP and RR of LP Table 3b: by tests without chance."""
    cases = {"RPP paper Table 4": ("AP", "nDCG", "RR"), "LP paper Table 3b": ("rrLP", "RR")}
    actual = [cells(table)[name] for table, names in cases.items() for name in names]
    assert [cell.status for cell in actual] == [Status.OPEN] * 3 + [Status.EXPLAINED] * 2
    assert [cell.written for cell in actual] == ["36.34", "36.64", "5.41", "14.86", "9.91"]


def test_the_paired_tests_of_lexiprecision_come_out_whole_with_holms_correction():
    reasons = {cell.reason for cell in cells("LP paper Table 3b").values() if cell.status is Status.EXPLAINED}
    assert len(reasons) == 1 and "the whole row is as printed with Holm's correction, of " in reasons.pop()
    with_holm = lexiprecision.table_3b(Data(data().collections, Options(quick=True, correction="holm")))
    assert {cell.status for cell in with_holm.cells} == {Status.EXACT}


def test_real_and_made_up_collections_stand_in_one_table(tmp_path):
    made_up = make_collection(tmp_path / "dl20-passage")
    together = Data.of([data().collections[0].folder, made_up], Options(quick=True))
    sheet = pessimistic.table_2(together)
    real, other = sheet.cells[:14], sheet.cells[14:]
    assert {cell.status for cell in real} == {Status.EXACT}
    assert {cell.status for cell in other} == {Status.OTHER}
    assert other[4].printed == "0.615"  # gavg of deep-pass (2020)
    assert [row[0] for row in sheet.grids[0].rows] == ["collection", "deep-pass (2019)", "deep-pass (2020)"]


def test_without_data_nothing_is_claimed():
    assert lexiprecision.table_2(Data()).counts() == {Status.ABSENT: 2 * 18}


def test_any_folder_is_read_and_has_no_printed_values(tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "qrels.txt").write_text("q 0 a 1\nq 0 b 1\n")
    (tmp_path / "runs" / "one.run").write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    (tmp_path / "runs" / "two.run").write_text("q Q0 a 1 2 t\nq Q0 x 2 1 t\n")
    actual = lexiprecision.table_2(Data.of([tmp_path])).cells
    assert [(cell.status, cell.computed) for cell in actual] == [(Status.UNPRINTED, 0.0), (Status.UNPRINTED, 100.0)]


def test_a_folder_without_runs_is_refused(tmp_path):
    with pytest.raises(SystemExit, match="no runs/ here"):
        Data.of([tmp_path])
