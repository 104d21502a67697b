"""Properties of populations: the paper's examples and its table, every violation checked by plain twins."""

import json
import sys
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

from tiebreak import InputError
from tiebreak.errors import UnknownNameError
from tiebreak.populations import Aggregation, Population, population
from tiebreak.studies.properties import (
    FROM_0_TO_1,
    FROM_FLOOR,
    PAPER_PAIRS,
    PROPERTIES,
    Domain,
    Method,
    by_pairs,
    check_properties,
    of_population,
    paper_table,
    search,
    success_at_ten,
)

FLOOR = Fraction(1, 100_000)


def f(text):
    return tuple(map(Fraction, text.split()))


def pareto(x, y):
    better = [a > b for a, b in zip(x, y, strict=True)]
    worse = [a < b for a, b in zip(x, y, strict=True)]
    return any(better) and not any(worse)


REQUIRED = {
    "PP": pareto,
    "AU": lambda x, y: sum(x) / len(x) > sum(y) / len(y),
    "DP": lambda x, y: sorted(x)[0] > sorted(y)[0],
}


def auc4(x):
    worst = sorted(x)[: len(x) // 4]
    means = [sum(worst[:j]) / j for j in range(1, len(worst) + 1)]
    return sum(means) / len(means)


def gini(x):
    if not any(x):
        return Fraction(0)
    return sum(abs(a - b) for a in x for b in x) / (2 * len(x) ** 2 * (sum(x) / len(x)))


def gain(x, y, alpha=1):
    up = sum(max(0, a - b) for a, b in zip(x, y, strict=True))
    down = sum(max(0, b - a) for a, b in zip(x, y, strict=True))
    return Fraction(up - (1 + alpha) * down, len(x))


def by_number(value):
    return lambda x, y: value(x) - value(y)


def by_lists(made):
    return lambda x, y: (made(x) > made(y)) - (made(x) < made(y))


def smoothed(lag):
    return by_lists(lambda x: [sum(sorted(x)[i : i + lag]) for i in range(len(x) - lag + 1)])


TWINS = {
    "min": by_number(min),
    "lmin": by_lists(sorted),
    "avg": by_number(sum),
    "gavg": by_number(lambda x: prod(max(FLOOR, u) for u in x)),
    "s@10": by_number(lambda x: sum(1 / u <= 10 for u in x)),
    "auc4": by_number(auc4),
    "gain": lambda x, y: gain(x, y) - gain(y, x),
    "gini": by_number(lambda x: -gini(x)),
}


def sign(number):
    return (number > 0) - (number < 0)


def said(spec, x, y):
    """What a population says of two allocations."""
    method = of_population(population(spec), FROM_0_TO_1)
    scale = 200_000
    case = tuple(tuple(int(u * scale) for u in each) for each in (x, y))
    return method.compare([case], scale).signs[0]


def verified(finding, twin):
    """Whether a counterexample is one, by the twins."""
    x, y, verdict, _ = finding.counterexample
    return REQUIRED[finding.short](x, y) and {"x < y": -1, "x = y": 0}[verdict] == sign(twin(x, y))


@pytest.fixture(scope="module")
def table():
    return paper_table()


@pytest.mark.parametrize(
    ("spec", "x", "y", "stated"),
    [
        # PE 3.4: maximin is indifferent, Pareto and leximin are not; mean and difference principle disagree.
        ("min", "1 0.9 0.1", "1 0.8 0.1", 0),
        ("lmin", "1 0.9 0.1", "1 0.8 0.1", 1),
        ("avg", "1 0 0", "0.3 0.3 0.3", 1),
        ("min", "1 0 0", "0.3 0.3 0.3", -1),
        ("lmin", "1 0 0", "0.3 0.3 0.3", -1),
        # PE 5
        ("gavg", "1 0.9 0.1", "0.5 0.5 0.5", -1),
        ("avg", "1 0.9 0.1", "0.5 0.5 0.5", 1),
        ("gavg", "0.25 0.25 0.25", "1 0.9 0.1", -1),
        ("min", "0.25 0.25 0.25", "1 0.9 0.1", 1),
        ("auc4", "1 0.9 0.7 0.6 0.4 0.3 0.1 0.05", "1 0.9 0.7 0.6 0.4 0.3 0.3 0", -1),
        ("min", "1 0.9 0.7 0.6 0.4 0.3 0.1 0.05", "1 0.9 0.7 0.6 0.4 0.3 0.3 0", 1),
        ("gini", "0.6 0.5 0.5", "0.5 0.5 0.5", -1),
        ("avg", "0.6 0.5 0.5", "0.5 0.5 0.5", 1),
        ("gini", "0.8 0.6 0.5 0.3", "0.5 0.3 0.3 0.2", -1),
        ("min", "0.8 0.6 0.5 0.3", "0.5 0.3 0.3 0.2", 1),
        # PE 7: y is preferred unless the lag is n, or 1.
        ("smoothed_leximin(lag=1)", "1 0 0", "0.2 0.2 0.2", -1),
        ("smoothed_leximin(lag=2)", "1 0 0", "0.2 0.2 0.2", -1),
        ("smoothed_leximin(lag=3)", "1 0 0", "0.2 0.2 0.2", 1),
        ("smoothed_leximin(lag=1)", "0.1 0.1 0.1", "0.25 0.25 0", 1),
        ("smoothed_leximin(lag=2)", "0.1 0.1 0.1", "0.25 0.25 0", -1),
        ("smoothed_leximin(lag=3)", "0.1 0.1 0.1", "0.25 0.25 0", -1),
    ],
)
def test_examples_of_the_paper_give_the_stated_preference(spec, x, y, stated):
    assert said(spec, f(x), f(y)) == stated
    assert any({f(x), f(y)} == {a, b} for _, a, b in PAPER_PAIRS)


@pytest.mark.parametrize(
    ("short", "x", "y"),
    [
        ("PP", "1 0.9 0.1", "1 0.8 0.1"),
        ("AU", "1 0 0", "0.3 0.3 0.3"),
        ("DP", "0.3 0.3 0.3", "1 0 0"),
        ("PP", "0.6 0.5 0.5", "0.5 0.5 0.5"),
    ],
)
def test_properties_require_what_the_paper_says(short, x, y):
    (requires,) = [each.requires for each in PROPERTIES if each.short == short]
    scaled = [tuple(int(u * 20) for u in f(text)) for text in (x, y)]
    assert requires(*scaled) and not requires(*scaled[::-1])
    assert REQUIRED[short](f(x), f(y)) and not REQUIRED[short](f(y), f(x))


def test_nothing_is_required_of_equal_allocations():
    assert not any(each.requires((1, 2), (1, 2)) for each in PROPERTIES)


def test_properties_equal_their_twins_on_a_grid():
    grid = [(a, b) for a in range(4) for b in range(4)]
    for each in PROPERTIES:
        for x in grid:
            assert [each.requires(x, y) for y in grid] == [REQUIRED[each.short](x, y) for y in grid]


PRINTED = {
    ("min", "PP"): False,
    ("min", "AU"): False,
    ("min", "DP"): True,
    ("lmin", "PP"): True,
    ("lmin", "AU"): False,
    ("lmin", "DP"): True,
    ("avg", "PP"): True,
    ("avg", "AU"): True,
    ("avg", "DP"): False,
    ("gavg", "PP"): True,
    ("gavg", "AU"): False,
    ("gavg", "DP"): False,
    ("s@10", "PP"): False,
    ("s@10", "AU"): False,
    ("s@10", "DP"): False,
    ("auc4", "PP"): False,
    ("auc4", "AU"): False,
    ("auc4", "DP"): False,
    ("gain", "PP"): True,
    ("gain", "AU"): True,
    ("gain", "DP"): False,
    ("gini", "PP"): False,
    ("gini", "AU"): False,
    ("gini", "DP"): False,
}


@pytest.mark.parametrize(("method", "short"), PRINTED)
def test_table_1_is_found_as_printed(table, method, short):
    (cell,) = [cell for cell in table.cells if (cell.method, cell.finding.short) == (method, short)]
    assert cell.printed == cell.finding.holds == PRINTED[method, short]
    if cell.finding.holds:
        assert cell.finding.pairs > 10_000
    else:
        assert verified(cell.finding, TWINS[method])


def test_table_is_complete(table):
    assert [(cell.method, cell.finding.short) for cell in table.cells] == list(PRINTED)
    assert table.is_as_printed()
    shown = table.table()
    assert len(shown.rows) == 24
    assert shown.notes[0].startswith("24 of 24 cells are as printed.")
    auc = "[1, 9/10, 7/10, 3/5, 2/5, 3/10, 1/10, 1/20]"
    assert shown.rows[17][:5] == ("auc4", "DP", "no", "no", auc)
    json.dumps(table.to_dict())


def test_examples_of_the_paper_come_first(table):
    sources = {(cell.method, cell.finding.short): cell.finding.counterexample for cell in table.cells}
    assert sources["min", "PP"].source == "PE 3.4"
    assert sources["gavg", "DP"].source == "PE 5"
    assert sources["auc4", "DP"].source == "PE 5"
    assert sources["auc4", "PP"].source == "search"


def test_footnotes_of_table_1(table):
    below_floor, plain_gain, own_utility = table.footnotes
    (finding,) = below_floor.findings
    assert finding.short == "PP" and verified(finding, TWINS["gavg"])
    assert max(finding.counterexample.x) < FLOOR
    (finding,) = plain_gain.findings
    assert finding.short == "AU" and verified(finding, gain)
    assert [finding.holds for finding in own_utility.findings] == [True] * 3
    assert all(finding.pairs > 20 for finding in own_utility.findings)
    assert str(below_floor) == "gavg with utilities below its floor: PP fails: x = [1/200000], y = [0], x = y."
    assert "DP holds on " in str(own_utility)


def test_success_at_ten_is_a_position_up_to_ten():
    at_10_and_11 = (Fraction(1, 10), Fraction(1, 11))
    assert success_at_ten([at_10_and_11, at_10_and_11[:1], at_10_and_11[1:]]) == [Fraction(1, 2), 1, 0]


def test_cell_that_differs_from_the_print_is_counted(table):
    first, *others = table.cells
    changed = type(table)((first._replace(printed=True), *others), (), ())
    assert not changed.is_as_printed()
    assert changed.table().notes[0].startswith("23 of 24 cells")


@pytest.mark.parametrize(
    ("spec", "holding", "twin"),
    [
        ("mean", {"PP", "AU"}, TWINS["avg"]),
        ("leximin", {"PP", "DP"}, TWINS["lmin"]),
        ("gmean", set(), TWINS["gavg"]),
        ("smoothed_leximin(lag=1)", {"PP", "DP"}, smoothed(1)),
        ("smoothed_leximin(lag=2)", {"PP"}, smoothed(2)),
        ("smoothed_leximin", {"PP"}, smoothed(5)),
        ("leximin(digits=1)", set(), by_lists(lambda x: sorted(round(u, 1) for u in x))),
        ("leximax", {"PP"}, by_lists(lambda x: sorted(x, reverse=True))),
        ("max", set(), by_number(max)),
        ("auc4", set(), TWINS["auc4"]),
        ("gini", set(), TWINS["gini"]),
        ("gain(alpha=2.5)", {"PP", "AU"}, TWINS["avg"]),
        ("positive", set(), by_number(lambda x: sum(u > 0 for u in x))),
        ("cvar(share=0.5)", set(), by_number(lambda x: sum(sorted(x * 2)[: len(x)]))),
    ],
)
def test_violations_of_populations_are_real(spec, holding, twin):
    found = check_properties(spec)
    assert {finding.short for finding in found.findings if finding.holds} == holding
    assert all(verified(finding, twin) for finding in found.findings if not finding.holds)
    assert found.is_exact
    assert found.method == str(population(spec))


def test_share_that_is_one_of_the_fewest_requests_is_tried_on_twice_as_many():
    # 2 % are one request from 50 on, two from 100 on.
    finding = check_properties("lower_area(share=0.02)")["DP"]
    assert len(finding.counterexample.x) == 100
    assert verified(finding, by_number(lambda x: sorted(x)[0] + sum(sorted(x)[:2]) / 2))


@pytest.mark.parametrize("seed", range(3))
def test_what_is_a_minimum_of_few_requests_is_tried_on_many(seed):
    # The worst tenth of up to 10 requests is the minimum; of 11 a tenth of the second worst counts as well.
    x, y, _, source = check_properties("cvar", seed=seed)["DP"].counterexample
    assert source == "search" and 10 < len(x) < 20
    share = Fraction(len(x), 10) - 1
    of_x, of_y = (sorted(u)[0] + share * sorted(u)[1] for u in (x, y))
    assert min(x) > min(y) and of_x <= of_y


def test_populations_of_values_and_with_a_metric_are_checked_too():
    assert check_properties(population("leximin(AP)")).rows() == check_properties("lmin").rows()


def test_floor_of_a_geometric_mean_is_looked_below():
    x, y, verdict, _ = check_properties("gmean(floor=1e-9)")["PP"].counterexample
    assert (x, y, verdict) == ((Fraction(1, 2 * 10**9),), (Fraction(0),), "x = y")
    assert check_properties("gmean", utilities=FROM_FLOOR.values)["PP"].holds


def test_geometric_means_are_compared_exactly():
    # Floats lose the difference of 1e-30.
    near = Fraction(1, 2) + Fraction(1, 10**30)
    found = check_properties("gmean", utilities=(near, Fraction(1, 2), 1), pairs=20)
    assert found["PP"].holds and float(near) == 0.5


def test_aggregation_of_a_user():
    def midrange(x):
        return (min(x) + max(x)) / 2

    found = check_properties(midrange)
    assert [finding.holds for finding in found.findings] == [False] * 3
    assert all(verified(finding, by_number(midrange)) for finding in found.findings)
    assert found.method == "midrange" and found.is_exact


def test_order_function_of_a_user():
    def majority(x, y):
        return sum(sign(a - b) for a, b in zip(x, y, strict=True))

    found = check_properties(majority, name="majority of requests")
    assert found["PP"].holds
    assert not found["AU"].holds and not found["DP"].holds
    assert all(verified(found[short], majority) for short in ("AU", "DP"))
    assert found.method == "majority of requests"


def test_function_that_always_ties_violates_pareto_with_one_request():
    for function in (lambda x: 0, lambda x, y: 0):
        finding = check_properties(function, utilities=(0, 1))["PP"]
        assert finding.counterexample == ((1,), (0,), "x = y", "search")


def test_function_may_have_more_parameters_with_defaults_and_be_of_a_library():
    assert check_properties(lambda x, power=1: sum(u**power for u in x))["AU"].holds
    found = check_properties(np.mean)
    assert found["AU"].holds and found.is_exact


def test_functions_get_fractions_and_floats_are_admitted_with_a_note():
    seen = set()

    def average(x):
        seen.update(map(type, x))
        return float(sum(x)) / len(x)

    found = check_properties(average, utilities=(0, 0.5, 1), pairs=20)
    assert seen == {Fraction}
    assert found["AU"].holds and not found.is_exact
    assert found.table().notes[-1] == "Numbers of the method are floats, compared as they are."


def test_function_that_treats_requests_differently_is_caught():
    assert verified(check_properties(lambda x: sum(x[1:]))["PP"], by_number(lambda x: sum(x[1:])))
    first_twice = check_properties(lambda x: sum(x) + x[0])
    assert first_twice["PP"].holds
    assert verified(first_twice["AU"], by_number(lambda x: sum(x) + x[0]))


def test_violation_that_only_many_requests_show_is_made_simple():
    def without_the_ninth(x):
        return sum(x[:8]) + sum(x[9:])

    x, y, verdict, _ = check_properties(without_the_ninth)["PP"].counterexample
    assert (len(x), x[:8], x[8:], y, verdict) == (9, (0,) * 8, (1,), (0,) * 9, "x = y")


def test_fewest_requests_can_be_given():
    def second_worst(x):
        return sorted(x)[1]

    with pytest.raises(InputError, match=r'"second_worst" of \[1\] fails: "list index out of range".*min_requests'):
        check_properties(second_worst, utilities=(0, 1))
    found = check_properties(second_worst, min_requests=2)
    assert not any(finding.holds for finding in found.findings)
    assert "grids of 2 to 5 requests" in found.searched
    assert min(len(finding.counterexample.x) for finding in found.findings) >= 2


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda: 0, '"<lambda>" needs 0 arguments'),
        (lambda x, y, z: 0, '"<lambda>" needs 3 arguments'),
        (lambda *x: 0, '"<lambda>" needs 0 arguments'),
        (lambda x, *, power: 0, '"<lambda>" needs 2 arguments'),
        (max, "does not tell its parameters"),
        (lambda x: None, 'is "None". Return a number'),
        (lambda x: float("nan"), 'is "nan". Return a number'),
        (lambda x, y: "better", "Return a number"),
        (3, '"3" is no method'),
        (None, '"None" is no method'),
    ],
)
def test_bad_functions_are_refused(function, message):
    with pytest.raises(InputError, match=message.replace(".", r"\.")):
        check_properties(function)


@pytest.mark.parametrize("spec", ["urisk", "T", "urisk(baseline='a')", "trisk", "georisk", "GeoRisk(alpha=2)"])
def test_populations_that_need_other_systems_are_refused(spec):
    with pytest.raises(InputError, match="depends on a baseline or on all systems"):
        check_properties(spec)


def test_populations_that_need_other_systems_are_refused_as_values():
    with pytest.raises(InputError, match="georisk depends on a baseline or on all systems"):
        check_properties(population("georisk"))


def test_unknown_names_are_refused():
    with pytest.raises(UnknownNameError, match='Did you mean "leximin"'):
        check_properties("leximinn")
    with pytest.raises(UnknownNameError, match="property"):
        check_properties("min", utilities=(0, 1), pairs=0)["Pareto"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"utilities": (1,)}, "fewer than two values"),
        ({"utilities": (0, float("nan"))}, "nan is no finite number"),
        ({"utilities": (0, "1")}, "'1' is no finite number"),
        ({"utilities": (-1, 1), "method": "gini"}, "not defined for utilities below 0"),
        ({"min_requests": 0}, "min_requests=0"),
        ({"pairs": -1}, "pairs=-1"),
        ({"seed": 0.5}, "seed=0.5"),
        ({"method": "lower_area(share=0.001)"}, "needs more than 50 requests"),
    ],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(InputError, match=message):
        check_properties(**({"method": "mean"} | settings))


def test_utilities_may_be_negative_where_the_population_allows_it():
    found = check_properties("mean", utilities=(-1, -0.5, 2))
    assert found["AU"].holds and not found["DP"].holds
    assert found.searched.startswith("Searched: utilities of 3 values from -1 to 2;")
    assert set(found["DP"].counterexample.x) <= {-1, Fraction(-1, 2), 2}


def test_results_repeat_for_a_seed_and_depend_on_it():
    first, again, other = (check_properties("cvar", seed=seed).to_dict() for seed in (5, 5, 6))
    assert first == again != other


@dataclass(frozen=True)
class Broken(Aggregation):
    """A mean that forgets the best request where there are more than three."""

    name: ClassVar[str] = "broken"

    def value(self, u, weights=None):
        return sum(sorted(u.exact)[: len(u) if len(u) <= 3 else -1], Fraction(0))


def test_broken_population_is_caught_where_it_breaks():
    found = check_properties(Broken())
    twin = by_number(lambda x: sum(x) if len(x) <= 3 else sum(sorted(x)[:-1]))
    assert found["PP"].counterexample == ((1, 0, 0, 0), (0, 0, 0, 0), "x = y", "search")
    assert all(verified(finding, twin) for finding in found.findings)


@dataclass(frozen=True)
class Crowded(Population):
    """Scores that depend on which other runs there are: only a pair by itself is compared."""

    name: ClassVar[str] = "crowded"

    def scores(self, table):
        assert len(table.values) == 2
        sums = [sum(row.tolist()) for row in table.values]
        return [sum(other < own for other in sums) for own in sums]


def test_population_of_unknown_kind_is_compared_pair_by_pair():
    found = check_properties(Crowded(), utilities=(0, 0.5, 0.75), pairs=5)
    assert found["PP"].holds and found["AU"].holds and not found["DP"].holds


def test_property_that_holds_says_how_much_was_searched():
    calls = []

    def total(x, y):
        calls.append((x, y))
        return sum(x) - sum(y)

    # Of these values the paper has an example, which is on the grid too.
    domain = Domain.of("0, 0.3 and 1", f("0 0.3 1"))
    report = search(Method("total", by_pairs(total)), domain, [PROPERTIES[1]], pairs=5, seed=0)
    assert report["AU"].pairs == len(calls) == len(set(calls))


@pytest.fixture
def frames(monkeypatch):
    """A library of frames that are dictionaries."""
    monkeypatch.setitem(sys.modules, "polars", SimpleNamespace(DataFrame=dict))


@pytest.mark.usefixtures("frames")
def test_results_are_frames_too(table):
    frame = check_properties("median").to_frame()
    assert list(frame) == ["property", "holds", "x", "y", "verdict", "pairs"]
    assert frame["x"][0] == "[3/5, 1/2, 1/2]"
    frame = table.to_frame()
    assert list(frame) == ["method", "property", "printed", "holds", "x", "y", "verdict", "pairs"]
    assert frame["holds"] == frame["printed"] == list(PRINTED.values())
    assert frame["y"][2] is None


def test_names_of_users_are_escaped():
    found = check_properties(lambda x: 0, name="<b>&\x1b[31m", utilities=(0, 1), pairs=0)
    assert "<b>&" not in found._repr_html_() and "&lt;b&gt;&amp;" in found._repr_html_()
    assert "\x1b" not in repr(found) + found.to_latex() + found._repr_html_()


def test_report_reads_well():
    found = check_properties("gini")
    assert found.table().rows == (
        ("PP", "no", "[3/5, 1/2, 1/2]", "[1/2, 1/2, 1/2]", "x < y", "2"),
        ("AU", "no", "[1, 0, 0]", "[3/10, 3/10, 3/10]", "x < y", "2"),
        ("DP", "no", "[4/5, 3/5, 1/2, 3/10]", "[1/2, 3/10, 3/10, 1/5]", "x < y", "6"),
    )
    assert "gini violates PP and AU and DP. Where a property does not hold it requires x > y." in repr(found)
    assert r"x \textless{} y" in found.to_latex()
    json.dumps(found.to_dict())


def test_report_can_be_drawn_and_written_as_rows():
    found = check_properties("median")
    assert found.columns == ("property", "holds", "x", "y", "verdict", "pairs")
    assert [row[:2] for row in found.rows()] == [("PP", False), ("AU", False), ("DP", False)]
    assert found.conclusion == "median violates PP and AU and DP."
    picture, names, rows = found.picture()
    assert {picture.x, picture.y, picture.color} == set(names) and rows[0] == ("median", "PP", "violated")
    alone = check_properties("leximin")
    assert alone.conclusion == "leximin violates AU."
    assert [row[2] for row in alone.picture()[2]] == ["no violation found", "violated", "no violation found"]


def test_table_can_be_drawn_and_written_as_rows():
    found = paper_table(pairs=30)
    assert found.columns[:4] == ("method", "property", "printed", "holds")
    assert found.rows()[0][:4] == ("min", "PP", False, False) and len(found.rows()) == 24
    assert found.conclusion == "24 of 24 cells are as printed."
    assert found.picture()[2][3] == ("lmin", "PP", "no violation found")
    pytest.importorskip("altair")
    assert found.plot()
