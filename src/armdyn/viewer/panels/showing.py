"""The panel that selects the visible parts of the arms, and the background."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from armdyn.viewer.ellipsoids import OF_TIP
from armdyn.viewer.screen_arm import FRAMES, Show

WORDS = {"names": "Names", "inertias": "Inertia of links", "centre": "Centre of mass", "trace": "Path of the tip"}
"""The labels of the check boxes, by attribute of `Show`."""


class ShowPanel:
    """Controls that select the visible parts.

    Args:
        gui: the GUI of a viser server.
        show: the initial selection, changed in place.
        looks: the looks that at least one of the arms has.
        dark: True if the background is dark initially.
        with_tip: True if an arm has a tip.
        changed: callback, called when the selection has changed.
        darkened: callback, called with True for a dark background.
        lit: callback, called with True for shadows.
    """

    def __init__(
        self,
        gui: Any,
        show: Show,
        looks: Sequence[str],
        *,
        dark: bool,
        with_tip: bool,
        changed: Callable[[], None],
        darkened: Callable[[bool], None],
        lit: Callable[[bool], None],
    ) -> None:
        self.show, self._changed, self._darkened, self._lit = show, changed, darkened, lit
        self.look = gui.add_dropdown("Look", tuple(looks), initial_value=show.look if show.look in looks else looks[0])
        self.frames = gui.add_dropdown("Frames", FRAMES, initial_value=show.frames)
        words = WORDS if with_tip else {name: word for name, word in WORDS.items() if name != "trace"}
        self.boxes = {name: gui.add_checkbox(word, getattr(show, name)) for name, word in words.items()}
        self.ellipsoid = gui.add_dropdown(
            "Tip ellipsoid", ("none", *OF_TIP), initial_value=show.tip_ellipsoid, visible=with_tip,
            hint="The forces that accelerate the tip by 1 m/s², the accelerations by forces of 1 N, the velocities of "
            "joint velocities of length 1 (Modern Robotics 5.4, 8.4); drawn a quarter of the arm long.",
        )  # fmt: skip
        self.dark = gui.add_checkbox("Dark background", dark)
        for handle in (self.look, self.frames, self.ellipsoid, *self.boxes.values()):
            handle.on_update(self.redraw)
        self.dark.on_update(self.darken)
        self.shadows = gui.add_checkbox("Shadows", False, hint="slow without a graphics card")
        self.shadows.on_update(self.light)

    def redraw(self, _: object = None) -> None:
        """Apply the selection."""
        self.show.look, self.show.frames = self.look.value, self.frames.value
        self.show.tip_ellipsoid = self.ellipsoid.value
        for name, box in self.boxes.items():
            setattr(self.show, name, bool(box.value))
        self._changed()

    def darken(self, _: object = None) -> None:
        """Apply the chosen background."""
        self._darkened(bool(self.dark.value))

    def light(self, _: object = None) -> None:
        """Turn shadows on or off."""
        self._lit(bool(self.shadows.value))
