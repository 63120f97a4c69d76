"""The panel of the parts of the arms that are shown, and of the background."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from armdyn.viewer.ellipsoids import OF_TIP
from armdyn.viewer.screen_arm import FRAMES, Show

WORDS = {"names": "Names", "inertias": "Inertia of links", "centre": "Centre of mass", "trace": "Path of the tip"}
"""The boxes that are checked, by the attributes of `Show` that they are."""


class ShowPanel:
    """Choices of what is shown.

    Args:
        gui: of a server of viser.
        show: what is shown first, changed in place.
        looks: those that one of the arms has.
        dark: whether the background is dark first.
        with_tip: whether an arm has a tip.
        changed: is called when something was chosen.
        darkened: is called with whether the background is to be dark.
        lit: is called with whether there are to be shadows.
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
            handle.on_update(self.chosen)
        self.dark.on_update(self.darken)
        self.shadows = gui.add_checkbox("Shadows", False, hint="slow without a graphics card")
        self.shadows.on_update(self.light)

    def chosen(self, _: Any = None) -> None:
        """Show what was chosen."""
        self.show.look, self.show.frames = self.look.value, self.frames.value
        self.show.tip_ellipsoid = self.ellipsoid.value
        for name, box in self.boxes.items():
            setattr(self.show, name, bool(box.value))
        self._changed()

    def darken(self, _: Any = None) -> None:
        """Take the background that was chosen."""
        self._darkened(bool(self.dark.value))

    def light(self, _: Any = None) -> None:
        """Draw shadows, or none."""
        self._lit(bool(self.shadows.value))
