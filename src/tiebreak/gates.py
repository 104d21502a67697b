"""Gates of releases: does a run get worse than a baseline. For continuous integration and tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from math import nan
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_choice, check_names, check_number, check_two_runs, find_run
from tiebreak._base.corrections import ALPHA, CORRECTIONS
from tiebreak._base.spec import split_specs
from tiebreak._base.text import plural
from tiebreak._kernels.interface import Tick
from tiebreak.comparison import compare_utilities
from tiebreak.errors import InputError, quote
from tiebreak.exact.decimals import decimal_number
from tiebreak.experiment import Experiment
from tiebreak.gate_report import Gate, GateCheck
from tiebreak.inputs.attributes import group_places, read_groups
from tiebreak.inputs.runs import Baselines, baseline_names
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.metrics import Metric
from tiebreak.notes import position_notes
from tiebreak.populations import Population, check_metric, is_population, population
from tiebreak.populations.swaps import DRAWS, SWAPS, check_can_be_swapped, swap_test
from tiebreak.preferences import PairValues, Preference
from tiebreak.projection.primitives import Floats
from tiebreak.results.groups import label_for_all
from tiebreak.results.pairs import UNCORRECTED
from tiebreak.significance import Significance, Test, correct_pvalues, significance, statistical_test
from tiebreak.significance.result import describe_draws
from tiebreak.significance.sample_size import POWER, detectable_difference
from tiebreak.utilities import Utilities

Places = NDArray[np.int64]
MEAN = "mean"


class Rule(NamedTuple):
    """When a run fails, and how that is tested."""

    test: str | Test
    correction: str
    alpha: float
    margin: float | None
    allow: float | None
    permutations: int | str | None
    seed: int | None
    jobs: int | None
    tick: Tick | None

    @property
    def shift(self) -> float:
        """What is added to differences before they are tested against 0."""
        return self.margin or self.allow or 0.0

    @property
    def has_margin(self) -> bool:
        return self.margin is not None or self.allow is not None


class Trial(NamedTuple):
    """One run against one baseline, before correction; `side` is that on which the evidence lies, -1 where worse."""

    run: str
    other: str
    group: str | None
    side: float
    pvalue: float
    value: float
    low: float
    high: float
    deviation: float
    n_requests: int
    n_tied: int
    test: str
    words: str


def gate(
    source: Experiment | Utilities,
    measures: str | Metric | Preference | Population | Iterable[str | Metric | Preference | Population] | None = None,
    baseline: Baselines = None,
    *,
    margin: float | None = None,
    allow: float | None = None,
    groups: Any = None,
    test: str | Test = "auto",
    correction: str = "holm",
    alpha: float = ALPHA,
    permutations: int | str | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    tick: Tick | None = None,
    columns: Any = None,
) -> Gate:
    """Whether runs pass: by default they fail where they are shown to be worse than the baseline.

    Parameters
    ----------
    source : Experiment or Utilities
    measures : str, Metric, Preference or Population, or several, optional
        By default RPP, of utilities their mean. A population such as ``"cvar(AP, share=0.1)"`` or ``"leximin(AP)"``, of
        utilities ``"cvar(share=0.1)"``, is tested by swapping the two runs in random requests.
    baseline : str or list of str, optional
        What the others must not be worse than; by default the first run.
    margin : float, optional
        Non-inferiority: a run fails unless it is shown to be no more than this much worse. With 0, unless it is shown
        to be better.
    allow : float, optional
        The other way round: a run fails only where it is shown to be more than this much worse.
    groups : path, dict or frame, optional
        The group of every request, as `read_groups` reads it: every group is tested, and all requests, and none may
        fail. By default those of the utilities.
    test, alpha, permutations, seed, jobs, tick
        As in `Comparison.test`, two-sided, so that p-values are the same. With `margin` or `allow`, ``"auto"`` is t.
    correction : str
        For the runs, baselines and groups of one measure; one of `significance.CORRECTIONS`.
    columns : dict or str, optional
        Which column of the table of groups holds what, where its name does not say so.

    Examples
    --------
    >>> import tiebreak as tb
    >>> scores = {"old": {f"q{k}": 0.5 for k in range(9)}, "new": {f"q{k}": 0.4 + k / 100 for k in range(9)}}
    >>> tb.gate(tb.Utilities(scores), baseline="old").passes, tb.gate(tb.Utilities(scores), allow=0.1).passes
    (False, True)
    """
    rule = Rule(test, correction, alpha, margin, allow, permutations, seed, jobs, tick)
    check_rule(rule)
    runs = source.runs if isinstance(source, Utilities) else tuple(run.name for run in source.runs)
    check_two_runs(runs, "a gate")
    baselines = baseline_names(baseline) or runs[:1]
    for name in baselines:
        find_run(name, runs)
    if groups is None and isinstance(source, Utilities):
        groups = source.group_by_request
    if {*runs} <= {*baselines}:
        raise InputError("the gate has nothing to test: every run is a baseline.", kind="runs")
    checks: list[GateCheck] = []
    notes: list[str] = []
    is_uncorrected = False
    for spec in gate_measures(source, measures):
        name, families = str(spec).strip(), list(gate_trials(source, spec, baselines, groups, columns, rule))
        checks += [check for trials in families for check in check_trials(name, trials, rule)]
        notes.append(caption(name, families[0], rule, has_groups=len(families) > 1))
        notes += [note for trials in families for note in contradictions(name, trials, rule)]
        is_uncorrected |= correction != "none" and any(len(trials) > 1 and has_intervals(trials) for trials in families)
    notes += [UNCORRECTED] if is_uncorrected else []
    if any(check.detectable == check.detectable for check in checks):
        notes.append(f"detectable: the mean difference that a t-test shows with a probability of {POWER:.0%}.")
    notes += source.notes if isinstance(source, Utilities) else position_notes(source.positions)
    settings = {
        "baselines": list(baselines),
        "margin": margin,
        "allow": allow,
        "alpha": alpha,
        "correction": correction,
    }
    library = source.table.library if isinstance(source, Utilities) else source.positions.library
    return Gate(tuple(checks), tuple(notes), library=library, more_settings={**settings, **source.more_settings})


def assert_not_worse(source: Experiment | Utilities, *args: Any, **how: Any) -> Gate:
    """`gate` for a test suite: an AssertionError that says why, where a run fails.

    Examples
    --------
    >>> import tiebreak as tb
    >>> scores = {"old": {"q": 0.5, "r": 0.1}, "new": {"q": 0.5, "r": 0.2}}
    >>> tb.assert_not_worse(tb.Utilities(scores), baseline="old").passes
    True
    """
    __tracebackhide__ = True  # pytest then shows the caller's line
    result = gate(source, *args, **how)
    if not result.passes:
        raise AssertionError("\n".join([*result.sentences(failures_only=True), *result.notes]))
    return result


def check_rule(rule: Rule) -> None:
    """Check all options before anything is read."""
    if rule.margin is not None and rule.allow is not None:
        raise InputError("margin and allow are two kinds of gates. Give one of them.", kind="choice")
    for name, number in (("margin", rule.margin), ("allow", rule.allow)):
        if number is not None:
            check_number(number, name, low=0)
    check_number(rule.alpha, "alpha", above=0, below=1)
    check_choice(rule.correction, "correction", CORRECTIONS)
    if not is_auto(rule.test):
        chosen = statistical_test(rule.test)
        if chosen.is_familywise or chosen.side:
            raise InputError(f"a gate takes no {chosen}: it tests runs against a baseline. Use t.", kind="choice")


def is_auto(test: str | Test) -> bool:
    return isinstance(test, str) and test.strip() == "auto"


def gate_measures(source: Experiment | Utilities, measures: Any) -> list[Any]:
    """The measures, each once."""
    if measures is None:
        return ["RPP" if isinstance(source, Experiment) else MEAN]
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        measures = [measures]
    several = [one for measure in measures for one in (split_specs(measure) if isinstance(measure, str) else [measure])]
    check_names([str(measure).strip() for measure in several], "measure", "RPP")
    return several


def gate_trials(
    source: Experiment | Utilities, spec: Any, baselines: tuple[str, ...], groups: Any, columns: Any, rule: Rule
) -> Iterator[list[Trial]]:
    """Every run against every baseline by one measure: in every group, if there are any, and over all requests.

    Groups are corrected together, all requests by themselves, as in `tiebreak test`.
    """
    chosen = population(spec) if isinstance(source, Utilities) or is_population(spec) else None
    if chosen is not None and chosen.name != MEAN:
        table = utility_table(source, chosen)
        try_part: Callable[[Any, str | None], Iterator[Trial]] = partial(population_trials, chosen, baselines, rule)
        subject, take = table, cast("Callable[[Places], Any]", table.take)
    else:
        paired = pair_values(source, spec if chosen is None else chosen, baselines)
        try_part = partial(pair_trials, str(spec).strip(), baselines, rule)
        subject, take = cast(Any, paired), paired.take_requests
    if groups is None:
        yield list(try_part(subject, None))
        return
    trials: list[Trial] = []
    places = group_places(subject.requests, read_groups(groups, columns=columns))
    for group, of_group in places.items():
        try:
            trials += try_part(take(of_group), group)
        except InputError as error:
            if error.kind != "size":
                raise
            raise InputError(f"group {quote(group)}: {error} Join it to another group.", kind="size") from None
    yield trials
    yield list(try_part(subject, label_for_all(places)))


def utility_table(source: Experiment | Utilities, chosen: Population) -> UtilityTable:
    """The utilities of a population."""
    check_can_be_swapped(chosen)
    if isinstance(source, Experiment):
        return source.utilities(cast(Metric, check_metric(chosen).metric)).table
    source._population(chosen)  # of these utilities
    if source.table.origins is not None:
        raise InputError(f'a gate by {chosen} takes no kept trials. Average them: trials="mean".', kind="trials")
    return source.table


def pair_values(source: Experiment | Utilities, measure: Any, baselines: tuple[str, ...]) -> PairValues:
    """The differences of every run from every baseline, in every request."""
    if isinstance(source, Experiment):
        chosen = check_metric(measure).metric if isinstance(measure, Population) else measure
        return source.compare(cast("str | Preference | Metric", chosen), baselines)
    source._population(measure)
    units = source.independent_units
    return compare_utilities(units.table_without_weights("a gate"), units.measure, baselines, ())


def pair_trials(
    measure: str, baselines: tuple[str, ...], rule: Rule, paired: PairValues, group: str | None
) -> Iterator[Trial]:
    """The runs of every pair, by a test of their differences."""
    test = rule.test
    if is_auto(test):
        test = "sign" if paired.is_sign and not rule.has_margin else "t"
    shifted = paired.plus(decimal_number(rule.shift)) if rule.shift else paired
    options = ("none", rule.alpha, rule.permutations, rule.seed, rule.jobs, rule.tick)
    result = significance(measure, shifted, test, *options)
    low, high = result.outcome.low - rule.shift, result.outcome.high - rule.shift
    words = f"{result.test.words}{describe_draws(result.test)}"
    numbers = zip(evidence_sides(result), result.pvalue, paired.mean, low, high, paired.deviation, strict=True)
    ties = paired.win_tie_loss[:, 1].tolist()
    for (run, other), row, tied in zip(paired.names(), numbers, ties, strict=True):
        if run not in baselines:
            more = (paired.n_requests, tied, result.test.name, words)
            yield Trial._make((run, other, group, *map(float, row), *more))


def evidence_sides(result: Significance) -> Floats:
    """On which side of 0 the evidence of each test lies; 0 where the mean lies on the other side."""
    sides = np.sign(result.paired.mean)
    if result.test.is_signed:
        statistic = result.statistic
    elif (
        result.test.is_directed
    ):  # the statistic of a rank sum has no sign: the smaller of two one-sided p-values tells
        less = significance(result.measure, result.paired, replace(result.test, alternative="less"), "none")
        greater = significance(result.measure, result.paired, replace(result.test, alternative="greater"), "none")
        statistic = less.pvalue - greater.pvalue
    else:
        statistic = sides
    return np.where(np.sign(statistic) * sides < 0, 0.0, sides)


def population_trials(
    chosen: Population, baselines: tuple[str, ...], rule: Rule, table: UtilityTable, group: str | None
) -> Iterator[Trial]:
    """Every run against every baseline, by a test of a population."""
    if rule.has_margin or not is_auto(rule.test):
        raise InputError(
            f"{chosen} has a test of its own, without a margin. Leave out test, margin and allow.", kind="choice"
        )
    draws = DRAWS if rule.permutations is None else check_draws(rule.permutations)
    for other in baselines:
        for run in table.runs:
            if run not in baselines:
                places = [find_run(name, table.runs) for name in (run, other)]
                pair = table.take_runs(places)
                value, pvalue = swap_test(chosen.bare, pair, draws, rule.seed or 0, rule.tick)
                codes = pair.numbers.codes(by_column=True)
                tied = int((codes[0] == codes[1]).sum())
                numbers = (np.sign(value), pvalue, value, nan, nan, nan)
                words = f"{SWAPS} ({draws:,} draws, seed {rule.seed or 0})"
                more = (len(table.requests), tied, "swap", words)
                yield Trial._make((run, other, group, *map(float, numbers), *more))


def check_draws(permutations: int | str) -> int:
    return int(check_number(cast(float, permutations), "permutations", low=1))


def check_trials(measure: str, trials: list[Trial], rule: Rule) -> Iterator[GateCheck]:
    """Every trial with its corrected p-value, and whether the run passes."""
    corrected = correct_pvalues([trial.pvalue for trial in trials], rule.correction)
    level = rule.alpha / (len(trials) if rule.correction in ("bonferroni", "holm") else 1)
    for trial, pvalue in zip(trials, corrected.tolist(), strict=True):
        side = trial.side if pvalue < rule.alpha else 0
        yield GateCheck(
            trial.run,
            trial.other,
            trial.group,
            measure,
            side >= 0 if rule.margin is None else side > 0,
            trial.value,
            trial.low,
            trial.high,
            pvalue,
            float(detectable_difference(trial.deviation, trial.n_requests, alpha=level)[0]),
            trial.n_requests,
            trial.n_tied,
            trial.test,
            rule.correction,
            rule.alpha,
            nan if rule.margin is None else rule.margin,
            nan if rule.allow is None else rule.allow,
        )


def caption(measure: str, trials: list[Trial], rule: Rule, has_groups: bool) -> str:
    """When a run fails by a measure, in a sentence."""
    if rule.margin is not None:
        shown = f"no more than {rule.margin:g} worse" if rule.margin else "better"
        how = f"fails unless it is shown to be {shown}"
    else:
        how = f"fails where it is shown to be {f'more than {rule.allow:g} worse' if rule.allow else 'worse'}"
    is_corrected = rule.correction != "none" and len(trials) > 1
    by = f", with {CORRECTIONS[rule.correction]} for {plural(len(trials), 'comparison')}" if is_corrected else ""
    apart = " in groups; all requests are tested by themselves" if has_groups else ""
    return f"{measure}: a run {how}, p < {rule.alpha:g} by {trials[0].words}{by}{apart}."


def has_intervals(trials: list[Trial]) -> bool:
    """Whether there are intervals, which populations do not have."""
    return any(trial.low == trial.low for trial in trials)


def contradictions(measure: str, trials: list[Trial], rule: Rule) -> Iterator[str]:
    """Runs of which the test and the mean say opposite things: they count as not shown to differ."""
    corrected = correct_pvalues([trial.pvalue for trial in trials], rule.correction).tolist()
    for trial, pvalue in zip(trials, corrected, strict=True):
        if pvalue < rule.alpha and trial.side == 0:
            pair = f"{quote(trial.run)} and {quote(trial.other)}"
            yield f"{measure}: the test and the mean of {pair} point to different sides, so neither is taken as better."
