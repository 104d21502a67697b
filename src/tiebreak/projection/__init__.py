"""Run x Judgements -> `Positions`, and the array operations that metrics and preferences are made of."""

from tiebreak.projection.levels import Bucket, Levels
from tiebreak.projection.position_table import Positions
from tiebreak.projection.primitives import UNRETRIEVED, dense_rank, pair_signs
from tiebreak.projection.reading import positions, project
from tiebreak.projection.sampling import sample_labels, sample_requests

__all__ = [
    "UNRETRIEVED",
    "Bucket",
    "Levels",
    "Positions",
    "dense_rank",
    "pair_signs",
    "positions",
    "project",
    "sample_labels",
    "sample_requests",
]
