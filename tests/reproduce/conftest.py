"""The scripts of `reproduce/` are not shipped: without them there is nothing to test here."""

from pathlib import Path

if not (Path(__file__).resolve().parents[2] / "reproduce").is_dir():
    collect_ignore_glob = ["test_*.py"]
