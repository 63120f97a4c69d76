"""Sliders for the joints, and buttons that move all joints to the start, to zero or to a random configuration."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from armdyn.robot import Robot
from armdyn.spatial.rotations import Array
from armdyn.viewer.sliders import SHOWN, Slider, sliders_of

Moved = Callable[[Array, str], None]
"""Callback with the positions of the sliders, rad or m, shape (n,), and the name of the moved joint."""


def heading(robot: Robot) -> str:
    """The heading of the sliders, with their unit if all have the same."""
    units = {SHOWN[joint.kind][0] for joint in robot.joints}
    return f"Joints, {units.pop()}" if len(units) == 1 else "Joints"


class JointPanel:
    """A slider for each coordinate of a robot.

    Args:
        gui: the GUI of a viser server.
        robot: the robot with these coordinates.
        q: initial positions, rad or m, shape (n,).
        reached: all positions that the ranges must include, rad or m, shape (..., n).
        moved: callback, called when a user moves a slider.
        lock: lock of the robot that they move; held while the program sets the sliders.
    """

    def __init__(self, gui: Any, robot: Robot, q: Array, reached: Array, moved: Moved, lock: threading.RLock) -> None:
        self.robot, self._moved, self._lock = robot, moved, lock
        self._at = np.array(q, dtype=float)
        self.sliders: tuple[Slider, ...] = sliders_of(robot, reached)
        self._shown = [slider.displayed(x) for slider, x in zip(self.sliders, q, strict=True)]
        self.handles: list[Any] = []
        one_unit = len({slider.unit for slider in self.sliders}) == 1
        for slider, value in zip(self.sliders, self._shown, strict=True):
            handle = gui.add_slider(
                slider.name if one_unit else f"{slider.name}, {slider.unit}",
                slider.low,
                slider.high,
                slider.step,
                value,
                hint=_hint(slider),
            )
            handle.on_update(self.changed)
            self.handles.append(handle)
        self._start = np.array(q, dtype=float)
        self.buttons = gui.add_button_group("Go to", ("start", "zero", "random"))
        self.buttons.on_click(self.clicked)

    def changed(self, _: object = None) -> None:
        """Read the positions of the sliders that a user has moved."""
        with self._lock:
            names = []
            for k, (slider, handle) in enumerate(zip(self.sliders, self.handles, strict=True)):
                value = float(handle.value)
                if value != self._shown[k]:
                    self._shown[k], self._at[k] = value, slider.position(value)
                    names.append(slider.name)
            if names:
                self._moved(np.array(self._at), names[0])

    def clicked(self, _: object = None) -> None:
        """Move all joints to the initial positions, to zero or as near as limits allow, or to random positions."""
        if self.buttons.value == "random":
            q = self.robot.random_configuration()
        elif self.buttons.value == "start":
            q = np.array(self._start)
        else:
            low, high = np.nan_to_num(self.robot.lower, nan=-math.inf), np.nan_to_num(self.robot.upper, nan=math.inf)
            q = np.where(low <= high, np.clip(np.zeros(self.robot.dof), low, np.maximum(low, high)), 0.0)
        self._moved(q, "")

    def set(self, q: Array) -> None:
        """Show other positions, rad or m, shape (n,)."""
        with self._lock:
            self._at = np.array(q, dtype=float)
            for k, (slider, handle) in enumerate(zip(self.sliders, self.handles, strict=True)):
                self._shown[k] = slider.displayed(float(q[k]))
                handle.value = self._shown[k]

    def enable(self, enabled: bool) -> None:
        """Enable or disable the sliders."""
        for handle in self.handles:
            handle.disabled = not enabled
        self.buttons.visible = enabled


def _hint(slider: Slider) -> str:
    if slider.limited:
        return f"limits {slider.low:g} to {slider.high:g} {slider.unit}"
    return f"no limits on both sides; shown from {slider.low:g} to {slider.high:g} {slider.unit}"
