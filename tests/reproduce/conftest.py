"""The scripts of `reproduce/` are no package: they are found by their folder, and not shipped with the package."""

import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "reproduce"

if SCRIPTS.is_dir():
    sys.path[:0] = [str(SCRIPTS), str(Path(__file__).resolve().parent)]
else:
    collect_ignore_glob = ["test_*.py"]
