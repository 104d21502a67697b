"""Experiments whose relevant items are at chosen positions."""

from hypothesis import strategies as st

import tiebreak as tb

INF = float("inf")
# Three runs and two requests. RR: q1 1, 1/2, 1/2; q2 1/3, 1/3, 1.
# Pairs (1, 2), (1, 3), (2, 3) by RR: q1 + + =, q2 = - -.
# LexiRecall compares the last positions, then the first ones: q1 4, 3, 4: - + +; q2 5, none, 6: + + -.
TABLE = {"q1": [[1, 4], [2, 3], [2, 4]], "q2": [[3, 5], [3, None], [1, 6]]}


def simulated_experiment():
    simulation = tb.simulate(requests=12, seed=3)
    return tb.Experiment(simulation.judgements, [tb.Run(run, name=name) for name, run in simulation.runs.items()])


def experiment_at(table):
    """An experiment in which the relevant items stand at these positions: {request: [positions of every run]}."""
    judgements = {q: {f"r{i}": 1 for i in range(len(of_runs[0]))} for q, of_runs in table.items()}
    names = range(len(next(iter(table.values()))))
    runs = [{q: ranking(of_runs[r]) for q, of_runs in table.items()} for r in names]
    return tb.Experiment(judgements, [tb.Run(run, name=f"run{k}") for k, run in enumerate(runs, start=1)])


def ranking(positions):
    """Scores that put the relevant items at these positions, fillers between them."""
    last = max((p for p in positions if p is not None), default=1)
    at = {p: f"r{i}" for i, p in enumerate(positions) if p is not None}
    return {at.get(k, f"x{k}"): 1000.0 - k for k in range(1, last + 1)}


def positions_by_request(experiment):
    """{request: [[p_1, p_2, ...] of every run]}, infinity where an item is not retrieved."""
    levels = {}
    for bucket in experiment.positions.levels().buckets():
        for k, request in enumerate(bucket.requests.tolist()):
            levels[request] = [[p if p < 2**31 - 1 else INF for p in row] for row in bucket.p[:, k].tolist()]
    return levels


positions_of_a_request = st.integers(1, 4).flatmap(
    lambda m: st.lists(
        st.lists(st.one_of(st.none(), st.integers(1, 12)), min_size=m, max_size=m, unique_by=lambda p: p or object()),
        min_size=3,
        max_size=3,
    )
)
tables = st.lists(positions_of_a_request, min_size=1, max_size=4).map(
    lambda requests: {f"q{k}": request for k, request in enumerate(requests)}
)
