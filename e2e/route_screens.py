"""What the tests of all routes have in common: a row with the statements that it shows, and the look at its screen."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect


def route(path: str, heading: str, *ids: str) -> Any:
    """A route, with the beginning of its heading (a pattern) and the statements that it shows."""
    return pytest.param(path, heading, marks=pytest.mark.spec(*ids), id=path)


def shows_screen(page: Page, path: str, heading: str) -> None:
    """The page at this path has the heading, its form if it is one, and nothing that failed to load."""
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(f"^{heading}"))
    main = page.get_by_role("main")
    if path.endswith(("create", "update")):
        expect(main.get_by_role("form").get_by_role("textbox").first).to_be_visible()
    expect(main.get_by_role("button", name="Retry")).to_have_count(0)
