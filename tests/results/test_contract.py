"""Every result has one form, found by its class: one that is added without an example here fails."""

import json
import math
import pickle
import pkgutil
import re
import sys
from contextlib import suppress
from functools import cache
from importlib import import_module
from tempfile import TemporaryDirectory

import numpy as np
import pytest

import tiebreak as tb
from tiebreak.errors import MissingExtraError
from tiebreak.results.formats import finite
from tiebreak.results.record import Result, Rows

HOSTILE = '<script>x</script>|&_%$#{}~^\\*\x1b[2J"'
"""A name that HTML, Markdown, LaTeX and terminals could each stumble over."""
QRELS = {f"q{k}{HOSTILE}": {f"a{HOSTILE}": 1, "b": 2} for k in range(3)}
RUNS = {
    f"one{HOSTILE}": {q: {f"a{HOSTILE}": 3.0, "x": 2.0, "b": 1.0} for q in QRELS},
    "two": {q: {"x": 3.0, "b": 2.0, f"a{HOSTILE}": 1.0} for q in QRELS},
}
ONE, TWO = RUNS
VALUES = {run: {q: (k + 1) / (k + len(run)) for k, q in enumerate(QRELS)} for run in RUNS}
PROVIDERS = {f"a{HOSTILE}": f"A{HOSTILE}", "b": "B"}


@cache
def experiment():
    return tb.Experiment(QRELS, [tb.Run(rankings, name=name) for name, rankings in RUNS.items()])


def with_aspects():
    runs = [tb.Run(rankings, name=name) for name, rankings in RUNS.items()]
    return tb.Experiment(QRELS, runs, aspects={f"a{HOSTILE}": [f"war{HOSTILE}"], "b": ["love"]})


def grouped():
    return tb.Utilities(VALUES, groups=dict.fromkeys(QRELS, f"group{HOSTILE}"))


def collection_ties():
    with TemporaryDirectory() as folder:
        tb.simulate(4, systems=["deep", "weak"], depth=20, items=50, relevant=4).write(folder)
        return tb.studies.over_collections("ties", {f"one{HOSTILE}": folder, "two": folder}, measures="RR")


EXAMPLES = {
    "Scores": lambda: experiment().evaluate(["AP", "RR"]),
    "Means": lambda: experiment().evaluate(["AP", "RR"]).summary(),
    "MeanIntervals": lambda: experiment().evaluate("AP").intervals(),
    "ScoreTable": lambda: experiment().evaluate(["AP", "RR"]).against(TWO),
    "GroupScoreTables": lambda: (
        experiment().evaluate("AP RR").by_group(dict.fromkeys(QRELS, f"group{HOSTILE}")).against(TWO)
    ),
    "Comparison": lambda: experiment().compare("RPP"),
    "Comparisons": lambda: experiment().compare(["RPP", "AP"]),
    "ComparisonSummary": lambda: experiment().compare("RPP").summary(),
    "Gate": lambda: tb.gate(experiment(), ["RPP", "min(AP)"], groups=dict.fromkeys(QRELS, f"g{HOSTILE}")),
    "MeasureList": lambda: tb.measures(),
    "WorkPlan": lambda: experiment().plan(),
    "GroupResults": lambda: experiment().compare("RPP").by_group(dict.fromkeys(QRELS, f"group{HOSTILE}")).summary(),
    "Ordering": lambda: experiment().order("RPP"),
    "PopulationOrdering": lambda: experiment().order("leximin(AP)"),
    "RequestOrders": lambda: experiment().compare("RPP").order_requests(),
    "Bootstrap": lambda: experiment().compare("RPP").bootstrap(resamples=9),
    "Significance": lambda: experiment().compare("RPP").test("sign"),
    "Letters": lambda: experiment().compare("RPP").test("sign").letter_table(),
    "Explanation": lambda: experiment().explain(ONE, TWO, next(iter(QRELS))),
    "Contributions": lambda: experiment().explain(ONE, TWO),
    "InterleavedList": lambda: experiment().interleave(ONE, TWO, next(iter(QRELS))),
    "RankingPositions": lambda: experiment().explain(ONE, request=next(iter(QRELS))),
    "RankGains": lambda: with_aspects().explain(ONE, request=next(iter(QRELS)), measure="alpha_beta_nDCG@2"),
    "SortedUtilities": lambda: experiment().explain(ONE, TWO, measure="leximin(AP)"),
    "RequestDifferences": lambda: grouped().explain(ONE, TWO),
    "Overview": lambda: experiment().audit(),
    "UtilityOverview": lambda: tb.Utilities.audit(VALUES),
    "Disaggregation": lambda: tb.disaggregate(experiment().positions, "AP", ONE, TWO),
    "WorstCase": lambda: tb.worst_case(experiment().positions, "AP"),
    "ProviderExposure": lambda: tb.provider_exposure(experiment().positions, PROVIDERS),
    "ProviderTotals": lambda: tb.provider_exposure(experiment().positions, PROVIDERS).total(),
    "PopulationScores": lambda: grouped().evaluate(["mean", "min"]),
    "LagCurve": lambda: tb.Utilities(VALUES).by_lag(ONE, TWO, resamples=9),
    "Findings": lambda: tb.studies.ties(experiment(), ["AP"]),
    "CollectionFindings": collection_ties,
    "PowerStudy": lambda: tb.studies.power(experiment(), ["AP"]),
    "LawTable": lambda: tb.studies.properties("median", pairs=2),
}
PLAIN = (str, int, float, bool, type(None))


def subclasses(cls):
    """Every result that users receive; those between are none themselves."""
    for below in cls.__subclasses__():
        yield from subclasses(below)
        if below is not Rows and below.__module__.startswith("tiebreak."):
            yield below


def all_results():
    for module in pkgutil.walk_packages(tb.__path__, "tiebreak."):
        if not module.name.endswith(("._core", ".__main__")):
            with suppress(MissingExtraError):
                import_module(module.name)
    return sorted(set(subclasses(Result)), key=lambda cls: cls.__name__)


@pytest.fixture(params=[pytest.param(cls, id=cls.__name__) for cls in all_results()])
def result(request):
    actual = example(request.param.__name__)
    assert type(actual) is request.param
    return actual


@cache
def example(name):
    assert name in EXAMPLES, f"give tests/results/test_contract.py an example of {name}"
    return EXAMPLES[name]()


def same(x, y):
    """Equal, and NaN where the other is NaN or, in a frame, nothing."""
    if isinstance(x, float) and not math.isfinite(x):
        return y is None or y == x or y != y
    if isinstance(x, tuple):
        return list(x) == list(y)
    return y is None or y != y if x is None else x == y


@pytest.mark.one_in(4)
@pytest.mark.parametrize("digits", [-1, 18, 2.5])
def test_digits_of_tables_are_checked(result, digits):
    with pytest.raises(tb.InputError, match=f"digits={digits}. Give a whole number from 0 to 17"):
        result.table(digits)


def test_no_column_is_empty(result):
    """A frame would have no type for it."""
    for name, cells in zip(result.columns, zip(*result.rows(), strict=True), strict=True):
        assert any(cell is not None for cell in cells), name


def test_class_is_exported_and_documented(result):
    name = type(result).__name__
    assert getattr(tb, name) is type(result)
    assert type(result).__doc__ and not type(result).__doc__.startswith(f"{name}(")


def test_every_row_has_a_plain_value_for_every_column(result):
    assert isinstance(result.columns, tuple) and len({*result.columns}) == len(result.columns)
    rows = list(result.rows())
    assert len(rows) == len(result.rows()) > 0
    assert (result.rows()[0], result.rows()[-1]) == (rows[0], rows[-1])
    assert list(result.rows()[1:]) == rows[1:]
    with pytest.raises(IndexError):
        result.rows()[len(rows)]
    for row in rows:
        assert len(row) == len(result.columns)
        assert all(type(part) in PLAIN for cell in row for part in (cell if type(cell) is tuple else [cell])), row


def test_notes_are_sentences_and_settings_plain_data(result):
    assert isinstance(result.notes, tuple) and all(isinstance(note, str) and note for note in result.notes)
    assert isinstance(result.settings, dict) and result.settings
    assert json.loads(json.dumps(finite(result.settings))) == finite(result.settings)


def test_dictionary_holds_the_rows(result):
    held = result.to_dict()
    assert list(held) == ["settings", "notes", "rows"]
    assert (held["settings"], held["notes"]) == (finite(result.settings), list(result.notes))
    for record, row in zip(held["rows"], result.rows(), strict=True):
        assert list(record) == list(result.columns)
        assert all(map(same, row, record.values()))
    json.dumps(held, allow_nan=False)


def test_result_survives_a_pickle(result):
    copy = pickle.loads(pickle.dumps(result))
    assert type(copy) is type(result) and (copy.columns, copy.notes) == (result.columns, result.notes)
    for read, row in zip(copy.rows(), result.rows(), strict=True):
        assert all(map(same, row, read))


def test_used_experiment_and_views_survive_a_pickle():
    used = experiment()
    used.evaluate("AP")
    copy = pickle.loads(pickle.dumps(used))
    assert copy.evaluate("AP").to_dict() == used.evaluate("AP").to_dict()
    laws = tb.studies.orientation("AP", view="properties")
    assert pickle.loads(pickle.dumps(laws)).to_dict() == laws.to_dict()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_frame_holds_the_rows(result, library):
    pytest.importorskip(library)
    import narwhals as nw

    from tiebreak.results.formats import to_frame

    frame = nw.from_native(to_frame(result.columns, result.rows(), library))
    assert frame.columns == list(result.columns)
    for read, row in zip(frame.rows(), result.rows(), strict=True):
        assert all(map(same, row, read)), (read, row)


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_the_library_of_a_frame_can_be_chosen(library):
    pytest.importorskip(library)
    frame = example("Means").to_frame(library)
    assert type(frame).__module__.partition(".")[0] == library
    with pytest.raises(tb.InputError, match='unknown value for library "panda"\\. Did you mean "pandas"'):
        example("Means").to_frame("panda")


def test_a_library_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(tb.InputError, match="a frame of pandas needs it installed: pip install pandas"):
        example("Means").to_frame("pandas")


def test_tab_completion_shows_what_is_for_users(result):
    names = dir(result)
    assert {"columns", "rows", "notes", "settings", "to_frame", "to_latex"} <= {*names}
    assert not [name for name in names if name.startswith("_")] and not {*Result._internals} & {*names}
    for name in names:
        getattr(result, name)


def test_hostile_names_do_no_harm_in_latex(result):
    body = re.sub(r"\\\\\n", "\n", result.to_latex().split("\\midrule\n")[1].split("\\bottomrule")[0])
    cells = {len(re.findall(r"(?<!\\)&", line)) for line in body.splitlines()}
    assert len(cells) == 1
    names = re.sub(r"(?<!\\)\$(?:[-+<]|\\pm)(?:[\d.]|\{,\}|\\infty)+\$", "", body)  # without numbers
    assert "\x1b" not in body and not re.search(r"(?<!\\)[%$#_]", names)


def test_hostile_names_do_no_harm_in_markdown(result):
    rows = [line for line in result.to_markdown().splitlines() if line.startswith("| ")]
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in rows}) == 1
    assert "\x1b" not in result.to_markdown() and not re.search(r"(?<!\\)<", result.to_markdown())


def test_hostile_names_do_no_harm_in_notebooks_and_terminals(result):
    assert "<script" not in result._repr_html_() and "\x1b" not in result._repr_html_()
    assert "\x1b" not in repr(result) and repr(result) == repr(result).strip("\n")


def test_nan_is_a_dash_in_tables_and_none_in_dictionaries():
    unknown = tb.Means((tb.scores.Mean("one", "AP", math.nan, 0), tb.scores.Mean("two", "AP", 0.5, 1)))
    assert unknown.table().rows == (("one", "-"), ("two", "0.5000"))
    assert [row["value"] for row in unknown.to_dict()["rows"]] == [None, 0.5]


def test_column_of_groups_is_left_out_where_there_are_none():
    assert tb.Utilities(VALUES).evaluate("mean").columns == ("run", "measure", "value")
    assert grouped().evaluate("mean").columns == ("run", "group", "measure", "value", "gap")


FROM_EXPERIMENT = {
    "Scores",
    "Means",
    "MeanIntervals",
    "Comparison",
    "ComparisonSummary",
    "Ordering",
    "PopulationOrdering",
    "RequestOrders",
    "Bootstrap",
    "Significance",
    "Letters",
    "Explanation",
    "Contributions",
    "Findings",
    "PowerStudy",
}


@pytest.mark.parametrize("name", sorted(FROM_EXPERIMENT))
def test_settings_of_what_an_experiment_returns_tell_how_files_were_read(name):
    assert example(name).settings["reading"] == {
        "min_grade": None,
        "binary": False,
        "depth": None,
        "judged_only": False,
        "requests": "judged",
        "ties": "item",
        "duplicates": "error",
        "on_bad_score": "error",
        "exclude": False,
        "candidates": False,
        "imputation": "pessimistic",
    }


def test_options_of_reading_are_those_that_were_given():
    runs = [tb.Run(rankings, name=name) for name, rankings in RUNS.items()]
    exp = tb.Experiment(QRELS, runs, min_grade=np.float64(1), depth=np.int64(2), exclude={next(iter(QRELS)): {"x": 1}})
    utilities = exp.utilities("AP", groups=dict.fromkeys(QRELS, "g"))
    for result in (exp.evaluate("AP").summary(), exp.order("mean(AP)"), utilities.evaluate("min"), utilities.order()):
        reading = json.loads(json.dumps(result.to_dict()))["settings"]["reading"]
        assert (reading["min_grade"], reading["depth"], reading["exclude"]) == (1, 2, True)


@pytest.mark.slow
def test_studies_tell_what_they_were_asked_for():
    ties = tb.studies.ties(experiment(), iter(["AP", "RR"]), view="labels", samples=2, seed=7).settings
    assert (ties["study"], ties["view"], ties["measures"], ties["samples"], ties["seed"]) == (
        "ties",
        "labels",
        ["AP", "RR"],
        2,
        7,
    )
    assert "seed" not in tb.studies.ties(experiment(), "AP").settings
    power = tb.studies.power(experiment(), ["AP"], "permutation", permutations=9, alpha=0.1).settings
    assert [power[name] for name in ("test", "permutations", "seed", "alpha")] == ["permutation", 9, 0, 0.1]
    assert tb.studies.axioms(lists=0).settings["metric"][-1] == "alpha_beta_nDCG"
    assert tb.studies.validity(tb.Utilities(VALUES), "movement").settings["measures"] == ["utility"]
