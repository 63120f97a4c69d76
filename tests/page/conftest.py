"""The browser of the tests of pages, started once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from page.browser import SOFTWARE, chromium


@pytest.fixture(scope="package")
def playwright() -> Iterator[Any]:
    """Playwright, which a process can have once at a time; the test is skipped without it."""
    with pytest.importorskip("playwright.sync_api", reason="needs Playwright").sync_playwright() as started:
        yield started


@pytest.fixture(scope="package")
def browser(playwright: Any) -> Iterator[Any]:
    """Chromium with WebGL; the test is skipped where there is none."""
    with chromium(playwright, *SOFTWARE) as found:
        yield found
