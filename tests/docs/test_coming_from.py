"""Every name in the tables of docs/coming_from.md exists, in the other library and here."""

import importlib
import re
from pathlib import Path

import numpy as np
import pytest

import armdyn

PAGE = (Path(__file__).parents[2] / "docs" / "coming_from.md").read_text(encoding="utf-8")
LIBRARIES = {"Pinocchio": "pinocchio", "MuJoCo": "mujoco", "Modern Robotics": "modern_robotics"}


def rows(title: str) -> list[tuple[str, str]]:
    """The first two columns of the table under a heading."""
    text = PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", text, re.MULTILINE)


TITLES = re.findall(r"^## (.*)$", PAGE, re.MULTILINE)


def test_every_library_has_a_table() -> None:
    assert {*TITLES} == {*LIBRARIES, "Robotics Toolbox for Python"}
    assert min(len(rows(title)) for title in TITLES) > 10


@pytest.mark.parametrize("title", LIBRARIES)
def test_names_of_the_other_library(title: str) -> None:
    library = importlib.import_module(LIBRARIES[title])
    missing = [there for there, _ in rows(title) if not hasattr(library, there)]
    assert not missing


@pytest.mark.parametrize("title", TITLES)
def test_names_of_armdyn(title: str) -> None:
    for _, here in rows(title):
        first, *rest = here.split(".")
        found = {"robot": armdyn.Robot, "armdyn": armdyn}[first]
        for part in rest:
            found = getattr(found, part)
        assert found.__doc__, here


def test_tables_of_the_book_and_the_drop_in_have_the_same_names() -> None:
    import armdyn.modern_robotics as mr

    assert all(hasattr(mr, there) for there, _ in rows("Modern Robotics"))


def test_what_the_tables_say_of_bias_forces_and_of_the_mass_matrix() -> None:
    """Friction is part of the bias forces here and not there; M is read from MuJoCo as the table says."""
    import mujoco
    import pinocchio

    robot = armdyn.load("ur5").with_friction(dict.fromkeys(armdyn.load("ur5").joint_names, (3.0, 5.0)))
    model = pinocchio.buildModelFromXML(robot.to_urdf())
    scene = mujoco.MjModel.from_xml_string(robot.without_friction().to_urdf())
    state = mujoco.MjData(scene)
    q, qd = np.random.default_rng(8).normal(size=(2, 6))
    state.qpos[:], state.qvel[:] = q, qd
    mujoco.mj_forward(scene, state)
    frictionless = robot.without_friction().bias_forces(q, qd)
    np.testing.assert_allclose(frictionless, pinocchio.nonLinearEffects(model, model.createData(), q, qd), rtol=1e-12)
    np.testing.assert_allclose(frictionless, state.qfrc_bias, rtol=1e-11, atol=1e-11)
    parts = robot.velocity_forces(q, qd) + robot.gravity_forces(q) + robot.friction_forces(q, qd)
    np.testing.assert_allclose(robot.bias_forces(q, qd), parts, rtol=1e-12)
    np.testing.assert_allclose(robot.friction_forces(q, qd), 3.0 * qd + 5.0 * np.sign(qd), rtol=1e-12)
    M = np.zeros((6, 6))
    mujoco.mj_fullM(scene, state, M)
    np.testing.assert_allclose(robot.mass_matrix(q), M, rtol=1e-11, atol=1e-12)
    assert hasattr(state, "M")
    assert not hasattr(state, "qM")
    for page in ("conventions", "coming_from"):
        text = (Path(__file__).parents[2] / "docs" / f"{page}.md").read_text(encoding="utf-8")
        rows = [line for line in text.splitlines() if "bias_forces" in line and "|" in line]
        assert all("tau_fric" in row for row in rows)
        assert rows
