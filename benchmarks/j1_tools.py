"""J1 in one process, by one tool in its usual way: AP, nDCG, RR and R@1000 per request, and their means.

    python j1_tools.py TOOL QRELS RUN

Prints the number of requests and the four means as JSON. Imports stand inside the functions: they are timed.
"""

from __future__ import annotations

import json
import sys

MEASURES = ["AP", "nDCG", "RR", "R@1000"]

PerRequest = dict[str, list[float]]


def tiebreak(qrels: str, run: str) -> PerRequest:
    # The command line itself, as people call it.
    import contextlib
    import io

    from tiebreak.cli import main

    measures = [word for measure in MEASURES for word in ("-m", measure)]
    sys.argv[1:] = ["evaluate", qrels, run, *measures, "--per-request", "--format", "jsonl"]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        main()
    rows = [json.loads(line) for line in out.getvalue().splitlines()]
    return {measure: [row["value"] for row in rows if row["measure"] == measure] for measure in MEASURES}


def pytrec_eval(qrels: str, run: str) -> PerRequest:
    import pytrec_eval

    names = {"AP": "map", "nDCG": "ndcg", "RR": "recip_rank", "R@1000": "recall_1000"}
    with open(qrels) as judgement_lines, open(run) as run_lines:
        judgements = pytrec_eval.parse_qrel(judgement_lines)
        scored = pytrec_eval.parse_run(run_lines)
    results = pytrec_eval.RelevanceEvaluator(judgements, set(names.values())).evaluate(scored)
    return {measure: [values[name] for values in results.values()] for measure, name in names.items()}


def ir_measures(qrels: str, run: str) -> PerRequest:
    import ir_measures
    from ir_measures import AP, RR, R, nDCG

    judgements, scored = ir_measures.read_trec_qrels(qrels), ir_measures.read_trec_run(run)
    scores: PerRequest = {measure: [] for measure in MEASURES}
    for metric in ir_measures.iter_calc([AP, nDCG, RR, R @ 1000], judgements, scored):
        scores[str(metric.measure)].append(metric.value)
    return scores


def ranx(qrels: str, run: str) -> PerRequest:
    from ranx import Qrels, Run, evaluate

    names = {"AP": "map", "nDCG": "ndcg", "RR": "mrr", "R@1000": "recall@1000"}
    judgements, scored = Qrels.from_file(qrels, kind="trec"), Run.from_file(run, kind="trec")
    results = evaluate(judgements, scored, list(names.values()), return_mean=False)
    return {measure: results[name].tolist() for measure, name in names.items()}


TOOLS = {"tiebreak": tiebreak, "pytrec_eval": pytrec_eval, "ir_measures": ir_measures, "ranx": ranx}


def main() -> None:
    tool, qrels, run = sys.argv[1:]
    scores = TOOLS[tool](qrels, run)
    means = {measure: sum(values) / len(values) for measure, values in scores.items()}
    print(json.dumps({"requests": len(scores["AP"]), "means": means}))


if __name__ == "__main__":
    main()
