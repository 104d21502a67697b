"""The package from outside: what it exports, how lightly it loads, how it chooses its engine."""

import json
import os
import subprocess
import sys
from importlib import import_module

import pytest

import tiebreak as tb
from tiebreak import _kernels
from tiebreak._kernels.interface import COUNTERS
from tiebreak.cli import COMMANDS
from tiebreak.errors import CoreMissingWarning, TiebreakError

PUBLIC = {
    "Comparison",
    "Experiment",
    "InputError",
    "Judgements",
    "Levels",
    "Ordering",
    "Positions",
    "Run",
    "Scores",
    "TiebreakError",
    *(
        "Bootstrap",
        "CollectionFindings",
        "ComparisonSummary",
        "Comparisons",
        "Contributions",
        "Disaggregation",
        "Explanation",
        "Findings",
        "LagCurve",
    ),
    *("Gate", "gate", "assert_not_worse"),
    *("MeasureList", "measures"),
    *("GroupResults", "GroupScoreTables", "ScoreGroups", "Segments"),
    *(
        "LawTable",
        "Letters",
        "PowerStudy",
        "MeanIntervals",
        "Means",
        "Overview",
        "PopulationOrdering",
        "PopulationScores",
        "ProviderExposure",
        "ProviderLeximin",
        "ProviderTotals",
        "RequestOrders",
        "ScoreTable",
    ),
    *("InterleavedList", "RankGains", "RankingPositions", "SortedUtilities", "RequestDifferences", "UtilityOverview"),
    *("Report", "Result", "Significance", "WorkPlan", "WorstCase"),
    *("PairShares", "TopHeaviness", "WinShares"),
    "UNRETRIEVED",
    "Utilities",
    "studies",
    "population",
    "__version__",
    "read_aspects",
    "read_groups",
    "read_providers",
    "read_weights",
    "compare",
    "disaggregate",
    "errors",
    "is_top_heavy",
    "metric",
    "positions",
    "preference",
    "project",
    "provider_exposure",
    "read_judgements",
    "recall_level",
    *("metric_lexirecall", "yager_weights", "lexiprecision_index", "lexirecall_index"),
    "sample_labels",
    "sample_requests",
    "simulate",
    "theory",
    "worst_case",
}
HEAVY = ("numpy", "scipy", "narwhals", "rich")


def test_public_names_are_pinned():
    assert set(tb.__all__) == PUBLIC == set(dir(tb))
    for name in PUBLIC:
        assert getattr(tb, name) is not None


def test_public_names_keep_their_meaning_after_every_module_is_imported():
    for module in ("projection", "projection.position_table", "simulation", "inputs", "results.overview", "cli.check"):
        import_module(f"tiebreak.{module}")
    assert callable(tb.positions) and callable(tb.project) and callable(tb.simulate)


def test_tab_completion_shows_what_is_for_users():
    exp = tb.Experiment({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}, "y": {"q": {"a": 1.0}}})
    methods = ["audit", "compare", "evaluate", "explain", "interleave", "order", "plan", "read", "report"]
    assert dir(exp) == sorted([*methods, "judgements", "positions", "runs", "utilities"])
    assert dir(exp.runs[0]) == ["name", "source"]
    assert dir(exp.compare().by_group({"q": "g"})) == ["order", "parts", "summary", "test", "whole"]
    assert {"order", "evaluate", "plot"} < {*dir(exp.utilities("AP"))}.difference(["table", "from_table"])
    for module in (tb.errors, tb.theory):
        assert sorted(module.__all__) == dir(module)
        assert all(callable(getattr(module, name)) for name in dir(module))


def test_public_names_are_documented():
    for name in PUBLIC - {"UNRETRIEVED", "__version__"}:
        assert getattr(tb, name).__doc__, name


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = tb.nothing


def in_new_process(code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_and_help_load_nothing_heavy():
    calls = [["--help"], *([command, "--help"] for command in COMMANDS)]
    code = f"""
import json, sys, tiebreak

def heavy():
    return sorted(set(sys.modules) & {set(HEAVY)!r})

loaded = {{"import tiebreak": heavy()}}
from tiebreak.cli import main
for words in {calls!r}:
    sys.argv[1:] = words
    try:
        main()
    except SystemExit as stop:
        assert stop.code == 0
        loaded[" ".join(words)] = heavy()
print()
print(json.dumps(loaded))
"""
    loaded = json.loads(in_new_process(code).splitlines()[-1])
    assert loaded == {name: [] for name in ("import tiebreak", *map(" ".join, calls))}


def processor_seconds(*arguments):
    """What a new Python process costs: time on the processor, which other processes do not lengthen much."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before = os.times()
    subprocess.run([sys.executable, *arguments], env=environment, check=True, capture_output=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


@pytest.mark.parametrize("arguments", [["-c", "import tiebreak"], ["-m", "tiebreak", "--help"]])
def test_import_and_help_take_less_than_a_fifth_of_a_second(arguments):
    assert any(processor_seconds(*arguments) < 0.2 for _ in range(7))


def test_engine_can_be_chosen(monkeypatch):
    monkeypatch.setenv("TIEBREAK_CORE", "python")
    assert _kernels.kernels().__name__ == "tiebreak._kernels.reference"
    monkeypatch.setenv("TIEBREAK_CORE", "fortran")
    with pytest.raises(TiebreakError, match="it can be auto, rust, python"):
        _kernels.kernels()


@pytest.fixture
def without_core(monkeypatch):
    monkeypatch.setattr(_kernels, "load_core", lambda: (None, "it was not built"))
    _kernels.select_kernels.cache_clear()
    yield
    _kernels.select_kernels.cache_clear()


@pytest.mark.usefixtures("without_core")
def test_missing_core_is_said_once_and_the_twin_does_the_work(monkeypatch):
    monkeypatch.setenv("TIEBREAK_CORE", "auto")
    with pytest.warns(CoreMissingWarning, match="results are the same, but slower") as caught:
        positions = [tb.project({"q": {"d": 1}}, {"q": {"d": 1.0}}) for _ in range(2)]
    assert len(caught) == 1
    assert [p.ranks.tolist() for p in positions] == [[[1]], [[1]]]


@pytest.mark.usefixtures("without_core")
def test_missing_core_is_an_error_where_it_is_demanded(monkeypatch):
    monkeypatch.setenv("TIEBREAK_CORE", "rust")
    with pytest.raises(TiebreakError, match="it was not built"):
        tb.project({"q": {"d": 1}}, {"q": {"d": 1.0}})


def test_core_of_another_interface_is_not_used(monkeypatch):
    class Other:
        INTERFACE = -1

    monkeypatch.setattr(_kernels, "import_module", lambda _: Other)
    core, why_not = _kernels.load_core()
    assert core is None and "built for interface -1" in why_not


@pytest.mark.skipif(os.environ.get("TIEBREAK_REQUIRE_CORE") != "1", reason="the core is optional here")
def test_core_is_there_where_it_is_required():
    core, why_not = _kernels.load_core()
    assert core is not None, why_not


def test_core_counts_what_the_interface_names():
    core, _ = _kernels.load_core()
    engine = core or import_module("tiebreak._kernels.reference")
    _, rows = engine.read_judgements(("bytes", b"q 0 d 1\n"), None)
    assert rows[-1][0].shape == (1, len(COUNTERS))
