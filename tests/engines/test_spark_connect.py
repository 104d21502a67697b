"""Sessions of Spark Connect compute what others do."""

import pytest

from engines import spark_session

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """What every case of `spark_connect` returned."""
    return spark_session.run_apart("engines.spark_connect", tmp_path_factory.mktemp("connect"), extra="connect")


@pytest.mark.parametrize("name", ["values", "files", "error"])
def test_spark_connect_computes_what_is_computed_here(session, name):
    assert session["session"].startswith("pyspark.sql.connect")
    there, here = session[name]
    assert there == here
