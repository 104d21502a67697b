"""Pages that several tests look at."""

import tiebreak as tb
from results.test_contract import EXAMPLES, example
from tiebreak.results.record import Rows
from tiebreak.results.tables import Table

HOSTILE_RUN = "<img src=x onerror=alert(1)>"
HOSTILE_ITEM = "</script><script>alert(1)</script>"
HOSTILE_REQUEST = "{{constructor.constructor('alert(1)')()}}"
HOSTILE = (
    HOSTILE_RUN,
    HOSTILE_ITEM,
    HOSTILE_REQUEST,
    "<!--<script>",
    "a\u2028b\u202ec",
    "javascript:alert(1)",
    "__proto__",
)


class Fruit(Rows[tuple[str, float | None, int, str]]):
    columns = ("name", "weight", "count", "note")


FRUIT = Fruit(
    (
        ("apple", 0.15, 1200, "round"),
        ("Banana", 0.12004, 30, "long, yellow"),
        ("cherry", None, 1000, "=1+1"),
        ("date", 0.12003, 7, 'so-called "date"'),
        ("elderberry", -0.5, 0, "-"),
        ("fig", 12.0, 2, "soft"),
    ),
    ("Weights in kilograms.",),
)


def small_page(**options):
    """Text, a table, a list and another table, without charts."""
    page = tb.Report("Fruit", subtitle="six kinds", date=False, **options)
    page.add("One paragraph.\n\nAnother one.")
    page.section("All fruit", id="all").add(FRUIT, title="Weights")
    page.section("Others").add(["first", "second"]).add(Table(("a", "b"), (("x", "1"), ("y", "2"))))
    return page


def hostile_experiment():
    """Names that would run in a careless page."""
    items = {name: k % 2 + 1 for k, name in enumerate(HOSTILE)}
    qrels = {HOSTILE_REQUEST: items, HOSTILE_ITEM: items, "q3": items}
    runs = [
        tb.Run({q: {name: float(k) for k, name in enumerate(order)} for q in qrels}, name=run)
        for run, order in ((HOSTILE_RUN, HOSTILE), ("two", HOSTILE[::-1]), (HOSTILE_REQUEST, HOSTILE[2:]))
    ]
    return tb.Experiment(qrels, runs)


def hostile_page():
    exp = hostile_experiment()
    page = tb.Report(HOSTILE_ITEM, subtitle=HOSTILE_RUN, date=False)
    page.section(HOSTILE_RUN).add(exp.compare("RPP"), title=HOSTILE_REQUEST).add(HOSTILE_ITEM).add(HOSTILE)
    page.section(HOSTILE_ITEM).add(exp.evaluate(["AP", "nDCG@10"]), title=HOSTILE_ITEM)
    page.section("explain").add(exp.explain(HOSTILE_RUN, "two", HOSTILE_REQUEST))
    return page.add_data("names", list(HOSTILE))


def every_result(**options):
    """A page with an example of every class of results."""
    page = tb.Report("Every result", date=False)
    for name in EXAMPLES:
        page.section(name).add(example(name), **options)
    return page
