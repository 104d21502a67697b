"""Preferences on TREC DL 2019: those of an independent implementation, and what the papers print."""

import gzip
import json

import numpy as np
import pytest

import tiebreak
from tiebreak.projection import pair_signs

SETTINGS = {"graded": {}, "binary2": {"binary": True, "min_grade": 2}}
PREFERENCES = ("rpp", "invrpp", "dcgrpp", "lexirecall", "lexiprecision", "rrlexiprecision")


@pytest.fixture(scope="module")
def read(data):
    """The positions of all 37 runs in a setting."""
    folder = data / "dl19-passage"
    runs = sorted((folder / "runs").glob("*.run.gz"))
    assert len(runs) == 37
    return {
        setting: tiebreak.project(folder / "qrels.txt", runs, **options)
        for setting, options in {**SETTINGS, "from 1": {"min_grade": 1}}.items()
    }


@pytest.fixture(scope="module")
def published(data):
    with gzip.open(data / "dl19-passage" / "mean-preferences.json.gz", "rt") as file:
        return json.load(file)


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("name", PREFERENCES)
def test_mean_preferences_of_all_pairs_equal_those_of_another_implementation(read, published, setting, name):
    comparison = tiebreak.compare(read[setting], name)
    expected = {tuple(key.split("\t")): value for key, value in published[setting][name].items()}
    assert len(expected) == 666
    matrix = comparison.matrix()
    for (first, second), value in expected.items():
        # Six digits were kept.
        assert matrix[comparison.runs.index(first), comparison.runs.index(second)] == pytest.approx(
            value, rel=0, abs=1e-6
        )


@pytest.mark.parametrize(("name", "percent"), [("LexiPrecision", 2.63), ("rrLP", 2.63), ("RR", 56.89)])
def test_share_of_ties_is_the_one_printed(read, name, percent):
    """Table 2 of the lexiprecision paper."""
    assert round(100 * tiebreak.compare(read["binary2"], name).share_tied, 2) == percent


def test_masked_suffix_predicts_the_first_level_as_often_as_printed(read):
    """Table 1 of the lexiprecision paper: where the first levels differ, the later ones predict them.

    A tied prediction counts as disagreement, and so does a request with one relevant item.
    """
    differing = agreeing_lexiprecision = agreeing_second = 0
    x, y = np.triu_indices(37, 1)
    for bucket in read["from 1"].levels().buckets():
        first = pair_signs(bucket.p[x, :, 0], bucket.p[y, :, 0])
        differing += int((first != 0).sum())
        if bucket.m > 1:
            levels = pair_signs(bucket.p[x, :, 1:], bucket.p[y, :, 1:])
            deciding = (levels != 0).argmax(axis=-1)[..., None]
            decided = np.take_along_axis(levels, deciding, axis=-1)[..., 0]
            agreeing_lexiprecision += int(((decided == first) & (first != 0)).sum())
            agreeing_second += int(((levels[..., 0] == first) & (first != 0)).sum())
    assert round(100 * agreeing_lexiprecision / differing, 2) == 90.45
    assert round(100 * agreeing_second / differing, 2) == 88.87
