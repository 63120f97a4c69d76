"""The controls of a motion: play and pause, time, speed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from armdyn.viewer.playback import SPEEDS, Playback

CLOSE_TO = 1e-9


class PlayPanel:
    """The controls of a `Playback`.

    Args:
        gui: the GUI of a viser server.
        playback: the controlled playback.
        clock: function that returns the time of the clock, s.
    """

    def __init__(self, gui: Any, playback: Playback, clock: Callable[[], float]) -> None:
        self.playback, self._clock = playback, clock
        self.button = gui.add_button("Play", icon="player-play")
        self.button.on_click(self.toggle)
        duration = playback.end - playback.start
        step = max(round(duration / 1000.0, 6), 1e-6)
        self._shown = playback.start
        self.slider = gui.add_slider(
            "Time, s", playback.start, max(playback.end, playback.start + step), step, playback.start
        )
        self.slider.on_update(self.scrubbed)
        names = [_name(speed) for speed in SPEEDS]
        self.speed = gui.add_dropdown(
            "Speed", names, initial_value=_name(playback.speed) if _name(playback.speed) in names else "1"
        )
        self.speed.on_update(self.speed_chosen)
        self.loop = gui.add_checkbox("Loop", playback.loop)
        self.loop.on_update(self.loop_chosen)

    def toggle(self, _: object = None) -> None:
        """Play, or pause."""
        now = self._clock()
        if self.playback.playing:
            self.playback.pause(now)
        else:
            self.playback.play(now)
        self.refresh()

    def scrubbed(self, _: object = None) -> None:
        """Seek to the time that a user has set on the slider."""
        value = float(self.slider.value)
        if abs(value - self._shown) > CLOSE_TO:
            self._shown = value
            self.playback.seek(value, self._clock())

    def speed_chosen(self, _: object = None) -> None:
        """Set the speed to the chosen one."""
        self.playback.set_speed(float(str(self.speed.value)), self._clock())

    def loop_chosen(self, _: object = None) -> None:
        """Turn looping on or off."""
        self.playback.loop = bool(self.loop.value)

    def refresh(self, t: float | None = None) -> None:
        """Show the state of the playback, playing or paused, and its time."""
        label = "Pause" if self.playback.playing else "Play"
        if self.button.label != label:
            self.button.label = label
            self.button.icon = "player-pause" if self.playback.playing else "player-play"
        if t is not None:
            self._shown = min(max(t, self.playback.start), float(self.slider.max))
            self.slider.value = self._shown


def _name(speed: float) -> str:
    return f"{speed:g}"
