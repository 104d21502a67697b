"""What the tests of inputs share."""

import pytest


@pytest.fixture(params=["rust", "python"])
def engine(request, monkeypatch):
    """Each of the two engines, chosen as people choose them."""
    if request.param == "rust":
        request.getfixturevalue("core")
    monkeypatch.setenv("TIEBREAK_CORE", request.param)
