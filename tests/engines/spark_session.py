"""One Spark session for all tests, and processes of their own for those that need another."""

import json
import os
import shutil
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

PROPERTIES = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.adaptive.enabled": "false",  # which joins small partitions
    "spark.sql.execution.arrow.maxRecordsPerBatch": "5",  # most requests are split over several
    "spark.ui.showConsoleProgress": "false",
}
SHORT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Options of Java for a session that ends soon: it starts sooner."""


def missing(extra=None):
    """Why Spark cannot run here, if so; with an extra of pyspark, which brings gRPC."""
    if shutil.which("java") is None:
        return "SPARK IS NOT TESTED: there is no Java. On Debian: apt-get install openjdk-17-jre-headless"
    if find_spec("pyspark") is None:
        return "SPARK IS NOT TESTED: pip install 'tiebreak[spark]'"
    if extra is not None and find_spec("grpc_status") is None:
        return f"SPARK IS NOT TESTED: pip install 'pyspark[{extra}]'"
    return None


def check(extra=None):
    """Skip a test where Spark cannot run; on CI it fails."""
    if reason := missing(extra):
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)


def run_apart(module, folder, extra=None):
    """What a module prints as JSON that is run in a process of its own, which has a session of another kind."""
    check(extra)
    command = [sys.executable, "-m", module, str(folder)]
    tests = Path(__file__).parents[1]
    done = subprocess.run(command, cwd=tests, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def start():
    """A session on two threads, in which a task is tried three times."""
    check()
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
