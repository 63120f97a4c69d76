"""Strangers at a view: lines of a stream that hold no state, too many connections, web pages of other origins."""

from __future__ import annotations

import contextlib
import errno
import json
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.viewer import Viewer, ViewerError
from armdyn.viewer import view as view_module  # the function
from armdyn.viewer.origins import REFUSED, checked_origins, is_allowed, origin_address
from armdyn.viewer.sources import MOST_CONNECTIONS, PAUSE, IterableLines, PortLines
from armdyn.viewer.stream_lines import LineReader, complaint
from armdyn.viewer.viewer import TELL_EVERY

viser = pytest.importorskip("viser")
RP = armdyn.load("rp")
GOOD = b"[0.5, 0.25]\n"


@pytest.fixture
def view() -> Iterator[Callable[..., Viewer]]:
    with contextlib.ExitStack() as opened:

        def make(robot: Any, **options: Any) -> Viewer:
            viewer = view_module(robot, **{"port": 0, "browser": False, "quiet": True, **options})
            opened.callback(viewer.close)
            return viewer

        yield make


@pytest.fixture
def open_port() -> Iterator[Callable[[], tuple[PortLines, list[str]]]]:
    """Any free port and the list of the lines that it receives; closed at the end, also of a test that fails."""
    with contextlib.ExitStack() as opened:

        def make() -> tuple[PortLines, list[str]]:
            port, heard = PortLines(0), list[str]()
            opened.callback(port.close)
            return port, heard

        yield make


def until(true: Callable[[], Any], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


# Lines.

HOSTILE = (
    b'{"name": ["joint_1", "joint_2"], "position": [], "velocity": [1, 2]}',  # as ROS allows
    b'{"name": ["joint_1", "joint_2"], "position": [0, "x"], "header": {"stamp": {"sec": 1}}}',
    b'{"q": null}',
    b'{"q": [1, 2], "t": [3]}',
    b"[" * 3000,
    b"[%s, 1]" % (b"9" * 5000),
    b'{"name": ["\\ud800"], "position": [1]}',
    b"\xff\xfe[1, 2]",
    b'"',
    b'""7\t"',
    b"\0",
)


def test_a_position_that_ros_leaves_out_and_a_stamp_of_400_digits() -> None:
    reader = LineReader(RP)
    with pytest.raises(armdyn.ArmdynError, match="a line has no positions; expected one for each of its names"):
        reader.read(HOSTILE[0].decode())
    stamp = {"sec": 10**400, "nanosec": 0}
    state = reader.read(json.dumps({"name": ["joint_2"], "position": [0.1], "header": {"stamp": stamp}}))
    assert state is not None
    assert (state.t, state.q.tolist()) == (None, [0.0, 0.1])  # a time that is none is left out


def test_the_port_outlives_any_line_counts_them_and_tells_of_them(view: Callable[..., Viewer]) -> None:
    viewer = view(RP, stream=0)
    told: list[str] = []
    viewer.tell = told.append
    started = time.monotonic()
    source: Any = viewer._source
    with socket.create_connection(("127.0.0.1", source.port)) as sender:
        for k, line in enumerate(HOSTILE, start=1):
            sender.sendall(line + b"\n" + GOOD)
            until(lambda k=k: viewer._received == k)
        sender.sendall(b"[1, 2")
        assert viewer.passed_over == len(HOSTILE)
        until(lambda: f"{len(HOSTILE)} lines of the stream passed over" in viewer._stream_box.content)
        until(lambda: told)
    assert viewer.stream_said.isprintable()
    viewer.close()
    assert " of the stream passed over; the last: line " in told[-1]
    assert told[-1].startswith(f"{viewer.passed_over} lines")  # what came since the first time is told at the end
    assert len(told) <= 2 + (time.monotonic() - started) / TELL_EVERY  # not once a line


def test_an_error_that_nobody_thought_of_ends_nothing(
    view: Callable[..., Viewer], monkeypatch: pytest.MonkeyPatch
) -> None:
    viewer = view(RP, stream=0)
    port = viewer._source.port  # type: ignore[union-attr]
    usual = LineReader.read
    monkeypatch.setattr(LineReader, "read", lambda self, line: usual(self, line) if line != "?" else 1 / 0)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"?", ("127.0.0.1", port))
        until(lambda: viewer.passed_over == 1)
        sender.sendto(GOOD, ("127.0.0.1", port))
        until(lambda: viewer._received == 1)
    assert viewer.stream_said == "line 1 passed over: it cannot be shown (ZeroDivisionError)"


def test_complaints_are_short_and_can_be_printed() -> None:
    words = complaint(ViewerError("a \x1b[31m\n\ud800" + "x" * 10_000), 3)
    assert words.startswith(r"line 3 passed over: a \x1b[31m\n\ud800xxx")
    assert len(words) < 400


def test_a_generator_that_fails_is_named(view: Callable[..., Viewer]) -> None:
    def lines() -> Iterator[str]:
        yield "[0.5, 0.25]"
        raise OSError("the cable is out")

    viewer = view(RP, stream=IterableLines(lines()))
    until(lambda: "the source of lines failed: OSError: the cable is out" in viewer._stream_box.content)
    assert viewer._received == 1


# Connections.


def test_connections_are_limited_and_one_that_goes_makes_room(
    open_port: Callable[[], tuple[PortLines, list[str]]],
) -> None:
    port, heard = open_port()
    with contextlib.ExitStack() as opened:
        port.start(lambda _, line: heard.append(line), lambda: None)
        connect = lambda: opened.enter_context(socket.create_connection(("127.0.0.1", port.port)))  # noqa: E731
        senders = [connect() for _ in range(MOST_CONNECTIONS)]
        until(lambda: len(port._pending) == MOST_CONNECTIONS)
        further = connect()
        further.settimeout(60.0)
        assert further.recv(1) == b""  # closed by the port
        assert port.problem == f"{MOST_CONNECTIONS} senders are connected, the most there may be; 1 refused"
        senders.pop().close()
        until(lambda: len(port._pending) == MOST_CONNECTIONS - 1)
        connect().sendall(GOOD)
        until(lambda: heard)


def test_no_spinning_where_descriptors_run_out(
    monkeypatch: pytest.MonkeyPatch, open_port: Callable[[], tuple[PortLines, list[str]]]
) -> None:
    """The connection waits, and is taken when there is room; meanwhile the port sleeps, and hears others."""
    (port, heard), tries = open_port(), list[float]()
    usual, full = port._tcp.accept, [True]

    class Full:
        """The socket that listens, in a process without further descriptors."""

        def accept(self) -> Any:
            tries.append(time.monotonic())
            if full[0]:
                raise OSError(errno.EMFILE, "Too many open files")
            return usual()

        def __getattr__(self, name: str) -> Any:
            return getattr(listening, name)

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *_: object) -> None:
            listening.close()

    listening = port._tcp
    monkeypatch.setattr(port, "_tcp", Full())
    port.start(lambda _, line: heard.append(line), lambda: None)
    started, before = time.monotonic(), time.process_time()
    with socket.create_connection(("127.0.0.1", port.port)) as sender:
        sender.sendall(GOOD)
        until(lambda: tries)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            udp.sendto(b"[7, 8]", ("127.0.0.1", port.port))
        until(lambda: heard == ["[7, 8]"])
        time.sleep(1.2)
        assert "connections wait: Too many open files" in port.problem
        elapsed = time.monotonic() - started
        assert len(tries) <= 2 + elapsed / PAUSE
        assert time.process_time() - before < 0.5 * elapsed
        full[0] = False
        until(lambda: len(heard) == 2)
        assert port.problem == ""


def test_a_web_page_does_not_move_the_robot(open_port: Callable[[], tuple[PortLines, list[str]]]) -> None:
    """It can send a request to any port of this machine; what follows its first line is not heard."""
    port, heard = open_port()
    port.start(lambda _, line: heard.append(line), lambda: None)
    with socket.create_connection(("127.0.0.1", port.port)) as page:
        page.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n[1, 2]\n")
        page.settimeout(60.0)
        with page, contextlib.suppress(ConnectionResetError):
            assert page.recv(1) == b""
    assert heard == ["POST / HTTP/1.1\r"]


# Origins.

SUBPROTOCOL = f"viser-v{viser.__version__}"


def handshake(viewer: Viewer, **headers: str) -> Any:
    """A plain WebSocket to a view, with a browser's headers."""
    from websockets.sync.client import connect

    host = headers.pop("Host", f"localhost:{viewer.port}")
    raw = socket.create_connection(("127.0.0.1", viewer.port))
    try:
        return connect(
            f"ws://{host}/",
            sock=raw,
            subprotocols=[SUBPROTOCOL],  # type: ignore[list-item]
            additional_headers=headers,
            compression=None,
            max_size=None,
            open_timeout=60,
        )
    except BaseException:
        raw.close()
        raise


def closing_code(socket_: Any) -> int | None:
    """Why a WebSocket is closed; None where messages of the scene come."""
    from websockets.exceptions import ConnectionClosed

    try:
        message = socket_.recv(timeout=60)
    except ConnectionClosed as closed:
        return None if closed.rcvd is None else closed.rcvd.code
    assert message
    return None


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("localhost:{}", "http://localhost:{}"),
        ("127.0.0.1:{}", "http://127.0.0.1:{}"),
        ("localhost:9999", "http://localhost:9999"),  # the near end of a tunnel
        ("localhost:{}", None),  # a program that is no browser
        ("localhost:{}", "https://lab.example"),  # which was allowed
    ],
)
def test_its_own_page_sees_the_view(view: Callable[..., Viewer], host: str, origin: str | None) -> None:
    viewer = view(RP, origins=["https://lab.example"])
    given = {} if origin is None else {"Origin": origin.format(viewer.port)}
    with handshake(viewer, Host=host.format(viewer.port), **given) as page:
        assert closing_code(page) is None
    assert viewer.guard.refused == 0


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("localhost:{}", "https://evil.example"),
        ("localhost:{}", "http://localhost:1"),  # another program's page on this machine
        ("localhost:{}", "http://localhost.evil.example:{}"),
        ("localhost:{}", "null"),  # a file, or a frame in a sandbox
        ("evil.example:{}", "http://evil.example:{}"),  # a name that was pointed to this machine
        ("evil.example:{}", None),
        ("localhost:{}", "chrome-extension://abcdefgh"),
    ],
)
def test_a_page_of_strangers_does_not(view: Callable[..., Viewer], host: str, origin: str | None) -> None:
    viewer = view(RP, q=[0.1, 0.2])
    told: list[str] = []
    viewer.tell = told.append
    given = {} if origin is None else {"Origin": origin.format(viewer.port)}
    with handshake(viewer, Host=host.format(viewer.port), **given) as page:
        assert closing_code(page) == REFUSED
    until(lambda: told)
    assert "was refused: it is not this view's own; allow it by origins=" in told[0]
    assert viewer.guard.refused == 1
    until(lambda: not viewer._server.get_clients())
    with handshake(viewer, Origin=f"http://localhost:{viewer.port}") as page:
        assert closing_code(page) is None  # the view is served as before


def test_what_a_stranger_sends_is_not_heard(view: Callable[..., Viewer]) -> None:
    """A message to move a slider, sent before the connection is closed."""
    import msgspec
    from websockets.exceptions import ConnectionClosed

    viewer = view(RP, q=[0.0, 0.2])
    handle = viewer._robots[0].joints.handles[0]
    message = {"type": "GuiUpdateMessage", "uuid": handle._impl.uuid, "updates": {"value": 45.0}}
    packed = msgspec.msgpack.encode(message)

    def send(origin: str) -> None:
        with handshake(viewer, Origin=origin) as page:
            try:
                page.send(packed)
                closing_code(page)
                time.sleep(0.2)
            except ConnectionClosed:
                pass

    send("https://evil.example")
    time.sleep(0.3)
    assert handle.value == 0.0
    np.testing.assert_array_equal(viewer.q, [0.0, 0.2])
    send(f"http://localhost:{viewer.port}")
    until(lambda: handle.value == 45.0)


def test_origins_are_addresses() -> None:
    assert checked_origins(["https://Lab.example/"]) == {"https://lab.example"}
    for bad in ("https://lab.example", ["lab.example"], [3], ["https://lab.example/page"], ["file:///x"], ["http://["]):
        with pytest.raises(ViewerError, match="origin"):
            checked_origins(bad)  # type: ignore[arg-type]
    assert origin_address("http://[::1]:8080") == ("::1", 8080)
    assert is_allowed("http://[::1]:8080", "[::1]:8080")
    assert is_allowed(f"http://{socket.gethostname()}:8080", f"{socket.gethostname()}:8080")
    assert not is_allowed("http://localhost", None)
    assert not is_allowed("http://localhost:x", "localhost:8080")
    assert is_allowed("https://localhost", "localhost")
    assert not is_allowed("http://localhost", "localhost:8080")


def test_a_viser_that_does_not_show_requests_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from armdyn.viewer.origins import Guard

    with pytest.raises(ViewerError, match=r"expected viser 1\.1"):
        Guard(object(), (), print)
