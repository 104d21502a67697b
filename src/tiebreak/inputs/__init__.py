"""Files and dictionaries in; `Judgements` and `Run` out."""

from tiebreak.inputs.audit import FileAudit, Oddity
from tiebreak.inputs.ids import Ids
from tiebreak.inputs.judgements import Judgements, read_judgements
from tiebreak.inputs.runs import Run

__all__ = ["FileAudit", "Ids", "Judgements", "Oddity", "Run", "read_judgements"]
