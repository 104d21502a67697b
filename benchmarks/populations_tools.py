"""Leximin of many runs and requests, in one process: `python populations_tools.py RUNS REQUESTS`.

Utilities are random; two more runs hold those of the first, so that ties are followed to their end. Prints JSON: the
seconds of the order, and how many runs tie.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np

import tiebreak as tb
from tiebreak.inputs import Ids
from tiebreak.inputs.utilities import UtilityTable


def main() -> None:
    runs, requests = map(int, sys.argv[1:])
    values = np.random.default_rng(7).random((runs, requests))
    values[1], values[2] = values[0], values[0, ::-1]
    names = tuple(f"run{k}" for k in range(runs))
    utilities = tb.Utilities.from_table(
        UtilityTable(names, Ids.from_names(map(str, range(requests))), values), "utility"
    )
    start = time.perf_counter()
    order = utilities.order("leximin")
    print(json.dumps({"seconds": time.perf_counter() - start, "tied": order.n_tied}))


if __name__ == "__main__":
    main()
