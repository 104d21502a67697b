"""Pages opened in a real browser: Debian's chromium, driven by playwright.

Where one of the two is missing, one skipped test stands for all that need them; on CI they fail.
"""

import os
import shutil

import pytest

WAIT = 120_000
"""Milliseconds: a machine that runs other tests beside is slow."""
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


def missing():
    """What browser tests lack here; nothing if they can run."""
    lacks = [] if shutil.which("chromium") else ["chromium is not installed (apt-get install chromium)"]
    try:
        import axe_playwright_python  # noqa: F401
        import playwright  # noqa: F401
    except ImportError:
        lacks.append("playwright is not installed (pip install playwright axe-playwright-python)")
    return " and ".join(lacks)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Without a browser, one test stands for all; it says why."""
    if os.environ.get("CI") or not missing():
        return
    first, *others = [item for item in items if "browser" in item.fixturenames] or [None]
    if first is not None:
        first.add_marker(pytest.mark.skip(f"NO PAGE WAS OPENED IN A BROWSER, {len(others) + 1} tests: {missing()}"))
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item not in others]


@pytest.fixture(scope="session")
def browser():
    """Chromium."""
    if lack := missing():
        pytest.fail(f"CI is set, but pages cannot be opened in a browser: {lack}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """Opens a report, or a saved page, from the disk; at the end it has written no message and made no request."""
    contexts, incidents = [], []

    def open_report(report, fragment="", *, script=None, viewport=WIDE, **options):
        path = report
        if hasattr(report, "save"):
            path = tmp_path / f"page{len(contexts)}.html"
            report.save(path)
        context = browser.new_context(viewport=viewport, **options)
        contexts.append(context)
        if script is not None:
            context.add_init_script(script)
        context.set_default_timeout(WAIT)
        page = context.new_page()
        page.on("console", lambda message: incidents.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: incidents.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (incidents.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: is_outside(request.url) and incidents.append(f"request: {request.url}"))
        page.goto(f"{path.as_uri()}{fragment}")
        if options.get("java_script_enabled", True):
            page.wait_for_selector("html[data-ready]", state="attached")
        return page

    yield open_report
    for context in contexts:
        context.close()
    assert incidents == []


def is_outside(url):
    """Whether a request leaves the page; downloads of what it made itself do not."""
    return not url.startswith(("file:", "blob:", "data:"))


def serious_violations(page):
    """What axe-core calls serious or critical, in words."""
    from axe_playwright_python.sync_playwright import Axe

    violations = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {node['html'][:200]} {node.get('failureSummary', '')}"
        for one in violations
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]
