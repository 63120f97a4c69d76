"""Sources of the lines of a stream: a port of this machine by TCP and UDP, standard input, any iterable."""

from __future__ import annotations

import errno
import math
import re
import selectors
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from armdyn.base.checks import whole_number
from armdyn.base.errors import excerpt
from armdyn.viewer.errors import PortInUse, ViewerError
from armdyn.viewer.stream_lines import LONGEST_LINE

STANDARD_INPUT = "-"

MOST_BYTES = 65_536
"""Largest number of bytes of one datagram, or of one read from a connection."""

MOST_CONNECTIONS = 64
"""Largest number of simultaneous TCP connections; further ones are refused."""

PAUSE = 0.5
"""Time until a port accepts connections again after the process lacked resources for one, s."""

_NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
"""Error numbers of a waiting connection that cannot be accepted: out of file descriptors or memory."""

_OF_A_BROWSER = re.compile(r"[A-Z]+ \S+ HTTP/\d")
"""The first line of an HTTP request by a web page, which may come from anywhere; its sender is ignored."""

Receive = Callable[[str, str], None]
"""Callback with the name of a sender and one of its lines; must not raise."""


class LineSource(Protocol):
    """A source of lines."""

    @property
    def label(self) -> str:
        """A description of the source of the lines."""

    @property
    def problem(self) -> str:
        """The reason for missing lines, as a sentence; empty if no lines are missing."""

    def start(self, receive: Receive, ended: Callable[[], None]) -> None:
        """Start to pass on lines, in a separate thread."""

    def close(self) -> None:
        """Hand on no more of them."""


class IterableLines:
    """The lines of an iterable, e.g. a file or a generator, as fast as it yields them."""

    def __init__(self, lines: Iterable[str | bytes], name: str = "a stream") -> None:
        self._lines, self.label, self.problem = lines, name, ""
        self._closed = threading.Event()

    def start(self, receive: Receive, ended: Callable[[], None]) -> None:
        """Begin to hand on lines."""

        def run() -> None:
            try:
                for line in self._lines:
                    if self._closed.is_set():
                        return
                    receive(self.label, line.decode(errors="replace") if isinstance(line, bytes) else line)
            except Exception as error:  # raised by a user's generator
                self.problem = f"the source of lines failed: {type(error).__name__}: {error}"
            ended()

        threading.Thread(target=run, name="armdyn viewer stream", daemon=True).start()

    def close(self) -> None:
        """Hand on no more of them."""
        self._closed.set()


class PortLines:
    """Lines received on a port of this machine, by TCP connections and UDP datagrams.

    Args:
        port: port number; 0 for any free port.
        host: the address that accepts senders; "0.0.0.0" to accept those of all machines.

    Raises:
        PortInUse: the port is in use by another program.
        ViewerError: an address that this machine does not have.
    """

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self._tcp, self._udp = _bound(port, host)
        self.port = int(self._tcp.getsockname()[1])
        self.label, self.problem = f"port {self.port}, TCP and UDP", ""
        self._closed = threading.Event()
        self._pending: dict[Any, bytes] = {}
        self._refused, self._again_at = 0, math.inf
        self._thread: threading.Thread | None = None

    def start(self, receive: Receive, ended: Callable[[], None]) -> None:
        """Start to pass on lines; a port never ends by itself."""
        self._thread = threading.Thread(target=self._run, args=(receive,), name="armdyn viewer port", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Free the port."""
        self._closed.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=2.0)
        else:
            self._tcp.close()
            self._udp.close()

    def _run(self, receive: Receive) -> None:
        with selectors.DefaultSelector() as selector, self._tcp, self._udp:
            selector.register(self._tcp, selectors.EVENT_READ)
            selector.register(self._udp, selectors.EVENT_READ)
            while not self._closed.is_set():
                if time.monotonic() >= self._again_at:
                    self._again_at = math.inf
                    selector.register(self._tcp, selectors.EVENT_READ)
                for key, _ in selector.select(timeout=0.2):
                    self._serve(selector, key.fileobj, receive)
            for connection in self._pending:
                connection.close()

    def _serve(self, selector: selectors.BaseSelector, heard: Any, receive: Receive) -> None:
        try:
            if heard is self._udp:
                data, sender = self._udp.recvfrom(MOST_BYTES)
                for line in data.splitlines():
                    receive(f"udp {sender[0]}:{sender[1]}", line.decode(errors="replace"))
            elif heard is self._tcp:
                self._accept(selector)
            else:
                self._read(selector, heard, receive)
        except OSError:  # the sender has disconnected
            if heard in self._pending:
                self._drop(selector, heard)
            elif heard is self._udp:
                self._closed.wait(0.01)  # a permanent error must not occupy a whole core

    def _accept(self, selector: selectors.BaseSelector) -> None:
        """Accept a connection; if resources are exhausted, wait before the next, because it would fail too."""
        try:
            connection, _ = self._tcp.accept()
        except OSError as error:
            if error.errno in _NO_ROOM:
                selector.unregister(self._tcp)
                self._again_at = time.monotonic() + PAUSE
                self.problem = f"connections wait: {error.strerror}"
            return
        if len(self._pending) >= MOST_CONNECTIONS:
            self._refused += 1
            self.problem = f"{MOST_CONNECTIONS} senders are connected, the most there may be; {self._refused} refused"
            connection.close()  # last: a sender that sees the end may read the reason
            return
        if self.problem and not self._refused:
            self.problem = ""
        connection.setblocking(False)
        self._pending[connection] = b""
        selector.register(connection, selectors.EVENT_READ)

    def _read(self, selector: selectors.BaseSelector, connection: Any, receive: Receive) -> None:
        name = f"tcp {connection.getpeername()}"
        data = connection.recv(MOST_BYTES)
        *lines, rest = (self._pending[connection] + data).split(b"\n")
        if not data:  # the sender has finished; its last line may lack a newline
            lines, rest = [*lines, rest], b""
        self._pending[connection] = rest
        for line in lines:
            text = line.decode(errors="replace")
            receive(name, text)
            if _OF_A_BROWSER.match(text):
                self._drop(selector, connection)
                return
        if not data or len(rest) > LONGEST_LINE:
            if rest:
                receive(name, rest.decode(errors="replace"))  # refused because of its length
            self._drop(selector, connection)

    def _drop(self, selector: selectors.BaseSelector, connection: Any) -> None:
        selector.unregister(connection)
        del self._pending[connection]
        connection.close()


def source_of(stream: Any, host: str = "127.0.0.1") -> LineSource:
    """The source of lines from an argument: a port number, "-" for standard input, or an iterable of lines.

    Raises:
        ViewerError: anything else.
        PortInUse: the port is in use by another program.
    """
    if isinstance(stream, PortLines | IterableLines):
        return stream
    if isinstance(stream, str) and stream == STANDARD_INPUT:
        return IterableLines(iter(sys.stdin.readline, ""), "standard input")
    if isinstance(stream, int) and not isinstance(stream, bool):
        return PortLines(stream, host)
    if isinstance(stream, Iterable) and not isinstance(stream, str | bytes):
        return IterableLines(stream)
    raise ViewerError(f"stream is {excerpt(stream)}; expected the number of a port, '-' for standard input, or lines")


def port_number(port: Any, name: str = "port") -> int:
    """The number of a port, 0 for any."""
    result = whole_number(name, port, least=0, error=ViewerError)
    if result > 65_535:
        raise ViewerError(f"{name} is {result}; expected a port, 65535 at most")
    return result


def _bound(port: int, host: str) -> tuple[socket.socket, socket.socket]:
    """A TCP and a UDP socket on one port."""
    number = port_number(port)
    for _ in range(20):  # with port 0, a port that is free for TCP may be in use for UDP
        tcp, udp = socket.socket(socket.AF_INET, socket.SOCK_STREAM), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            if sys.platform != "win32":  # on Windows it would let two programs share a port
                tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tcp.bind((host, number))
            udp.bind((host, int(tcp.getsockname()[1])))
            tcp.listen()
        except OSError as error:
            tcp.close()
            udp.close()
            why = error
        else:
            return tcp, udp
        if number:
            break
    raise unbound(number, host, why, "--listen")


def unbound(port: int, host: str, error: OSError, option: str) -> ViewerError:
    """The error for a port that could not be bound."""
    if isinstance(error, socket.gaierror) or error.errno in (99, 10049):
        return ViewerError(f"this machine has no address {host!r}; expected such as 127.0.0.1 or 0.0.0.0")
    if isinstance(error, PermissionError):
        return ViewerError(f"port {port} may not be opened: {error.strerror}; take one above 1023 ({option})")
    return PortInUse(f"port {port} of {host} is in use by another program; choose another ({option}), or 0 for any")
