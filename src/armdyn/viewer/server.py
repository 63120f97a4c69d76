"""A viser server on a chosen port, without its own output on the terminal."""

from __future__ import annotations

import contextlib
import io
import os
import socket
import sys
import warnings
import webbrowser
from collections.abc import Iterator
from typing import Any

from armdyn.base.extras import extra
from armdyn.viewer.errors import PortInUse, ViewerError
from armdyn.viewer.sources import port_number, unbound

FIRST_PORT, LAST_PORT = 8080, 8180
"""The range of ports; the first free one is used if none is given."""


def start(label: str, host: str = "127.0.0.1", port: int | None = None) -> Any:
    """A running viser server.

    Args:
        label: heading above the controls in the browser.
        host: the address that accepts browsers; "0.0.0.0" to accept those of all machines.
        port: port number; 0 for any free port; if None, the first free one from 8080 on.

    Raises:
        PortInUse: the port is in use by another program.
        ViewerError: a number that is not a port; an address that this machine does not have.
        MissingLibrary: viser is not installed.
    """
    viser = extra("viser", "the viewer", name="viewer")
    first_port = _first_free(host) if port is None else port_number(port)
    _refuse_used(host, first_port)
    with quiet(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of libraries that viser uses
        server = viser.ViserServer(host=host, port=first_port, label=label, verbose=False)
    if first_port and server.get_port() != first_port:  # another program was faster, and viser has used the next port
        stop(server)
        raise PortInUse(
            f"port {first_port} of {host} is in use by another program; choose another (--port), or 0 for any"
        )
    return server


def stop(server: Any) -> None:
    """End a server, and wait until its port is free."""
    with quiet():
        server.stop()


def address_of(server: Any) -> str:
    """The address of the server for a browser on this machine."""
    host = server.get_host()
    return f"http://{'localhost' if host in ('0.0.0.0', '127.0.0.1', '::') else host}:{server.get_port()}"  # noqa: S104 - compared


def open_browser(address: str) -> bool:
    """Open an address in the browser if there is a screen; return True on success.

    Terminal browsers are not used: they would occupy the terminal and cannot show the scene.
    """
    if sys.platform.startswith("linux") and not any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))):
        return False
    try:
        return webbrowser.open(address)
    except (webbrowser.Error, OSError):
        return False


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Suppress the output of viser."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield


def _first_free(host: str) -> int:
    for port in range(FIRST_PORT, LAST_PORT):
        try:
            _refuse_used(host, port)
        except PortInUse:
            continue
        return port
    raise PortInUse(f"no port from {FIRST_PORT} to {LAST_PORT} is free; choose another (--port), or 0 for any")


def _refuse_used(host: str, port: int) -> None:
    """Raise PortInUse for a port in use; viser would silently use another."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        if sys.platform != "win32":  # on Windows it would let two programs share a port
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise unbound(port, host, error, "--port") from None
        except (OverflowError, TypeError, UnicodeError):
            raise ViewerError(f"host is {host!r}; expected an address of this machine, such as 127.0.0.1") from None
