"""Files of motions that play without a server: what their messages show is the robot, round after round."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import armdyn
from armdyn.viewer.film import film_of
from armdyn.viewer.playback import Playback
from armdyn.viewer.skeleton import rods

msgspec = pytest.importorskip("msgspec")
zstandard = pytest.importorskip("zstandard")
pytest.importorskip("viser")

FPS = 20.0


def contents(path: Path) -> dict[str, Any]:
    """What a file of viser holds, but for its arrays: two times a length and as much, the inner part packed."""
    raw = path.read_bytes()
    inner = zstandard.ZstdDecompressor().decompress(raw[8:], max_output_size=int.from_bytes(raw[:8], "little"))
    found: dict[str, Any] = msgspec.msgpack.decode(inner[8 : 8 + int.from_bytes(inner[:8], "little")])
    return found


class Player:
    """What a player of the messages shows: poses, and which nodes are seen."""

    def __init__(self) -> None:
        self.made: dict[str, Any] = {}
        self.wxyz: dict[str, Any] = {}
        self.position: dict[str, Any] = {}
        self.visible: dict[str, bool] = {}

    def take(self, message: dict[str, Any]) -> None:
        name = message.get("name")
        if "props" in message:
            self.made[name] = message["props"]
        elif message["type"] == "SetOrientationMessage":
            self.wxyz[name] = message["wxyz"]
        elif message["type"] == "SetPositionMessage":
            self.position[name] = message["position"]
        elif message["type"] == "SetSceneNodeVisibilityMessage":
            assert name in self.made
            self.visible[name] = message["visible"]
        else:
            assert message["type"] != "SceneNodeUpdateMessage"

    def pose(self, name: str) -> Any:
        w, x, y, z = self.wxyz.get(name, (1.0, 0.0, 0.0, 0.0))
        T = np.eye(4)
        T[:3, :3] = Rotation.from_quat([x, y, z, w]).as_matrix()
        T[:3, 3] = self.position.get(name, np.zeros(3))
        return T

    def ends(self, rod: str) -> Any:
        """Of the rods that are seen of one: the first and the last point, m."""
        seen = [name for name in self.made if name.split(",")[0] == rod and self.visible[name]]
        points = []
        for name in seen:
            T, length = self.pose(name), np.broadcast_to(self.made[name]["scale"], 3)[2]
            points += [T[:3, 3], T[:3, 3] + length * T[:3, 2]]
        if len(seen) == 2:
            (a, b, c, d), along = points, points[3] - points[0]
            assert (c - b) @ along <= 1e-6  # they overlap, or meet
            return np.array([a, d])
        return np.array(points)


@pytest.mark.parametrize(("name", "q0", "qd0"), [("rp", [0.3, 0.5], [1.0, 1.5]), ("planar_2r", [0.3, 0.4], [0, 0])])
def test_each_picture_shows_the_robot(tmp_path: Path, name: str, q0: Any, qd0: Any) -> None:
    """Also where a rod becomes longer, and nothing changes that a player forgets."""
    robot = armdyn.load(name)
    fall = armdyn.simulate(robot, q0, qd0, duration=0.93)
    with fall.view(robot=robot, port=0, browser=False, quiet=True) as viewer:
        viewer._robots[0].arm._tip_solid.scale = (0.1, 0.2, 0.3)  # as one that was looked at before
        viewer.save(tmp_path / "fall.viser", fps=FPS)
    found = contents(tmp_path / "fall.viser")
    times = Playback(0.0, 0.93).times(FPS)
    assert times[-1] == 0.93
    assert found["durationSeconds"] == pytest.approx(len(times) / FPS)
    player, messages = Player(), found["messages"]
    for k, t in enumerate(times):
        for at, message in messages:
            if (k - 0.5) / FPS <= at < (k + 0.5) / FPS:
                player.take(message)
        q = np.array([np.interp(t, fall.t, column) for column in fall.q.T])
        for j, (link, T) in enumerate(zip(robot.link_names, robot.link_poses(q), strict=True)):
            np.testing.assert_allclose(player.pose(f"/{name}/{j} {link}"), T, rtol=0, atol=1e-6)
        np.testing.assert_allclose(player.pose(f"/{name}/tip"), robot.forward_kinematics(q), rtol=0, atol=1e-6)
        for j, ends in enumerate(rods(robot, q)):
            shown = player.ends(f"/{name}/rod {j}")
            np.testing.assert_allclose(shown, ends, rtol=0, atol=1e-5)


def test_what_cannot_be_stretched_is_left_out_and_short_rods_are_hidden() -> None:
    made = [{"type": "IcosphereMessage", "name": name, "props": {"scale": [1, 1, 1]}} for name in ("/rod", "/ball")]
    update = {"type": "SceneNodeUpdateMessage", "name": "/rod"}
    film = film_of(
        [
            *((0.0, message) for message in made),
            (0.1, {**update, "updates": {"scale": [1.0, 1.0, 1e-9]}}),
            (0.1, {**update, "name": "/ball", "updates": {"scale": [2.0, 1.0, 1.0]}}),
            (0.2, {**update, "updates": {"scale": [1.0, 1.0, 0.3]}}),
        ]
    )
    player = Player()
    seen = []
    for at in (0.0, 0.1, 0.2):
        for t, message in film:
            if t == at:
                player.take(message)
        seen.append(len(player.ends("/rod")))
    assert seen == [2, 0, 2]
    assert not any(name.startswith("/ball") for name in player.made)
    assert film_of([]) == []
