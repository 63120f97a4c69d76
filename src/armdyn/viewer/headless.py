"""A headless browser, for pictures without an open view."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from collections.abc import Iterator

from armdyn.base.browser import HEADLESS, NAMES, browser_path, options_of_root
from armdyn.viewer.errors import ViewerError

OPTIONS = (
    *HEADLESS,
    "--disable-extensions",
    "--no-default-browser-check",
    "--hide-scrollbars",
    "--use-angle=swiftshader",  # WebGL on the CPU if there is no graphics card
    "--enable-unsafe-swiftshader",
)


@contextlib.contextmanager
def headless(address: str, width: int, height: int) -> Iterator[None]:
    """Open an address in a headless browser.

    Raises:
        ViewerError: no browser is installed, or it does not start.
    """
    path = browser_path()
    if path is None:
        raise ViewerError(
            f"no browser shows the view, and none is installed that could without a window "
            f"({', '.join(NAMES[:3])}); open {address} in a browser first"
        )
    with tempfile.TemporaryDirectory(prefix="armdyn-browser-", ignore_cleanup_errors=True) as profile:
        command = [
            path,
            *OPTIONS,
            *options_of_root(),
            f"--user-data-dir={profile}",
            f"--window-size={width},{height}",
            address,
        ]
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
