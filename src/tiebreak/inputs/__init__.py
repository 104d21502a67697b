"""Files, frames and dictionaries in; `Judgements`, `Run`, aspects, groups and utilities out."""

from tiebreak.inputs.attributes import read_aspects as read_aspects
from tiebreak.inputs.attributes import read_groups as read_groups
from tiebreak.inputs.attributes import read_providers as read_providers
from tiebreak.inputs.attributes import read_weights as read_weights
from tiebreak.inputs.audit import FileAudit as FileAudit
from tiebreak.inputs.audit import Oddity as Oddity
from tiebreak.inputs.ids import Ids as Ids
from tiebreak.inputs.judgements import Judgements as Judgements
from tiebreak.inputs.judgements import read_judgements as read_judgements
from tiebreak.inputs.runs import Run as Run
