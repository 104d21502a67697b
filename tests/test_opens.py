"""Files are opened once, whatever is asked of them together."""

import pytest

import tiebreak as tb

QRELS = "q1 0 a 2\nq1 0 b 1\nq1 0 c 0\nq2 0 a 1\n"
RUN = "q1 Q0 b 1 3\nq1 Q0 x 2 2\nq1 Q0 a 3 1\nq2 Q0 a 1 1\n"
MEASURES = ["AP", "nDCG@10", "bpref", "ASL(n='union')", "EU@10", "EU@20", "S-Recall@5"]
ASPECTS = {"a": ["x"], "b": ["y"], "c": ["x", "y"]}


@pytest.fixture(params=["python", "rust"])
def opened(request, tmp_path, monkeypatch):
    """How often each file was opened since; of the core by the calls that read files."""
    if request.param == "rust":
        request.getfixturevalue("core")
    monkeypatch.setenv("TIEBREAK_CORE", request.param)
    (tmp_path / "qrels").write_text(QRELS)
    for name in ("x", "y"):
        (tmp_path / name).write_text(RUN)
    monkeypatch.chdir(tmp_path)
    calls = []
    kernels = tb._kernels.kernels()

    class Counting:
        __name__ = kernels.__name__

        def __getattr__(self, name):
            return getattr(kernels, name)

        def read_judgements(self, source, *more):
            calls.append(source[1])
            return kernels.read_judgements(source, *more)

        def project(self, sources, *more):
            calls.extend(source[1] for source in sources)
            return kernels.project(sources, *more)

    monkeypatch.setattr(tb._kernels, "kernels", Counting)
    return calls


def test_measures_that_need_different_things_read_files_once(opened):
    exp = tb.Experiment("qrels", ["x", "y"], aspects=ASPECTS)
    exp.evaluate(MEASURES)
    assert sorted(opened) == ["qrels", "x", "y"]
    for measure in MEASURES:
        exp.evaluate(measure)
        exp.compare(measure)
    exp.order("leximin(EU@10)")
    exp.explain("x", "y", measure="diff(EU@20)")
    assert sorted(opened) == ["qrels", "x", "y"]
