"""The studies and where each is defined."""

from tiebreak.studies._agreement import agreement as agreement
from tiebreak.studies._axioms import axioms as axioms
from tiebreak.studies._catalogue import CATALOGUE as CATALOGUE
from tiebreak.studies._disaggregation import disaggregation as disaggregation
from tiebreak.studies._ideal import ideal as ideal
from tiebreak.studies._missing import missing as missing
from tiebreak.studies._orientation import orientation as orientation
from tiebreak.studies._over_collections import over_collections as over_collections
from tiebreak.studies._power import power as power
from tiebreak.studies._properties import properties as properties
from tiebreak.studies._ties import ties as ties
from tiebreak.studies._validity import validity as validity

__all__: list[str]
