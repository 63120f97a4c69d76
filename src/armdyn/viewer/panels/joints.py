"""Sliders for the joints, and buttons that bring all of them to zero, or anywhere."""

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
"""Is called with the positions that the sliders show, rad or m, shape (n,), and the name of the one that was moved."""


def heading(robot: Robot) -> str:
    """The heading of the sliders, with their unit where they have one."""
    units = {SHOWN[joint.kind][0] for joint in robot.joints}
    return f"Joints, {units.pop()}" if len(units) == 1 else "Joints"


class JointPanel:
    """A slider for each coordinate of a robot.

    Args:
        gui: of a server of viser.
        robot: whose coordinates they are.
        q: what they show first, rad or m, shape (n,).
        reached: all positions that they will have to show, shape (..., n).
        moved: is called when a slider was moved by somebody.
        lock: of the robot that they move: sliders that we move are moved by nobody else meanwhile.
    """

    def __init__(self, gui: Any, robot: Robot, q: Array, reached: Array, moved: Moved, lock: threading.RLock) -> None:
        self.robot, self._moved, self._lock = robot, moved, lock
        self._at = np.array(q, dtype=float)
        self.sliders: tuple[Slider, ...] = sliders_of(robot, reached)
        self._shown = [slider.shown(x) for slider, x in zip(self.sliders, q, strict=True)]
        self.handles: list[Any] = []
        one_unit = len({slider.unit for slider in self.sliders}) == 1
        for slider, shown in zip(self.sliders, self._shown, strict=True):
            handle = gui.add_slider(
                slider.name if one_unit else f"{slider.name}, {slider.unit}",
                slider.low,
                slider.high,
                slider.step,
                shown,
                hint=_hint(slider),
            )
            handle.on_update(self.changed)
            self.handles.append(handle)
        self.buttons = gui.add_button_group("Go to", ("zero", "random"))
        self.buttons.on_click(self.clicked)

    def changed(self, _: Any = None) -> None:
        """Take the positions of the sliders that are not where we put them."""
        with self._lock:
            names = []
            for k, (slider, handle) in enumerate(zip(self.sliders, self.handles, strict=True)):
                value = float(handle.value)
                if value != self._shown[k]:
                    self._shown[k], self._at[k] = value, slider.position(value)
                    names.append(slider.name)
            if names:
                self._moved(np.array(self._at), names[0])

    def clicked(self, _: Any = None) -> None:
        """Bring all joints to zero, or as near as limits allow, or anywhere within them."""
        if self.buttons.value == "random":
            q = self.robot.random_configuration()
        else:
            low, high = np.nan_to_num(self.robot.lower, nan=-math.inf), np.nan_to_num(self.robot.upper, nan=math.inf)
            q = np.where(low <= high, np.clip(np.zeros(self.robot.dof), low, np.maximum(low, high)), 0.0)
        self._moved(q, "")

    def set(self, q: Array) -> None:
        """Show other positions, rad or m, shape (n,)."""
        with self._lock:
            self._at = np.array(q, dtype=float)
            for k, (slider, handle) in enumerate(zip(self.sliders, self.handles, strict=True)):
                self._shown[k] = slider.shown(float(q[k]))
                handle.value = self._shown[k]

    def enable(self, enabled: bool) -> None:
        """Whether they can be moved."""
        for handle in self.handles:
            handle.disabled = not enabled
        self.buttons.visible = enabled


def _hint(slider: Slider) -> str:
    if slider.limited:
        return f"limits {slider.low:g} to {slider.high:g} {slider.unit}"
    return f"no limits on both sides; shown from {slider.low:g} to {slider.high:g} {slider.unit}"
