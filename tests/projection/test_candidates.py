"""Items that are removed from rankings before they are judged, and candidates, which alone are kept."""

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiebreak as tb
from examples import examples
from tiebreak import Judgements

ITEMS = "abcdefgh"
rankings = st.permutations(ITEMS).flatmap(lambda order: st.integers(1, len(order)).map(lambda k: list(order[:k])))


@pytest.fixture(params=["rust", "python"])
def engine(request, monkeypatch):
    if request.param == "rust":
        request.getfixturevalue("core")
    monkeypatch.setenv("TIEBREAK_CORE", request.param)


def scored(ranking):
    return {item: float(-k) for k, item in enumerate(ranking)}


def assert_alike(actual, expected):
    assert actual.ranks.tolist() == expected.ranks.tolist()
    assert actual.nonrelevant.ranks.tolist() == expected.nonrelevant.ranks.tolist()
    assert actual.retrieved.tolist() == expected.retrieved.tolist()
    for mine, theirs in zip(actual.top, expected.top, strict=True):
        assert mine.items[0] == theirs.items[0]
        assert mine.judgement.tolist() == theirs.judgement.tolist()


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
@settings(max_examples=examples(40))
@given(st.data())
def test_excluding_items_is_ranking_without_them(data):
    grades = data.draw(
        st.fixed_dictionaries({q: st.dictionaries(st.sampled_from(ITEMS), st.integers(0, 2), min_size=1) for q in "pq"})
    ) | {"z": {"only": 1}}
    run = {q: scored(data.draw(rankings)) for q in "pq"} | {"z": {"only": 1.0}}
    seen = data.draw(st.dictionaries(st.sampled_from("pqr"), st.dictionaries(st.sampled_from(ITEMS + "k"), st.just(1))))
    seen = {q: items for q, items in seen.items() if items}
    seen = seen if {*seen} & {*grades} else {}
    options = {
        "depth": data.draw(st.none() | st.integers(1, 4)),
        "judged_only": data.draw(st.booleans()),
        "nonrelevant": True,
        "top": 3,
    }
    without = {q: {i: s for i, s in scores.items() if i not in seen.get(q, {})} for q, scores in run.items()}
    expected = tb.project(grades, without, **options)
    for engine in ("rust", "python"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TIEBREAK_CORE", engine if engine == "python" else "auto")
            positions = tb.project(grades, run, exclude=seen or None, **options)
        assert_alike(positions, expected)


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
@settings(max_examples=examples(40))
@given(st.data())
def test_candidates_are_ranked_as_if_nothing_else_were_listed(data):
    grades = data.draw(
        st.fixed_dictionaries({q: st.dictionaries(st.sampled_from(ITEMS), st.integers(0, 2), min_size=1) for q in "pq"})
    ) | {"z": {"only": 1}}
    run = {q: scored(data.draw(rankings)) for q in "pq"} | {"z": {"only": 1.0}}
    some = st.dictionaries(st.sampled_from(ITEMS + "k"), st.just(1), min_size=1)
    candidates = {q: data.draw(some) | {i: 1 for i, grade in grades[q].items() if grade} for q in "pqz"}
    seen = data.draw(st.none() | st.fixed_dictionaries({"p": some, "r": some}))
    options = {
        "depth": data.draw(st.none() | st.integers(1, 4)),
        "judged_only": data.draw(st.booleans()),
        "nonrelevant": True,
        "top": 3,
    }
    without = {q: {i: s for i, s in scores.items() if i in candidates[q]} for q, scores in run.items()}
    without = {q: scores or {"nothing judged": 0.0} for q, scores in without.items()}
    expected = tb.project(
        grades,
        without,
        exclude=(seen or {}) | {"p": {"nothing judged": 1} | (seen or {}).get("p", {}), "q": {"nothing judged": 1}},
        **options,
    )
    for engine in ("rust", "python"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TIEBREAK_CORE", engine if engine == "python" else "auto")
            positions = tb.project(grades, run, exclude=seen, candidates=candidates, **options)
        assert_alike(positions, expected)


def test_candidates_by_hand(engine):
    # Of a, x, y, b only x, b and c are candidates besides: x 1, b 2, c is not listed.
    run = {"u": {"a": 4.0, "x": 3.0, "y": 2.0, "b": 1.0}}
    positions = tb.project({"u": {"b": 1, "c": 1}}, run, candidates={"u": {"x": 0, "b": 0, "c": 0}})
    assert positions.retrieved.tolist() == [[2]]
    assert positions.ranks.tolist() == [[2, tb.UNRETRIEVED]]


def test_ties_of_candidates_nobody_judged_are_no_judged_ties(engine):
    run = {"u": {"x": 3.0, "y": 3.0, "a": 1.0, "b": 1.0}}
    positions = tb.project({"u": {"b": 1}}, run, candidates={"u": dict.fromkeys("xyab", 1)}, audit=True)
    assert positions.audits[0].count("judged_ties") == 1


def test_request_without_candidates_is_refused():
    with pytest.raises(tb.InputError, match=r'request "v" has no candidates. Give every judged request some\.'):
        tb.project({"u": {"a": 1}, "v": {"a": 1}}, {"u": {"a": 1.0}}, candidates={"u": {"a": 1}, "w": {"a": 1}})


def test_relevant_item_that_is_no_candidate_is_refused():
    with pytest.raises(tb.InputError, match=r'item "b" has a grade above 0 for request "u", but is none of its cand'):
        tb.project({"u": {"a": 1, "b": 1}}, {"u": {"a": 1.0}}, candidates={"u": {"a": 1}})


def test_by_hand(engine):
    # s was seen: b moves up from 3 to 2. Of the judged, a was seen, too: it is not found any more.
    run = {"u": {"a": 4.0, "s": 3.0, "b": 2.0}, "v": {"s": 2.0, "b": 1.0}}
    qrels = {"u": {"a": 1, "b": 1}, "v": {"b": 1}}
    positions = tb.project(qrels, run, exclude={"u": {"s": 1, "a": 5}, "w": {"b": 1}})
    ranks = dict(zip(positions.layout.request.tolist(), positions.ranks[0].tolist(), strict=False))
    assert positions.retrieved.tolist() == [[1, 2]] and positions.listed.tolist() == [[3, 2]]
    assert sorted(positions.ranks[0].tolist()) == [1, 2, tb.UNRETRIEVED]
    assert ranks[1] == 2  # v has seen nothing


@pytest.mark.parametrize("name", ["train.tsv.gz", "train.csv", "train.jsonl", "train.txt"])
def test_files_of_interactions_are_read(tmp_path, engine, name):
    texts = {
        "train.tsv.gz": "user\titem\trating\tts\nu\ts\t2.5\t1\nu\ts\t3.0\t2\n",
        "train.csv": "user_id,item_id\nu,s\n",
        "train.jsonl": '{"user_id": "u", "item_id": "s"}\n',
        "train.txt": "u 0 s 1\n",
    }
    data = texts[name].encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    positions = tb.project({"u": {"b": 1}}, {"u": {"s": 2.0, "b": 1.0}}, exclude=tmp_path / name)
    assert positions.ranks.tolist() == [[1]]


def test_frames_of_interactions_are_read(engine):
    polars = pytest.importorskip("polars")
    train = polars.DataFrame({"user_id": ["u", "u"], "item_id": ["s", "s"]})
    positions = tb.project({"u": {"b": 1}}, {"u": {"s": 2.0, "b": 1.0}}, exclude=train)
    assert positions.ranks.tolist() == [[1]]


def test_excluded_items_may_be_listed(engine):
    for seen in ({"u": ["s"]}, {"u": {"s"}}, {"u": ("s", "s"), "w": ["b"]}):
        positions = tb.project({"u": {"b": 1}}, {"u": {"s": 2.0, "b": 1.0}}, exclude=seen)
        assert positions.ranks.tolist() == [[1]]
        assert positions.notes == (f"Removed from rankings first: {len({*seen['u']})} excluded items.",)


@pytest.mark.parametrize("nothing", [None, {}, {"u": {}}, {"u": []}])
def test_nothing_may_be_excluded(nothing):
    positions = tb.project({"u": {"b": 1}}, {"u": {"s": 2.0, "b": 1.0}}, exclude=nothing)
    assert (positions.ranks.tolist(), positions.notes) == ([[2]], ())


def test_relevant_items_that_are_excluded_are_told():
    exp = tb.Experiment({"u": {"b": 1, "c": 0}}, {"u": {"s": 2.0, "b": 1.0}}, exclude={"u": ["b", "c"]})
    message = "Removed from rankings first: 2 excluded items. 1 relevant item among them can be found by no run."
    assert message in exp.evaluate("AP").notes and message in exp.audit().choices


def test_excluded_items_of_other_requests_are_refused():
    with pytest.raises(tb.InputError, match=r'of other requests, as "w"; the judgements begin with "u"'):
        tb.project({"u": {"b": 1}}, {"u": {"b": 1.0}}, exclude={"w": ["b"]})


def test_what_lists_no_items_is_refused():
    with pytest.raises(
        tb.InputError, match=r'the excluded items: request "u" holds str. Give {request: \[item, ...\]}'
    ):
        tb.project({"u": {"b": 1}}, {"u": {"b": 1.0}}, exclude={"u": "b"})


def test_candidates_are_told():
    exp = tb.Experiment({"u": {"b": 1}}, {"u": {"s": 2.0, "b": 1.0}}, candidates={"u": ["b"]})
    assert "Rankings are restricted to candidate items." in exp.evaluate("RR").notes
    assert exp.evaluate("RR").to_flat_dict() == {"run1/RR": 1.0}


def test_the_experiment_passes_it_on():
    exp = tb.Experiment({"u": {"b": 1}}, {"u": {"s": 2.0, "b": 1.0}}, exclude={"u": {"s": 1}})
    assert exp.evaluate("RR").to_flat_dict() == {"run1/RR": 1.0}
    assert isinstance(exp.judgements, Judgements)
