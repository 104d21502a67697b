"""An experiment on which engines are compared, and all that is looked at of a result."""

import random
import warnings

import numpy as np

import tiebreak as tb
from metrics.test_contracts import EVERY as METRICS
from preferences.test_contracts import EVERY as PREFERENCES

FIGURES = [name for name in METRICS if name.startswith(("Coverage", "ExposureGini"))]
BY_REQUEST = [name for name in METRICS if name not in FIGURES]
PAIRWISE = [*PREFERENCES, "RPP(weights='dcg')", "RPP(grades='1:1,2:3')", "diff(nDCG@3)", "sign(nDCG)", "diff(AP,rel=2)"]
ITEMS = [f"d{k}" for k in range(10)] + ["é", "日本 d", "d1\u00a0"]


def make_input(seed=3, requests=17):
    """Judgements with subtopics and three runs.

    Scores tie, rankings are missing, some requests have no judgement and others no relevant item, three of those in a
    row; the first requests have one grade only.
    """
    rng = random.Random(seed)
    grades = [[1], [1], [0, 1], *[[0, 1, 2, 3]] * 20]
    empty = (5, 6, 7, 11)
    judged = {
        f"q{k}é": {
            item: dict.fromkeys(
                rng.sample("stu", rng.randint(1, 2)), -1 if k in empty else rng.choice(grades[min(k, 22)])
            )
            for item in rng.sample(ITEMS, rng.randint(3, 7))
        }
        for k in range(requests)
    }
    runs = {
        name: {
            request: {item: float(rng.randint(1, 5)) for item in rng.sample(ITEMS, rng.randint(1, 9))}
            for request in [*judged, "not judged", "neither"]
            if rng.random() < share
        }
        for name, share in {"new": 0.9, "old": 0.8, "ünï": 1.0}.items()
    }
    runs["old"] |= {request: ranking for k, (request, ranking) in enumerate(runs["new"].items()) if k % 4 == 0}
    return judged, runs


def aspects():
    return {item: ["x", "y"][k % 2 :] for k, item in enumerate(ITEMS[:8])}


def experiment(block_requests=None, **options):
    judged, runs = make_input()
    return tb.Experiment(judged, runs, block_requests=block_requests, aspects=aspects(), **options)


def outcome(function, *args):
    """What a function returns, and what it warns of; or its error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(*args)
        except tb.TiebreakError as error:
            where = {name: getattr(error, name, None) for name in ("kind", "file", "line", "request", "item")}
            result = type(error), str(error), where
    return result, [(warning.category, str(warning.message)) for warning in caught]


def exact_cells(values):
    """Every float, every exact value, and how all of them compare."""
    known = [np.flatnonzero(~np.isnan(row)) for row in values.nearest]
    exact = [values.exactly(row, places) for row, places in enumerate(known)]
    floats = np.where(np.isnan(values.nearest), np.nan, values.nearest)  # there are several NaNs
    return floats.tobytes(), exact, values.is_rational, values.codes().tolist()


def scores(exp, measure):
    result = exp.evaluate(measure)
    means = [[None if isinstance(mean, float) else mean.exact for mean in row] for row in result.exact_means]
    rows = repr(result.summary().values), repr(result.intervals().values)
    return [*map(exact_cells, result.exact)], means, rows, list(result.requests), result.notes, repr(result.settings)


def comparison(exp, measure, baseline=None):
    result = exp.compare(measure, baseline)
    exact = None if result.exact is None else exact_cells(result.exact)
    parts = result.values.tobytes(), result.mean.tobytes(), result.deviation.tobytes(), result.win_tie_loss.tolist()
    return parts, exact, repr(result.summary().values), list(result.requests), result.notes, result.summary().notes
