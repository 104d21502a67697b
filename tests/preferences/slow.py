"""Slow, obvious versions of every preference, written from the equations: two rankings and one request's grades in.

`grades` maps items to grades; `rel` is the grade from which an item is relevant, None for any above 0. Positions are
1-based, `INFINITE` where an item is not retrieved. Results are exact, where logarithms enter to more than 80 digits.
`TWINS` lists them by spec; the contracts hold every preference to its twin.
"""

from fractions import Fraction
from itertools import chain, combinations
from math import inf as INFINITE  # noqa: N812 - it is a constant

from exact_logarithms import log2
from metrics import slow as metrics


def relevant_to(grades, rel):
    return [item for item, grade in grades.items() if grade > 0 and (rel is None or grade >= rel)]


def positions(ranking, items):
    """p: the increasing positions of these items."""
    return sorted(ranking.index(item) + 1 if item in ranking else INFINITE for item in items)


def sign(x):
    return (x > 0) - (x < 0)


def nearer(a, b):
    """1 where position a is nearer to the top than b, -1 where it is further down, 0 where they are the same."""
    return (a < b) - (a > b)


def weights(m, shape):
    """w_1, ..., w_m, which sum to 1."""
    raw = {
        "uniform": [Fraction(1)] * m,
        "inverse": [Fraction(1, i) for i in range(1, m + 1)],
        "dcg": [1 / log2(i + 1) for i in range(1, m + 1)],
        "2,1": [Fraction(2 if i == 1 else 1) for i in range(1, m + 1)],
    }[shape]
    return [w / sum(raw) for w in raw]


def rpp(p, p2, shape="uniform"):
    """RPP eq 4."""
    return sum(w * nearer(a, b) for w, a, b in zip(weights(len(p), shape), p, p2, strict=True))


def averaged(x, y, populations, shape):
    """The RPP of every population ``(users, items)``, weighed by its users; None where there is nobody."""
    parts = [(users, rpp(positions(x, items), positions(y, items), shape)) for users, items in populations if items]
    everybody = sum(Fraction(users) for users, _ in parts)
    return sum(users * value for users, value in parts) / everybody if everybody else None


def graded_rpp(x, y, grades, rel, shape="uniform", likely=None):
    """RPP eq 5: a population per grade, of the items with at least that grade.

    The grades are those present and p(lambda) is proportional to the number of items, unless ``likely`` has others, as
    ``{grade: p}``, with p None where it is still that number.
    """
    items = relevant_to(grades, rel)
    populations = []
    for level in {grades[item] for item in items} if likely is None else likely:
        wanted = [item for item in items if grades[item] >= level]
        p = None if likely is None else likely[level]
        populations.append((len(wanted) if p is None else p, wanted))
    return averaged(x, y, populations, shape)


def st_rpp(x, y, grades, subtopics, rel, shape="uniform", background=None, intents=None):
    """RPP eq 6: one population per subtopic, and one of all relevant items, the background.

    p(t) is proportional to the number of items; with intents, these divide the users who want one subtopic, whose
    share stays the same; `background` is the share of the others.
    """
    items = relevant_to(grades, rel)
    named = sorted({t for item in items for t in subtopics.get(item, ())})
    topics = {t: [i for i in items if t in subtopics.get(i, ())] for t in named}
    users = {t: Fraction(len(topics[t])) for t in named}
    if intents is not None:
        some, likely = sum(users.values()), sum(Fraction(intents[t]) for t in named)
        users = {t: some * Fraction(intents[t]) / likely if likely else Fraction(0) for t in named}
    anybody = Fraction(len(items))
    if background is not None:
        some, anybody = sum(users.values()), Fraction(background)
        users = {t: (1 - anybody) * users[t] / some if some else Fraction(0) for t in named}
    return averaged(x, y, [(anybody, items), *((users[t], topics[t]) for t in named)], shape)


def lexirecall(p, p2):
    """LR eq 11: from the last recall level up."""
    return next((nearer(a, b) for a, b in zip(reversed(p), reversed(p2), strict=True) if a != b), 0)


def lexiprecision(p, p2):
    """LP eq 3, sgnLP: from the first recall level down."""
    return next((nearer(a, b) for a, b in zip(p, p2, strict=True) if a != b), 0)


def reciprocal(k):
    return Fraction(0) if k == INFINITE else Fraction(1, k)


def rrlp(p, p2):
    """LP eq 2."""
    return next((reciprocal(a) - reciprocal(b) for a, b in zip(p, p2, strict=True) if a != b), Fraction(0))


def balanced_interleave(a, b, first):
    """Both rankings taken from in turn, the shorter one to its end; an item is listed once, `first` 0 lets a begin."""
    result, i, j = [], 0, 0
    while i < len(a) or j < len(b):
        from_a = j >= len(b) or (i < len(a) and (i < j or (i == j and first == 0)))
        item = a[i] if from_a else b[j]
        i, j = (i + 1, j) if from_a else (i, j + 1)
        if item not in result:
            result.append(item)
    return result


def more_found(x, y, k, items):
    """Which ranking has more of the items among its first k."""
    return sign(sum(item in x[:k] for item in items) - sum(item in y[:k] for item in items))


def offline_interleaving(x, y, items, user="uniform"):
    """RPP 5.5: clicks down the interleaved list until i relevant items are found, both starting sides averaged."""
    total = Fraction(0)
    for first in (0, 1):
        clicked = [item for item in balanced_interleave(x, y, first) if item in items]
        for w, last in zip(weights(len(clicked), user), clicked, strict=True):
            k = min(ranking.index(last) + 1 for ranking in (x, y) if last in ranking)
            total += w * more_found(x, y, k, items)
    return total / 2


def interleaving(x, y, items, stops):
    """RPP eq 2 with p(k) proportional to `stops`."""
    parts = (Fraction(w) * more_found(x, y, k, items) for k, w in enumerate(stops, start=1))
    return sum(parts) / sum(map(Fraction, stops))


def subsets(items):
    """Every subset but the empty one."""
    return chain.from_iterable(combinations(items, size) for size in range(1, len(items) + 1))


def leximin(x, y):
    """Which list of efforts is better for the worst-off, then for the next one, and so on: the smaller effort."""
    worst_first = zip(sorted(x, reverse=True), sorted(y, reverse=True), strict=True)
    return next((nearer(a, b) for a, b in worst_first if a != b), 0)


def user_leximin(p, p2, utility):
    """LR eq 10: all users who want some of the relevant items, the worst-off compared first."""
    ours, theirs = (
        sorted(utility([None if k == INFINITE else k for k in user]) for user in subsets(vector)) for vector in (p, p2)
    )
    return next((sign(a - b) for a, b in zip(ours, theirs, strict=True) if a != b), 0)


def on_p(twin, **options):
    def preferred(x, y, grades, subtopics, rel):
        items = relevant_to(grades, rel)
        return twin(positions(x, items), positions(y, items), **options)

    return preferred


def on_ranking(twin, **options):
    return lambda x, y, grades, subtopics, rel: twin(x, y, relevant_to(grades, rel), **options)


def graded(shape):
    return lambda x, y, grades, subtopics, rel: graded_rpp(x, y, grades, rel, shape)


def by_subtopic(shape, background=None):
    return lambda x, y, grades, subtopics, rel: st_rpp(x, y, grades, subtopics, rel, shape, background)


def difference_of_ap(x, y, grades, subtopics, rel):
    return metrics.average_precision(metrics.positions(x, grades, rel)) - metrics.average_precision(
        metrics.positions(y, grades, rel)
    )


TWINS = {
    "RPP": graded("uniform"),
    "RPP(weights='dcg')": graded("dcg"),
    "RPP(weights='inverse')": graded("inverse"),
    "RPP(weights='2,1')": graded("2,1"),
    "ST-RPP": by_subtopic("uniform"),
    "ST-RPP(weights='inverse')": by_subtopic("inverse"),
    "ST-RPP(background=0)": by_subtopic("uniform", 0),
    "ST-RPP(weights='dcg', background=0.25)": by_subtopic("dcg", Fraction(1, 4)),
    "LexiRecall": on_p(lexirecall),
    "LexiPrecision": on_p(lexiprecision),
    "rrLP": on_p(rrlp),
    "UserLeximin(AP)": on_p(user_leximin, utility=metrics.average_precision),
    "UserLeximin(R@2)": on_p(user_leximin, utility=lambda p: metrics.recall(p, cutoff=2)),
    "diff(AP)": difference_of_ap,
    "sign(AP)": lambda *case: sign(difference_of_ap(*case)),
    "OI": on_ranking(offline_interleaving),
    "OI(user='dcg')": on_ranking(offline_interleaving, user="dcg"),
    "OI(user='inverse')": on_ranking(offline_interleaving, user="inverse"),
    "Interleaving(stops='3,0,1')": on_ranking(interleaving, stops=(3, 0, 1)),
}
