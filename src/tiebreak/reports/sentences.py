"""The answer in three sentences: who is best for whom, how certain this is, and where measures disagree.

No sentence is stronger than its test: runs differ only where `Answer.better` says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import isnan

from tiebreak._base.corrections import CORRECTIONS
from tiebreak._base.text import plural
from tiebreak.reports.answers import CORRECTION, Answer, Claims
from tiebreak.results.labels import short_names

MOST_NAMED = 4


def three_sentences(claims: Claims) -> tuple[str, str, str]:
    """Who is best for whom, how certain this is, and where measures disagree."""
    names = short_names(run for answer in claims.answers for run in answer.runs)
    return best_sentence(claims, names), certainty_sentence(claims), disagreement_sentence(claims, names)


# Who is best for whom


def best_sentence(claims: Claims, names: Mapping[str, str]) -> str:
    """Which run is best for which users; metrics speak for none."""
    answers = [answer for answer in claims.answers if answer.users]
    if not answers:
        return utility_sentence(claims, names)
    winners = {best_run(answer) for answer in answers}
    if len(answers) > 1 and len(winners) == 1 and None not in winners:
        (winner,) = winners
        return f"{names[str(winner)]} is best for every kind of user: {listing([whom(one) for one in answers])}."
    if len(answers) > 1 and not any(answer.better for answer in answers):
        lead = "; ".join(f"for {whom(answer)}, {leaders(answer, names)}" for answer in answers)
        return f"No two of the {plural(len(answers[0].runs), 'run')} were shown to differ for any kind of user: {lead}."
    return capitalise("; ".join(f"for {whom(answer)}, {verdict(answer, names)}" for answer in answers)) + "."


def utility_sentence(claims: Claims, names: Mapping[str, str]) -> str:
    """Which run has the best mean, and which comes first by its worst requests."""
    answer = claims.answers[0]
    first = [names[run] for run in claims.first_by_leximin]
    worst = f"; by its worst requests (leximin, an order without a test), {first_place(first, answer)}" if first else ""
    return f"By the mean of {answer.measure}, {verdict(answer, names)}{worst}."


def whom(answer: Answer) -> str:
    return f"{answer.users} ({answer.measure})"


def best_run(answer: Answer) -> str | None:
    """The run that was shown to be better than every other; None where there is none."""
    first, *others = answer.runs
    return first if others and all((first, other) in answer.better for other in others) else None


def leaders(answer: Answer, names: Mapping[str, str]) -> str:
    """Which runs are first in these requests."""
    return first_place([names[run] for run in answer.runs[: answer.n_first]], answer)


def first_place(first: Sequence[str], answer: Answer) -> str:
    if len(first) == 1:
        return f"{first[0]} comes first"
    return "all runs tie" if len(first) == len(answer.runs) else f"{listing(first)} tie for first place"


def verdict(answer: Answer, names: Mapping[str, str]) -> str:
    """Whether a run was shown to be best; else which one comes first, and from which it was not shown to differ."""
    first, *others = answer.runs
    if best_run(answer):
        return f"{names[first]} is best"
    if not answer.better:
        return f"{leaders(answer, names)}, but no two runs were shown to differ"
    if answer.n_first > 1:
        return leaders(answer, names)
    above = [names[run] for run in others if (run, first) in answer.better]
    although = f", although {listing(above)} {'was' if len(above) == 1 else 'were'} shown to be better" if above else ""
    rivals = [names[run] for run in others if not {(first, run), (run, first)} & answer.better]
    but = f"{', and' if above else ' but'} was not shown to differ from {listing(rivals)}" if rivals else ""
    return f"{names[first]} comes first{although}{but}"


# How certain this is


def certainty_sentence(claims: Claims) -> str:
    """How many pairs were shown to differ, by which rule, and how small a difference could have been shown."""
    tested = [answer for answer in claims.answers if answer.is_tested]
    if not tested:
        return f"There are too few requests for a test ({claims.n_requests:,}): no difference can be shown."
    together = f", with {CORRECTIONS[CORRECTION]} for all {plural(claims.n_comparisons, 'comparison')} together"
    rule = f"p < {claims.alpha:g} by {' or '.join(claims.criteria)}{together if claims.n_comparisons > 1 else ''}"
    return f"Over {plural(claims.n_requests, 'request')}, {shown_pairs(tested)} ({rule}){not_shown(tested)}."


def shown_pairs(tested: Sequence[Answer]) -> str:
    """How many pairs were shown to differ by each measure."""
    first, *others = tested
    if first.n_pairs == 1:
        return shown_pair(tested)
    if not any(answer.better for answer in tested):
        return f"none of the {first.n_pairs:,} pairs of runs was shown to differ"
    number = len(first.better)
    of_pairs = "all" if number == first.n_pairs else f"{number:,} of the"
    start = f"{of_pairs} {first.n_pairs:,} pairs of runs {'was' if number == 1 else 'were'} shown to differ by"
    return f"{start} {listing([first.measure, *(f'{len(answer.better):,} by {answer.measure}' for answer in others)])}"


def shown_pair(tested: Sequence[Answer]) -> str:
    """By which measures the only pair was shown to differ."""
    by = [answer.measure for answer in tested if answer.better]
    others = [answer.measure for answer in tested if not answer.better]
    if not by:
        return "the two runs were not shown to differ"
    return f"the two runs were shown to differ by {listing(by)}{f', but not by {listing(others)}' if others else ''}"


def not_shown(tested: Sequence[Answer]) -> str:
    """That runs may differ where no difference was shown, and how large a difference is likely to be shown."""
    if all(len(answer.better) == answer.n_pairs for answer in tested):
        return ""
    first = tested[0]
    who = "other pairs" if any(answer.better for answer in tested) else "they"
    may_differ = f"; {'they' if first.n_pairs == 1 else who} may differ all the same"
    if isnan(first.detectable):
        return may_differ
    size = f"a difference in {first.measure} has to be about {first.detectable:.2g}"
    return f"{may_differ}, and {size} to be shown with a probability of 80%"


# Where measures disagree


def disagreement_sentence(claims: Claims, names: Mapping[str, str]) -> str:
    """Pairs that two measures order in opposite ways, both shown; else whether they put different runs first."""
    answers = claims.answers
    if len(answers) < 2:
        return mean_against_leximin(claims)
    conflicts = list(contradictions(answers))
    if conflicts:
        one, other, run, rival = conflicts[0]
        pairs = {frozenset(conflict[2:]) for conflict in conflicts}
        example = "for example, " if len(pairs) > 1 else ""
        shown = f"{names[run]} was shown to be better than {names[rival]} by {one}, but worse by {other}"
        return f"Measures contradict each other on {plural(len(pairs), 'pair')} of runs: {example}{shown}."
    firsts: dict[frozenset[str], list[str]] = {}
    for answer in answers:
        firsts.setdefault(frozenset(answer.runs[: answer.n_first]), []).append(answer.measure)
    no_pair = "no pair was shown to differ in opposite ways by two measures"
    if len(firsts) == 1:
        what = "run comes" if answers[0].n_first == 1 else "runs come"
        return f"{listing([answer.measure for answer in answers])} agree on which {what} first, and {no_pair}."
    sides = []
    for runs, several in firsts.items():
        first = listing([names[run] for run in sorted(runs)])
        sides.append(f"{listing(several)} {'puts' if len(several) == 1 else 'put'} {first} first")
    return f"{'; '.join(sides)}, but {no_pair}."


def mean_against_leximin(claims: Claims) -> str:
    """Whether the mean and the worst requests put the same runs first."""
    (answer,) = claims.answers
    if not claims.first_by_leximin:
        return f"Only the mean of {answer.measure} was looked at, so there is nothing that could disagree."
    is_same = {*claims.first_by_leximin} == {*answer.runs[: answer.n_first]}
    relation = "agree" if is_same else "disagree"
    return f"The mean and the worst requests {relation} on which run comes first in this table; this is no test."


def contradictions(answers: Sequence[Answer]) -> Iterator[tuple[str, str, str, str]]:
    """Two measures and two runs: the first run is better by the first measure and worse by the second."""
    for one, other in combinations(answers, 2):
        place = {run: k for k, run in enumerate(one.runs)}
        both = [pair for pair in one.better if pair[::-1] in other.better]
        for run, rival in sorted(both, key=lambda pair: (place[pair[0]], place[pair[1]])):
            yield one.measure, other.measure, run, rival


def listing(names: Sequence[str]) -> str:
    """Names as in a sentence; of many only the first.

    Examples
    --------
    >>> listing(["a"]), listing(["a", "b", "c"]), listing(["a", "b", "c", "d", "e", "f"])
    ('a', 'a, b and c', 'a, b, c, d and 2 more')
    """
    shown = list(names) if len(names) <= MOST_NAMED + 1 else [*names[:MOST_NAMED], f"{len(names) - MOST_NAMED:,} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
