"""Orders of a table of utilities by votes of requests, and over groups: in Python and on the command line."""

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from cli.test_compare import done, one_line_error
from orderings import slow
from populations.tables import binary_values, exact_values, tables
from populations.test_contracts import utilities
from tiebreak.orderings import CATALOGUE as METHODS
from tiebreak.populations import CATALOGUE as POPULATIONS

# Copeland prefers b, which wins q2 and q3; the mean and the minimum of all requests prefer a.
TABLE = {
    "a": {"q1": 1.0, "q2": 0.2, "q3": 0.2},
    "b": {"q1": 0.0, "q2": 0.3, "q3": 0.3},
    "c": {"q1": 0.5, "q2": 0, "q3": 0},
}
GROUPS = {"q1": "fr", "q2": "fr", "q3": "de"}
VOTES = [name for name in METHODS if name not in POPULATIONS]


@pytest.fixture
def files(tmp_path):
    rows = "".join(f"{run},{q},{value}\n" for run, values in TABLE.items() for q, value in values.items())
    (tmp_path / "scores.csv").write_text("run,request,value\n" + rows)
    (tmp_path / "groups.csv").write_text("request,group\n" + "".join(f"{q},{group}\n" for q, group in GROUPS.items()))
    return tmp_path


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_votes_are_worked_by_hand():
    table = tb.Utilities(TABLE)
    # Majorities: b beats a (2 of 3), a beats c (3), b beats c (2): 2, 0, -2.
    assert table.order("copeland").scores.tolist() == [0.0, 2.0, -2.0]
    # Points: q1 a 2, c 1, b 0; q2 and q3 b 2, a 1, c 0. Their means are 4/3, 4/3 and 1/3.
    assert table.order("borda").scores.tolist() == [4 / 3, 4 / 3, 1 / 3]
    # Sums of differences to the others: a (1 - 0) + (1 - 0.5), then (0.2 - 0.3) + 0.2 twice: 1.7 / 3.
    assert table.order("win_rate").scores[0] == pytest.approx((1.5 + 2 * 0.1) / 3)
    assert table.order("mc4").ranking()[0] == "b"
    assert table.order("mean").scores[0] == pytest.approx(1.4 / 3)  # a population: the mean of the values


@pytest.mark.parametrize("by", VOTES)
@given(tables(st.one_of(exact_values, binary_values), (2, 4), (1, 6)))
def test_votes_are_those_of_slow_twins_in_fractions(by, rows):
    rows = [[float(u) for u in row] for row in rows]
    numbers = [[tb.exact.decimals.decimal_number(u) for u in row] for row in rows]
    matrices = [[[x[q] - y[q] for y in numbers] for x in numbers] for q in range(len(rows[0]))]
    exact = slow.METHODS[by](matrices)
    order = utilities(rows).order(by)
    assert order.ranks.tolist() == slow.ranks(exact)
    assert order.scores.tolist() == [float(score) for score in exact]


@pytest.mark.parametrize("by", VOTES)
def test_votes_of_a_metric_are_those_of_its_comparison(by):
    simulation = tb.simulate(requests=8, seed=2)
    exp = tb.Experiment(simulation.judgements, [tb.Run(one, name=name) for name, one in simulation.runs.items()])
    assert exp.utilities("AP").order(by).ranks.tolist() == exp.compare("AP").order(by).ranks.tolist()
    both = (one.bootstrap(by, resamples=20) for one in (exp.utilities("AP"), exp.compare("AP")))
    first, second = (one.ranks.tolist() for one in both)
    assert first == second


def test_cycles_are_told():
    cyclic = {"rock": {"p": 1, "q": 2, "r": 3}, "paper": {"p": 2, "q": 3, "r": 1}, "scissors": {"p": 3, "q": 1, "r": 2}}
    order = tb.Utilities(cyclic).order("mc4")
    assert order.n_tied == 3 and any("Condorcet cycle among rock, paper, scissors" in note for note in order.notes)


def test_votes_on_the_command_line_are_those_of_python(files):
    table = tb.Utilities(TABLE)
    for by in (*VOTES, "mc4(steps=2)"):
        rows = rows_of(done("order", "--utilities", files / "scores.csv", "--by", by, "--format", "csv").stdout)
        assert [(row["run"], float(row["score"])) for row in rows] == [
            (place.run, place.score) for place in table.order(by).places()
        ]
    shown = ("order", "--utilities", files / "scores.csv", "--by", "borda", "--bootstrap", 50, "--format", "csv")
    assert {"low", "high", "support"} <= {*rows_of(done(*shown).stdout)[0]}
    text = done("order", "--utilities", files / "scores.csv", "-q", "--format", "csv").stdout
    assert [row["run"] for row in rows_of(text)[:3]] == ["a", "c", "b"]


def test_notes_are_of_the_columns_that_are_there():
    def notes(by, **options):
        return " ".join(tb.Utilities(TABLE, **options).order(by).notes)

    assert "cvar" in notes("mean") and "cvar" not in notes("mean", weights={"q1": 2, "q2": 1, "q3": 1})
    assert "from the worst request" in notes("leximin") and "from the worst group" in notes("leximin", groups=GROUPS)
    assert "are over all requests." in notes("leximin") and "are over all requests." in notes("leximin", groups=GROUPS)
    groups = tb.Utilities(TABLE, groups=GROUPS).by_group()
    of_groups = " ".join(groups.order("leximin").notes)  # of which the mean is that of their values
    assert "are over all groups." in of_groups and "from the worst group" in of_groups


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "mc4", "tiers": "fr"}, "tiers are for populations"),
        ({"by": "borda"}, "orders the runs in every group. Use compare().order('borda')"),
        ({"by": "mc5"}, 'unknown ordering method "mc5". Did you mean "mc4"?'),
        ({"by": "lexmin"}, 'unknown ordering method "lexmin". Did you mean "leximin"?'),
        ({"by": "leximin(AP)"}, "of utility, not of AP. Write leximin."),
    ],
)
def test_votes_that_cannot_be_counted_are_refused(options, message):
    with pytest.raises(tb.InputError) as caught:
        tb.Utilities(TABLE, groups=GROUPS).order(**options)
    assert message in str(caught.value)
    with pytest.raises(tb.InputError) as caught:
        tb.Utilities(TABLE, groups=GROUPS).bootstrap(**options, resamples=2)
    assert message in str(caught.value)


def test_weights_do_not_vote(files):
    with pytest.raises(tb.InputError, match="takes no weights"):
        tb.Utilities(TABLE, weights=dict.fromkeys(GROUPS, 1)).order("borda")
    (files / "w.csv").write_text("request,weight\nq1,1\nq2,1\nq3,1\n")
    shown = done("order", "--utilities", files / "scores.csv", "--by", "borda", "--weights", files / "w.csv", code=2)
    assert "--weights is for populations" in shown.stderr
    assert 'Did you mean "mc4"' in one_line_error("order", "--utilities", files / "scores.csv", "--by", "mc5")


# Groups


def test_order_over_groups_tells_gaps_and_the_rank_over_all_requests_by_hand():
    order = tb.Utilities(TABLE, groups=GROUPS).order("leximin")
    # Means in fr and de: a 0.6 and 0.2, b 0.15 and 0.3, c 0.25 and 0. Over all requests: a 0.2 0.2 1, b 0 0.3 0.3,
    # c 0 0 0.5.
    gaps = {row.run: (row.gap, row.rank_all) for row in order.rows()}
    assert gaps == {"a": (0.4, 1), "b": (0.15, 2), "c": (0.25, 3)}
    assert order.ranking() == ["a", "b", "c"]
    # Beside it the means (1 + 0.2 + 0.2) / 3, (0.3 + 0.3) / 3 and 0.5 / 3, the worst and the zeros of all requests.
    beside = {row.run: (row.mean, row.cvar, row.zeros) for row in order.rows()}
    assert beside == {"a": (7 / 15, 0.2, 0), "b": (0.2, 0, 1), "c": (1 / 6, 0, 2)}
    assert [(row.request, row.value) for row in order.rows()[:2]] == [("de", 0.2), ("fr", 0.15)]
    assert any(note.startswith("gap: the largest value of a group minus the smallest.") for note in order.notes)
    assert "gap" not in tb.Utilities(TABLE).order("leximin").columns


def test_gaps_are_those_of_evaluate():
    grouped = tb.Utilities(TABLE, groups=GROUPS)
    evaluated = {row.run: row.gap for row in grouped.evaluate("mean").rows() if row.group == "all"}
    for by in ("leximin", "mean", "gmean"):
        assert {row.run: row.gap for row in grouped.order(by).rows()} == evaluated


def test_groups_mean_the_same_in_python_and_on_the_command_line(files):
    grouped = tb.Utilities(TABLE, groups=GROUPS)
    shared = (
        "order",
        "--utilities",
        files / "scores.csv",
        "--groups",
        files / "groups.csv",
        "--format",
        "json",
        "--by",
    )
    for by in ("leximin", "mean", "cvar(share=0.5)"):
        (printed,) = json.loads(done(*shared, by).stdout)
        expected = grouped.order(by).to_dict()["rows"]
        assert [row | {"measure": by} for row in expected] == printed["rows"]
    (printed,) = json.loads(done(*shared, "copeland").stdout)
    assert printed == grouped.compare().order("copeland").to_dict()


def test_orders_of_groups_end_with_all_requests_and_tell_gaps_of_ranks():
    orders = tb.Utilities(TABLE, groups=GROUPS).compare().order("copeland")
    assert list(orders.parts) == ["fr", "de", "all"]
    assert orders["all"].ranks.tolist() == tb.Utilities(TABLE).order("copeland").ranks.tolist()
    # In fr a and b, and b and c, win a request each, and a beats c: 1, 0 and -1. In de b beats both.
    assert [one.ranks.tolist() for one in orders.parts.values()] == [[1, 2, 3], [2, 1, 3], [2, 1, 3]]
    gaps = [note for note in orders.notes if note.startswith("Gap between groups")]
    assert gaps[0] == "Gap between groups, a: rank 1 in fr and rank 2 in de."
    assert orders.settings["groups"] == ["fr", "de"]


def test_scores_that_only_count_runs_are_counts_and_say_so():
    utilities = tb.Utilities({"a": {"q": 0.5, "r": 0.25}, "b": {"q": 0.5, "r": 0.5}, "c": {"q": 0, "r": 1}})
    for by, scores, name in (
        ("leximin", ["2", "1", "0"], "number of runs below"),
        ("min", ["0.5000", "0.2500", "0.0000"], "score"),
    ):
        ordering = utilities.order(by)
        table = ordering.table()
        assert [row[table.header.index("score")] for row in table.rows] == scores
        drawing = ordering.picture()
        assert drawing.picture.title == f"utility by {by}: {name}, the best run first"
        assert dict(drawing.picture.titles)["value"] == name
    by_tier = tb.Utilities({"a": {"q": 1}, "b": {"q": 2}}, groups={"q": "x"})
    assert by_tier.order("mean", tiers="x").score_name == "number of runs below"


def test_picture_of_rank_intervals_explains_no_column_that_it_lacks():
    utilities = tb.Utilities({"a": {"q": 0.5, "r": 0.25}, "b": {"q": 0.5, "r": 0.5}})
    ordering = utilities.bootstrap("mean", resamples=20).add_to(utilities.order("mean"))
    assert ordering.picture().picture.notes == ("95% intervals of ranks: 20 resamples of requests, seed 0.",)
