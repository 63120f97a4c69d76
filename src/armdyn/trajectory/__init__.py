"""Motions to be commanded: laws along one parameter, paths of the joints, paths of the tip, and joints following them.

`MotionLaw`: position and velocity along one parameter. `JointPath`: q(t) with exact derivatives, ready for
``robot.inverse_dynamics(*path.evaluate(t))``. `CartesianPath`: pose, twist and twist rate of the tip; `follow` makes a
joint motion of it. The result of a simulation is an `armdyn.Trajectory`.
"""

from armdyn.base.lazy import modules_of
from armdyn.trajectory.by_length import ByLength
from armdyn.trajectory.cartesian_path import CartesianPath, CartesianPathSequence, CurvePath, PoseSpline, TipMotion
from armdyn.trajectory.checks import MotionError
from armdyn.trajectory.curves import Arc, Curve, Line, Screw
from armdyn.trajectory.cycloidal import Cycloidal, CycloidalStart, CycloidalStop
from armdyn.trajectory.differencing import differentiated
from armdyn.trajectory.following import follow
from armdyn.trajectory.joint_path import JointPath, JointPathSequence, JointRates, JointStates, PointToPoint, Retimed
from armdyn.trajectory.law import LawSequence, MotionLaw, Progress, StretchedLaw
from armdyn.trajectory.point_to_point import fastest, point_to_point, rest_to_rest
from armdyn.trajectory.polynomial_law import ConstantVelocity, Cubic, Nonic, PolynomialLaw, Quintic
from armdyn.trajectory.s_curve import SCurve
from armdyn.trajectory.splines import SplinePath, blended_lines, cubic_spline, quintic_spline
from armdyn.trajectory.through import Through
from armdyn.trajectory.time_scaling import FastestMotion, UsedLimits, fastest_along
from armdyn.trajectory.trapezoidal import Trapezoidal

__all__ = [
    "Arc",
    "ByLength",
    "CartesianPath",
    "CartesianPathSequence",
    "ConstantVelocity",
    "Cubic",
    "Curve",
    "CurvePath",
    "Cycloidal",
    "CycloidalStart",
    "CycloidalStop",
    "FastestMotion",
    "JointPath",
    "JointPathSequence",
    "JointRates",
    "JointStates",
    "LawSequence",
    "Line",
    "MotionError",
    "MotionLaw",
    "Nonic",
    "PointToPoint",
    "PolynomialLaw",
    "PoseSpline",
    "Progress",
    "Quintic",
    "Retimed",
    "SCurve",
    "Screw",
    "SplinePath",
    "StretchedLaw",
    "Through",
    "TipMotion",
    "Trapezoidal",
    "UsedLimits",
    "blended_lines",
    "cubic_spline",
    "differentiated",
    "fastest",
    "fastest_along",
    "follow",
    "point_to_point",
    "quintic_spline",
    "rest_to_rest",
]

__getattr__ = modules_of(__name__)
