"""The methods of a page in plain words, for readers who know nDCG and no more."""

from __future__ import annotations

from tiebreak.reports.content import Content

IN_SHORT = (
    "RPP is recall-paired preference: whichever of two rankings has its first relevant item higher gets a point, "
    "likewise for the second, and so on; RPP is the difference in points, divided by the number of relevant items. "
    "With LexiRecall the last relevant item decides alone, with LexiPrecision the first; the next ones only break ties."
)
POSITIONS = (
    "For every request a run puts items in an order. What counts here is where the relevant items are: the position "
    "of the first one, of the second one, and so on. A user who wants i relevant items has to look down to the "
    "position of the i-th one; this is called recall level i. Relevant items that a run does not retrieve are below "
    "all that it does."
)
RPP = (
    "nDCG, AP and reciprocal rank turn the positions of a ranking into one number, and numbers are compared. Recall- "
    "paired preference (RPP) compares two rankings directly: at every recall level, the ranking that has its i-th "
    "relevant item higher is preferred. RPP is the share of levels at which the first ranking is preferred minus the "
    "share at which the second is: 1 if the first is higher at all levels, 0 if they balance, -1 if the second is "
    "higher at all. It has no cutoff and no discount, and rarely ties. Where judgements have several grades, it is "
    "computed for the items of each grade or better, and averaged with the numbers of these items as weights."
)
LEXICOGRAPHIC = (
    "LexiRecall looks at the last relevant item first: the ranking that has it higher is preferred, and where both "
    "have it at the same position, the one before decides, and so on. It speaks for users who need every relevant "
    "item, and so for the worst case. LexiPrecision goes the other way: the first relevant item decides, then the "
    "second. It agrees with reciprocal rank where that does not tie, and speaks for the best case. Both only say "
    "which ranking is better, not by how much: 1, 0 or -1."
)
LEADERBOARD = (
    "Metrics have a mean over requests. Preferences have none for a single run: the leaderboard shows the mean "
    "preference of a run over all other runs, from -1 to 1. Intervals are 95% intervals by Student's t over requests; "
    "they are not corrected for how many there are. MC4 ranks runs by a random walk that moves to runs which a "
    "majority of requests prefers."
)
TESTS = (
    "Two runs are said to differ only where a test over requests shows it: p < 0.05 by a paired t-test, or, where a "
    "measure only says which run is better, by a sign test, with Holm's correction for all pairs that were compared "
    "by that measure. Runs that share a letter were not shown to differ. This does not mean that they are equal: the "
    "difference may be too small for these requests to show it."
)
ANSWER = (
    "The sentences at the top of the page are stricter: they are corrected for all pairs and all measures that they "
    "speak of together, so that pages about runs that do not differ claim a difference in at most one of twenty "
    "cases."
)
CURVE = (
    "The recall-level curve of two runs shows which of them users prefer, by the share of the relevant items that "
    "they want, from the first one to all of them: the share of requests in which the first run reaches that level "
    "earlier, minus the share in which the second does. For judgements without grades, the area under it is about "
    "RPP."
)
UTILITIES = (
    "A utility says how well a request is served, the higher the better. The mean looks at all requests alike. CVaR "
    "is the mean of the worst 10% of the requests. Leximin compares the worst request of two runs, and where they are "
    "equal the second worst, and so on. Such an order is of these requests; it is no test."
)
DIVERSITY = (
    "Measures of diversity reward rankings that show items of several aspects a user may want, instead of many of "
    "the same. alpha-beta-nDCG models users with interests in aspects, who may like items that they have not rated; "
    "S-Recall and STREC are the share of aspects shown; ILD is the mean distance between the items of a list; "
    "intent-aware measures (IA) are averaged over the aspects."
)
REFERENCES = {
    "RPP": "Diaz and Ferraro: Offline Retrieval Evaluation Without Evaluation Metrics. SIGIR 2022. "
    "doi:10.1145/3477495.3532033",
    "LexiRecall": "LR: Diaz, Ekstrand and Mitra: Recall, Robustness, and Lexicographic Evaluation. ACM Transactions on "
    "Recommender Systems 4(1), 2026. doi:10.1145/3728373",
    "LexiPrecision": "Diaz: Best-Case Retrieval Evaluation: Improving the Sensitivity of Reciprocal Rank with "
    "Lexicographic Precision. EVIA 2023",
    "leximin": "Diaz: Pessimistic Evaluation. SIGIR-AP 2024. doi:10.1145/3673791.3698428",
    "diversity": "Parapar and Radlinski: Towards Unified Metrics for Accuracy and Diversity for Recommender Systems. "
    "RecSys 2021. doi:10.1145/3460231.3474234",
    "MC4": "Dwork, Kumar, Naor and Sivakumar: Rank Aggregation Methods for the Web. WWW 2001",
    "Holm": "Holm: A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal of Statistics 6, 1979",
    "letters": "Piepho: An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons. Journal of "
    "Computational and Graphical Statistics 13, 2004",
}


def method_texts(content: Content) -> dict[str, str]:
    """What the page uses, by its name, in plain words."""
    rankings = {
        "Positions of relevant items": POSITIONS,
        "Recall-paired preference": RPP,
        "Lexicographic recall and precision": LEXICOGRAPHIC,
        "Leaderboard": LEADERBOARD,
    }
    several = {"Differences between runs": TESTS, "The answer": ANSWER}
    return {
        **(rankings if content.is_of_rankings else {}),
        **(several if content.claims is not None else {}),
        **({"Recall-level curve": CURVE} if content.curve is not None else {}),
        "Utilities and worst cases": UTILITIES,
        **({"Diversity": DIVERSITY} if content.diversity else {}),
    }


def references(content: Content) -> list[str]:
    """The papers behind what the page uses."""
    kinds = ["RPP", "LexiRecall", "LexiPrecision"] if content.is_of_rankings else []
    kinds += ["leximin", *(["diversity"] if content.diversity else [])]
    kinds += ["MC4"] if content.is_of_rankings and content.claims is not None else []
    kinds += ["Holm", "letters"] if content.claims is not None else []
    return [REFERENCES[kind] for kind in kinds]
