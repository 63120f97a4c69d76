"""Conversion of HTML to PDF by an installed browser, Chromium, Chrome or Edge, headless and without network."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from armdyn.base.browser import HEADLESS, browser_path, options_of_root
from armdyn.base.writing import write_text
from armdyn.report.errors import ReportError

PATIENCE = 180.0
"""Longest wait for a browser, s."""


def browser() -> str:
    """The path of an installed browser.

    Raises:
        ReportError: no browser is installed.
    """
    result = browser_path()
    if result is None:
        raise ReportError(
            "a PDF is printed by a browser, and none was found: install Chromium, Chrome or Edge so that its command "
            "is on the PATH; or write the report as .html, and print that"
        )
    return result


def pdf_of(html: str) -> bytes:
    """The document as PDF.

    Raises:
        ReportError: no browser, or one that fails.
    """
    command = browser()
    with tempfile.TemporaryDirectory(prefix="armdyn-report-") as folder:
        source, target = Path(folder) / "report.html", Path(folder) / "report.pdf"
        write_text(source, html, error=ReportError)
        options = [*HEADLESS, "--disable-gpu", *options_of_root()]
        options += [f"--user-data-dir={Path(folder) / 'profile'}", "--no-pdf-header-footer", f"--print-to-pdf={target}"]
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
