"""Pages in a real browser: what scripts do, by mouse and by keyboard, and what names from files do not."""

import csv
import io
import json
import math
import re
from pathlib import Path

import pytest

import tiebreak as tb
from reports.conftest import PHONE, serious_violations
from reports.pages import FRUIT, HOSTILE_ITEM, HOSTILE_REQUEST, HOSTILE_RUN, every_result, hostile_page, small_page
from reports.waiting import wait_until
from results.test_contract import EXAMPLES, HOSTILE, example
from tiebreak._base.text import format_signed
from tiebreak.results.cells import text
from tiebreak.results.formats import write_safe_csv
from tiebreak.results.record import Rows
from tiebreak.results.tables import Table, printable

pytestmark = pytest.mark.slow

KEEP_COPIES = "window.copies = []; navigator.clipboard.writeText = async (text) => { window.copies.push(text); };"
KEEP_FILES = """
window.files = [];
const createAddress = URL.createObjectURL;
URL.createObjectURL = (blob) => { window.files.push(blob); return createAddress.call(URL, blob); };
"""
PROBE = """
addEventListener("DOMContentLoaded", () => {
  tiebreak.component("probe", (element, data, page) => {
    window.probe = page;
    const show = () => element.replaceChildren(page.h("p", {}, JSON.stringify(page.state.get("pair")), data.word));
    page.state.watch(["pair"], show);
    show();
  });
  tiebreak.component("broken", () => { throw new Error("on purpose"); });
});
"""
FILLER = [f"line {k}" for k in range(100)]


def column(page, c, table=0):
    rows = page.locator("table").nth(table).locator("tbody tr")
    return [row.locator("th, td").nth(c).inner_text() for row in rows.all()]


def download(page, button):
    with page.expect_download() as event:
        button.click()
    return event.value


def open_details(page):
    """Look at the numbers of all charts, which then become tables."""
    for summary in page.locator("details.numbers summary").all():
        summary.click()
    wait_until(page, "[...document.querySelectorAll('details.numbers')].every((one) => one.querySelector('tbody tr'))")


def chart_page():
    return tb.Report("Charts", date=False).add(example("Scores")).add(example("Significance"))


# Sorting, filtering, downloads, copies.


def test_table_is_sorted_by_its_numbers_and_back(open_page):
    page = open_page(small_page())
    weight = page.get_by_role("columnheader", name="weight")
    names = [row[0] for row in FRUIT.values]
    weight.get_by_role("button").click()
    assert column(page, 0) == ["fig", "apple", "Banana", "date", "elderberry", "cherry"]  # none is last
    assert weight.get_attribute("aria-sort") == "descending"
    weight.get_by_role("button").click()
    assert column(page, 0) == ["elderberry", "date", "Banana", "apple", "fig", "cherry"]
    assert weight.get_attribute("aria-sort") == "ascending"
    weight.get_by_role("button").click()
    assert column(page, 0) == names
    assert weight.get_attribute("aria-sort") is None
    page.get_by_role("columnheader", name="name").get_by_role("button").click()
    assert column(page, 0) == ["apple", "Banana", "cherry", "date", "elderberry", "fig"]
    page.get_by_role("columnheader", name="count").get_by_role("button").click()
    assert column(page, 2) == ["1,200", "1,000", "30", "7", "2", "0"]


def test_names_are_sorted_by_the_numbers_in_them(open_page):
    page = open_page(tb.Report("t").add(Table(("request",), (("q10",), ("Q2",), ("q1",), ("r",)))))
    page.get_by_role("button", name="request", exact=True).click()
    assert column(page, 0) == ["q1", "Q2", "q10", "r"]


def test_filter_keeps_rows_with_all_words(open_page):
    page = open_page(small_page())
    box = page.get_by_role("searchbox", name="Filter")
    box.fill("AN")
    assert column(page, 0) == ["Banana"]
    box.fill("a  ell")
    assert column(page, 0) == ["Banana"]  # yellow
    assert page.get_by_text("1 of 6 rows").is_visible()
    box.fill("nothing")
    assert column(page, 0) == []
    box.fill("")
    assert len(column(page, 0)) == 6
    assert page.locator(".count").inner_text() == ""


def test_csv_has_all_columns_and_digits_of_the_rows_that_are_shown(open_page):
    page = open_page(small_page())
    page.get_by_role("columnheader", name="count").get_by_role("button").click()
    page.get_by_role("searchbox", name="Filter").fill("e")
    file = download(page, page.get_by_role("button", name="Download CSV: Weights"))
    assert file.suggested_filename == "weights.csv"
    by_name = {row[0]: row for row in FRUIT.values}
    shown = [by_name[name] for name in ("apple", "cherry", "Banana", "date", "elderberry")]  # Banana is yellow
    out = io.StringIO()
    write_safe_csv(FRUIT.columns, [[None if cell != cell else cell for cell in row] for row in shown], out)
    assert file.path().read_text("utf-8") == out.getvalue()
    assert "'=1+1" in out.getvalue()


def test_copies_are_as_the_library_writes_them(open_page):
    page = open_page(every_result(pictures=()), script=KEEP_COPIES)
    for k, name in enumerate(EXAMPLES):
        block = page.locator(".table-block").nth(k)
        for format_ in ("LaTeX", "Markdown"):
            block.get_by_role("button", name=f"Copy as {format_}").click()
        wait_until(page, f"copies.length === {2 * k + 2}")
        shown = example(name).summary()
        assert page.evaluate("copies.slice(-2)") == [shown.to_latex(), shown.to_markdown()], name


HARD = Table(
    ("run--name", "mean", "change", "signs", "note"),
    (
        ("a--b---c", "0.25ᵃᵇ ", "+2.5%", "=+", "[x]"),
        ("[x] \\~^|±", "-0.05*  ", "-1,234", "-=", "*y*"),
        ("*_&%$#{}", "1.00   ", "±0.5", ".+", "< `!`"),
        ("-", "-   ", "inf", "-?", "(0.1, 0.2)"),
    ),
    ("A note: 100% of -- it_.",),
    frozenset({(0, 1), (1, 2), (2, 0)}),
)


def test_copies_of_marks_signs_and_markup_are_as_the_library_writes_them(open_page):
    page = open_page(tb.Report("t").add(HARD), script=KEEP_COPIES)
    for format_ in ("LaTeX", "Markdown"):
        page.get_by_role("button", name=f"Copy as {format_}").click()
    wait_until(page, "copies.length === 2")
    assert page.evaluate("copies") == [HARD.to_latex(), HARD.to_markdown()]


def test_csv_of_every_result_has_its_records(open_page):
    page = open_page(every_result(pictures=()), script=KEEP_FILES)  # the browser lets a page save ten files in a row
    for k, name in enumerate(EXAMPLES):
        page.locator(".table-block").nth(k).get_by_role("button", name="Download CSV").click()
        header, *rows = csv.reader(io.StringIO(page.evaluate("files.at(-1).text()")))
        result = example(name).summary()
        assert header == list(result.columns), name
        assert sorted(rows) == sorted([*map(csv_cell, row)] for row in result.rows()), name


def csv_cell(value):
    """As a script writes it: numbers in its own form, nothing for NaN."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else re.sub(r"e([-+])0*", r"e\1", repr(value))
    if isinstance(value, tuple):
        return ", ".join(map(csv_cell, value))
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@")) else str(value)


def test_real_clipboard_receives_a_copy(open_page):
    page = open_page(small_page(), permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy as Markdown: Weights").click()
    page.get_by_role("button", name="Copy as Markdown: Weights").get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == FRUIT.to_markdown()


def test_command_is_copied(open_page):
    page = open_page(tb.Report("t").add_code("tiebreak report 'a b'\n  -o <x>"), script=KEEP_COPIES)
    page.get_by_role("button", name="Copy").click()
    page.get_by_text("Copied").first.wait_for()
    assert page.evaluate("copies") == ["tiebreak report 'a b'\n  -o <x>"]


def test_numbers_are_written_as_in_python(open_page):
    page = open_page(small_page())
    values = [0, 0.03125, 0.09375, 0.5, 1.5, 2.5, -2.5, 0.00005, 0.99995, 1 / 3, -1e-9, 1234567.5, 1e-300, 2**53, 0.125]
    values += [k / 32 for k in range(-40, 40)] + [math.sin(k) * 10 ** (k % 7 - 3) for k in range(300)]
    for digits in (0, 2, 4, 17):
        script = "([values, digits]) => values.map((x) => [page.number(x, digits), page.signed(x, digits)])"
        written = page.evaluate(script.replace("page.", "tiebreak.page."), [values, digits])
        assert written == [[text(float(x), digits), format_signed(x, digits)] for x in values]
    counts = [0, 7, 999, 1000, 1234567, -1234]
    assert page.evaluate("(values) => values.map(tiebreak.page.whole)", counts) == [text(n, 0) for n in counts]


# Keyboard, screen readers, phones, colours, paper.


def test_page_is_used_by_keyboard_alone(open_page):
    page = open_page(small_page())

    def focused():
        return page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent")

    page.keyboard.press("Tab")
    assert focused() == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.tagName") == "MAIN"
    page.keyboard.press("Tab")
    assert focused() == "Link to All fruit"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.type") == "search"
    page.keyboard.type("e")
    assert len(column(page, 0)) == 5
    for name in (
        "Download CSV: Weights",
        "Copy as LaTeX: Weights",
        "Copy as Markdown: Weights",
        "Weights",
        "name",
        "weight",
    ):
        page.keyboard.press("Tab")
        assert focused() == name
    page.keyboard.press("Enter")
    assert column(page, 0) == ["apple", "Banana", "date", "elderberry", "cherry"]
    page.keyboard.press("Space")
    assert column(page, 0) == ["elderberry", "date", "Banana", "apple", "cherry"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(open_page, scheme):
    page = open_page(chart_page().section("Fruit").add(FRUIT, title="Weights").add("Text."), color_scheme=scheme)
    open_details(page)
    assert serious_violations(page) == []


class Wide(Rows[tuple[object, ...]]):
    columns = ("name", *(f"column {k}" for k in range(30)))


def test_phone_is_not_scrolled_sideways(open_page):
    long = "n" * 300
    report = chart_page().section(long).add(Wide(((long, *range(30)),)), title=long).add(long)
    page = open_page(report.add(hostile_table()), viewport=PHONE)
    open_details(page)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    box = page.locator(".table-box").last
    assert box.evaluate("box => box.getBoundingClientRect().right") <= PHONE["width"]


def hostile_table():
    return example("MeasureList")


def test_colours_follow_the_system_and_the_button(open_page):
    page = open_page(small_page(), color_scheme="dark")

    def background():
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    dark = background()
    assert max(map(int, re.findall(r"\d+", dark))) < 64
    page.get_by_role("button", name="Light colours").click()
    assert background() == "rgb(255, 255, 255)"
    page.get_by_role("button", name="Dark colours").click()
    assert background() == dark
    page.emulate_media(media="print")
    assert background() == "rgb(255, 255, 255)"


class Numbers(Rows[tuple[str, int]]):
    columns = ("name", "number")


def test_paper_has_no_tools_and_the_first_rows_of_long_tables(open_page):
    page = open_page(tb.Report("Long").section("s").add(Numbers(tuple((f"n{k}", k) for k in range(100)))))
    note = page.get_by_text("Printed: the first 40 of 100 rows.")
    assert page.locator("tbody tr:visible").count() == 100 and not note.is_visible()
    page.emulate_media(media="print")
    assert page.locator("tbody tr:visible").count() == 40 and note.is_visible()
    assert page.locator("button:visible, input:visible, nav:visible").count() == 1 + 1  # titles of columns
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_without_scripts_tables_and_fallbacks_are_read(open_page):
    page = small_page().add_component("probe", {}, fallback="Instead of a part.")
    page = open_page(page, java_script_enabled=False)
    assert page.get_by_role("cell", name="1,200").is_visible()
    assert page.get_by_text("Instead of a part.").is_visible()
    assert page.locator("button").count() == 0


# Links that restore a view.


def probe_page():
    page = tb.Report("Probe", date=False).section("Filler").add(FILLER)
    page.section("Part", id="part").add_component("probe", {"word": "<b>word"}, fallback="Not yet.")
    return page.section("Last").add(FILLER)


def test_link_restores_a_choice_and_goes_to_its_part(open_page):
    page = open_page(probe_page(), "#pair=a%2Cb,%3Ci%3E&measure=RPP", script=PROBE)
    part = page.locator(".component")
    assert part.inner_text() == '["a,b","<i>"]<b>word'
    assert part.evaluate("part => Math.abs(part.getBoundingClientRect().top) < 100")
    page.evaluate("scrollTo(0, 0); location.hash = '#pair=x,y'")
    wait_until(page, "document.querySelector('.component').textContent.startsWith('[\"x\"')")
    assert part.evaluate("part => Math.abs(part.getBoundingClientRect().top) < 100")
    assert page.evaluate("probe.state.get('measure')") is None


def test_choice_is_written_to_the_address_and_survives_other_links(open_page):
    page = open_page(probe_page(), script=PROBE)
    names = ["a,b&c=d", "#é</script>"]
    page.evaluate("names => probe.state.set({pair: names, measure: 'RPP'})", names)
    address = page.evaluate("location.hash")
    assert json.loads(page.locator(".component").inner_text().removesuffix("<b>word")) == names
    assert page.evaluate("probe.state.link({})") == address
    page.get_by_role("link", name="Last", exact=True).click()
    assert page.evaluate("location.hash") == "#last"
    assert page.evaluate("probe.state.get('pair')") == names
    page.evaluate("probe.state.set({measure: null})")
    again = open_page(probe_page(), page.evaluate("location.hash"), script=PROBE)
    assert again.evaluate("[probe.state.get('pair'), probe.state.get('measure')]") == [names, None]


@pytest.mark.parametrize("fragment", ["#pair=%E0%A4%A", "#=", "#nothing", "#pair", "#pair=&x"])
def test_damaged_links_open_the_page(open_page, fragment):
    assert open_page(probe_page(), fragment, script=PROBE).locator(".component p").is_visible()


@pytest.mark.parametrize("fragment", ["#part", "#pair=x,y"])
def test_link_to_what_is_below_charts_arrives_there(open_page, fragment):
    report = chart_page().section("Part", id="part").add_component("probe", {"word": ""}).add(FILLER)
    no_anchor = (
        "addEventListener('DOMContentLoaded', () => { document.documentElement.style.overflowAnchor = 'none'; });"
    )
    page = open_page(report, fragment, script=PROBE + no_anchor)  # not every browser keeps what is read in its place
    assert page.locator("#part").evaluate("part => Math.abs(part.getBoundingClientRect().top) < 100")


# Charts.


def test_charts_are_drawn_and_their_numbers_are_a_table(open_page):
    scores = example("Scores")
    kinds = list(scores.pictures)
    page = open_page(tb.Report("Charts").add(scores))
    assert page.locator("figure svg").count() == len(kinds)
    open_details(page)
    rows = scores.vega_lite(kinds[0])["data"]["values"]
    assert page.locator("figure").first.locator("tbody tr").count() == len(rows)
    assert column(page, 0) == [printable(row["run"]) for row in rows]
    assert column(page, 2) == [f"{row['value']:.4f}" for row in rows]
    svg = download(page, page.get_by_role("button", name="Download SVG").first)
    assert svg.path().read_text("utf-8").startswith("<svg")
    png = download(page, page.get_by_role("button", name="Download PNG").first)
    assert png.path().read_bytes().startswith(b"\x89PNG")


def test_tooltip_of_a_chart_is_text(open_page):
    values = [{"run": HOSTILE_RUN, "value": 0.123456}]
    encoding = {"y": {"field": "run", "type": "nominal"}, "x": {"field": "value", "type": "quantitative"}}
    spec = {"mark": "bar", "data": {"values": values}, "encoding": encoding, "width": 300}
    page = open_page(tb.Report("t").add_chart(spec, title="Bars"))
    page.locator("figure svg .mark-rect path").first.hover()
    assert page.locator(".tip").inner_text() == f"run {HOSTILE_RUN}\nvalue 0.1235"


# Names from strangers' files.


def test_hostile_names_are_shown_as_text_and_run_nothing(open_page):
    page = open_page(hostile_page())
    page.locator(".table-block").get_by_role("searchbox").first.fill("<img")
    pairs = [*zip(column(page, 0), column(page, 1), strict=True)]
    assert pairs and all(HOSTILE_RUN in pair for pair in pairs)
    open_details(page)
    assert page.locator("img").count() == 0
    for name in (HOSTILE_RUN, HOSTILE_ITEM, HOSTILE_REQUEST):
        assert page.get_by_text(name).first.is_visible()
    for heading in page.locator("thead button").all():
        heading.click()


def test_every_result_with_hostile_names_is_drawn_and_runs_nothing(open_page):
    page = open_page(every_result())
    figures = sum(len(example(name).pictures) for name in EXAMPLES if hasattr(example(name), "pictures"))
    assert page.locator("figure svg").count() == figures
    assert page.locator("table").count() == len(EXAMPLES)
    assert page.get_by_text(printable(HOSTILE)).count() > 0


# Parts of one's own.


def test_example_of_the_contributing_page_works(open_page):
    text = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text("utf-8")
    script = re.search(r"```js\n(.*?)```", text, re.DOTALL)[1]
    data = {"runs": ["x", HOSTILE_RUN], "values": {"x": [["q1", 0.5]], HOSTILE_RUN: [["q1", 0.25], ["q2", 1]]}}
    report = tb.Report("t").add_component("run-chooser", data, fallback="None.")
    page = open_page(report, script=f"addEventListener('DOMContentLoaded', () => {{ {script} }});")
    assert (column(page, 0), column(page, 1)) == (["q1"], ["0.500"])
    page.get_by_label("Run").focus()
    page.keyboard.press("ArrowDown")
    assert (column(page, 0), column(page, 1)) == (["q1", "q2"], ["0.250", "1.000"])
    assert page.locator("caption").inner_text() == HOSTILE_RUN
    assert page.evaluate("decodeURIComponent(location.hash)") == f"#run={HOSTILE_RUN}"


# A part that fails.


def test_broken_part_says_so_and_others_work(browser, tmp_path):
    report = tb.Report("t").add_component("broken").add_component("probe", {"word": "fine"}).add_component("unknown")
    report.save(tmp_path / "page.html")
    context = browser.new_context()
    context.add_init_script(PROBE)
    page = context.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    page.wait_for_selector("html[data-ready]", state="attached")
    parts = [part.inner_text() for part in page.locator(".component").all()]
    failure = "This part could not be shown: "
    assert parts == [f"{failure}on purpose", "nullfine", f"{failure}no script is called unknown"]
    context.close()
