"""Stiff motions by their methods' names, and what an error of a motion that runs away says; orders under friction."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

import armdyn
from armdyn.base.errors import UnknownName
from armdyn.simulation import Adaptive, SettingError, SimulationError, named_method
from armdyn.simulation.methods.catalogue import NAMES, STIFF
from armdyn.studies.motion import MotionSettings
from armdyn.studies.words import Words
from oracles.shell import Shell

HEAVY = armdyn.Inertia(2.0, [0.2, 0, 0], np.diag([3e-3, 3e-2, 3e-2]))
LIGHT = armdyn.Inertia(0.3, [0.0, 0.0, 0.0], np.diag([1e-4, 3e-4, 3e-4]))
PARTS = [
    armdyn.Part("upper", "base", joint="shoulder", axis=(0, 0, 1), inertia=HEAVY),
    armdyn.Part("hand", "upper", joint="wrist", axis=(1, 0, 0), xyz=(0.4, 0, 0), inertia=LIGHT),
]
ARM = armdyn.Robot.from_links(PARTS, name="stiff")  # each joint moves for itself: no gravity, a hand that is balanced
KP, KV, AIM = np.array([2000.0, 500.0]), np.array([100.0, 50.0]), np.array([0.5, 1.0])


def servo(t: float, q: Any, qd: Any) -> Any:
    """Position servos as MJCF means them."""
    return KP * (AIM - q) - KV * qd


def exact(t: float) -> np.ndarray:
    """q of the wrist: I qdd = kp (aim - q) - kv qd, by its exponential."""
    A = np.array([[0.0, 1.0], [-KP[1] / 1e-4, -KV[1] / 1e-4]])
    return AIM[1] + (expm(A * t) @ [-AIM[1], 0.0])[0]


@pytest.mark.parametrize("method", STIFF)
def test_stiff_servos_by_name(method: str) -> None:
    motion = armdyn.simulate(ARM, [0, 0], duration=0.2, torque=servo, method=method)
    np.testing.assert_allclose(motion.q[-1, 1], exact(0.2), rtol=1e-8)
    assert motion.statistics.evaluations < 20_000
    assert named_method(method, rtol=1e-6) == Adaptive(rtol=1e-6, scipy_method=STIFF[method])
    with pytest.raises(SettingError, match=f"method '{method}' has no step; it chooses its steps itself"):
        named_method(method, step=1e-3)


def test_what_runs_away_names_stiffness() -> None:
    with pytest.raises(SimulationError, match=r" 0.001 s, or method='adaptive'; method='radau' if the motion is stiff"):
        armdyn.simulate(ARM, [0, 0], duration=1.0, torque=servo, method="rk4")
    few = Adaptive(max_steps=50)
    with pytest.raises(SimulationError, match=r"larger rtol, or method='radau' if the motion is stiff: gains, dampers"):
        armdyn.simulate(ARM, [0, 0], duration=1.0, torque=servo, method=few)
    with pytest.raises(SimulationError, match=r"allow a larger rtol\. What"):
        armdyn.simulate(ARM, [0, 0], duration=1.0, torque=servo, method=Adaptive(max_steps=5, scipy_method="Radau"))


def test_names_of_scipy_are_answered() -> None:
    for name in ("RK45", "RK23", "DOP853"):
        with pytest.raises(UnknownName, match=rf"it is a solver of SciPy.*Adaptive\(scipy_method='{name}'\)"):
            armdyn.simulate(ARM, [0, 0], duration=1.0, method=name)
    with pytest.raises(UnknownName, match="Did you mean 'radau'"):
        armdyn.simulate(ARM, [0, 0], duration=1.0, method="Radau")


def test_scenarios_and_the_command_line(tmp_path: Path, shell: Shell) -> None:
    """Viscous friction of 1000 N m s/rad makes a motion stiff."""
    (tmp_path / "arm.yaml").write_text(
        "robot: planar_2r\nqd0: [1, -1]\nduration: 0.1\nmethod: radau\nmethod.rtol: 1e-8\n"
        "inputs: {joint_1.damping: 1000, joint_2.damping: 1000}\n"
    )
    words = Words.read(tmp_path / "arm.yaml")
    motion = MotionSettings.of(words, words.robot())
    assert motion.settings["method"] == Adaptive(rtol=1e-8, scipy_method="Radau")
    assert motion.simulate().statistics.method.startswith("Radau, rtol 1e-08")
    said = shell("simulate", str(tmp_path / "arm.yaml"), "--method", "lsoda", "--json")
    assert said.code == 0, said.err
    assert '"LSODA, rtol 1e-08, atol 1e-10"' in said.out
    said = shell("simulate", "planar_2r", "--method", "bdf", "--set", "method.step=1e-3")
    assert "--set method.step: method 'bdf' has no step" in said.err
    assert list(NAMES)[-1] == "taylor"


def test_orders_with_coulomb_friction() -> None:
    """Runge-Kutta keeps its order through joints that stop; abm4 and the variational method have none."""
    dry = armdyn.load("planar_2r").with_friction({"joint_1": (0.5, 3.0), "joint_2": (0.5, 2.0)})
    motion: dict[str, Any] = {"qd0": [2.0, -1.0], "duration": 0.5}
    motion["torque"] = lambda t, q, qd: np.array([6 * np.sin(3 * t), 3 * np.cos(5 * t)])
    true = armdyn.simulate(dry, [0.3, -0.5], **motion)
    assert len(true.events) > 3

    def error(method: str, step: float) -> float:
        found = armdyn.simulate(dry, [0.3, -0.5], method=named_method(method, step=step), **motion)
        return float(abs(found.q[-1] - true.q[-1]).max())

    assert error("rk4", 4e-3) / error("rk4", 2e-3) > 10.0  # fourth order would be 16
    for method in ("abm4", "variational"):
        assert error(method, 2e-3) > 1e4 * error("rk4", 2e-3)
        assert error(method, 4e-3) / error(method, 1e-3) < 16.0  # first order would be 4, second 16
