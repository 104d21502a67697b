"""Waiting for a page, whose policy forbids what playwright's own `wait_for_function` evaluates."""

SECONDS = 120


def wait_until(page, expression):
    """Return as soon as an expression of JavaScript is true in the page."""
    for _ in range(SECONDS * 20):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"not within {SECONDS} seconds: {expression}")
