"""`animate_trajectory`: an arm in motion, its tip's trace, time and energy, in fixed axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Literal

import numpy as np

from armdyn.base.checks import array, choice, number, switch, whole_number
from armdyn.base.errors import SettingError
from armdyn.motion.motion_data import MotionData
from armdyn.motion.resampling import resampled
from armdyn.motion.with_robot import Touching, check_it_moved
from armdyn.plots.animation import Animation
from armdyn.plots.bodies import bodies
from armdyn.plots.plane import plane_of_motion
from armdyn.plots.scene import FramePaths, Frames, Look, Scene, UclScene
from armdyn.plots.style import COLOURS
from armdyn.plots.surroundings import PlanePatch, surfaces_of
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

FPS, FPS_UCL = 25.0, 10.0
"""Default frames per second; UCL's program waits a tenth of a second between two frames."""

EVERY_UCL = 100
"""UCL's program shows one of this many states at the ends of its steps, starting with the first."""

MOST_ARMS = len(COLOURS)
MOST_TRIANGLES = 40_000
"""Largest number of triangles of the robot in a frame, which takes a tenth of a second to draw."""

TRACE_POINTS = 2000
"""Approximate largest number of states of a drawn trace."""

Style = Literal["armdyn", "ucl"]


def animate_trajectory(
    trajectory: MotionData,
    robot: Robot,
    *,
    fps: float | None = None,
    speed: float = 1.0,
    every: int | None = None,
    trace: bool | str | None = None,
    ghosts: int = 0,
    motions: Sequence[int] | None = None,
    view: tuple[float, float] | None = None,
    title: str | None = None,
    style: Style = "armdyn",
    contacts: Sequence[Touching] = (),
    meshes: bool = True,
) -> Animation:
    """An arm in motion: planar arms in their plane, others in space, in axes of equal scales that contain all.

    The frames are ``speed / fps`` seconds of the motion apart, from its first time on, interpolated as by
    `Trajectory.resample`. Links are drawn by the shapes and meshes of the description, in its colours, and as lines
    between joints if they have none. Time and energies are printed above. Several motions of a batch are drawn as lines
    over each other.

    Args:
        trajectory: the motion, or a batch.
        robot: the robot of the motion.
        fps: frames per second; by default 25, and 10 in UCL's style.
        speed: factor of the original speed; 0.1 is ten times slower.
        every: as an alternative to speed, the number of recorded states per frame.
        trace: draw the past path of the tip (of all ends of a tree without a tip), or of a frame, by its name; by
            default True, in UCL's style False.
        ghosts: number of poses, equally spaced in time over the whole motion, that stay in the picture.
        motions: indices of the drawn motions of a batch, eight at most, in the order of the flattened batch.
        view: elevation and azimuth of the eye, degrees, of a spatial arm.
        title: title above the picture; by default the robot's name.
        style: "armdyn", or "ucl": thin lines in the manner of the UCL lecture's program for planar arms: every 100th
            state from the end of the first step on, each for a tenth of a second, axes from -r to r with r 0.2 m longer
            than the outstretched arm, nothing else.
        contacts: contacts of the simulation; their planes are drawn, and those of the robot's constraints always.
        meshes: True to draw shapes and meshes of a single motion; those that cannot be opened are omitted.

    Raises:
        ShapeError: a robot of other joints.
        SettingError: inconsistent options, a batch of more than eight motions without ``motions``, UCL's style
            for a spatial arm.
        UnknownName: a frame that the robot does not have.

    >>> arm = armdyn.load("planar_2r")
    >>> swing = armdyn.simulate(arm, [0.0, 0.0], duration=1.0)
    >>> armdyn.plots.animate_trajectory(swing, arm, speed=0.5)
    <Animation: 51 frames from 0 to 1 s, 25 a second>
    """
    check_it_moved(trajectory, robot)
    ucl = choice("style", style, ("armdyn", "ucl"), error=SettingError) == "ucl"
    plane = plane_of_motion(robot)
    if ucl and plane is None:
        raise SettingError(f"style='ucl' is of arms that move in a plane; {robot.name!r} moves in space")
    usual = FPS_UCL if ucl else FPS
    fps = number("fps", usual if fps is None else fps, above=0.0, unit="Hz", error=SettingError)
    sampled, pace = _frames(trajectory, fps, speed, every, ucl=ucl)
    indices = _indices(trajectory.batch, motions)
    energy = sampled.energy.kinetic, sampled.energy.potential
    frames = Frames(sampled.t, _of(sampled, indices, "q"), None if trajectory.batch else energy, indices, pace)
    with_bodies = switch("meshes", meshes, error=SettingError) and not ucl and len(indices) == 1
    look = Look(
        plane=plane,
        view=None if view is None else tuple(array("view", view, (2,), "degrees", finite=SettingError).tolist()),
        ghosts=whole_number("ghosts", ghosts, least=0, error=SettingError),
        title=robot.name if title is None else title,
        surfaces=tuple(_surfaces(robot, contacts, frames.q)),
        bodies=tuple(bodies(robot.model, most=MOST_TRIANGLES)[0]) if with_bodies else (),
    )
    traced = _trace(trajectory, robot, indices, not ucl if trace is None else trace)
    return Animation((UclScene if ucl else Scene)(robot, frames, traced, look), fps)


def _surfaces(robot: Robot, contacts: Sequence[Touching], q: Array) -> Iterator[PlanePatch]:
    """The planes of contacts and constraints near the motion."""
    states = q.reshape(-1, robot.dof)
    finite = states[np.isfinite(states).all(axis=1)]
    return surfaces_of(robot, (*robot.model.constraints, *(one.plane for one in contacts)), finite)


def _frames(trajectory: MotionData, fps: float, speed: float, every: Any, *, ucl: bool) -> tuple[MotionData, str]:
    """The states of the frames, and the text on the speed in the title."""
    speed = number("speed", speed, above=0.0, error=SettingError)
    if every is None and not ucl:
        first, last = float(trajectory.t[0]), float(trajectory.t[-1])
        times = np.append(resampled(trajectory, None, fps / speed).t, last)  # the last state is the last frame
        times = times if last - times[-2] > 1e-6 * (last - first) else times[:-1]
        return resampled(trajectory, times, None), "" if speed == 1.0 else f"speed \u00d7{speed:g}"
    if speed != 1.0:
        raise SettingError(f"both every and speed={speed:g} given; frames of every so many-th state last 1/fps each")
    step = whole_number("every", EVERY_UCL if every is None else every, least=1, error=SettingError)
    first = 1 if ucl and len(trajectory.t) > 1 else 0
    return trajectory.changed(lambda values: values[first::step], t=trajectory.t[first::step]), ""


def _indices(batch: tuple[int, ...], motions: Sequence[int] | None) -> tuple[tuple[int, ...], ...]:
    """The indices of the drawn motions of the batch."""
    count = int(np.prod(batch))
    if motions is None:
        if count > MOST_ARMS:
            raise SettingError(
                f"a batch of {count} motions; {MOST_ARMS} at most are drawn over each other. Choose by motions=[0, 1]"
            )
        motions = range(count)
    chosen = [
        whole_number("a number in motions", k, least=0, error=SettingError) for k in islice(motions, MOST_ARMS + 1)
    ]
    if not 0 < len(chosen) <= MOST_ARMS or max(chosen) >= count:
        raise SettingError(f"motions={motions!r}; expected one to {MOST_ARMS} numbers below {count}")
    return tuple(tuple(map(int, np.unravel_index(k, batch))) if batch else () for k in chosen)


def _of(trajectory: MotionData, indices: Sequence[tuple[int, ...]], name: str) -> Array:
    """A quantity of some motions of the batch, shape (T, arms, ...)."""
    values: Array = getattr(trajectory, name)
    flat = values.reshape(len(values), -1, values.shape[-1])
    numbers = [int(np.ravel_multi_index(index, trajectory.batch)) if index else 0 for index in indices]
    return flat[:, numbers]


def _trace(
    trajectory: MotionData, robot: Robot, indices: Sequence[tuple[int, ...]], trace: bool | str
) -> FramePaths | None:
    """The paths of frames through the recorded states, or a subset if there are very many."""
    names = [robot.model.frame(trace).name] if isinstance(trace, str) else _ends(robot)
    if not isinstance(trace, str) and not switch("trace", trace, error=SettingError):
        return None
    thin = slice(None, None, -(-len(trajectory.t) // TRACE_POINTS))
    q = _of(trajectory, indices, "q")[thin]
    with np.errstate(all="ignore"):  # diverged motions are NaN
        points = [robot.forward_kinematics(q, frame=name)[..., :3, 3] for name in names]
    return FramePaths(tuple(names), trajectory.t[thin], np.stack(points, axis=2))


def _ends(robot: Robot) -> list[str]:
    """The tip, or, if there is none, the links without child links."""
    if robot.tip is not None:
        return [robot.tip]
    carriers = {joint.parent for joint in robot.model.joints}
    return [link for link in robot.link_names if link not in carriers]
