"""A table for a paper: runs against the first one, in LaTeX, and as letters for all pairs.

python examples/paper_table.py [QRELS BASELINE RUN...]
"""

import sys

import tiebreak as tb


def main(qrels: str = "", *runs: str) -> None:
    simulation = tb.simulate(50, seed=2)  # where no files are given
    exp = tb.Experiment(qrels, runs) if runs else tb.Experiment(simulation.judgements, simulation.runs)
    scores = exp.evaluate("nDCG@10 AP(rel=2) RR(rel=2)")
    baseline = exp.runs[0].name

    # Means with 95% intervals, changes, the best in bold; * where a run differs from the baseline by a paired t-test,
    # with Holm's correction for all runs. The comment under the table says so, for the caption.
    print(scores.against(baseline).to_latex(digits=3))

    # All pairs: runs without a common letter differ.
    print(scores.against().to_markdown(digits=3))

    # The same test, for every pair: p-values, effect sizes, intervals.
    exp.compare("nDCG@10").test().table().print()


if __name__ == "__main__":
    main(*sys.argv[1:])
