"""Every row of the table of URDF words in docs/descriptions.md, by reading a file that has the word."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

import armdyn
from armdyn import Robot, Unsupported
from armdyn.formats.urdf import read_urdf_text
from formats.urdf_words import BALL, BUSHING, SPRING, TENDON, WORDS, Word
from oracles.states import assert_close

LIMIT = '<limit lower="-2" upper="2" effort="20" velocity="4"/>'


def lever(word: Word | None = None) -> str:
    """A lever of M = 0.06 kg m^2 on one joint, with the word in it."""
    robot, joint, link = ("", "", "") if word is None else (word.robot, word.joint, word.link)
    limit = "" if "<limit" in joint else LIMIT
    return f"""<robot name="lever" xmlns:drake="http://drake.mit.edu"> <link name="base"/>
  <link name="lever"> <inertial> <origin xyz="0.2 0 0"/> <mass value="1"/>
    <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/> </inertial> {link}</link>
  <joint name="turn" type="revolute"> <parent link="base"/> <child link="lever"/> <axis xyz="0 1 0"/> {limit}{joint}
  </joint> {robot}</robot>"""


def _limits(robot: Robot) -> tuple[float, ...]:
    limits = robot.model.joint("turn").limits
    return limits.lower, limits.upper, limits.velocity, limits.effort


QUANTITIES: dict[str, Callable[[Robot], object]] = {
    "M": lambda robot: robot.mass_matrix([0.3])[0, 0],
    "friction": lambda robot: robot.friction_forces([0.3], [1.0])[0],
    "limits": _limits,
    "coordinates": lambda robot: robot.joint_names,
    "gravity": lambda robot: tuple(robot.gravity),
    "ratio": lambda robot: robot.model.joint("turn").actuator.gear_ratio,  # type: ignore[union-attr]
    "rows": lambda robot: (
        len(robot.constraint_rows()) if callable(robot.constraint_rows) else len(robot.constraint_rows)
    ),
}


def of(outcome: str) -> list[Word]:
    return [word for word in WORDS if word.outcome == outcome]


def name(word: Word) -> str:
    return re.sub(r"\W+", "_", word.word).strip("_")[:50]


@pytest.mark.parametrize("word", of("counted"), ids=name)
def test_counted(word: Word) -> None:
    quantity, value = word.proof
    options = {"base": "base"} if quantity == "gravity" else {}
    robot = Robot(read_urdf_text(lever(word), "arm.urdf", **options))  # type: ignore[arg-type]
    measured = QUANTITIES[str(quantity)](robot)
    if isinstance(value, float) or quantity == "gravity":
        assert_close(np.array(measured), np.array(value))
    else:
        assert measured == value


@pytest.mark.parametrize("word", of("Unsupported"), ids=name)
def test_unsupported(word: Word) -> None:
    with pytest.raises(Unsupported, match=r"arm\.urdf:\d+") as error:
        read_urdf_text(lever(word), "arm.urdf")
    assert str(word.proof) in str(error.value)
    if "joint 'free'" in str(word.proof):
        return  # a tree without that joint is another one
    with pytest.warns(armdyn.DescriptionWarning, match="it is passed over"):
        model = read_urdf_text(lever(word), "arm.urdf", problems="warn")
    assert any(str(word.proof) in note and "it is passed over" in note for note in model.notes)
    if len(model.joints) == 1:
        assert_close(Robot(model).mass_matrix([0.3]), np.array([[0.06]]))


@pytest.mark.parametrize("word", of("note"), ids=name)
def test_note(word: Word) -> None:
    model = read_urdf_text(lever(word), "arm.urdf")
    assert any(note.startswith(str(word.proof)) for note in model.notes), model.notes
    if len(model.joints) == 1:
        assert_close(Robot(model).inverse_dynamics([0.3], [0.5], [0.7]), bare([0.3], [0.5], [0.7]))


def bare(*state: list[float]) -> np.ndarray:
    return Robot(read_urdf_text(lever())).inverse_dynamics(*state)


def test_the_documentation_has_the_same_rows() -> None:
    page = (Path(__file__).parents[2] / "docs" / "descriptions.md").read_text(encoding="utf-8")
    _, table = page.split("| word of URDF | obeyed by | armdyn |\n|---|---|---|\n")
    assert table.split("\n\n")[0].splitlines() == [word.row for word in WORDS]


def test_words_that_act_on_nothing_that_is_read_are_notes() -> None:
    spring = next(word for word in WORDS if "<springStiffness>" in word.word)
    more = (
        '<link name="more"/><joint name="up" type="continuous"><parent link="lever"/><child link="more"/>'
        '<axis xyz="0 1 0"/></joint></robot>'
    )
    text = lever(spring).replace("</robot>", more)
    locked = read_urdf_text(text, locked={"turn": 0.1})
    part = read_urdf_text(text, base="lever")
    for model in (locked, part):
        assert "<springStiffness> of <gazebo> is not used: 'turn'" in model.notes


def test_several_words_are_one_error() -> None:
    words = [word for word in WORDS if word.outcome == "Unsupported" and "joint 'free'" not in str(word.proof)][:4]
    text = lever().replace("</robot>", "".join(word.robot for word in words) + "</robot>")
    count = sum(1 for word in words if word.robot)
    with pytest.raises(Unsupported) as error:
        read_urdf_text(text)
    assert len(str(error.value).splitlines()) == count


@pytest.mark.parametrize(
    ("drive", "armature", "problem"),
    [
        ("<motorInertia>1e-4</motorInertia><mechanicalReduction>50</mechanicalReduction>", 0.25, ""),
        (
            "<motorInertia>1e-4</motorInertia><mechanicalReduction>50</mechanicalReduction>",
            0.3,
            "armature 0.3, and what",
        ),
        ('<motorInertia>1e-4</motorInertia><drake:rotor_inertia value="1e-4"/>', None, ""),
        ('<motorInertia>1e-4</motorInertia><drake:rotor_inertia value="2e-4"/>', None, "two inertias of one rotor"),
        ("<motorInertia>-1</motorInertia>", None, "not below zero"),
        ("<motorInertia>heavy</motorInertia>", None, "expected a number"),
    ],
)
def test_one_inertia_stated_twice(drive: str, armature: float | None, problem: str) -> None:
    motor = next(word for word in WORDS if word.word.startswith("`<motorInertia>` in"))
    start = motor.robot.index('<actuator name="m">') + len('<actuator name="m">')
    robot = motor.robot[:start] + drive + motor.robot[motor.robot.index("</actuator>") :]
    joint = "" if armature is None else f'<dynamics armature="{armature}"/>'
    text = lever(Word("", "", "counted", "", "", robot=robot, joint=joint))
    if problem:
        with pytest.raises(armdyn.ModelError, match=problem):
            read_urdf_text(text)
    else:
        G = 50.0 if "Reduction" in drive else 1.0
        assert_close(Robot(read_urdf_text(text)).mass_matrix([0.0]), np.array([[0.06 + G**2 * 1e-4]]))


def plant_of(text: str) -> MultibodyPlant:
    plant = MultibodyPlant(1e-3)
    Parser(plant).AddModelsFromString(text, "urdf")
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"))
    return plant


def test_drake_obeys_its_words() -> None:
    """So that the table's second column is true; gear and rotor stand in tests/formats/test_urdf_transmissions.py."""

    def counts(robot: str) -> tuple[int, int]:
        plant = plant_of(lever(Word("", "", "counted", "", "", robot=robot)))
        return plant.num_force_elements(), plant.num_constraints()

    forces, constraints = counts("")
    assert counts(BUSHING) == (forces + 1, constraints)
    assert counts(SPRING) == (forces + 1, constraints)
    assert counts(TENDON) == (forces, constraints + 1)
    assert counts(BALL) == (forces, constraints + 1)


def test_a_ball_constraint_of_drake_is_that_of_armdyn() -> None:
    """Residual of the points P and Q, and the file written again."""
    robot = Robot(read_urdf_text(lever(Word("", "", "counted", "", "", robot=BALL))))
    q = np.array([0.4, -1.1])
    (constraint,) = robot.model.constraints
    T = robot.link_poses(q)[robot.link_names.index("finger")]
    apart = T @ [0.2, 0, 0, 1] - [0.2, 0, 0.1, 1]
    assert_close(np.linalg.norm(robot.constraint_error(q)), np.linalg.norm(apart))
    assert constraint.name == "ball_constraint_1"
    assert Robot(read_urdf_text(robot.to_urdf())) == robot
