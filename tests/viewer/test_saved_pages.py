"""The first picture of a saved page: the motion fills it, its joints are visible, and no message stays over it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.viewer.framing import camera_around
from armdyn.viewer.panels.camera import MARGIN

pytest.importorskip("viser")
msgspec, zstandard = pytest.importorskip("msgspec"), pytest.importorskip("zstandard")

FIELD = np.radians(75.0)


def picture(points: np.ndarray, position: Any, target: Any, up: Any) -> np.ndarray:
    """Coordinates of points in the picture of a pinhole camera, from -1 to 1 in a square, shape (k, 2)."""
    ahead = np.subtract(target, position)
    ahead = ahead / np.linalg.norm(ahead)
    right = np.cross(ahead, up) / np.linalg.norm(np.cross(ahead, up))
    axes = np.stack([right, np.cross(right, ahead), ahead])
    seen = (points - position) @ axes.T
    return seen[:, :2] / seen[:, 2:] / np.tan(FIELD / 2)


@pytest.mark.parametrize("seed", range(8))
def test_the_camera_is_the_nearest_that_has_all_points(seed: int) -> None:
    """Both ends of the longer side are at the margin, and neither the nearest nor the farthest point is beyond it."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(40, 3)) * rng.uniform(0.1, 3.0, size=3) + rng.normal(size=3)
    towards, up = np.linalg.qr(rng.normal(size=(3, 3)))[0][:, :2].T
    towards = (towards + 0.5 * up) / np.linalg.norm(towards + 0.5 * up)
    camera = camera_around(points, 0.0, up, towards, FIELD)
    seen = picture(points, *camera, up)
    assert np.abs(seen).max() == pytest.approx(1.0 / MARGIN, rel=1e-12)
    low, high = seen.min(axis=0), seen.max(axis=0)
    side = int(np.argmax(np.abs(seen).max(axis=0)))
    np.testing.assert_allclose([-low[side], high[side]], 1.0 / MARGIN, rtol=1e-12)
    balls = points + 0.3 * np.array([1.0, 0, 0])
    assert np.abs(picture(balls, *camera_around(points, 0.3, up, towards, FIELD), up)).max() < 1.0 / MARGIN


def messages(path: Path) -> Iterator[dict[str, Any]]:
    """The messages of a .viser file, in their order."""
    inner = zstandard.ZstdDecompressor().decompress(path.read_bytes()[8:])
    length = int.from_bytes(inner[:8], "little")
    for _, message in msgspec.msgpack.decode(inner[8 : 8 + length])["messages"]:
        yield message


@pytest.mark.parametrize("name", ["rp", "planar_2r", "ur5"])
def test_a_motion_fills_the_picture(tmp_path: Path, name: str) -> None:
    robot = armdyn.load(name)
    motion = armdyn.simulate(robot, np.linspace(0.3, 0.5, robot.dof), np.linspace(1.0, 1.5, robot.dof), duration=0.8)
    with motion.view(robot=robot, port=0, browser=False, quiet=True) as view:
        view.save(tmp_path / "fall.viser", fps=5.0)
        view.save(tmp_path / "fall.html", fps=5.0)
        length = view._robots[0].entry.arm.size
    camera = {each["type"]: each for each in messages(tmp_path / "fall.viser") if each["type"].startswith("SetCamera")}
    place, target = camera["SetCameraPositionMessage"]["position"], camera["SetCameraLookAtMessage"]["look_at"]
    up = camera["SetCameraUpDirectionMessage"]["position"]
    assert all(each["initial"] for each in camera.values())
    tips = robot.forward_kinematics(motion.q)[:, :3, 3]
    points = np.concatenate([tips, *robot.link_poses(motion.q)[..., :3, 3]])
    seen = picture(points, place, target, up)
    assert np.abs(seen).max() < 1.0
    assert np.ptp(seen, axis=0).max() > 1.4  # of 2
    if name == "rp":  # whose length is that at the end, not the one of q = 0
        assert length == pytest.approx(motion.q[-1, 1], rel=1e-12)
    page = (tmp_path / "fall.html").read_text()
    style = page.rindex("<style>", 0, page.index("armdyn-passes"))
    assert page.index("</style>", style) < page.index("</head>")
    assert "#webgl-software-rendering{animation:" in page[style:]
