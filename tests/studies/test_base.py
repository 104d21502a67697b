"""What every study returns, and how its parts are worked through."""

import time

import pytest

from tiebreak.results.plots import Picture
from tiebreak.studies.base import Findings, run_tasks
from tiebreak.studies.measures import preferences_by_name

FOUND = Findings(
    ("measure", "share", "tied"),
    (("AP", 1 / 3, 2), ("RR", None, 3)),
    "AP ties least.",
    ("Over 3 requests.",),
    Picture("bar", "share", "measure"),
)


def test_rows_in_every_form():
    assert FOUND.to_dict()["rows"] == [
        {"measure": "AP", "share": 1 / 3, "tied": 2},
        {"measure": "RR", "share": None, "tied": 3},
    ]
    assert FOUND.table().rows == (("AP", "0.3333", "2"), ("RR", "-", "3"))
    assert "AP ties least." in repr(FOUND) and "Over 3 requests." in repr(FOUND)
    assert r"AP & 0.3333 & 2 \\" in FOUND.to_latex()


def test_measures_keep_the_names_they_were_given():
    assert list(map(str, preferences_by_name(["sgnLP", "AP"]).values())) == ["LexiPrecision", "diff(AP)"]
    assert list(preferences_by_name(["sgnLP", "AP"])) == ["sgnLP", "AP"]


def test_rows_as_a_frame():
    pytest.importorskip("polars")
    assert FOUND.to_frame().columns == ["measure", "share", "tied"]


@pytest.mark.parametrize("jobs", [1, 2, 8])
def test_parts_come_in_the_order_of_the_tasks(jobs):
    heard = []

    def slow_first(k):
        time.sleep(0.02 if k == 0 else 0)
        return k * k

    actual = run_tasks(slow_first, range(9), jobs, tick=lambda done, total: heard.append((done, total)))
    assert actual == [k * k for k in range(9)]
    assert heard == [(k + 1, 9) for k in range(9)]


def test_failure_of_a_part_is_the_failure_of_all():
    def refuse(k):
        raise ValueError(f"part {k}")

    with pytest.raises(ValueError, match="part 0"):
        run_tasks(refuse, range(5), 2)
