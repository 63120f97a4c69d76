"""Chromium, where it is installed, with pages opened from disk: what they log, and where they try to connect to."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

SOFTWARE = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
PATIENCE = 60.0
"""s, for a page on a busy machine."""


@contextmanager
def chromium(playwright: Any, *arguments: str) -> Iterator[Any]:
    """A browser without a window; the test is skipped where there is none."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("needs Chromium")
    browser = playwright.chromium.launch(
        executable_path=found, args=["--disable-background-networking", *arguments], chromium_sandbox=False
    )
    yield browser
    browser.close()


@contextmanager
def opened(browser: Any, path: Path, **options: Any) -> Iterator[Any]:
    """The page of a file when it runs; afterwards an error for what it logged and for each request to elsewhere."""
    context = browser.new_context(**{"viewport": {"width": 1000, "height": 600}, **options})
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda r: wrong.append(r.url) if not r.url.startswith(("file:", "data:", "blob:")) else None)
    page.goto(path.as_uri())
    until(page, "window.armdyn && window.armdyn.frames > 1")
    yield page
    context.close()
    assert wrong == []


def until(page: Any, condition: str) -> None:
    """Wait for a condition; by questions of ours, for a page's policy forbids Playwright's own."""
    deadline = time.monotonic() + PATIENCE
    while not page.evaluate(f"!!({condition})"):
        assert time.monotonic() < deadline, f"{condition}: {page.evaluate('document.body.innerText')[:500]}"
        time.sleep(0.02)
