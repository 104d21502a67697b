"""Tables for people."""

from io import StringIO

import pytest
from rich.console import Console

from tiebreak.reports.tables import Table


@pytest.mark.parametrize("width", [10, 40, 200])
def test_table_wider_than_the_terminal_loses_no_cell(width):
    table = Table(("name", *(f"column{k}" for k in range(6))), (("first", *(f"{k}2345678" for k in range(6))),))
    text = StringIO()
    table._render(Console(file=text, width=width))
    lines = text.getvalue().splitlines()
    assert any(line.split() == ["name", *(f"column{k}" for k in range(6))] for line in lines)
    assert any(line.split() == ["first", *(f"{k}2345678" for k in range(6))] for line in lines)
