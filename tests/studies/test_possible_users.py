"""The partial order of possible users and providers: against its definition, and against metrics."""

from itertools import combinations

import pytest

import tiebreak as tb
from analysis.recall_level_twins import TWINS
from tiebreak import InputError
from tiebreak.studies._possible_users import (
    is_provider_better_off,
    is_user_better_off,
    provider_part,
    transitive_reduction,
    user_part,
)

orientation = tb.studies.orientation
ORDERS = {"users": is_user_better_off, "providers": is_provider_better_off}


def everyone(m):
    return [w for size in range(1, m + 1) for w in combinations(range(1, m + 1), size)]


def steps(w, m, kind):
    """Who is no better off by the definitions: an item falls by one level, the first one or any other is left out."""
    yield from (tuple(sorted({*w} - {i} | {i + 1})) for i in w if i < m and i + 1 not in w)
    if len(w) > 1:
        yield from [w[1:]] if kind == "users" else combinations(w, len(w) - 1)


def reachable(w, m, kind):
    """All who are no better off: those just below, those below them, and so on."""
    seen, to_do = {w}, [w]
    while to_do:
        fresh = {*steps(to_do.pop(), m, kind)} - seen
        seen |= fresh
        to_do += fresh
    return seen


@pytest.mark.parametrize("kind", ORDERS)
@pytest.mark.parametrize("m", [1, 2, 3, 4, 5])
def test_order_is_what_follows_from_the_definitions(kind, m):
    for w in everyone(m):
        assert {v for v in everyone(m) if ORDERS[kind](w, v)} == reachable(w, m, kind)


@pytest.mark.parametrize("spec", TWINS)
def test_every_metric_of_the_paper_agrees_with_the_order(spec):
    twin, m = TWINS[spec], 4
    for p in combinations(range(1, 8), m):
        utility = {w: twin([p[i - 1] for i in w]) for w in everyone(m)}
        exposure = {w: sum(twin.e(p[i - 1]) for i in w) for w in everyone(m)}
        for values, is_better_off in ((utility, is_user_better_off), (exposure, is_provider_better_off)):
            assert all(values[w] >= values[v] for w in everyone(m) for v in everyone(m) if is_better_off(w, v))


def test_providers_who_are_not_ordered_are_so_in_different_ways_by_some_exposures():
    """Exposure that is 1 down to a level and 0 below: {1, 4} has more than {2, 3} down to 1, and less down to 3."""
    steps_to = {t: lambda w, t=t: sum(i <= t for i in w) for t in range(1, 6)}
    for w, v in combinations(everyone(5), 2):
        ways = {(e(w) > e(v)) - (e(w) < e(v)) for e in steps_to.values()}
        assert is_provider_better_off(w, v) == (-1 not in ways)
        assert is_provider_better_off(v, w) == (1 not in ways)


def closure(below):
    """The order that a transitive reduction stands for."""

    def under(w):
        return {w}.union(*(under(v) for v in below[w]))

    return {w: under(w) for w in below}


@pytest.mark.parametrize("kind", ORDERS)
def test_reduction_is_the_smallest_that_gives_the_order(kind):
    members = everyone(4)
    below = transitive_reduction(members, ORDERS[kind])
    order = {w: {v for v in members if ORDERS[kind](w, v)} for w in members}
    assert closure(below) == order
    for w in members:
        for v in below[w]:
            assert closure(below | {w: [u for u in below[w] if u != v]}) != order


def test_three_relevant_items_by_hand():
    # A user: {1, 2} without its first item is {2}, and with its last one further down {1, 3}.
    below = {row[0]: row[2] for row in orientation(view="users", relevant=3).rows()}
    assert below == {
        "3": (),
        "2": ("3",),
        "1": ("2",),
        "2 3": ("3",),
        "1 3": ("2 3",),
        "1 2": ("2", "1 3"),
        "1 2 3": ("2 3",),
    }
    # A provider: {1, 3} without its last item is {1}, and with its first one further down {2, 3}.
    below = {row[0]: row[2] for row in orientation(view="providers", relevant=3).rows()}
    assert below == {
        "3": (),
        "2": ("3",),
        "1": ("2",),
        "2 3": ("2",),
        "1 3": ("1", "2 3"),
        "1 2": ("1 3",),
        "1 2 3": ("1 2",),
    }


def test_parts_of_figure_18():
    parts = {w: user_part(w, 3) for w in everyone(5)}
    # W_>3 has 2^2 - 1 users, and with 3 as their first item 2^2; {1, 2}: 2^2 - 1, each with 3 or without
    counts = {part: list(parts.values()).count(part) for part in set(parts.values())}
    assert counts == {"tied": 3, "deciding": 4, "ends by then": 6, "includes it": 9, "skips it": 9}
    assert parts[4, 5] == "tied" and parts[3, 5] == "deciding" and parts[1, 3] == "ends by then"
    assert parts[2, 3, 4] == "includes it" and parts[1, 4] == "skips it"
    # Lemma C.3: who is neither tied nor deciding is no worse off than some user who decides.
    deciding = [w for w, part in parts.items() if part == "deciding"]
    others = [w for w, part in parts.items() if part not in ("tied", "deciding")]
    assert all(any(is_user_better_off(w, v) for v in deciding) for w in others)
    assert [w for w in everyone(5) if provider_part(w, 3) == "deciding"] == [(3,)]
    # Theorem C.6: who is neither tied nor deciding is better off than the one that decides.
    assert all(is_provider_better_off(w, (3,)) for w in everyone(5) if provider_part(w, 3) == "better off")


def test_level_adds_the_parts():
    findings = orientation(view="users", relevant=5, level=3)
    assert findings.columns == ("user", "height", "part", "below")
    assert len(findings.rows()) == 31 and "recall level 3" in findings.notes[-1]
    assert findings.picture()[0].color == "part"


def test_drawing_has_a_name_for_everyone_and_a_line_for_every_step():
    findings = orientation(view="providers", relevant=4)
    _, columns, rows = findings.picture()
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    names = [record for record in records if record["label"] is not None]
    lines = [record for record in records if record["x2"] is not None]
    assert len(names) == 15 and len(lines) == sum(len(row[2]) for row in findings.rows())
    assert len({(record["x"], record["y"]) for record in names}) == 15
    assert all(record["y"] > record["y2"] for record in lines)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"relevant": 8}, "relevant=8. Give a whole number from 1 to 7"),
        ({"relevant": [2, 3]}, "takes one number for relevant"),
        ({"relevant": 3, "level": 4}, "level=4. Give a whole number from 1 to 3"),
        ({"measures": "AP"}, "takes no measures"),
        ({"items": 9}, "takes no items"),
    ],
)
def test_what_makes_no_sense_is_refused(options, words):
    with pytest.raises(InputError, match=words):
        orientation(**options, view="users")
