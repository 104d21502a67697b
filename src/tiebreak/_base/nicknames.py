"""Names that stand for several measures, as in trec_eval: ``official``, ``P.5,10``, ``iprec_at_recall``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tiebreak._base.spec import split_specs

CUTOFFS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
FAMILIES = {
    "P": CUTOFFS,
    "recall": CUTOFFS,
    "map_cut": CUTOFFS,
    "ndcg_cut": CUTOFFS,
    "relative_P": CUTOFFS,
    "success": ("1", "5", "10"),
    "unj": ("5", "10", "20"),
    "iprec_at_recall": tuple(f"{k / 10:.2f}" for k in range(11)),
    "Rprec_mult": tuple(f"{k / 5:.2f}" for k in range(1, 11)),
}
"""Measures with the parameters at which trec_eval computes them by default."""


def family(name: str) -> tuple[str, ...]:
    """A measure at its default parameters, named as trec_eval prints them."""
    return tuple(f"{name}_{parameter}" for parameter in FAMILIES[name])


COUNTS = ("num_q", "num_ret", "num_rel", "num_rel_ret")
OFFICIAL = (*COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", *family("iprec_at_recall"), *family("P"))
SET = (*COUNTS, "utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F")
NICKNAMES = {
    "official": OFFICIAL,
    "set": SET,
    "all_trec": (
        *OFFICIAL,
        *family("recall"),
        *("infAP", "gm_bpref"),
        *family("Rprec_mult"),
        *("utility", "11pt_avg", "binG", "G", "ndcg", "ndcg_rel", "Rndcg"),
        *family("ndcg_cut"),
        *family("map_cut"),
        *family("relative_P"),
        *family("success"),
        *("set_P", "set_relative_P", "set_recall", "set_map", "set_F", "num_nonrel_judged_ret"),
        *("rbp_p=0.9", "rbp_resid"),
        *family("unj"),
    ),
}
"""What trec_eval 10 computes for each, in its order; ``runid`` and ``relstring``, which are text, are left out."""


def expand(name: str) -> tuple[str, ...]:
    """The measures that a name stands for; itself where it stands for one.

    >>> expand("P.5,10"), expand("map")
    (('P_5', 'P_10'), ('map',))
    """
    name = name.strip()
    if name in NICKNAMES:
        return NICKNAMES[name]
    if name in FAMILIES and name != "recall":  # which is recall of all that is retrieved
        return family(name)
    root, _, parameters = name.partition(".")
    if root in FAMILIES and "," in parameters and "=" not in parameters:  # which would be gains
        return tuple(f"{root}_{parameter.strip()}" for parameter in parameters.split(","))
    return (name,)


def expand_all(measures: Iterable[Any]) -> list[Any]:
    """Measures, with those that names stand for, each once, in the place of the names; a text may have several."""
    several = [one for measure in measures for one in (split_specs(measure) if isinstance(measure, str) else [measure])]
    every = [one for measure in several for one in (expand(measure) if isinstance(measure, str) else (measure,))]
    return list(dict.fromkeys(every)) if len(every) > len(several) else every
