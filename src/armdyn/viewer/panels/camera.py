"""Buttons that move the camera of a browser: everything in the picture, from the front, the side or above."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from armdyn.spatial.rotations import Array

MARGIN = 1.15
"""Distance of the camera as a multiple of the one from which the sphere around the motion fits exactly."""


def distance_of(radius: float, field: float) -> float:
    """The distance of a camera from the middle of a sphere that fills its picture, m.

    Args:
        radius: radius of the sphere, m.
        field: angle of the picture from top to bottom, rad.

    >>> round(distance_of(1.0, np.pi / 2), 3)
    1.626
    """
    return float(MARGIN * radius / np.sin(0.5 * field))


BELOW = 0.26
"""Shift of the camera's target downwards in a window that is higher than wide, as a fraction of the distance."""


class CameraPanel:
    """A button for each direction.

    Args:
        gui: the GUI of a viser server.
        centre: the middle of the motion, m, shape (3,).
        middle: point at which the camera looks, so that the controls cover no motion, m, shape (3,).
        distance: its distance, m.
        up: upward direction, shape (3,).
        directions: unit vectors from the point to the camera by the word on the button.
    """

    def __init__(
        self, gui: Any, centre: Array, middle: Array, distance: float, up: Array, directions: Mapping[str, Array]
    ) -> None:
        self._centre, self._middle, self._distance = centre, middle, distance
        self._up, self._directions = up, dict(directions)
        self.buttons = gui.add_button_group("Camera", tuple(directions))
        self.buttons.on_click(self.clicked)

    def clicked(self, event: Any) -> None:
        """Move the camera of the browser whose button was pressed."""
        if event.client is None:
            return
        towards = self._directions[str(self.buttons.value)]
        camera = event.client.camera
        middle, distance = self._seen_by(camera)
        with event.client.atomic():
            camera.up_direction = tuple(self._up)
            camera.position = tuple(middle + distance * towards)
            camera.look_at = tuple(middle)

    def connected(self, client: Any) -> None:
        """Bring the motion into the picture of a browser whose window is higher than wide."""
        if client.camera.aspect < 1.0:
            middle, distance = self._seen_by(client.camera)
            towards = next(iter(self._directions.values()))
            with client.atomic():
                client.camera.position = tuple(middle + distance * towards)
                client.camera.look_at = tuple(middle)

    def _seen_by(self, camera: Any) -> tuple[Array, float]:
        """The point at which a camera looks, and its distance; in a high window the controls are below the motion."""
        if camera.aspect >= 1.0:
            return self._middle, self._distance
        half = 0.5 * float(camera.fov)
        across = np.arctan(max(float(camera.aspect), 0.3) * np.tan(half))
        distance = self._distance * float(np.sin(half) / np.sin(across))
        return self._centre - BELOW * distance * self._up, distance
