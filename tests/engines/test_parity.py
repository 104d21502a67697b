"""Results do not depend on how requests are divided into blocks: every entry of every catalogue."""

from functools import cache

import pytest

import tiebreak as tb
from engines.parity import BY_REQUEST, FIGURES, PAIRWISE, comparison, experiment, make_input, outcome, scores
from tiebreak.orderings import CATALOGUE as ORDERINGS
from tiebreak.populations import CATALOGUE as POPULATIONS
from tiebreak.significance import CATALOGUE as TESTS

BLOCKS = (1, 3, 16, 1000)
READ_DIFFERENTLY = ["AP", "nDCG", "nDCG@3", "P(rel=2)@5", "P(rel=3)@5", "bpref", "ASL(n='union')", "alpha_nDCG@5"]
READ_DIFFERENTLY += ["S-Recall@5", "alpha_beta_nDCG@5", "Novelty@3"]
OPTIONS = [
    {"min_grade": 2},
    {"min_grade": 2, "binary": True},
    {"depth": 4},
    {"judged_only": True},
    {"requests": "common"},
    {"requests": "common", "min_grade": 3},
    {"imputation": "optimistic"},
    {"exclude": {"q1é": ["d1", "d2"], "q9é": ["é"]}},
    {"intents": {"s": 0.5, "t": 0.25, "u": 0.25}},
]


def is_slow(measure):
    """Exact values of user models without a cutoff take seconds."""
    return measure.startswith(("INS", "NERR1")) and "@" not in measure


def slowly(*cases):
    return [pytest.param(case, marks=pytest.mark.slow) for case in cases]


OF_ANY_SIZE = pytest.mark.parametrize("blocks", [(3,), *slowly((1, 16, 1000))], ids=str)
"""Six blocks as a rule; 17 of one request each take three times as long."""


def same(function, *args, blocks=BLOCKS, **options):
    """The outcome in one block, which is that in several."""
    whole = outcome(function, experiment(**options), *args)
    for block_requests in blocks:
        assert outcome(function, experiment(block_requests, **options), *args) == whole
    return whole


@pytest.mark.one_in(5)
@pytest.mark.parametrize("measure", [case for m in BY_REQUEST for case in (slowly(m) if is_slow(m) else [m])])
def test_metric_is_the_same_in_blocks(measure):
    same(scores, measure, blocks=(3,))


@OF_ANY_SIZE
def test_several_metrics_are_the_same_in_blocks(blocks):
    same(scores, ["AP", "nDCG@10", "R@5", "nDCG(rel=2)", "P(rel=3)@5", "NumRel", "gm(AP)"], blocks=blocks)


@pytest.mark.parametrize("measure", FIGURES)
def test_figure_of_a_whole_run_is_the_same_in_blocks(measure):
    (_, means, *_), _ = same(scores, measure)
    assert all(mean > 0 for mean in means[0])


@pytest.mark.one_in(4)
@OF_ANY_SIZE
@pytest.mark.parametrize("measure", PAIRWISE)
def test_preference_is_the_same_in_blocks(measure, blocks):
    same(comparison, measure, blocks=blocks)
    same(comparison, measure, "old", blocks=(4,))


@pytest.mark.one_in(4)
@OF_ANY_SIZE
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_whatever_is_read_is_the_same_in_blocks(options, blocks):
    same(scores, READ_DIFFERENTLY, blocks=blocks[:1], **options)
    same(comparison, "RPP", blocks=blocks[:1], **options)
    same(comparison, "ST-RPP", blocks=blocks[:1], **options)


@cache
def utilities(metric, block_requests=None):
    """Those of the requests in blocks; every population orders them."""
    return outcome(experiment(block_requests).utilities, metric)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", [name for name, _ in POPULATIONS.items()])
def test_population_is_the_same_in_blocks(name):
    def order(metric, block_requests=None):
        of_runs, warned = utilities(metric, block_requests)
        result = of_runs.order(name)
        return result.groups, repr(result.rows()), result.notes, warned

    for metric in ("nDCG@5", "AP", "TSE"):
        whole = outcome(order, metric)
        assert whole[0][0]
        for block_requests in (1, 4):
            assert outcome(order, metric, block_requests) == whole


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", [name for name, _ in ORDERINGS.items()])
@pytest.mark.parametrize("measure", ["RPP", *slowly("LexiRecall", "nDCG@5", "RPP(weights='dcg')")])
def test_ordering_is_the_same_in_blocks(name, measure):
    def order(exp):
        compared = exp.compare(measure)
        result, resampled = compared.order(name), compared.bootstrap(name, resamples=20)
        return repr(result.rows()), result.notes, repr(resampled.rows()), repr([*compared.order_requests().rows()])

    same(order, blocks=(1, 4))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", [name for name, _ in TESTS.items()])
@pytest.mark.parametrize("measure", ["nDCG@5", *slowly("RPP", "LexiRecall", "AP", "RPP(weights='dcg')")])
def test_significance_is_the_same_in_blocks(name, measure):
    def test(exp):
        result = exp.compare(measure).test(name)
        return repr(result.rows()), result.notes

    same(test, blocks=(4,))


def faulty(change, block_requests=None, **options):
    judged, runs = make_input()
    change(judged, runs)
    return tb.Experiment(judged, runs, block_requests=block_requests, **options)


def table(rows):
    """A run as a table, whose rows may repeat an item."""
    import pyarrow

    return pyarrow.table(dict(zip(("request", "item", "score"), map(list, zip(*rows, strict=True)), strict=True)))


def rows_of(run):
    return [(request, item, score) for request, ranking in run.items() for item, score in ranking.items()]


def repeat_items(judged, runs):
    """The first repetition of the file is of a later request than the second."""
    rows = rows_of(runs["old"])
    runs["old"] = table([*rows, ("q15é", rows[-1][1], 1.0), ("q15é", rows[-1][1], 2.0), rows[0]])


def spoil_scores(judged, runs):
    rows = rows_of(runs["old"])
    runs["old"] = table([*rows[1:], ("q16é", "bad", float("nan")), ("q0é", "worse", float("inf"))])


def judge_other_requests(judged, runs):
    runs["old"] = {f"other {request}": ranking for request, ranking in runs["old"].items()}


def judge_nothing_relevant(judged, runs):
    for graded in judged.values():
        for item in graded:
            graded[item] = {"s": 0}


def retrieve_nothing(judged, runs):
    runs["old"] = {}


def evaluate(change, block_requests, measure, **options):
    return scores(faulty(change, block_requests, **options), measure)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (repeat_items, "duplicate"),
        (spoil_scores, "score"),
        (judge_other_requests, "disjoint"),
        (judge_nothing_relevant, "empty"),
        (retrieve_nothing, None),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
@pytest.mark.parametrize("measure", ["AP", "ERR(max_grade=1)"])
def test_error_is_the_same_in_blocks(change, kind, measure):
    whole = outcome(evaluate, change, None, measure)
    for block_requests in BLOCKS:
        assert outcome(evaluate, change, block_requests, measure) == whole
    expected = kind or ("spec" if measure != "AP" else None)
    assert expected is None or whole[0][2]["kind"] == expected


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "options", [{"duplicates": "best"}, {"duplicates": "first"}, {"on_bad_score": "drop"}], ids=str
)
@pytest.mark.parametrize("change", [repeat_items, spoil_scores])
def test_resolved_lines_are_the_same_in_blocks(change, options):
    def run(block_requests):
        return evaluate(change, block_requests, "AP", **options)

    whole = outcome(run, None)
    for block_requests in BLOCKS:
        assert outcome(run, block_requests) == whole


def test_candidates_are_the_same_in_blocks():
    judged, _ = make_input()
    candidates = {request: [*graded, "d1", "é"] for request, graded in judged.items()}
    same(scores, "AP", candidates=candidates)
    del candidates["q9é"]
    (error, _, where), _ = same(scores, "AP", candidates=candidates)
    assert where["request"] == "q9é" and error is tb.InputError


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
@pytest.mark.parametrize("by", ["popularity", "mean_rating", "profile_size"])
def test_what_all_users_rated_is_not_known_in_blocks(by):
    measure = f"alpha_beta_nDCG(alpha_by='{by}')@3"
    (kind, text, _), _ = outcome(experiment(4).evaluate, measure)
    assert kind is tb.InputError and f"alpha_by='{by}' looks at the ratings of all users" in text
    one_block = experiment(1000).evaluate(measure).summary()
    assert one_block.values == experiment().evaluate(measure).summary().values


def test_notes_are_in_the_same_order_in_blocks():
    """Those on the input before those on what was made of it."""

    def notes(block_requests):
        return faulty(retrieve_nothing, block_requests, imputation="optimistic").evaluate("AP").notes

    (whole, _), *others = [outcome(notes, size) for size in (None, *BLOCKS)]
    first_words = [note.partition(":")[0] for note in whole]
    assert first_words.index('run "old" retrieves nothing') < first_words.index("Optimistic imputation")
    assert [result for result, _ in others] == [whole] * len(others)
