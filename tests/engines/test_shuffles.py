"""Shuffles of systems: the core and its twin draw the published ones, however the work is cut up."""

import time

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.test_processes import Halt
from examples import examples
from significance import slow
from tiebreak._kernels import shuffles

KINDS = {"values": np.int64, "ranks": np.int32, "preferences": np.int32}
every_kind = pytest.mark.parametrize("kind", KINDS)
SEEDS = st.one_of(st.integers(0, 5), st.integers(0, 2**63 - 1))
FIRSTS = st.one_of(st.just(0), st.integers(0, 2**40))


def numbers(kind):
    sizes = {"values": [2**40], "ranks": [5], "preferences": [2**20, 2**31 - 1, 2**54]}[kind]
    return st.one_of(st.integers(-2, 2), *(st.integers(-size, size) for size in sizes))


@st.composite
def some_rows(draw, kind, most_systems=9, most_requests=6):
    """A row, or an antisymmetric matrix, per request."""
    systems = draw(st.integers(1, most_systems))
    requests = draw(st.integers(1, most_requests))
    if kind != "preferences":
        row = st.lists(numbers(kind), min_size=systems, max_size=systems)
        return draw(st.lists(row, min_size=requests, max_size=requests))
    some = draw(st.lists(numbers(kind), min_size=1, max_size=40))
    matrices = np.zeros((requests, systems, systems), dtype=np.int64)
    x, y = np.triu_indices(systems, 1)
    upper = np.resize(some, (requests, len(x)))
    matrices[:, x, y], matrices[:, y, x] = upper, -upper
    return matrices.tolist()


def largest(engine, kind, rows, draw, jobs=1, tick=None):
    flat = np.array(rows, dtype=np.int64).ravel()
    if kind != "preferences" or np.abs(flat).max() < 2**31:
        flat = flat.astype(KINDS[kind])
    return engine.largest_differences(kind, flat, len(rows[0]), draw, jobs, tick)


# What is drawn


def test_words_and_shuffles_are_the_published_ones():
    twin_words = shuffles.words(1, np.array([2], dtype=np.uint64), 3)
    for drawn in ([int(next(twin_words)[0]) for _ in range(2)], [*map(next, [slow.words(1, 2, 3)] * 2)]):
        assert drawn == [640054951876687254, 4707003397484236752]
    twin_order = shuffles.permutations(8, 1, np.array([2], dtype=np.uint64), 3)[0].tolist()
    for order in (twin_order, slow.shuffled(range(8), 1, 2, 3)):
        assert order == [7, 3, 1, 2, 6, 0, 4, 5]


@every_kind
@settings(max_examples=examples(25))
@given(data=st.data(), seed=SEEDS, first=FIRSTS)
def test_engines_agree_with_the_definition(engine, kind, data, seed, first):
    rows = data.draw(some_rows(kind, most_systems=6, most_requests=4))
    expected = [slow.largest_difference(kind, rows, seed, first + b) for b in range(5)]
    actual = largest(engine, kind, rows, (seed, first, 5))
    assert actual.dtype == np.int64
    assert actual.tolist() == expected


@every_kind
@settings(max_examples=examples(25))
@given(data=st.data(), seed=SEEDS, first=FIRSTS, count=st.integers(0, 150))
def test_core_agrees_with_its_twin(core, twin, kind, data, seed, first, count):
    rows = data.draw(some_rows(kind))
    one, other = (largest(engine, kind, rows, (seed, first, count)).tolist() for engine in (core, twin))
    assert one == other
    assert len(one) == count


@every_kind
@settings(max_examples=examples(25))
@given(data=st.data(), seed=SEEDS, first=FIRSTS, cut=st.integers(0, 600))
def test_shuffles_do_not_depend_on_where_the_work_is_cut(engine, kind, data, seed, first, cut):
    rows = data.draw(some_rows(kind, most_systems=4, most_requests=3))
    whole = largest(engine, kind, rows, (seed, first, 600)).tolist()
    parts = [
        *largest(engine, kind, rows, (seed, first, cut)),
        *largest(engine, kind, rows, (seed, first + cut, 600 - cut)),
    ]
    assert parts == whole


@every_kind
@settings(max_examples=examples(25))
@given(data=st.data(), seed=SEEDS, count=st.integers(0, 400))
def test_number_of_jobs_changes_nothing(engine, kind, data, seed, count):
    rows = data.draw(some_rows(kind))
    one, two, eight = (largest(engine, kind, rows, (seed, 0, count), jobs).tolist() for jobs in (1, 2, 8))
    assert one == two == eight


def sums(engine, kind, rows, numbers, draw, jobs=1, tick=None):
    flat = np.array(rows, dtype=np.int64).ravel()
    if kind != "preferences" or np.abs(flat).max(initial=0) < 2**31:
        flat = flat.astype(KINDS[kind])
    return engine.shuffled_sums(kind, flat, len(rows[0]), np.array(numbers, dtype=np.int64), draw, jobs, tick)


@every_kind
@settings(max_examples=examples(25))
@given(data=st.data(), seed=SEEDS, first=FIRSTS, count=st.integers(0, 70), jobs=st.integers(1, 3))
def test_sums_of_parts_of_the_requests_add_up(core, twin, kind, data, seed, first, count, jobs):
    rows = data.draw(some_rows(kind, most_systems=6))
    numbers = data.draw(st.permutations(range(len(rows))))
    shuffled = [rows[number] for number in numbers]
    cut = data.draw(st.integers(1, len(rows)))
    draw = (seed, first, count)
    total = 0
    for part in (slice(0, cut), slice(cut, None)):
        if shuffled[part]:
            one = sums(core, kind, shuffled[part], numbers[part], draw, jobs)
            assert one.tolist() == sums(twin, kind, shuffled[part], numbers[part], draw).tolist()
            total = total + one
    expected = largest(core, kind, rows, draw)
    assert shuffles.largest_sums(kind, total).tolist() == expected.tolist()


def test_numbers_that_do_not_fit_the_rows_are_refused(core):
    with pytest.raises(ValueError, match="numbers of requests"):
        sums(core, "values", [[1, 2], [3, 4]], [0], (0, 0, 1))


@every_kind
def test_seeds_shuffles_and_requests_are_drawn_apart(engine, kind):
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 5, (6, 4) if kind != "preferences" else (6, 4, 4)).tolist()
    actual = [largest(engine, kind, rows, (seed, first, 200)).tolist() for seed, first in ((0, 0), (1, 0), (0, 1))]
    assert actual[0] != actual[1]
    assert actual[0] != actual[2] and actual[0][1:] == actual[2][:-1]
    # Were all requests shuffled alike, every shuffle of values would have the range that was seen.
    assert len(set(actual[0])) > 1


def test_many_systems_and_large_sums_fit(core, twin):
    rows = (np.random.default_rng(2).integers(-(2**54), 2**54, (64, 70))).tolist()
    draw = (3, 0, 40)
    assert largest(core, "values", rows, draw, jobs=2).tolist() == largest(twin, "values", rows, draw).tolist()


def test_sums_of_preferences_of_32_bits_may_need_more(engine):
    rows = [[[0, 2**31 - 1], [1 - 2**31, 0]]] * 6
    actual = largest(engine, "preferences", rows, (3, 0, 200))
    # All six, or all but one, the same way round: more than 2^31 and 2^32.
    assert {*actual.tolist()} == {k * (2**31 - 1) for k in (0, 2, 4, 6)}


def test_preferences_of_32_and_of_64_bits_are_shuffled_alike(engine):
    upper = np.triu(np.random.default_rng(2).integers(-(2**30), 2**30, (30, 6, 6)), 1)
    rows = (upper - upper.transpose(0, 2, 1)).ravel()
    short, long = (
        engine.largest_differences("preferences", rows.astype(dtype), 6, (5, 0, 100), 2, None)
        for dtype in (np.int32, np.int64)
    )
    assert short.tolist() == long.tolist()


# Whether it is fair


@settings(max_examples=examples(25))
@given(n=st.integers(0, 30), seed=SEEDS, first=FIRSTS, request=st.integers(0, 1000))
def test_permutations_are_permutations(n, seed, first, request):
    orders = shuffles.permutations(n, seed, np.arange(first, first + 20, dtype=np.uint64), request)
    assert np.sort(orders, axis=1).tolist() == [[*range(n)]] * 20


@pytest.mark.parametrize("n", [2, 3, 7, 20])
@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_every_place_is_equally_likely(n, seed):
    orders = shuffles.permutations(n, seed, np.arange(4000, dtype=np.uint64), 0)
    counts = np.array([np.bincount(orders[:, place], minlength=n) for place in range(n)])
    # Rows and columns of the table have the same sums: (n - 1)^2 counts are free.
    statistic = ((counts - 4000 / n) ** 2 / (4000 / n)).sum() * (n - 1) / n
    assert scipy.stats.chi2.sf(statistic, (n - 1) ** 2) > 0.001


@pytest.mark.slow
@pytest.mark.parametrize("along", ["shuffles", "requests"])
def test_every_order_is_equally_likely(along):
    if along == "shuffles":
        orders = shuffles.permutations(4, 9, np.arange(4800, dtype=np.uint64), 5)
    else:
        shuffle = np.array([5], dtype=np.uint64)
        orders = np.concatenate([shuffles.permutations(4, 9, shuffle, request) for request in range(4800)])
    _, counts = np.unique(orders, axis=0, return_counts=True)
    assert len(counts) == 24
    assert scipy.stats.chisquare(counts).pvalue > 0.001


def test_two_requests_are_shuffled_independently():
    first, second = (shuffles.permutations(3, 4, np.arange(3600, dtype=np.uint64), request) for request in (0, 1))
    table = np.zeros((27, 27))
    code = np.array([9, 3, 1])
    np.add.at(table, (first @ code, second @ code), 1)
    counts = table[table.any(axis=1)][:, table.any(axis=0)]
    assert counts.shape == (6, 6)
    assert scipy.stats.chi2_contingency(counts).pvalue > 0.001


# What is refused, and stopping


@pytest.mark.parametrize(
    ("kind", "size", "systems"),
    [("values", 7, 2), ("ranks", 7, 2), ("preferences", 6, 2), ("values", 4, 0), ("preferences", 4, 0)],
)
def test_rows_that_do_not_fit_are_refused(core, kind, size, systems):
    with pytest.raises(ValueError, match="do not fit"):
        core.largest_differences(kind, np.zeros(size, dtype=KINDS[kind]), systems, (0, 0, 1), 1, None)


def test_an_unknown_kind_is_refused(core):
    with pytest.raises(ValueError, match="unknown kind"):
        core.largest_differences("grades", np.zeros(4, dtype=np.int64), 2, (0, 0, 1), 1, None)


@pytest.mark.parametrize(
    ("kind", "dtype"), [("values", np.int32), ("ranks", np.int64), ("values", np.float64), ("preferences", np.float64)]
)
def test_numbers_of_another_type_are_refused(core, kind, dtype):
    with pytest.raises(TypeError):
        core.largest_differences(kind, np.zeros(4, dtype=dtype), 2, (0, 0, 1), 1, None)


@pytest.mark.one_in(5)
@every_kind
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_tick_that_raises_stops_the_work(engine, kind, jobs):
    rows = np.zeros((50, 40) if kind != "preferences" else (50, 40, 40), dtype=int).tolist()
    calls = []

    def tick(done, total):
        calls.append((done, total))
        raise Halt

    began = time.monotonic()
    with pytest.raises(Halt):
        largest(engine, kind, rows, (0, 0, 5_000_000), jobs, tick)
    assert time.monotonic() - began < 10  # all of it takes minutes
    assert len(calls) == 1
    assert calls[0][0] < calls[0][1] == 5_000_000
