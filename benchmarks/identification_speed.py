"""Time to identify, in turns with peers: ``python -m benchmarks.identification_speed DATA [ROUNDS]``.

DATA has the folder ur10e with the seven training motions of `benchmarks.identification`. FIGAROH 1.0.2 fits the same
rows with the same columns (viscous and Coulomb friction, armature, offsets): regressor, base parameters by QR, weighted
least squares; its accelerations are given. A peer that is not installed is left out; PYTHONPATH can name the packages
of another environment. One thread: set OMP_NUM_THREADS=1 and OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import armdyn
from armdyn.identification import fitting
from armdyn.identification.design import Parameters
from armdyn.identification.factors import stacked
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
    settings = fitting.Settings(robust=False)
    regression = fitting._regression(logs, parameters, settings, np.zeros(robot.dof), robot)
    bodies = Parameters(robot, False, ()).standard.values
    _, deviations, factors = fitting._friction_alone(regression, bodies, settings, regression.factors())
    for _ in range(2):
        R, z = stacked(factors, parameters, 1.0 / deviations)
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


def main(folder: Path, rounds: int) -> None:
    beside_figaroh(folder, rounds)


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit("usage: python -m benchmarks.identification_speed DATA [ROUNDS]")
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else 3)
