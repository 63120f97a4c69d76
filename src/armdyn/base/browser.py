"""Browsers of Chromium's kind that this machine has, for what is drawn or printed without a window."""

from __future__ import annotations

import os
import shutil

NAMES = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge", "microsoft-edge"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
"""The first of several programs that is installed."""

HEADLESS = ("--headless=new", "--disable-background-networking", "--no-first-run")
"""Options of a browser without a window."""


def browser_path() -> str | None:
    """The first browser that this machine has."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def options_of_root() -> list[str]:
    """Options of Chromium for root, for whom it does not start in its sandbox."""
    return ["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else []
