"""What an engine returned, made comparable; and what it is asked."""

import numpy as np

from tiebreak._kernels.interface import Options
from tiebreak.inputs import read_judgements
from tiebreak.projection.reading import Plan


def plain(outcome):
    """Arrays as their type, shape and values, so that == compares every bit and pytest shows what differs."""
    if isinstance(outcome, np.ndarray):
        if outcome.dtype == np.float64:
            return outcome.shape, [value.hex() for value in outcome.ravel().tolist()]
        return str(outcome.dtype), outcome.shape, outcome.tolist()
    if isinstance(outcome, (tuple, list)):
        return [plain(part) for part in outcome]
    return outcome


def judged_by(grades, nonrelevant=True):
    """``{request: {item: grade}}`` as the kernels see it."""
    return Plan(read_judgements(grades), nonrelevant).judged


def projected(engine, files, judged, options=Options(), tick=None):  # noqa: B008 - a frozen value
    """What the engine makes of files given as bytes, or of sources."""
    sources = [("bytes", file) if isinstance(file, bytes) else file for file in files]
    return plain(engine.project(sources, judged, options, tick))


def rows_read(engine, file):
    """What the engine makes of judgements given as bytes."""
    return plain(engine.read_judgements(("bytes", file), None))
