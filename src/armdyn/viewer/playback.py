"""The clock of a played motion: play, pause, seek, speed, once or in a loop."""

from __future__ import annotations

from armdyn.base.checks import number
from armdyn.viewer.errors import ViewerError

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
"""Selectable speeds; 1 is the original speed of the motion."""


class Playback:
    """The time of a played motion, s, as a function of the time of a clock, s, which the caller passes.

    Args:
        start: the first time of the motion, s.
        end: its last time, s.
        speed: factor of the original speed.
        loop: True to restart at the end.

    >>> film = Playback(0.0, 2.0, speed=0.5)
    >>> film.play(now=100.0)
    >>> film.time(now=101.0), film.playing
    (0.5, True)
    >>> film.time(now=110.0), film.playing
    (2.0, False)
    """

    def __init__(self, start: float, end: float, *, speed: float = 1.0, loop: bool = False) -> None:
        self.start, self.end, self.loop = start, end, loop
        self._speed = _check(speed)
        self._at, self._since = start, 0.0
        self.playing = False

    @property
    def speed(self) -> float:
        """The factor of the original speed of the motion."""
        return self._speed

    def set_speed(self, speed: float, now: float) -> None:
        """Change the speed from the present time on."""
        self._settle(now)
        self._speed = _check(speed)

    def play(self, now: float) -> None:
        """Continue from the present time, or from the beginning if the motion is at its end."""
        self._settle(now)
        if self._at >= self.end:
            self._at = self.start
        self._since, self.playing = now, self.end > self.start

    def pause(self, now: float) -> None:
        """Stop at the present time."""
        self._settle(now)
        self.playing = False

    def seek(self, t: float, now: float) -> None:
        """Set the time of the motion, s; a running playback continues from there."""
        self._at, self._since = min(max(t, self.start), self.end), now

    def time(self, now: float) -> float:
        """The time of the motion, s. At its end it stops, or starts again."""
        self._settle(now)
        return self._at

    def times(self, rate: float) -> list[float]:
        """The times of frames at a rate, Hz, from the first to the last time at this speed, s, both included.

        >>> Playback(1.0, 2.0, speed=2.0).times(5.0)
        [1.0, 1.4, 1.8, 2.0]
        """
        step = self._speed / rate
        count = int((self.end - self.start) / step * (1.0 - 1e-12))
        return [*(self.start + k * step for k in range(count + 1)), self.end][: None if self.end > self.start else 1]

    def _settle(self, now: float) -> None:
        """Advance the time of the motion by the elapsed time of the clock."""
        if not self.playing:
            return
        at = self._at + self._speed * max(now - self._since, 0.0)
        self._since = now
        if at < self.end:
            self._at = at
        elif self.loop:
            self._at = self.start + (at - self.start) % (self.end - self.start)
        else:
            self._at, self.playing = self.end, False


def _check(speed: float) -> float:
    return number("speed", speed, above=0.0, error=ViewerError)
