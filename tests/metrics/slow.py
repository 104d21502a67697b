"""Slow, obvious versions of every metric, written from the definitions: one ranking and one request's grades in.

`TWINS` lists them by spec; the contracts hold every metric to its twin, exactly where it is not for display only.

`ranking` is a list of items, `grades` maps items to grades, `rel` is the grade from which an item is relevant.
"""

from fractions import Fraction
from math import comb

from exact_logarithms import log2
from metrics import slow_trec

INFINITE = None


def positions(ranking, grades, rel):
    """p: increasing positions of the relevant items, None for the unretrieved."""
    relevant = {item for item, grade in grades.items() if grade > 0 and (rel is None or grade >= rel)}
    actual = [k for k, item in enumerate(ranking, start=1) if item in relevant]
    return actual + [INFINITE] * (len(relevant) - len(actual))


def inverse(k):
    """The exposure of AP and RR."""
    return Fraction(1, k)


def level_share(i, m):
    """The normalisation of AP."""
    return Fraction(i, m)


def retrieved(p, cutoff):
    """(recall level, position) of what is retrieved within the cutoff."""
    return [(i, k) for i, k in enumerate(p, start=1) if k is not None and (cutoff is None or k <= cutoff)]


def average_precision(p, cutoff=None):
    return sum(Fraction(i, k) for i, k in retrieved(p, cutoff)) / Fraction(len(p))


def relative_average_precision(p, cutoff):
    return sum(Fraction(i, k) for i, k in retrieved(p, cutoff)) / Fraction(min(cutoff, len(p)))


def hits(p, cutoff=None):
    return len(retrieved(p, cutoff))


def f1(p, cutoff):
    precision, recall = Fraction(hits(p, cutoff), cutoff), Fraction(hits(p, cutoff), len(p))
    return 2 * precision * recall / (precision + recall) if precision else 0


def clipped(k):
    """LensKit's discount."""
    return 1 / log2(max(k, 2))


def clipped_dcg(ranking, grades, rel, cutoff=None):
    counted = {item: g for item, g in grades.items() if g > 0 and (rel is None or g >= rel)}
    return sum((counted.get(item, 0) * clipped(k) for k, item in enumerate(ranking[:cutoff], start=1)), Fraction(0))


def clipped_ndcg(ranking, grades, rel, cutoff=None):
    ideal = sorted((item for item, g in grades.items() if g > 0), key=lambda item: -grades[item])
    return clipped_dcg(ranking, grades, rel, cutoff) / clipped_dcg(ideal, grades, rel, cutoff)


def binary_clipped_ndcg(p, cutoff=None):
    ideal = range(1, min(len(p), cutoff or len(p)) + 1)
    return sum(clipped(k) for _, k in retrieved(p, cutoff)) / sum(map(clipped, ideal))


def reciprocal_rank(p, cutoff=None, level=1):
    return sum(Fraction(1, k) for i, k in retrieved(p, cutoff) if i == level)


def binary_ndcg(p, cutoff=None):
    ideal = range(1, min(len(p), cutoff or len(p)) + 1)
    return sum(1 / log2(k + 1) for _, k in retrieved(p, cutoff)) / sum(1 / log2(k + 1) for k in ideal)


def rbp(p, cutoff=None, persistence=Fraction(4, 5)):
    return sum((1 - persistence) * persistence ** (k - 1) for _, k in retrieved(p, cutoff))


def recall(p, cutoff=None):
    return Fraction(len(retrieved(p, cutoff)), len(p))


def r_precision(p, cutoff=None):
    return Fraction(len(retrieved(p, len(p))), len(p))


def precision(p, cutoff):
    return Fraction(len(retrieved(p, cutoff)), cutoff)


def success(p, cutoff=None):
    return int(bool(retrieved(p, cutoff)))


def tse(p, cutoff=None):
    return Fraction(0) if p[-1] is None else Fraction(1, p[-1])


def tse_ndcg(p, cutoff=None):
    return Fraction(0) if p[-1] is None else 1 / log2(p[-1] + 1)


def ncp_inverse(p, cutoff=None):
    total = sum(Fraction(1, i) for i in range(1, len(p) + 1))
    return sum(Fraction(1, i) / total * Fraction(i, k) for i, k in retrieved(p, cutoff))


def ncp_two_to_one(p, cutoff=None):
    """The first level has twice the weight of each of the others."""
    weights = [Fraction(2 if i == 1 else 1, len(p) + 1) for i in range(1, len(p) + 1)]
    return sum(weights[i - 1] * Fraction(i, k) for i, k in retrieved(p, cutoff))


def linear(p, cutoff=None, n=100):
    return Fraction(sum(1 - Fraction(k, n) for _, k in retrieved(p, cutoff))) / len(p)


def imputed(p, n):
    u = p.count(None)
    return [k for k in p if k is not None] + list(range(n - u + 1, n + 1))


def isl(p, n):
    return imputed(p, n)[0]


def tsl(p, n):
    return imputed(p, n)[-1]


def asl(p, n):
    return Fraction(sum(imputed(p, n)), len(p))


def weighted_asl(p, n, weight):
    """Sum of w_i p_i with w_i proportional to weight(i)."""
    weights = [weight(i) for i in range(1, len(p) + 1)]
    return sum(w * k for w, k in zip(weights, imputed(p, n), strict=True)) / sum(weights)


def sl3(p, n):
    return imputed(p, n)[-1] - len(p)


def recall_error(p, n):
    return asl(p, n) - Fraction(len(p) + 1, 2)


def ndcg(ranking, grades, rel, cutoff=None, gain=lambda grade: grade):
    counted = {item: gain(g) for item, g in grades.items() if g > 0 and (rel is None or g >= rel)}
    best = sorted(counted.values(), reverse=True)[:cutoff]
    dcg = sum(counted.get(item, 0) / log2(k + 1) for k, item in enumerate(ranking[:cutoff], start=1))
    return dcg / sum(g / log2(k + 1) for k, g in enumerate(best, start=1))


def dcg(ranking, grades, rel, cutoff=None, gain=lambda grade: grade):
    counted = {item: gain(g) for item, g in grades.items() if g > 0 and (rel is None or g >= rel)}
    return sum((counted.get(item, 0) / log2(k + 1) for k, item in enumerate(ranking[:cutoff], start=1)), Fraction(0))


def binary_dcg(p, cutoff=None):
    return sum((1 / log2(k + 1) for _, k in retrieved(p, cutoff)), Fraction(0))


def err(ranking, grades, rel, cutoff=None, max_grade=4):
    value, reached = Fraction(0), Fraction(1)
    for k, item in enumerate(ranking[:cutoff], start=1):
        grade = grades.get(item, 0)
        stop = Fraction(2**grade - 1, 2**max_grade) if grade > 0 and (rel is None or grade >= rel) else 0
        value += reached * stop / k
        reached *= 1 - stop
    return value


def user_model(ranking, grades, rel, continuation, cutoff, max_rel=3, min_rel=0):
    """C/W/L: the expected gain of a user who goes on from position k with probability continuation(k, gain, total)."""
    gained, looked, reached, total = Fraction(0), Fraction(0), Fraction(1), Fraction(0)
    for k in range(1, cutoff + 1):
        grade = grades.get(ranking[k - 1], 0) if k <= len(ranking) else 0
        grade = grade if rel is None or grade >= rel else 0
        gain = Fraction(min(max(grade, min_rel), max_rel) - min_rel) / (max_rel - min_rel)
        total += gain
        gained += reached * gain
        looked += reached
        reached *= continuation(k, gain, total)
    return gained / looked


def goal(k, wanted):
    return Fraction(k + wanted - 1) ** 2 / Fraction(k + wanted) ** 2


def compat(ranking, grades, rel, p=Fraction(19, 20), normalize=True):
    """Rank-biased overlap with the ideal ranking, by the sets of the first items."""
    place = {item: k for k, item in enumerate(ranking)}
    relevant = [item for item, g in grades.items() if g > 0 and (rel is None or g >= rel)]
    ideal = sorted(relevant, key=lambda item: (-grades[item], place.get(item, len(ranking))))
    depth = max(len(ranking), len(ideal))

    def overlap(one, other):
        return sum(p ** (k - 1) * Fraction(len({*one[:k]} & {*other[:k]}), k) for k in range(1, depth + 1))

    if normalize:
        return overlap(ranking, ideal) / overlap(ideal, ideal)
    return overlap(ranking, ideal) / sum(p ** (k - 1) for k in range(1, depth + 1))


def accuracy(ranking, grades, rel, cutoff=None):
    """The share of pairs of a relevant and another retrieved item of which the relevant one is above."""
    relevant = {item for item, g in grades.items() if g > 0 and (rel is None or g >= rel)}
    is_relevant = [item in relevant for item in ranking[:cutoff]]
    pairs = [(i, j) for i, yes in enumerate(is_relevant) for j, no in enumerate(is_relevant) if yes and not no]
    if not pairs:
        return int(any(is_relevant))
    return Fraction(sum(i < j for i, j in pairs), len(pairs))


def bpref(ranking, grades, rel):
    relevant = {item for item, g in grades.items() if g > 0 and (rel is None or g >= rel)}
    other = set(grades) - relevant
    value, above = Fraction(0), 0
    for item in ranking:
        if item in other:
            above += 1
        elif item in relevant:
            value += 1 - Fraction(min(above, len(relevant)), min(len(relevant), len(other))) if above else 1
    return value / len(relevant)


def judged(ranking, grades, cutoff):
    seen = ranking[:cutoff]
    return Fraction(sum(item in grades for item in seen), max(len(seen), 1))


def metric_lexirecall(p, n, epsilon=Fraction(1, 2)):
    """1 - sum of w_i p_i / n with w_1 = d^(m-1) / (1+d)^(m-1), w_i = d^(m-i) / (1+d)^(m+1-i), d = 1/(n + epsilon)."""
    d, m = 1 / (n + epsilon), len(p)
    w = [d ** (m - i) / (1 + d) ** (m + 1 - i if i > 1 else m - 1) for i in range(1, m + 1)]
    return 1 - sum(wi * pi for wi, pi in zip(w, imputed(p, n), strict=True)) / n


def mu_lp(p):
    """The ranking read as a binary number between 0 and 1."""
    return sum(Fraction(1, 2**k) for k in p if k is not None)


def lp_index(p, n):
    """Worse vectors, as a share of all others, by the first level that differs and the position of its item there."""
    p, m = imputed(p, n), len(p)
    worse = sum(comb(n - k, m - i) for i, first in enumerate(p, start=1) for k in range(first + 1, n + 1))
    return Fraction(worse, comb(n, m) - 1)


def lr_index(p, n):
    """Worse vectors, as a share of all others, by the last level that differs and the position of its item there."""
    p, m = [*imputed(p, n), n + 1], len(p)
    worse = sum(comb(k - 1, i - 1) for i in range(1, m + 1) for k in range(p[i - 1] + 1, p[i]))
    return Fraction(worse, comb(n, m) - 1)


def ncp_dcg(p, cutoff=None):
    weights = [1 / log2(i + 1) for i in range(1, len(p) + 1)]
    return sum(weights[i - 1] * Fraction(i, k) for i, k in retrieved(p, cutoff)) / sum(weights)


def on_p(twin, own_rel=None, **options):
    """A twin that sees the positions of relevant items only; with a grade of its own where a spec has ``rel``."""
    return lambda ranking, grades, rel: twin(positions(ranking, grades, own_rel or rel), **options)


def on_grades(twin, own_rel=None, **options):
    """A twin that sees every grade above 0, whatever the experiment calls relevant."""
    return lambda ranking, grades, rel: twin(ranking, grades, own_rel, **options)


def on_judged(twin):
    """A twin of rankings without their unjudged items."""
    return lambda ranking, grades, rel: twin([item for item in ranking if item in grades], grades, rel)


def uneven(grade):
    """The gains ``1:2,3:0.5``: others gain themselves."""
    return {1: 2, 3: Fraction(1, 2)}.get(grade, grade)


N = 200
"""Items in the corpus: more than any ranking of the contracts has."""
TWINS = {
    "AP": on_p(average_precision),
    "AP@3": on_p(average_precision, cutoff=3),
    "AP@10": on_p(average_precision, cutoff=10),
    "AP(rel=2)@2": on_p(average_precision, own_rel=2, cutoff=2),
    "AP(relative=true)@3": on_p(relative_average_precision, cutoff=3),
    "RR": on_p(reciprocal_rank),
    "RR@2": on_p(reciprocal_rank, cutoff=2),
    "RR(level=2)": on_p(reciprocal_rank, level=2),
    "nDCG": on_grades(ndcg),
    "nDCG@3": on_grades(ndcg, cutoff=3),
    "nDCG(gain='exp')": on_grades(ndcg, gain=lambda grade: 2**grade - 1),
    "nDCG(gain='exp')@8": on_grades(ndcg, cutoff=8, gain=lambda grade: 2**grade - 1),
    "nDCG(rel=2)": on_grades(ndcg, own_rel=2),
    "binary_nDCG": on_p(binary_ndcg),
    "binary_nDCG@2": on_p(binary_ndcg, cutoff=2),
    "DCG": on_grades(dcg),
    "DCG@3": on_grades(dcg, cutoff=3),
    "DCG(gain='exp')": on_grades(dcg, gain=lambda grade: 2**grade - 1),
    "DCG(rel=2)": on_grades(dcg, own_rel=2),
    "binary_DCG": on_p(binary_dcg),
    "binary_DCG@2": on_p(binary_dcg, cutoff=2),
    "RBP": on_p(rbp),
    "RBP(p=0.05)": on_p(rbp, persistence=Fraction(1, 20)),
    "RBP(p=0.5)@3": on_p(rbp, cutoff=3, persistence=Fraction(1, 2)),
    "R": on_p(recall),
    "R@2": on_p(recall, cutoff=2),
    "R@7": on_p(recall, cutoff=7),
    "RP": on_p(r_precision),
    "P@3": on_p(precision, cutoff=3),
    "P@7": on_p(precision, cutoff=7),
    "Success": on_p(success),
    "Success@2": on_p(success, cutoff=2),
    "Hits": on_p(hits),
    "Hits@3": on_p(hits, cutoff=3),
    "F1@3": on_p(f1, cutoff=3),
    "DCG(discount='clipped')@4": on_grades(clipped_dcg, cutoff=4),
    "nDCG(discount='clipped')": on_grades(clipped_ndcg),
    "nDCG(discount='clipped')@3": on_grades(clipped_ndcg, cutoff=3),
    "binary_nDCG(discount='clipped')@3": on_p(binary_clipped_ndcg, cutoff=3),
    "binary_DCG(discount='clipped')": on_p(lambda p: sum((clipped(k) for _, k in retrieved(p, None)), Fraction(0))),
    "TSE": on_p(tse),
    "TSE(nDCG)": on_p(tse_ndcg),
    "TSE(RP)": on_p(lambda p: int(p[-1] is not None and p[-1] <= len(p))),
    "NCP": on_p(average_precision),
    "NCP(weights='dcg')": on_p(ncp_dcg),
    "NCP(weights='inverse')@4": on_p(ncp_inverse, cutoff=4),
    "NCP(weights='2,1')": on_p(ncp_two_to_one),
    f"linear(n={N})": on_p(linear, n=N),
    "recall_level(exposure='metrics.slow:inverse', normalisation='metrics.slow:level_share')": on_p(average_precision),
    "recall_level(exposure='metrics.slow:inverse')@3": on_p(lambda p: sum(inverse(k) for _, k in retrieved(p, 3))),
    "TSE(recall_level(exposure='metrics.slow:inverse'))": on_p(tse),
    "ERR(max_grade=9)": on_grades(err, max_grade=9),
    "ERR(max_grade=9)@3": on_grades(err, cutoff=3, max_grade=9),
    "nDCG(gains='1:2,3:0.5')": on_grades(ndcg, gain=uneven),
    "DCG(gains='1:2,3:0.5')@3": on_grades(dcg, gain=uneven, cutoff=3),
    "SDCG(max_rel=3)@4": on_grades(user_model, continuation=lambda k, g, t: log2(k + 1) / log2(k + 2), cutoff=4),
    "BPM(max_rel=3)@6": on_grades(user_model, continuation=lambda k, g, t: t < 1, cutoff=6),
    "BPM(max_rel=3, T=1.5)@5": on_grades(user_model, continuation=lambda k, g, t: t < 1.5, cutoff=5),
    "INSQ(max_rel=3)@9": on_grades(user_model, continuation=lambda k, g, t: goal(k, 2), cutoff=9),
    "INSQ(max_rel=2, T=2)@9": on_grades(user_model, continuation=lambda k, g, t: goal(k, 4), cutoff=9, max_rel=2),
    "INST(max_rel=3)@9": on_grades(user_model, continuation=lambda k, g, t: goal(k, 2 - t), cutoff=9),
    "INST(max_rel=3, min_rel=1, T=2.5)@9": on_grades(
        user_model, continuation=lambda k, g, t: goal(k, 5 - t), cutoff=9, min_rel=1
    ),
    "NERR8(max_rel=3)@7": on_grades(user_model, continuation=lambda k, g, t: 1 - g, cutoff=7),
    "NERR8(rel=2, max_rel=3)@7": on_grades(user_model, own_rel=2, continuation=lambda k, g, t: 1 - g, cutoff=7),
    "NERR9(max_rel=3)@7": on_grades(user_model, continuation=lambda k, g, t: Fraction(k, k + 1) * (1 - g), cutoff=7),
    "NERR10(max_rel=3, p=0.5)@20": on_grades(user_model, continuation=lambda k, g, t: (1 - g) / 2, cutoff=20),
    "NERR11(max_rel=3)@9": on_grades(user_model, continuation=lambda k, g, t: goal(k, 2) * (1 - g), cutoff=9),
    "Compat": on_grades(compat),
    "Compat(p=0.5, normalize=false)": on_grades(compat, p=Fraction(1, 2), normalize=False),
    "Accuracy": accuracy,
    "Accuracy@3": lambda ranking, grades, rel: accuracy(ranking, grades, rel, 3),
    "bpref": bpref,
    "Judged": lambda ranking, grades, rel: judged(ranking, grades, None),
    "Judged@3": lambda ranking, grades, rel: judged(ranking, grades, 3),
    "AP(judged_only=true)": on_judged(on_p(average_precision)),
    "nDCG(judged_only=true)@3": on_judged(on_grades(ndcg, cutoff=3)),
    "P(rel=2, judged_only=true)@3": on_judged(on_p(precision, own_rel=2, cutoff=3)),
    f"ISL(n={N})": on_p(isl, n=N),
    f"TSL(n={N})": on_p(tsl, n=N),
    f"ASL(n={N})": on_p(asl, n=N),
    f"ASL(n={N}, weights='dcg')": on_p(weighted_asl, n=N, weight=lambda i: 1 / log2(i + 1)),
    f"ASL(n={N}, weights='inverse')": on_p(weighted_asl, n=N, weight=lambda i: Fraction(1, i)),
    f"ASL(n={N}, weights='2,1')": on_p(weighted_asl, n=N, weight=lambda i: Fraction(2 if i == 1 else 1)),
    f"SL3(n={N})": on_p(sl3, n=N),
    f"RecallError(n={N})": on_p(recall_error, n=N),
    f"LR(n={N})": on_p(metric_lexirecall, n=N),
    f"LR(n={N}, epsilon=0.1)": on_p(metric_lexirecall, n=N, epsilon=Fraction(1, 10)),
    "LP": on_p(mu_lp),
    f"LP_index(n={N})": on_p(lp_index, n=N),
    f"LR_index(n={N})": on_p(lr_index, n=N),
    **slow_trec.TWINS,
}
