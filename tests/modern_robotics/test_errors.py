"""What does not fit is named, with what was expected."""

from concurrent.futures import ThreadPoolExecutor

import modern_robotics as package
import numpy as np
import pytest

import armdyn
import armdyn.modern_robotics as mr
from oracles.screw_lists import BOOK, general_lists

M, G, S = BOOK
Q, F, DOWN = [0.1, 0.2, 0.3], [0.0] * 6, [0, 0, -9.8]
TABLE = np.full((4, 3), 0.1)


def inverse_dynamics(**changed: object) -> object:
    arguments = {
        "thetalist": Q, "dthetalist": Q, "ddthetalist": Q, "g": DOWN, "Ftip": F, "Mlist": M, "Glist": G, "Slist": S,
    }  # fmt: skip
    return mr.InverseDynamics(**(arguments | changed))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"thetalist": 0.1}, r"thetalist is 0\.1; expected one value for each joint, shape \(n,\)"),
        ({"thetalist": []}, r"thetalist is empty; expected one value for each joint"),
        ({"thetalist": np.ones((3, 3))}, r"thetalist has shape \(3, 3\); expected \(3,\)"),
        ({"dthetalist": [1, 2]}, r"dthetalist has shape \(2,\); expected \(3,\)"),
        ({"dthetalist": np.ones((5, 3))}, r"dthetalist has shape \(5, 3\); expected \(3,\)"),
        ({"ddthetalist": 0.0}, r"ddthetalist has shape \(\); expected \(3,\)"),
        ({"g": [0, -9.8]}, r"g has shape \(2,\); expected \(3,\)"),
        ({"g": -9.8}, r"g has shape \(\); expected \(3,\)"),
        ({"Ftip": 0}, r"Ftip has shape \(\); expected \(6,\)"),
        ({"Mlist": M[:3]}, r"Mlist has shape \(3, 4, 4\); expected \(4, 4, 4\) for 3 joints: M_01, .* of the end-eff"),
        ({"Mlist": M[:, :3]}, r"Mlist has shape \(4, 3, 4\); expected \(4, 4, 4\)"),
        ({"Glist": G[:2]}, r"Glist has shape \(2, 6, 6\); expected \(3, 6, 6\) for 3 joints"),
        ({"Glist": [np.eye(6), np.eye(6), np.eye(5)]}, r"Glist is ragged"),
        ({"Slist": S[:, :2]}, r"Slist has shape \(6, 2\); expected \(6, 3\), a column for each of the 3 joints"),
        ({"Slist": S.T}, r"Slist has shape \(3, 6\); expected \(6, 3\)"),
    ],
)
def test_shapes(changed: dict[str, object], message: str) -> None:
    with pytest.raises(armdyn.ShapeError, match=message):
        inverse_dynamics(**changed)


@pytest.mark.parametrize("name", ["thetalist", "Mlist", "g"])
@pytest.mark.parametrize("value", [["a", "b", "c"], [1j, 2j, 3j]])
def test_what_is_no_number(name: str, value: object) -> None:
    with pytest.raises((armdyn.DTypeError, TypeError, ValueError)):
        inverse_dynamics(**{name: value})


def test_text_in_the_lists_is_named() -> None:
    with pytest.raises(armdyn.DTypeError, match=r"Glist holds text, \[\['a'\]\]; expected real numbers"):
        inverse_dynamics(Glist=[["a"]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mr.MassMatrix(np.ones((3, 3)), M, G, S), r"thetalist has shape \(3, 3\)"),
        (lambda: mr.MassMatrix(Q, M, G, S[:, :1]), r"Slist has shape \(6, 1\)"),
        (lambda: mr.ForwardDynamics(Q, Q, 0.0, DOWN, F, M, G, S), r"taulist has shape \(\); expected \(3,\)"),
        (lambda: mr.ForwardDynamics(Q, Q, Q, DOWN, 1.0, M, G, S), r"Ftip has shape \(\); expected \(6,\)"),
        (lambda: mr.InverseDynamicsTrajectory(Q, TABLE, TABLE, DOWN, 0, M, G, S), r"thetamat has shape \(3,\)"),
        (
            lambda: mr.InverseDynamicsTrajectory(TABLE, TABLE[:2], TABLE, DOWN, 0, M, G, S),
            r"dthetamat has shape \(2, 3\); expected \(4, 3\), a row for each point of time",
        ),
        (
            lambda: mr.InverseDynamicsTrajectory(TABLE, TABLE, TABLE, DOWN, np.ones((4, 3)), M, G, S),
            r"Ftipmat has shape \(4, 3\); expected \(4, 6\)",
        ),
        (
            lambda: mr.InverseDynamicsTrajectory(TABLE, TABLE, TABLE, DOWN, 1.0, M, G, S),
            r"Ftipmat has shape \(\); expected \(4, 6\)",
        ),
        (
            lambda: mr.ForwardDynamicsTrajectory([0.1], Q, TABLE, DOWN, 0, M, G, S, 0.1, 1),
            r"thetalist has shape \(1,\); expected \(3,\)",
        ),
        (lambda: mr.FKinSpace(np.eye(3), S, Q), r"M has shape \(3, 3\); expected \(4, 4\)"),
        (lambda: mr.FKinBody(np.eye(4), S.T, Q), r"Blist has shape \(3, 6\); expected \(6, 3\)"),
        (lambda: mr.FKinSpace(np.eye(4), S, np.ones((3, 3))), r"thetalist has shape \(3, 3\)"),
        (lambda: mr.JacobianSpace(S, Q[:2]), r"Slist has shape \(6, 3\); expected \(6, 2\), as many columns"),
        (lambda: mr.JacobianBody(S, np.ones((3, 3))), r"thetalist has shape \(3, 3\); expected \(3,\)"),
        (lambda: mr.IKinBody(S, np.eye(4), np.eye(3), Q, 0.1, 0.1), r"T has shape \(3, 3\); expected \(4, 4\)"),
        (lambda: mr.JointTrajectory([0, 1], [1], 2, 5, 3), r"thetastart and thetaend have shapes \(2,\) and \(1,\)"),
    ],
)
def test_other_functions(call: object, message: str) -> None:
    with pytest.raises(armdyn.ShapeError, match=message):
        call()


@pytest.mark.parametrize(("resolution", "kind"), [(0, ValueError), (-2, ValueError), (4.0, TypeError)])
def test_integration_resolution(resolution: object, kind: type[Exception]) -> None:
    with pytest.raises(kind, match=rf"intRes is {resolution}; expected a whole number of at least 1"):
        mr.ForwardDynamicsTrajectory(Q, Q, TABLE, DOWN, 0, M, G, S, 0.1, resolution)


def test_not_a_number_travels_as_in_the_package() -> None:
    q = [np.nan, 0.2, 0.3]
    for name in ("MassMatrix", "InverseDynamics"):
        arguments = (q, M, G, S) if name == "MassMatrix" else (q, Q, Q, DOWN, F, M, G, S)
        assert np.isnan(getattr(mr, name)(*arguments)).any()
        assert np.isnan(getattr(package, name)(*arguments)).any()


def test_threads() -> None:
    """Arms of several sizes at once, first use included."""
    arms = [general_lists("R" * n, n) for n in (2, 3, 4, 5)] * 6

    def forces(lists: object) -> np.ndarray:
        n = len(lists.G)
        table = np.random.default_rng(n).normal(size=(200, n))
        return mr.InverseDynamicsTrajectory(table, table, table, DOWN, 0, *lists)

    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(forces, arms))
    for lists, result in zip(arms, together, strict=True):
        np.testing.assert_array_equal(result, forces(lists))
