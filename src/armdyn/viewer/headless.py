"""A browser without a window, for pictures where nobody looks."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator

from armdyn.viewer.errors import ViewerError

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "msedge",
)
"""Names of programs, all of Chromium's kind."""

OPTIONS = (
    "--headless=new",
    "--disable-background-networking",
    "--disable-extensions",
    "--no-first-run",
    "--no-default-browser-check",
    "--hide-scrollbars",
    "--use-angle=swiftshader",  # WebGL by the processor, where there is no graphics card
    "--enable-unsafe-swiftshader",
)


def browser_path() -> str | None:
    """The first browser that this machine has."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@contextlib.contextmanager
def headless(address: str, width: int, height: int) -> Iterator[None]:
    """Have a browser without a window look at an address.

    Raises:
        ViewerError: no browser is installed, or it does not start.
    """
    path = browser_path()
    if path is None:
        raise ViewerError(
            f"no browser shows the view, and none is installed that could without a window "
            f"({', '.join(BROWSERS[:3])}); open {address} in a browser first"
        )
    as_root = ["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else []  # where Chromium refuses it
    with tempfile.TemporaryDirectory(prefix="armdyn-browser-", ignore_cleanup_errors=True) as profile:
        command = [path, *OPTIONS, *as_root, f"--user-data-dir={profile}", f"--window-size={width},{height}", address]
        try:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
        except OSError as error:
            raise ViewerError(f"{path} does not start: {error.strerror or error}") from None
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(timeout=10.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
