"""Small experiments: a table holds, by request and run, where the relevant items stand."""

from hypothesis import strategies as st

import tiebreak as tb

DEEPEST = 12


def ranking(p):
    """One ranking with the relevant items d1, d2, ... at these positions, and others everywhere else."""
    scores = {f"x{k}": DEEPEST - k for k in range(1, DEEPEST + 1) if k not in p}
    return scores | {f"d{i}": DEEPEST - k for i, k in enumerate(p, start=1) if k is not None}


def positions_of(table, runs=None, requests=None):
    """The positions of ``table[request][run]``, the runs and requests given in these orders."""
    runs = range(len(table[0])) if runs is None else runs
    requests = range(len(table)) if requests is None else requests
    judgements = {f"q{q}": {f"d{i}": 1 for i in range(1, len(table[q][0]) + 1)} for q in requests}
    inputs = [tb.Run({f"q{q}": ranking(table[q][r]) for q in requests}, name=f"run{r}") for r in runs]
    return tb.project(judgements, inputs)


def compared(table, measure, **orders):
    return tb.compare(positions_of(table, **orders), measure)


def ranks_by_run(ordering):
    return dict(zip(ordering.runs, ordering.ranks.tolist(), strict=True))


def vectors(m):
    """Positions of m relevant items, increasing, None where unretrieved."""
    actual = st.sets(st.integers(1, 7), max_size=m).map(sorted)
    return actual.map(lambda p: p + [None] * (m - len(p)))


def tables(most_runs=5, most_requests=4):
    """Every request has its own number of relevant items, from 1 to 3."""

    def of_size(size):
        request = st.integers(1, 3).flatmap(lambda m: st.lists(vectors(m), min_size=size, max_size=size))
        return st.lists(request, min_size=1, max_size=most_requests)

    return st.integers(2, most_runs).flatmap(of_size)


def rank_lists(n):
    """Ranks of n runs, 1 the best; runs that tie share the best of their ranks."""
    return st.lists(st.integers(1, n), min_size=n, max_size=n).map(
        lambda scores: [1 + sum(other < score for other in scores) for score in scores]
    )


RANK_PAIRS = st.integers(2, 6).flatmap(lambda n: st.tuples(rank_lists(n), rank_lists(n)))
