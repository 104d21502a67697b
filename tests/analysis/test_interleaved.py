"""The interleaved list of two rankings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from tiebreak.analysis.interleaved import interleave

RANKING = st.lists(st.sampled_from("abcdef"), unique=True)


def experiment(x, y, relevant):
    runs = [
        tb.Run({"q": {item: -float(k) for k, item in enumerate(items)}}, name=name)
        for name, items in (("x", x), ("y", y))
    ]
    return tb.Experiment({"q": dict.fromkeys(relevant, 1)}, runs)


def test_list_worked_by_hand():
    """From x comes a, from y b; then b of x is there, and y gives c; then c of x is there."""
    assert list(interleave("abc", "bcd")) == [("a", True, 1), ("b", False, 1), ("c", False, 2), ("d", False, 3)]
    assert [item for item, *_ in interleave("abc", "bcd", is_first=False)] == ["b", "a", "c", "d"]


@given(RANKING, RANKING, st.booleans())
def test_every_item_enters_once_at_its_better_rank(x, y, is_first):
    items = list(interleave(x, y, is_first))
    assert sorted(item for item, *_ in items) == sorted({*x, *y})
    for item, is_x, position in items:
        ranks = [one.index(item) + 1 for one in (x, y) if item in one]
        assert position == min(ranks) and (x if is_x else y)[position - 1] == item
    assert [position for *_, position in items] == sorted(position for *_, position in items)


@given(
    RANKING.filter(bool), RANKING.filter(bool), st.sets(st.sampled_from("abcdef"), min_size=1), st.sampled_from("xy")
)
def test_signs_of_relevant_items_have_the_mean_of_offline_interleaving(x, y, relevant, first):
    exp = experiment(x, y, relevant)
    rows = exp.interleave("x", "y", "q", depth=12, first=first).rows()
    signs = [row.preferred for row in rows if row.preferred is not None]
    assert len(signs) == len(({*x} | {*y}) & relevant)
    mean = sum(signs) / len(signs) if signs else 0.0
    assert exp.compare("OI").values[0, 0] == pytest.approx(mean)


def test_rows_worked_by_hand():
    # k of b is 1: none of x's items up to 1 is relevant, one of y's is
    rows = experiment("ab", "bc", "b").interleave("x", "y", "q").rows()
    assert [tuple(row) for row in rows] == [
        (1, "a", "x", 1, None, None, None, None),
        (2, "b", "y", 1, 1.0, 0, 1, -1),
        (3, "c", "y", 2, None, None, None, None),
    ]


def test_request_without_a_relevant_item_has_a_list_and_no_preference():
    runs = {"x": {"q": {"a": 1.0}, "r": {"a": 1.0}}, "y": {"q": {"a": 1.0}, "r": {"b": 1.0}}}
    with pytest.warns(tb.errors.EmptyRequestsWarning):
        shown = tb.Experiment({"q": {"a": 1}, "r": {"a": 0}}, runs).interleave("x", "y", "r")
    assert [(row.item, row.grade, row.preferred) for row in shown.rows()] == [("a", 0.0, None), ("b", None, None)]
    assert shown.notes[2].startswith("No item is relevant")


def test_depth_cuts_the_list():
    assert len(experiment("abc", "def", "a").interleave("x", "y", "q", depth=2).rows()) == 2


def test_unknown_first_run_is_refused():
    with pytest.raises(tb.InputError, match="first"):
        experiment("ab", "bc", "b").interleave("x", "y", "q", first="z")
