"""`Animation`: an arm in motion, a stick figure frame by frame."""

from __future__ import annotations

import os
from pathlib import Path

from matplotlib.figure import Figure

from armdyn.base.errors import SettingError
from armdyn.base.progress import progress_bar
from armdyn.plots.movie import player, write_movie
from armdyn.plots.scene import Scene


class Animation:
    """An animation of an arm. Notebooks play it; `save` writes it to a file; `draw` shows one frame in ``figure``.

    `animate_trajectory` returns one.

    Attributes:
        figure: the matplotlib Figure with the frame drawn last, initially frame 0.
        t: the time of each frame, s, shape (frames,).
        q: joint positions in each frame, rad or m, shape (frames, arms, n).
        fps: frames per second.
    """

    def __init__(self, scene: Scene, fps: float) -> None:
        self._scene, self.fps = scene, fps
        self.figure, self.t, self.q = scene.figure, scene.frames.t, scene.frames.q
        scene.show(0)

    def __len__(self) -> int:
        """The number of frames."""
        return len(self.t)

    def draw(self, frame: int) -> Figure:
        """Draw one frame, counted from 0, or from -1 backwards; `armdyn.plots.write_figure` saves it as a picture."""
        if not -len(self) <= frame < len(self):
            raise SettingError(f"frame is {frame}; the animation has {len(self)}, from 0 to {len(self) - 1}")
        self._scene.show(frame % len(self))
        return self.figure

    def save(self, path: str | os.PathLike[str], *, progress: bool = False) -> None:
        """Write to a file: ``.gif``, ``.mp4`` if ffmpeg is present, or ``.html``, a player with buttons.

        Args:
            path: path of the file; an existing file is replaced.
            progress: show a progress bar on stderr.

        Raises:
            PictureError: another file extension, or a file that cannot be written.
            MissingLibrary: MP4 without ffmpeg; the message contains the package to install.
        """
        with progress_bar(progress, float(self.t[-1] - self.t[0]), f"drawing {Path(path).name}") as report:
            write_movie(path, self._scene, len(self), self.fps, report)

    def to_jshtml(self) -> str:
        """HTML with all frames and buttons to play them, for notebooks and web pages."""
        return player(self._scene, len(self), self.fps)

    def _repr_html_(self) -> str:
        return self.to_jshtml()

    def __repr__(self) -> str:
        return f"<Animation: {len(self)} frames from {self.t[0]:g} to {self.t[-1]:g} s, {self.fps:g} a second>"
