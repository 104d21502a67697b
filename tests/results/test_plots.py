"""Pictures: what is drawn of which rows, and files that are there whole or not at all."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest

from tiebreak.errors import InputError, MissingExtraError
from tiebreak.results.marks import log_ticks
from tiebreak.results.plots import Picture, draw, save
from tiebreak.results.theme import wrap_evenly
from tiebreak.results.vega_lite import beside, vega_lite

NAMES = ("measure", "share", "tau", "low", "high")
ROWS = [("AP", 0.1, 0.9, 0.8, 1.0), ("AP", 0.2, float("nan"), 0.7, 0.9), ("R<R>\n", 0.1, 0.5, 0.4, 0.6)]
LINES = Picture("line", "share", "tau", color="measure", band=("low", "high"))
ENDINGS = {"png": b"\x89PNG", "svg": b"<svg", "pdf": b"%PDF", "html": b"<!DOCTYPE html>"}


def test_rows_are_drawn_with_nothing_where_there_is_no_number():
    drawn = vega_lite(LINES, NAMES, ROWS)["data"]["values"]
    assert [row["tau"] for row in drawn] == [0.9, None, 0.5]
    assert json.dumps(drawn, allow_nan=False)


def test_names_steer_nothing():
    assert vega_lite(LINES, NAMES, ROWS)["data"]["values"][2]["measure"] == "R<R>\N{REPLACEMENT CHARACTER}"


def test_only_columns_that_are_shown_are_drawn():
    (row, *_) = vega_lite(Picture("bar", "tau", "measure"), NAMES, ROWS)["data"]["values"]
    assert set(row) == {"tau", "measure"}


def test_band_lies_under_its_line():
    below, above = vega_lite(LINES, NAMES, ROWS)["layer"]
    assert (below["encoding"]["y"]["field"], below["encoding"]["y2"]["field"]) == ("low", "high")
    assert (below["mark"]["type"], above["mark"]["type"]) == ("area", "line")


def opacity_of_band(number):
    rows = [(f"run {k}", 0.1, 0.5, 0.4, 0.6) for k in range(number)]
    return vega_lite(LINES, NAMES, rows)["layer"][0]["mark"]["opacity"]


def test_many_bands_are_fainter_and_their_names_are_not():
    assert (opacity_of_band(1), opacity_of_band(2), opacity_of_band(10)) == (0.15, 0.15, 0.05)
    without_names = vega_lite(Picture("line", "share", "tau", band=("low", "high")), NAMES, ROWS)
    assert without_names["layer"][0]["mark"]["opacity"] == 0.15
    for layer in vega_lite(LINES, NAMES, ROWS)["layer"]:
        assert layer["encoding"]["color"]["legend"]["symbolOpacity"] == 1


def test_points_at_the_edge_are_whole():
    assert vega_lite(LINES, NAMES, ROWS)["layer"][1]["mark"]["point"]["clip"] is False


def test_lines_through_many_places_have_no_points():
    rows = [("AP", k, 0.5, 0.4, 0.6) for k in range(26)]
    assert "point" not in vega_lite(LINES, NAMES, rows)["layer"][1]["mark"]


def test_legends_of_lines_show_their_dashes():
    encoding = vega_lite(LINES, NAMES, ROWS)["layer"][1]["encoding"]
    assert encoding["color"]["legend"]["symbolType"] == encoding["strokeDash"]["legend"]["symbolType"] == "stroke"


@pytest.mark.parametrize("number", [5, 37])
def test_every_name_has_room(number):
    rows = [(f"a run with a long name, {k}", 0.1, k / 10, 0.0, 1.0) for k in range(number)]
    drawn = vega_lite(Picture("bar", "tau", "measure"), NAMES, rows)
    assert drawn["height"] >= 12 * number
    legend = vega_lite(LINES, NAMES, rows)["layer"][1]["encoding"]["color"]["legend"]
    assert legend["symbolLimit"] == 0 and legend["columns"] == -(-number // 20)


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_format_without_a_browser(tmp_path, ending):
    pytest.importorskip("altair")
    save(vega_lite(LINES, NAMES, ROWS), tmp_path / f"drawn.{ending}")
    assert ENDINGS[ending] in (tmp_path / f"drawn.{ending}").read_bytes()[:200]
    assert [path.name for path in tmp_path.iterdir()] == [f"drawn.{ending}"]


@pytest.mark.slow
def test_more_rows_than_altair_takes_by_itself():
    altair = pytest.importorskip("altair")
    chart = draw(vega_lite(Picture("line", "share", "tau"), NAMES, [("AP", k / 6000, 0.5, 0, 1) for k in range(6000)]))
    assert isinstance(chart, altair.TopLevelMixin)
    assert len(chart.data.values) == 6000


def test_unknown_ending_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"unsupported image format. Use one of .png, .svg, .pdf, .html"):
        save(vega_lite(LINES, NAMES, ROWS), tmp_path / "drawn.gif")


def test_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtraError, match='A plot needs the extra "plots"'):
        draw(vega_lite(LINES, NAMES, ROWS))


def test_facets_stand_in_the_order_of_the_rows():
    rows = [("RR", 0.1, 0.5, 0, 1), ("AP", 0.1, 0.5, 0, 1), ("RR", 0.2, 0.5, 0, 1)]
    assert vega_lite(Picture("line", "share", "tau", facet="measure"), NAMES, rows)["facet"]["sort"] == ["RR", "AP"]


@pytest.mark.parametrize(("runs", "per_row"), [(5, 4), (37, 2), (60, 2)])
def test_wide_facets_and_pictures_are_below_each_other(runs, per_row):
    rows = [(f"m{k}", f"r{x}", f"r{y}", 0.5) for k in range(4) for x in range(runs) for y in range(runs)]
    heat = Picture("heat", "x", "y", color="value", facet="m")
    assert vega_lite(heat, ("m", "x", "y", "value"), rows)["columns"] == per_row
    one = vega_lite(replace(heat, facet=None), ("m", "x", "y", "value"), rows[: runs * runs])
    assert beside([one] * 3)["columns"] == min(per_row + (runs == 37), 3)


@pytest.mark.parametrize(
    ("number", "per_row"), [(1, 1), (2, 2), (3, 3), (4, 4), (5, 3), (7, 4), (12, 6), (37, 5), (60, 6)]
)
def test_facets_leave_few_places_empty(number, per_row):
    rows = [(f"m{k}", 0.1, 0.5, 0, 1) for k in range(number)]
    spec = vega_lite(Picture("line", "share", "tau", facet="measure"), NAMES, rows)
    assert spec["columns"] == per_row
    # No axis hangs below an empty place.
    assert ("axis" in spec["resolve"]) == (number % per_row > 0)


def test_bars_of_numbers_are_rows():
    (layer,) = vega_lite(Picture("bar", "tau", "share"), NAMES, ROWS)["layer"]
    assert layer["encoding"]["y"]["type"] == "nominal" and layer["encoding"]["x"]["type"] == "quantitative"


def test_even_lines():
    assert wrap_evenly("one two three four", 15) == ["one two", "three four"]
    assert wrap_evenly("a b cdefghijk", 12) == ["a b", "cdefghijk"]
    assert wrap_evenly("", 15) == [] and wrap_evenly("one", 15) == ["one"]


def test_heat_of_nothing_but_ties_has_no_color_of_a_sign():
    cells = vega_lite(Picture("heat", "share", "measure", color="tau"), NAMES, [("AP", 1, 0.0, 0, 1)])["layer"][0]
    assert cells["encoding"]["color"]["scale"]["domain"] == [-1, 1]


@pytest.mark.parametrize(("least", "domain"), [(0.25, [0, 0.5]), (-0.25, [-0.5, 0.5])])
def test_heat_of_values_without_a_sign_begins_at_zero(least, domain):
    rows = [("AP", 1, least, 0, 1), ("AP", 2, 0.5, 0, 1)]
    cells = vega_lite(Picture("heat", "share", "measure", color="tau"), NAMES, rows)["layer"][0]
    assert cells["encoding"]["color"]["scale"]["domain"] == domain


def test_bars_stand_beside_each_other_only_where_a_row_has_several():
    picture = Picture("bar", "tau", "measure", color="share")
    (alone,) = vega_lite(picture, NAMES, [("AP", "x", 1, 0, 0), ("RR", "y", 2, 0, 0)])["layer"]
    (beside,) = vega_lite(picture, NAMES, [("AP", "x", 1, 0, 0), ("AP", "y", 2, 0, 0)])["layer"]
    assert "yOffset" not in alone["encoding"] and beside["encoding"]["yOffset"]["field"] == "share"
    facets = Picture("bar", "tau", "measure", color="share", facet="low")
    apart = vega_lite(facets, NAMES, [("AP", "x", 1, "one", 0), ("AP", "y", 2, "two", 0)])["spec"]["layer"][0]
    assert "yOffset" not in apart["encoding"]


def test_counts_have_whole_ticks_and_no_point_is_cut_at_the_edge():
    (layer,) = vega_lite(Picture("point", "share", "tau"), NAMES, [("AP", 1, 0.5, 0, 0), ("AP", 2, 1, 0, 0)])["layer"]
    x, y = layer["encoding"]["x"], layer["encoding"]["y"]
    assert x["axis"]["tickMinStep"] == 1 and "axis" not in y
    assert x["scale"]["padding"] > 0 and y["scale"]["padding"] > 0
    logarithmic = Picture("line", "share", "tau", is_log=True)
    (layer,) = vega_lite(logarithmic, NAMES, [("AP", 1, 0.5, 0, 0), ("AP", 2, 1, 0, 0)])["layer"]
    assert layer["encoding"]["x"]["scale"] == {"nice": False, "padding": 6, "type": "log"}


def test_ranks_have_no_tick_at_zero():
    (layer,) = vega_lite(Picture("point", "share", "tau"), NAMES, [("AP", 1, 0, 0, 0), ("AP", 2, 1, 0, 0)])["layer"]
    assert "1 > datum.value" in layer["encoding"]["x"]["axis"]["labelExpr"]
    for mark in ("tickOpacity", "gridOpacity"):
        assert layer["encoding"]["x"]["axis"][mark] == {
            "condition": {"test": "1 > datum.value", "value": 0},
            "value": 1,
        }
    assert layer["encoding"]["y"]["axis"] == {"tickMinStep": 1}


def test_logarithmic_axes_have_ticks_at_1_2_5():
    ticks = [layer["encoding"]["x"]["axis"].get("values") for layer in (log_line(1, 43), log_line(3, 4))]
    assert ticks == [[1, 2, 5, 10, 20], None]  # between 3 and 4 there is none: those that Vega chooses
    assert log_ticks(0.1, 10_000) == [0.1, 1, 10, 100, 1000, 10_000]


def log_line(low, high):
    rows = [("AP", low, 0.5, 0, 0), ("AP", high, 1, 0, 0)]
    (layer,) = vega_lite(Picture("line", "share", "tau", is_log=True), NAMES, rows)["layer"]
    return layer


# Names from strangers' files.

HOSTILE = [
    "</script><script>document.title = 'ran'</script>",
    "<!--<script>",
    "<img src=x onerror=\"document.title = 'ran'\">",
    "'\"}); document.title = 'ran'; //",
]
BARS = Picture("bar", "tau", "measure", facet="measure")
HOSTILE_ROWS = [(name, 0.1, 0.5, 0, 1) for name in HOSTILE]


def hostile_page(folder):
    pytest.importorskip("vl_convert")
    save(vega_lite(BARS, NAMES, HOSTILE_ROWS), folder / "drawn.html")
    return (folder / "drawn.html").read_bytes().decode()


def test_names_in_a_saved_page_end_no_script(tmp_path):
    page = hostile_page(tmp_path)
    assert page.count("</script") == page.count("<script>") == 2
    spec = json.loads(re.search(r'vegaEmbed\("#plot", (.*)\)\.catch', page)[1])
    assert [row["measure"] for row in spec["data"]["values"]] == HOSTILE


def test_names_in_an_altair_chart_end_no_script():
    pytest.importorskip("altair")
    page = draw(vega_lite(BARS, NAMES, HOSTILE_ROWS)).to_html()
    assert page.count("</script") == draw(vega_lite(BARS, NAMES, ROWS)).to_html().count("</script")
    assert "<!--<" not in page


def test_source_which_is_shown_without_escapes_is_not_offered():
    actions = vega_lite(BARS, NAMES, ROWS)["usermeta"]["embedOptions"]["actions"]
    assert actions == {"export": True, "source": False, "compiled": False, "editor": False}


@pytest.mark.slow
def test_saved_page_draws_the_plot_in_a_browser_and_runs_no_name(tmp_path):
    browser = shutil.which("chromium") or pytest.skip("chromium is not installed")
    hostile_page(tmp_path)
    options = ("--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}")
    wait = ("--virtual-time-budget=20000", "--dump-dom")
    command = [browser, *options, *wait, (tmp_path / "drawn.html").as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    assert "<title>tiebreak</title>" in shown
    assert "<img" not in shown.split("</head>")[1]
    assert len(re.findall(r'<path aria-label="[^"]*" role="graphics-symbol"', shown)) == len(HOSTILE)
    assert "&lt;/script&gt;&lt;script&gt;document.title" in shown
