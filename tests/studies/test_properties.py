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
from tiebreak.studies import properties
from tiebreak.studies._population_orders import Order, population_order
from tiebreak.studies._properties import EXAMPLES, FROM_0_TO_1, LAWS

pytestmark = pytest.mark.slow  # searches and drawings of many cases

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


def by_lists(result):
    return lambda x, y: (result(x) > result(y)) - (result(x) < result(y))


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


def verdict(spec, x, y):
    """What a population says of two allocations."""
    scale = 200_000
    order = population_order(population(spec), scale)
    case = tuple(tuple(int(u * scale) for u in each) for each in (x, y))
    return order.signs([case])[0]


def found(*args, **options):
    """The rows of a method by law."""
    return {row["law"]: row for row in properties(*args, **options).records()}


def pair(row):
    """Both allocations of a counterexample."""
    return tuple(f(row[side].strip("[]").replace(",", "")) for side in ("x", "y"))


def holding(rows):
    return {law for law, row in rows.items() if row["holds"]}


def is_real(row, twin):
    """Whether a counterexample is one, by the twins."""
    x, y = pair(row)
    return REQUIRED[row["law"]](x, y) and {"x < y": -1, "x = y": 0}[row["verdict"]] == sign(twin(x, y))


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
    assert verdict(spec, f(x), f(y)) == stated
    assert any({f(x), f(y)} == {f(a), f(b)} for a, b in EXAMPLES)


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
    (applies,) = [law.applies for law in LAWS if law.name == short]
    scaled = tuple(tuple(int(u * 20) for u in f(text)) for text in (x, y))
    assert applies(scaled) and not applies(scaled[::-1])
    assert REQUIRED[short](f(x), f(y)) and not REQUIRED[short](f(y), f(x))


def test_nothing_is_required_of_equal_allocations():
    assert not any(law.applies(((1, 2), (1, 2))) for law in LAWS)


def test_properties_equal_their_twins_on_a_grid():
    grid = [(a, b) for a in range(4) for b in range(4)]
    for law in LAWS:
        for x in grid:
            assert [law.applies((x, y)) for y in grid] == [REQUIRED[law.name](x, y) for y in grid]


def test_default_populations_are_those_of_the_paper():
    table = properties(pairs=60)
    assert [row[:3] for row in table.rows() if row[2]] == [
        ("min", "DP", True),
        ("leximin", "PP", True),
        ("leximin", "DP", True),
        ("mean", "PP", True),
        ("mean", "AU", True),
        ("gain", "PP", True),
        ("gain", "AU", True),
    ]
    assert all(row["tried"] > 7_000 for row in table.records() if row["holds"])
    twins = TWINS | {
        "leximin": TWINS["lmin"],
        "mean": TWINS["avg"],
        "gmean": TWINS["gavg"],
        "lower_area": TWINS["auc4"],
    }
    assert all(is_real(row, twins[row["measure"]]) for row in table.records() if not row["holds"])
    json.dumps(table.to_dict())


def test_examples_of_the_paper_come_first_and_stay_as_they_are():
    assert pair(found("min")["PP"]) == (f("1 0.9 0.1"), f("1 0.8 0.1"))
    assert pair(found("auc4")["DP"]) == (f(EXAMPLES[-1][0]), f(EXAMPLES[-1][1]))
    assert pair(found("auc4")["PP"]) == (f("1 0 0 0"), f("0 0 0 0"))


def test_what_holds_depends_on_the_utilities():
    from_floor = [max(FLOOR, u) for u in FROM_0_TO_1]
    assert found("gmean", utilities=from_floor)["PP"]["holds"] and not found("gmean")["PP"]["holds"]
    # Success within ten positions of one relevant item, by its reciprocal rank; and of utilities of 0 and 1.
    assert holding(found("s@10", utilities=(0, 1))) == {"PP", "AU", "DP"}
    ranks = [Fraction(1, p) for p in range(1, 21)]
    by_rank = found(lambda x: sum(u >= Fraction(1, 10) for u in x), utilities=ranks)
    assert holding(by_rank) == set() and all(is_real(row, TWINS["s@10"]) for row in by_rank.values())


def test_gain_itself_is_not_utilitarian():
    assert is_real(found(gain)["AU"], gain)


@pytest.mark.parametrize(
    ("spec", "satisfied", "twin"),
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
def test_violations_of_populations_are_real(spec, satisfied, twin):
    rows = found(spec, pairs=60)
    assert holding(rows) == satisfied
    assert all(is_real(row, twin) for row in rows.values() if not row["holds"])
    assert not any("Floats" in note for note in properties(spec, pairs=5).notes)
    assert {row["measure"] for row in rows.values()} == {str(population(spec))}


def test_share_that_is_one_of_the_fewest_requests_is_tried_on_twice_as_many():
    # 2 % are one request from 50 on, two from 100 on.
    row = found("lower_area(share=0.02)")["DP"]
    assert len(pair(row)[0]) == 100
    assert is_real(row, by_number(lambda x: sorted(x)[0] + sum(sorted(x)[:2]) / 2))


@pytest.mark.parametrize("seed", range(2))
def test_what_is_a_minimum_of_few_requests_is_tried_on_many(seed):
    # The worst tenth of up to 10 requests is the minimum; of 11 a tenth of the second worst counts as well.
    x, y = pair(found("cvar", seed=seed)["DP"])
    assert 10 < len(x) < 20
    share = Fraction(len(x), 10) - 1
    of_x, of_y = (sorted(u)[0] + share * sorted(u)[1] for u in (x, y))
    assert min(x) > min(y) and of_x <= of_y


def test_populations_of_values_and_with_a_metric_are_checked_too():
    with_metric, plain = (properties(method, name="leximin") for method in (population("leximin(AP)"), "lmin"))
    assert with_metric.rows() == plain.rows()


def test_floor_of_a_geometric_mean_is_looked_below():
    row = found("gmean(floor=1e-9)")["PP"]
    assert (*pair(row), row["verdict"]) == ((Fraction(1, 2 * 10**9),), (Fraction(0),), "x = y")


def test_geometric_means_are_compared_exactly():
    # Floats lose the difference of 1e-30.
    near = Fraction(1, 2) + Fraction(1, 10**30)
    assert found("gmean", utilities=(near, Fraction(1, 2), 1), pairs=20)["PP"]["holds"] and float(near) == 0.5


def test_aggregation_of_a_user():
    def midrange(x):
        return (min(x) + max(x)) / 2

    rows = found(midrange)
    assert holding(rows) == set()
    assert all(is_real(row, by_number(midrange)) and row["measure"] == "midrange" for row in rows.values())


def test_order_function_of_a_user():
    def majority(x, y):
        return sum(sign(a - b) for a, b in zip(x, y, strict=True))

    rows = found(majority, name="majority of requests")
    assert holding(rows) == {"PP"}
    assert all(is_real(rows[law], majority) for law in ("AU", "DP"))
    assert rows["PP"]["measure"] == "majority of requests"


def test_function_that_always_ties_violates_pareto_with_one_request():
    for function in (lambda x: 0, lambda x, y: 0):
        row = found(function, utilities=(0, 1))["PP"]
        assert (*pair(row), row["verdict"]) == ((1,), (0,), "x = y")


def test_function_may_have_more_parameters_with_defaults_and_be_of_a_library():
    assert found(lambda x, power=1: sum(u**power for u in x), pairs=20)["AU"]["holds"]
    assert found(np.mean, pairs=20)["AU"]["holds"]


def test_functions_get_fractions_and_floats_are_admitted_with_a_note():
    seen = set()

    def average(x):
        seen.update(map(type, x))
        return float(sum(x)) / len(x)

    table = properties(average, utilities=(0, 0.5, 1), pairs=20)
    assert seen == {Fraction}
    assert table.rows()[1][2] and table.notes[-1] == "Floats that a method returned were compared as they are."


def test_function_that_treats_requests_differently_is_caught():
    assert is_real(found(lambda x: sum(x[1:]))["PP"], by_number(lambda x: sum(x[1:])))
    first_twice = found(lambda x: sum(x) + x[0], pairs=50)
    assert first_twice["PP"]["holds"]
    assert is_real(first_twice["AU"], by_number(lambda x: sum(x) + x[0]))


def test_violation_that_only_many_requests_show_is_made_simple():
    def without_the_ninth(x):
        return sum(x[:8]) + sum(x[9:])

    row = found(without_the_ninth)["PP"]
    x, y = pair(row)
    assert (len(x), x[:8], x[8:], y, row["verdict"]) == (9, (0,) * 8, (1,), (0,) * 9, "x = y")


def test_fewest_requests_can_be_given():
    def second_worst(x):
        return sorted(x)[1]

    with pytest.raises(InputError, match=r'"second_worst" of \[1\] fails: "list index out of range".*min_requests'):
        properties(second_worst, utilities=(0, 1))
    table = properties(second_worst, min_requests=2)
    assert any("grids of 2 to 5 requests" in note for note in table.notes)
    assert all(not row["holds"] and len(pair(row)[0]) >= 2 for row in table.records())


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda: 0, '"<lambda>" needs 0 arguments'),
        (lambda x, y, z: 0, '"<lambda>" needs 3 arguments'),
        (lambda *x: 0, '"<lambda>" needs 0 arguments'),
        (lambda x, *, power: 0, '"<lambda>" needs 2 arguments'),
        (max, "has no signature that Python can inspect"),
        (lambda x: None, 'is "None". Return a number'),
        (lambda x: float("nan"), 'is "nan". Return a number'),
        (lambda x, y: "better", "Return a number"),
        (3, '"3" is neither a population nor a function'),
        (2.5, '"2.5" is neither a population nor a function'),
    ],
)
def test_bad_functions_are_refused(function, message):
    with pytest.raises(InputError, match=message.replace(".", r"\.")):
        properties(function)


@pytest.mark.parametrize("spec", ["urisk", "T", "urisk(baseline='a')", "trisk", "georisk", "GeoRisk(alpha=2)"])
def test_populations_that_need_other_systems_are_refused(spec):
    with pytest.raises(InputError, match="depends on a baseline or on all systems"):
        properties(spec)


def test_populations_that_need_other_systems_are_refused_as_values():
    with pytest.raises(InputError, match="georisk depends on a baseline or on all systems"):
        properties(population("georisk"))


def test_unknown_names_are_refused():
    with pytest.raises(UnknownNameError, match='Did you mean "leximin"'):
        properties("leximinn")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"utilities": (1,)}, "utilities needs at least two values"),
        ({"utilities": (0, float("nan"))}, "utility=nan. Give a finite number"),
        ({"utilities": (0, "1")}, "utility='1'. Give a finite number"),
        ({"methods": []}, "no method was given"),
        ({"utilities": (-1, 1), "methods": "gini"}, "not defined for utilities below 0"),
        ({"min_requests": 0}, "min_requests=0"),
        ({"pairs": -1}, "pairs=-1"),
        ({"seed": 0.5}, "seed=0.5"),
        ({"methods": "lower_area(share=0.001)"}, "needs more than 50 requests"),
    ],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(InputError, match=message):
        properties(**({"methods": "mean"} | settings))


def test_utilities_may_be_negative_where_the_population_allows_it():
    table = properties("mean", utilities=(-1, -0.5, 2), pairs=40)
    rows = {row["law"]: row for row in table.records()}
    assert rows["AU"]["holds"] and not rows["DP"]["holds"]
    assert any(note.startswith("Searched: utilities of 3 values from -1 to 2;") for note in table.notes)
    assert set(pair(rows["DP"])[0]) <= {-1, Fraction(-1, 2), 2}


def test_results_repeat_for_a_seed_and_depend_on_it():
    first, again, other = (properties("cvar", seed=seed, pairs=100).rows() for seed in (5, 5, 6))
    assert first == again != other


@dataclass(frozen=True)
class Broken(Aggregation):
    """A mean that forgets the best request where there are more than three."""

    name: ClassVar[str] = "broken"

    def value(self, u, weights=None):
        return sum(sorted(u.exact)[: len(u) if len(u) <= 3 else -1], Fraction(0))


def test_broken_population_is_caught_where_it_breaks():
    rows = found(Broken())
    twin = by_number(lambda x: sum(x) if len(x) <= 3 else sum(sorted(x)[:-1]))
    assert (*pair(rows["PP"]), rows["PP"]["verdict"]) == ((1, 0, 0, 0), (0, 0, 0, 0), "x = y")
    assert all(is_real(row, twin) for row in rows.values())


@dataclass(frozen=True)
class Crowded(Population):
    """Scores that depend on which other runs there are: only a pair by itself is compared."""

    name: ClassVar[str] = "crowded"

    def scores(self, table):
        assert len(table.values) == 2
        sums = [sum(row.tolist()) for row in table.values]
        return [sum(other < own for other in sums) for own in sums]


def test_population_of_unknown_kind_is_compared_pair_by_pair():
    assert holding(found(Crowded(), utilities=(0, 0.5, 0.75), pairs=5)) == {"PP", "AU"}


def test_law_that_holds_says_how_much_was_searched():
    calls = []

    def total(x, y):
        calls.append((x, y))
        return sum(x) - sum(y)

    # Of these values the paper has an example, which is on the grid too. What DP requires alone is of no higher sum.
    rows = found(total, utilities=f("0 0.3 1"), pairs=5)
    assert len(calls) == len(set(calls))
    assert rows["AU"]["tried"] == sum(sum(x) > sum(y) for x, y in calls)


def test_a_pair_is_compared_once_for_all_laws():
    seen = []
    order = Order("first", lambda pair: seen.append(pair) or pair, 1, in_pairs=True)
    assert order.signs([((1,), (0,)), ((0,), (1,))]) == order.signs([((1,), (0,)), ((0,), (1,))]) == [1, -1]
    assert len(seen) == 2


@pytest.fixture
def frames(monkeypatch):
    """A library of frames that are dictionaries."""
    monkeypatch.setitem(sys.modules, "polars", SimpleNamespace(DataFrame=dict))


@pytest.mark.usefixtures("frames")
def test_results_are_frames_too():
    frame = properties("median").to_frame()
    assert list(frame) == ["measure", "law", "holds", "tried", "x", "y", "verdict"]
    assert frame["x"][0] == "[3/5, 1/2, 1/2]" and properties("leximin", pairs=5).to_frame()["y"][0] is None


def test_names_of_users_are_escaped():
    table = properties(lambda x: 0, name="<b>&\x1b[31m", utilities=(0, 1), pairs=0)
    assert "<b>&" not in table._repr_html_() and "&lt;b&gt;&amp;" in table._repr_html_()
    assert "\x1b" not in repr(table) + table.to_latex() + table._repr_html_()


def test_table_reads_well():
    table = properties(["gini", "leximin"], pairs=20)
    assert table.table().header == ("law", "gini", "leximin", "tried")
    assert [row[:3] for row in table.table().rows] == [("PP", "no", "yes"), ("AU", "no", "no"), ("DP", "no", "yes")]
    assert "of 3 laws: gini 0, leximin 2." in table.conclusion
    assert "PP of gini fails: x = [3/5, 1/2, 1/2], y = [1/2, 1/2, 1/2]: x < y." in table.table().notes
    assert "gini & leximin" in table.to_latex()


def test_table_can_be_drawn():
    table = properties("leximin", pairs=20)
    assert table.conclusion == "leximin violates AU; it satisfies PP, DP on all cases tried."
    picture, names, rows = table.picture()
    assert {picture.x, picture.y, picture.color} == set(names)
    assert rows == (("leximin", "PP", "holds"), ("leximin", "AU", "violated"), ("leximin", "DP", "holds"))
    pytest.importorskip("altair")
    assert table.plot()
