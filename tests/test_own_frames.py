"""`to_frame` of every result gives the caller's own data frame library."""

import pytest

import tiebreak as tb

QRELS = {"qid": ["q1", "q1", "q2"], "docno": ["a", "b", "c"], "label": [1, 2, 1]}
RUN = {"qid": ["q1", "q1", "q2"], "docno": ["b", "x", "c"], "score": [3.0, 2.0, 1.0], "run": ["one", "one", "one"]}
OTHER = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"z": 1.0}}
ASPECTS = {"a": ["x"], "b": ["y"], "c": ["x", "y"]}
QUICK = {
    "ideal": {"aspects": ASPECTS, "steps": 1, "systems": 2, "removals": 1},
    "missing": {"samples": 1, "fractions": [0.5]},
    "ties": {"samples": 1, "fractions": [0.5]},
}
MAKERS = {"polars": "DataFrame", "pandas": "DataFrame", "pyarrow": "table"}
OTHERS = ("pandas", "pyarrow")


def results(exp):
    scores, comparison = exp.evaluate(["AP", "RR"]), exp.compare("RPP")
    yield from (scores, scores.summary(), comparison, comparison.summary(), comparison.order(), comparison.bootstrap())
    yield comparison.order(request="q1")
    yield from (exp.explain("one", "run2"), exp.explain("one", "run2", request="q1"))
    yield from (scores.intervals(), comparison.test("sign"), comparison.order_requests(), exp.audit())
    yield from (exp.utilities("AP").evaluate(["mean"]), exp.utilities("AP").by_lag("one", "run2", resamples=2))
    yield tb.disaggregate(exp.positions, "AP", "one", "run2")
    yield tb.worst_case(exp.positions)
    yield tb.provider_exposure(exp.positions, {"a": "A", "b": "B", "c": "C"})


def studies(exp):
    """Every view of every study of data."""
    for name, study in tb.studies.CATALOGUE.items():
        function, data, more = getattr(tb.studies, name), exp, QUICK.get(name, {})
        if study.reads == "runs or table":
            data = exp.utilities("AP")
        if study.reads == "ratings":
            data = exp.judgements
        if study.reads:
            yield from (function(data, **more, **view) for view in [{"view": view} for view in study.views] or [{}])


@pytest.mark.parametrize("library", MAKERS)
def test_result_is_a_frame_of_the_library_that_was_given(library):
    make = getattr(pytest.importorskip(library), MAKERS[library])
    for run in (make(RUN), tb.Run(RUN_DICT, "one")):
        check_frames(results(experiment(make, run)), library)


@pytest.mark.parametrize("library", ["polars", *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)])
def test_study_is_a_frame_of_the_library_that_was_given(library):
    make = getattr(pytest.importorskip(library), MAKERS[library])
    check_frames(studies(experiment(make, make(RUN))), library)


def experiment(make, run):
    return tb.Experiment(make(QRELS), [run, OTHER], aspects={"a": ["s"], "b": ["t"], "c": ["s"]})


def check_frames(results, library):
    for result in results:
        frame = result.to_frame()
        assert type(frame).__module__.partition(".")[0] == library, type(result)
        assert len(frame) > 0


RUN_DICT = {"q1": {"b": 3.0, "x": 2.0}, "q2": {"c": 1.0}}


def test_result_of_files_is_a_frame_of_the_first_library_installed(tmp_path, monkeypatch):
    polars = pytest.importorskip("polars")
    polars.DataFrame(RUN).write_parquet(tmp_path / "one.parquet")
    exp = tb.Experiment({"q1": {"a": 1}, "q2": {"c": 1}}, [tmp_path / "one.parquet", OTHER])
    assert exp.positions.library is None
    assert type(exp.evaluate("AP").to_frame()).__module__.startswith("polars")


def test_library_that_is_gone_is_named(monkeypatch):
    from tiebreak.results import formats

    def nothing(name):
        raise ImportError(name)

    monkeypatch.setattr(formats, "import_module", nothing)
    with pytest.raises(tb.TiebreakError, match="frames"):
        formats.to_frame(["a"], [(1,)], "polars")
