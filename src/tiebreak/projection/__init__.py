"""Run x Judgements -> `Positions`, and the array operations that metrics and preferences are made of."""

from tiebreak.projection.levels import Bucket as Bucket
from tiebreak.projection.levels import Levels as Levels
from tiebreak.projection.position_table import Positions as Positions
from tiebreak.projection.primitives import UNRETRIEVED as UNRETRIEVED
from tiebreak.projection.primitives import dense_rank as dense_rank
from tiebreak.projection.primitives import pair_signs as pair_signs
from tiebreak.projection.reading import positions as positions
from tiebreak.projection.reading import project as project
