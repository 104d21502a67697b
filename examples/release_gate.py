"""A release gate: most queries get slightly better, some much worse. Exit code 1, and files for continuous integration.

python examples/release_gate.py [FOLDER]
"""

import sys
from pathlib import Path

import tiebreak as tb


def main(folder: str = ".") -> int:
    # 22 queries gain a little, 11 lose much: a sign test of wins and losses sees no loss.
    queries = [f"q{k}" for k in range(33)]
    old = dict.fromkeys(queries, 0.5)
    new = {query: 0.55 if k < 22 else 0.2 + k / 1000 for k, query in enumerate(queries)}
    scores = tb.Utilities({"old": old, "new": new}, measure="nDCG@10")
    print("by a sign test:", *tb.gate(scores, baseline="old", test="sign").sentences())

    gate = tb.gate(
        scores, baseline="old", groups={query: "long" if k < 22 else "short" for k, query in enumerate(queries)}
    )
    gate.table().print()
    Path(folder, "gate.xml").write_text(gate.to_junit(), encoding="utf-8")
    Path(folder, "gate.md").write_text(gate.to_summary(), encoding="utf-8")
    overall = tb.gate(scores, baseline="old")
    print("by a t-test:", *overall.sentences())
    return 0 if overall.passes and gate.passes else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
