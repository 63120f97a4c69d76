"""The scene as a PNG rendered by a browser, and as a file that plays without a server."""

from __future__ import annotations

import contextlib
import io
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from armdyn.base.writing import write_bytes
from armdyn.formats.export.numbers import quaternions
from armdyn.spatial.rotations import Array
from armdyn.viewer.errors import ViewerError
from armdyn.viewer.headless import headless
from armdyn.viewer.server import address_of

BACKGROUNDS = {False: (255, 255, 255), True: (26, 27, 30)}
"""Background colours of pictures, RGB, by dark mode."""

ENDINGS = (".html", ".viser")
"""File extensions of recordings that play without a server: a page, and viser's own format."""

MOST_PIXELS = 8192
"""Largest width and height of a picture, in pixels."""


def screenshot(server: Any, width: int, height: int, *, dark: bool, timeout: float) -> Array:
    """The picture of the scene in a browser at the server's address, RGB, shape (height, width, 3).

    If no browser is connected, a headless one is started.

    Raises:
        ViewerError: no browser is installed, or none renders within the time.
    """
    with contextlib.ExitStack() as stack:
        eye: dict[str, object] = {}
        if not server.get_clients():
            stack.enter_context(headless(address_of(server), width, height))
            camera = server.initial_camera
            eye = {"wxyz": looking(camera.position, camera.look_at, camera.up), "position": camera.position}
        client = _client(server, timeout)
        try:
            time.sleep(0.3)  # the last meshes are rendered by then
            drawn = client.get_render(height, width, transport_format="png", timeout=timeout, **eye)
        except (TimeoutError, RuntimeError) as error:
            raise ViewerError(f"the browser has drawn nothing: {error}") from None
    return over(np.asarray(drawn), BACKGROUNDS[dark])


def over(drawn: Array, background: tuple[int, int, int]) -> Array:
    """A transparent picture composited over a background colour, RGB.

    >>> over(np.array([[[10, 20, 30, 255], [0, 0, 0, 0]]], dtype=np.uint8), (255, 255, 255)).tolist()
    [[[10, 20, 30], [255, 255, 255]]]
    """
    if drawn.shape[-1] == 3:
        return drawn
    alpha = drawn[..., 3:].astype(float) / 255.0
    mixed: Array = np.round(alpha * drawn[..., :3] + (1.0 - alpha) * np.array(background)).astype(np.uint8)
    return mixed


def looking(position: Array, at: Array, up: Array) -> Array:
    """The orientation w, x, y, z of a camera: z axis towards its target, y axis downwards.

    >>> looking(np.array([0.0, 0.0, -1.0]), np.zeros(3), np.array([0.0, -1.0, 0.0])).round(12) + 0.0
    array([1., 0., 0., 0.])
    """
    z = np.asarray(at, dtype=float) - position
    z /= np.linalg.norm(z)
    x = np.cross(z, up)
    x /= np.linalg.norm(x)
    return quaternions(np.column_stack([x, np.cross(z, x), z]))


def _client(server: Any, timeout: float) -> Any:
    """The first connected browser; waits until one is connected."""
    until = time.monotonic() + timeout
    while time.monotonic() < until:
        clients = server.get_clients()
        if clients:
            return clients[min(clients)]
        time.sleep(0.05)
    raise ViewerError(f"no browser has opened {address_of(server)} within {timeout:g} s")


def write_png(path: str | os.PathLike[str], pixels: Array) -> None:
    """Write a picture.

    Raises:
        ViewerError: a file extension other than .png, or a path that cannot be written.
    """
    target = checked(path, (".png",))
    from PIL import Image  # noqa: PLC0415 - comes with matplotlib; only when it is used

    content = io.BytesIO()
    Image.fromarray(pixels).save(content, format="PNG")
    write_bytes(target, content.getvalue(), error=ViewerError)


def checked(path: str | os.PathLike[str], endings: tuple[str, ...]) -> Path:
    """A path; raises ViewerError unless it has one of these extensions."""
    target = Path(path)
    if target.suffix.lower() not in endings:
        raise ViewerError(f"{str(path)!r}: expected a file name that ends in {', '.join(endings)}")
    if not target.parent.is_dir():
        raise ViewerError(f"{str(path)!r}: there is no folder {str(target.parent)!r}")
    return target
