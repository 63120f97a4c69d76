"""How far the energy of a free motion drifts: fixed-step integrators of armdyn, MuJoCo and Drake at the same step.

A UR5 and a double pendulum of two rods fall from the same state, without damping, limits, contacts or actuators, so
that their energy is constant. Every library reads the same URDF file; Pinocchio computes the energy of all states.
The double pendulum is also let go from several positions for 100 s: what looks harmless in 10 s may grow.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from benchmarks.cases import Case, make_case
from benchmarks.states import Array

DURATION, EARLY, STEP, EVERY = 10.0, 1.0, 1e-3, 10
SAME_MOTION = 1e-7
"""States of the most exact integrator of each library, after 0.1 s, relative to the largest number."""

OWN = ("euler", "constant_acceleration", "semi_implicit_euler", "heun", "variational", "rk4", "abm4")
MUJOCO = {
    "Euler": "mjINT_EULER",
    "implicitfast": "mjINT_IMPLICITFAST",
    "implicit": "mjINT_IMPLICIT",
    "RK4": "mjINT_RK4",
}
DRAKE = (
    "explicit_euler",
    "semi_explicit_euler",
    "implicit_euler",
    "runge_kutta2",
    "runge_kutta3",
    "radau3",
    "runge_kutta5",
)
LONG, STARTS = 100.0, 15
"""s, and the number of positions from which the double pendulum is let go at rest, its upper rod level or above."""

MOST_EXACT = {"armdyn": "rk4", "MuJoCo": "RK4", "Drake": "runge_kutta5"}


@dataclass(frozen=True)
class EnergyDrift:
    """Largest change of the energy in the first second and in all, relative to the kinetic energy that was reached."""

    robot: str
    library: str
    integrator: str
    step: float
    early: float
    whole: float


@dataclass(frozen=True)
class LongDrift:
    """Energy that a double pendulum gains in `LONG` s, J: the median and the largest over all starts, inf after NaN."""

    library: str
    integrator: str
    step: float
    median: float
    most: float


def long_drifts(folder: Path) -> Iterator[LongDrift]:
    """The double pendulum by each integrator of armdyn and MuJoCo that keeps its energy within 10 s."""
    case = _double_pendulum(folder)
    judge, starts = _Judge(case), np.stack([np.linspace(1.6, 3.0, STARTS), np.full(STARTS, 0.5)], axis=-1)
    for library, integrator, run in _integrators(case, LONG):
        if library == "Drake" or integrator in ("euler", "constant_acceleration"):
            continue
        gained = []
        for q in starts:
            with np.errstate(all="ignore"):
                states = run(q, np.zeros(2))
            energy = judge.energy(*states)
            change = energy - energy[0]
            gained.append(float(change.max()) if np.isfinite(change).all() else np.inf)
        yield LongDrift(library, integrator, STEP, float(np.median(gained)), float(np.max(gained)))


def energy_drifts(folder: Path) -> Iterator[EnergyDrift]:
    """Each robot by each integrator of the libraries that are installed."""
    for case in (_freed(make_case("ur5", folder)), _double_pendulum(folder)):
        q, qd = np.random.default_rng(7).uniform(-1.0, 1.0, (2, case.size))
        judge = _Judge(case)
        exact = _own(case, q, qd, "adaptive")
        scale = np.ptp(judge.kinetic(*exact))
        for library, integrator, run in _integrators(case):
            states = run(q, qd)
            if MOST_EXACT[library] == integrator:
                _refuse_other_motion(case, library, states, exact)
            drift = np.abs(judge.energy(*states) - judge.energy(q, qd)) / scale
            early = drift[: round(EARLY / DURATION * (len(drift) - 1)) + 1]
            yield EnergyDrift(case.name, library, integrator, STEP, float(early.max()), float(drift.max()))


Run = Callable[[Array, Array], tuple[Array, Array]]
"""q and qd over time, (times, n) each, from those at the start."""


def _integrators(case: Case, duration: float = DURATION) -> Iterator[tuple[str, str, Run]]:
    for method in OWN:
        yield "armdyn", method, lambda q, qd, method=method: _own(case, q, qd, method, duration)
    if importlib.util.find_spec("mujoco"):
        for name, flag in MUJOCO.items():
            yield "MuJoCo", name, lambda q, qd, flag=flag: _by_mujoco(case, q, qd, flag, duration)
    if importlib.util.find_spec("pydrake"):
        yield "Drake", "discrete plant", lambda q, qd: _by_drake(case, q, qd, None)
        for scheme in DRAKE:
            yield "Drake", scheme, lambda q, qd, scheme=scheme: _by_drake(case, q, qd, scheme)


def _refuse_other_motion(case: Case, library: str, states: tuple[Array, Array], exact: tuple[Array, Array]) -> None:
    row = round(0.1 / (STEP * EVERY))
    found, expected = (np.concatenate([values[row] for values in both]) for both in (states, exact))
    away = np.abs(found - expected).max() / np.abs(expected).max()
    if not away < SAME_MOTION:
        raise RuntimeError(f"{case.name}: {library}'s motion is {away:.1e} away after 0.1 s; it is not of the same arm")


# The robots.


def _freed(case: Case) -> Case:
    """The bare moving parts: no shapes, no limits, which Drake's discrete plant would enforce."""
    root = ElementTree.fromstring(case.urdf.read_text())
    for link in root.iter("link"):
        for tag in ("visual", "collision"):
            for element in link.findall(tag):
                link.remove(element)
    for joint in root.findall("joint"):
        if joint.get("type") == "revolute":
            joint.set("type", "continuous")
        for element in joint.findall("limit"):
            joint.remove(element)
    path = case.urdf.with_name(f"{case.name}_free.urdf")
    path.write_text(ElementTree.tostring(root, encoding="unicode"))
    return Case(case.name, path, case.joint_names)


def _double_pendulum(folder: Path) -> Case:
    """Two rods, each of 1 kg and 1 m, about horizontal axes."""
    links = [
        f'<link name="link_{k}"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>'
        f'<inertia ixx="{1 / 12}" ixy="0" ixz="0" iyy="{1 / 12}" iyz="0" izz="1e-3"/></inertial></link>'
        for k in (1, 2)
    ]
    joints = [
        f'<joint name="joint_{k}" type="continuous"><parent link="{parent}"/><child link="link_{k}"/>'
        f'<origin xyz="0 0 {z}"/><axis xyz="0 1 0"/></joint>'
        for k, parent, z in ((1, "base", 0), (2, "link_1", -1))
    ]
    path = folder / "double_pendulum.urdf"
    path.write_text(f'<robot name="double_pendulum"><link name="base"/>{"".join([*links, *joints])}</robot>')
    return Case("double_pendulum", path, ("joint_1", "joint_2"))


def _base(case: Case) -> str:
    """The link that is no joint's child."""
    root = ElementTree.fromstring(case.urdf.read_text())
    children = {child.get("link") for child in root.iter("child")}
    return next(str(link.get("name")) for link in root.findall("link") if link.get("name") not in children)


# The judge, and the libraries.


class _Judge:
    """Energies by Pinocchio."""

    def __init__(self, case: Case) -> None:
        import pinocchio

        # One number a joint: those of a continuous joint would be its cosine and sine.
        text = case.urdf.read_text().replace('type="continuous"', 'type="revolute"')
        text = text.replace("<axis", '<limit lower="-1e9" upper="1e9" velocity="1e9" effort="1e9"/><axis')
        self._pinocchio, self._model = pinocchio, pinocchio.buildModelFromXML(text)
        self._data = self._model.createData()
        self._order = [case.joint_names.index(name) for name in list(self._model.names)[1:]]

    def kinetic(self, q: Array, qd: Array) -> Array:
        """J, over time."""
        states = zip(q[..., self._order], qd[..., self._order], strict=True)
        return np.array([self._pinocchio.computeKineticEnergy(self._model, self._data, *state) for state in states])

    def energy(self, q: Array, qd: Array) -> Array:
        """Kinetic and potential, J, over time or of one state."""
        q = np.atleast_2d(q)
        potential = [self._pinocchio.computePotentialEnergy(self._model, self._data, one) for one in q[:, self._order]]
        return self.kinetic(q, np.atleast_2d(qd)) + np.array(potential)


def _own(case: Case, q: Array, qd: Array, method: str, duration: float = DURATION) -> tuple[Array, Array]:
    import armdyn

    robot = armdyn.Robot.from_urdf(case.urdf, check_inertia=False)
    chosen = method if method == "adaptive" else armdyn.simulation.named_method(method, step=STEP)
    motion = armdyn.simulate(
        robot, q, qd, duration=duration, method=chosen, save=armdyn.simulation.SaveAt(every=STEP * EVERY)
    )
    return motion.q, motion.qd


def _by_mujoco(case: Case, q: Array, qd: Array, integrator: str, duration: float = DURATION) -> tuple[Array, Array]:
    import mujoco

    from benchmarks.peers.mujoco_peer import MujocoPeer

    peer = MujocoPeer(case)
    peer.model.opt.timestep = STEP
    peer.model.opt.integrator = getattr(mujoco.mjtIntegrator, integrator)
    order = [case.joint_names.index(name) for name in peer.joint_names]
    data, back = mujoco.MjData(peer.model), np.argsort(order)
    data.qpos, data.qvel = q[order], qd[order]
    rows = [(q, qd)]
    for _ in range(round(duration / (STEP * EVERY))):
        mujoco.mj_step(peer.model, data, EVERY)
        rows.append((data.qpos[back], data.qvel[back]))
    return tuple(np.array(rows).swapaxes(0, 1))


def _by_drake(case: Case, q: Array, qd: Array, scheme: str | None) -> tuple[Array, Array]:
    """By the integrator of that name with steps of one length; None: the update of a discrete plant."""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator

    plant: Any = MultibodyPlant(STEP if scheme is None else 0.0)
    Parser(plant).AddModelsFromString(case.urdf.read_text(), "urdf")
    base = _base(case)
    if base != "world":
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(base))
    plant.Finalize()
    places = [plant.GetJointByName(name).velocity_start() for name in case.joint_names]
    simulator: Any = Simulator(plant)
    if scheme is not None:
        ResetIntegratorFromFlags(simulator, scheme, STEP).set_fixed_step_mode(True)
    context = simulator.get_mutable_context()
    start = np.empty((2, case.size))
    start[:, places] = q, qd
    plant.SetPositionsAndVelocities(context, start.ravel())
    simulator.Initialize()
    rows = [(q, qd)]
    for k in range(1, round(DURATION / (STEP * EVERY)) + 1):
        simulator.AdvanceTo(k * STEP * EVERY)
        rows.append((plant.GetPositions(context)[places], plant.GetVelocities(context)[places]))
    return tuple(np.array(rows).swapaxes(0, 1))
