"""Slow, obvious versions of trec_eval's other measures, written from its descriptions: one ranking and its grades in.

As in `slow`, whose `TWINS` hold these too.
"""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from math import floor

from exact_logarithms import log2


def is_relevant(grade, rel):
    return grade > 0 and (rel is None or grade >= rel)


def relevant_items(grades, rel):
    return {item for item, grade in grades.items() if is_relevant(grade, rel)}


def hits(ranking, grades, rel):
    return len(relevant_items(grades, rel).intersection(ranking))


def precision_at(ranking, grades, rel, depth):
    return Fraction(hits(ranking[:depth], grades, rel), depth) if depth else Fraction(0)


# Of all that is retrieved


def set_precision(ranking, grades, rel):
    return Fraction(hits(ranking, grades, rel), len(ranking)) if ranking else Fraction(0)


def set_recall(ranking, grades, rel):
    return Fraction(hits(ranking, grades, rel), len(relevant_items(grades, rel)))


def set_relative_precision(ranking, grades, rel):
    best = min(len(ranking), len(relevant_items(grades, rel)))
    return Fraction(hits(ranking, grades, rel), best) if best else Fraction(0)


def set_f(ranking, grades, rel, beta=Fraction(1)):
    p, r = set_precision(ranking, grades, rel), set_recall(ranking, grades, rel)
    return (beta + 1) * p * r / (beta * p + r) if p else Fraction(0)


def set_ap(ranking, grades, rel):
    return set_precision(ranking, grades, rel) * set_recall(ranking, grades, rel)


def utility(ranking, grades, rel, hit=1, false_alarm=-1, miss=0, rejection=0, n=0):
    relevant = relevant_items(grades, rel)
    a, b = hits(ranking, grades, rel), sum(item not in relevant for item in ranking)
    c = len(relevant) - a
    return Fraction(hit * a + false_alarm * b + miss * c + rejection * (n - a - b - c))


def num_nonrel_judged_ret(ranking, grades, rel):
    return sum(item in grades and not is_relevant(grades[item], rel) for item in ranking)


# At positions


def rprec_mult(ranking, grades, rel, multiple):
    return precision_at(ranking, grades, rel, floor(multiple * len(relevant_items(grades, rel)) + 0.9))


def relative_precision(ranking, grades, rel, cutoff):
    return Fraction(hits(ranking[:cutoff], grades, rel), min(cutoff, len(relevant_items(grades, rel))))


def unjudged(ranking, grades, rel, cutoff):
    return Fraction(sum(item not in grades for item in ranking[:cutoff]), cutoff)


def to_nearest(number):
    return int(Decimal(number).quantize(1, ROUND_HALF_UP))


def interpolated(ranking, grades, rel, recall, rounded=to_nearest):
    """The best precision at any position at which enough relevant items are retrieved."""
    wanted = max(rounded(recall * len(relevant_items(grades, rel))), 1)
    depths = [k for k in range(1, len(ranking) + 1) if hits(ranking[:k], grades, rel) >= wanted]
    return max((precision_at(ranking, grades, rel, k) for k in depths), default=Fraction(0))


def eleven_points(ranking, grades, rel, points=range(11)):
    return sum(interpolated(ranking, grades, rel, k / 10) for k in points) / len(points)


def inferred_ap(ranking, grades, rel, epsilon=Fraction(1, 100_000)):
    total = Fraction(0)
    for k, item in enumerate(ranking, start=1):
        if not is_relevant(grades.get(item, 0), rel):
            continue
        above = [grades[other] for other in ranking[: k - 1] if other in grades]
        pooled = len(above)
        r, judged = sum(is_relevant(g, rel) for g in above), sum(g >= 0 for g in above)
        total += Fraction(1, k)
        if k > 1:  # a share (k - 1) / k of which pooled / (k - 1) is in the pool, relevant in the judged proportion
            total += Fraction(k - 1, k) * Fraction(pooled, k - 1) * (r + epsilon) / (judged + 2 * epsilon)
    return total / len(relevant_items(grades, rel))


def rbp_residual(ranking, grades, rel, p):
    unjudged = [k for k, item in enumerate(ranking) if item not in grades]
    return p ** len(ranking) + (1 - p) * sum(p**k for k in unjudged) if unjudged else Fraction(0)


# Of grades, whatever the experiment calls relevant


def gain(grades, item, rel=None):
    grade = grades.get(item, 0)
    return Fraction(grade) if is_relevant(grade, rel) else Fraction(0)


def ideal_gains(grades, rel=None):
    return sorted((gain(grades, item, rel) for item in relevant_items(grades, rel)), reverse=True)


def graded_rbp(ranking, grades, rel, p, cutoff=None, max_grade=None):
    largest = max_grade or max(1, *ideal_gains(grades))
    return (1 - p) * sum(gain(grades, item) / largest * p**k for k, item in enumerate(ranking[:cutoff]))


def g_measure(ranking, grades, rel, own_rel=None):
    ideal = ideal_gains(grades, own_rel)
    total = results = cost = Fraction(0)
    for k, item in enumerate(ranking):
        own = gain(grades, item, own_rel)
        results += own
        cost += max(ideal[k] if k < len(ideal) else 0, 1)
        if own:
            total += own / log2(2 + cost - results)
    return total / sum(ideal)


def binary_g(ranking, grades, rel):
    relevant = relevant_items(grades, rel)
    others, total = 0, Fraction(0)
    for item in ranking:
        if item in relevant:
            total += 1 / log2(2 + others)
        else:
            others += 1
    return total / len(relevant)


def ndcg_at(ranking, grades, depth):
    dcg = sum(gain(grades, item) / log2(k + 1) for k, item in enumerate(ranking[:depth], start=1))
    return dcg / sum(own / log2(k + 1) for k, own in enumerate(ideal_gains(grades)[:depth], start=1))


def ndcg_rel(ranking, grades, rel):
    depths = [ranking.index(item) + 1 if item in ranking else None for item in relevant_items(grades, None)]
    return sum(ndcg_at(ranking, grades, depth) for depth in depths) / Fraction(len(depths))


def r_ndcg(ranking, grades, rel):
    ideal = ideal_gains(grades)
    depths = [sum(own >= level for own in ideal) for level in set(ideal)]
    if len(ranking) > len(ideal) + 1:
        depths.append(None)
    return sum(ndcg_at(ranking, grades, depth) for depth in depths) / Fraction(len(depths))


def average_precision(ranking, grades, rel):
    relevant = relevant_items(grades, rel)
    precisions = [precision_at(ranking, grades, rel, k) for k, item in enumerate(ranking, start=1) if item in relevant]
    return sum(precisions, Fraction(0)) / len(relevant)


def with_options(twin, **options):
    return lambda ranking, grades, rel: twin(ranking, grades, rel, **options)


def on_gains(twin, gains):
    """A twin that sees the gains of grades in place of them; 0 where nothing gains anything."""

    def with_gains(ranking, grades, rel):
        graded = {item: gains.get(grade, grade) for item, grade in grades.items()}
        return twin(ranking, graded, None) if any(gain > 0 for gain in graded.values()) else Fraction(0)

    return with_gains


TENTH, HALF = Fraction(1, 10), Fraction(1, 2)
TWINS = {
    "NumQ": lambda ranking, grades, rel: 1,
    "NumRet": lambda ranking, grades, rel: len(ranking),
    "NumRet(rel=2)": lambda ranking, grades, rel: hits(ranking, grades, 2),
    "NumRel": lambda ranking, grades, rel: len(relevant_items(grades, rel)),
    "NumRelRet": hits,
    "NumNonrelJudgedRet": num_nonrel_judged_ret,
    "SetP": set_precision,
    "SetP(relative=true)": set_relative_precision,
    "SetF": set_f,
    "SetF(beta=0.3)": with_options(set_f, beta=Fraction(3, 10)),
    "SetAP": set_ap,
    "utility": utility,
    "utility(hit=1.5, false_alarm=-0.1, miss=-2, rejection=0.25, n=200)": with_options(
        utility, hit=Fraction(3, 2), false_alarm=-TENTH, miss=-2, rejection=Fraction(1, 4), n=200
    ),
    "RP(multiple=0.4)": with_options(rprec_mult, multiple=0.4),
    "RP(multiple=1.8)": with_options(rprec_mult, multiple=1.8),
    "P(relative=true)@3": with_options(relative_precision, cutoff=3),
    "Unjudged@3": with_options(unjudged, cutoff=3),
    "IPrec(recall=0)": with_options(interpolated, recall=0),
    "IPrec(recall=0.3)": with_options(interpolated, recall=0.3),
    "IPrec(recall=0.3, rounding='trec_eval-9')": with_options(
        interpolated, recall=0.3, rounded=lambda number: floor(number + 0.9)
    ),
    "IPrec(recall=1)": with_options(interpolated, recall=1),
    "IAP": eleven_points,
    "IAP(recalls='0.2,0.5,0.8')": with_options(eleven_points, points=(2, 5, 8)),
    "infAP": inferred_ap,
    "graded_RBP": with_options(graded_rbp, p=Fraction(4, 5)),
    "graded_RBP(p=0.5, max_grade=9)@3": with_options(graded_rbp, p=HALF, cutoff=3, max_grade=9),
    "RBP_resid": with_options(rbp_residual, p=Fraction(4, 5)),
    "RBP_resid(p=0.3)": with_options(rbp_residual, p=Fraction(3, 10)),
    "G": g_measure,
    "G(rel=2)": with_options(g_measure, own_rel=2),
    "G(gains='1:3,2:0.5')": on_gains(g_measure, {1: Fraction(3), 2: HALF}),
    "binG": binary_g,
    "nDCG_rel": ndcg_rel,
    "nDCG_rel(gains='1:0,2:5')": on_gains(ndcg_rel, {1: 0, 2: 5}),
    "RnDCG": r_ndcg,
    "RnDCG(gains='1:0,2:1')": on_gains(r_ndcg, {1: 0, 2: 1}),
    "gm": average_precision,
}
