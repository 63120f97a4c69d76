"""Origin check of WebSocket connections: only the view's own page may connect, no other page open in a browser.

A browser lets every page open a WebSocket to this machine, and sends the page's origin in the request. viser accepts
all of them; here a connection is closed before it sends or receives a message unless its origin is the view's own
address. The name in that address must be one that only this machine has: a foreign page may resolve its own name to
this machine (DNS rebinding), and then origin and host agree.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
from collections.abc import Callable, Collection
from functools import cache, partial
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from armdyn.viewer.errors import ViewerError

REFUSED = 1008
"""The WebSocket close code for a policy violation (RFC 6455, 7.4.1)."""

_PORTS = {"http": 80, "https": 443}


class HostAddress(NamedTuple):
    """The host name and port of a server, as in a URL."""

    name: str
    port: int | None


def origin_address(origin: str) -> HostAddress | None:
    """The address in an origin; None if it has none, e.g. the origin "null" of a file.

    >>> origin_address("http://localhost:8080"), origin_address("https://arm.example"), origin_address("null")
    (HostAddress(name='localhost', port=8080), HostAddress(name='arm.example', port=443), None)
    """
    with contextlib.suppress(ValueError):
        parts = urlsplit(origin)
        if parts.scheme in _PORTS and parts.hostname and not parts.path.strip("/"):
            return HostAddress(parts.hostname, parts.port or _PORTS[parts.scheme])
    return None


def checked_origins(origins: Collection[str]) -> frozenset[str]:
    """Further origins that a caller allows.

    Raises:
        ViewerError: an entry that is not the scheme, host and port of an address.
    """
    if isinstance(origins, str):
        raise ViewerError(f"origins is {origins!r}; expected several, such as ['https://lab.example']")
    for origin in origins:
        if not isinstance(origin, str) or origin_address(origin) is None:
            raise ViewerError(f"an origin is {origin!r}; expected the beginning of an address: 'https://lab.example'")
    return frozenset(origin.rstrip("/").lower() for origin in origins)


def is_allowed(origin: str | None, host: str | None, allowed: Collection[str] = ()) -> bool:
    """Return True if a connection to the view is allowed.

    Args:
        origin: origin of the requesting page, as sent by the browser; None for a program that is not a browser.
        host: the requested name and port, from the request's header Host.
        allowed: further origins.

    >>> is_allowed("http://localhost:8080", "localhost:8080"), is_allowed("https://evil.example", "localhost:8080")
    (True, False)
    >>> is_allowed("http://evil.example:8080", "evil.example:8080")  # a name that was pointed to this machine
    False
    """
    if origin is not None and origin.lower() in allowed:
        return True
    request = origin_address(f"http://{host}") if host else None
    if request is None or not _is_ours(request.name):
        return False
    page = None if origin is None else origin_address(origin)
    if page is None:
        return origin is None
    default = _PORTS[urlsplit(str(origin)).scheme]
    return page == HostAddress(request.name, request.port if ":" in str(host).rpartition("]")[2] else default)


def _is_ours(name: str) -> bool:
    """Return True if nobody else can own a name: a numeric address, localhost, or the name of this machine."""
    with contextlib.suppress(ValueError):
        ipaddress.ip_address(name)
        return True
    return name == "localhost" or name.endswith(".localhost") or name in _names_of_this_machine()


@cache
def _names_of_this_machine() -> frozenset[str]:
    name = socket.gethostname().lower()
    return frozenset({name, f"{name}.local", socket.getfqdn().lower()} - {"", ".local"})


class Guard:
    """Closes connections of other pages to a viser server.

    Args:
        server: the viser server.
        allowed: further origins.
        tell: callback, called with a message when a page is refused.

    Raises:
        ViewerError: a version of viser that does not expose the requests of its clients.
    """

    def __init__(self, server: Any, allowed: Collection[str], tell: Callable[[str], None]) -> None:
        self._allowed, self._tell, self.refused = frozenset(allowed), tell, 0
        try:
            sockets = server._websock_server
            self._connections: dict[int, object] = sockets._live_connections
            sockets.on_client_connect(self._check)
            loop = sockets._background_event_loop
        except AttributeError:
            raise ViewerError(
                "this version of viser does not show which page opens the view; expected viser 1.1: "
                "pip install 'viser>=1.1'"
            ) from None
        for connection in list(self._connections.values()):  # faster than this line
            asyncio.run_coroutine_threadsafe(self._judge(connection), loop)

    async def _check(self, client: Any) -> None:
        """Check a new connection before anything is sent to it or received from it."""
        await self._judge(self._connections.get(client.client_id))

    async def _judge(self, connection: Any) -> None:
        headers = {} if connection is None else connection.request.headers
        origin, host = headers.get("Origin"), headers.get("Host")
        if connection is None or is_allowed(origin, host, self._allowed):
            return
        self.refused += 1
        self._tell(
            f"a page of {origin!r}, which asked {host!r}, was refused: it is not this view's own; allow it by "
            f"origins=[{origin!r}] (--origin)"
        )
        connection.recv = partial(_closed, connection)  # what it has sent already is not read after the end
        await connection.close(REFUSED, "this view talks to its own page alone")


async def _closed(connection: Any, *_: object, **__: object) -> None:
    """Raise the error of a closed connection in place of its next message."""
    await connection.wait_closed()
    raise connection.protocol.close_exc
