"""What populations and utilities refuse, and whether the message says what was found and what to do."""

import re
from math import inf, nan

import pytest

import tiebreak as tb
from tiebreak.errors import InputError, UnknownNameError
from tiebreak.populations import population

TABLE = {"a": {"q1": 1, "q2": 0.5}, "b": {"q1": 0, "q2": 0.75}}


def refused(*words, error=InputError):
    """An error whose message has all these words, in this order."""
    return pytest.raises(error, match="(?s)" + ".*".join(map(re.escape, words)))


# Tables


@pytest.mark.parametrize("table", [{}, {"a": {}}, {"a": {}, "b": {}}])
def test_an_empty_table_is_refused(table):
    with refused("empty", "at least one run and one request"):
        tb.Utilities(table)


def test_nan_is_missing():
    table = {"a": {"q1": 1, "q2": 1}, "b": {"q1": 1, "q2": nan}}
    with refused("1 of 4 cells are missing", 'run "b", request "q2"', "missing=0"):
        tb.Utilities(table)
    assert tb.Utilities(table, missing=0.5).values.tolist() == [[1, 1], [1, 0.5]]


@pytest.mark.parametrize("value", [inf, -inf])
def test_utilities_that_are_no_finite_numbers_are_refused(value):
    with refused('run "b", request "q2"', str(value), "finite"):
        tb.Utilities({"a": {"q1": 1, "q2": 1}, "b": {"q1": 1, "q2": value}})


def test_missing_cells_are_listed():
    with refused("2 of 4 cells are missing", 'run "a", request "r"', 'run "b", request "q"', "missing=0"):
        tb.Utilities({"a": {"q": 1}, "b": {"r": 1}})


def test_a_run_without_requests_lacks_all_of_them():
    with refused("1 of 2 cells", 'run "b", request "q"'):
        tb.Utilities({"a": {"q": 1}, "b": {}})


def test_of_many_missing_cells_the_first_five_are_listed():
    with refused("7 of 16 cells", 'request "q1"', 'request "q5"', "and 2 more") as actual:
        tb.Utilities({"a": {f"q{k}": 1 for k in range(8)}, "b": {"q0": 1}})
    assert '"q6"' not in str(actual.value)


def test_missing_cells_can_be_given_a_worth():
    utilities = tb.Utilities({"a": {"q": 1}, "b": {"r": 1}}, missing=0)
    assert utilities.values.tolist() == [[1, 0], [0, 1]]
    assert tb.Utilities({"a": {"q": 1}, "b": {"r": 1}}, missing=0.25).values.tolist() == [[1, 0.25], [0.25, 1]]


@pytest.mark.parametrize("missing", [nan, inf, "nothing"])
def test_missing_cells_are_worth_a_finite_number(missing):
    with refused("missing=", "Give a number"):
        tb.Utilities({"a": {"q": 1}, "b": {"r": 1}}, missing=missing)


def test_a_table_of_several_measures_needs_the_name_of_one(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("run,request,measure,value\na,q1,AP,1\na,q1,RR,1\n")
    with refused("scores.csv: there are several measures: AP, RR. Say which: measure='AP'"):
        tb.Utilities(path)
    with refused('unknown measure "ap". Did you mean "AP"?'):
        tb.Utilities(path, measure="ap")


def test_a_cell_that_is_there_twice_is_refused(tmp_path):
    path = tmp_path / "twice.csv"
    path.write_text("run,request,value\na,q1,1\na,q2,1\na,q1,1\n")
    with refused("twice.csv", 'run "a", request "q1" appears twice'):
        tb.Utilities(path)


def test_a_request_as_text_and_as_number_is_one_request_twice():
    with refused('run "a", request "1" appears twice'):
        tb.Utilities({"a": {1: 0.5, "1": 0.5}})


def test_a_run_as_text_and_as_number_is_refused():
    with refused('run "1"', "as text and as an integer"):
        tb.Utilities({1: {"q": 1}, "1": {"q": 1}})


def test_a_run_that_holds_no_requests_by_name_is_refused():
    with refused('run "a" cannot be read from list', "{run: {request: value}}"):
        tb.Utilities({"a": [1, 0.5]})


def test_a_value_that_is_no_number_is_refused():
    with refused('request "q"', 'run "a"', "'high'", "Give a number"):
        tb.Utilities({"a": {"q": "high"}})


def test_a_table_without_its_columns_is_refused(tmp_path):
    path = tmp_path / "columns.csv"
    path.write_text("llm,request,value\na,q1,1\n")
    with refused("columns.csv", "no column for run", "llm", "columns={'run': 'llm'}"):
        tb.Utilities(path)


@pytest.mark.parametrize("source", [5, None, [1, 2]])
def test_what_is_no_table_is_refused(source):
    with refused("utilities cannot be read from", "{run: {request: value}}"):
        tb.Utilities(source)


# Weights and groups


def test_leximin_refuses_weights():
    with refused("leximin takes no weights", "mean"):
        tb.Utilities(TABLE, weights={"q1": 1, "q2": 2}).order("leximin")


@pytest.mark.parametrize("weight", [-1, nan, inf])
def test_weights_are_finite_and_not_below_zero(weight):
    with refused('request "q2": weight=', "Give a"):
        tb.Utilities(TABLE, weights={"q1": 1, "q2": weight})


@pytest.mark.parametrize("what", ["weight", "group"])
def test_requests_without_a_weight_or_a_group_are_listed(what):
    with refused("1 of 2 requests", f"no {what}", '"q2"'):
        tb.Utilities(TABLE, **{f"{what}s": {"q1": 1}})


def test_weights_that_are_all_zero_are_refused():
    with refused("all weights are 0"):
        tb.Utilities(TABLE, weights={"q1": 0, "q2": 0})


@pytest.mark.parametrize("asked", ["evaluate", "by_group"])
def test_a_group_whose_weights_are_all_zero_is_refused(asked):
    utilities = tb.Utilities(TABLE, weights={"q1": 1, "q2": 0}, groups={"q1": "fr", "q2": "de"})
    with refused("de", "weight"):
        getattr(utilities, asked)("mean")


def test_utilities_without_groups_cannot_be_grouped():
    with refused("no groups", "groups=..."):
        tb.Utilities(TABLE).by_group("mean")


def test_a_request_in_two_groups_is_refused():
    with refused('request "q1" has two groups'):
        tb.Utilities(TABLE, groups={"q1": ["fr", "de"], "q2": "fr"})


def test_a_group_that_is_too_small_is_refused():
    utilities = tb.Utilities(
        {"a": {f"q{k}": 1 for k in range(5)}}, groups={f"q{k}": "fr" if k else "de" for k in range(5)}
    )
    with refused("share=0.25 of 1 requests is less than one request", "At least 4"):
        utilities.evaluate("auc4")


# Populations


def of_size(n, value=0.5):
    return tb.Utilities({run: {f"q{k}": value for k in range(n)} for run in "ab"})


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_lower_quartile_needs_four_requests(n):
    with refused(f"share=0.25 of {n} requests is less than one request", "At least 4 are needed"):
        of_size(n).order("auc4")
    assert of_size(4).order("auc4").n_tied == 2


def test_a_lag_beyond_the_requests_is_refused():
    with refused("the lag is 4", "3 requests", "smaller"):
        of_size(3).order("smoothed_leximin(lag=4)")
    assert of_size(3).order("smoothed_leximin(lag=3)").n_tied == 2


def test_the_lag_that_nobody_gave_is_refused_as_well_where_requests_are_few():
    with refused("the lag is 5", "3 requests"):
        of_size(3).order("smoothed_leximin")


@pytest.mark.parametrize("lag", ["0", "-1", "1.5", "true", "'two'"])
def test_a_lag_is_a_whole_number_from_one_on(lag):
    with refused("lag=", "whole number from 1"):
        population(f"smoothed_leximin(lag={lag})")


@pytest.mark.parametrize("digits", ["-1", "16", "1.5", "true", "'two'"])
def test_digits_are_a_whole_number_up_to_fifteen(digits):
    with refused("digits=", "from 0 to 15"):
        population(f"leximin(digits={digits})")


@pytest.mark.parametrize("name", ["gmean", "gini", "georisk"])
def test_utilities_below_zero_are_refused_where_they_mean_nothing(name):
    with refused(name, "below 0", "-0.25"):
        of_size(3, value=-0.25).order(name)
    assert of_size(3, value=0).order(name).n_tied == 2


def test_trisk_needs_two_requests():
    with refused("trisk", "at least 2 requests", "1"):
        of_size(1).order("trisk(baseline='a')")


@pytest.mark.parametrize("name", ["urisk", "trisk"])
def test_an_unknown_baseline_is_refused_with_a_suggestion(name):
    utilities = tb.Utilities({"bm25": TABLE["a"], "dense": TABLE["b"]})
    with refused('unknown run "bm52"', 'Did you mean "bm25"?', error=UnknownNameError):
        utilities.order(f"{name}(baseline='bm52')")


def test_an_unknown_baseline_that_reads_as_a_number_is_refused_by_name():
    with refused("7"):
        of_size(2).order("urisk(baseline=7)")


@pytest.mark.parametrize("name", ["urisk", "trisk", "T"])
def test_risk_without_a_baseline_is_refused(name):
    with refused("against a baseline", "baseline='...'"):
        of_size(2).order(name)


@pytest.mark.parametrize("spec", ["gain(alpha={})", "urisk(baseline='a', alpha={})", "georisk(alpha={})"])
@pytest.mark.parametrize("alpha", ["-1", "-0.001"])
def test_alpha_is_not_negative(spec, alpha):
    with refused(f"alpha={alpha}", "at least 0 and at most"):
        population(spec.format(alpha))


@pytest.mark.parametrize("spec", ["gain(alpha='much')", "cvar(share='some')", "gmean(floor='low')"])
def test_parameters_that_are_no_numbers_are_refused(spec):
    with refused("Give a number"):
        population(spec)


@pytest.mark.parametrize("name", ["cvar", "lower_area"])
@pytest.mark.parametrize("share", ["0", "-0.1", "1.1"])
def test_a_share_is_above_zero_and_up_to_one(name, share):
    with refused(f"share={share}", "above 0 and at most 1"):
        population(f"{name}(share={share})")


@pytest.mark.parametrize("share", ["-0.1", "1.1"])
def test_the_share_of_a_quantile_is_from_zero_to_one(share):
    with refused(f"share={share}", "at least 0 and at most 1"):
        population(f"quantile(share={share})")


def test_the_median_is_of_no_other_share():
    with refused("median"):
        population("median(share=0.3)")


@pytest.mark.parametrize("floor", ["0", "-1"])
def test_the_floor_of_the_geometric_mean_is_above_zero(floor):
    with refused(f"floor={floor}", "above 0"):
        population(f"gmean(floor={floor})")


@pytest.mark.parametrize(("wrong", "near"), [("leximim", "leximin"), ("gmeen", "gmean"), ("ginni", "gini")])
def test_an_unknown_population_is_refused_with_a_suggestion(wrong, near):
    with refused(f'unknown population "{wrong}"', f'Did you mean "{near}"?', error=UnknownNameError):
        of_size(2).evaluate(wrong)


@pytest.mark.parametrize("given", [5, None, ["mean"]])
def test_what_is_no_name_is_no_population(given):
    with refused("is not a population"):
        population(given)


def test_a_parameter_that_a_population_does_not_have_is_refused():
    with refused("gini", "no parameter 'share'"):
        population("gini(share=0.5)")


def test_a_population_of_another_metric_is_refused():
    with refused("leximin(AP)", "of RR", "not of AP"):
        tb.Utilities(TABLE, measure="RR").order("leximin(AP)")
    assert tb.Utilities(TABLE, measure="AP").order("leximin(AP)").ranking() == ["a", "b"]
    with refused("positive(P@10)", "not of P@10"):
        tb.Utilities(TABLE, measure="AP").evaluate("s@10")


@pytest.mark.parametrize("name", ["leximin", "leximax", "smoothed_leximin(lag=2)"])
def test_populations_that_only_order_have_no_number(name):
    with refused(name, "no number", "order"):
        tb.Utilities(TABLE).evaluate(name)
    with refused(name, "no number"):
        tb.Utilities(TABLE, groups={"q1": "fr", "q2": "fr"}).by_group(name)


def test_a_population_that_was_asked_for_twice_is_refused():
    with refused("twice"):
        tb.Utilities(TABLE).evaluate(["mean", "mean"])


def test_no_population_at_all_is_refused():
    with refused("no population"):
        tb.Utilities(TABLE).evaluate([])


# Curves of lags


def test_a_run_is_not_compared_with_itself():
    with refused("a cannot be compared with itself"):
        tb.Utilities(TABLE).by_lag("a", "a")


def test_unknown_runs_are_refused_by_name():
    with refused('unknown run "c"', error=UnknownNameError):
        tb.Utilities(TABLE).by_lag("a", "c")


@pytest.mark.parametrize("lags", [[0], [1, 3], [], [1.5], [True], ["1"]])
def test_lags_are_whole_numbers_up_to_the_number_of_requests(lags):
    with refused("lag", "Give"):
        tb.Utilities(TABLE).by_lag("a", "b", lags)


@pytest.mark.parametrize("more", [{"resamples": 0}, {"resamples": 1.5}, {"seed": -1}, {"seed": None}])
def test_resamples_and_seed_are_whole_numbers(more):
    with refused(f"{next(iter(more))}=", "whole number"):
        tb.Utilities(TABLE).by_lag("a", "b", **more)
