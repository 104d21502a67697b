"""What a page about a large experiment does not show, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from tiebreak._base.text import plural
from tiebreak.orderings import Ordering
from tiebreak.reports.content import Content
from tiebreak.reports.leaders import MOST_LETTERED


def left_out(content: Content) -> Iterator[str]:
    """Everything that a smaller experiment would have in its page."""
    yield from left_out_pairs(content)
    if len(content.groups) < content.n_groups:
        largest = f"{len(content.groups)} largest" if len(content.groups) > 1 else "largest"
        yield f"The leaderboard has the {largest} of {content.n_groups:,} groups of requests."
    if not isinstance(content.orders[0], Ordering):
        yield (
            "Runs are not ordered by leximin, which takes too long here; the mean of the worst 10% of the requests is "
            "shown instead."
        )
    n_requests = content.served["n"]
    if content.details is not None and len(content.details) < n_requests:
        yield (
            f"Positions of items are shown for {len(content.details):,} of {plural(n_requests, 'request')}, the most "
            "telling."
        )


def left_out_pairs(content: Content) -> Iterator[str]:
    """Runs that are not compared, pairs that are not shown, and what is not computed of pairs."""
    first = content.measures[0]
    if first.numbers is None:
        return
    n_runs, n_compared, n_paired = len(content.runs), len(first.numbers.runs), len(content.paired)
    n_requests = first.numbers.n_requests
    if n_compared < n_runs:
        yield (
            f"{plural(n_runs, 'run')} x {plural(n_requests, 'request')} are too many to compare all pairs: the "
            f"{n_compared} runs with the best mean were compared, and tests are corrected for their pairs."
        )
    if n_paired < n_compared:
        yield (
            f"Pairs are shown of the first {n_paired} of {plural(n_compared, 'run')}; tests are of all pairs, and "
            "corrected for all of them."
        )
    if not any(leader.letters for leader in first.leaders):
        yield f"There are no letters in the leaderboard: there are more than {MOST_LETTERED} runs, or too many groups."
    if content.is_of_rankings and n_requests > 1 and len(first.leaders[0].mc4) == 1:
        yield "Ranks by MC4 have no intervals: a bootstrap of so many pairs and requests takes too long."
