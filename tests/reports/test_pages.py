"""Pages about runs in a real browser: choosing a measure, a pair and a request, by mouse, by keyboard and by a link."""

import csv
import glob
import io
import os
import re
from pathlib import Path
from urllib.parse import quote

import pytest

import tiebreak as tb
from reports.conftest import PHONE, WIDE, serious_violations
from reports.pages import HOSTILE_ITEM, HOSTILE_REQUEST, HOSTILE_RUN, hostile_experiment
from reports.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::UserWarning")]
DATA = os.environ.get("TIEBREAK_DATA")
HOSTILE_NAMES = (HOSTILE_RUN, HOSTILE_ITEM, HOSTILE_REQUEST)


@pytest.fixture(scope="module")
def demo():
    simulation = tb.simulate(20, seed=123)
    return tb.Experiment(simulation.judgements, simulation.runs)


@pytest.fixture(scope="module")
def page_file(demo, tmp_path_factory):
    path = tmp_path_factory.mktemp("demo") / "demo.html"
    demo.report(path, date=False)
    return path


def data_files(folder):
    return sorted(glob.glob(f"{DATA}/{folder}/runs/*.gz"))


def dl19():
    return tb.Experiment(f"{DATA}/dl19-passage/qrels.txt", data_files("dl19-passage")).report(date=False)


def ml_small():
    folder = f"{DATA}/ml-small"
    tables = {"aspects": f"{folder}/item_genres.tsv", "train": f"{folder}/train.tsv.gz"}
    exp = tb.Experiment(f"{folder}/qrels.stars.txt", data_files("ml-small"), min_grade=4, binary=True, **tables)
    groups = {user: "even" if int(user) % 2 == 0 else "odd" for user in exp.judgements.requests}
    return exp.report(groups=groups, date=False)


def utilities():
    table = {run: {f"p{k}": (k * step) % 11 / 11 for k in range(40)} for run, step in (("x", 2), ("y", 3), ("z", 5))}
    return tb.Utilities(table, measure="accuracy", groups={f"p{k}": f"g{k % 3}" for k in range(40)}).report(date=False)


def seven_systems():
    simulation = tb.simulate(20, seed=123)
    return tb.Experiment(simulation.judgements, simulation.runs).report(date=False)


PAGES = {"demo": seven_systems, "utilities": utilities, "dl19": dl19, "ml-small": ml_small}
PARTS = ("answer", "input", "leaderboard", "pairs", "two-systems", "worst-served", "cases", "methods", "settings")


def rows(page, part, table=0):
    """The cells of a table in a part of the page."""
    lines = page.locator(f"#{part} .table-block").nth(table).locator("tbody tr").all()
    return [line.locator("th, td").all_inner_texts() for line in lines]


def select(page, part, label):
    return page.locator(f"#{part}").get_by_label(label, exact=True)


def lead(page):
    return page.locator("#two-systems p.lead").inner_text()


def address(page):
    return page.evaluate("decodeURIComponent(location.hash)")


@pytest.mark.parametrize("name", PAGES)
def test_pages_open_without_a_message_and_fit_every_screen(open_page, name):
    if name in ("dl19", "ml-small") and DATA is None:
        pytest.skip("TIEBREAK_DATA names no folder")
    report = PAGES[name]()
    page = open_page(report)
    ids = page.locator("section").evaluate_all("all => all.map(one => one.id)")
    assert set(PARTS) | ({"diversity"} if name == "ml-small" else set()) == set(ids)
    assert page.locator(".failure").count() == 0
    assert serious_violations(page) == []
    assert serious_violations(open_page(report, color_scheme="dark")) == []
    phone = open_page(report, viewport=PHONE)
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_leaderboard_follows_the_measure_that_is_chosen(open_page, page_file, demo):
    page = open_page(page_file)
    assert [row[0] for row in rows(page, "leaderboard")] == demo.compare("RPP").order("mean").ranking()
    select(page, "leaderboard", "Measure").select_option("AP")
    expected = demo.evaluate("AP").against().values
    shown = rows(page, "leaderboard")
    assert [row[0] for row in shown] == [mean.run for mean in expected]
    assert [row[2:6] for row in shown] == [
        [f"{mean.value:.4f}", f"{mean.low:.4f}", f"{mean.high:.4f}", mean.marks] for mean in expected
    ]
    assert address(page) == "#measure=AP"
    # The other parts follow.
    assert select(page, "pairs", "Measure").input_value() == "AP"
    assert lead(page).startswith("By AP, ")


def test_measure_is_chosen_by_keyboard(open_page, page_file):
    page = open_page(page_file)
    select(page, "leaderboard", "Measure").focus()
    page.keyboard.press("ArrowDown")
    wait_until(page, "location.hash.includes('LexiRecall')")
    assert page.locator("#leaderboard caption").first.inner_text() == "Runs by LexiRecall"


def test_leaderboard_is_filtered_and_downloaded(open_page, page_file, demo):
    page = open_page(page_file, "#measure=nDCG%4010")
    page.locator("#leaderboard").get_by_label("Filter").fill("balanced")
    assert {row[0] for row in rows(page, "leaderboard")} == {"balanced", "balanced-twin"}
    with page.expect_download() as event:
        page.locator("#leaderboard").get_by_role("button", name="Download CSV").first.click()
    table = list(csv.DictReader(io.StringIO(Path(event.value.path()).read_text(encoding="utf-8"))))
    means = {row.run: row.value for row in demo.evaluate("nDCG@10").summary().values}
    assert [row["run"] for row in table] == [row[0] for row in rows(page, "leaderboard")]
    assert all(float(row["nDCG@10"]) == pytest.approx(means[row["run"]], rel=1e-4) for row in table)


def test_heat_map_shows_mean_preferences_and_chooses_a_pair_by_mouse(open_page, page_file, demo):
    page = open_page(page_file)
    summary = {(row.run, row.other): row for row in demo.compare("RPP").summary().values}
    ranking = demo.compare("RPP").order("mean").ranking()
    cells = page.locator("#pairs tbody tr").nth(0).locator("td").all()
    for other, cell in zip(ranking[1:], cells[1:], strict=True):
        row = summary.get((ranking[0], other)) or summary[other, ranking[0]]
        sign = 1 if row.run == ranking[0] else -1
        text = f"{sign * row.value:+.2f}".replace("-", "\N{MINUS SIGN}") + ("*" if row.pvalue_corrected < 0.05 else "")
        assert cell.inner_text() == text
    page.locator("#pairs tbody tr").nth(1).locator("td").nth(4).click()
    assert address(page) == f"#pair={ranking[1]},{ranking[4]}"
    assert ranking[1] in lead(page) and ranking[4] in lead(page)


def test_numbers_of_the_heat_map_are_a_table_of_all_pairs(open_page, page_file, demo):
    page = open_page(page_file)
    page.locator("#pairs summary").click()
    for measure in ("RPP", "AP"):
        select(page, "pairs", "Measure").select_option(measure)
        with page.expect_download() as event:
            page.locator("#pairs").get_by_role("button", name=f"Download CSV: Pairs by {measure}").click()
        table = list(csv.DictReader(io.StringIO(Path(event.value.path()).read_text(encoding="utf-8"))))
        means = {(row.run, row.other): row for row in demo.compare(measure).summary().values}
        assert len(table) == len(means) == 21
        for line in table:
            row = means.get((line["run"], line["other"])) or means[line["other"], line["run"]]
            sign = 1 if row.run == line["run"] else -1
            assert float(line["mean"]) == pytest.approx(sign * row.value, rel=1e-4)
            assert (line["wins"], line["losses"])[::sign] == (str(row.wins), str(row.losses))
            assert float(line["p"]) == pytest.approx(row.pvalue_corrected, rel=1e-4)


def test_pair_is_chosen_in_the_heat_map_by_keyboard(open_page, page_file, demo):
    page = open_page(page_file)
    ranking = demo.compare("RPP").order("mean").ranking()
    assert page.locator('#pairs td[tabindex="0"]').count() == 1
    select(page, "pairs", "Measure").focus()
    page.keyboard.press("Tab")  # the box that scrolls may take a stop of its own
    if page.evaluate("document.activeElement.tagName") != "TD":
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert address(page) == f"#pair={ranking[2]},{ranking[0]}"


def test_pair_is_chosen_in_lists_and_swapped(open_page, page_file, demo):
    page = open_page(page_file)
    select(page, "two-systems", "First system").select_option("deep")
    select(page, "two-systems", "Second system").select_option("random")
    row = next(row for row in demo.compare("LexiRecall").summary().values if {row.run, row.other} == {"deep", "random"})
    sign = 1 if row.run == "deep" else -1
    shown = next(line for line in rows(page, "two-systems") if line[0] == "LexiRecall")
    wins, losses = (row.wins, row.losses) if sign > 0 else (row.losses, row.wins)
    assert shown[1] == f"{sign * row.value:+.4f}" and shown[4:7] == [str(wins), str(row.ties), str(losses)]
    page.get_by_role("button", name="Swap").click()
    shown = next(line for line in rows(page, "two-systems") if line[0] == "LexiRecall")
    assert shown[1] == f"{-sign * row.value:+.4f}" and shown[4:7] == [str(losses), str(row.ties), str(wins)]
    assert address(page) == "#pair=random,deep"
    # A run is not compared with itself: the other takes its place.
    select(page, "two-systems", "First system").select_option("deep")
    assert address(page) == "#pair=deep,random"


def test_request_is_chosen_by_mouse_and_by_keyboard(open_page, page_file, demo):
    page = open_page(page_file, "#pair=deep,top-heavy")
    deciding = page.locator("#two-systems .columns .table-block")
    button = deciding.locator("tbody button").nth(1)
    request = button.inner_text()
    button.click()
    assert address(page) == f"#pair=deep,top-heavy&request={request}"
    assert select(page, "two-systems", "Request").input_value() == request
    check_levels(page, demo, "deep", "top-heavy", request)
    third = deciding.locator("tbody button").nth(2)
    other = third.inner_text()
    third.focus()
    page.keyboard.press("Enter")
    assert address(page).endswith(f"&request={other}")
    select(page, "two-systems", "Request").focus()
    page.keyboard.press("ArrowDown")
    wait_until(page, f"!location.hash.endsWith('={other}')")
    check_levels(page, demo, "deep", "top-heavy", select(page, "two-systems", "Request").input_value())


def test_choosing_a_request_keeps_the_table_as_it_was_and_the_focus(open_page, page_file):
    page = open_page(page_file)  # no pair is in the address yet
    deciding = page.locator("#two-systems .columns .table-block")
    deciding.get_by_label("Filter").fill("q1")
    names = [button.inner_text() for button in deciding.locator("tbody button").all()]
    deciding.locator("tbody button").nth(1).focus()
    page.keyboard.press("Enter")
    assert address(page).endswith(f"&request={names[1]}")
    assert page.evaluate("document.activeElement.textContent") == names[1]
    assert [button.inner_text() for button in deciding.locator("tbody button").all()] == names
    select(page, "two-systems", "Measure").select_option("AP")  # another table
    assert deciding.get_by_label("Filter").input_value() == ""


def test_policy_blocks_requests_handlers_and_code_from_text(browser, page_file):
    page = browser.new_page()
    page.goto(page_file.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached")
    blocked, ran = page.evaluate(
        """async () => {
          const [blocked, ran] = [[], []];
          document.addEventListener("securitypolicyviolation", (event) => blocked.push(event.effectiveDirective));
          window.run = (what) => ran.push(what);
          const add = (tag, attributes) => document.body.append(Object.assign(document.createElement(tag), attributes));
          add("img", { src: "https://example.com/x.png" });
          add("iframe", { src: "https://example.com/" });
          add("script", { textContent: "run('script')" });
          add("style", { textContent: "body { color: red }" });
          const part = document.createElement("div");
          part.innerHTML = '<b onclick="run(1)"></b>';
          part.firstChild.click();
          await fetch("https://example.com/").catch(() => {});
          setTimeout(() => new Function("run('text')")());  // not by playwright, which may
          await new Promise((done) => setTimeout(done, 500));
          return [blocked, ran];
        }"""
    )
    page.close()
    assert ran == []
    assert {*blocked} == {
        *("img-src", "frame-src", "connect-src", "script-src-elem", "script-src-attr", "style-src-elem", "script-src")
    }


def check_levels(page, exp, run, other, request):
    """The levels in the page are those of `explain`."""
    levels = exp.explain(run, other, request).levels
    expected = [
        [
            str(level.level),
            *(("-" if cell is None else f"{cell:g}" if cell != str(cell) else cell) for cell in level[1:7]),
        ]
        for level in levels
        if level.position or level.other_position
    ]
    lines = page.locator("#two-systems .table-block").last.locator("tbody tr").all()
    assert [line.locator("th, td").all_inner_texts() for line in lines] == expected[:50]


def test_deciding_requests_have_the_values_of_the_measure(open_page, page_file, demo):
    page = open_page(page_file, "#pair=deep,balanced&measure=AP")
    comparison = demo.compare("AP")
    values = dict(zip(comparison.requests, comparison.between("deep", "balanced"), strict=True))
    lines = page.locator("#two-systems .columns .table-block tbody tr").all()
    shown = [line.locator("th, td").all_inner_texts() for line in lines]
    assert shown and all(value == f"{values[request]:+.4f}" for request, value, _ in shown)
    sizes = [abs(values[request]) for request, *_ in shown]
    assert sizes == sorted(sizes, reverse=True)


def test_links_restore_measure_pair_and_request(open_page, page_file):
    page = open_page(page_file, "#pair=weak,deep&measure=RR&request=q05")
    assert select(page, "two-systems", "First system").input_value() == "weak"
    assert select(page, "two-systems", "Second system").input_value() == "deep"
    assert select(page, "two-systems", "Request").input_value() == "q05"
    assert lead(page).startswith("By RR, ")
    assert page.evaluate("document.querySelector('[data-component=pair-explorer]').getBoundingClientRect().top") < 200
    page.evaluate("location.hash = '#pair=random,popular&measure=AP'")
    wait_until(page, "document.querySelector('#two-systems p.lead').textContent.startsWith('By AP, ')")
    assert select(page, "two-systems", "First system").input_value() == "random"


@pytest.mark.parametrize(
    "fragment", ["#pair=nobody,deep", "#pair=deep,deep", "#measure=nothing", "#request=none", "#pair="]
)
def test_links_to_what_is_not_there_show_what_is(open_page, page_file, fragment):
    page = open_page(page_file, fragment)
    assert page.locator(".failure").count() == 0
    assert lead(page).startswith("By RPP, ")


def test_a_link_to_a_pair_that_is_not_in_the_page_says_so(open_page, page_file):
    page = open_page(page_file, "#pair=nobody,deep")
    note = page.get_by_text("The link names a run without pairs in this page: nobody. The first two are shown instead.")
    assert note.is_visible()
    select(page, "two-systems", "First system").select_option("weak")
    assert not note.is_visible()


def test_system_is_chosen_among_those_that_serve_worst(open_page, page_file, demo):
    page = open_page(page_file)
    page.locator("#worst-served tbody button").nth(2).click()
    run = select(page, "worst-served", "System").input_value()
    assert address(page) == f"#system={run}"
    values = demo.evaluate("nDCG@10")["nDCG@10"][demo.positions.runs.index(run)].tolist()
    shown = rows(page, "worst-served", 1)
    assert [value for _, value in shown] == [f"{value:.4f}" for value in sorted(values)[: len(shown)]]


@pytest.mark.parametrize("media", ["screen", "print"])
def test_long_names_stay_in_their_cells(open_page, media):
    long = {place: f"{place * 150}{k}" for k, place in enumerate("abcd")}
    qrels = {request: dict.fromkeys(long.values(), 1) for request in long.values()}
    rankings = [[*long.values()], [*long.values()][::-1]]
    runs = {f"{'run' * 99}{k}": dict.fromkeys(qrels, ranking) for k, ranking in enumerate(rankings)}
    groups = {request: f"{{{{{'group' * 9}}}}}{k}" for k, request in enumerate(qrels)}
    page = open_page(tb.Experiment(qrels, runs).report(groups=groups, date=False))
    page.emulate_media(media=media)
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDE["width"]
    outside = page.locator(".choose, .sort").evaluate_all(
        """all => {
          const right = (one) => one.getBoundingClientRect().right;
          return all.filter((one) => right(one) > right(one.parentElement) + 1).map((one) => one.textContent);
        }"""
    )
    assert outside == []


def many_runs():
    return tb.Utilities({f"run{r}": {f"q{k}": (r * k) % 7 for k in range(9)} for r in range(60)})


def test_paper_tells_how_many_rows_it_shows_and_has_charts_that_fit(open_page):
    page = open_page(many_runs().report(date=False))
    note = page.locator("#leaderboard").get_by_text("Printed: the first 40 of 60 rows.")
    assert not note.is_visible()
    page.locator("#leaderboard").get_by_label("Filter").fill("run1")
    page.emulate_media(media="print")
    assert not note.is_visible()  # 11 rows are left
    page.emulate_media(media="screen")
    page.locator("#leaderboard").get_by_label("Filter").fill("")
    page.emulate_media(media="print")
    assert note.is_visible() and page.locator("#leaderboard tbody tr:visible").count() == 40
    heights = page.locator(".plot-svg svg").evaluate_all("all => all.map((one) => one.getBoundingClientRect().height)")
    assert heights and max(heights) < 22 / 2.54 * 96  # centimetres: a sheet of A4 without its margins has 26
    assert page.get_by_role("button", name="Swap").count() == 0  # hidden


def test_paper_has_the_colours_of_the_heat_map_and_no_title_without_its_table(open_page, page_file):
    page = open_page(page_file)
    page.emulate_media(media="print")
    style = "one => [getComputedStyle(one).printColorAdjust, getComputedStyle(one).breakAfter]"
    assert page.locator("#pairs td.pair").first.evaluate(style)[0] == "exact"
    for title in ("#leaderboard .controls", "#methods dt"):
        assert page.locator(title).first.evaluate(style)[1] == "avoid"


def test_a_table_with_many_columns_is_printed_on_sheets_that_are_wide(open_page, demo):
    groups = {request: f"group {k % 8}" for k, request in enumerate(demo.positions.requests)}
    page = open_page(demo.report(sections=["leaderboard", "settings"], groups=groups, date=False))
    assert page.locator("#leaderboard").evaluate("one => getComputedStyle(one).page") == "auto"
    page.emulate_media(media="print")
    assert page.locator("#leaderboard").evaluate("one => getComputedStyle(one).page") == "wide"
    assert page.locator("#settings").evaluate("one => getComputedStyle(one).page") == "auto"


def test_requests_whose_items_were_left_out_say_so(open_page, demo, monkeypatch):
    monkeypatch.setattr("tiebreak.reports.ranking_content.DETAIL_BYTES", 2000)
    page = open_page(demo.report(date=False))
    left_out = page.evaluate(
        "(() => { const c = tiebreak.content(); return c.requests.find((_, k) => !(k in c.details)); })()"
    )
    page.evaluate(f"location.hash = '#request={left_out}'")
    wait_until(page, "document.querySelector('#two-systems').textContent.includes('are not in this page')")


def test_hostile_names_are_text(open_page):
    page = open_page(hostile_experiment().report(date=False))
    assert page.locator("#content img, #content script:not([type])").count() == 0
    assert HOSTILE_RUN in page.locator("#leaderboard").inner_text()
    select(page, "two-systems", "First system").select_option(HOSTILE_RUN)
    select(page, "two-systems", "Second system").select_option(HOSTILE_REQUEST)
    select(page, "two-systems", "Request").select_option(HOSTILE_ITEM)
    text = page.locator("#two-systems").inner_text()
    assert all(name in text for name in HOSTILE_NAMES)
    assert serious_violations(page) == []


def test_hostile_links_are_restored(open_page):
    names = ",".join(quote(name, safe="") for name in (HOSTILE_REQUEST, HOSTILE_RUN))
    page = open_page(hostile_experiment().report(date=False), f"#pair={names}&request={quote(HOSTILE_ITEM, safe='')}")
    assert select(page, "two-systems", "First system").input_value() == HOSTILE_REQUEST
    assert select(page, "two-systems", "Request").input_value() == HOSTILE_ITEM


def test_without_scripts_the_answer_and_the_leaderboard_are_read(open_page, page_file, demo):
    page = open_page(page_file, java_script_enabled=False)
    assert re.search("Who is best for whom", page.locator("#answer").inner_text())
    assert demo.compare("RPP").order("mean").ranking()[0] in page.locator("#leaderboard table").inner_text()


def test_columns_of_the_levels_have_names_of_their_own_in_a_file(open_page, page_file, demo):
    page = open_page(page_file, "#pair=deep,weak&request=q05")
    with page.expect_download() as event:
        page.locator("#two-systems .table-block").last.get_by_role("button", name="Download CSV").click()
    table = list(csv.DictReader(io.StringIO(Path(event.value.path()).read_text(encoding="utf-8"))))
    level = demo.explain("deep", "weak", "q05").levels[0]
    assert list(table[0]) == list(level._fields[:7])
    assert list(table[0].values()) == ["" if cell is None else f"{cell}".removesuffix(".0") for cell in level[:7]]
