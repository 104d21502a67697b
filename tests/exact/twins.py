"""Every metric, preference, population and ordering of the contract, as its slow twin in exact arithmetic.

Fractions where a measure is rational; where logarithms enter, fractions that are right to more than 80 digits, of which
60 count.
"""

from fractions import Fraction
from functools import partial
from math import prod

from exact_logarithms import log2
from metrics import slow as metrics
from orderings import slow as orderings
from populations import slow as populations
from preferences import slow as preferences

SIXTY = Fraction(1, 10**60)
N = 200


# Metrics: (ranking, grades, subtopics) -> value


def of_positions(function, *arguments):
    return lambda ranking, grades, subtopics: function(metrics.positions(ranking, grades, None), *arguments)


def of_grades(function, **more):
    return lambda ranking, grades, subtopics: function(ranking, grades, None, **more)


def ncp_dcg(p, cutoff=None):
    weights = [1 / log2(i + 1) for i in range(1, len(p) + 1)]
    return sum(weights[i - 1] * Fraction(i, k) for i, k in metrics.retrieved(p, cutoff)) / sum(weights)


RATIONAL = {
    "AP": of_positions(metrics.average_precision),
    "AP@10": of_positions(metrics.average_precision, 10),
    "RR": of_positions(metrics.reciprocal_rank),
    "RR(level=2)": of_positions(metrics.reciprocal_rank, None, 2),
    "RBP(p=0.8)": of_positions(metrics.rbp),
    "RBP(p=0.05)": of_positions(metrics.rbp, None, Fraction(1, 20)),
    "R@7": of_positions(metrics.recall, 7),
    "RP": of_positions(metrics.r_precision),
    "P@7": of_positions(metrics.precision, 7),
    "Success@3": of_positions(metrics.success, 3),
    "TSE": of_positions(metrics.tse),
    "NCP(weights='inverse')": of_positions(metrics.ncp_inverse),
    "NCP(weights='2,1')": of_positions(metrics.ncp_two_to_one),
    f"linear(n={N})": of_positions(metrics.linear, None, N),
    f"ISL(n={N})": of_positions(metrics.isl, N),
    f"TSL(n={N})": of_positions(metrics.tsl, N),
    f"ASL(n={N})": of_positions(metrics.asl, N),
    f"SL3(n={N})": of_positions(metrics.sl3, N),
    f"RecallError(n={N})": of_positions(metrics.recall_error, N),
    "ERR(max_grade=9)": of_grades(metrics.err, max_grade=9),
    "bpref": of_grades(metrics.bpref),
    "Judged@5": lambda ranking, grades, subtopics: metrics.judged(ranking, grades, 5),
}
LOGARITHMIC = {
    "nDCG": of_grades(metrics.ndcg),
    "nDCG@8": of_grades(metrics.ndcg, cutoff=8),
    "nDCG(gain='exp')": of_grades(metrics.ndcg, gain=lambda grade: 2**grade - 1),
    "binary_nDCG": of_positions(metrics.binary_ndcg),
    "TSE(nDCG)": of_positions(metrics.tse_ndcg),
    "NCP(weights='dcg')": of_positions(ncp_dcg),
}


# Measures of subtopics, as ndeval has them


def shown(ranking, grades, subtopics):
    """The subtopics of the item at every rank, none where it is not relevant."""
    return [subtopics[item] if grades.get(item, 0) > 0 else () for item in ranking]


def gains(lists, alpha):
    """Each subtopic counts 1 - alpha times what it did before."""
    seen, found = {}, []
    for labels in lists:
        found.append(sum(((1 - alpha) ** seen.get(label, 0) for label in labels), Fraction(0)))
        for label in labels:
            seen[label] = seen.get(label, 0) + 1
    return found


def greedy(grades, subtopics, alpha):
    """The relevant items, each next one that which gains most; of equal ones that with the largest id."""
    left, order = sorted((item for item in grades if grades[item] > 0), reverse=True), []
    while left:
        best = max(left, key=lambda item: gains([*(subtopics[i] for i in order), subtopics[item]], alpha)[-1])
        order.append(best)
        left.remove(best)
    return order


def novelty(ranking, grades, subtopics, cutoff, discount, ideal, alpha=Fraction(1, 2)):
    def discounted(lists):
        return sum(g * discount(k) for k, g in enumerate(gains(lists, alpha)[:cutoff], start=1))

    everything = {label for item in grades if grades[item] > 0 for label in subtopics[item]}
    if ideal == "greedy":
        best = discounted([subtopics[item] for item in greedy(grades, subtopics, alpha)])
    elif ideal == "all":
        best = len(everything) * sum((1 - alpha) ** (k - 1) * discount(k) for k in range(1, cutoff + 1))
    else:
        best = len(everything) / (1 - (1 - alpha) * ideal)
    return discounted(shown(ranking, grades, subtopics)) / Fraction(best)


def intent_aware(ranking, grades, subtopics, of_subtopic):
    labels = {label for item in grades if grades[item] > 0 for label in subtopics[item]}
    values = []
    for label in labels:
        graded = {item: grade for item, grade in grades.items() if label in subtopics[item]}
        values.append(of_subtopic(metrics.positions(ranking, graded, None)))
    return sum(values, Fraction(0)) / len(labels)


def strec(ranking, grades, subtopics, cutoff):
    labels = {label for item in grades if grades[item] > 0 for label in subtopics[item]}
    return Fraction(
        len({label for of_item in shown(ranking, grades, subtopics)[:cutoff] for label in of_item}), len(labels)
    )


def inverse(k):
    return Fraction(1, k)


def half(k):
    return Fraction(1, 2 ** (k - 1))


def logarithm(k):
    return 1 / log2(k + 1)


OF_SUBTOPICS = {
    "ERR_IA@20": partial(novelty, cutoff=20, discount=inverse, ideal="all"),
    "nERR_IA@20": partial(novelty, cutoff=20, discount=inverse, ideal="greedy"),
    "nERR_IA(alpha=0.3)@20": partial(novelty, cutoff=20, discount=inverse, ideal="greedy", alpha=Fraction(3, 10)),
    "NRBP": partial(novelty, cutoff=None, discount=half, ideal=Fraction(1, 2)),
    "nNRBP": partial(novelty, cutoff=None, discount=half, ideal="greedy"),
    "AP_IA": partial(intent_aware, of_subtopic=metrics.average_precision),
    "P_IA@6": partial(intent_aware, of_subtopic=lambda p: metrics.precision(p, 6)),
    "STREC@3": partial(strec, cutoff=3),
}
LOGARITHMIC_OF_SUBTOPICS = {
    "alpha_DCG@20": partial(novelty, cutoff=20, discount=logarithm, ideal="all"),
    "alpha_nDCG@20": partial(novelty, cutoff=20, discount=logarithm, ideal="greedy"),
    "alpha_nDCG(alpha=0.3)@20": partial(novelty, cutoff=20, discount=logarithm, ideal="greedy", alpha=Fraction(3, 10)),
}


# Preferences: (ranking, other, grades, subtopics) -> value


def of_levels(function):
    def compared(x, y, grades, subtopics):
        items = preferences.relevant_to(grades, None)
        return function(preferences.positions(x, items), preferences.positions(y, items))

    return compared


def of_items(function, *arguments):
    return lambda x, y, grades, subtopics: function(x, y, preferences.relevant_to(grades, None), *arguments)


PREFERENCES = {
    "RPP": lambda x, y, grades, subtopics: preferences.graded_rpp(x, y, grades, None),
    "RPP(weights='inverse')": lambda x, y, grades, subtopics: preferences.graded_rpp(x, y, grades, None, "inverse"),
    "RPP(weights='2,1')": lambda x, y, grades, subtopics: preferences.graded_rpp(x, y, grades, None, "2,1"),
    "LexiRecall": of_levels(preferences.lexirecall),
    "LexiPrecision": of_levels(preferences.lexiprecision),
    "rrLP": of_levels(preferences.rrlp),
    "OI": of_items(preferences.offline_interleaving),
    "OI(user='inverse')": of_items(preferences.offline_interleaving, "inverse"),
    "Interleaving(stops='3,2,1')": of_items(preferences.interleaving, (3, 2, 1)),
}
LOGARITHMIC_PREFERENCES = {
    "RPP(weights='dcg')": lambda x, y, grades, subtopics: preferences.graded_rpp(x, y, grades, None, "dcg"),
    "OI(user='dcg')": of_items(preferences.offline_interleaving, "dcg"),
}
SUBTOPIC_PREFERENCES = {
    "ST-RPP": lambda x, y, grades, subtopics: preferences.st_rpp(x, y, grades, subtopics, None),
    "ST-RPP(weights='inverse')": lambda x, y, grades, subtopics: preferences.st_rpp(
        x, y, grades, subtopics, None, "inverse"
    ),
}


# Populations: utilities of a run -> a number, the larger the better


def product(u):
    return prod((max(populations.FLOOR, value) for value in u), start=Fraction(1))


NUMBERS = {
    "mean": populations.mean,
    "median": populations.median,
    "quantile(share=0.3)": partial(populations.quantile, share=Fraction(3, 10)),
    "min": min,
    "max": max,
    "lower_area(share=0.6)": partial(populations.lower_area, share=Fraction(3, 5)),
    "positive": populations.positive,
    "cvar(share=0.3)": partial(populations.cvar, share=Fraction(3, 10)),
    "gain(alpha=0.5)": lambda u: Fraction(5, 2) * populations.mean(u),
    "gini": lambda u: -populations.gini(u),
    "gmean": product,  # orders as its root does
}


def first_difference(x, y, slack):
    return next((sign(a - b, slack) for a, b in zip(x, y, strict=True) if sign(a - b, slack)), 0)


def windows(u, lag):
    ordered = sorted(u)
    return [sum(ordered[k : k + lag]) for k in range(len(u) - lag + 1)]


LEXICOGRAPHIC = {
    "leximin": sorted,
    "leximax": partial(sorted, reverse=True),
    "smoothed_leximin(lag=1)": partial(windows, lag=1),
    "smoothed_leximin(lag=2)": partial(windows, lag=2),
    "smoothed_leximin(lag=n)": lambda u: [sum(u)],
}


def sign(number, slack=0):
    return 0 if abs(number) <= slack else 1 if number > 0 else -1


def ranks(scores, slack=0):
    """1 for the best; those that tie share the best of their ranks."""
    return [1 + sum(sign(other - score, slack) > 0 for other in scores) for score in scores]


def lexicographic_ranks(vectors, slack=0):
    return [1 + sum(first_difference(other, vector, slack) > 0 for other in vectors) for vector in vectors]


def settled(matrices, slack):
    """Preferences that are 0 to 60 digits are 0."""
    return [[[value if sign(value, slack) else Fraction(0) for value in row] for row in one] for one in matrices]


def scores(method, matrices, slack):
    """The scores of runs by a method; where win rates only order the runs of a request, ranks stand for them."""
    if method in ("borda", "mc4"):
        rates = [ranks(orderings.win_rates(one), slack) for one in matrices]
        matrices = [[[b - a for b in rate] for a in rate] for rate in rates]
    return orderings.METHODS[method](matrices)


METHODS = orderings.METHODS
