"""Small made-up collections, in folders named like the papers' collections."""

from pathlib import Path

import tiebreak as tb

SYSTEMS = ("top-heavy", "deep", "balanced", "weak")


def make_collection(folder: Path, requests: int = 8, systems=SYSTEMS, *, subtopics: bool = False, **how) -> Path:
    """Write judgements and runs of a simulation; its aspects only where subtopics are asked for."""
    settings = {"depth": 30, "items": 300, "relevant": 8, "grades": 3, "judged": 20} | how
    written = tb.simulate(requests, systems=systems, **settings).write(folder)
    if not subtopics:
        written.aspects.unlink()
    return folder
