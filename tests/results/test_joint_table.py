"""Results of one kind as one table."""

from tiebreak.results.joint_table import joint_table
from tiebreak.results.record import Rows


class Values(Rows):
    columns = ("run", "request", "measure", "value")
    spread = "measure"


def test_rows_that_are_shown_have_the_values_of_every_result():
    """Of rows that are cut, those of the second measure belong to rows that the first has begun."""
    several = [
        Values(tuple(("a", f"q{k}", name, value) for k in range(5))) for name, value in (("AP", 0.25), ("RR", 1.0))
    ]
    table = joint_table(several, 2, most=3)
    assert table.header == ("run", "request", "AP", "RR")
    assert table.rows == tuple(("a", f"q{k}", "0.25", "1.00") for k in range(3))
    assert table.notes == ("2 more rows not shown; other formats list all.",)
