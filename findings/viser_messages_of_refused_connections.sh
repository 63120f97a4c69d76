#!/bin/sh
# Tried: refusing a connection to viser's server in a callback of on_client_connect, by closing the WebSocket with code 1008,
#   while the client sends a message right after the handshake.
# With: viser 1.1.1, websockets 16 (CPython 3.11, Linux x86-64), 2026-11-29.
# A good guess: after close() has returned nothing of this connection is read.
# Seen: the message is handled. The server awaits its callbacks before it starts to read, and recv() of websockets returns the
#   frames that came before the closing handshake, then raises ConnectionClosed. (Without the pause in the callback in some of the tries.)
# Why it matters: a check of the origin that closes foreign pages lets the first messages of a foreign page move a slider.
#   The connection's recv has to be replaced, or drained, before it is closed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check viser==1.1.1
cat > "$folder/run.py" <<'PY'
import asyncio
import time

import msgspec
import viser
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

server = viser.ViserServer(port=0, verbose=False)
sockets = server._websock_server
slider = server.gui.add_slider("angle", 0.0, 90.0, 1.0, 0.0)


async def refuse(client):
    await asyncio.sleep(0.05)  # a check that takes a moment
    await sockets._live_connections[client.client_id].close(1008, "refused")


sockets.on_client_connect(refuse)
message = {"type": "GuiUpdateMessage", "uuid": slider._impl.uuid, "updates": {"value": 45.0}}
handled = 0
for _ in range(20):
    slider.value = 0.0
    with connect(f"ws://localhost:{server.get_port()}/", subprotocols=[f"viser-v{viser.__version__}"]) as page:
        try:
            page.send(msgspec.msgpack.encode(message))
            page.recv(timeout=5)
        except ConnectionClosed as closed:
            assert closed.rcvd.code == 1008
    time.sleep(0.1)
    handled += slider.value == 45.0
print(f"closed 20 connections with code 1008; messages of {handled} of them were handled")
server.stop()
raise SystemExit(0 if handled else 1)
PY
"$folder/venv/bin/python" "$folder/run.py"
