"""Robots whose joints have motors or rub: Pinocchio answers with rotors as links of their own, and friction added."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pinocchio as pin

import armdyn
from armdyn import algorithms
from armdyn.actuators import Actuator, GearLoss, Quadratic
from mutation.known import Known
from mutation.question import Question
from oracles.cases import Case
from oracles.geared import Geared
from oracles.states import random_states
from oracles.trees import random_tree, to_armdyn, to_pinocchio

Answer = tuple[str, dict[str, Any], list[Any], Any]
REGRESSORS = ("regressor", "momentum_regressor", "lagrangian_gradient_regressor", "kinetic_energy_regressor",
              "potential_energy_regressor")  # fmt: skip
TREE = 29
ON_A_SLIDE = 202
"""The seed of a chain whose first joint slides and carries one that turns."""


def driven_robots(robots: dict[str, Known]) -> dict[str, tuple[armdyn.Robot, list[Answer]]]:
    """Each with what is asked of it, in two states."""
    of_rotors, bare = Geared(TREE), robots["random_tree"]
    rubbing, friction = _rubbing(bare.robot)
    turning, its_friction = _rubbing(of_rotors.robot)
    laws = {joint: Actuator(friction=[Quadratic(0.3 + 0.1 * k)]) for k, joint in enumerate(bare.robot.joint_names)}
    lossy = {joint: Actuator(friction=[GearLoss(0.8, 0.6)]) for joint in bare.robot.joint_names}
    quadratic = np.array([law.friction[0].coefficient for law in laws.values()])
    found: dict[str, tuple[armdyn.Robot, list[Answer]]] = {}
    for name, robot, other, rub in (
        ("with rotors", of_rotors.robot, of_rotors, _none),
        ("rotors that rub", turning, of_rotors, its_friction),
        ("rubbing", rubbing, bare, friction),
        ("rubbing by laws", bare.robot.with_actuators(laws), bare, lambda qd: (quadratic * abs(qd) * qd,
                                                                              2.0 * quadratic * abs(qd))),
    ):  # fmt: skip
        asked = [a for s in _states(robot.dof) for a in _of_dynamics(other, rub, *s)]
        found[name] = robot, asked
    planar, in_plane = _rubbing(robots["planar_2r"].robot)
    found["rubbing in a plane"] = (
        planar,
        [a for s in _states(2) for a in _of_dynamics(robots["planar_2r"], in_plane, *s)],
    )
    tree = random_tree(ON_A_SLIDE, 4, chain=True)
    case = Case(tree.name, armdyn.Robot(to_armdyn(tree)), to_pinocchio(tree))
    found["on a slide"] = case.robot, [a for s in _states(4) for a in _of_dynamics(Known.plain(case), _none, *s)]
    found["with rotors"][1].extend(a for s in _states(6) for a in _of_rotors(of_rotors, *s[:3]))
    found["lossy"] = bare.robot.with_actuators(lossy), [a for s in _states(bare.n) for a in _of_losses(bare, *s)]
    return found


def _states(n: int) -> Iterator[tuple[np.ndarray, ...]]:
    return zip(*random_states(n, 2, seed=151)[:4], strict=True)


def _none(qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros_like(qd), np.zeros_like(qd)


def _rubbing(robot: armdyn.Robot) -> tuple[armdyn.Robot, Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]]:
    """Damping and friction in all joints but one; the friction at velocities, and its slope."""
    rng = np.random.default_rng(152)
    damping, dry = rng.uniform(0.5, 5.0, (2, robot.dof))
    damping[1] = dry[1] = 0.0
    robot = robot.with_friction(dict(zip(robot.joint_names, zip(damping, dry, strict=True), strict=True)))
    return robot, lambda qd: (damping * qd + dry * np.sign(qd), damping)


def _derivatives(other: Any, q, qd, qdd) -> list[np.ndarray]:
    if isinstance(other, Geared):
        return other.derivatives(q, qd, qdd)
    x, v = other.at(q, qd)
    by_q, by_qd, _ = pin.computeRNEADerivatives(other.case.pin, other.case.data, x, v, other.case.to_pin(qdd))
    return [other.matrix(by_q), other.matrix(by_qd), other.mass_matrix(q)]


def _of_dynamics(other: Any, rub: Callable[..., Any], q, qd, qdd, tau) -> Iterator[Answer]:
    """Friction acts beside the bare body's forces."""
    zero, (friction, slope) = np.zeros(len(q)), rub(qd)
    M, bias = other.mass_matrix(q), other.inverse_dynamics(q, qd, zero)
    yield "inverse_dynamics", {}, [q, qd, qdd], other.inverse_dynamics(q, qd, qdd) + friction
    yield "bias_forces", {}, [q, qd], bias + friction
    yield "gravity_forces", {}, [q], other.inverse_dynamics(q, zero, zero)
    yield "mass_matrix", {}, [q], M
    yield "inverse_mass_matrix", {}, [q], np.linalg.inv(M)
    moved = np.linalg.solve(M, tau - friction - bias)
    yield "forward_dynamics", {}, [q, qd, tau], moved
    for method in ("articulated", "mass_matrix"):
        yield "forward_dynamics", {"method": method}, [q, qd, tau], moved
    by_q, by_qd, by_qdd = _derivatives(other, q, qd, qdd)
    yield "inverse_dynamics_derivatives", {}, [q, qd, qdd], (by_q, by_qd + np.diag(slope), by_qdd)
    by_q, by_qd, _ = _derivatives(other, q, qd, moved)
    slopes = (-np.linalg.solve(M, by_q), -np.linalg.solve(M, by_qd + np.diag(slope)), np.linalg.inv(M))
    yield "forward_dynamics_derivatives", {}, [q, qd, tau], slopes


def _of_losses(bare: Known, q, qd, qdd, tau) -> Iterator[Answer]:
    """A motor gives load / efficiency where it drives, load times the other efficiency where it is driven."""
    load = bare.inverse_dynamics(q, qd, qdd)
    factor = np.where(load * qd > 0.0, 1.0 / 0.8, 0.6)
    yield "inverse_dynamics", {}, [q, qd, qdd], factor * load
    slopes = tuple(factor[:, None] * matrix for matrix in _derivatives(bare, q, qd, qdd))
    yield "inverse_dynamics_derivatives", {}, [q, qd, qdd], slopes
    factor = np.where(tau * qd > 0.0, 1.0 / 0.8, 0.6)  # the load has the sign of tau
    M = bare.mass_matrix(q)
    moved = np.linalg.solve(M, tau / factor - bare.inverse_dynamics(q, qd, 0.0 * qd))
    yield "forward_dynamics", {}, [q, qd, tau], moved
    by_q, by_qd, _ = _derivatives(bare, q, qd, moved)
    answer = (-np.linalg.solve(M, by_q), -np.linalg.solve(M, by_qd), np.linalg.inv(M) / factor)
    yield "forward_dynamics_derivatives", {}, [q, qd, tau], answer


def _of_rotors(some: Geared, q, qd, qdd) -> Iterator[Answer]:
    """Energies, momenta, and the columns of the rotors' axial inertias."""
    yield "kinetic_energy", {}, [q, qd], np.array(some.energies(q, qd)[0])
    yield "mass_matrix_dot", {}, [q, qd], some.mass_matrix_dot(q, qd)
    yield "momentum", {"about": "base"}, [q, qd], some.momentum(q, qd)


def rubs(mechanism: Any) -> np.ndarray:
    """Whether friction counts at all, which simulations ask."""
    return np.array(float(mechanism.drive.has_friction))


def columns(mechanism: Any, function: str, *state: np.ndarray) -> np.ndarray:
    """The columns of the rotors in a regressor, and how many there are of all parameters."""
    found = np.asarray(getattr(algorithms, function)(mechanism, *state), dtype=float)
    return found[..., -len(mechanism.rotors) :]


def of_columns(name: str, seed: int = TREE) -> Iterator[Question]:
    """A column is what Pinocchio's answer gains by 1 kg m^2 about the rotor's axis."""
    some = Geared(seed)
    order = [rotor for joint in some.robot.model.joints for rotor, moved, _ in some.gears if moved == joint.name]
    for q, qd, qdd, _ in _states(6):
        gained = [_answers(some, _heavier(some.pin, rotor), q, qd, qdd) for rotor in order]
        bare = _answers(some, some.pin, q, qd, qdd)
        for function, state in zip(REGRESSORS, ([q, qd, qdd], [q, qd], [q, qd], [q, qd], [q]), strict=True):
            answer = np.stack([one[function] - bare[function] for one in gained], axis=-1)
            yield Question(name, "mutation.driven.columns", {}, [function, *state], answer)


def _heavier(model: pin.Model, rotor: str) -> pin.Model:
    heavier, joint = model.copy(), model.getJointId(rotor)
    inertia = model.inertias[joint]
    heavier.inertias[joint] = pin.Inertia(inertia.mass, inertia.lever, inertia.inertia + np.diag([0.0, 0.0, 1.0]))
    return heavier


def _answers(some: Geared, model: pin.Model, q, qd, qdd) -> dict[str, np.ndarray]:
    A, data, (x, v, a) = some.A, model.createData(), some.full_state(q, qd, qdd)
    M = pin.crba(model, data, x)
    M = np.triu(M) + np.triu(M, 1).T
    C = pin.computeCoriolisMatrix(model, model.createData(), x, v)
    return {
        "regressor": A.T @ pin.rnea(model, data, x, v, a),
        "momentum_regressor": A.T @ M @ v,
        "lagrangian_gradient_regressor": A.T @ (C.T @ v - pin.computeGeneralizedGravity(model, data, x)),
        "kinetic_energy_regressor": np.array(pin.computeKineticEnergy(model, data, x, v)),
        "potential_energy_regressor": np.array(pin.computePotentialEnergy(model, data, x)),
    }
