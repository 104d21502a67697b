"""Catalogues: what other packages add, and how specs are made into entries."""

import sys
from importlib.metadata import entry_points

import pytest

import tiebreak as tb
from tiebreak.cli.catalogue_help import docstrings
from tiebreak.errors import InputError
from tiebreak.metrics import CATALOGUE as METRICS
from tiebreak.preferences import CATALOGUE as PREFERENCES

PLUGIN = '''
from dataclasses import dataclass
from typing import ClassVar
from tiebreak.metrics import LevelMetric
from tiebreak.preferences import Preference

@dataclass(frozen=True)
class Half(LevelMetric):
    """Half of everything."""
    by: float = 2.0
    name: ClassVar[str] = "Half"
    def score(self, p):
        return (p[..., 0] * 0 + 1) / self.by

class Wrong(Half):
    name: ClassVar[str] = "Right"

class Indifferent(Preference):
    """Everybody is content."""
    name: ClassVar[str] = "Indifferent"
    def compare(self, positions, pairs, evaluate):
        return PREFERENCES
'''


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """A package that adds two metrics and a preference, installed for this test."""
    (tmp_path / "half_plugin.py").write_text(PLUGIN)
    info = tmp_path / "half-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: half\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[tiebreak.metrics]\nHalf = half_plugin:Half\nWrong = half_plugin:Wrong\nAP = half_plugin:Half\n"
        "[tiebreak.preferences]\nIndifferent = half_plugin:Indifferent\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    for catalogue in (METRICS, PREFERENCES):
        monkeypatch.setitem(catalogue.__dict__, "_from_outside", None)
        del catalogue.__dict__["_from_outside"]
    assert entry_points(group="tiebreak.metrics")
    yield
    sys.modules.pop("half_plugin", None)


def test_other_packages_add_metrics_and_preferences(plugin):
    result = tb.metric("Half(by=4)")
    assert str(result) == "Half(by=4)"
    assert result.evaluate(tb.positions([[1], [3]])).tolist() == [[0.25], [0.25]]
    assert "Half" in METRICS and "Half" in list(METRICS)
    assert str(tb.preference("Indifferent")) == "Indifferent"
    assert tb.compare(tb.positions([[1], [3]]), "Half").values.tolist() == [[0.0]]


def test_help_lists_what_other_packages_add(plugin):
    text = dict(docstrings("preferences"))
    assert text["Indifferent"] == "Everybody is content." and "RPP" in text


def test_other_packages_cannot_take_a_name_that_is_there(plugin):
    assert type(tb.metric("AP")).__module__ == "tiebreak.metrics.rank_based"
    assert list(METRICS).count("AP") == 1


def test_an_entry_that_has_another_name_is_refused(plugin):
    with pytest.raises(InputError, match="offered as the metric 'Wrong', but has another name"):
        tb.metric("Wrong")


def test_bare_words_are_text_where_text_is_wanted():
    assert tb.preference("RPP(weights=dcg)") == tb.preference("RPP(weights='dcg')")
    assert tb.metric("nDCG(gain=exp)") == tb.metric("nDCG(gain='exp')")


def test_aliases_hold_inside_parentheses():
    assert str(tb.preference("diff(ap)")) == "diff(AP)"
    assert str(tb.preference("sign(ndcg_cut_10)")) == "sign(nDCG@10)"
    assert str(tb.metric("TSE(ndcg)")) == "TSE(nDCG)"


@pytest.mark.parametrize("spec", ["diff(RPP)", "sign(LexiRecall)", "diff(rpp)"])
def test_a_preference_of_a_preference_is_refused(spec):
    with pytest.raises(InputError, match="is a preference itself"):
        tb.preference(spec)


@pytest.mark.parametrize("spec", ["diff", "sign"])
def test_a_difference_of_nothing_is_refused(spec):
    with pytest.raises(InputError, match=f"{spec} needs a metric"):
        tb.preference(spec)
