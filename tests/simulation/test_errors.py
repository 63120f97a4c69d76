"""What bad input gets: an error that says what, where, what was expected and what to do."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import ArmdynError, DTypeError, ShapeError, UnknownName
from armdyn.base import memory
from armdyn.simulation import (
    Adaptive,
    BrakeSwitches,
    Constraints,
    Euler,
    JointLimit,
    RungeKutta4,
    SaveAt,
    SettingError,
    SimulationError,
    Stops,
    named_method,
)
from armdyn.simulation.drivers.integrators import BySolver
from armdyn.simulation.samples import Effort
from armdyn.simulation.system.system import System

JOINTS = "one value per joint of 'ur5': shoulder_pan_joint ... wrist_3_joint"
ZERO, SWITCHES = np.zeros(6), BrakeSwitches({"elbow_joint": []})


def run(q0: Any = ZERO, qd0: Any = None, **options: Any) -> armdyn.Trajectory:
    return armdyn.simulate(armdyn.load("ur5"), q0, qd0, **{"duration": 0.01, **options})


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"q0": np.zeros(5)}, ShapeError, f"q0 has shape (5,); expected (..., 6), {JOINTS}"),
        ({"q0": 1.0}, ShapeError, f"q0 has shape (); expected (..., 6), {JOINTS}"),
        ({"q0": [[1, 2], [3]]}, ShapeError, "q0 is ragged: its rows differ in length"),
        ({"q0": ["a"] * 6}, DTypeError, "q0 holds text, ['a', 'a', 'a', 'a', 'a', 'a']; expected real numbers"),
        ({"q0": np.zeros(6, complex)}, DTypeError, "q0 holds complex numbers"),
        ({"q0": np.zeros((0, 6))}, ShapeError, "q0 and qd0 hold no state: shape (0, 6)"),
        ({"qd0": np.zeros((2, 7))}, ShapeError, "qd0 has shape (2, 7); expected (..., 6)"),
        ({"q0": np.zeros((2, 6)), "qd0": np.zeros((3, 6))}, ShapeError, "do not broadcast together: q0 (2,), qd0 (3,)"),
        ({"q0": [0, 0, np.nan, 0, 0, 0]}, SettingError, "q0 of joint 'elbow_joint' is nan; a simulation starts from"),
        ({"duration": -1}, SettingError, "duration is -1; expected a number above zero, in s"),
        ({"duration": 0}, SettingError, "duration is 0; expected"),
        ({"duration": "3 s"}, SettingError, "duration is '3 s'; expected"),
        ({"duration": np.inf}, SettingError, "duration is inf; expected"),
        ({"method": "eular"}, UnknownName, "no method 'eular' in simulate() (13 methods). Did you mean 'euler'?"),
        ({"method": 4}, SettingError, "method=4; expected 'euler', 'semi_implicit_euler', "),
        ({"save": 0.01}, SettingError, "save=0.01; expected armdyn.simulation.SaveAt(every="),
        ({"save": SaveAt}, SettingError, "save has the class SaveAt; expected an object, SaveAt(...)"),
        ({"method": RungeKutta4}, SettingError, "method has the class RungeKutta4; expected an object, RungeKutta4("),
        ({"events": [JointLimit]}, SettingError, "events has the class JointLimit; expected an object, JointLimit("),
        ({"elements": Stops}, SettingError, "elements has the class Stops; expected an object, Stops(...)"),
        ({"elements": "stops"}, SettingError, "elements has 'stops'; expected objects of Stops, Contact, "),
        ({"elements": [0.01]}, SettingError, "elements has 0.01; expected objects of Stops, Contact, BrakeSwitches, "),
        ({"elements": [Stops(), Stops()]}, SettingError, "elements has Stops 2 times; expected one with all settings"),
        (
            {"elements": [SWITCHES, SWITCHES]},
            SettingError,
            "has switches of the brake of joint 'elbow_joint' twice; exp",
        ),
        ({"save": SaveAt(times=[0.0, 0.2])}, SettingError, "times reach from 0 to 0.2 s; the duration is 0.01 s"),
        ({"save": SaveAt(times=[0.002, 0.001])}, SettingError, "times must rise from each to the next"),
        ({"save": SaveAt(times=[[0.0]])}, ShapeError, "times has shape (1, 1); expected (T,)"),
        ({"method": RungeKutta4(step=1e-15)}, SettingError, "of 1e-15 s takes 1e+13 steps, of 1e+09 that are run at m"),
        ({"torque": np.zeros(5)}, ShapeError, f"expected (6,) constant, (steps, 6) over time, or a callable; {JOINTS}"),
        ({"torque": np.zeros((2, 3, 6))}, ShapeError, "torque has shape (2, 3, 6); expected"),
        ({"torque": "gravity"}, DTypeError, "torque holds text"),
        ({"torque": [0, 0, 0, np.inf, 0, 0]}, SettingError, "torque[3] is inf; expected finite real numbers"),
        (
            {"torque": np.zeros((9, 6)), "method": "euler"},
            ShapeError,
            "torque is a table of 9 rows; expected 10, one for",
        ),
        (
            {"torque": np.zeros((9, 6)), "f_tip": np.zeros((8, 6))},
            ShapeError,
            "torque and f_tip have 8 and 9 rows; give",
        ),
        ({"torque": np.zeros((0, 6))}, ShapeError, "torque has shape (0, 6); expected"),
        (
            {"torque": np.zeros((10, 6)), "q0": np.zeros((3, 6)), "method": "euler"},
            ShapeError,
            "Values over time that all states share have shape (steps, 1, 6)",
        ),
        ({"f_tip": np.zeros(3)}, ShapeError, "f_tip has shape (3,); expected (6,)"),
    ],
    ids=str,
)
def test_arguments(options: dict[str, Any], kind: type[ArmdynError], message: str) -> None:
    with pytest.raises(kind, match=re.escape(message)):
        run(**options)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Euler(step=0), "step is 0; expected a number above zero, in s"),
        (lambda: Euler(step=np.nan), "step is nan; expected"),
        (lambda: Adaptive(rtol=-1e-3), "rtol is -0.001; expected a number above zero"),
        (lambda: Adaptive(rtol=1e-16), "rtol=1e-16 is below rounding; the least that can be kept is 2.3e-14"),
        (lambda: named_method("adaptive", step=0.1), "method 'adaptive' has no step; it chooses its steps itself"),
        (lambda: named_method("rk4", rtol=0.1), "method 'rk4' has no rtol; it does not control its error"),
        (lambda: named_method("rk4", tolerance=0.1), "method 'rk4' has no tolerance; it takes step"),
        (lambda: SaveAt(every=0), "every is 0; expected"),
        (lambda: SaveAt(every=1, times=[0.0]), "SaveAt has both times and every; expected one of them"),
        (lambda: SaveAt(dense=1), "dense is 1; expected True or False"),
        (lambda: Constraints("some"), "redundant is 'some'; expected 'auto', 'error' or 'least_squares'"),
        (lambda: Constraints(project=1), "project is 1; expected True or False"),
        (lambda: BrakeSwitches([(0.1, "engaged")]), "expected a mapping from joints to switches"),
    ],
)
def test_options(make: Callable[[], object], message: str) -> None:
    with pytest.raises(SettingError, match=re.escape(message)):
        make()


@pytest.mark.parametrize(
    ("name", "expected"),
    {
        "step": "method=armdyn.simulation.RungeKutta4(step=1e-3)",
        "rtol": "method=armdyn.simulation.Adaptive(rtol=1e-8, atol=1e-8)",
        "save_every": "save=armdyn.simulation.SaveAt(every=0.01)",
        "times": "save=armdyn.simulation.SaveAt(times=...)",
        "dense_output": "save=armdyn.simulation.SaveAt(dense=True)",
        "stops": "elements=[armdyn.simulation.Stops(...)]",
        "contacts": "elements=[armdyn.simulation.Contact(...), ...]",
        "brakes": "elements=[armdyn.simulation.BrakeSwitches(",
        "project": "elements=[armdyn.simulation.Constraints(project=True)]",
        "redundant": "elements=[armdyn.simulation.Constraints(redundant=...)]",
        "theta0": "elements=[armdyn.simulation.Start(theta=...)]",
        "bristles0": "elements=[armdyn.simulation.Start(bristles=...)]",
    }.items(),
)
def test_options_that_are_objects_are_named(name: str, expected: str) -> None:
    with pytest.raises(TypeError, match=re.escape(expected)):
        run(**{name: 0.1})


@pytest.mark.parametrize("method", ["euler", "rk4", "adaptive"])
@pytest.mark.parametrize(
    ("returned", "kind", "message"),
    [
        (lambda: np.zeros(5), ShapeError, "returned at t = 0 s has shape (5,); expected (6,)"),
        (lambda: 0.0, ShapeError, "returned at t = 0 s has shape (); expected (6,)"),
        (lambda: None, DTypeError, "returned at t = 0 s holds Python objects, None; expected real numbers"),
        (lambda: np.zeros(6, complex), DTypeError, "returned at t = 0 s holds complex numbers"),
        (lambda: [[1], [1, 2]], ShapeError, "returned at t = 0 s is ragged"),
        (lambda: np.array([0, 0, np.nan, 0, 0, 0]), SimulationError, "returned nan as "),
    ],
)
@pytest.mark.parametrize("argument", ["torque", "f_tip"])
def test_callables(argument: str, returned: Callable[[], Any], kind: type, message: str, method: str) -> None:
    def my_law(t: float, q: Any, qd: Any) -> Any:
        return returned()

    with pytest.raises(kind, match=re.escape(message)) as error:
        run(method=method, **{argument: my_law})
    assert f"{argument} " in str(error.value)
    assert "my_law()" in str(error.value)


def test_an_error_inside_a_callable_says_when() -> None:
    def torque(t: float, q: Any, qd: Any) -> Any:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine") as error:
        run(torque=torque)
    assert "simulate() called torque" in error.value.__notes__[0]


def test_a_callable_cannot_change_the_state() -> None:
    def torque(t: float, q: Any, qd: Any) -> Any:
        q -= 1.0
        return q

    with pytest.raises(ValueError, match="read-only"):
        run(torque=torque)


@pytest.mark.parametrize("law", [False, True])
@pytest.mark.parametrize("method", ["euler", "rk4"])
def test_divergence_names_time_and_joint_and_keeps_what_was_simulated(method: str, law: bool) -> None:
    torque = (lambda t, q, qd: np.zeros(6)) if law else None
    with pytest.raises(SimulationError) as error:
        run(qd0=[0, 0, 50, 0, 0, 0], duration=50, method=named_method(method, step=0.1), torque=torque)
    assert re.match(r"the motion of 'ur5' could not be continued at t = [\d.]+ s: joint '\w+'", str(error.value))
    assert "Use a step shorter than 0.1 s, or method='adaptive'" in str(error.value)
    partial = error.value.trajectory
    assert partial is not None
    assert 1 < len(partial.t) < 501
    assert np.isfinite(partial.q).all()
    assert np.isfinite(partial.qd).all()
    assert partial.statistics.steps >= len(partial.t) - 1


@pytest.mark.short_run("DOP853")
@pytest.mark.parametrize("scipy_method", ["DOP853", "Radau"])
def test_adaptive_into_a_singular_torque(scipy_method: str) -> None:
    """A torque that runs away in finite time: nothing hangs, and the motion until then is kept."""

    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return 1e3 * (qd**3 + 1.0)

    method = Adaptive(rtol=1e-6, atol=1e-6, scipy_method=scipy_method)
    with pytest.raises(SimulationError) as error:
        armdyn.simulate(armdyn.load("rp"), [0.0, 1.0], duration=3.0, torque=torque, method=method)
    assert error.value.trajectory is not None
    assert np.isfinite(error.value.trajectory.q).all()


@pytest.mark.parametrize("method", ["rk4", "adaptive"])
@pytest.mark.parametrize(("law", "kind"), [(lambda: 1 / 0, ZeroDivisionError), (lambda: np.zeros(5), ShapeError)])
def test_a_callable_that_fails_late_keeps_what_was_simulated(method: str, law: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind) as error:
        run(duration=0.02, method=method, torque=lambda t, q, qd: np.zeros(6) if t < 0.005 else law())
    trajectory = error.value.trajectory  # type: ignore[attr-defined]
    assert 1 <= len(trajectory.t) <= 300
    assert trajectory.t[-1] <= 0.005
    assert error.value.__notes__[-1] == "What was simulated until then is in error.trajectory."


def test_a_batch_that_is_lost_altogether() -> None:
    with pytest.raises(SimulationError, match="none of the initial states is finite"):
        run(q0=np.full((3, 6), np.nan), method="rk4")
    with pytest.raises(
        SimulationError,
        match=r"none of the states could be continued to the end; .* after t = .*: joint '\w+' had reached",
    ) as error:
        run(qd0=np.full((2, 6), 50.0), duration=50, method=Euler(step=0.1))
    assert error.value.trajectory is not None


def test_more_than_the_memory_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "memory", lambda: 1e6)
    with pytest.raises(SettingError, match=r"would fill 0\.\d+ GB of memory, more than half .*SaveAt\(every=0\.01\)"):
        run(q0=np.zeros((1000, 6)), method="rk4")
    with pytest.raises(SettingError, match="more than half"):
        run(duration=1e9, save=SaveAt(every=1e-3))


def test_a_robot_by_its_name_is_no_robot() -> None:
    with pytest.raises(SettingError, match=r"robot='ur5' is not a Robot; armdyn\.load\('ur5'\)"):
        armdyn.simulate("ur5", ZERO, duration=1.0)  # type: ignore[arg-type]


def test_a_wrench_needs_a_tip(tree: Any) -> None:
    robot = armdyn.Robot(tree.robot.model.replace(tip=None))
    with pytest.raises(UnknownName, match="has no single tip"):
        armdyn.simulate(robot, np.zeros(robot.dof), duration=0.1, f_tip=np.zeros(6))


def test_settings_of_methods() -> None:
    with pytest.raises(UnknownName, match=r"Known: .*, lsoda, taylor\."):
        run(method="simplex")
    with pytest.raises(UnknownName, match=r"solver of SciPy's.*Adaptive\(scipy_method='RK45'\)"):
        run(method="rk45")
    with pytest.raises(UnknownName, match="Did you mean 'DOP853'"):
        Adaptive(scipy_method="DOP583")
    with pytest.raises(SettingError, match="max_steps is 0; expected a whole number of at least 1"):
        Adaptive(max_steps=0)
    with pytest.raises(SettingError, match="step is 'fast'"):
        RungeKutta4(step="fast")  # type: ignore[arg-type]


def test_accelerations_that_are_not_finite_at_first_are_an_error() -> None:
    """SciPy would look for the length of the first step for ever."""
    solver = BySolver(
        System(armdyn.load("planar_2r"), "error", carries=False), Adaptive(), lambda t, y: np.full(5, np.nan), Effort()
    )
    with pytest.raises(SimulationError, match=r"at t = 0 s: .* Its accelerations there are not finite: check torque"):
        solver.step(0.0, np.zeros(5), 1.0)
