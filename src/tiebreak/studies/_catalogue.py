"""Every study: its name, views and options. The package, the command line and its help are made from this.

Nothing heavy is imported here. A default of None leaves the choice to the study.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from tiebreak._base.checks import LARGEST
from tiebreak._base.corrections import CORRECTIONS


class Option(NamedTuple):
    """A parameter of a study, as the command line takes it; with `views` for these alone."""

    name: str
    help: str = ""
    kind: Any = str
    """int, float, str or bool, a tuple of choices, "probability", "sizes" (5-50) or "draws" (a number or "all")."""
    default: Any = None
    low: int | None = None
    high: int | None = None
    views: tuple[str, ...] = ()
    metavar: str | None = None
    flag: str | None = None
    is_repeated: bool = False
    is_required: bool = False


class Study(NamedTuple):
    """A study: a function in the module of its name with an underscore, of data, options by name, `jobs` and `tick`.

    ``check(**options)`` in its module, where there is one, validates before reading and returns the measures to read;
    else these are preferences, by default its `MEASURES`.
    The first of `views` is the default; `progress` is what a progress bar says, and the unit that it counts.
    The default measures of `deep_views` look at more than judged items. A study of runs with `averages` also takes
    several collections: these columns are averaged for every combination of `keys`, which are shown in this order.
    """

    summary: str
    views: Mapping[str, str] = {}
    reads: Literal["", "runs", "runs or table", "ratings"] = ""
    measures: str = "RPP, LexiRecall, AP or nDCG@10"
    options: tuple[Option, ...] = ()
    progress: tuple[str, str] = ("working", "parts")
    deep_views: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    averages: tuple[str, ...] = ()


SEED = Option("seed", "Random seed.", int, 0, 0, LARGEST)
LABELS, DEPTH = ("labels",), ("depth",)
PERTURBED = ("values", "correlation", "significance")
POPULATION = Option("population", metavar="SPEC", is_repeated=True, views=("populations",))
TRUNCATED = ("truncation",)
THREADS = Option("jobs", "Threads.", int, 1, 1)

CATALOGUE: dict[str, Study] = {
    "ties": Study(
        "How often measures tie two runs in one request.",
        {
            "measure": "share of ties by measure (LR Fig 11, LP Table 2)",
            "level": "by recall level (LP Fig 5)",
            "retrieved": "relevant items that rankings retrieve, mean and standard deviation (LP 3.6)",
            "labels": "as relevance labels are removed (LR Fig 14, LP Fig 9)",
            "depth": "as rankings are truncated",
        },
        reads="runs",
        options=(
            Option(
                "remove",
                "Labels uniformly, or those of items that few runs retrieve first (pooling bias).",
                ("labels", "pool"),
                "labels",
                views=LABELS,
            ),
            Option("samples", "Random samples.", int, 10, 1, 1_000_000, LABELS),
            SEED._replace(views=LABELS),
        ),
        progress=("counting ties", "parts"),
        keys=("kept", "depth", "level", "measure", "ties"),
        averages=("share",),
    ),
    "agreement": Study(
        "How far measures agree, over all pairs of runs in all requests.",
        {
            "preference": "how often one measure agrees where another sees a difference (LR Fig 10)",
            "sign": "correlation r of sizes, agreement sa of signs (RPP Fig 5)",
            "order": "correlation of the orders of runs (RPP Table 2)",
        },
        reads="runs",
        options=(
            Option(
                "ordering",
                "As in tiebreak order --by; by default mc4, for metrics mean.",
                metavar="METHOD",
                views=("order",),
            ),
            Option("correlation", "Rank correlation.", ("tau_b", "tau_ap", "rbo"), views=("order",)),
            SEED._replace(views=("sign",)),
        ),
        progress=("comparing", "parts"),
        deep_views=("sign",),
        keys=("given", "measure", "other"),
        averages=("share", "r", "agreement", "tau_b", "tau_ap", "rbo"),
    ),
    "disaggregation": Study(
        "What users with different needs add to the difference of two runs, by measure. The levels of a request add up "
        "to its difference, those of RPP without weights, which are signs, to m times RPP; a grade or a subtopic has "
        "the difference for its users alone. Of more than two runs, choose by --run and --other.",
        {
            "level": "by the number of items they want (RPP Fig 4)",
            "grade": "by the grade they are content with (RPP 3.2)",
            "subtopic": "by the subtopic they want (RPP 3.2)",
        },
        reads="runs",
        measures="RPP, AP, DCG or ASL(n=union)",
        options=(
            Option("run", "The first run; by default the first that is given.", metavar="NAME"),
            Option("other", "The second run.", metavar="NAME"),
            Option("request", "Only this request; by default means over all.", metavar="ID"),
        ),
        deep_views=("level", "grade", "subtopic"),
    ),
    "power": Study(
        "Discriminative power (Sakai 2006): the share of pairs of runs with a significant difference, by measure.",
        reads="runs",
        options=(
            Option("test", "As in tiebreak test.", default="auto", metavar="SPEC"),
            Option("correction", "For multiple comparisons.", tuple(CORRECTIONS)),
            Option("alpha", "Significance level.", "probability", 0.05),
            Option("permutations", "Permutations of randomised tests.", "draws", metavar="NUMBER|all"),
            SEED._replace(default=None, help="Random seed of randomised tests; by default 0."),
            Option(
                "groups",
                "A table of request and group: power in every group, and how many requests a group needs.",
                metavar="FILE",
            ),
        ),
        progress=("testing", "draws"),
        keys=("group", "measure"),
        averages=("share",),
    ),
    "missing": Study(
        "How stable orders and preferences are as labels or requests are removed.",
        reads="runs",
        options=(
            Option(
                "remove",
                "Relevant items (by measures of aspects: all rated ones) uniformly; those that few runs retrieve first "
                "(pooling bias); from aspects in proportion to how often they occur; or whole requests.",
                ("labels", "pool", "aspects", "requests"),
                "labels",
            ),
            Option(
                "of",
                "What to compare with complete data: the order of runs (tau_b), preferences per request, or mean ones.",
                ("order", "preferences", "systems"),
                "order",
            ),
            Option("truth", "Reference measure on complete data; by default each measure itself.", metavar="SPEC"),
            Option("by", "How runs are ordered, such as mc4 or mean; as in tiebreak order.", metavar="METHOD"),
            Option("fractions", "Share to remove; by default 0 to 0.9.", float, flag="--fraction", is_repeated=True),
            Option(
                "keep",
                "With --remove requests: how many to keep, such as 10 or 1-50, in place of --fraction (RPP Fig 6).",
                "sizes",
                metavar="K",
                is_repeated=True,
            ),
            Option("samples", "Random samples for every fraction or number.", int, 10, 1),
            SEED,
        ),
        progress=("sampling", "samples"),
        keys=("removed", "requests", "measure"),
        averages=("mean",),
    ),
    "validity": Study(
        "How leximin relates to the mean and to similar populations. By default the utilities are AP.",
        {
            "populations": "tau_b of leximin with other populations, and ties (PE Table 2)",
            "discriminant": "tau_b of leximin with pessimistic populations and with others, by measure (PE Table 3)",
            "movement": "ranks of runs by the mean and by leximin (PE Fig 1)",
            "smoothing": "tau_b of smoothed leximin with leximin and with the mean, by lag (PE Fig 2)",
            "threshold": "tau_b of leximin and the mean, utilities below a threshold being 0 (PE Fig 3a)",
            "truncation": "tau_b of leximin and the mean, utilities truncated to fewer digits (PE Fig 3b)",
        },
        reads="runs or table",
        measures="AP, nDCG@10 or RR, a metric",
        options=(
            Option(
                "utilities",
                "A table of run, request and value, instead of QRELS RUN...; or, repeatable, one for every run.",
                metavar="[NAME=]FILE",
                is_repeated=True,
            ),
            Option("trials", "With --utilities: repeated trials are averaged, or kept.", ("mean", "keep")),
            Option("missing", "With --utilities: the value of missing cells.", float),
            Option("lower_is_better", "With --utilities: values are costs, such as latencies.", bool, False),
            Option("weights", "A table of request and weight, for populations that take weights.", metavar="FILE"),
            Option("groups", "A table of request and group: orders are over the groups' means.", metavar="FILE"),
            POPULATION._replace(
                name="populations", help="To compare, such as gmean or s@10; repeatable.", flag="--population"
            ),
            POPULATION._replace(name="pessimistic", help="A pessimistic one; repeatable.", views=("discriminant",)),
            POPULATION._replace(
                name="others", help="Another one; repeatable.", flag="--other", views=("discriminant",)
            ),
            Option(
                "lags",
                "How many neighbours are summed; repeatable.",
                int,
                low=1,
                views=("smoothing",),
                flag="--lag",
                is_repeated=True,
            ),
            Option(
                "thresholds",
                "Utilities below it are 0; repeatable.",
                float,
                views=("threshold",),
                flag="--threshold",
                is_repeated=True,
            ),
            Option(
                "keep", "How many digits are kept; repeatable.", int, low=0, high=15, views=TRUNCATED, is_repeated=True
            ),
            Option(
                "truncate",
                "Which digits are counted, by default significant ones.",
                ("significant", "decimals"),
                views=TRUNCATED,
            ),
        ),
        keys=("lag", "threshold", "digits", "measure", "validity", "population", "with"),
        averages=("tau_b", "tied"),
    ),
    "orientation": Study(
        "Properties of measures without data: orientation, probability of ties, formal properties, possible users.",
        {
            "orientation": "precision and recall orientation of a metric (LR 3.1, Fig 5)",
            "ties": "how often a measure ties two random rankings (LR Tables 3 and 4)",
            "depth": "how often a measure ties random rankings as they are truncated (LR Fig 8)",
            "properties": "which properties a measure has, in all small cases (LR Table 8)",
            "top-heaviness": "whether a measure is top-heavy, in all small cases (LR definition 2.2)",
            "users": "who of all possible users is better off than whom (LR Figs 17a and 18a)",
            "providers": "who of all possible providers is better off than whom (LR Figs 17b and 18b)",
        },
        options=(
            Option("items", "Items in the corpus; may be repeated.", "sizes", metavar="N", is_repeated=True),
            Option("relevant", "Relevant items, such as 10 or 1-15.", "sizes", metavar="M", is_repeated=True),
            Option("pairs", "Random pairs of rankings.", int, 10_000, 2, views=("ties",)),
            Option("requests", "Requests, each with 20 random rankings.", int, 25, 1, 100_000, DEPTH),
            Option("samples", "How often all rankings are drawn.", int, 10, 1, 1_000_000, DEPTH),
            Option(
                "depths",
                "Where rankings are truncated; by default at 1, 2, 5, 10, ... items.",
                "sizes",
                metavar="K",
                flag="--depth",
                is_repeated=True,
                views=DEPTH,
            ),
            Option(
                "level", "Two rankings last differ at this recall level.", int, None, 1, views=("users", "providers")
            ),
            SEED._replace(views=("ties", "depth")),
            THREADS,
        ),
        progress=("studying", "parts"),
    ),
    "axioms": Study(
        "Which axioms of accuracy and diversity a metric violates, by examples (Parapar and Radlinski 2021, Table 1).",
        measures="EU or 'alpha_beta_nDCG(alpha=0.5)'; by default the paper's seven",
        options=(Option("lists", "Random rankings to try.", int, 2000, 0), SEED, THREADS),
        progress=("searching", "axioms"),
    ),
    "ideal": Study(
        "How diversity measures respond as an ideal ranking gets worse, or as ratings are removed. The ideal rankings "
        "of users are built from their RATINGS, and systems are simulated from them: no runs are needed.",
        {
            "correlation": "how the order of systems agrees with the number of perturbations",
            "values": "means of perturbed systems by measure",
            "significance": "whether perturbed systems are significantly worse than the ideal one",
            "robustness": "how the order of shuffled rankings changes as ratings are removed",
        },
        reads="ratings",
        measures="EU@10, NRBP or alpha_beta_nDCG@100; by default those of the paper on alpha-beta-nDCG",
        options=(
            Option("aspects", "A table of item and aspect, such as genres.", metavar="FILE", is_required=True),
            Option("train", "Training ratings, which tell a user's interest in aspects.", metavar="FILE"),
            Option("cutoff", "Cutoff of the default measures.", int, 100, 1),
            Option("length", "Items of an ideal ranking; by default the cutoff.", int, None, 1),
            Option("steps", "Maximum number of perturbations.", int, 50, 1, views=PERTURBED),
            Option(
                "users",
                "The same users at all points, or at each point all with enough ratings for it.",
                ("common", "reached"),
                "common",
                views=PERTURBED,
            ),
            Option("systems", "Shuffled rankings.", int, 50, 2, views=("robustness",)),
            Option(
                "shuffle",
                "One permutation of ranks per system, shared by all users; or each user's ranking on its own.",
                ("shared", "own"),
                "shared",
                views=("robustness",),
            ),
            Option("removals", "Random removals of ratings.", int, 50, 1, views=("robustness",)),
            SEED,
        ),
        progress=("simulating", "parts"),
    ),
    "properties": Study(
        "Search for violations of the Pareto property, average utilitarianism and the difference principle.",
        measures="leximin or gmean, a population; by default several",
        options=(Option("pairs", "Random pairs of each size.", int, 250, 0), SEED, THREADS),
        progress=("searching", "populations"),
    ),
}
