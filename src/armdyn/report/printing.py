"""HTML as PDF by a browser that is installed: Chromium, Chrome or Edge, without a window and without network."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from armdyn.report.errors import ReportError

NAMES = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge", "microsoft-edge"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
"""Of browsers that print, the first that is found."""

PATIENCE = 180.0
"""s until a browser that does not answer is given up."""


def browser() -> str:
    """The path of a browser.

    Raises:
        ReportError: where there is none.
    """
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        raise ReportError(
            "a PDF is printed by a browser, and none was found: install Chromium, Chrome or Edge so that its command "
            "is on the PATH; or write the report as .html, and print that"
        )
    return found


def pdf_of(html: str) -> bytes:
    """The document as PDF.

    Raises:
        ReportError: no browser, or one that fails.
    """
    command = browser()
    with tempfile.TemporaryDirectory(prefix="armdyn-report-") as folder:
        source, target = Path(folder) / "report.html", Path(folder) / "report.pdf"
        source.write_text(html, encoding="utf-8")
        options = ["--headless=new", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
        options += [f"--user-data-dir={Path(folder) / 'profile'}", "--no-pdf-header-footer", f"--print-to-pdf={target}"]
        if getattr(os, "geteuid", lambda: 1)() == 0:
            options.append("--no-sandbox")  # without which it does not start for root; the document has no scripts
        try:
            done = subprocess.run(  # noqa: S603 - the browser that is installed, on a file of ours
                [command, *options, source.as_uri()], capture_output=True, timeout=PATIENCE, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ReportError(f"{command} did not print the report: {error}. Write it as .html instead") from None
        if not target.is_file():
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            raise ReportError(
                f"{command} printed no PDF (exit code {done.returncode}): {lines[-1] if lines else 'it says nothing'}. "
                "Write the report as .html instead"
            )
        return target.read_bytes()
