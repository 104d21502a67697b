"""Which axioms of accuracy and diversity a metric respects: pairs of rankings that break one are searched for (AB 4).

A pair that breaks an axiom is a proof. Where none is found the axiom may still fail elsewhere: the table says how many
pairs were looked at. Three axioms ask only for one pair that is ordered as they say, which then is the proof.
"""

from __future__ import annotations

from typing import Any

from tiebreak._kernels.interface import Tick
from tiebreak.analysis.theory import whole
from tiebreak.studies.axiomatic.measures import FLOAT_TIE, LOGARITHMS_TIE, measures
from tiebreak.studies.axiomatic.rankings import GRIDS, LONGEST_DRAWN, R_MAX, random_rankings
from tiebreak.studies.axiomatic.requirements import AXIOMS, READINGS, Axiom
from tiebreak.studies.axiomatic.search import DEPTHS, search, tried
from tiebreak.studies.axiomatic.table import PICTURE, AxiomTable, Cell, cell, summary
from tiebreak.studies.base import run_tasks

__all__ = ["LISTS", "AxiomTable", "Cell", "axioms"]

LISTS = 2000
"""Rankings that are drawn, unless another number is given."""


def axioms(
    metric: Any = None, *, seed: int = 0, lists: int = LISTS, jobs: int = 1, tick: Tick | None = None
) -> AxiomTable:
    """Search for rankings by which a metric breaks the axioms of AB 4.1; AB Table 1 found again, cell by cell.

    All short rankings on a grid are tried, then those that each axiom suggests, also deep below other items, and random
    ones. What is reported is the smallest that was found, to be checked by hand.

    Parameters
    ----------
    metric : str, Metric or function, or several of them, optional
        One of ``alpha_nDCG``, ``S-Recall``, ``S-RR``, ``NRBP``, ``EU``, ``RBU`` and ``alpha_beta_nDCG``, with any
        parameters; without a cutoff it sees whole rankings. Or a function f(items, interest, r_max), the larger the
        better, or ``"module:function"``: items are (rating, aspects) with a rating of None where there is none,
        interest is ``{aspect: Fraction}``. By default the seven as the paper has them.
    seed : int
        For the random rankings.
    lists : int
        How many of them are drawn.
    jobs : int
        Threads.

    Examples
    --------
    >>> found = axioms("S-RR", lists=50).to_dict()["rows"][0]
    >>> found["axiom"], found["holds"], found["better"], found["worse"]
    ('Pri', False, '[1:a, 0:a]', '[0:a, 1:a]')
    >>> def by_rank(items, interest, r_max):
    ...     return sum((item.rating or 0) / rank for rank, item in enumerate(items, start=1))
    >>> [row["axiom"] for row in axioms(by_rank, lists=50).records() if row["holds"]]
    ['Pri', 'Deep', 'TopHeav', 'Pri > 0']
    """
    whole("seed", seed, 0)
    whole("lists", lists, 0)
    whole("jobs", jobs, 1)
    checked = measures(metric)
    drawn = list(random_rankings(lists, seed))

    def found(axiom: Axiom) -> list[Cell]:
        pairs = tried(axiom, drawn)
        return [cell(measure, axiom, search(measure, axiom, pairs)) for measure in checked]

    by_axiom = run_tasks(found, (*AXIOMS, *READINGS), jobs, tick)
    cells = [of_axiom for of_measure in zip(*by_axiom, strict=True) for of_axiom in of_measure]
    return AxiomTable(Cell._fields, tuple(cells), summary(cells), notes(lists, seed), PICTURE)


def notes(lists: int, seed: int) -> tuple[str, ...]:
    """What was tried, and how the axioms are read."""
    return (
        "Rankings are lists of rating:aspects, ? where there is no rating. Column searched: the most pairs that were "
        "looked at for a metric, until one decides.",
        f"Searched, with ratings from 0 to {R_MAX}: all rankings of {GRIDS[0].length} to {GRIDS[-1].length} items on "
        f"grids; those that each axiom suggests, also below up to {DEPTHS[-1]:,} items that show nothing; and "
        f"{lists:,} random ones of up to {LONGEST_DRAWN} items, seed {seed}.",
        "Every aspect is of some interest. Metrics without a cutoff see whole rankings. Normalised ones of AB Table 1 "
        "are shown without their ideal, which is the same for both rankings; others of the package are evaluated "
        "as they are, with the ideal of each ranking's own items.",
        "NonPriSatAsp, TopHeav and TopHeavComp ask for one pair. NonPriSatAsp: the preferred item is not of more "
        "interest. TopHeav, TopHeavComp: the rankings show the same aspects, any, at each rank, and differ in ratings.",
        "AspRel: no other item above the lower of the two shows either aspect. MoreAsp: of relevant neighbours rated "
        "alike, one that shows the aspects of the other and more first.",
        "Beside the paper's: Pri > 0 is Pri where both ratings are above 0; MoreAsp any is MoreAsp of any two sets of "
        "aspects, by the interest left, sum of w (1 - s).",
        f"A tie breaks an axiom. Fractions are compared exactly, logarithms to 50 digits with ties below "
        f"{float(LOGARITHMS_TIE):g}; floats of functions tie below {FLOAT_TIE:g}.",
    )
