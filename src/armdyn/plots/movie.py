"""Frames of a figure in a file: an animated GIF by Pillow, MP4 by ffmpeg, a player in HTML by matplotlib."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Protocol

import matplotlib as mpl
import numpy as np
from matplotlib.animation import HTMLWriter
from matplotlib.figure import Figure
from PIL import Image

from armdyn.base.errors import MissingLibrary
from armdyn.base.writing import replacement, write_text
from armdyn.plots.player_symbols import self_contained
from armdyn.plots.style import PictureError
from armdyn.spatial.rotations import Array

MOVIES = (".gif", ".mp4", ".html")
"""File extensions of animations."""

FASTEST_GIF = 50.0
"""Largest frames per second of a GIF; viewers slow down GIFs with delays below two hundredths of a second."""

MOST_GIF = 5000
"""Largest number of frames of a GIF: all are in memory, at about a third of a megabyte each."""

COLOURS = 128
"""Number of colours of the common palette of a GIF's frames."""

NEARLY_WHITE = 248

LARGEST_PLAYER = 200.0
"""Largest size of the frames in a player, megabytes; matplotlib would omit further frames."""

Report = Callable[[float], None]
"""Callback with the completed fraction."""


class MovieFigure(Protocol):
    """A figure that changes from frame to frame."""

    figure: Figure

    def show(self, frame: int) -> None:
        """Draw a frame in the figure, by its number."""

    def images(self, frames: Iterable[int]) -> Iterator[Array]:
        """The pixels of frames one after another, RGBA bytes, shape (height, width, 4), valid until the next."""


def refuse_movie(path: str | os.PathLike[str], fps: float | None = None, frames: int = 0) -> None:
    """Raise the errors of `write_movie` for the name of the file, before the frames are drawn.

    Raises:
        PictureError: an unknown file extension, or too many frames, or frames per second, for a GIF.
        MissingLibrary: MP4 without ffmpeg.
    """
    ending = Path(path).suffix.lower()
    if ending not in MOVIES:
        raise PictureError(f"{str(path)!r}: the ending of an animation must be {', '.join(MOVIES)}")
    if ending == ".gif" and fps is not None and fps > FASTEST_GIF:
        raise PictureError(f"{str(path)!r}: a GIF shows {FASTEST_GIF:g} frames a second at most, not {fps:g}; see fps=")
    if ending == ".gif" and frames > MOST_GIF:
        raise PictureError(
            f"{str(path)!r}: a GIF of {frames} frames; expected {MOST_GIF} at most. Choose a lower fps, a higher "
            "speed, every=, a part of the motion by trajectory.between(...), or a file that ends in .mp4"
        )
    if ending == ".mp4" and ffmpeg() is None:
        raise MissingLibrary(
            f"{str(path)!r}: MP4 needs ffmpeg, which is not installed: install the program (apt install ffmpeg, brew "
            "install ffmpeg) or the library (pip install imageio-ffmpeg), or choose a file that ends in .gif or .html"
        )


def write_movie(path: str | os.PathLike[str], picture: MovieFigure, frames: int, fps: float, report: Report) -> None:
    """Draw all frames and write them to a file; an existing file is replaced when the new one is complete.

    Raises:
        PictureError: a file that cannot be written.
        MissingLibrary: MP4 without ffmpeg.
    """
    path = Path(path)
    refuse_movie(path, fps, frames)
    if path.suffix.lower() == ".html":
        write_text(path, player(picture, frames, fps, report), error=PictureError)
        return
    write = {".gif": _write_gif, ".mp4": _write_mp4}[path.suffix.lower()]
    with replacement(path, error=PictureError) as unfinished:
        write(unfinished, picture, frames, fps, report)


def player(picture: MovieFigure, frames: int, fps: float, report: Report = lambda done: None) -> str:
    """HTML with all frames and buttons, self-contained."""
    writer = HTMLWriter(fps=fps, embed_frames=True, default_mode="loop", embed_limit=LARGEST_PLAYER)  # type: ignore[arg-type]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "player.html")
        with writer.saving(picture.figure, str(path), picture.figure.dpi):
            for k in range(frames):
                picture.show(k)
                writer.grab_frame()  # type: ignore[no-untyped-call]
                report((k + 1) / frames)
        return self_contained(path.read_text(encoding="utf-8"))


def _write_gif(path: Path, picture: MovieFigure, frames: int, fps: float, report: Report) -> None:
    """Write a GIF that repeats forever.

    Its delays are whole hundredths of a second that add up to the times of the frames. The colours are those of the
    last frame, in which all traces are complete.
    """
    last = next(picture.images([frames - 1]))
    palette = _rgb(last).quantize(COLOURS, dither=Image.Dither.NONE)
    palette.putpalette(_with_clean_white(palette.getpalette() or []))
    images = []
    for k, pixels in enumerate(picture.images(range(frames)), start=1):
        images.append(_rgb(pixels).quantize(palette=palette, dither=Image.Dither.NONE))
        report(k / frames)
    ends = np.rint(100.0 * np.arange(frames + 1) / fps)
    delays = (10.0 * np.diff(ends)).astype(int).tolist()
    images[0].save(path, "GIF", save_all=True, append_images=images[1:], duration=delays, loop=0)


def _with_clean_white(palette: list[int]) -> list[int]:
    """A palette, three numbers per colour, with nearly white colours set to white: Pillow's matching is coarse."""
    colours = np.array(palette).reshape(-1, 3)
    colours[colours.min(axis=1) >= NEARLY_WHITE] = 255
    return [int(x) for x in colours.ravel()]


def _rgb(pixels: Array) -> Image.Image:
    return Image.fromarray(pixels).convert("RGB")


def _write_mp4(path: Path, picture: MovieFigure, frames: int, fps: float, report: Report) -> None:
    """Write the pixels through a pipe to ffmpeg; H.264 requires even width and height."""
    images = picture.images(range(frames))
    first = next(images)
    height, width, _ = first.shape
    values = [
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgba",
        "-s",
        f"{width}x{height}",
        "-framerate",
        f"{fps:.9g}",
        "-i",
        "pipe:",
    ]
    result = [
        "-vf",
        "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white",
        "-vcodec",
        "h264",
        "-pix_fmt",
        "yuv420p",
        "-y",
        str(path),
    ]
    with tempfile.TemporaryFile() as text:
        command = [str(ffmpeg()), "-loglevel", "error", *values, *result]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=text, stderr=text) as process:  # noqa: S603
            assert process.stdin is not None  # noqa: S101 - a pipe was asked for
            with suppress(BrokenPipeError):  # the error of ffmpeg is read below
                for k, pixels in enumerate(chain([first], images), start=1):
                    process.stdin.write(pixels.tobytes())
                    report(k / frames)
                process.stdin.close()
        if process.returncode:
            text.seek(0)
            words = text.read().decode(errors="replace").strip()
            raise OSError(f"ffmpeg reports {words!r}" if words else f"ffmpeg ended with exit code {process.returncode}")


def ffmpeg() -> str | None:
    """Path of ffmpeg from matplotlib's settings (``ffmpeg`` on the path), otherwise from the library imageio-ffmpeg."""
    named = shutil.which(str(mpl.rcParams["animation.ffmpeg_path"]))
    if named is None:
        with suppress(ImportError, RuntimeError):  # RuntimeError: the library without a program
            import imageio_ffmpeg  # noqa: PLC0415 - an extra

            return str(imageio_ffmpeg.get_ffmpeg_exe())
    return named
