"""Recommenders by the users, and the genres, that they serve worst; simulated ones where no files are given.

python examples/worst_off_users.py [RATINGS GENRES TRAIN RUN...]
"""

import sys
from collections import Counter

import tiebreak as tb


def main(ratings: str = "", genres: str = "", train: str = "", *runs: str) -> None:
    if runs:
        exp = tb.Experiment(ratings, runs, min_grade=4)
        rated, genre = tb.read_judgements(train).to_dict(), tb.read_aspects(genres)
    else:
        world = tb.simulate(60, seed=5)
        exp, rated = tb.Experiment(world.judgements, world.runs), world.judgements
        aspects = {item: some for by_item in world.aspects.values() for item, some in by_item.items()}
        genre = {item: [f"genre {aspect}" for aspect in some] for item, some in aspects.items()}

    # Means hide users: cvar is the mean of the worst tenth, positive the share of users who get anything they like.
    users = exp.utilities("AP")
    users.evaluate(["mean", "cvar(share=0.1)", "positive"]).table().print()

    # Leximin asks the worst-off user first, then the next one. Which user decides between its two best runs?
    first, second = users.order("leximin").ranking()[:2]
    print(f"\n{first} or {second}?", *exp.explain(first, second, measure="leximin(AP)").notes[:2], sep="\n")

    # Users by the genre that they rate most: leximin over genres, and whose fans each run serves worst.
    counts = {user: Counter(g for item in items for g in genre.get(item, ())) for user, items in rated.items()}
    favourite = {user: max(count, key=count.__getitem__, default="none") for user, count in counts.items()}
    fans = exp.utilities("AP", groups=favourite).by_group("mean")
    fans.order("leximin").table().print()
    print("", *(f"{run}: fans of {' and '.join(names)}, {value:.4f}" for run, names, value in fans.worst()), sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
