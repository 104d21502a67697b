"""Pages as text: their structure, what is escaped, and what the browser is told to allow."""

import base64
import hashlib
import json
import re
from datetime import date
from html.parser import HTMLParser

import pytest

import tiebreak as tb
from reports.pages import (
    FRUIT,
    HOSTILE,
    HOSTILE_ITEM,
    HOSTILE_REQUEST,
    HOSTILE_RUN,
    every_result,
    hostile_page,
    small_page,
)
from results.test_contract import EXAMPLES, example
from tiebreak.reports import blocks, embedding, report
from tiebreak.reports.embedding import json_script, script_source
from tiebreak.results.record import Rows
from tiebreak.results.tables import Table

SPEC = {"mark": "bar", "data": {"values": [{"a": 1}]}, "encoding": {"x": {"field": "a"}}}
BUNDLE = "window.vegaEmbed = null; // </script><!--"
VOID = {"meta", "link", "input", "br"}


class Outline(HTMLParser):
    """The elements of a page, in order, with their attributes and texts; what is not closed is an error."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.elements, self.open = [], []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        element = {"tag": tag, "text": "", "own": "", **dict(attributes)}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        assert self.open.pop()["tag"] == tag

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def all(self, tag, **attributes):
        return [
            one
            for one in self.elements
            if one["tag"] == tag and all(one.get(name.rstrip("_")) == value for name, value in attributes.items())
        ]

    def texts(self, tag, **attributes):
        return [one["text"] for one in self.all(tag, **attributes)]


@pytest.fixture(autouse=True)
def bundle(monkeypatch):
    """Vega is half a second and a megabyte that these tests do not need."""
    monkeypatch.setattr(report, "vega_bundle", lambda: BUNDLE)


def outline(page):
    return Outline(page.to_html())


def test_page_has_landmarks_a_skip_link_and_contents():
    page = outline(small_page())
    for tag in ("header", "nav", "main", "footer", "h1", "title"):
        assert len(page.all(tag)) == 1, tag
    assert page.all("html")[0]["lang"] == "en"
    assert [one["href"] for one in page.all("a", class_="skip")] == ["#content"]
    assert page.texts("h2") == ["Contents", "All fruit #", "Others #"]
    assert page.texts("p")[:3] == ["six kinds", "One paragraph.", "Another one."]
    assert page.texts("li")[-2:] == ["first", "second"]


def test_every_link_within_the_page_has_one_target():
    page = outline(small_page())
    ids = [one["id"] for one in page.elements if "id" in one]
    assert len(ids) == len({*ids})
    links = [one["href"] for one in page.all("a") if "href" in one]
    assert {link.removeprefix("#") for link in links} <= {*ids}
    assert {"all", "others", "weights"} < {*ids}


def test_table_has_headers_of_columns_and_rows_and_a_caption():
    page = outline(small_page())
    assert page.texts("caption") == ["Weights", "Table of a, b"]
    assert page.texts("th", scope="col") == ["name", "weight", "count", "note", "a", "b"]
    assert page.texts("th", scope="row")[:3] == ["apple", "Banana", "cherry"]
    assert page.texts("td")[:6] == ["0.1500", "1,200", "round", "0.1200", "30", "long, yellow"]
    assert [one.get("class") for one in page.all("td")[:3]] == [None, None, "text"]
    assert "Weights in kilograms." in page.texts("p")


def test_columns_of_signs_are_neither_numbers_nor_text():
    kinds = [
        one["class"] for one in outline(tb.Report("t").add(Table(("run", "1"), (("x", "=+"), ("y", "-="))))).all("td")
    ]
    assert kinds == ["signs", "signs"]


def test_number_without_a_mark_leaves_room_for_one():
    table = Table(("run", "AP"), (("x", "0.25* "), ("y", "0.50  ")), best=frozenset({(0, 1)}))
    cells = outline(tb.Report("t").add(table)).all("td")
    assert [(cell["text"], cell["data-room"]) for cell in cells] == [("0.25*", "*"), ("0.50", "**")]


def test_records_have_all_columns_and_digits():
    data = json.loads(outline(small_page()).texts("script", class_="records")[0])
    assert data == {"columns": list(FRUIT.columns), "rows": [list(row) for row in FRUIT.values]}


def test_records_of_a_spread_table_know_their_rows():
    means = tb.Utilities({"x": {"q": 1.0}, "y": {"q": 2.0}}).evaluate(["mean", "min"])
    data = json.loads(outline(tb.Report("t").add(means, pictures=())).texts("script", class_="records")[0])
    assert len(means.table().rows) == 2
    rows = [(row[0], row[1], place) for row, place in zip(data["rows"], data["places"], strict=True)]
    assert sorted(rows) == [("x", "mean", 0), ("x", "min", 0), ("y", "mean", 1), ("y", "min", 1)]


class Numbers(Rows[tuple[str, int]]):
    columns = ("name", "number")


class Pairs(Numbers):
    has_pairs = True


@pytest.mark.parametrize("kind", [Numbers, Pairs])
def test_long_tables_are_cut_and_say_so(kind, monkeypatch):
    monkeypatch.setattr(blocks, "MOST_ROWS", 50)
    page = outline(tb.Report("t").add(kind(tuple((f"n{k}", k) for k in range(70)))))
    assert len(page.all("tr")) == 1 + 50
    assert len(json.loads(page.texts("script", class_="records")[0])["rows"]) == 50
    assert "20 more rows not shown; other formats list all." in page.texts("p")
    assert "Printed: the first 40 of 50 rows." in page.texts("p")


def test_style_hides_as_many_rows_on_paper_as_the_page_says():
    assert f"tbody tr:nth-child(n + {blocks.MOST_PRINTED + 1}) {{ display: none; }}" in embedding.page_style()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_result_can_be_added(name):
    result = example(name)
    page = outline(tb.Report("t").section(name).add(result, title=name))
    kinds = list(result.pictures) if hasattr(result, "pictures") else []
    assert len(page.all("figure")) == len(kinds)
    assert len(page.all("table")) == 1


def test_caption_of_a_picture_is_text_and_is_not_repeated():
    study = example("Findings")
    page = outline(tb.Report("t").add(study))
    assert study.vega_lite()["title"]["text"] == [page.texts("b")[0]]
    assert page.texts("span") == [study.conclusion]
    assert study.conclusion not in page.texts("p")
    assert {*study.details} <= {*page.texts("p")}
    assert "title" not in json.loads(page.texts("script", class_="spec")[0])


def test_pictures_can_be_chosen():
    scores = example("Scores")
    kind = next(iter(scores.pictures))
    assert len(outline(tb.Report("t").add(scores, pictures=[kind])).all("figure")) == 1
    with pytest.raises(tb.InputError, match='unknown value for kind "pie"'):
        tb.Report("t").add(scores, pictures=["pie"])


# Names from strangers' files.


def test_hostile_names_are_text():
    page = outline(hostile_page())
    assert page.texts("h1") == page.texts("title") == [HOSTILE_ITEM]
    assert page.texts("h2")[1:3] == [f"{HOSTILE_RUN} #", f"{HOSTILE_ITEM} #"]
    assert {HOSTILE_RUN, HOSTILE_REQUEST, "two"} <= {*page.texts("th", scope="row")}
    assert not page.all("img")
    assert [name for one in page.elements for name in one if name.startswith("on")] == []


def test_hostile_names_end_no_script_and_are_whole_in_data():
    page = hostile_page().to_html()
    scripts = Outline(page).all("script")
    assert page.count("<script") == page.count("</script") == len(scripts)
    assert "<!--" not in page
    data = [json.loads(one["text"]) for one in scripts if one.get("type") == "application/json"]
    assert list(HOSTILE) in data
    specs = [json.loads(one["text"]) for one in scripts if one.get("class") == "spec"]
    assert specs and HOSTILE_RUN in json.dumps(specs)


def test_data_block_has_no_markup_and_is_ascii():
    value = {"</script>": "<!-- & --> \u2028\u2029 \ud800 é", "none": float("nan")}
    block = json_script(value)
    content = block.removeprefix('<script type="application/json">').removesuffix("</script>")
    assert content.isascii() and not {*"<>&"} & {*content}
    assert json.loads(content) == value | {"none": None}


def test_controls_and_bidirectional_overrides_are_replaced():
    assert outline(tb.Report("a\u202eb\x1b[2Jc")).texts("h1") == ["a\ufffdb\ufffd[2Jc"]


def test_expressions_of_charts_have_no_names_from_files():
    def expressions(part):
        if isinstance(part, list):
            for one in part:
                yield from expressions(one)
        elif isinstance(part, dict):
            for name, one in part.items():
                if name in ("test", "filter", "calculate", "expr", "signal", "labelExpr") and isinstance(one, str):
                    yield one
                elif name not in ("values", "datasets"):
                    yield from expressions(one)

    page = outline(every_result())
    specs = [json.loads(text) for text in page.texts("script", class_="spec")]
    texts = {text for spec in specs for text in expressions(spec)}
    assert any("isValid(datum" in text for text in texts)
    assert not [text for text in texts if "script" in text or "\x1b" in text]


# What the browser allows.


def policy(page):
    (meta,) = page.all("meta", **{"http-equiv": "Content-Security-Policy"})
    return dict(part.split(" ", 1) for part in meta["content"].split("; "))


def sha256(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@pytest.mark.parametrize("page", [small_page(), tb.Report("t").add_chart(SPEC)], ids=["plain", "chart"])
def test_policy_allows_the_scripts_and_styles_of_the_page_and_nothing_else(page):
    page = outline(page)
    scripts = [one["text"] for one in page.all("script") if "type" not in one]
    assert policy(page) == {
        "default-src": "'none'",
        "script-src": " ".join(map(sha256, scripts)),
        "style-src": " ".join(map(sha256, page.texts("style"))),
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert not [one for one in page.elements if "style" in one or "src" in one]


def test_policy_comes_before_what_it_governs():
    tags = [one["tag"] for one in outline(small_page()).elements]
    assert tags[:4] == ["html", "head", "meta", "meta"]


def test_script_that_would_end_itself_is_written_otherwise():
    assert script_source('"</SCRIPT>" + "<!--" + (a</b)') == r'"<\/SCRIPT>" + "<\!--" + (a</b)'


def test_scripts_use_neither_eval_nor_markup():
    for name, source in embedding.assets(".js"):
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", '"style"'):
            assert word not in source, name
        assert not re.search(r"https?://", source), name


# Charts and parts of scripts.


def test_vega_is_in_a_page_with_charts_once_and_in_no_other():
    def copies(page):
        return page.to_html().count("window.vegaEmbed = null")

    assert copies(small_page()) == 0
    assert copies(tb.Report("t").add_chart(SPEC).add_chart(SPEC)) == 1
    assert copies(tb.Report("t").add_component("some-part", charts=True)) == 1


def test_missing_library_names_the_extra(monkeypatch):
    monkeypatch.setattr(report, "vega_bundle", embedding.vega_bundle.__wrapped__)
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    assert small_page().to_html()
    with pytest.raises(tb.errors.MissingExtraError, match=r'A page with charts needs the extra "report": pip install'):
        tb.Report("t").add_chart(SPEC).to_html()


def test_component_has_its_data_and_a_fallback():
    page = outline(tb.Report("t").add_component("some-part", {"a": [1]}, title="Part", fallback=FRUIT))
    (part,) = page.all("div", class_="component")
    assert part["data-component"] == "some-part"
    assert page.texts("script", class_="component-data") == ['{"a":[1]}']
    assert "elderberry" in page.all("div", class_="fallback")[0]["text"]


def test_data_for_several_components_is_there_once():
    page = outline(tb.Report("t").add_data("experiment", {"runs": ["x"]}))
    assert page.texts("script", **{"data-name": "experiment"}) == ['{"runs":["x"]}']


# The same bytes, the date, files, refusals.


def test_same_calls_make_the_same_bytes():
    assert hostile_page().to_html() == hostile_page().to_html()


def test_date_is_shown_unless_it_is_refused():
    footers = [outline(tb.Report("t", date=when)).texts("footer")[0] for when in (True, False, date(2024, 2, 29))]
    made = f"Made with tiebreak {tb.__version__}"
    assert footers == [f"{made}, {date.today().isoformat()}.", f"{made}.", f"{made}, 2024-02-29."]


def test_page_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    small_page().save(path)
    assert path.read_bytes().decode() == small_page().to_html()
    broken = small_page()
    monkeypatch.setattr(report, "page_style", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        broken.save(tmp_path / "other.html")
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]


@pytest.mark.parametrize("name", ["1st", "a b", "a=b", "", "é", "<x>"])
def test_ids_are_letters_digits_and_hyphens(name):
    with pytest.raises(tb.InputError, match="Give letters, digits and hyphens, a letter first"):
        tb.Report("t").section("s", id=name)


def test_ids_are_unique():
    page = tb.Report("t").section("One", id="one")
    with pytest.raises(tb.InputError, match='id="one" is that of another part'):
        page.add("text", title="x", id="one")
    page.section("One").section("One").section("é").section("é").section("2 runs").section("content")
    ids = [one["id"] for one in outline(page).all("section")]
    assert ids == ["one", "one-2", "one-3", "part", "part-2", "part-2-runs", "content-2"]


def test_text_may_go_over_several_lines():
    page = tb.Report("t").add("one\n  two\n\nthree").add(["four\n  five"]).add({"six\nseven": "eight\nnine"})
    texts = [text for tag in ("p", "li", "dt", "dd") for text in outline(page).texts(tag)]
    assert texts[0:2] + texts[-3:] == ["one two", "three", "four five", "six seven", "eight nine"]


def test_terms_and_commands_are_text():
    page = outline(tb.Report("t").add({"<dt>": "<dd>"}, lead=True).add_code("tiebreak 'a b'\n  -o <x>"))
    assert (page.texts("dt"), page.texts("dd"), page.texts("code")) == (
        ["<dt>"],
        ["<dd>"],
        ["tiebreak 'a b'\n  -o <x>"],
    )
    assert page.texts("div", class_="lead") == ["<dt><dd>"]


@pytest.mark.parametrize("thing", [1, {"a": 1}, ["a", 1], None])
def test_what_no_page_can_show_is_refused(thing):
    with pytest.raises(
        tb.InputError, match=f"a page cannot show {type(thing).__name__}. Give a result, a table, or text"
    ):
        tb.Report("t").add(thing)
