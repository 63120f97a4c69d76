"""Where llvmlite is not installed: every method works, by the interpreter, with the same numbers and one warning."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite")

METHODS = """
    import json, sys, warnings
    import numpy as np
    def numbers(result):
        if isinstance(result, tuple):
            return [number for one in result for number in numbers(one)]
        return np.ravel(np.asarray(result, float)).tolist()
    def compute():
        import armdyn
        from armdyn.algorithms import inverse_dynamics
        rng = np.random.default_rng(4)
        by_gravity = {"parameters": ["gravity"]}
        q, qd, qdd = rng.uniform(0.1, 1.0, (3, 5, 2))
        found = {}
        robot = armdyn.load("rp")
        derivative = robot.mass_matrix.derivative("q")
        found |= {what: numbers(result) for what, result in {
            "one state": robot.inverse_dynamics(q[0], qd[0], qdd[0]),
            "lists": robot.inverse_dynamics(q[0].tolist(), qd[0].tolist(), qdd[0].tolist()),
            "a batch": robot.inverse_dynamics(q, qd, qdd),
            "threads": robot.forward_dynamics(q, qd, qdd, workers=2),
            "broadcasting": robot.inverse_dynamics(q[:, None], qd, qdd[0]),
            "an option": robot.inverse_dynamics(q, qd, qdd, f_tip=np.arange(6.0)),
            "several results": robot.inverse_dynamics_derivatives(q, qd, qdd),
            "mass matrix": robot.mass_matrix(q),
            "poses": robot.forward_kinematics(q),
            "jacobian": robot.jacobian(q),
            "energy": robot.kinetic_energy(q, qd),
            "regressor": robot.regressor(q, qd, qdd),
            "derivative": derivative(q[0]),
            "rate": robot.mass_matrix.jvp("q")(q, tangent_q=qd),
            "into an array": robot.gravity_forces(q, out=np.empty((5, 2))),
            "a parameter": robot.compile(inverse_dynamics, **by_gravity)(q, qd, qdd, gravity=[0.0, 1.0, -9.0]),
        }.items()}
        solution = robot.inverse_kinematics(robot.forward_kinematics(q[0]), q[0] + 0.05)
        found["inverse kinematics"] = numbers(robot.forward_kinematics(solution.q))
        run = armdyn.simulate(armdyn.load("planar_2r"), [0.3, -0.2], [0.0, 0.1], duration=0.05)
        found["simulation"] = numbers(run.q[-1])
        return found
"""


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "always::RuntimeWarning", "-c", textwrap.dedent(METHODS) + textwrap.dedent(code)],
        capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "ARMDYN_CACHE_DIR": str(folder)},
    )  # fmt: skip


def computed(code: str, folder: Path) -> tuple[dict[str, Any], str]:
    done = run(textwrap.dedent(code) + "\nprint(json.dumps(compute()))", folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


WITHOUT = """
    class Refused:
        def find_spec(self, name, path=None, target=None):
            if name.split(".")[0] == "llvmlite":
                raise ModuleNotFoundError("No module named 'llvmlite'", name="llvmlite")
    sys.meta_path.insert(0, Refused())
"""


def test_methods_give_the_numbers_of_compiled_ones(tmp_path: Path) -> None:
    expected, _ = computed("", tmp_path)
    found, errors = computed(WITHOUT, tmp_path)
    assert found.keys() == expected.keys()
    for name, numbers in expected.items():
        np.testing.assert_allclose(found[name], numbers, rtol=1e-11, atol=1e-11, err_msg=name)
    assert errors.count("RuntimeWarning") == 1
    assert "llvmlite is not installed, so armdyn evaluates with NumPy, tens to hundreds of times slower." in errors
    assert "Install it with: pip install llvmlite" in errors


def test_importing_armdyn_and_floats_ask_for_no_compiler(tmp_path: Path) -> None:
    code = """
        import armdyn
        from armdyn.algorithms import mass_matrix
        from armdyn.program import interpret
        robot, q = armdyn.load("ur5"), np.linspace(-1.0, 1.0, 6)
        by_floats = mass_matrix(robot.mechanism, q)
        (by_nodes,) = interpret(robot.mass_matrix.program(), q)
        assert np.allclose(by_floats, by_nodes, rtol=1e-12)
        assert "llvmlite" not in sys.modules
    """
    done = run(textwrap.dedent(WITHOUT) + textwrap.dedent(code), tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
