"""Files, frames and dictionaries in; `Judgements`, `Run`, aspects, groups and utilities out."""

from tiebreak.inputs.ids import Ids as Ids
from tiebreak.inputs.judgements import Judgements as Judgements
from tiebreak.inputs.judgements import read_judgements as read_judgements
from tiebreak.inputs.runs import Run as Run
