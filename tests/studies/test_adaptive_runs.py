"""Studies by the adaptive method: each run is the motion that `armdyn.simulate` makes of its state and parameters."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import ArmdynError
from armdyn.functions.not_finite import DivergenceWarning
from armdyn.simulation import Adaptive, RungeKutta4, SaveAt
from armdyn.studies import Normal, Scenario, StudyError, Uniform, sampled

ARM = armdyn.load("planar_3r")
TIMES = 0.05 * np.arange(11)
OPTIONS: dict[str, Any] = {"steps": 500, "method": Adaptive(), "record": ["q", "qd"], "every": 50}


def starts(runs: int, **more: Any) -> Any:
    values = {"q0": Normal(0.0, np.full(3, 0.5)), "qd0": Uniform(np.full(3, -1.0), 1.0)} | more
    return sampled(runs, values, seed=3)


@pytest.mark.parametrize("friction", [(0.3, 0.0), (0.3, 0.5)], ids=["damped", "dry"])
def test_runs_are_the_motions_of_their_states(friction: tuple[float, float]) -> None:
    robot = ARM.with_friction(dict.fromkeys(ARM.joint_names, friction))
    samples = starts(12, tau=Uniform(np.full(3, -3.0), 3.0))
    results = armdyn.study(robot, samples, inputs={"f_tip": [0, 0, 1.0, 2.0, 0, 0]}, chunk=5, **OPTIONS)
    assert results["rows.q"].shape == (12, 10, 3)
    for k in (0, 6, 11):
        own: dict[str, Any] = {"torque": results["tau"][k], "f_tip": [0, 0, 1.0, 2.0, 0, 0]}
        motion = armdyn.simulate(robot, results["q0"][k], results["qd0"][k], duration=0.5, save=SaveAt(TIMES), **own)
        np.testing.assert_allclose(results["rows.q"][k], motion.q[:-1], rtol=0, atol=1e-12)
        np.testing.assert_allclose(results["rows.qd"][k], motion.qd[:-1], rtol=0, atol=1e-11)
        np.testing.assert_allclose(results["final.q"][k], motion.q[-1], rtol=0, atol=1e-12)


def test_varied_parameters_are_inputs_of_the_loop() -> None:
    """Runs are the motions of the robots with these numbers; of gravity there is a vector for each run."""
    low, high = np.array([-1.0, -9.0, 0.0]), np.array([1.0, -8.0, 2.0])
    samples = starts(9, **{"link_2.mass": Uniform(0.5, 3.0), "tip.payload.mass": Uniform(0.0, 2.0)})
    results = armdyn.study(ARM, samples, chunk=4, **OPTIONS)
    for k in (0, 5, 8):
        own = next(link.inertia for link in ARM.model.links if link.name == "link_2")
        load = armdyn.Inertia(float(results["tip.payload.mass"][k]))
        link = dataclasses.replace(own, mass=float(results["link_2.mass"][k]))
        robot = ARM.with_inertia({"link_2": link}).with_payload(load)
        motion = armdyn.simulate(robot, results["q0"][k], results["qd0"][k], duration=0.5, save=SaveAt(TIMES))
        np.testing.assert_allclose(results["final.q"][k], motion.q[-1], rtol=0, atol=1e-9)
        np.testing.assert_allclose(results["rows.qd"][k], motion.qd[:-1], rtol=0, atol=1e-8)
    falls = armdyn.study(ARM, starts(4, gravity=Uniform(low, high)), **OPTIONS)
    robot = ARM.with_gravity(falls["gravity"][2])
    motion = armdyn.simulate(robot, falls["q0"][2], falls["qd0"][2], duration=0.5)
    np.testing.assert_allclose(falls["final.q"][2], motion.q[-1], rtol=0, atol=1e-9)


def test_they_are_what_short_steps_of_one_length_tend_to() -> None:
    samples = starts(6)
    adaptive = armdyn.study(ARM, samples, **OPTIONS)
    steps = armdyn.study(ARM, samples, steps=5000, method=RungeKutta4(step=1e-4), record=["q"], every=500)
    np.testing.assert_allclose(adaptive["final.q"], steps["final.q"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(adaptive["rows.q"], steps["rows.q"], rtol=0, atol=1e-9)


@pytest.mark.parametrize("varied", [{}, {"link_2.mass": [2.0, 2.0, 2.0]}], ids=["states", "parameters"])
def test_a_run_that_is_lost_is_named_and_leaves_the_others(varied: dict[str, Any]) -> None:
    q0 = [[0.1, 0.2, 0.3], [0.0, 0.0, 0.0], [0.3, 0.1, -0.2]]
    qd0 = [[0.0, 0.0, 0.0], [3e4, -5e4, 1e4], [0.0, 1.0, 0.0]]
    options = OPTIONS | {"method": Adaptive(max_steps=300)}
    with pytest.warns(DivergenceWarning, match=r"1 of 3 runs .* run 1"):
        results = armdyn.study(ARM, {"q0": q0, "qd0": qd0, **varied}, **options)
    assert np.isnan(results["final.q"][1]).all()
    others = armdyn.study(ARM, {"q0": q0[::2], "qd0": qd0[::2], **{n: v[::2] for n, v in varied.items()}}, **options)
    np.testing.assert_array_equal(results["final.q"][::2], others["final.q"])
    with pytest.warns(DivergenceWarning, match="1 of 1 runs"):
        lost = armdyn.study(ARM, {"q0": q0[1:2], "qd0": qd0[1:2], **{n: v[:1] for n, v in varied.items()}}, **options)
    assert np.isfinite(lost["rows.q"][0, 0]).all()
    assert np.isnan(lost["final.qd"]).all()


def test_a_scenario_names_the_method_and_its_tolerances(tmp_path: Path) -> None:
    path = tmp_path / "falls.yaml"
    text = "robot: planar_3r\nduration: 0.5\nsave.every: 1e-2\nmethod: {name: adaptive, rtol: 1e-9, atol: 1e-9}\n"
    text += "runs: 7\nseed: 2\n"
    path.write_text(text + "samples: {q0: {normal: [0, 0.5]}}\nrecord: [q]\nevery: 5\n")
    scenario = Scenario.read(path)
    results = armdyn.study(scenario.robot, scenario.samples, **scenario.settings)
    motion = armdyn.simulate(
        scenario.robot, results["q0"], duration=0.5, method=Adaptive(1e-9, 1e-9), save=SaveAt(every=0.05)
    )
    np.testing.assert_allclose(results["final.q"], motion.q[-1], rtol=0, atol=1e-13)
    np.testing.assert_allclose(results["rows.q"], np.moveaxis(motion.q[:-1], 0, 1), rtol=0, atol=1e-13)


def test_other_folders_have_other_tolerances(tmp_path: Path) -> None:
    armdyn.study(ARM, starts(3), folder=tmp_path / "falls", **OPTIONS)
    with pytest.raises(ArmdynError, match="another study"):
        armdyn.study(ARM, starts(3), folder=tmp_path / "falls", **OPTIONS | {"method": Adaptive(1e-8, 1e-8)})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"controller": armdyn.control.pd_gravity}, "controller is given, and the method is DOP853"),
        ({"energy": True}, "energy is given"),
        ({"record": ["tau"]}, "record has 'tau'"),
        ({"over_time": ["tau"]}, "over_time is given"),
        ({"robot": ARM.with_friction({"joint_1": (0.0, 1.0)})}, "'link_2.mass' varies, and the method is DOP853"),
        ({"method": Adaptive(scipy_method="Radau")}, "'link_2.mass' varies, and the method is Radau"),
    ],
)
def test_what_adaptive_runs_do_not_have_is_refused(arguments: dict[str, Any], message: str) -> None:
    given = {"robot": ARM, "samples": {"link_2.mass": [1.0, 2.0]}, **OPTIONS, **arguments}
    with pytest.raises(StudyError, match=message):
        armdyn.study(**given)
