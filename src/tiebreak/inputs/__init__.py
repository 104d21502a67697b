"""Files and dictionaries in; `Judgements` and `Run` out."""

from tiebreak.inputs.attributes import read_aspects, read_groups, read_providers, read_weights
from tiebreak.inputs.audit import FileAudit, Oddity
from tiebreak.inputs.ids import Ids
from tiebreak.inputs.judgements import Judgements, read_judgements
from tiebreak.inputs.runs import Run

__all__ = [
    "FileAudit",
    "Ids",
    "Judgements",
    "Oddity",
    "Run",
    "read_aspects",
    "read_groups",
    "read_judgements",
    "read_providers",
    "read_weights",
]
