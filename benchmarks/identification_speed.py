"""Time to identify, in turns with peers: ``python -m benchmarks.identification_speed DATA [ROUNDS]``.

DATA has the folder ur10e with the seven training motions of `benchmarks.identification`. FIGAROH 1.0.2 fits the same
rows with the same columns (viscous and Coulomb friction, armature, offsets): regressor, base parameters by QR, weighted
least squares; its accelerations are given. ``mujoco.sysid`` fits armature and viscous friction of the same arm to a
synthetic motion, by rollouts. A peer that is not installed is left out; PYTHONPATH can name the packages
of another environment. One thread: set OMP_NUM_THREADS=1 and OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import numpy as np

import armdyn
from armdyn.identification import fitting
from armdyn.identification.design import Parameters
from armdyn.identification.factors import stack_factors
from armdyn.identification.friction_terms import terms_of
from armdyn.logs import Log
from benchmarks.identification import UR10E_COLUMNS, UR10E_GAINS, UR10E_TRAINING
from benchmarks.timing import interleaved, quiet

FRICTION = ("viscous", "coulomb", "offset")


def read(folder: Path, robot: armdyn.Robot) -> list[Log]:
    """The training motions."""
    paths = [path for path in sorted(folder.glob("*.csv")) if path.stem.endswith(UR10E_TRAINING)]
    return [armdyn.logs.read(path, robot, columns=UR10E_COLUMNS, gains=UR10E_GAINS) for path in paths]


def weighted_least_squares(logs: list[Log], robot: armdyn.Robot) -> np.ndarray:
    """Filters, base columns, QR, friction alone, and weighted least squares of the base parameters."""
    parameters = Parameters(robot, True, terms_of(FRICTION))
    settings = fitting.FitSettings(robust=False)
    regression = fitting._regression(logs, parameters, settings, np.zeros(robot.dof), robot)
    bodies = Parameters(robot, False, ()).standard.values
    _, deviations, factors = fitting._friction_alone(regression, bodies, settings, regression.factors())
    for _ in range(2):
        R, z = stack_factors(factors, parameters, 1.0 / deviations)
        reduced = np.linalg.lstsq(R, z, rcond=None)[0]
        deviations = regression.deviations(reduced)
    return np.asarray(reduced)


class Figaroh:
    """FIGAROH's regressor, base parameters and weighted least squares."""

    def __init__(self, path: Path, logs: list[Log]) -> None:
        import pinocchio
        from figaroh.identification.base_identification import BaseIdentification
        from figaroh.identification.parameter import add_standard_additional_parameters, get_standard_parameters

        model = pinocchio.buildModelFromUrdf(str(path))
        self.robot = SimpleNamespace(model=model, data=model.createData())
        self.q = np.concatenate([log.q for log in logs])
        self.qd = np.concatenate([log.qd for log in logs])
        self.qdd = np.concatenate([np.gradient(log.qd, log.t, axis=0) for log in logs])
        self.tau = np.concatenate([log.tau for log in logs])
        self.config = {
            "has_friction": True, "has_actuator_inertia": True, "has_joint_offset": True, "is_joint_torques": True,
            "is_external_wrench": False, "force_torque": None, "act_idxv": list(range(model.nv)),
            "active_joints": list(model.names[1:]), "fv": [0.0] * 6, "fs": [0.0] * 6, "Ia": [0.0] * 6,
            "ia": [0.0] * 6, "offset": [0.0] * 6, "off": [0.0] * 6, "act_Jid": list(range(1, model.njoints)),
        }  # fmt: skip
        self.standard = dict(get_standard_parameters(model, self.config))
        self.standard.update(add_standard_additional_parameters(model, self.config))
        self.base = type("OfRows", (BaseIdentification,), {"load_trajectory_data": lambda own, *_: None})

    def regressor(self) -> np.ndarray:
        """W of all rows."""
        from figaroh.tools.regressor import build_regressor_basic

        return np.asarray(build_regressor_basic(self.robot, self.q, self.qd, self.qdd, self.config))

    def solve(self, W: np.ndarray) -> np.ndarray:
        """Base parameters by QR, and weighted least squares."""
        own = object.__new__(self.base)
        vars(own).update(
            identif_config=self.config, standard_parameter=self.standard, dynamic_regressor=W,
            processed_data={"torques": self.tau}, _robot=self.robot,
        )  # fmt: skip
        reduced, active = own._eliminate_zero_columns(1e-6)
        tau, rows = own._prepare_undecimated_data(reduced)
        own._calculate_base_parameters(tau, rows, active)
        return np.asarray(own._apply_weighted_least_squares()[0])


def beside_figaroh(folder: Path, rounds: int) -> None:
    """Rows of the UR10e."""
    path = folder / "ur10e" / "ur10e.urdf"
    robot = armdyn.load(str(path))
    logs = read(folder / "ur10e", robot)
    functions: dict[str, Callable[[], Any]] = {
        "armdyn: read": lambda: read(folder / "ur10e", robot),
        "armdyn: filter, friction alone, weighted least squares": lambda: weighted_least_squares(logs, robot),
        "armdyn: identify, positive pseudo-inertias, load friction, intervals": lambda: armdyn.identify(robot, logs),
    }
    try:
        peer = Figaroh(path, logs)
    except ImportError as problem:
        print(f"FIGAROH is left out: {problem}")
    else:
        W = peer.regressor()
        functions |= {
            "FIGAROH 1.0.2: regressor": peer.regressor,
            "FIGAROH 1.0.2: base parameters, weighted least squares": lambda: peer.solve(W),
        }
    with quiet():
        found = {name: timing.median for name, timing in interleaved(functions, rounds).items()}
    print(f"UR10e, {len(logs)} logs, {sum(map(len, logs)):,} rows; medians of {rounds} turns, s")
    for name, seconds in found.items():
        print(f"  {name:70} {seconds:8.3f}")
    if len(found) > 3:
        reading, least, whole, regressor, solving = found.values()
        for ours, what in ((reading + least, "read + least squares"), (reading + whole, "read + identify")):
            print(f"  armdyn {what} / FIGAROH's base parameters and least squares: {ours / solving:.3f}")
            print(f"  armdyn {what} / FIGAROH with its regressor: {ours / (regressor + solving):.3f}")


SECONDS = 20.0
"""Of the synthetic motion for ``mujoco.sysid``, at 500 Hz: the length of a training motion."""

STEP = 0.002
"""Of the simulation, s."""

HELD = -0.5 * STEP
"""Torques held from a sample to the next one act half a step after their stamps, s."""

TRUE_ARMATURE, TRUE_DAMPING = 0.4, 8.0


class Sysid:
    """MuJoCo's identification of armature and viscous friction of each joint, by rollouts."""

    def __init__(self, robot: armdyn.Robot) -> None:
        import mujoco
        from mujoco import rollout, sysid

        if not hasattr(sysid, "optimize"):  # the module is there without its libraries, and empty
            raise ImportError("mujoco[sysid] is not installed")
        self.sysid = sysid
        with TemporaryDirectory() as place:
            robot.to_urdf(path := Path(place) / "arm.urdf")
            path.write_text(re.sub(r"<(visual|collision)\b.*?</\1>", "", path.read_text(), flags=re.DOTALL))
            spec = mujoco.MjSpec.from_file(str(path))
        spec.option.timestep, spec.option.disableflags = STEP, mujoco.mjtDisableBit.mjDSBL_CONTACT
        for joint in spec.joints:
            joint.armature, joint.damping, joint.frictionloss = TRUE_ARMATURE, [TRUE_DAMPING, 0.0, 0.0], 0.0
            spec.add_sensor(name=f"{joint.name}_pos", type=mujoco.mjtSensor.mjSENS_JOINTPOS,
                            objtype=mujoco.mjtObj.mjOBJ_JOINT, objname=joint.name)  # fmt: skip
            spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        model = spec.compile()
        data = mujoco.MjData(model)
        t = np.arange(int(SECONDS / model.opt.timestep)) * model.opt.timestep
        rng, n = np.random.default_rng(0), robot.dof
        tau = 12.0 * np.sin(np.outer(t, rng.uniform(2.0, 5.0, n)) + rng.uniform(0.0, 6.0, n)) * np.linspace(3.0, 0.3, n)
        start = sysid.create_initial_state(model, data.qpos, data.qvel, data.act)
        states, sensors = (np.squeeze(x, axis=0) for x in rollout.rollout(model, data, start, tau[:-1]))
        self.log = {"t": t, "q": np.vstack([data.qpos * 0.0, states[:, 1 : 1 + n]]), "tau": tau}
        self.log["qd"] = np.vstack([np.zeros(n), states[:, 1 + n : 1 + 2 * n]])
        measured = sysid.TimeSeries.from_names(states[:, 0], sensors, model)
        sequences = sysid.ModelSequences("arm", spec, "motion", start, sysid.TimeSeries(t, tau), measured)
        self.residual = sysid.build_residual_fn(models_sequences=[sequences], n_threads=1)
        self.names = [joint.name for joint in spec.joints]

    def fit(self) -> np.ndarray:
        """Armatures, then dampings."""
        parameters = self.sysid.ParameterDict()
        for name in self.names:
            for what, start, most in (("armature", 0.2, 2.0), ("damping", 4.0, 20.0)):
                parameters.add(self._parameter(name, what, start, most))
        with redirect_stdout(StringIO()):
            found, _ = self.sysid.optimize(initial_params=parameters, residual_fn=self.residual, verbose=False)
        return np.array([[found[f"{name}_{what}"].value[0] for name in self.names] for what in ("armature", "damping")])

    def _parameter(self, name: str, what: str, start: float, most: float) -> Any:
        def change(spec: Any, parameter: Any) -> None:
            value = float(parameter.value[0])
            setattr(spec.joint(name), what, value if what == "armature" else [value, 0.0, 0.0])

        parameter = self.sysid.Parameter(f"{name}_{what}", start, 1e-3, most, modifier=change)
        parameter.value[:] = start
        return parameter


def of_friction_alone(log: Log, robot: armdyn.Robot) -> np.ndarray:
    """Armature and viscous friction of each joint with the bodies as described."""
    parameters = Parameters(robot, True, terms_of(("viscous",)))
    settings = fitting.FitSettings(robust=False)
    delays = np.full(robot.dof, HELD)
    regression = fitting._regression([log], parameters, settings, delays, robot)
    bodies = Parameters(robot, False, ()).standard.values
    alone, _, _ = fitting._friction_alone(regression, bodies, settings, regression.factors())
    return np.asarray(alone[len(bodies) :].reshape(2, -1))


def beside_sysid(folder: Path, rounds: int) -> None:
    """Friction and armature of the same arm, of a synthetic motion."""
    robot = armdyn.load(str(folder / "ur10e" / "ur10e.urdf"))
    try:
        peer = Sysid(robot)
    except ImportError as problem:
        print(f"mujoco.sysid is left out: {problem}")
        return

    def ours() -> np.ndarray:
        return of_friction_alone(armdyn.logs.read(peer.log, robot), robot)

    with quiet():
        found = interleaved({"armdyn": ours, "mujoco.sysid": peer.fit}, rounds)
    print(f"UR10e, {SECONDS:g} s at 500 Hz, armature and viscous friction of {robot.dof} joints, s")
    for name, timing in found.items():
        print(f"  {name:30} {timing.median:8.3f}")
    # Euler's step, of the first order, moves a joint as one with the armature I + h D / 2
    for name, values, armature in (
        ("armdyn", ours(), TRUE_ARMATURE + 0.5 * STEP * TRUE_DAMPING), ("mujoco.sysid", peer.fit(), TRUE_ARMATURE)
    ):  # fmt: skip
        errors = np.abs(values / np.array([[armature], [TRUE_DAMPING]]) - 1.0).max(axis=1)
        print(f"  {name}: largest error of armature {errors[0]:.2g}, of viscous friction {errors[1]:.2g}")
    print(f"  armdyn / mujoco.sysid: {found['armdyn'].median / found['mujoco.sysid'].median:.4f}")


def main(folder: Path, rounds: int) -> None:
    beside_figaroh(folder, rounds)
    beside_sysid(folder, rounds)


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit("usage: python -m benchmarks.identification_speed DATA [ROUNDS]")
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else 3)
