"""One Spark session for all tests."""

import os
import shutil
import sys
import warnings

import pytest

PROPERTIES = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.adaptive.enabled": "false",  # which joins small partitions
    "spark.sql.execution.arrow.maxRecordsPerBatch": "5",  # most requests are split over several
    "spark.ui.showConsoleProgress": "false",
}


def missing():
    """Why Spark cannot run here, if so."""
    if shutil.which("java") is None:
        return "SPARK IS NOT TESTED: there is no Java. On Debian: apt-get install openjdk-17-jre-headless"
    try:
        import pyspark  # noqa: F401
    except ImportError:
        return "SPARK IS NOT TESTED: pip install 'tiebreak[spark]'"
    return None


def start():
    """A session on two threads, in which a task is tried three times."""
    if reason := missing():
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    from pyspark.sql import SparkSession

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    builder = SparkSession.builder.master("local[2,3]").appName("tests")
    for name, value in PROPERTIES.items():
        builder = builder.config(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the newest pandas
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session
