"""Arms with flexible joints: rotors and springs for any robot, and the same as bodies and tendons of MuJoCo."""

import xml.etree.ElementTree as ET

import numpy as np

from armdyn import Robot
from armdyn.actuators import Actuator, FrictionLaw, Gear, Motor, Spring

WITHOUT_MASS = "1e-14"
"""What MuJoCo needs at least."""


def springs_for(
    robot: Robot, seed: int, *, damped: bool = False, stiffening: bool = True, soft: float = 1.0
) -> dict[str, Spring | None]:
    """A spring for about two joints of three, the first one included."""
    rng = np.random.default_rng(seed)
    springs: dict[str, Spring | None] = {}
    for k, name in enumerate(robot.joint_names):
        cubic = rng.uniform(1e3, 1e4) * stiffening * (k % 2)
        spring = Spring(soft * rng.uniform(200.0, 900.0), rng.uniform(0.5, 4.0) * damped, soft * cubic)
        springs[name] = None if k % 3 == 1 else spring
    return springs


def flexible(robot: Robot, springs: dict[str, Spring | None], *laws: FrictionLaw, seed: int = 3) -> Robot:
    """The robot with a geared rotor at every joint, behind these springs."""
    rng = np.random.default_rng(seed)
    drives = {
        name: Actuator(Motor(rng.uniform(1e-5, 6e-5)), Gear(100.0), laws or None, spring=spring)
        for name, spring in springs.items()
    }
    return robot.with_actuators(drives)


def with_rotors(mjcf: str, robot: Robot) -> str:
    """A MuJoCo description in which every spring of the robot is a tendon from the link's joint to a rotor's.

    A rotor is a body without mass of its own, carried by the link before the joint, with armature about the joint's
    axis: it turns about that axis and has no other inertia.
    """
    root = ET.fromstring(mjcf)
    tendons = ET.SubElement(root, "tendon")
    armatures = {joint.name: joint.armature for joint in robot.model.joints}
    springs = {joint.name: joint.actuator.spring for joint in robot.model.joints}
    for carrier in list(root.iter()):
        for body in carrier.findall("body"):
            joint = body.find("joint")
            if joint is None:
                continue
            name = joint.get("name")
            if springs[name] is None:
                joint.set("armature", repr(armatures[name]))
                continue
            assert springs[name].cubic == 0.0
            frame = {key: value for key, value in body.items() if key != "name"}
            rotor = ET.SubElement(carrier, "body", frame)
            own = {"name": f"rotor of {name}", "armature": repr(armatures[name])}
            ET.SubElement(rotor, "joint", {**joint.attrib, **own})
            tiny = " ".join([WITHOUT_MASS] * 3)
            ET.SubElement(rotor, "inertial", {"pos": "0 0 0", "mass": WITHOUT_MASS, "diaginertia": tiny})
            numbers = {"stiffness": springs[name].stiffness, "damping": springs[name].damping, "springlength": 0.0}
            tendon = ET.SubElement(tendons, "fixed", {key: repr(value) for key, value in numbers.items()})
            ET.SubElement(tendon, "joint", {"joint": own["name"], "coef": "1"})
            ET.SubElement(tendon, "joint", {"joint": name, "coef": "-1"})
    return ET.tostring(root, encoding="unicode")
