"""Worked examples from outside; see `worked_examples`."""

from fractions import Fraction

import pytest

import tiebreak as tb
from preferences import slow
from tiebreak.errors import InputError
from worked_examples import examples_of


def number(expected):
    return float(Fraction(expected)) if isinstance(expected, str) else expected


def between(spec, p, p2):
    return tb.compare(tb.positions([p, p2]), spec).values[0, 0]


def weighted(name, weighting):
    return f"{name}(weights='{weighting}')"


def scored(ranking):
    return {item: float(-k) for k, item in enumerate(ranking)}


def rpp(p, p2, weighting="uniform"):
    return between(weighted("RPP", weighting), p, p2)


def rpp_graded(r1, r2, qrels, weighting):
    # One more request keeps a run that lists nothing from being refused.
    runs = [{"q": scored(r), "other": {"z": 1.0}} for r in (r1, r2)]
    comparison = tb.compare(tb.project({"q": qrels, "other": {"z": 1}}, runs), weighted("RPP", weighting))
    return comparison.values[0, 0]


def st_rpp(r1, r2, qrels, subtopics, weighting, folder):
    lines = [f"q {t} {item} {grade}" for item, grade in qrels.items() for t in subtopics[item] or ["none"]]
    # Items of no subtopic belong to the background alone: they are given one that no ranking can tell apart from it.
    (folder / "qrels").write_text("\n".join([*lines, "other x z 1", "other y z 1"]))
    runs = [{"q": scored(r), "other": {"z": 1.0}} for r in (r1, r2)]
    positions = tb.project(folder / "qrels", runs)
    rows = positions.subtopics
    kept = [rows.labels[int(label)] != "none" for label in rows.label]
    bare = rows.__class__(rows.labels, rows.label[kept], rows.entry[kept], rows.grade[kept])
    object.__setattr__(positions, "subtopics", bare)
    return tb.compare(positions, weighted("ST-RPP", weighting)).values[0, 0]


FUNCTIONS = {
    "rpp": rpp,
    "rpp_graded": rpp_graded,
    "lexirecall": lambda p, p2: between("LexiRecall", p, p2),
    "sgnlp": lambda p, p2: between("LexiPrecision", p, p2),
    "rrlp": lambda p, p2: between("rrLP", p, p2),
    "offline_interleaving": lambda r1, r2, relevant, user: offline_interleaving(r1, r2, relevant, user),
}


def offline_interleaving(r1, r2, relevant, user):
    runs = [{"q": scored(r), "other": {"z": 1.0}} for r in (r1, r2)]
    qrels = {"q": dict.fromkeys(relevant, 1), "other": {"z": 1}}
    return tb.compare(tb.project(qrels, runs), f"OI(user='{user}')").values[0, 0]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_worked_examples_hold(name):
    for arguments, expected in examples_of(name):
        if isinstance(expected, dict):
            with pytest.raises(InputError):
                FUNCTIONS[name](**arguments)
        else:
            assert FUNCTIONS[name](**arguments) == pytest.approx(number(expected), rel=0, abs=1e-12), arguments


def test_worked_examples_of_subtopics_hold(tmp_path):
    for arguments, expected in examples_of("st_rpp"):
        actual = st_rpp(**arguments, folder=tmp_path)
        assert actual == pytest.approx(number(expected), rel=0, abs=1e-12), arguments


def test_the_slow_interleaving_holds_the_worked_examples():
    for arguments, expected in examples_of("balanced_interleave"):
        assert slow.balanced_interleave(**arguments) == expected
