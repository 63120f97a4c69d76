"""Arrays of other libraries: their numbers count, in the order of the joints, or an error says why they do not."""

from __future__ import annotations

import array
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import armdyn
from armdyn import ellipsoids, simulation
from armdyn.base.arrays import as_plain, is_plain
from armdyn.plots.configurations import shown_configurations
from armdyn.plots.stick_figure import stick_lines
from oracles.short_run import each_once

UR5 = armdyn.load("ur5")
JOINTS = list(UR5.joint_names)
BACKWARDS = JOINTS[::-1]
Q, QD, QDD = np.random.default_rng(0).normal(size=(3, 6, 6))  # six states of six joints: a transposed frame would fit
TAU = UR5.inverse_dynamics(Q, QD, QDD)


def frame(numbers: np.ndarray, columns: list[Any] = JOINTS, **more: Any) -> pd.DataFrame:
    return pd.DataFrame(numbers, columns=columns, **more)


def assert_plain(found: Any, expected: np.ndarray) -> None:
    """The very same numbers, and nothing of the library they came from."""
    assert type(found) is np.ndarray
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


class Foreign:
    """An array of a library that answers NumPy's functions itself, wrongly for all that armdyn knows."""

    __array_priority__ = 1000.0

    def __init__(self, numbers: Any, **attributes: Any) -> None:
        self.numbers = np.asarray(numbers)
        vars(self).update(attributes)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self.numbers, dtype=dtype)

    def __array_ufunc__(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("a NumPy function got a foreign array")

    __array_function__ = __array_ufunc__

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, index: Any) -> Any:
        return self.numbers[index]


class Quantity(np.ndarray):
    """As unyt's and astropy's: a subclass of NumPy's array with a unit."""

    unit = "deg"


class OfAGraphicsCard(Foreign):
    """As a tensor that NumPy cannot read."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        raise TypeError("can't convert cuda:0 device type tensor to numpy")


class Named(Foreign):
    """As an xarray.DataArray."""

    def __init__(self, numbers: np.ndarray, dims: tuple[str, ...], **coords: list[Any]) -> None:
        super().__init__(numbers, dims=dims, data=numbers)
        self.coords = {name: SimpleNamespace(to_numpy=lambda labels=labels: labels) for name, labels in coords.items()}


class Delayed(Foreign):
    """As a collection of dask."""

    def __dask_graph__(self) -> dict[str, int]:
        return {}

    def compute(self) -> Any:
        return np.ma.array(self.numbers, mask=self.numbers == self.numbers[1, 2])


WAYS: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], Any]] = {
    "by position": lambda q, qd, qdd: UR5.inverse_dynamics(frame(q), frame(qd)[BACKWARDS], frame(qdd)),
    "by name": lambda q, qd, qdd: UR5.inverse_dynamics(q=frame(q), qd=frame(qd)[BACKWARDS], qdd=qdd),
    "first call": lambda q, qd, qdd: armdyn.load("ur5").inverse_dynamics(frame(q)[BACKWARDS], frame(qd), frame(qdd)),
    "several threads": lambda q, qd, qdd: UR5.inverse_dynamics(frame(q)[BACKWARDS], qd, frame(qdd), workers=2),
    "numbered columns": lambda q, qd, qdd: UR5.inverse_dynamics(frame(q, list(range(6))), frame(qd), qdd),
    "other labels": lambda q, qd, qdd: UR5.inverse_dynamics(frame(q, list("abcdef")), frame(qd), qdd),
    "names in the labels": lambda q, qd, qdd: UR5.inverse_dynamics(frame(q, [f"q_{j} [rad]" for j in JOINTS]), qd, qdd),
    "plain rows": lambda q, qd, qdd: UR5.inverse_dynamics(frame(q, index=range(5, 11)), qd, qdd),
    "numbers of pandas' own": lambda q, qd, qdd: UR5.inverse_dynamics(frame(q).astype("Float64"), qd, qdd),
    "a list of series": lambda q, qd, qdd: UR5.inverse_dynamics(
        [frame(q).iloc[k][BACKWARDS if k % 2 else JOINTS] for k in range(6)], qd, qdd
    ),
    "xarray's": lambda q, qd, qdd: UR5.inverse_dynamics(
        Named(q[:, ::-1], ("time", "joint"), joint=BACKWARDS), Named(qd, ("time", "joint")), qdd
    ),
    "polars', pyarrow's": lambda q, qd, qdd: UR5.inverse_dynamics(
        Foreign(q[:, ::-1], columns=BACKWARDS), Foreign(qd[:, ::-1], column_names=BACKWARDS, columns=[qd]), qdd
    ),
    "tensors": lambda q, qd, qdd: UR5.inverse_dynamics(Foreign(q), qd, qdd=Foreign(qdd)),
    "a list of tensors": lambda q, qd, qdd: UR5.inverse_dynamics([Foreign(x) for x in q], qd, qdd),
    "memoryviews": lambda q, qd, qdd: UR5.inverse_dynamics(q=memoryview(q), qd=memoryview(qd), qdd=memoryview(qdd)),
    "nothing masked": lambda q, qd, qdd: UR5.inverse_dynamics(np.ma.array(q), np.ma.array(qd, mask=False), qdd),
}


@pytest.mark.parametrize("way", WAYS)
def test_their_numbers_in_the_order_of_the_joints(way: str) -> None:
    assert_plain(WAYS[way](Q, QD, QDD), TAU)


def test_one_state() -> None:
    q = frame(Q).iloc[0]
    for one in (q, q[BACKWARDS], pd.Series(Q[0]), memoryview(Q[0]), array.array("d", Q[0]), Foreign(Q[0])):
        assert_plain(UR5.gravity_forces(one), UR5.gravity_forces(Q[0]))
        assert_plain(UR5.gravity_forces(q=one), UR5.gravity_forces(Q[0]))
    assert_plain(UR5.inverse_dynamics(frame(Q), q[BACKWARDS], frame(QDD)), UR5.inverse_dynamics(Q, Q[0], QDD))


def test_links_by_name_too() -> None:
    links, f_ext = list(UR5.link_names), np.random.default_rng(1).normal(size=(len(UR5.link_names), 6))
    table = pd.DataFrame(f_ext, index=links).loc[links[::-1]]
    found = UR5.inverse_dynamics(Q[0], QD[0], QDD[0], f_ext=table)
    assert_plain(found, UR5.inverse_dynamics(Q[0], QD[0], QDD[0], f_ext=f_ext))


def test_float32_stays_float32() -> None:
    q = Q.astype(np.float32)
    for given in (frame(q), np.ma.array(q), Foreign(q)):
        assert_plain(UR5.gravity_forces(given), UR5.gravity_forces(q))


def with_a_gap(q: np.ndarray) -> np.ndarray:
    q = q.copy()
    q[1, 2] = np.nan
    return q


MISSING: dict[str, Callable[[], Any]] = {
    "masked": lambda: np.ma.array(Q, mask=np.isnan(with_a_gap(Q))),
    "masked, in a list": lambda: list(np.ma.array(Q, mask=np.isnan(with_a_gap(Q)))),
    "masked, of dask": lambda: Delayed(Q),
    "NaN of a frame": lambda: frame(with_a_gap(Q)),
    "NA of a frame": lambda: frame(Q).astype("Float64").where(~np.isnan(with_a_gap(Q))),
}


@pytest.mark.parametrize("kind", MISSING)
def test_what_is_missing_is_nan(kind: str) -> None:
    assert_plain(UR5.gravity_forces(MISSING[kind]()), UR5.gravity_forces(with_a_gap(Q)))
    assert np.isnan(UR5.gravity_forces(MISSING[kind]())[1]).any()


def test_masked_integers_become_numbers_that_can_be_nan() -> None:
    found = UR5.gravity_forces(np.ma.array(np.arange(6), mask=[0, 1, 0, 0, 0, 0]))
    assert_plain(found, UR5.gravity_forces([0.0, np.nan, 2.0, 3.0, 4.0, 5.0]))


REFUSED: list[tuple[str, Callable[[], Any], type[Exception], str]] = [
    ("a column too many", lambda: frame(Q).assign(time=0.0), armdyn.UnknownName, "q is labelled .* unknown 'time'"),
    ("a column missing", lambda: frame(Q)[JOINTS[:5]], armdyn.UnknownName, "missing 'wrist_3_joint'"),
    (
        "a misspelt column",
        lambda: frame(Q, [*JOINTS[:5], "wrist3"]),
        armdyn.UnknownName,
        "missing 'wrist_3_joint'; u",
    ),
    ("a column twice", lambda: frame(Q)[[*JOINTS, JOINTS[0]]], armdyn.UnknownName, "twice 'shoulder_pan_joint'"),
    (
        "names in the labels, sorted",
        lambda: frame(Q, sorted(f"q_{joint}" for joint in JOINTS)),
        armdyn.UnknownName,
        "q has the label 'q_elbow_joint' in the place of 'shoulder_pan_joint'",
    ),
    ("joints along the rows", lambda: frame(Q).T, armdyn.ShapeError, "q has names .* another axis .* transpose"),
    (
        "joints along the first axis",
        lambda: Named(Q, ("joint", "time"), joint=JOINTS),
        armdyn.ShapeError,
        "q has names .* another axis .* transpose",
    ),
    ("text", lambda: frame(Q).astype(str), armdyn.DTypeError, "q holds Python objects"),
    ("degrees", lambda: Q.view(Quantity), armdyn.DTypeError, r"q is a .*Quantity with a unit, deg; expected plain num"),
    ("a list of degrees", lambda: list(Q.view(Quantity)), armdyn.DTypeError, "q is a .*Quantity with a unit, deg"),
    ("pint's", lambda: Foreign(Q, units="degree"), armdyn.DTypeError, "q is a .*Foreign with a unit, degree"),
    ("no dimension", lambda: Foreign(Q, units=""), armdyn.DTypeError, "with a unit, dimensionless"),
    ("degrees in xarray's", lambda: Named(Q.view(Quantity), ("t", "j")), armdyn.DTypeError, "with a unit, deg"),
    (
        "a graphics card's",
        lambda: OfAGraphicsCard(Q),
        armdyn.DTypeError,
        "q is a .* does not become an array: can't",
    ),
    ("too large integers", lambda: [10**400] * 6, armdyn.DTypeError, "q holds integers beyond 64 bits"),
    ("a too large integer", lambda: 10**5000, armdyn.DTypeError, "q holds integers beyond 64 bits"),
]


@pytest.mark.parametrize("by_name", [False, True], ids=["by position", "by name"])
@pytest.mark.parametrize(("make", "error", "match"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_is_not_taken_is_said(make: Callable[[], Any], error: type[Exception], match: str, by_name: bool) -> None:
    with pytest.raises(error, match=match):
        UR5.gravity_forces(q=make()) if by_name else UR5.gravity_forces(make())


# ---- by names of two levels, in dicts and in structured arrays


def as_fields(table: pd.DataFrame) -> np.ndarray:
    fields = np.zeros(len(table), [(joint, float) for joint in table])
    for joint in table:
        fields[joint] = table[joint]
    return fields


FORMS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "columns": lambda table: table,
    "two levels": lambda table: table.set_axis(pd.MultiIndex.from_product([["q"], table.columns]), axis=1),
    "levels turned": lambda table: table.set_axis(pd.MultiIndex.from_product([table.columns, ["q"]]), axis=1),
    "dict": lambda table: {joint: table[joint].to_numpy() for joint in table},
    "structured array": as_fields,
    "record array": lambda table: as_fields(table).view(np.recarray),
    "rows of dicts": lambda table: table.to_dict("records"),
    "dict of tensors": lambda table: {joint: Foreign(table[joint]) for joint in table},
}

LOOP = armdyn.ClosedLoop(UR5, armdyn.control.pd_gravity, over_time=("q_ref",))
EULER = simulation.Euler(0.01)
START = UR5.forward_kinematics(Q[0])
DOWN = armdyn.trajectory.CurvePath(
    armdyn.trajectory.Line(START, START @ np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.01], [0, 0, 0, 1.0]])),
    armdyn.trajectory.Quintic(1.0, 1.0),
)
TURN = armdyn.trajectory.point_to_point(Q[0], Q[1], armdyn.trajectory.Quintic(1.0, 1.0))
TIMES = np.linspace(0.0, 0.05, 6)

OF_TABLES: dict[str, Callable[[Any], Any]] = {
    "a function": UR5.gravity_forces,
    "a function, by name": lambda q: UR5.inverse_dynamics(Q, QD, qdd=q),
    "a derivative": UR5.gravity_forces.derivative("q"),
    "torques": lambda tau: armdyn.simulate(UR5, Q[0], duration=0.06, torque=tau, method=EULER).q,
    "torques over time": lambda tau: (
        armdyn.simulate(UR5, Q[0], duration=0.05, torque=simulation.OverTime(TIMES, tau), method=EULER).q
    ),
    "references": lambda q: LOOP(Q[0], steps=6, q_ref=q, qd_ref=QD[0], Kp=np.ones(6), Kd=np.ones(6)).final.q,
    "a task": lambda q: armdyn.sizing.MotionCycle(TIMES, q, q, q, joint_names=JOINTS, jumps=True).qdd,
    "configurations": lambda q: shown_configurations(UR5, q, armdyn.ArmdynError),
}

OF_STATES: dict[str, Callable[[Any], Any]] = {
    "a function": UR5.gravity_forces,
    "a start": lambda q: armdyn.simulate(UR5, q, q, duration=0.05, method=EULER).q,
    "a law": lambda tau: armdyn.simulate(UR5, Q[0], duration=0.05, torque=lambda t, q, qd: tau, method=EULER).q,
    "gains": lambda K: LOOP(Q[0], steps=6, q_ref=Q, qd_ref=QD[0], Kp=K, Kd=K).final.q,
    "a neighbour": lambda q: armdyn.trajectory.follow(UR5, DOWN, [0.0, 1.0], near=q).q,
    "limits": lambda v: armdyn.trajectory.fastest_along(UR5, TURN, velocity=v, grid=20).duration,
    "noise": lambda q: armdyn.control.draw_noise(UR5, 3, q=q, seed=0)["q_noise"],
    "rates": lambda q: UR5.joint_rates(q, np.ones(6)).values,
    "an ellipsoid": lambda q: ellipsoids.torque(UR5, q).matrix,
    "lines": lambda q: np.concatenate(stick_lines(UR5, q)),
    "inputs of a study": lambda tau: armdyn.study(
        UR5, {"q0": Q[:2]}, inputs={"tau": tau}, steps=2, summaries={"end": lambda runs: runs.final.q}
    )["end"],
}


@pytest.mark.parametrize(("use", "form"), each_once(OF_TABLES, FORMS))
def test_tables_of_every_form_are_taken_by_name(use: str, form: str) -> None:
    np.testing.assert_array_equal(OF_TABLES[use](FORMS[form](frame(Q)[sorted(JOINTS)])), OF_TABLES[use](Q))


@pytest.mark.parametrize(("use", "form"), each_once(OF_STATES, FORMS))
def test_states_of_every_form_are_taken_by_name(use: str, form: str) -> None:
    values = {"a neighbour": Q[0]}.get(use, np.abs(Q[0]) + 0.3)
    one = FORMS[form](frame(values[None])[sorted(JOINTS)])
    if isinstance(one, dict):
        state: Any = {joint: column[0] for joint, column in one.items()}
    else:
        state = one.iloc[0] if isinstance(one, pd.DataFrame) else one[0]
    np.testing.assert_array_equal(OF_STATES[use](state), OF_STATES[use](values))


def test_links_of_a_dict() -> None:
    f_ext = np.random.default_rng(1).normal(size=(len(UR5.link_names), 6))
    by_name = dict(sorted(zip(UR5.link_names, f_ext, strict=True)))
    assert_plain(UR5.inverse_dynamics(Q, QD, QDD, f_ext=by_name), UR5.inverse_dynamics(Q, QD, QDD, f_ext=f_ext))


OTHER_NAMES: list[tuple[str, Callable[[], Any], type[Exception], str]] = [
    ("a joint missing", lambda: dict.fromkeys(JOINTS[1:], 1.0), armdyn.UnknownName, "missing 'shoulder_pan_joint'"),
    ("an unknown joint", lambda: {**dict.fromkeys(JOINTS, 1.0), "x": 1}, armdyn.UnknownName, "unknown 'x'"),
    ("no joint at all", lambda: {"a": 1.0}, armdyn.UnknownName, "missing .*; unknown 'a'"),
    ("an unknown field", lambda: np.zeros(6, [("a", float)]), armdyn.UnknownName, "missing .*; unknown 'a'"),
    ("ragged", lambda: {joint: Q[: 2 + k, 0] for k, joint in enumerate(JOINTS)}, armdyn.ShapeError, "values of q dif"),
    (
        "units",
        lambda: dict.fromkeys(JOINTS, Q[0].view(Quantity)),
        armdyn.DTypeError,
        r"q\['shoulder_pan_joint'\] is a ",
    ),
    (
        "several quantities",
        lambda: pd.concat({"q": frame(Q), "qd": frame(QD)}, axis=1),
        armdyn.UnknownName,
        r"twice .* of a table of several quantities give one, such as log\['q'\]",
    ),
    ("joints along the rows", lambda: FORMS["two levels"](frame(Q)).T, armdyn.ShapeError, "transpose it"),
]


@pytest.mark.parametrize(("make", "error", "match"), [c[1:] for c in OTHER_NAMES], ids=[c[0] for c in OTHER_NAMES])
def test_other_names_are_refused(make: Callable[[], Any], error: type[Exception], match: str) -> None:
    for call in (UR5.gravity_forces, lambda q: UR5.gravity_forces(q=q)):
        with pytest.raises(error, match=match):
            call(make())


def test_names_of_nothing_are_refused() -> None:
    with pytest.raises(
        armdyn.DTypeError,
        match=r"f_tip holds Python objects, .*; expected real numbers: \(..., 6\), moment and force .*, N m and N",
    ):
        UR5.inverse_dynamics(Q, QD, QDD, {"x": 1.0})
    with pytest.raises(armdyn.DTypeError, match=r"start holds Python objects.*expected real numbers: \(n,\)"):
        armdyn.trajectory.point_to_point({"x": 1.0}, [1.0], armdyn.trajectory.Quintic(1.0, 1.0))


def test_rows_with_other_labels_are_no_states_of_these() -> None:
    with pytest.raises(armdyn.ShapeError, match="the rows of q and qdd have different labels, 0 to 5 and 1 to 6"):
        UR5.inverse_dynamics(frame(Q), frame(QD).to_numpy(), frame(QDD, index=range(1, 7)))
    one = UR5.inverse_dynamics(frame(Q), frame(QD, index=range(9, 15)).iloc[:1], frame(QDD))
    assert_plain(one, UR5.inverse_dynamics(Q, QD[:1], QDD))


def test_results_are_written_to_numpys_own_arrays_alone(tmp_path: Path) -> None:
    for out in (frame(Q), np.ma.array(Q), Q.view(Quantity), (Foreign(Q),), 10**400):
        with pytest.raises(armdyn.DTypeError, match=r"out is .*; expected a NumPy array of shape \(..., 6\)"):
            UR5.gravity_forces(Q, out=out)
    on_disk = np.memmap(tmp_path / "out", dtype=float, mode="w+", shape=(6, 6))
    assert UR5.gravity_forces(Q, out=on_disk) is on_disk
    np.testing.assert_array_equal(on_disk, UR5.gravity_forces(Q))
    assert_plain(UR5.gravity_forces(np.array(on_disk)), UR5.gravity_forces(on_disk))


@pytest.mark.parametrize("value", [Q, memoryview(Q), frame(Q), Foreign(Q), [1.0]], ids=lambda v: type(v).__name__)
def test_arrays_are_no_options(value: object) -> None:
    if isinstance(value, Foreign):
        with pytest.raises(armdyn.UnknownName, match="no frame"):
            UR5.jacobian(Q, frame=value)
    else:
        with pytest.raises(TypeError, match=rf"frame is a {type(value).__name__}; options are words, numbers or"):
            UR5.jacobian(Q, frame=value)
    with pytest.raises(TypeError, match="has no argument 'speed'"):
        UR5.jacobian(Q, speed=value)


@pytest.mark.parametrize("digits", [400, 5000])
def test_large_integers_are_no_options(digits: int) -> None:
    with pytest.raises(armdyn.UnknownName, match=r"no frame .*0|an integer of more than"):
        UR5.jacobian(Q, frame=10**digits)
    with pytest.raises(ValueError, match=r"workers is .*; expected a positive number of threads"):
        UR5.jacobian(Q, workers=-(10**digits))


def test_lists_within_lists_within_themselves_end() -> None:
    endless: list[Any] = []
    endless.append(endless)
    assert is_plain(endless)
    with pytest.raises(armdyn.ArmdynError):
        UR5.gravity_forces(endless)


def test_an_attribute_that_fails_says_nothing() -> None:
    class Awkward(Foreign):
        @property
        def units(self) -> str:
            raise RuntimeError("no")

        def index(self) -> int:
            return 0

    np.testing.assert_array_equal(as_plain("x", Awkward(Q)), Q)


# Where arrays are checked before any function is called.


def test_simulations() -> None:
    settings = simulation.Euler(0.01)
    table = np.random.default_rng(3).normal(size=(20, 6))
    expected = armdyn.simulate(UR5, Q[0], QD[0], duration=0.2, torque=table, method=settings)
    q0, qd0 = frame(Q).iloc[0][BACKWARDS], frame(QD).iloc[0][BACKWARDS]
    found = armdyn.simulate(UR5, q0, qd0, duration=0.2, torque=frame(table)[BACKWARDS], method=settings)
    np.testing.assert_array_equal(found.q, expected.q)
    torque = pd.Series(table[0], JOINTS)
    by_law = armdyn.simulate(UR5, q0, qd0, duration=0.2, torque=lambda t, q, qd: torque[BACKWARDS], method=settings)
    held = armdyn.simulate(UR5, Q[0], QD[0], duration=0.2, torque=table[0], method=settings)
    np.testing.assert_allclose(by_law.q, held.q, rtol=1e-13)
    with pytest.raises(armdyn.DTypeError, match=r"q0 is a .* with a unit"):
        armdyn.simulate(UR5, Q[0].view(Quantity), duration=0.1)


def test_inverse_kinematics_and_rates() -> None:
    goal = UR5.forward_kinematics(Q[0])
    found = UR5.inverse_kinematics(goal, frame(Q).iloc[0][BACKWARDS], limits=False)
    np.testing.assert_allclose(found.q, Q[0], atol=1e-9)
    V = np.ones(6)
    expected = UR5.joint_rates(Q[0], V).values
    np.testing.assert_array_equal(UR5.joint_rates(frame(Q).iloc[0][BACKWARDS], V).values, expected)


def test_task_space_and_ellipsoids() -> None:
    q, qd = frame(Q).iloc[0][BACKWARDS], frame(QD).iloc[0]
    assert_plain(UR5.task_space(q, qd).Lambda, UR5.task_space(Q[0], QD[0]).Lambda)
    assert_plain(ellipsoids.torque(UR5, q).matrix, ellipsoids.torque(UR5, Q[0]).matrix)


def test_constraints() -> None:
    robot = armdyn.load("planar_2r").with_constraints(armdyn.constraints.PointOnPlane("tip", (1, 0, 0), (1.0, 0, 0)))
    q = robot.close_loop(np.array([1.0, -1.0]))
    names = list(robot.joint_names)
    series = pd.Series(np.asarray(q), names)[names[::-1]]
    np.testing.assert_array_equal(robot.close_loop(series), robot.close_loop(np.asarray(q)))
    with pytest.raises(armdyn.DTypeError, match=r"q is a .* with a unit"):
        robot.close_loop(np.asarray(q).view(Quantity))


def test_models_and_paths() -> None:
    with pytest.raises(armdyn.DTypeError, match=r"gravity is a .* with a unit"):
        UR5.with_gravity(np.array([0.0, 0.0, -981.0]).view(Quantity))
    with pytest.raises(armdyn.DTypeError, match=r"gravity has masked values; expected real numbers: .*m/s\^2"):
        UR5.with_gravity(np.ma.array([0.0, 0.0, -9.81], mask=[0, 0, 1]))
    with pytest.raises(armdyn.DTypeError, match=r"waypoints is a .* with a unit"):
        armdyn.trajectory.cubic_spline([0.0, 1.0, 2.0], Q[:3].view(Quantity))


def test_modern_robotics() -> None:
    from armdyn import modern_robotics as mr

    q = [0.1, 0.2]
    M, G = np.tile(np.eye(4), (3, 1, 1)), np.tile(np.diag([1.0, 1, 1, 2, 2, 2]), (2, 1, 1))
    S = np.array([[0.0, 0], [0, 0], [1, 1], [0, 0], [0, -1], [0, 0]])
    at_rest = (np.zeros(2), np.zeros(2), np.array([0, 0, -9.81]), np.zeros(6))
    expected = mr.InverseDynamics(q, *at_rest, M, G, S), mr.MassMatrix(q, M, G, S), mr.JacobianSpace(S, q)
    for make in (pd.Series, Foreign):
        found = mr.InverseDynamics(make(q), *map(make, at_rest), M, G, S), mr.MassMatrix(make(q), M, G, S)
        for one, other in zip((*found, mr.JacobianSpace(Foreign(S), make(q))), expected, strict=True):
            assert_plain(one, other)
    assert_plain(mr.FKinSpace(Foreign(np.eye(4)), S, pd.Series(q)), mr.FKinSpace(np.eye(4), S, q))
    with pytest.raises(armdyn.DTypeError, match=r"thetalist is a .* with a unit"):
        mr.JacobianSpace(S, np.array(q).view(Quantity))
