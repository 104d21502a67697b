"""Rows in the formats that other programs read."""

import json
from io import StringIO
from math import inf, isfinite, nan

from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from tiebreak.results.formats import write_jsonl

CELLS = st.one_of(
    st.text(), st.integers(), st.floats(), st.none(), st.booleans(), st.lists(st.text(), max_size=3).map(tuple)
)


@settings(max_examples=examples(200))
@given(st.lists(st.text(), min_size=1, max_size=4, unique=True), st.data())
def test_json_lines_are_those_of_the_json_module(names, data):
    rows = data.draw(st.lists(st.tuples(*[CELLS] * len(names)), max_size=5))
    out = StringIO()
    write_jsonl(names, rows, out)
    plain = [[None if isinstance(cell, float) and not isfinite(cell) else cell for cell in row] for row in rows]
    lines = [json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) for row in plain]
    assert out.getvalue() == "".join(f"{line}\n" for line in lines)


def test_json_lines_have_null_where_there_is_no_number():
    out = StringIO()
    write_jsonl(["100%", "b", "c"], [(nan, inf, -0.0)], out)
    assert out.getvalue() == '{"100%": null, "b": null, "c": -0.0}\n'
