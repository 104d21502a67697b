"""Which explanation answers a question about runs, a request and a measure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from tiebreak.analysis.explanation import Contributions, Explanation, contributions, explain_request
from tiebreak.analysis.rank_gains import RankGains, rank_gains
from tiebreak.analysis.ranking import RankingPositions, ranking_positions
from tiebreak.analysis.sorted_utilities import SortedUtilities, sorted_utilities
from tiebreak.errors import InputError
from tiebreak.metrics import metric
from tiebreak.notes import position_notes
from tiebreak.populations import is_population, population_for
from tiebreak.preferences import preference

if TYPE_CHECKING:
    from tiebreak.metrics import Metric


def explain(
    experiment: Any, run: str, other: str | None, request: str | None, measure: Any
) -> Explanation | Contributions | RankGains | RankingPositions | SortedUtilities:
    """As `Experiment.explain`."""
    if is_population(measure):
        return explain_population(experiment, run, other, request, measure)
    result: Explanation | Contributions | RankGains | RankingPositions
    if other is None:
        if request is None:
            raise InputError("explain needs two runs, or one run and a request.", kind="choice")
        result = explain_ranking(experiment, run, request, measure)
        notes = tuple(position_notes(experiment.positions))[:1]
    elif request is None:
        experiment.read([] if measure is None else [preference(measure)])
        notes = tuple(position_notes(experiment.positions))
        result = contributions(experiment.positions, run, other, measure)
    else:
        if measure is not None:
            raise InputError("measure sorts requests; with one request there is nothing to sort.", kind="choice")
        notes = tuple(position_notes(experiment.positions))[:1]
        result = explain_request(experiment.positions, run, other, request)
    # An explanation of a request holds its own settings.
    own = {} if isinstance(result, Explanation) else result.settings
    return replace(result, notes=(*result.notes, *notes), more_settings={**own, **experiment.more_settings})


def explain_ranking(experiment: Any, run: str, request: str, measure: Any) -> RankGains | RankingPositions:
    """The positions of a ranking, or what its ranks gain by a measure."""
    if measure is None:
        return ranking_positions(experiment.positions, run, request)
    experiment.read([metric(measure)])
    return rank_gains(experiment.positions, run, request, measure)


def explain_population(
    experiment: Any, run: str, other: str | None, request: str | None, measure: Any
) -> SortedUtilities:
    """Which requests make a population prefer a run."""
    if other is None or request is not None:
        raise InputError(f"{measure} is over all requests: give two runs, and no request.", kind="choice")
    population = population_for(measure, None)
    assert population is not None
    utilities = experiment.utilities(cast("Metric", population.metric))
    ordering = utilities.order(population)
    result = sorted_utilities(utilities.table, ordering, population, run, other, utilities.notes)
    return replace(result, more_settings={**result.settings, **experiment.more_settings})
