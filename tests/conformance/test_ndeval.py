"""The same numbers as ndeval, as pyndeval packages it, on simulated subtopics."""

import pytest

import tiebreak as tb
from conformance.test_other_tools import untied
from nested import nested

pyndeval = pytest.importorskip("pyndeval")


@pytest.mark.parametrize(("seed", "alpha", "beta"), [(0, 0.5, 0.5), (1, 0.25, 0.8), (2, 1.0, 0.3)])
def test_every_measure_of_ndeval_on_simulated_subtopics(seed, alpha, beta):
    result = tb.simulate(15, seed=seed, aspects=5)
    grades = {
        q: {item: dict.fromkeys(named, result.judgements[q][item]) for item, named in of.items()}
        for q, of in result.aspects.items()
    }
    # What shows no subtopic is judged not relevant to one, and subtopics of every request count from 1.
    rows = [(q, t, item, g) for q, of in grades.items() for item, named in of.items() for t, g in named.items()]
    theirs = pyndeval.RelevanceEvaluator(rows, alpha=alpha, beta=beta)
    for run in map(untied, result.runs.values()):
        expected = theirs.evaluate([(q, item, score) for q, scores in run.items() for item, score in scores.items()])
        measures = list(next(iter(expected.values())))
        ours = {name: with_parameters(name, alpha, beta) for name in measures}
        actual = nested(tb.Experiment(grades, run).evaluate(list(ours.values())), "request", "measure")
        assert len(measures) == 21 and len(expected) == 15
        for q, values in expected.items():
            assert {name: actual[q][spec] for name, spec in ours.items()} == pytest.approx(values, rel=0, abs=1e-9)


def with_parameters(name, alpha, beta):
    """A measure of ndeval with its parameters spelt out."""
    bare, _, cutoff = name.partition("@")
    at = f"@{cutoff}" if cutoff else ""
    if bare in ("NRBP", "nNRBP"):
        return f"{bare}(alpha={alpha}, beta={beta})"
    if bare in ("MAP-IA", "P-IA", "strec"):
        return name
    return f"{bare.replace('-', '_')}(alpha={alpha}){at}"


def test_pyndeval_does_not_divide_by_the_number_of_subtopics_at_the_first_position():
    # The first item shows two of three subtopics: 2/3; the ideal item, on which nERR-IA is based, shows two as well.
    rows, names = [("q", "1", "a", 1), ("q", "2", "a", 1), ("q", "3", "b", 1)], ("ERR-IA", "alpha-DCG", "nERR-IA")
    theirs = pyndeval.RelevanceEvaluator(rows, [f"{name}@{k}" for name in names for k in (1, 2)])
    values = theirs.evaluate([("q", "a", 2.0), ("q", "b", 1.0)])["q"]
    grades = {"q": {"a": {"1": 1, "2": 1}, "b": {"3": 1}}}
    ours = nested(tb.Experiment(grades, {"q": ["a", "b"]}).evaluate(list(values)), "request", "measure")["q"]
    assert (values["ERR-IA@1"], values["alpha-DCG@1"]) == (2, 2)
    assert (ours["ERR-IA@1"], ours["alpha-DCG@1"]) == (2 / 3, 2 / 3)
    same = [name for name in values if name not in ("ERR-IA@1", "alpha-DCG@1")]
    assert {name: ours[name] for name in same} == pytest.approx({name: values[name] for name in same}, rel=0, abs=1e-9)
