"""Figures and tables of theory that no data changes: LR Table 2, Figs 7 and 16, LP Figs 1 and 2."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from tiebreak.analysis.theory import first_position_tie_probability, tie_probability, worst_case_of_optimal_ranker
from tiebreak.metrics import metric
from tiebreak.preferences import preference
from tiebreak.projection.primitives import pair_signs
from tiebreak.results.plots import Picture
from tiebreak.studies._position_vectors import as_positions, prefer_first, random_vectors
from tiebreak.studies.base import Findings, run_tasks

RECALL = ("TSE", "R@1000", "RP", "AP", "nDCG")
SIZES = (10**3, 10**4, 10**5, 10**6)
FIXED, RANDOM = "fixed order", "drawn order"
POINTS = 40
"""First positions that are shown of a large corpus."""
LABEL_HEIGHT = 14
"""Pixels of a label and the gap around it."""


def region(n: int = 12, m: int = 4) -> Findings:
    r"""How likely every possible pair of a first and a last position is (LR Fig 7).

    .. math:: \Pr(p_1, p_m) = \binom{p_m - p_1 - 1}{m - 2} \Big/ \binom{n}{m}
    """
    rows = tuple(
        (first, last, between, 100 * between / comb(n, m))
        for first in range(1, n - m + 2)
        for last in range(first + m - 1, n + 1)
        if (between := comb(last - first - 1, m - 2))
    )
    first, last, weight, _ = np.array(rows, dtype=np.float64).T
    (a, both), (_, b) = np.cov(first, last, aweights=weight, ddof=0)
    titles = (
        ("first", "position of the first relevant item"),
        ("last", "position of the last one"),
        ("percent", "percent of rankings"),
    )
    return Findings(
        ("first", "last", "rankings", "percent"),
        rows,
        f"{len(rows)} of {n * n} pairs of a first and a last position are possible. Over random rankings their "
        f"correlation is {both / (a * b) ** 0.5:.3f}.",
        (),
        Picture("heat", "first", "last", color="percent", titles=titles),
    )


def stochastic(
    relevant: range = range(1, 26), measures: tuple[str, ...] = ("AP", "nDCG", "RR", "RBP(p=0.8)")
) -> Findings:
    """The worst-off user of an optimal ranking, in one fixed order or in one drawn anew each time (LR Fig 16)."""
    rows = tuple(
        (name, m, FIXED if fixed else RANDOM, worst_case_of_optimal_ranker(metric(name), m, stochastic=not fixed))
        for name in measures
        for m in relevant
        for fixed in (True, False)
    )
    last = {(name, order): value for name, m, order, value in rows if m == relevant[-1]}
    changes = ", ".join(f"{name} {last[name, FIXED]:.3f} -> {last[name, RANDOM]:.3f}" for name in measures)
    never = all(random[3] >= fixed[3] - 1e-9 for fixed, random in zip(rows[::2], rows[1::2], strict=True))
    titles = (("relevant", "relevant items"), ("worst_case", "worst-off user"))
    return Findings(
        ("measure", "relevant", "order", "worst_case"),
        rows,
        f"With {relevant[-1]} relevant items a drawn order gives the worst-off user: {changes}. "
        f"{'It never gives less' if never else 'In some cases it gives less'} than a fixed one.",
        (),
        Picture("line", "relevant", "worst_case", color="order", facet="measure", titles=titles, own_scales=("x", "y")),
    )


def agreement(pairs: int, jobs: int = 1, seed: int = 0, items: tuple[int, ...] = SIZES, most: int = 50) -> Findings:
    r"""How often measures agree strictly with the worst case, over random pairs of rankings (LR 4.3, Table 2).

    .. math:: \Pr(\mu(\pi) < \mu(\pi') \mid \mathrm{WC}(\pi) < \mathrm{WC}(\pi'))

    The worst case of every top-heavy metric orders rankings by their last position (LR theorem C.1), an integer. Every
    pair has its own number of relevant items, 5 to 50.
    """
    relevant = np.arange(5, most + 1)

    def rows_of_size(n: int) -> list[tuple[str, int, float, float]]:
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(n,)))
        numbers = rng.choice(relevant, size=pairs)
        positions = [
            as_positions(random_vectors(rng, 2 * int(cases), n, int(m)).reshape(2, int(cases), int(m)))
            for m, cases in zip(*np.unique(numbers, return_counts=True), strict=True)
        ]
        worst = np.concatenate([pair_signs(*at.retrieved) for at in positions])
        coin = np.sign(rng.random(len(worst)) - 0.5)
        signs = {
            name: np.concatenate([np.sign(prefer_first(preference(name), at)) for at in positions]) for name in RECALL
        }
        tied = float(sum(tie_probability("TSE", n, int(m)) for m in relevant) / len(relevant))
        rows = [("tied", n, tied, 0.0)]
        for name, sign in (signs | {"random": coin}).items():
            share = float((sign == worst)[worst != 0].mean())
            rows.append((name, n, share, float((share * (1 - share) / np.count_nonzero(worst)) ** 0.5)))
        return rows

    rows = tuple(row for part in run_tasks(rows_of_size, items, jobs) for row in part)
    titles = (("items", "items in the corpus"), ("share", "agrees with the worst case"))
    picture = Picture("line", "items", "share", color="measure", titles=titles, is_log=True)
    return Findings(("measure", "items", "share", "error"), rows, "", (), picture)


def first_positions(n: int = 50_000, relevant: tuple[int, ...] = (1, 5, 10, 50, 100, 500)) -> Findings:
    """How likely RR ties with a random ranking, by the position of the first relevant item (LP Fig 2)."""
    rows = tuple(
        (m, p1, chance, 1e6 * chance)
        for m in relevant
        for p1 in sorted({round(float(place)) for place in np.geomspace(1, n - m + 1, POINTS)})
        for chance in [float(first_position_tie_probability(n, m, p1))]
    )
    at_top = ", ".join(f"{m} relevant {chance:.2g}" for m, p1, chance, _ in rows if p1 == 1)
    titles = (("first", "position of the first relevant item"), ("probability", "probability of a tie by RR"))
    return Findings(
        ("relevant", "first", "probability", "in_a_million"),
        rows,
        f"A ranking that begins with a relevant item ties by RR with a random one with probability m/n: {at_top}.",
        (),
        Picture("line", "first", "probability", color="relevant", titles=titles, is_log=True),
    )


class Diagram(Findings):
    """Rankings by their places, each written in place of a point."""

    def vega_lite(self, kind: str | None = None) -> dict[str, Any]:
        """The picture of points, with the positions of each ranking as text instead."""
        spec = super().vega_lite(kind)
        picture, records = spec["spec"], spec["data"]["values"]
        (layer,) = picture["layer"]
        labels = {"field": layer["encoding"].pop("color")["field"], "type": "nominal"}
        layer["mark"], layer["encoding"]["text"] = {"type": "text", "fontSize": LABEL_HEIGHT - 4}, labels
        longest = max(len(record[labels["field"]]) for record in records)
        for way, room, side in (("x", (longest + 1) * LABEL_HEIGHT // 2, "width"), ("y", LABEL_HEIGHT, "height")):
            axis = layer["encoding"][way]
            axis["axis"] = None if way == "x" else {"grid": False, "tickMinStep": 1}
            axis["scale"] |= {"padding": room // 2 + 4, "nice": False}
            places = [record[axis["field"]] for record in records]
            picture[side] = max(picture[side], room * (int(max(places) - min(places)) + 2))
        return spec


def diagram(n: int = 6, m: int = 3) -> Diagram:
    """All rankings from the worst to the best by RR and by lexiprecision, tied ones side by side (LP Fig 1)."""
    vectors = list(combinations(range(1, n + 1), m))
    keys = {"RR": [-p[0] for p in vectors], "LexiPrecision": [tuple(-place for place in p) for p in vectors]}
    rows, counts = [], []
    for name, values in keys.items():
        ordered = sorted(set(values))  # type: ignore[type-var]
        heights = [ordered.index(value) for value in values]
        for k, (p, height) in enumerate(zip(vectors, heights, strict=True)):
            tied = heights.count(height)
            rows.append((name, ",".join(map(str, p)), height, heights[:k].count(height) - (tied - 1) / 2, tied))
        counts.append(f"{name} tells {len(ordered)} apart")
    titles = (("aside", "tied rankings"), ("height", "values that are worse"))
    return Diagram(
        ("measure", "positions", "height", "aside", "tied"),
        tuple(rows),
        f"Of {comb(n, m)} rankings {', '.join(counts)}.",
        (),
        Picture("point", "aside", "height", color="positions", facet="measure", titles=titles, own_scales=("x", "y")),
    )
