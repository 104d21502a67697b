"""The pictures of a page in docs/figures: ``python tests/reports/screenshots.py docs/figures``."""

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

import tiebreak as tb

sys.path.insert(0, str(Path(__file__).parent.parent))
from reports.conftest import FLAGS

SECTIONS = ("answer", "leaderboard", "pairs", "two-systems", "settings")
LINK = "#pair=deep,top-heavy&measure=RPP"
SHOTS = {
    "report-light": {"viewport": {"width": 1180, "height": 1240}},
    "report-dark": {"viewport": {"width": 1180, "height": 1080}, "color_scheme": "dark", "fragment": LINK},
    "report-narrow": {"viewport": {"width": 390, "height": 1500}},
    "report-printed": {"viewport": {"width": 794, "height": 1123}, "media": "print"},
}
"""Widths are those of a window, a phone and a sheet of A4."""


def take(browser, path, folder):
    for name, options in SHOTS.items():
        options = dict(options)
        fragment, media = options.pop("fragment", ""), options.pop("media", "screen")
        page = browser.new_context(**options).new_page()
        page.emulate_media(media=media)
        page.goto(f"{path.as_uri()}{fragment}", timeout=120_000)
        page.wait_for_selector("html[data-ready]", state="attached", timeout=120_000)
        if media == "print":
            page.evaluate("document.body.style.margin = '16mm 14mm'")  # as report.css has it for sheets
        page.screenshot(path=folder / f"{name}.png")


def main(folder):
    simulation = tb.simulate(seed=123)
    with TemporaryDirectory() as scratch, sync_playwright() as playwright:
        path = Path(scratch) / "demo.html"
        exp = tb.Experiment(simulation.judgements, simulation.runs)
        exp.report(path, title="Seven simulated systems", sections=SECTIONS, date=False)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        take(browser, path, Path(folder))
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1])
