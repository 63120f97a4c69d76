"""Arguments that other programs have are answered with what to do here."""

import inspect
import pickle
import warnings

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import UnknownName

ROBOT = armdyn.load("planar_2r")


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        ({"dt": 1e-3}, r"no argument 'dt'; .* method=armdyn.simulation.RungeKutta4\(step=1e-3\)"),
        ({"t_span": (0, 1)}, r"no argument 't_span'; a motion goes from t = 0 to duration=, s"),
        ({"t_eval": [0.0]}, r"no argument 't_eval'; save=armdyn.simulation.SaveAt\(times=...\), s, chooses"),
        ({"policy": armdyn.control.pid}, "'policy'; a declared controller is controller="),
        ({"tau": [1.0, 1.0]}, "joint forces are torque="),
        ({"gravity": (0, 0, 0)}, r"robot\.with_gravity"),
        ({"save_every": 0.1}, r"no argument 'save_every'; .* save=armdyn.simulation.SaveAt\(every=0.01\)"),
        ({"elemnts": []}, "no argument 'elemnts'; did you mean 'elements'"),
    ],
)
def test_simulate(given: dict[str, object], answer: str) -> None:
    with pytest.raises(TypeError, match=answer):
        armdyn.simulate(ROBOT, [0, 0], duration=1.0, **given)  # type: ignore[arg-type]


def test_controllers_by_name() -> None:
    with pytest.raises(
        armdyn.TraceError, match=r"'pd_gravity' is text.* expected a function.* armdyn\.control\.pd_gravity$"
    ):
        armdyn.simulate(ROBOT, [0, 0], duration=1.0, controller="pd_gravity")  # type: ignore[arg-type]


def test_algorithms_take_a_robot_and_refuse_a_model() -> None:
    q = [0.3, 0.4]
    np.testing.assert_array_equal(
        armdyn.algorithms.mass_matrix(ROBOT, q), armdyn.algorithms.mass_matrix(ROBOT.mechanism, q)
    )
    with pytest.raises(armdyn.TraceError, match=r"mass_matrix of Model; expected a robot, or robot\.mechanism"):
        armdyn.algorithms.mass_matrix(ROBOT.model, q)


def test_a_reference_over_time_that_counts_as_a_batch() -> None:
    rows = np.zeros((11, 2))
    loop = armdyn.ClosedLoop(ROBOT, armdyn.control.pd_gravity)
    with pytest.warns(
        armdyn.simulation.StepWarning, match=r"q_ref of shape \(11, 2\) .* over_time=\['q_ref'\]\) 10 rows"
    ):
        assert loop([0.0, 0.0], steps=10, q_ref=rows, Kp=80.0, Kd=12.0).final.q.shape == (11, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        matrix = armdyn.control.with_gains(armdyn.control.pd_gravity, Kp="matrix")
        armdyn.ClosedLoop(ROBOT, matrix)([0.0, 0.0], steps=2, q_ref=[0.0, 0.0], Kp=80.0 * np.eye(2), Kd=12.0)
        loop([0.0, 0.0], steps=20, q_ref=rows, Kp=80.0, Kd=12.0)


def test_it_is_the_function_that_it_was() -> None:
    assert list(inspect.signature(armdyn.simulate).parameters)[:3] == ["robot", "q0", "qd0"]
    assert pickle.loads(pickle.dumps(armdyn.simulate)) is armdyn.simulate  # noqa: S301 - of this process
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'duration'"):
        armdyn.simulate(ROBOT, [0, 0])  # type: ignore[call-arg]


def test_latex_of_one_result() -> None:
    with pytest.raises(TypeError, match=r"latex\(\) takes no argument 'M'; of M\(q\) it is robot.mass_matrix"):
        ROBOT.mass_matrix.latex("M")
    derivation = armdyn.derive(ROBOT)
    assert derivation.latex("M") == (
        "\\begin{align*}\nM(q) &= \\left[\\begin{matrix}2 c_{2} + 3 & c_{2} + 1\\\\c_{2} + 1 & 1\\end{matrix}\\right]"
        "\n\\end{align*}"
    )
    assert derivation.latex("M").splitlines()[1] in derivation.latex()
    with pytest.raises(UnknownName, match=r"no result 'Mm' in .* Did you mean 'M'"):
        derivation.latex("Mm")


def test_functions_say_what_they_are() -> None:
    assert repr(armdyn.control.pd_gravity) == (
        "<function pd_gravity of a robot: q (n), qd (n), q_ref (n), qd_ref (n)=0, Kp (n), Kd (n) -> (n)>"
    )
    assert repr(armdyn.control.pid).endswith("Kd (n), h () -> tau (n), integral (n)>")
    assert repr(armdyn.control.hybrid_motion_force).startswith("<function hybrid_motion_force of a robot: q (n)")
    assert "; frame=None; components=(" in repr(armdyn.control.impedance)
    assert len(repr(armdyn.control.saturated(armdyn.control.pid, 1.0))) < 300
    assert np.ndim(ROBOT.compile(armdyn.control.pd_gravity)(np.ones(2), np.ones(2), np.ones(2), Kp=1.0, Kd=1.0)) == 1
