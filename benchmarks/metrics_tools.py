"""Four measures of one run from positions that are in memory already.

    python metrics_tools.py REQUESTS RELEVANT

Prints JSON: the seconds of AP, nDCG, RR and TSE over so many requests with so many relevant items each.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np

from tiebreak.inputs import Ids
from tiebreak.metrics import parse_metrics
from tiebreak.metrics.base import evaluate_all
from tiebreak.projection.levels import Layout
from tiebreak.projection.position_table import Positions

MEASURES = ["AP", "nDCG", "RR", "TSE"]


def positions(requests: int, m: int) -> Positions:
    """Ranks up to 1000, three tenths of them unretrieved, of items that have no names."""
    rng = np.random.default_rng(0)
    ranks = rng.integers(1, 1001, (1, requests * m), dtype=np.int32)
    ranks[rng.random(ranks.shape) < 0.3] = 2**31 - 1
    nameless = Ids(b"", np.zeros(requests + 1, dtype=np.int64))
    depth = np.full((1, requests), 1000, dtype=np.int32)
    layout = Layout(np.arange(requests), np.full(requests, m))
    item = np.zeros(requests * m, dtype=np.int32)
    result = Positions(
        ("run",), nameless, nameless, layout, ranks, item, np.ones(requests * m), depth, depth, depth * 0
    )
    nothing = Positions(
        ("run",), nameless, nameless, Layout(np.arange(requests), np.zeros(requests, dtype=np.int64)),
        ranks[:, :0], item[:0], np.zeros(0), depth, depth, depth * 0,
    )  # fmt: skip
    object.__setattr__(result, "nonrelevant", nothing)
    return result


def main() -> None:
    rankings = positions(int(sys.argv[1]), int(sys.argv[2]))
    _, metrics = parse_metrics(MEASURES)
    start = time.perf_counter()
    values = [measure.nearest.size for measure in evaluate_all(metrics, rankings)]
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "values": sum(values)}))


if __name__ == "__main__":
    main()
