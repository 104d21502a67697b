"""No byte is read or written that is not the core's to read or write, and none is lost: valgrind says so."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
def test_memory_crosses_without_an_error_of_the_core(core, tmp_path):
    pytest.importorskip("pyarrow")
    report = tmp_path / "valgrind.xml"
    command = ["valgrind", "--leak-check=full", "--xml=yes", f"--xml-file={report}", sys.executable]
    paths = [str(Path(core.__file__).parents[1]), str(HERE.parent), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONMALLOC": "malloc", "PYTHONPATH": os.pathsep.join(paths)}
    child = subprocess.run(
        [*command, str(HERE / "valgrind_cases.py")], env=environment, capture_output=True, text=True, check=False
    )
    assert child.stdout == "all cases ended\n", child.stderr
    errors = [error for error in report.read_text().split("<error>")[1:] if "_core.abi3.so" in error]
    # Types and modules live until the process ends, and valgrind sees only pointers into their middle.
    definite = [error for error in errors if "<kind>Leak_PossiblyLost</kind>" not in error]
    print(f"\nvalgrind: {len(errors)} reports with the core in their stack, {len(definite)} of them errors")
    assert definite == []
