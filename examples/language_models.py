"""Language models from a wide csv: a row for each prompt, with its task, and a column of scores for each model.

python examples/language_models.py [SCORES.csv]
"""

import sys
from pathlib import Path
from tempfile import mkdtemp

import tiebreak as tb


def example() -> Path:
    """A large model that is better on most prompts and fails on some, a careful one, and a small one."""
    rows = ["prompt,task,large,careful,small"]
    for k in range(60):
        task, large = ("code", "maths", "chat")[k % 3], 0.05 if k % 12 == 0 else 0.8 + k % 7 / 50
        rows.append(f"p{k},{task},{large:.2f},{0.7 + k % 5 / 25:.2f},{0.4 + k % 4 / 10:.2f}")
    (path := Path(mkdtemp(), "scores.csv")).write_text("\n".join(rows), encoding="utf-8")
    return path


def main(path: str = "") -> None:
    table = Path(path) if path else example()
    scores = tb.Utilities(table, columns="other=task", measure="accuracy")

    # The mean, the mean of the worst tenth of prompts, and the worst prompt; then the order in which the worst decide.
    scores.evaluate(["mean", "cvar(share=0.1)", "min"]).table().print()
    scores.order("leximin").table().print()
    scores.test().table().print()  # which means differ by more than chance

    # By task: where does the large model fail?
    tasks = tb.read_groups(table, columns="group=task")
    scores = tb.Utilities(table, columns="other=task", measure="accuracy", groups=tasks)
    scores.evaluate(["mean", "min"]).table().print()


if __name__ == "__main__":
    main(*sys.argv[1:])
