"""Novelty: how little known the first items are."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from tiebreak.exact import Doubles, ExactValues
from tiebreak.exact.arithmetic import doubles_from_units
from tiebreak.exact.held import Places
from tiebreak.exact.logarithms import BITS, log2_units
from tiebreak.metrics._shown_items import ShownItems
from tiebreak.projection import Positions
from tiebreak.projection.needs import Needs
from tiebreak.projection.popularity import Popularity


class Novelty(ShownItems):
    r"""Mean self-information of the first k items: the fewer users know them, the more novel (Zhou et al. 2010).

    .. math:: \frac{1}{k} \sum_{i=1}^{k} \log_2 \frac{\text{users}}{\text{users who know item } i}

    Users know what they rated above 0 in the training ratings (``train=``, ``--train``), by default in the judgements.
    An item that nobody knows counts as known to one user. 0 for an empty list.

    References
    ----------
    Zhou, Kuscsik, Liu, Medo, Wakeling and Zhang, Solving the apparent diversity-accuracy dilemma of recommender
    systems, PNAS 2010. Vargas and Castells, Rank and relevance in novelty and diversity metrics, RecSys 2011.

    Examples
    --------
    >>> train = {"u": {"a": 5}, "v": {"a": 3, "b": 4}, "w": {"a": 1}, "x": {"a": 4}}
    >>> exp = tb.Experiment({"u": {"b": 4}}, {"u": {"a": 2.0, "b": 1.0}}, train=train)
    >>> exp.evaluate("Novelty@2").to_flat_dict()      # (log2(4/4) + log2(4/1)) / 2
    {'run1/Novelty@2': 1.0}
    """

    name: ClassVar[str] = "Novelty"

    @property
    def needs(self) -> Needs:
        return replace(super().needs, popularity=True)

    def values(self, positions: Positions) -> ExactValues:
        lists, known = list(self.first_items(positions)), known_items(positions)
        shape = len(positions.runs), len(positions.requests)
        total, is_zero = Doubles.full(shape, 0.0), np.ones(shape, dtype=bool)
        shown: list[tuple[Places, Places]] = []
        for run, (request, rank, items) in enumerate(lists):
            count = np.maximum(known.count_users(items), 1)
            size = np.bincount(request, minlength=shape[1])
            shown.append((np.cumsum(size) - size, count))
            distinct, code = np.unique(count, return_inverse=True)
            units = [self_information(known.n_users, k) for k in distinct.tolist()]
            table = doubles_from_units(units, (len(units),))
            first = Doubles.full((shape[1], max(int(size.max(initial=0)), 1)), 0.0)
            first[request, rank - 1] = table[code.ravel()]
            total[run] = first.sum() / np.maximum(size, 1)
            is_zero[run, request[count < known.n_users]] = False

        def exactly(run: int, requests: Places) -> list[Fraction]:
            starts, count = shown[run]
            ends = np.append(starts[1:], len(count))
            counts = [count[starts[q] : ends[q]].tolist() for q in requests.tolist()]
            return [
                Fraction(sum(self_information(known.n_users, k) for k in one), max(len(one), 1) << BITS)
                for one in counts
            ]

        return ExactValues.from_doubles(total, 0.0, exactly, is_zero, is_rational=False)


def known_items(positions: Positions) -> Popularity:
    """How many users know each item, by the training ratings or else the judgements."""
    if positions.aspect_source is not None:
        return positions.aspect_source.known_items
    assert positions.judgements is not None, "positions with first items have judgements"
    return Popularity.from_judgements(positions.judgements)


def self_information(users: int, count: int) -> int:
    """log2(users / count), in units of 2^-BITS."""
    return log2_units(users) - log2_units(count)
