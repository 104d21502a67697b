"""The axioms of accuracy and diversity (AB 4.1), each with the pairs of rankings that it orders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise
from math import prod

from tiebreak.studies import _axiom_rankings as suggest
from tiebreak.studies._axiom_forms import AxiomMeasure
from tiebreak.studies._axiom_rankings import GRIDS, R_MAX, Item, Items, Pair, Ranking, swap
from tiebreak.studies._counterexamples import Domain, Law

ALPHA, BETA = Fraction(1, 200), Fraction(1, 2)
"""Parameters of the satisfaction s: those of the paper, for every metric."""
DEPTHS = (0, *(2**k for k in range(10)))
"""How many items are ranked above a suggested pair, at most 512."""
MOST_SHRUNK = 12
"""Longer rankings are of a suggested pair, at its least depth."""


def is_violated(measure: AxiomMeasure, pairs: Sequence[Pair]) -> list[bool]:
    """Pairs that a measure does not order as an axiom says; a tie violates it."""
    return [measure.sign(pair) <= 0 for pair in pairs]


def is_satisfied(measure: AxiomMeasure, pairs: Sequence[Pair]) -> list[bool]:
    return [measure.sign(pair) > 0 for pair in pairs]


@dataclass(frozen=True, kw_only=True)
class Axiom(Law[AxiomMeasure, Pair]):
    """An axiom: `pairs` are all that it orders by a swap in one ranking; on `suggested` rankings it often fails."""

    pairs: Callable[[Ranking], Iterator[Pair]]
    suggested: Callable[[], Iterator[Ranking]]

    @cached_property
    def on_grids(self) -> tuple[tuple[Pair, ...], ...]:
        """All pairs of each grid."""
        return tuple(self.pairs_in(grid.rankings()) for grid in GRIDS)

    def pairs_in(self, rankings: Iterable[Ranking]) -> tuple[Pair, ...]:
        """All pairs that it orders."""
        return tuple(pair for ranking in rankings for pair in self.pairs(ranking))

    def domain(self, measure: AxiomMeasure, random: Sequence[Pair]) -> Domain[Pair]:
        """Short rankings, suggested ones and random ones."""
        return Domain(self.stages(measure, random), Pair.size, self.smaller)

    def stages(self, measure: AxiomMeasure, random: Sequence[Pair]) -> Iterator[Sequence[Pair]]:
        """All pairs of each length, then the suggested and random ones; suggested first where one pair is asked for."""
        suggested = self.pairs_in(self.suggested())
        if self.asks_for_one:
            yield suggested
        yield from self.on_grids
        yield random if self.asks_for_one else (*random, *self.at_depths(measure, suggested))

    def at_depths(self, measure: AxiomMeasure, suggested: Sequence[Pair]) -> Iterator[Pair]:
        """Suggested pairs below more and more other items; where one violates the axiom, at the least such depth."""
        for pair in suggested:
            for depth in DEPTHS:
                if measure.sign(pair.below(depth)) <= 0:
                    yield pair.below(least_depth(measure, pair, depth // 2, depth))
                    break
                yield pair.below(depth)

    def smaller(self, pair: Pair) -> Iterator[list[Pair]]:
        """What it orders of either ranking without one of its items."""
        if len(pair.better) <= MOST_SHRUNK:
            shorter = (items[:k] + items[k + 1 :] for items in (pair.better, pair.worse) for k in range(len(items)))
            yield [other for items in shorter for other in self.pairs(Ranking(items, pair.interest))]


def least_depth(measure: AxiomMeasure, pair: Pair, low: int, high: int) -> int:
    """The least depth at which a pair violates an axiom, between one where it does not and one where it does."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if measure.sign(pair.below(middle)) <= 0 else (middle, high)
    return high


def satisfaction(above: Items, aspect: str) -> Fraction:
    """s: how far a user is satisfied by items that show an aspect, of which P(a | u, i) is that of AB eqs 5 and 6."""
    chances = (ALPHA if item.rating is None else BETA * item.rating / R_MAX for item in above if aspect in item.aspects)
    return 1 - prod((1 - chance for chance in chances), start=Fraction(1))


def is_rated_lower(low: Item, high: Item) -> bool:
    """Whether both have one aspect and a rating, the first a lower one."""
    return (
        len(low.aspects) == len(high.aspects) == 1
        and low.rating is not None
        and high.rating is not None
        and low.rating < high.rating
    )


def priority(ranking: Ranking, least: int = 0) -> Iterator[Pair]:
    items, interest = ranking
    for p, q in combinations(range(len(items)), 2):
        low, high = items[p], items[q]
        if is_rated_lower(low, high) and low.aspects == high.aspects and (low.rating or 0) >= least:
            yield Pair(swap(items, p, q), items, interest)


def deepness(ranking: Ranking) -> Iterator[Pair]:
    items, interest = ranking
    for p, q in combinations(range(len(items) - 1), 2):
        low, high = items[p], items[p + 1]
        if (items[q], items[q + 1]) == (low, high) and is_rated_lower(low, high) and low.aspects == high.aspects:
            yield Pair(swap(items, p, p + 1), swap(items, q, q + 1), interest)


def saturation(ranking: Ranking) -> Iterator[Pair]:
    """The preferred item is of no more interest: else that could be the reason, and not what was shown."""
    items, interest = ranking
    for p, q in combinations(range(len(items)), 2):
        low, high = items[p], items[q]
        if is_rated_lower(low, high) and low.aspects != high.aspects:
            (of_low,), (of_high,) = low.aspects, high.aspects
            is_shown_less = satisfaction(items[:p], of_low) < satisfaction(items[:p], of_high)
            if is_shown_less and interest[of_low] <= interest[of_high]:
                yield Pair(items, swap(items, p, q), interest)


def top_heaviness(ranking: Ranking) -> Iterator[Pair]:
    """The ranking (r, 0, ..., 0) beside (0, ..., 0, r, ..., r) with the same aspects at each rank."""
    items = ranking.items
    rating, half = items[0].rating, len(items) // 2
    if rating and len(items) == 2 * half and all(item.rating == 0 for item in items[1:]):
        many = (item._replace(rating=0 if rank < half else rating) for rank, item in enumerate(items))
        yield Pair(items, tuple(many), ranking.interest)


def complementary_top_heaviness(ranking: Ranking) -> Iterator[Pair]:
    return (Pair(many, one, interest) for one, many, interest in top_heaviness(ranking))


def aspect_relevance(ranking: Ranking) -> Iterator[Pair]:
    """No other item above the lower of the two shows either aspect."""
    items, interest = ranking
    for p, q in combinations(range(len(items)), 2):
        if not items[p].rating or items[p].rating != items[q].rating:
            continue
        if len(items[p].aspects) == len(items[q].aspects) == 1:
            (upper,), (lower,) = items[p].aspects, items[q].aspects
            others = frozenset[str]().union(*(items[k].aspects for k in range(q) if k != p))
            if interest[upper] > interest[lower] and not others & {upper, lower}:
                yield Pair(items, swap(items, p, q), interest)


def more_aspects(ranking: Ranking) -> Iterator[Pair]:
    items, interest = ranking
    for p in equal_neighbours(items):
        if items[p].aspects < items[p + 1].aspects:
            yield Pair(swap(items, p, p + 1), items, interest)


def more_interest(ranking: Ranking) -> Iterator[Pair]:
    items, interest = ranking
    for p in equal_neighbours(items):
        left = {aspect: share * (1 - satisfaction(items[:p], aspect)) for aspect, share in interest.items()}
        above, below = (sum(left[aspect] for aspect in items[k].aspects) for k in (p, p + 1))
        if above < below:
            yield Pair(swap(items, p, p + 1), items, interest)


def equal_neighbours(items: Items) -> Iterator[int]:
    """Places of relevant items with some aspects whose rating the next one with some aspects equals."""
    for p, (above, below) in enumerate(pairwise(items)):
        if above.rating and above.rating == below.rating and above.aspects and below.aspects:
            yield p


def missing_over_non_relevant(ranking: Ranking) -> Iterator[Pair]:
    items, interest = ranking
    for p, q in combinations(range(len(items)), 2):
        if items[p].rating == 0 and items[q].rating is None and items[q].aspects:
            yield Pair(swap(items, p, q), items, interest)


def axiom(
    name: str,
    statement: str,
    pairs: Callable[[Ranking], Iterator[Pair]],
    suggested: Callable[[], Iterator[Ranking]],
    asks_for_one: bool = False,
) -> Axiom:
    decides = is_satisfied if asks_for_one else is_violated
    return Axiom(name, statement, decides, asks_for_one=asks_for_one, pairs=pairs, suggested=suggested)


PRI = "of two items of the same one aspect, the one with the higher rating first (AB eq 17)"
DEEP = "the same swap of neighbours of one aspect is worth more at a higher rank (AB eq 18)"
NON_PRI_SAT_ASP = (
    "in some case a lower-rated item is first, as its aspect, of no more interest, was shown less (AB eq 19)"
)
TOP_HEAV = "for some n one relevant item at the top beats n behind n others, with equal aspects at each rank (AB eq 20)"
TOP_HEAV_COMP = "for some n it does not: the n relevant items behind n others beat it (AB eq 21)"
ASP_REL = (
    "of two items of one aspect each, with equal ratings, the one of more interest first, where no other item above "
    "the lower one shows either aspect (AB eq 22)"
)
MORE_ASP = (
    "of relevant neighbours with equal ratings, the one that shows the aspects of the other and more first (AB eq 23)"
)
MISS_OVER_NON = "an item without a rating before one that is not relevant (AB eq 24)"
AXIOMS = (
    axiom("Pri", PRI, priority, suggest.with_one_aspect),
    axiom("Deep", DEEP, deepness, suggest.with_one_aspect),
    axiom("NonPriSatAsp", NON_PRI_SAT_ASP, saturation, suggest.with_repeated_aspect, True),
    axiom("TopHeav", TOP_HEAV, top_heaviness, suggest.with_one_relevant, True),
    axiom("TopHeavComp", TOP_HEAV_COMP, complementary_top_heaviness, suggest.with_one_relevant, True),
    axiom("AspRel", ASP_REL, aspect_relevance, suggest.with_two_aspects),
    axiom("MoreAsp", MORE_ASP, more_aspects, suggest.with_two_aspects),
    axiom("MissOverNon", MISS_OVER_NON, missing_over_non_relevant, suggest.with_missing_rating),
    axiom(
        "Pri > 0",
        "Pri where both ratings are above 0, a narrower reading than the paper's",
        lambda ranking: priority(ranking, 1),
        suggest.with_one_aspect,
    ),
    axiom(
        "MoreAsp any",
        "MoreAsp for any two sets of aspects, by the interest left, sum of w (1 - s), a wider reading",
        more_interest,
        suggest.with_two_aspects,
    ),
)
"""In the order of the paper, then two other readings."""
