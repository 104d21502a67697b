"""The sections of a page, in their order: each adds what it says to the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from tiebreak._base.checks import check_choice
from tiebreak.orderings import Ordering
from tiebreak.reports.content import Content
from tiebreak.reports.left_out import left_out
from tiebreak.reports.methods import IN_SHORT, method_texts, references
from tiebreak.reports.page_data import page_data
from tiebreak.reports.provenance import input_table, setting_lines, versions
from tiebreak.reports.report import Report
from tiebreak.reports.section_names import SECTION_NAMES, TEMPLATES
from tiebreak.reports.sentences import listing, three_sentences
from tiebreak.results.pictures import bump_chart
from tiebreak.results.record import Result
from tiebreak.results.tables import Table
from tiebreak.results.theme import CONFIG
from tiebreak.results.vega_lite import vega_lite

DATA = "content"
"""What the interactive parts call the data of the page."""
CASES = (
    "A run that is best on average may serve some users or requests worst. Where lines cross, the order of runs "
    "depends on whom one looks at."
)
MOST_DRAWN = 60
"""Runs in the picture of ranks."""


def add_answer(page: Report, content: Content) -> None:
    """The answer in three sentences."""
    if content.claims is None:
        run = content.runs[0]
        means = [f"{one.name} {one.leaders[0].value:.4f}" for one in content.measures if one.leaders]
        page.add(f"There is one run, {run}, so nothing is compared. Its means: {', '.join(means)}.")
        return
    best, certainty, disagreement = three_sentences(content.claims)
    page.add(
        {"Who is best for whom": best, "How certain this is": certainty, "Where measures disagree": disagreement},
        lead=True,
    )
    if content.is_of_rankings:
        page.add(IN_SHORT)


def add_input(page: Report, content: Content) -> None:
    """What was compared, and what was odd about it."""
    if content.audit.warnings:
        page.add("What was odd:").add(list(content.audit.warnings))
    page.add(replace(content.audit, warnings=()))
    if notes := [*left_out(content)]:
        page.add("What this page leaves out:").add(notes)


def add_leaderboard(page: Report, content: Content) -> None:
    """Runs from the best to the worst by a measure that the reader chooses."""
    page.add_component("leaderboard", fallback=leader_table(content), charts=True)


def leader_table(content: Content) -> Table:
    """The leaderboard by the first measure that has one."""
    measure = next(one for one in content.measures if one.leaders)
    rows = tuple(
        (str(leader.rank), leader.run, *(f"{value:.4f}" for value in leader[2:5]), leader.letters)
        for leader in measure.leaders
    )
    return Table(("rank", "run", measure.name, "low", "high", "letters"), rows)


def add_heat_map(page: Report, content: Content) -> None:
    """Every run against every other."""
    if len(content.paired) < 2:
        page.add("There is one run, so there are no pairs.")
        return
    page.add_component("heat-map", fallback="The table of all pairs needs JavaScript.")


def add_pair(page: Report, content: Content) -> None:
    """Two systems, chosen by the reader."""
    if len(content.paired) < 2:
        page.add("There is one run, so there is nothing to compare it with.")
        return
    page.add_component("pair-explorer", fallback="Choosing two systems needs JavaScript.", charts=True)


def add_served(page: Report, content: Content) -> None:
    """Who is served worst by each system."""
    page.add_component("served", content.served, fallback=served_table(content), charts=True)
    for table in content.group_table:
        page.add(table, title="In every group of requests", pictures=())


def served_table(content: Content) -> Table:
    """The worst requests of every run."""
    rows = tuple(
        (one["run"], f"{one['lowest']:.4f}", f"{one['at_lowest']:,}", ", ".join(name for name, _ in one["worst"]))
        for one in content.served["runs"]
    )
    return Table(("run", "worst value", "requests", "worst requests"), rows)


def add_cases(page: Report, content: Content) -> None:
    """Whether the order depends on whom one looks at: average against worst case."""
    ranks = ranks_by_case(content)
    if len(content.runs) > 1 and len(ranks) > 1:
        page.add(CASES)
        runs = f"the first {MOST_DRAWN} runs" if len(content.runs) > MOST_DRAWN else "runs"
        page.add_chart(vega_lite(*bump_chart(ranks, f"Ranks of {runs} by {listing(list(ranks))}, 1 is best")))
    for order in content.orders:
        page.add(order, title=order_title(order), pictures=())


def order_title(order: Result) -> str:
    """What an order, or a table of populations, is of."""
    if isinstance(order, Ordering):
        return f"{order.measure} by {order.by}: the worst requests decide"
    return f"{order.settings['measure']}: mean of all requests, and of the worst 10%"


def ranks_by_case(content: Content) -> dict[str, dict[str, int]]:
    """The ranks of the first runs in the best, average and worst case; of utilities by their mean and by leximin."""
    leaders = {one.name: {leader.run: leader.rank for leader in one.leaders} for one in content.measures}
    if content.is_of_rankings:
        ranks = {name: leaders[name] for name in ("LexiPrecision", "RPP", "LexiRecall")}
    else:
        orders = [one for one in content.orders[:1] if isinstance(one, Ordering)]
        ranks = {"mean": next(iter(leaders.values()))}
        ranks |= {one.by: dict(zip(one.runs, one.ranks.tolist(), strict=True)) for one in orders}
    first = [*next(iter(ranks.values()))][:MOST_DRAWN]
    return {name: {run: of_runs[run] for run in first if run in of_runs} for name, of_runs in ranks.items()}


def add_diversity(page: Report, content: Content) -> None:
    """Measures of diversity, where items have aspects."""
    if not content.diversity:
        page.add("Neither items nor judgements have aspects, so nothing is known of diversity.")
    for table in content.diversity:
        page.add(table, pictures=())


def add_methods(page: Report, content: Content) -> None:
    """The methods in plain words."""
    page.add(method_texts(content)).add("References:").add(references(content))


def add_settings(page: Report, content: Content) -> None:
    """What is needed to make the page again."""
    page.add({**dict(setting_lines(content.settings)), "versions": versions()})
    page.add(input_table(content.inputs))
    if content.command:
        page.add("The command that makes this page again:").add_code(content.command)


class Section(NamedTuple):
    """The title of a section, and what adds its content."""

    title: str
    add: Callable[[Report, Content], None]


SECTIONS: Mapping[str, Section] = dict(
    zip(
        SECTION_NAMES,
        (
            Section("The answer", add_answer),
            Section("What was compared", add_input),
            Section("Leaderboard", add_leaderboard),
            Section("Who beats whom", add_heat_map),
            Section("Two systems", add_pair),
            Section("Who is served worst", add_served),
            Section("Average against worst case", add_cases),
            Section("Diversity", add_diversity),
            Section("Methods", add_methods),
            Section("How this page was made", add_settings),
        ),
        strict=True,
    )
)
"""Every section by its name."""


def chosen_sections(template: str, names: Iterable[str]) -> tuple[str, ...]:
    """The names of sections: those that are named, in that order, or those of a template."""
    check_choice(template, "template", TEMPLATES)
    several = tuple(dict.fromkeys(names))
    for name in several:
        check_choice(name, "section", SECTIONS)
    return several or TEMPLATES[template]


def build_page(content: Content, sections: tuple[str, ...], *, title: str | None = None, date: bool = True) -> Report:
    """The page with some sections; all of them have that on diversity only where something is known of it."""
    page = Report(title or content.title, subtitle=content.subtitle, date=date)
    page.add_data(DATA, page_data(content) | {"config": CONFIG})
    for name in sections:
        if name != "diversity" or content.diversity or sections != TEMPLATES["full"]:
            page.section(SECTIONS[name].title, id=name)
            SECTIONS[name].add(page, content)
    return page
