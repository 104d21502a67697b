"""Other tools: the names of their measures, what each is called here, and their values on an input.

A measure goes by the tool's own name here, so that new ones appear by themselves; `OTHER_NAMES` has the exceptions.
"""

import re
from collections import defaultdict
from importlib.metadata import version
from importlib.util import find_spec
from typing import ClassVar

import tiebreak as tb
from tiebreak.errors import TiebreakError

EXACT, FIVE_DECIMALS = 1e-9, 6e-6


class Tool:
    """One tool; `packages` maps the modules that it needs to the distributions they come from."""

    name = ""
    packages: ClassVar = {}
    OTHER_NAMES: ClassVar = {}
    """Specs of measures that are called otherwise here."""

    def is_installed(self):
        return all(find_spec(module) for module in self.packages)

    def versions(self):
        return [f"{package} {version(package)}" for package in self.packages.values()]

    def names(self, plain):
        """All measures, in the order of the page."""
        raise NotImplementedError

    def values(self, names, data):
        """``{name: {request: value}}``, of names that have the options of this input; None where the tool fails."""
        raise NotImplementedError

    def spec(self, name, data):
        """What the measure is called here, and the relevance level of the experiment."""
        return self.OTHER_NAMES.get(name, name), data.level

    def tolerance(self, name):
        return EXACT


class TrecEval(Tool):
    """The C program, as pytrec_eval-terrier wraps it; of families with cutoffs the first, a middle and the last."""

    name = "trec_eval"
    packages: ClassVar = {"pytrec_eval": "pytrec_eval-terrier"}
    TEXT = ("runid", "relstring")
    WHOLE = ("iprec_at_recall",)
    """Families whose parameters are rounded, each in its own way."""

    def names(self, plain):
        families = defaultdict(list)
        for name in next(iter(self.evaluate(plain).values())):
            stem, _, number = name.rpartition("_")
            is_member = re.fullmatch(r"[\d.]+", number)
            families[stem if is_member else name].append((float(number) if is_member else 0.0, name))
        several = {stem: [name for _, name in sorted(members)] for stem, members in families.items()}
        return [
            name
            for stem, names in sorted(several.items(), key=lambda item: item[1][0].lower())
            for name in names
            if stem in self.WHOLE or name in (names[0], names[len(names) // 2], names[-1])
        ]

    def evaluate(self, data):
        import pytrec_eval

        measures = pytrec_eval.supported_measures - {*self.TEXT}
        level = 1 if data.level is None else data.level
        return pytrec_eval.RelevanceEvaluator(data.judgements, measures, level, data.judged_only).evaluate(data.scores)

    def values(self, names, data):
        scores = self.evaluate(data)
        return {name: {q: values[name] for q, values in scores.items()} for name in names}


class IrMeasures(Tool):
    """Every name of its catalogue, alone and with a cutoff where it takes one, and some with parameters."""

    name = "ir_measures"
    packages: ClassVar = {"ir_measures": "ir_measures", "cwl": "cwl-eval", "pyndeval": "pyndeval"}
    WITH_PARAMETERS = (
        *(f"IPrec@0.{k}" for k in range(1, 10)),
        *("nDCG(dcg='exp-log2')@10", "nDCG(gains={0: 0, 1: 1, 2: 3, 3: 7})@10", "SetF(beta=2.0)"),
        *("RBP(rel=1)", "RBP(p=0.5, rel=1)", "alpha_nDCG(alpha=0.2)@10", "Compat(p=0.8)", "SDCG(max_rel=3)@10"),
        *("BPM(max_rel=3)@10", "INST(max_rel=3)", "INSQ(max_rel=3)", "NERR8(max_rel=3)@10", "NERR9(max_rel=3)@10"),
        *("NERR10(max_rel=3)", "NERR11(max_rel=3)"),
    )

    def names(self, plain):
        import ir_measures

        catalogue = dict.fromkeys(ir_measures.measures.registry.values())
        forms = [form for measure in catalogue for form in (measure, with_cutoff(measure)) if is_computable(form)]
        values = self.values([*map(str, forms)], plain)
        return [*(name for name in values if values[name] is not None), *self.WITH_PARAMETERS]

    def measure(self, name, data):
        """The measure at the level of an input; None where it has no such parameter."""
        import ir_measures

        measure = ir_measures.parse_measure(name)
        if data.level is not None and "rel" in measure.SUPPORTED_PARAMS:
            measure = measure(rel=data.level)
        if data.judged_only:
            measure = measure(judged_only=True) if "judged_only" in measure.SUPPORTED_PARAMS else None
        return measure if measure is not None and is_computable(measure) else None

    def spec(self, name, data):
        return self.OTHER_NAMES.get(name, str(self.measure(name, data)) if data.level is not None else name), None

    def values(self, names, data):
        import ir_measures

        values = {}
        for name in names:
            measure = self.measure(name, data)
            if measure is None:
                continue
            qrels = subtopic_rows(data) if is_diversity(measure) else data.judgements
            try:
                rows = list(ir_measures.iter_calc([measure], qrels, data.scores))
            except Exception:
                values[name] = None
            else:
                values[name] = {row.query_id: row.value for row in rows}
        return values

    def tolerance(self, name):
        return FIVE_DECIMALS if name.startswith("ERR@") or "exp-log2" in name else EXACT


def with_cutoff(measure):
    return measure @ 10 if "cutoff" in measure.SUPPORTED_PARAMS else None


def is_computable(measure):
    """Whether a provider that is installed computes it; bare names of some lack a parameter."""
    import ir_measures

    try:
        return measure is not None and any(
            provider.is_available() and provider.supports(measure)
            for provider in ir_measures.DefaultPipeline.providers
            # ranx has a section of its own, and is not always installed; tests may have imported tiebreak.ir_measures.
            if provider.NAME not in ("ranx", "tiebreak")
        )
    except (AssertionError, ValueError, TypeError, AttributeError):
        return False


def is_diversity(measure):
    return measure.NAME in (
        "ERR_IA",
        "nERR_IA",
        "alpha_DCG",
        "alpha_nDCG",
        "NRBP",
        "nNRBP",
        "AP_IA",
        "P_IA",
        "StRecall",
    )


def subtopic_rows(data):
    import ir_measures

    return [
        ir_measures.Qrel(q, item, grade, subtopic)
        for q, items in data.grades.items()
        for item, by in items.items()
        for subtopic, grade in by.items()
    ]


class Ranx(Tool):
    """Every metric, alone and with a cutoff."""

    name = "ranx"
    packages: ClassVar = {"ranx": "ranx"}
    NAMES = ("hits", "hit_rate", "precision", "recall", "f1", "mrr", "map", "dcg", "dcg_burges", "ndcg", "ndcg_burges")

    def names(self, plain):
        cut = [form for name in self.NAMES for form in (name, f"{name}@10")]
        return [*cut, "r-precision", "bpref", "rbp.80"]

    def spec(self, name, data):
        spec = self.OTHER_NAMES.get(name, name)
        return spec if data.level is None else f"{spec}-l{data.level}", None

    def values(self, names, data):
        import ranx

        if data.judged_only:
            return {}
        suffix = "" if data.level is None else f"-l{data.level}"
        qrels, run = ranx.Qrels(data.judgements), ranx.Run(data.scores)
        ranx.evaluate(qrels, run, [name + suffix for name in names], make_comparable=True)
        return {name: {str(q): float(v) for q, v in run.scores[name + suffix].items()} for name in names}


class Ndeval(Tool):
    """NIST's ndeval, as pyndeval packages it."""

    name = "ndeval"
    packages: ClassVar = {"pyndeval": "pyndeval"}

    def names(self, plain):
        import pyndeval

        return [m if m in pyndeval.NOCUTOFF_MEASURES else f"{m}@10" for m in pyndeval.SUPPORTED_MEASURES]

    def values(self, names, data):
        import pyndeval

        if data.judged_only:
            return {}
        rows = [(row.query_id, row.iteration, row.doc_id, row.relevance) for row in subtopic_rows(data)]
        level = 1 if data.level is None else data.level
        scored = [(q, item, score) for q, items in data.scores.items() for item, score in items.items()]
        scores = pyndeval.RelevanceEvaluator(rows, names, relevance_level=level).evaluate(scored)
        return {name: {q: values[name] for q, values in scores.items()} for name in names}


class LensKit(Tool):
    """Metrics of ranked lists, by `RunAnalysis`; the test items of a user are the relevant ones."""

    name = "LensKit"
    packages: ClassVar = {"lenskit": "lenskit"}
    NAMES = ("Hit", "Precision", "Recall", "RecipRank", "AveragePrecision", "NDCG", "DCG", "RBP")
    OTHER_NAMES: ClassVar = {
        "Hit()": "Success",
        "Hit(10)": "Success@10",
        "Precision()": "SetP",
        "Precision(10)": "P@10",
        "Recall()": "R",
        "Recall(10)": "P(relative=true)@10",
        "RecipRank()": "RR",
        "RecipRank(10)": "RR@10",
        "AveragePrecision()": "AP",
        "AveragePrecision(10)": "AP(relative=true)@10",
        "NDCG()": "binary_nDCG(discount='clipped')",
        "NDCG(10)": "binary_nDCG(discount='clipped')@10",
        "NDCG(10, gain='rating')": "nDCG(discount='clipped')@10",
        "DCG()": "binary_DCG(discount='clipped')",
        "DCG(10)": "binary_DCG(discount='clipped')@10",
        "DCG(10, gain='rating')": "DCG(discount='clipped')@10",
        "RBP()": "RBP(p=0.85)",
        "RBP(10)": "RBP(p=0.85)@10",
    }

    def names(self, plain):
        cut = [form for name in self.NAMES for form in (f"{name}()", f"{name}(10)")]
        return [*cut, "NDCG(10, gain='rating')", "DCG(10, gain='rating')"]

    def spec(self, name, data):
        spec, level = super().spec(name, data)
        is_graded = level is not None and "gain" in name  # whose test items have grades from the level on
        return spec.replace("(", f"(rel={level}, ") if is_graded else spec, level

    def values(self, names, data):
        import logging

        from lenskit import metrics
        from lenskit.data import ItemList, ItemListCollection

        if data.judged_only:
            return {}
        logging.getLogger("lenskit").setLevel(logging.ERROR)  # of users without test items, which is what is compared
        level = 1 if data.level is None else data.level
        lists, test = ItemListCollection(["user_id"]), ItemListCollection(["user_id"])
        for q, items in data.scores.items():
            lists.add(ItemList(item_ids=[*items], scores=[*items.values()]).top_n(), user_id=q)
        for q, items in data.judgements.items():
            relevant = {item: grade for item, grade in items.items() if grade >= level}
            test.add(ItemList(item_ids=[*relevant], rating=[*relevant.values()]), user_id=q)
        values = {}
        for name in names:
            analysis = metrics.RunAnalysis(eval(name, {}, vars(metrics.ranking)))
            try:
                ((_, column),) = analysis.measure(lists, test).list_metrics().items()
            except (ArithmeticError, LookupError):
                values[name] = None
            else:
                values[name] = {str(q): float(value) for q, value in column.items()}
        return values


TOOLS = (TrecEval(), IrMeasures(), Ranx(), LensKit(), Ndeval())


def native(spec):
    """The metric that a spec names, defined here and not computed by another library; None if there is none."""
    try:
        metric = tb.metric(spec)
    except TiebreakError:
        return None
    return None if type(metric).__module__ == "tiebreak.metrics.external" else metric
