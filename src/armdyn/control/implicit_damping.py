"""Strong velocity gains at long steps: damping and gains implicit in the velocities."""

from __future__ import annotations

import numpy as np

from armdyn.algorithms import bias_forces, friction_forces, mass_matrix
from armdyn.base.errors import Unsupported
from armdyn.control.wrapping import QD, H, Inside, Q, Run, Values, refuse_springs
from armdyn.declaration import Function
from armdyn.model.constraints import refuse_constraints
from armdyn.model.mechanism import Mechanism
from armdyn.program import derivative
from armdyn.spatial.positive_definite import Cholesky
from armdyn.spatial.rotations import Array


def implicit_damping(controller: Function) -> Function:
    """A controller whose damping, and that of the joints, is implicit in the velocities of the step, N m or N.

    Explicit steps of length h need h d/I below 2 for a velocity gain d on an inertia I. With D = -d tau/d qd of the
    controller plus the damping of the joints, its symmetric part, and

        (M + h D) qdd = tau(q, qd) - h(q, qd),    the forces are    tau - h D qdd,

    those at the velocities of the end of the step to first order. Semi-implicit Euler steps with them are
    (M + h D) dv = h f, the step of MuJoCo's ``implicitfast``, stable for any damping. `saturated` belongs inside:
    at a limit the velocity has no gain. Stiffness stays explicit.

    Args:
        controller: a controller with tau as a function of qd; its operations are differentiated.

    Raises:
        Unsupported: when it is traced, a robot with flexible joints, constraints, or friction that depends on the load.

    >>> light = armdyn.Inertia(0.1, [0.1, 0, 0], 1e-4 * np.eye(3))
    >>> arm = armdyn.load("planar_2r").with_inertia({"link_2": light})
    >>> steady = armdyn.control.implicit_damping(armdyn.control.pd_gravity)
    >>> method = armdyn.simulation.SemiImplicitEuler(step=2e-3)
    >>> loop = armdyn.ClosedLoop(arm, steady, method=method)
    >>> rolled = loop([0.0, 0.0], steps=500, q_ref=[0.5, 0.4], Kp=500.0, Kd=50.0)
    >>> bool(abs(rolled.final.q - [0.5, 0.4]).max() < 1e-2)
    True
    """
    inside = Inside(controller)
    inside.needs("qd", subject="implicit_damping")

    def law(model: Mechanism, values: Values, run: Run) -> Values:
        refuse_springs(model, f"implicit_damping counts the stiff arm, and {model.name!r} has flexible joints")
        refuse_constraints(model.model, "implicit_damping", "method='radau'")
        if model.drive.depends_on_load:
            raise Unsupported(
                f"friction of {model.name!r} depends on the load, whose slope implicit_damping does not count; take "
                "robot.without_friction(), or shorter steps"
            )
        results = run(values)
        q, qd, h = values["q"], values["qd"], values["h"]
        gain = derivative(lambda rate: run(values | {"qd": rate})["tau"], qd)
        D = -np.asarray(gain)
        if model.drive.has_friction:
            D = D + np.asarray(derivative(lambda rate: friction_forces(model, q, rate), qd))
        D = _symmetric_part(D)
        tau = np.asarray(results["tau"])
        qdd = Cholesky.of(mass_matrix(model, q) + h * D).solve(tau - bias_forces(model, q, qd))
        return results | {"tau": tau - h * (D @ qdd)}

    doc = "Joint forces tau of damping that is implicit in the velocities, N m or N, shape (..., n)."
    return inside.wrapped(implicit_damping, law, doc, more=(Q, QD, H))


def _symmetric_part(D: Array) -> Array:
    """(D + D^T)/2, whose entries are the same nodes on both sides."""
    n = len(D)
    result = np.zeros((n, n), dtype=object)
    for i in range(n):
        for j in range(i + 1):
            result[i, j] = result[j, i] = D[i, i] if i == j else 0.5 * (D[i, j] + D[j, i])
    return result
